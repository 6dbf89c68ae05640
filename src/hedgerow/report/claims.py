"""Each claim of the paper as a comparison of what was measured; the verdicts are computed, never written down."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np

from ..result import Difference, Simulation, interval
from . import theory
from .experiments import LONG, OWN, SHORT

Results: TypeAlias = Mapping[str, Simulation]
SIMILAR = 0.15
"""Two regrets are called similar if they differ by less than this share of the larger."""


@dataclass(frozen=True)
class Check:
    """A claim in one setting: the number that decides it, its 95 % interval over trials, and whether it holds."""

    setting: str
    what: str
    value: float
    low: float
    high: float
    holds: bool


@dataclass(frozen=True)
class Claim:
    """A statement of the paper and the settings in which it was looked at."""

    figure: str
    text: str
    checks: tuple[Check, ...]
    note: str = ""

    @property
    def verdict(self) -> str:
        held = sum(check.holds for check in self.checks)
        return "holds" if held == len(self.checks) else "holds under stated settings" if held else "does not hold"

    def as_dict(self) -> dict[str, Any]:
        """For claims.json."""
        return {**asdict(self), "verdict": self.verdict}


def above_zero(setting: str, difference: Difference) -> Check:
    """Holds if the whole interval lies above 0."""
    return Check(setting, difference.what, difference.mean, difference.low, difference.high, difference.low > 0.0)


def gain(result: Simulation, policy: str, other: str, at: int | None = None) -> Difference:
    """Expected reward per 1000 rounds that a policy earns more than another, paired over trials."""
    rounds = int(result.at[result.point(at)])
    less_regret = result.of(other, "regret", at=at) - result.of(policy, "regret", at=at)
    return interval(f"{policy} - {other}, expected reward per round", less_regret / rounds)


def best(setting: str, result: Simulation, policy: str, others: Iterable[str], at: int | None = None) -> Check:
    """Holds if the policy earns more than each of the others; the closest one is shown."""
    differences = [gain(result, policy, other, at) for other in others]
    return above_zero(setting, min(differences, key=lambda difference: difference.mean))


def follows(setting: str, result: Simulation, meta: str, expert: str, at: int | None = None) -> Check:
    """Holds if META followed the expert in most rounds."""
    share = interval(f"share of rounds with {expert}, less one half", result.share(meta, expert, at=at) - 0.5)
    return above_zero(f"{setting}, {'experts learn from their own rounds' if meta == OWN else 'shared rounds'}", share)


def horizons(result: Simulation, wanted: Iterable[int]) -> list[int]:
    """Those of the wanted horizons that the simulation reached, or its last round."""
    reached = [T for T in wanted if result.rounds >= T]
    return reached or [result.rounds]


def classical(results: Results) -> list[Claim]:
    """Figure (a)."""
    a = results["a"]
    times = horizons(a, (1000, a.rounds))

    def more(at: int) -> Difference:
        with_clusters = a.of("UCBC", "regret", at=at) - a.of("HUCBC", "regret", at=at)
        without = a.of("UCB", "regret", at=at) - a.of("HUCB", "regret", at=at)
        per = 1.0 / a.at[a.point(at)]
        return interval("(HUCBC - UCBC) - (HUCB - UCB), expected reward per round", per * (with_clusters - without))

    def little(at: int) -> Check:
        lost = a.of("UCB", "regret", at=at)
        saved = interval("share of UCB's regret that HUCB saves", (lost - a.of("HUCB", "regret", at=at)) / lost)
        return Check(f"T = {at}, little is under 20 %", *saved, holds=saved.low > 0.0 and saved.high < 0.2)

    return [
        Claim(
            "a",
            "HUCBC is best",
            tuple(best(f"T = {at}", a, "HUCBC", ("UCB", "HUCB", "UCBC"), at) for at in times),
            note=_control(a, "HUCBC", "HUCB"),
        ),
        Claim("a", "History improves HUCB over UCB only to a small degree", tuple(little(at) for at in times)),
        Claim(
            "a",
            "History improves HUCBC over UCBC to a larger degree than HUCB over UCB",
            tuple(above_zero(f"T = {at}", more(at)) for at in times),
        ),
        Claim(
            "a",
            "META quickly learns to follow HUCBC",
            tuple(follows(f"T = {at}", a, meta, "HUCBC", at) for meta in ("META", OWN) for at in times),
        ),
    ]


def _control(result: Simulation, clustered: str, flat: str) -> str:
    """What shuffled labels do: much of the gain of clusters may come from searching less, whatever the labels say."""
    real, shuffled = gain(result, clustered, flat), gain(result, f"{clustered} shuffled", flat)
    return (
        f"Control: {shuffled.what}: {shuffled.mean:+.3g} ({shuffled.low:+.3g} to {shuffled.high:+.3g}); "
        f"with the true labels {real.mean:+.3g} ({real.low:+.3g} to {real.high:+.3g})."
    )


def contextual(results: Results) -> list[Claim]:
    """Figure (b)."""
    b = results["b"]
    setting = f"eps = 0.1, T = {b.rounds}"
    one, other = b.of("HLinUCB", "regret"), b.of("LinUCBC", "regret")
    apart = interval("(HLinUCB - LinUCBC) / the larger regret", (other - one) / np.maximum(one, other))
    similar = Check(f"{setting}, similar is within {SIMILAR:.0%}", *apart, holds=max(-apart.low, apart.high) < SIMILAR)
    worst = [gain(b, policy, "LinUCB") for policy in ("HLinUCB", "LinUCBC", "HLinUCBC")]
    return [
        Claim(
            "b",
            "HLinUCBC is best",
            (best(setting, b, "HLinUCBC", ("LinUCB", "HLinUCB", "LinUCBC")),),
            note=_control(b, "HLinUCBC", "HLinUCB"),
        ),
        Claim("b", "META follows HLinUCBC", tuple(follows(setting, b, meta, "HLinUCBC") for meta in ("META", OWN))),
        Claim("b", "HLinUCB and LinUCBC are similar", (similar,)),
        Claim("b", "LinUCB is worst", (above_zero(setting, min(worst, key=lambda difference: difference.mean)),)),
    ]


def radii(results: Results) -> list[Claim]:
    """Figure (c)."""
    panels = {"0.1": "b", "0.8": "c 0.8", "3.2": "c 3.2"}
    checks = tuple(
        above_zero(f"eps = {eps}, T = {results[key].rounds}", gain(results[key], "HLinUCBC", "LinUCBC"))
        for eps, key in panels.items()
    )
    wide = results["c 3.2"]
    note = f"But where clusters are wide, history alone is better: {gain(wide, 'HLinUCBC', 'HLinUCB')} at eps = 3.2."
    return [Claim("c", "HLinUCBC is above LinUCBC for every eps", checks, note=note)]


def _each_latency(
    results: Results, letter: str, check: Callable[[str, Simulation, int], Check | list[Check]]
) -> tuple[Check, ...]:
    """A check in every panel of a latency figure, at both horizons."""
    checks: list[Check] = []
    for key, result in results.items():
        if key.startswith(f"{letter} "):
            for at in horizons(result, (SHORT, LONG)):
                found = check(f"{key[2:]}, T = {at}", result, at)
                checks += found if isinstance(found, list) else [found]
    return tuple(checks)


def good_clusters(results: Results) -> list[Claim]:
    """Figure (d)."""
    rivals = ("UCB", "HUCB", "UCBC")
    return [
        Claim(
            "d",
            "HUCBC is best under good clustering",
            _each_latency(results, "d", lambda setting, r, at: best(setting, r, "HUCBC", rivals, at)),
        ),
        Claim(
            "d",
            "Clustering alone beats history alone: UCBC is above HUCB",
            _each_latency(results, "d", lambda setting, r, at: above_zero(setting, gain(r, "UCBC", "HUCB", at))),
        ),
        Claim(
            "d",
            "META follows HUCBC",
            _each_latency(results, "d", lambda s, r, at: [follows(s, r, meta, "HUCBC", at) for meta in ("META", OWN)]),
        ),
    ]


def poor_clusters(results: Results) -> list[Claim]:
    """Figure (e)."""
    by_domain = any(key.startswith("e domain") for key in results)
    note = "" if by_domain else "The data at hand lacks the URLs: random clusters stand in for those by domain name."
    return [
        Claim(
            "e",
            "HUCB is above HUCBC under poor clustering",
            _each_latency(results, "e", lambda setting, r, at: above_zero(setting, gain(r, "HUCB", "HUCBC", at))),
            note=note,
        ),
        Claim(
            "e",
            "META follows HUCB",
            _each_latency(results, "e", lambda s, r, at: [follows(s, r, meta, "HUCB", at) for meta in ("META", OWN)]),
            note="With rewards in milliseconds META's bonus is nothing beside the differences: it keeps to its first impression.",
        ),
    ]


def warfarin(results: Results) -> list[Claim]:
    """Figure (f)."""
    panels = {f"history of {reading} doses": results[f"f {reading}"] for reading in ("random", "true")}
    rivals = ("LinUCB", "HLinUCB", "LinUCBC")
    return [
        Claim(
            "f",
            "HLinUCBC is best",
            tuple(best(setting, result, "HLinUCBC", rivals) for setting, result in panels.items()),
            note=_control(panels["history of random doses"], "HLinUCBC", "HLinUCB"),
        ),
        Claim(
            "f",
            "META follows HLinUCBC",
            tuple(follows(s, r, meta, "HLinUCBC") for s, r in panels.items() for meta in ("META", OWN)),
        ),
        Claim(
            "f",
            "History is worth more than clusters: HLinUCB is above LinUCBC",
            tuple(above_zero(setting, gain(result, "HLinUCB", "LinUCBC")) for setting, result in panels.items()),
        ),
    ]


def logarithmic(setting: str, result: Simulation, policy: str) -> Check:
    """Regret that grows as log T adds the same with every doubling of T; as sqrt(T), 1.41 times as much as the time before."""
    T = result.rounds
    full, half, quarter = (result.of(policy, "regret", at=at) for at in (T, T // 2, T // 4))
    what = f"{policy}: sqrt(2) x the growth of the doubling before the last, less that of the last"
    return above_zero(setting, interval(what, 2**0.5 * (half - quarter) - (full - half)))


def theorems(results: Results) -> list[Claim]:
    """The theorems, on tightly clustered 0/1 rewards and on the contextual bandit."""
    result = results["bounds"]
    setting = f"{result.problem.split(',')[0]}, T = {result.rounds}"
    policies = ("UCB", "HUCB", "UCBC", "HUCBC")
    ridge = theory.ridge_runs(seed=result.seed, trials=min(result.trials, 10), rounds=min(result.rounds, 10_000))
    over = theory.slack(result) + theory.ridge_slack(ridge)
    root = [above_zero(s, difference) for s, difference in theory.fewer_terms()]
    least = interval("log det H, the least of all arms", np.array([run.least_history for run in ridge]))
    return [
        Claim(
            "bounds",
            "The regret is logarithmic in T (here: slower than the square root)",
            tuple(logarithmic(setting, result, policy) for policy in policies),
        ),
        Claim("bounds", "Each bound lies above the measured regret", tuple(above_zero(s, difference) for s, difference in over)),
        Claim("bounds", "Under tight clustering with sqrt(n) clusters HUCBC's bound is below HUCB's", tuple(root)),
        Claim(
            "bounds",
            "det(A_T) / det(H) <= det(A_T)",
            (Check("contextual bandit, eps = 0.1", *least, holds=least.low >= 0.0),),
            note="With the same A_T on both sides; the A_T of LinUCB itself has no history in it.",
        ),
    ]


CLAIMS: dict[str, Callable[[Results], list[Claim]]] = {
    "a": classical,
    "b": contextual,
    "c": radii,
    "d": good_clusters,
    "e": poor_clusters,
    "f": warfarin,
    "bounds": theorems,
}
