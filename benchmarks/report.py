"""docs/benchmarks.md, from what was measured."""

import os
import platform
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from goals import GOALS, UNITS, Goal
from results import Results, shown, time_shown
from work import NOISE, SEED, WORKS

SAME = {
    "bare": "the same algorithm, written by hand",
    "mabwiser": "the same algorithm",
    "paretobandit": "the same algorithm",
    "contextualbandits": "the same algorithm",
    "smpybandits": "the same algorithm, its t set one ahead",
    "river": "adds the noise's variance to the bonus: other arms are expected",
    "vowpalwabbit": "epsilon-greedy over gradient steps: another algorithm, other arms are expected",
}

TIED = ", but without a log all arms tie at first, and it breaks ties at random"

WHY = {
    "linucb-100-5": "The bare loop has no calls to pay for. Here about half of a round is Python: checks, a copy of the context,"
    " the decision. A fifth is the handing over of four arrays to choose and six to learn, before any compiled code runs.",
    "ucb-100": "Scoring the arms is about a fifth of a round. The two calls into compiled code take a quarter, even if there are"
    " two arms only, and checks and the decision more than half: a tenth of the peer's time is less than those alone.",
    "ucb-10000": "About a third of a round repairs the tournament after the last play; the rest is as in `ucb-100`, with nine"
    " arrays to hand over in place of four to choose, and eight in place of three to learn.",
}
"""What a profile by function does not say."""

INTRODUCTION = """# Benchmarks

Written by `make bench`, {date}. {machine}; Python {python}.{quick}

{repeats} repetitions, interleaved: in each, every library does each work in turn. One thread; CPU time, without set-up and
without compilation, which a run on tiny numbers beforehand takes care of.
A ratio is the median of the ratios within the repetitions, a time is a median. Seed {seed}.
"""

METHOD = f"""## What was done

- **LinUCB**: alpha 1, lambda 1; arm k pays theta_k'x plus noise of {NOISE:g}; contexts and theta are normal, theta of length
  about 1. Every library starts from the same log with 2 d rounds of each arm (set-up, not timed), then plays online: choose,
  learn the reward, choose again. "Cold" means without that log. Slow libraries play the first rounds of what the fast ones play.
- **Pruning** lives on that log: it rules out arms whose scores are known well enough. `linucb-1000-50-cold` shows the rounds
  before there is anything to rule out, where the ratios to peers are much smaller.
- **The loop around the calls**: two Python calls a round for the peers, one for hedgerow (0.1 to 0.3 us), none for the bare loop.
  ParetoBandit has no fit, so the log is put into its matrices. SMPyBandits needs the older NumPy and SciPy of peers.txt.
- **Batches**: the time ends with a list of arms, which is what the peers return; hedgerow's decisions are made when looked at.
- **Two levels**: `HLinUCBC` with arms dealt to the clusters in turn, against the same flat peer.
- **UCB**: every arm has been played once before; arm k pays 2 mean_k u, u uniform.
- **Whole trials**: `hedgerow.play` in compiled code, on the paper's problems. With a million arms rewards are made on the way;
  "played once" starts from a history of one play per arm, and the NumPy scan computes the same index. Time per round is that
  after the first choice, which sets up the tournament and is given apart.
- **Memory bound**: the bytes of theta and packed inverse of all arms, over the bandwidth of a dot product of a large
  array with itself.
- **State**: what tracemalloc counts after `hr.UCB(range(K))`, per arm.
"""


def write(path: Path, results: Results, versions: Mapping[str, str], *, repeats: int, quick: bool) -> None:
    """Write the page."""
    head = INTRODUCTION.format(
        date=date.today().isoformat(),
        machine=machine(),
        python=platform.python_version(),
        repeats=repeats,
        quick=" A quick run: all works are cut down, and the numbers mean nothing." if quick else "",
        seed=SEED,
    )
    parts = [head, _goals(results), _times(results), _bound(results), _agreement(results), _growth(results)]
    parts += [_profiles(results), METHOD, _versions(versions)]
    path.write_text("\n".join(part for part in parts if part))


