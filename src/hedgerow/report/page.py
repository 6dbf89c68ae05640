"""The report as one self-contained page."""

from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from ..result import Simulation
from .claims import Check, Claim
from .experiments import SHORT, Experiment, Panel

if TYPE_CHECKING:
    from .reproduction import Reproduction

BADGES = {"holds": "yes", "holds under stated settings": "partly", "does not hold": "no"}


def number(value: float) -> str:
    """Four figures are enough for a reader."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


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


def _head(found: "Reproduction") -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in found.claims) for verdict in BADGES}
    words = {"holds": "hold", "holds under stated settings": "hold under stated settings", "does not hold": "do not hold"}
    tally = ", ".join(f"<b>{count}</b> {words[verdict]}" for verdict, count in counts.items())
    settings = ", ".join(f"{name} {value}" for name, value in found.settings().items() if name != "quick")
    quick = (
        '<p class="warn">A quick run: few and short trials, only to see what the report looks like.</p>' if found.quick else ""
    )
    simulated = sorted({escape(str(panel.problem)).split(":")[0] for panel in found.panels.values() if panel.simulated})
    data = f'<p class="warn">Simulated data stands in for the real: {"; ".join(simulated)}.</p>' if simulated else ""
    return f"""<h1>The paper, rerun</h1>
<p>“Optimal Exploitation of Clustering and History Information in Multi-Armed Bandit” (IJCAI 2019) compares bandits that
know which arms are alike and start from logged history. This page reruns its experiments with hedgerow and says which of
its claims come out. Of {len(found.claims)} claims: {tally}.</p>
{quick}{data}
<p class="small">{settings}. Rewards and bonuses as in the paper (scale 1, alpha 1). All policies of a trial face the same
draws, so differences are paired; brackets hold 95 % intervals over trials. A claim holds in a setting if the whole interval
is on its side.</p>"""


def _claims(claims: list[Claim]) -> str:
    rows = "\n".join(_claim(claim) for claim in claims)
    return f"""<section id="claims">
<h2>Claims</h2>
{rows}
</section>"""


def _claim(claim: Claim) -> str:
    checks = "".join(_check(check) for check in claim.checks)
    note = f"<p>{escape(claim.note)}</p>" if claim.note else ""
    held = f"{sum(check.holds for check in claim.checks)} of {len(claim.checks)}"
    name = claim.figure if claim.figure == "bounds" else f"({claim.figure})"
    return f"""<details class="claim">
<summary><a href="#figure-{claim.figure}">{name}</a> <span class="text">{escape(claim.text)}</span>
<span class="badge {BADGES[claim.verdict]}">{claim.verdict} <small>{held}</small></span></summary>
<div class="scroll"><table><thead><tr><th>setting</th><th>measured</th><th>mean</th><th>95 % interval</th><th></th></tr></thead>
<tbody>{checks}</tbody></table></div>{note}</details>"""


def _check(check: Check) -> str:
    return (
        f"<tr><td>{escape(check.setting)}</td><td>{escape(check.what)}</td><td class=n>{number(check.value)}</td>"
        f"<td class=n>{number(check.low)} to {number(check.high)}</td><td>{'holds' if check.holds else 'does not'}</td></tr>"
    )


def _experiment(found: "Reproduction", experiment: Experiment, drawing: str) -> str:
    shown = found.of(experiment)
    tables = "\n".join(_table(panel, result) for panel, result in shown)
    claims = [claim for claim in found.claims if claim.figure == experiment.letter]
    verdicts = "".join(f"<li>{escape(claim.text)}: <b>{claim.verdict}</b></li>" for claim in claims)
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
        f"<tr><td>{escape(row['policy'])}</td><td class=n>{number(row['reward'] / result.rounds)}</td>"
        f"<td class=n>{number(row['regret'])}</td><td class=n>{number(row['regret_sd'])}</td></tr>"
        for row in result.summary()
    )
    return f"""<p class="small">{escape(panel.title)}. {escape(result.problem)}; {result.rounds} rounds, {result.trials} trials,
seed {result.seed}.</p>
<div class="scroll"><table><thead><tr><th>policy</th><th>reward per round</th><th>regret</th><th>+- sd</th></tr></thead>
<tbody>{rows}</tbody></table></div>"""
