"""Clicks lost beside other libraries on one problem: ads about topics, an old log, and visitors who click or do not.

    python benchmarks/gain.py [--trials N] [--rounds N] [--out FOLDER]

Forty ads about eight topics. The old log holds 1500 random showings. Every library learns the log first, then plays; each meets
the same ads, log and visitors, trial by trial. Vowpal Wabbit gets topics as features of an ad; MABWiser and river have no place
for them. Each of the three plays several of its policies, and the figure shows the best of them in hindsight; hedgerow plays
`Auto`, which has no settings. Writes gain.png, and the table of all policies and versions in beside.md.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from environments import HERE, Worker
from work import clicks

mpl.use("Agg")
import matplotlib.pyplot as plt

PROBLEM = {"kind": "clicks", "arms": 40, "clusters": 8, "rows": 1500}
POLICIES = {
    "hedgerow": ("Auto: log and topics", "Auto: log", "Auto: topics", "Auto: neither"),
    "vowpalwabbit": ("epsilon-greedy, 5 %", "SquareCB", "bag of 5", "online cover, 5"),
    "mabwiser": ("Thompson sampling", "UCB1, alpha 1", "UCB1, alpha 0.25", "epsilon-greedy, 5 %"),
    "river": ("Thompson sampling", "UCB, delta 1", "UCB, delta 0.1", "epsilon-greedy, 5 %"),
}
NAMES = {"hedgerow": "hedgerow", "vowpalwabbit": "Vowpal Wabbit", "mabwiser": "MABWiser", "river": "river"}
COLOURS = {"hedgerow": "#009E73", "vowpalwabbit": "#D55E00", "mabwiser": "#0072B2", "river": "#CC79A7"}
PLAIN = ("hedgerow", "Auto: neither")
Z90 = 1.645
"""Of a two-sided 90 % interval."""

MOST_SHOWN = 0.055
"""Clicks lost per decision at the upper end of the figure; settings that lose more leave it."""

BEGIN, END = "<!-- python benchmarks/gain.py writes this table -->", "<!-- end of the table -->"


class Played(NamedTuple):
    """What one policy lost: a row for each trial, the expected clicks lost up to each round."""

    library: str
    policy: str
    lost: np.ndarray

    def per_thousand(self) -> tuple[float, float]:
        """Clicks lost per 1000 decisions, and half the width of its 90 % interval."""
        each = 1000.0 * self.lost[:, -1] / self.lost.shape[1]
        return float(each.mean()), float(Z90 * each.std(ddof=1) / np.sqrt(each.size))


def main() -> None:
    """Play, draw, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3000)
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs")
    options = parser.parse_args()
    found, versions = [], {}
    for library, policies in POLICIES.items():
        worker = Worker(library)
        found += [played(worker, library, policy, options.trials, options.rounds) for policy in policies]
        versions[library] = worker.version
        worker.close()
    options.out.mkdir(exist_ok=True)
    said = f"seeds 0 to {options.trials - 1}, {options.trials} trials of {options.rounds} decisions"
    page = options.out / "beside.md"
    text = page.read_text(encoding="utf-8") if page.exists() else f"{BEGIN}\n{END}\n"
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{table(found, versions, said)}{END}{after}", encoding="utf-8")
    draw(found, versions, said, options.out / "gain.png")


def played(worker: Worker, library: str, policy: str, trials: int, rounds: int) -> Played:
    """All trials of one policy."""
    lost = []
    for seed in range(trials):
        task: dict[str, Any] = {**PROBLEM, "seed": seed, "rounds": rounds, "policy": policy}
        answer = worker.do(task)
        if "error" in answer:
            raise SystemExit(f"{library}, {policy}: {answer['error']}")
        rates = clicks(task).rates
        lost.append(np.cumsum(rates.max() - rates[answer["arms"]]))
    made = Played(library, policy, np.array(lost))
    print(f"{library}, {policy}: {made.per_thousand()[0]:.1f} clicks lost per 1000", file=sys.stderr)
    return made


def best(found: list[Played], library: str) -> Played:
    """The policy of a library that lost least, in hindsight; of hedgerow the one that is told everything."""
    own = [one for one in found if one.library == library]
    return own[0] if library == "hedgerow" else min(own, key=lambda one: one.per_thousand()[0])


def table(found: list[Played], versions: dict[str, str], said: str) -> str:
    """All policies, least lost first."""
    lines = [
        f"Expected clicks lost per 1000 decisions against always showing the best ad; mean and 90 % interval, {said}.",
        "",
        "| library | policy | clicks lost per 1000 |",
        "|---|---|---|",
    ]
    for one in sorted(found, key=lambda one: one.per_thousand()[0]):
        mean, half = one.per_thousand()
        lines.append(f"| {NAMES[one.library]} {versions[one.library]} | {one.policy} | {mean:.1f} ± {half:.1f} |")
    return "\n".join(lines) + "\n"


def draw(found: list[Played], versions: dict[str, str], said: str, path: Path) -> None:
    """The best policy of each library in hindsight, its other settings as thin lines, and hedgerow without log and topics."""
    figure, axis = plt.subplots(figsize=(8.0, 4.0), layout="constrained")
    for one in found:
        if one.library != "hedgerow":
            axis.plot(np.arange(1, one.lost.shape[1] + 1), one.lost.mean(axis=0), color=COLOURS[one.library], linewidth=0.7)
    plain = next(one for one in found if (one.library, one.policy) == PLAIN)
    for one in (*(best(found, library) for library in ("river", "mabwiser", "vowpalwabbit")), plain, best(found, "hedgerow")):
        mean = one.lost.mean(axis=0)
        half = Z90 * one.lost.std(axis=0, ddof=1) / np.sqrt(len(one.lost))
        rounds = np.arange(1, mean.size + 1)
        chosen = "" if one.library == "hedgerow" else " (best of 4 settings in hindsight)"
        label = f"{NAMES[one.library]} {versions[one.library]}, {one.policy}{chosen}"
        axis.plot(rounds, mean, color=COLOURS[one.library], linestyle="--" if one is plain else "-", label=label, linewidth=2)
        axis.fill_between(rounds, mean - half, mean + half, color=COLOURS[one.library], alpha=0.15, linewidth=0)
    axis.set(xlabel="decisions", ylabel="clicks lost against the best ad", xlim=(0, mean.size), ylim=(0, MOST_SHOWN * mean.size))
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=9, loc="upper left")
    axis.set_title(
        f"40 ads about 8 topics, a log of 1500 old showings; {said}; thin lines: their other settings", fontsize=8, loc="left"
    )
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main()