def machine() -> str:
    """Processor and number of cores."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores, {platform.system()}"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    heads = list(head)
    lines = [heads, ["---"] * len(heads), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _goals(results: Results) -> str:
    rows = [(goal.work, goal.against, _bound_shown(goal), *_outcome(goal, goal.measure(results))) for goal in GOALS]
    return "## Goals\n\n" + table(("work", "against", "goal", "measured", ""), rows)


def _bound_shown(goal: Goal) -> str:
    sign = ">=" if goal.at_least else "<="
    faster = " as fast" if goal.at_least else " the time" if goal.unit == "times" else ""
    return f"{sign} {shown(goal.bound)}{UNITS[goal.unit]}{faster}"


def _outcome(goal: Goal, value: float | None) -> tuple[str, str]:
    """The value, and whether it is good enough."""
    if value is None:
        return "not measured", ""
    off = goal.bound / value if goal.at_least else value / goal.bound
    return f"{shown(value)}{UNITS[goal.unit]}", "met" if goal.met(value) else f"missed by a factor of {off:.2f}"


def _times(results: Results) -> str:
    rows = []
    for work in WORKS:
        for library in work.rounds if work.kind not in ("state", "memory") else ():
            seconds = results.seconds(work.name, library)
            ratio = results.ratio((work.name, library), (work.name, "hedgerow"))
            rows.append(
                (
                    work.name,
                    library,
                    time_shown(seconds) if seconds is not None else results.error(work.name, library),
                    shown(ratio) if ratio is not None else "",
                )
            )
    text = "## Times\n\nPer round; for `fit` per fit.\n\n" + table(("work", "library", "time", "over hedgerow"), rows)
    return text + _first_choices(results)


def _first_choices(results: Results) -> str:
    """What the first choice among a million arms takes, which sets up the tournament."""
    lines = []
    for work in WORKS:
        answer = results.last(work.name, "hedgerow") if work.kind == "drawn" else None
        if answer:
            lines.append(f"The first choice of `{work.name}` takes hedgerow {time_shown(answer['first'])}.\n")
    return "\n" + "".join(lines) if lines else ""


def _bound(results: Results) -> str:
    """The kernel against the bandwidth of memory, and of an array that lies in the cache as the kernel's may."""
    names = {"memory": "large array", "memory-estimate": "array of the kernel's size"}
    rows = []
    for work, text in names.items():
        bandwidth, over = results.bandwidth(work), results.over_bound(work)
        if bandwidth and over:
            rows.append((text, f"{bandwidth / 1e9:.1f} GB/s", f"{over:.2f}"))
    text = "## Physical bound\n\nScores of 1000 arms with 50 features, none left out, over the time to read what they need.\n"
    text += "Below 1, they were read from the cache, and the bandwidth of a large array is no bound.\n\n"
    return text + table(("bandwidth of", "read at", "kernel over bound"), rows) if rows else ""


def _agreement(results: Results) -> str:
    rows = []
    for work in WORKS:
        for library in work.rounds:
            agreement = results.agreement(work.name, library) if library != "hedgerow" else None
            if agreement:
                tied = TIED if work.parameters.get("logged") == 0 and library == "paretobandit" else ""
                rows.append((work.name, library, f"{agreement[0]} of {agreement[1]}", SAME[library] + tied))
    text = "## Same arms\n\nRounds in which the library chose the same arm as hedgerow.\n\n"
    return text + table(("work", "library", "equal", "why"), rows)


def _growth(results: Results) -> str:
    if not results.curves:
        return ""
    rows = []
    for (panel, curve), points in results.curves.items():
        exponent = results.exponent(panel, curve, 100.0 if panel == "arms" else 0.0)
        path = ", ".join(f"{x:g}: {time_shown(y)}" for x, y in points)
        rows.append((panel, curve, "" if exponent is None else f"{exponent:.2f}", path))
    text = "## Growth\n\n![Time per round against arms, features and rounds](benchmarks-growth.png)\n\n"
    text += "Whole trials in compiled code; HUCBC has sqrt(K) clusters. Exponents against K are fitted from 100 arms on;\n"
    text += "the first point against T holds the set-up of the tournament.\n\n"
    return text + table(("against", "policy", "exponent", "time per round"), rows)


def _profiles(results: Results) -> str:
    """Where the time goes in works that miss a goal."""
    parts = []
    for name in dict.fromkeys(goal.profiled for goal in GOALS):
        answer = results.last(name, "profile")
        if answer:
            lines = [(f"`{function}`", f"{share:.0%}") for function, share in answer["profile"]]
            parts.append(f"`{name}`, share of the time by function (measuring adds to small ones):\n\n")
            parts.append(table(("function", "share"), lines) + "\n")
            parts.append(f"{WHY[name]}\n\n" if name in WHY else "")
    return "## Profiles of missed goals\n\n" + "".join(parts) if parts else ""


def _versions(versions: Mapping[str, str]) -> str:
    rows = [(library, text) for library, text in versions.items() if library != "bare"]
    return "## Versions\n\n" + table(("library", "version"), rows)
