"""Each claim of the paper as a comparison of what was measured; the verdicts are computed, never written down."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np

from ..result import Difference, Simulation, interval
from .claim import Check, Claim, above_zero, best, control, follows, follows_control, gain, horizons, worst
from .panels import MANY_PASSES, META_OWN, ONE_PASS
from .theorem_claims import theorems

Results: TypeAlias = Mapping[str, Simulation]
METAS = ("META", META_OWN)
LITTLE_SAVED, SIMILAR_REWARD, SIMILAR_REGRET = 0.2, 0.05, 0.15
"""What counts as little, and as similar: shares of a regret or of a reward."""


def classical(results: Results) -> list[Claim]:
    """The claims of figure (a).

    Args:
        results: the simulation of each panel.

    Returns:
        The claims.
    """
    a = results["a"]
    times = {f"T = {at}": at for at in horizons(a, (1000, a.rounds))}
    return [
        Claim(
            "a",
            "HUCBC is best",
            tuple(best(setting, a, "HUCBC", ("UCB", "HUCB", "UCBC"), at) for setting, at in times.items()),
            tuple(control(setting, a, "HUCBC", at) for setting, at in times.items()),
        ),
        Claim(
            "a",
            "History improves HUCB over UCB only to a small degree",
            tuple(
                Check(f"{setting}, small is under {LITTLE_SAVED:.0%}", *_saved(a, "HUCB", "UCB", at), below=LITTLE_SAVED)
                for setting, at in times.items()
            ),
        ),
        Claim(
            "a",
            "History improves HUCBC over UCBC to a larger degree than HUCB over UCB",
            tuple(
                above_zero(setting, difference)
                for setting, at in times.items()
                for difference in (_more(a, at), _more_share(a, at))
            ),
        ),
        Claim(
            "a",
            "META quickly learns to follow HUCBC",
            tuple(follows(setting, a, meta, "HUCBC", at) for meta in METAS for setting, at in times.items()),
            tuple(follows_control(setting, a, meta, "HUCBC", at) for meta in METAS for setting, at in times.items()),
        ),
    ]


def _saved(result: Simulation, policy: str, other: str, at: int) -> Difference:
    lost = result.of(other, "regret", at=at)
    return interval(f"share of {other}'s regret that {policy} saves", (lost - result.of(policy, "regret", at=at)) / lost)


def _more(result: Simulation, at: int) -> Difference:
    regret = {policy: result.of(policy, "regret", at=at) for policy in ("UCB", "HUCB", "UCBC", "HUCBC")}
    more = (regret["UCBC"] - regret["HUCBC"]) - (regret["UCB"] - regret["HUCB"])
    return interval("(HUCBC - UCBC) - (HUCB - UCB), expected reward per round", more / result.at[result.point(at)])


def _more_share(result: Simulation, at: int) -> Difference:
    regret = {policy: result.of(policy, "regret", at=at) for policy in ("UCB", "HUCB", "UCBC", "HUCBC")}
    share = (1.0 - regret["HUCBC"] / regret["UCBC"]) - (1.0 - regret["HUCB"] / regret["UCB"])
    return interval("share of UCBC's regret saved by HUCBC, less that of UCB's by HUCB", share)


def contextual(results: Results) -> list[Claim]:
    """The claims of figure (b).

    Args:
        results: the simulation of each panel.

    Returns:
        The claims.
    """
    b = results["b"]
    setting = f"eps = 0.1, T = {b.rounds}, {b.trials} trials"
    similar = []
    for measure, limit in (("reward", SIMILAR_REWARD), ("regret", SIMILAR_REGRET)):
        one, other = b.of("HLinUCB", measure), b.of("LinUCBC", measure)
        apart = interval(
            f"{measure} of HLinUCB less that of LinUCBC, as a share of the larger", (one - other) / np.maximum(one, other)
        )
        similar.append(Check(f"{setting}, similar is within {limit:.0%}", *apart, above=-limit, below=limit))
    return [
        Claim(
            "b",
            "HLinUCBC is best",
            (best(setting, b, "HLinUCBC", ("LinUCB", "HLinUCB", "LinUCBC")),),
            (control(setting, b, "HLinUCBC"),),
        ),
        Claim(
            "b",
            "META follows HLinUCBC",
            tuple(follows(setting, b, meta, "HLinUCBC") for meta in METAS),
            tuple(follows_control(setting, b, meta, "HLinUCBC") for meta in METAS),
        ),
        Claim("b", "HLinUCB and LinUCBC are similar", tuple(similar)),
        Claim("b", "LinUCB is worst", (worst(setting, b, "LinUCB", ("HLinUCB", "LinUCBC", "HLinUCBC")),)),
    ]


def radii(results: Results) -> list[Claim]:
    """The claims of figure (c).

    Args:
        results: the simulation of each panel.

    Returns:
        The claims.
    """
    panels = {f"eps = {eps}, T = {results[key].rounds}": results[key] for eps, key in _PANELS_BY_RADIUS.items()}
    beside = [f"{setting}: {gain(result, 'HLinUCBC', 'HLinUCB')}" for setting, result in panels.items()]
    return [
        Claim(
            "c",
            "HLinUCBC is above LinUCBC for every eps",
            tuple(above_zero(setting, gain(result, "HLinUCBC", "LinUCBC")) for setting, result in panels.items()),
            tuple(control(setting, result, "HLinUCBC") for setting, result in panels.items()),
            note=f"Beside it, against history without clusters. {'; '.join(beside)}.",
        )
    ]


_PANELS_BY_RADIUS = {"0.1": "b", "0.8": "c 0.8", "3.2": "c 3.2"}


def _each_latency(results: Results, letter: str, check: Callable[[str, Simulation, int], Check]) -> tuple[Check, ...]:
    """A check in every panel of a latency figure, at both horizons."""
    return tuple(
        check(f"{key[2:]}, T = {at}", result, at)
        for key, result in results.items()
        if key.startswith(f"{letter} ")
        for at in horizons(result, (ONE_PASS, MANY_PASSES, result.rounds))
    )


def _meta_latency(results: Results, letter: str, expert: str, text: str, note: str = "") -> Claim:
    """META's share of an expert in every panel of a latency figure, learning either way."""

    def each(check: Callable[..., Check]) -> tuple[Check, ...]:
        parts = [_each_latency(results, letter, partial(_about, check, meta, expert)) for meta in METAS]
        return tuple(one for part in parts for one in part)

    return Claim(letter, text, each(follows), each(follows_control), note)


