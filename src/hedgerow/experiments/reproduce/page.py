"""The report as one self-contained page."""

from typing import TYPE_CHECKING, Any

from ...present.numbers import numeral
from ...present.pages import drawing, rendered
from ...present.tables import Table
from ..result import Simulation
from .claim import FAILS, HOLDS, OPEN, Check, Claim
from .panels import ONE_PASS, Experiment, Panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .run import Reproduction

VERDICT_COLOURS = {"holds": "yes", "holds under stated settings": "partly", "not decided": "partly", "does not hold": "no"}
"""Classes of the style sheet."""

ONE_CLAIM = {verdict: verdict for verdict in VERDICT_COLOURS} | {"not decided": "is not decided by these trials"}
SEVERAL_CLAIMS = {
    "holds": "hold",
    "holds under stated settings": "hold under stated settings",
    "not decided": "are not decided by these trials",
    "does not hold": "do not hold",
}
OUTCOMES = {HOLDS: "holds", FAILS: "does not", OPEN: "open"}


def html(found: "Reproduction", figures: "dict[str, Figure]") -> str:
    """The page: claims first, then each figure with what the paper says and what was measured.

    Args:
        found: the reproduction.
        figures: the picture of each experiment, by its letter.

    Returns:
        HTML.
    """
    return rendered(
        "experiments/reproduce/page.html",
        counted=counted(found.claims),
        settings=", ".join(f"{name} {value}" for name, value in found.settings().items()),
        warnings=found.warnings(),
        claims=[_claim(claim) for claim in found.claims],
        experiments=[_experiment(found, experiment, figures[experiment.letter]) for experiment in found.experiments],
    )


def counted(claims: list[Claim]) -> str:
    """How many claims have which verdict.

    Args:
        claims: the claims.

    Returns:
        One sentence.
    """
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICT_COLOURS}
    words = {verdict: ONE_CLAIM[verdict] if count == 1 else SEVERAL_CLAIMS[verdict] for verdict, count in counts.items()}
    if contrary := sum(claim.held > 0 and claim.failed > 0 for claim in claims):
        stated = "holds under stated settings"
        some = "it does" if counts[stated] == 1 else f"{contrary} of them {'does' if contrary == 1 else 'do'}"
        words[stated] += f" ({some} not in others)"
    told = ", ".join(f"{count} {words[verdict]}" for verdict, count in counts.items() if count)
    return f"Of {len(claims)} claim{'' if len(claims) == 1 else 's'} {told}."


def _claim(claim: Claim) -> dict[str, Any]:
    value, low, high = claim.weakest.shown
    return {
        "figure": claim.figure,
        "name": claim.figure if claim.figure == "bounds" else f"({claim.figure})",
        "text": claim.text,
        "weakest": f"{claim.weakest.setting}: {claim.weakest.what}: {value} ({low} to {high})",
        "kind": VERDICT_COLOURS[claim.verdict],
        "verdict": claim.verdict,
        "tally": claim.tally,
        "checks": _checks(claim.checks),
        "controls": _checks(claim.controls) if claim.controls else None,
        "note": claim.note,
    }


def _checks(checks: tuple[Check, ...]) -> Table:
    rows = []
    for check in checks:
        value, low, high = check.shown
        rows.append((check.setting, check.what, value, f"{low} to {high}", OUTCOMES[check.outcome]))
    return Table(("setting", "measured", "mean", "95 % interval", "outcome"), rows, numbers=("mean", "95 % interval"))


def _experiment(found: "Reproduction", experiment: Experiment, figure: "Figure") -> dict[str, Any]:
    claims = [claim for claim in found.claims if claim.figure == experiment.letter]
    return {
        "letter": experiment.letter,
        "name": experiment.title if experiment.letter == "bounds" else f"({experiment.letter}) {experiment.title}",
        "says": experiment.says,
        "verdicts": [{"text": claim.text, "verdict": claim.verdict, "tally": claim.tally} for claim in claims],
        "drawing": drawing(figure),
        "caption": f"Mean over trials, bands +-1 standard deviation{_caption(experiment)}",
        "panels": [{"told": _told(panel, result), "table": _numbers(result)} for panel, result in found.of(experiment)],
    }


def _caption(experiment: Experiment) -> str:
    if experiment.letter == "bounds":
        return " left out; dashed: the bounds as printed."
    mark = f" Dotted line: one pass over the recorded rows, T = {ONE_PASS}." if experiment.letter in "de" else ""
    return f"; dashed: the control with shuffled labels.{mark}"


def _told(panel: Panel, result: Simulation) -> str:
    return f"{panel.title}. {result.problem}; {result.rounds} rounds, {result.trials} trials, seed {result.seed}."


def _numbers(result: Simulation) -> Table:
    rows = [
        (row["policy"], numeral(row["reward"] / result.rounds, 4), numeral(row["regret"], 4), numeral(row["regret_sd"], 4))
        for row in result.summary()
    ]
    columns = ("policy", "reward per round", "regret", "+- sd")
    return Table(columns, rows, numbers=columns[1:])
