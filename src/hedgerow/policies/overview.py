"""What a policy shows of itself: numbers for a dashboard, a frame, a figure, and what a notebook prints."""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.locking import Locked
from ..data.encoding import Encoding
from ..present.dots import MOST_LINES, Axes, Dot, dots_figure
from ..present.frames import framed, label_column, label_text
from ..present.numbers import numeral
from ..present.pages import notebook
from .arm_rows import ArmRow, arm_metrics, arm_rows, arm_table, plays_of
from .learnt import Learnt, rounds_of
from .notices import Noticed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 20
"""Arms that a notebook shows; ``frame()`` has all."""

MOSTLY = 0.5
"""Share of the arms that clusters are wrong about, beyond which they are doubted: more than half. Chosen, not tuned."""


class Overview(Locked):
    """The part of a Bandit or Meta that shows what it has learnt, and says what it notices."""

    name: str
    _noticed: Noticed | None = None

    @property
    @abstractmethod
    def rounds(self) -> int:
        """Online rounds learnt from."""

    @property
    @abstractmethod
    def waiting(self) -> Sequence[Any]:
        """The expected decisions whose reward has not come yet."""

    @property
    @abstractmethod
    def explore(self) -> float:
        """The share of decisions that is drawn uniformly among the arms."""

    @property
    @abstractmethod
    def encoding(self) -> Encoding | None:
        """How contexts of raw values are read."""

    @abstractmethod
    def parts(self) -> dict[str, Learnt]:
        """What has been learnt, by the path of each expert; a Bandit has one part, without a name.

        Returns:
            The state of each.
        """

    @abstractmethod
    def settings(self) -> dict[str, float]:
        """What the policy, or its experts, have estimated.

        Returns:
            Numbers by name.
        """

    def metrics(self) -> dict[str, float]:
        """The state in a few numbers, for a dashboard that asks now and then; quick, since nothing is tested.

        What has changed since it was asked last goes to ``logging.getLogger("hedgerow")``.

        Returns:
            Finite numbers by name, without those that are not known yet. ``effective_arms``: over how many arms the rounds are
            spread, the exponential of the entropy of their shares. ``unknown_values``: of raw contexts, missing or new.
            ``followed_NAME``: the share of rounds in which a Meta followed an expert. Others are the policy's own estimates.

        Examples:
            >>> import hedgerow as hr
            >>> policy = hr.UCB(["a", "b"])
            >>> policy.learn("a", 1.0)
            >>> policy.metrics()["mean_reward"], policy.metrics()["played_arms"]
            (1.0, 1.0)
        """
        with self._lock:
            found: dict[str, float] = {"rounds": self.rounds, "waiting": len(self.waiting), "explore": self.explore}
            found |= {"unknown_values": self.encoding.unknown.total()} if self.encoding is not None else {}
            estimated, (_, fullest) = self.settings(), self._fullest()
            if fullest is not None:
                found |= arm_metrics(fullest)
                self._notices().look(self.name, self.rounds, plays_of(fullest))
            self._notices().tell(own_findings(self.name, self.rounds, estimated))
        return {name: float(value) for name, value in (found | estimated).items() if math.isfinite(value)}

    def _notices(self) -> Noticed:
        if self._noticed is None:
            self._noticed = Noticed()
        return self._noticed

    def _fullest(self) -> tuple[str, Learnt | None]:
        """The expert that has learnt most, and its state; of a Bandit its own; none if all experts are somebody else's."""
        parts = self.parts()
        name = max(parts, key=lambda part: rounds_of(parts[part]), default="")
        return name, parts.get(name)

    def frame(self, backend: Any = "polars") -> Any:
        """What has been learnt, as a data frame.

        Args:
            backend: polars, pandas or pyarrow.

        Returns:
            A row for each arm: cluster, plays, mean reward and its standard error, plays and mean of the history, and decisions
            that wait; of a Meta for each arm of each expert. With contexts, a mean is over those in which the arm was played.

        Raises:
            ImportError: Without the backend.
        """
        parts = {name: arm_rows(learnt) for name, learnt in self.parts().items()}
        rows = [row for part in parts.values() for row in part]
        columns: dict[str, Any] = {}
        if "" not in parts:
            columns["expert"] = [name for name, part in parts.items() for _ in part]
        columns |= {"arm": label_column(row.arm for row in rows), "cluster": label_column(row.cluster for row in rows)}
        numbers = [name for name in ArmRow._fields if name not in columns]
        return framed(columns | {name: [_known(getattr(row, name)) for row in rows] for name in numbers}, backend)

    def plot(self) -> "Figure":
        """What has been learnt, as a figure: mean rewards with their standard errors, those of the history, and plays.

        Returns:
            A figure of matplotlib, of the arms with the most plays.

        Raises:
            ImportError: Without matplotlib.
        """
        name, learnt = self._fullest()
        rows = sorted(arm_rows(learnt) if learnt else (), key=lambda row: -(row.plays + row.history))
        shown = sorted(
            rows[:MOST_LINES], key=lambda row: -(row.mean if row.plays else row.history_mean if row.history else -math.inf)
        )
        title = repr(self) + (f", as {name} has learnt it" if name else "")
        warm = any(row.history for row in rows)
        parts = ("rounds", "history") if warm else ("rounds",)
        lines = [_dot(row, parts) for row in shown + rows[MOST_LINES:]]
        axes = Axes(title, "mean reward, with its standard error", "plays", "history", "rounds", parts)
        return dots_figure(lines, axes)

    def _repr_html_(self) -> str | None:
        name, learnt = self._fullest()
        rows = sorted(arm_rows(learnt) if learnt else (), key=lambda row: -row.plays)
        below = [f"{len(rows) - MOST_ROWS:,} more arms: all are in frame()."] if len(rows) > MOST_ROWS else []
        below += [f"As {name} has learnt it."] if name else []
        estimated = ", ".join(f"{key} = {numeral(value)}" for key, value in self.settings().items())
        return notebook(repr(self), table=arm_table(rows[:MOST_ROWS]), below=[*below, estimated] if estimated else below)


def own_findings(name: str, rounds: int, estimated: Mapping[str, float]) -> dict[str, str | None]:
    """What a policy has found out by its own estimates.

    Args:
        name: What it is called.
        rounds: That it has learnt.
        estimated: Its estimates.

    Returns:
        A sentence by a name, None for what is not so.
    """
    said: dict[str, str | None] = {}
    for key, value in estimated.items():
        expert, _, kind = key.rpartition("_")
        who = f"{name}{f', expert {expert}' if expert else ''}, round {rounds}"
        if kind == "drift":
            trusted = estimated.get(f"{expert}_trusted" if expert else "trusted")
            weight = "" if trusted is None else f"; {trusted:.0%} of the history's weight is left"
            moved = f"{who}: arms have moved by about {numeral(value)} since their history{weight}"
            said[f"own {key}"] = moved if value > 0.0 else None
        if kind == "wrong":
            doubts = f"{who}: the clusters seem to be wrong about {value:.0%} of the arms"
            said[f"own {key}"] = doubts if value > MOSTLY else None
    return said


def _known(value: Any) -> Any:
    """A number as a cell of a frame: none where it is not known."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _dot(row: ArmRow, parts: Sequence[str]) -> Dot:
    """An arm as a line of a figure."""
    bars = (float(row.plays), row.history)[: len(parts)]
    group = None if row.cluster is None else label_text(row.cluster)
    return Dot(row.arm, row.mean, row.mean - row.error, row.mean + row.error, row.history_mean, group, bars)
