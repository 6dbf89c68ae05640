"""The report as one self-contained page."""

from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from ...present.numbers import numeral
from ..result import Simulation
from .claim import FAILS, HOLDS, OPEN, Check, Claim
from .panels import SHORT, Experiment, Panel

if TYPE_CHECKING:
    from .run import Reproduction

BADGES = {"holds": "yes", "holds under stated settings": "partly", "not decided": "partly", "does not hold": "no"}
SOME = "holds under stated settings"
ONE = {verdict: verdict for verdict in BADGES} | {"not decided": "is not decided by these trials"}
COUNTED = {
    "holds": "hold",
    "holds under stated settings": "hold under stated settings",
    "not decided": "are not decided by these trials",
    "does not hold": "do not hold",
}
WORDS = {HOLDS: "holds", FAILS: "does not", OPEN: "open"}


def html(found: "Reproduction", drawings: dict[str, str]) -> str:
    """The page: claims first, then each figure with what the paper says and what was measured."""
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    body = [_head(found), _claims(found.claims)]
    body += [_experiment(found, experiment, drawings[experiment.letter]) for experiment in found.experiments]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>hedgerow: the paper, rerun</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def counted(claims: list[Claim]) -> str:
    """How many claims have which verdict."""
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in BADGES}
    words = {verdict: ONE[verdict] if count == 1 else COUNTED[verdict] for verdict, count in counts.items()}
    if contrary := sum(claim.held > 0 and claim.failed > 0 for claim in claims):
        some = "it does" if counts[SOME] == 1 else f"{contrary} of them {'does' if contrary == 1 else 'do'}"
        words[SOME] += f" ({some} not in others)"
    told = ", ".join(f"<b>{count}</b> {words[verdict]}" for verdict, count in counts.items() if count)
    return f"Of {len(claims)} claim{'' if len(claims) == 1 else 's'} {told}."


def _head(found: "Reproduction") -> str:
    settings = ", ".join(f"{name} {value}" for name, value in found.settings().items())
    warnings = "".join(f'<p class="warn">{escape(text)}</p>' for text in found.warnings())
    return f"""<h1>The paper, rerun</h1>
<p>“Optimal Exploitation of Clustering and History Information in Multi-Armed Bandit” (IJCAI 2019) compares bandits that
know which arms are alike and start from logged history. This page reruns its experiments with hedgerow and says which of
its claims come out. {counted(found.claims)}</p>
{warnings}
<p class="small">{settings}. Bonuses have scale 1; where the paper leaves a setting open (alpha of LinUCB, here 1, and others)
docs/algorithms.md says how it is read. All policies of a trial face the same draws, so differences are paired; brackets hold
95 % intervals over trials. A claim holds in a setting if the whole interval is on its side, does not hold if the whole
interval is on the other, and is open otherwise: beside each verdict stands in how many settings the answer is yes, no and open.
Shown with each claim is the setting that speaks least for it.</p>"""


def _claims(claims: list[Claim]) -> str:
    rows = "\n".join(_claim(claim) for claim in claims)
    return f"""<section id="claims">
<h2>Claims</h2>
{rows}
</section>"""


def _claim(claim: Claim) -> str:
    rows = "".join(_check(check) for check in claim.checks)
    if claim.controls:
        rows += '<tr><th colspan="5">Controls: what the labels themselves are worth, against shuffled ones</th></tr>'
        rows += "".join(_check(check) for check in claim.controls)
    note = f"<p>{escape(claim.note)}</p>" if claim.note else ""
    name = claim.figure if claim.figure == "bounds" else f"({claim.figure})"
    value, low, high = claim.weakest.shown
    shown = f"{claim.weakest.setting}: {claim.weakest.what}: {value} ({low} to {high})"
    return f"""<details class="claim">
<summary><a href="#figure-{claim.figure}">{name}</a>
<span class="text">{escape(claim.text)}<br><small>{escape(shown)}</small></span>
<span class="badge {BADGES[claim.verdict]}">{claim.verdict} <small>{claim.tally}</small></span></summary>
<div class="scroll"><table><thead><tr><th>setting</th><th>measured</th><th>mean</th><th>95 % interval</th><th></th></tr></thead>
<tbody>{rows}</tbody></table></div>{note}</details>"""


def _check(check: Check) -> str:
    value, low, high = check.shown
    return (
        f"<tr><td>{escape(check.setting)}</td><td>{escape(check.what)}</td><td class=n>{value}</td>"
        f"<td class=n>{low} to {high}</td><td>{WORDS[check.outcome]}</td></tr>"
    )


def _experiment(found: "Reproduction", experiment: Experiment, drawing: str) -> str:
    shown = found.of(experiment)
    tables = "\n".join(_table(panel, result) for panel, result in shown)
    claims = [claim for claim in found.claims if claim.figure == experiment.letter]
    verdicts = "".join(f"<li>{escape(claim.text)}: <b>{claim.verdict}</b> ({claim.tally})</li>" for claim in claims)
    name = experiment.title if experiment.letter == "bounds" else f"({experiment.letter}) {experiment.title}"
    return f"""<section id="figure-{experiment.letter}">
<h2>{escape(name)}</h2>
<p><b>The paper says:</b> {escape(experiment.says)}</p>
<p><b>Measured:</b></p><ul>{verdicts}</ul>
<figure role="img" aria-label="{escape(name)}"><div class="scroll">{drawing}</div>
<figcaption>Mean over trials, bands +-1 standard deviation{_caption(experiment)}</figcaption></figure>
<details><summary>Numbers and settings</summary>{tables}</details>
</section>"""


def _caption(experiment: Experiment) -> str:
    if experiment.letter == "bounds":
        return " left out; dashed: the bounds as printed."
    mark = f" Dotted line: one pass over the recorded rows, T = {SHORT}." if experiment.letter in "de" else ""
    return f"; dashed: the control with shuffled labels.{mark}"


def _table(panel: Panel, result: Simulation) -> str:
    rows = "".join(
        f"<tr><td>{escape(row['policy'])}</td><td class=n>{numeral(row['reward'] / result.rounds, 4)}</td>"
        f"<td class=n>{numeral(row['regret'], 4)}</td><td class=n>{numeral(row['regret_sd'], 4)}</td></tr>"
        for row in result.summary()
    )
    return f"""<p class="small">{escape(panel.title)}. {escape(result.problem)}; {result.rounds} rounds, {result.trials} trials,
seed {result.seed}.</p>
<div class="scroll"><table><thead><tr><th>policy</th><th>reward per round</th><th>regret</th><th>+- sd</th></tr></thead>
<tbody>{rows}</tbody></table></div>"""
