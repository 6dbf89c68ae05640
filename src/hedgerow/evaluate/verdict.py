"""The verdict on a log: numbers, sentences, a table, a figure and a page."""

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.types import Floats, Label
from ..data.files import need_polars
from ..inference.explained import Explained
from ..inference.shift import Drift
from ..present.text import printable_lines
from . import best_arms, sentences
from .contextual_replay import Contextual
from .gain import Gain
from .gains import Setting
from .logging_grade import Grade
from .replay import Replay
from .trust_over_time import Course

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Evaluation:
    """The verdict on a log. ``refused`` says why there is none; ``gains`` are per 1000 decisions, with 90 % intervals.

    ``gains`` has "history", "grouping", "labels" and "log" as far as they can be told; ``marked`` are the same for as many
    rounds as the replay has. ``rulings`` has "history" and "grouping": "helps", "hurts", "open" or "no information".
    """

    source: str
    rows: int
    history_rows: int
    arms: tuple[Label, ...]
    clusters: tuple[Label, ...] | None
    binary: bool
    scale: float
    setting: Setting
    grade: Grade
    method: str
    missing: dict[str, int] = field(default_factory=dict)
    """Rows left out, by reason."""
    odd: str = ""
    """A warning of rewards that may be mistakes."""
    untried: int = 0
    """Arms without a row, which only the clusters name; they are left out."""
    refused: tuple[str, ...] = ()
    grouping_refused: str | None = None
    explained: Explained | None = None
    drift: Drift | None = None
    drift_factor: str = ""
    rounds_saved: str = ""
    gains: dict[str, Gain] = field(default_factory=dict)
    marked: dict[str, Gain] = field(default_factory=dict)
    rulings: dict[str, str] = field(default_factory=dict)
    replay: Replay | None = None
    contextual: Contextual | None = None
    contextual_refused: str | None = None
    curves: dict[str, Floats] = field(default_factory=dict, repr=False)
    course: Course | None = field(default=None, repr=False)
    plays: Floats | None = field(default=None, repr=False)
    """Rows of each arm to judge by."""
    means: Floats | None = field(default=None, repr=False)
    """Expected reward of each arm: median, 5 % and 95 % quantile (3 x arms)."""

    def __str__(self) -> str:
        return printable_lines(sentences.verdict(self))

    def _repr_html_(self) -> str:
        from .page import section

        return section(self)

    def frame(self) -> "pl.DataFrame":
        """The gains as a data frame.

        Returns:
            A row per gain and method.
        """
        need_polars()
        import polars as pl

        parts = {"simulation": self.gains, "replay": self.replay.gains if self.replay else {}}
        parts["contextual replay"] = self.contextual.gains if self.contextual else {}
        rounds = {"simulation": self.setting.rounds, "replay": self.replay.rounds if self.replay else 0}
        rounds["contextual replay"] = self.contextual.rounds if self.contextual else 0
        rows = [(how, rounds[how], name, *gain) for how, gains in parts.items() for name, gain in gains.items()]
        return pl.DataFrame(rows, schema=["method", "rounds", "gain", "value", "low", "high"], orient="row")

    def plot(self) -> "Figure":
        """Gains with their intervals; the page also draws rewards over time and arms by group.

        Returns:
            A figure of matplotlib.
        """
        from .figures import verdict_figure

        return verdict_figure(self)

    def save(self, folder: str | Path) -> Path:
        """Write the page, index.html, and its numbers, verdict.json, into a folder.

        Args:
            folder: the folder, which is made if it is not there.

        Returns:
            The path of the page.
        """
        from .page import write

        return write(self, folder)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, for JSON.

        Returns:
            Dicts, lists, numbers and texts.
        """
        found = asdict(replace(self, curves={}, course=None, plays=None, means=None))
        for name in ("curves", "marked"):
            del found[name]
        found |= {"plays": None if self.plays is None else self.plays.tolist(), "means": best_arms.named(self.means)}
        found["course"] = self.course and {name: part.tolist() for name, part in vars(self.course).items() if part is not None}
        found["gains"] = {name: gain._asdict() for name, gain in self.gains.items()}
        for part in ("replay", "contextual"):
            if found[part] is not None:
                found[part]["gains"] = {name: gain._asdict() for name, gain in getattr(self, part).gains.items()}
        found["grade"]["checks"] = [{**asdict(check), "passed": check.passed} for check in self.grade.checks]
        found["verdict"] = sentences.verdict(self)
        return found
