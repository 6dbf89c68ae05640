"""What a simulation gave: curves per policy and trial, their means, and paired differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.types import Floats, Integers
from ..inference.intervals import mean_interval
from ..present.frames import framed
from ..present.numbers import numerals
from ..present.pages import notebook
from ..present.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Difference(NamedTuple):
    """A mean over trials with its 95 % interval.

    Args:
        what: what is measured.
        mean: the mean.
        low: the lower end.
        high: the upper end.
    """

    what: str
    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        mean, low, high = numerals(self.mean, self.low, self.high, sign="+")
        return f"{self.what}: {mean} ({low} to {high})"


def interval(what: str, values: Floats) -> Difference:
    """Mean of paired values with Student's 95 % interval.

    Args:
        what: what is measured.
        values: one number per trial.

    Returns:
        The mean and its interval, which is infinite for a single trial.
    """
    return Difference(what, *mean_interval(values))


@dataclass(frozen=True, eq=False)
class Simulation:
    """The curves of all policies in all trials, at the rounds ``at``.

    ``reward`` and ``regret`` are cumulative, (policies, trials, points); regret counts expected rewards. ``best`` is the
    cumulative expected reward of always playing the best arm, ``largest`` the largest absolute reward of a trial.
    """

    problem: str
    policies: tuple[str, ...]
    rounds: int
    trials: int
    seed: int
    at: Integers
    reward: Floats
    regret: Floats
    followed: Floats
    best: Floats
    largest: Floats
    experts: dict[str, tuple[str, ...]]

    def of(self, policy: str, measure: str = "reward", *, at: int | None = None) -> Floats:
        """The cumulative reward or regret of a policy in each trial.

        Args:
            policy: its name.
            measure: "reward" or "regret".
            at: the round; the last marked one up to it counts. Curves are kept at the rounds in ``Simulation.at``: give
                ``marks=`` to ``simulate`` for others. None: the last round.

        Returns:
            One number per trial.

        Raises:
            KeyError: if there is no such policy.
            ValueError: if there is no such measure.
        """
        if policy not in self.policies:
            raise KeyError(f"no policy {policy!r}; there are {', '.join(self.policies)}")
        if measure not in ("reward", "regret"):
            raise ValueError(f"measure must be 'reward' or 'regret', got {measure!r}")
        curves: Floats = getattr(self, measure)[self.policies.index(policy)]
        values: Floats = curves[:, self.point(at)]
        return values

    def point(self, at: int | None) -> int:
        """The position of the last marked round up to a round.

        Args:
            at: the round, None for the last.

        Returns:
            A position in ``Simulation.at``.

        Raises:
            ValueError: if no curve is kept up to there.
        """
        if at is None:
            return len(self.at) - 1
        if not self.at[0] <= at <= self.rounds:
            raise ValueError(f"curves are kept from round {self.at[0]} to {self.rounds}, not for {at}")
        return int(np.searchsorted(self.at, at, side="right")) - 1

    def share(self, policy: str, expert: str, *, at: int | None = None) -> Floats:
        """The share of rounds so far in which a Meta followed an expert.

        Args:
            policy: the name of the Meta.
            expert: the name of its expert.
            at: the round, None for the last.

        Returns:
            One number per trial.

        Raises:
            KeyError: if there is no such expert.
        """
        point = self.point(at)
        if expert not in self.experts.get(policy, ()):
            raise KeyError(f"{policy!r} has no expert {expert!r}; it has {', '.join(self.experts.get(policy, ())) or 'none'}")
        column = self.experts[policy].index(expert)
        counts: Floats = self.followed[self.policies.index(policy), :, point, column]
        shares: Floats = counts / self.at[point]
        return shares

    def summary(self, *, at: int | None = None) -> list[dict[str, Any]]:
        """Mean and standard deviation over trials.

        Args:
            at: the round, None for the last.

        Returns:
            A row per policy.
        """
        rows = []
        for policy in self.policies:
            reward, regret = (self.of(policy, measure, at=at) for measure in ("reward", "regret"))
            rows.append(
                {
                    "policy": policy,
                    "reward": float(reward.mean()),
                    "reward_sd": float(reward.std()),
                    "regret": float(regret.mean()),
                    "regret_sd": float(regret.std()),
                }
            )
        return rows

    def compare(self, baseline: str, *, measure: str = "reward", at: int | None = None) -> list[Difference]:
        """Each other policy's paired difference to a baseline, with its 95 % interval.

        Args:
            baseline: its name.
            measure: "reward" or "regret".
            at: the round, None for the last.

        Returns:
            One difference for each other policy.
        """
        base = self.of(baseline, measure, at=at)
        others = [policy for policy in self.policies if policy != baseline]
        return [interval(f"{policy} - {baseline}", self.of(policy, measure, at=at) - base) for policy in others]

    def columns(self) -> dict[str, Any]:
        """All curves as tidy columns.

        Returns:
            Columns with a row per policy, trial and marked round.
        """
        P, N, M = self.reward.shape
        columns: dict[str, Any] = {
            "policy": np.repeat(np.array(self.policies), N * M).tolist(),
            "trial": np.tile(np.repeat(np.arange(N), M), P),
            "round": np.tile(self.at, P * N),
            "reward": self.reward.ravel(),
            "regret": self.regret.ravel(),
            "best": np.tile(self.best.ravel(), P),
        }
        for column in range(max((len(names) for names in self.experts.values()), default=0)):
            columns[f"followed_{column + 1}"] = self.followed[..., column].ravel()
        return columns

    def frame(self, backend: Any = "polars") -> Any:
        """All curves as a tidy data frame.

        Args:
            backend: polars, pandas or pyarrow.

        Returns:
            A frame with a row per policy, trial and marked round.

        Raises:
            ImportError: without the backend.
        """
        return framed(self.columns(), backend)

    def plot(self, *, measure: str = "per round", policies: Sequence[str] | None = None) -> "Figure":
        """Mean over trials with +-1 standard deviation.

        Args:
            measure: reward "per round" so far, cumulative "reward" or "regret".
            policies: names of the policies to draw, None for all.

        Returns:
            A figure of matplotlib.
        """
        from .figures import curves

        return curves(self, measure=measure, policies=policies or self.policies)

    def __repr__(self) -> str:
        return "\n".join([self._title(), self._table().text()])

    def _repr_html_(self) -> str | None:
        return notebook(self._title(), table=self._table())

    def _title(self) -> str:
        trials = "1 trial" if self.trials == 1 else f"{self.trials} trials (+- their standard deviation)"
        return f"{self.problem}; {self.rounds} rounds, {trials}, seed {self.seed}"

    def _table(self) -> Table:
        rows = [
            [row["policy"], *(f"{row[kind]:,.1f} +- {row[f'{kind}_sd']:,.1f}" for kind in ("reward", "regret"))]
            for row in self.summary()
        ]
        return Table(("policy", "reward", "regret"), rows, numbers=("reward", "regret"))