def _about(check: Callable[..., Check], meta: str, expert: str, setting: str, result: Simulation, at: int) -> Check:
    return check(setting, result, meta, expert, at)


def good_clusters(results: Results) -> list[Claim]:
    """The claims of figure (d).

    Args:
        results: the simulation of each panel.

    Returns:
        The claims.
    """
    rivals = ("UCB", "HUCB", "UCBC")
    return [
        Claim(
            "d",
            "HUCBC is best under good clustering",
            _each_latency(results, "d", lambda setting, r, at: best(setting, r, "HUCBC", rivals, at)),
            _each_latency(results, "d", lambda setting, r, at: control(setting, r, "HUCBC", at)),
        ),
        Claim(
            "d",
            "Clustering alone beats history alone: UCBC is above HUCB",
            _each_latency(results, "d", lambda setting, r, at: above_zero(setting, gain(r, "UCBC", "HUCB", at))),
            _each_latency(results, "d", lambda setting, r, at: control(setting, r, "UCBC", at)),
        ),
        _meta_latency(results, "d", "HUCBC", "META follows HUCBC"),
    ]


def poor_clusters(results: Results) -> list[Claim]:
    """The claims of figure (e).

    Args:
        results: the simulation of each panel.

    Returns:
        The claims.
    """
    by_domain = any(key.startswith("e domain") for key in results)
    note = "" if by_domain else "The data at hand lacks the URLs: random clusters stand in for those by domain name."
    kept = [_kept_to_one(key[2:], result) for key, result in results.items() if key.startswith("e ")]
    return [
        Claim(
            "e",
            "HUCB is above HUCBC under poor clustering",
            _each_latency(results, "e", lambda setting, r, at: above_zero(setting, gain(r, "HUCB", "HUCBC", at))),
            _each_latency(results, "e", lambda setting, r, at: control(setting, r, "HUCBC", at)),
            note=note,
        ),
        _meta_latency(results, "e", "HUCB", "META follows HUCB", note=f"{'; '.join(kept)}."),
    ]


def _kept_to_one(setting: str, result: Simulation) -> str:
    """In how many trials META had one favourite nearly throughout: a sign that its bonus is small beside the rewards."""
    share = result.share("META", "HUCBC")
    kept = int(((share > 0.95) | (share < 0.05)).sum())
    return f"{setting}: META kept to one expert in 95 % of the rounds in {kept} of {result.trials} trials"


def warfarin(results: Results) -> list[Claim]:
    """The claims of figure (f).

    Args:
        results: the simulation of each panel.

    Returns:
        The claims.
    """
    panels = {
        f"history of {reading} doses, T = {results[f'f {reading}'].rounds}": results[f"f {reading}"]
        for reading in _HISTORY_READINGS
    }
    return [
        Claim(
            "f",
            "HLinUCBC is best",
            tuple(best(setting, result, "HLinUCBC", ("LinUCB", "HLinUCB", "LinUCBC")) for setting, result in panels.items()),
            tuple(control(setting, result, "HLinUCBC") for setting, result in panels.items()),
        ),
        Claim(
            "f",
            "META follows HLinUCBC",
            tuple(follows(s, r, meta, "HLinUCBC") for s, r in panels.items() for meta in METAS),
            tuple(follows_control(s, r, meta, "HLinUCBC") for s, r in panels.items() for meta in METAS),
        ),
        Claim(
            "f",
            "History is worth more than clusters: HLinUCB is above LinUCBC",
            tuple(above_zero(setting, gain(result, "HLinUCB", "LinUCBC")) for setting, result in panels.items()),
        ),
    ]


_HISTORY_READINGS = ("random", "true")


CLAIMS: dict[str, Callable[[Results], list[Claim]]] = {
    "a": classical,
    "b": contextual,
    "c": radii,
    "d": good_clusters,
    "e": poor_clusters,
    "f": warfarin,
    "bounds": theorems,
}
