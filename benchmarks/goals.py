"""The goals: what is compared with what, and what must come out."""

from collections.abc import Callable
from dataclasses import dataclass

from results import Results

LINUCB_PEERS = ("mabwiser", "contextualbandits", "paretobandit")
UNITS = {"times": " x", "bytes": " bytes", "exponent": ""}


@dataclass(frozen=True)
class Goal:
    """``measure`` must come out at least, or at most, at ``bound``."""

    work: str
    against: str
    bound: float
    at_least: bool
    measure: Callable[[Results], float | None]
    profiled: str = ""
    unit: str = "times"

    def met(self, value: float) -> bool:
        """Whether a value reaches the goal."""
        return value >= self.bound if self.at_least else value <= self.bound


def faster(text: str, work: str, peer: str, bound: float, *, peer_work: str = "") -> Goal:
    """hedgerow is at least ``bound`` times as fast as a peer."""
    return Goal(text, peer, bound, True, lambda r: r.ratio((peer_work or work, peer), (work, "hedgerow")), work)


def within(text: str, work: str, against: str, bound: float) -> Goal:
    """hedgerow takes at most ``bound`` times as long as the code written by hand."""
    return Goal(text, against, bound, False, lambda r: r.ratio((work, "hedgerow"), (work, "bare")), work)


def _batch(results: Results) -> float | None:
    ratios = [results.ratio(("select_many", peer), ("select_many", "hedgerow")) for peer in LINUCB_PEERS]
    known = [ratio for ratio in ratios if ratio is not None]
    return min(known) if known else None


def _state(results: Results) -> float | None:
    answer = results.last("state", "hedgerow")
    return answer["bytes"] if answer else None


SMALL = "LinUCB round through the public interface, K=100 d=5"
WIDE = "LinUCB round through the public interface, K=1000 d=50"
UNPRUNED = "scores of K=1000 d=50 without pruning"
FLAT = "LinUCB round through the public interface, K=10,000 d=20, flat"
DEEP = "LinUCB round through the public interface, K=10,000 d=20, two levels with 100 clusters"
MILLION = "exact UCB, K=10^6, whole-trial simulation"
HIERARCHY = "HierLinUCB whole-trial simulation of 10,000 rounds, K=100 C=10 d=5"
PAIR = ("hierlinucb", "hlinucbc")

GOALS = (
    faster(SMALL, "linucb-100-5", "mabwiser", 1000.0),
    faster(SMALL, "linucb-100-5", "paretobandit", 30.0),
    within(SMALL, "linucb-100-5", "bare compiled loop", 2.0),
    faster(WIDE, "linucb-1000-50", "paretobandit", 20.0),
    Goal(UNPRUNED, "bound by memory (large array)", 1.5, False, lambda r: r.over_bound("memory")),
    Goal(UNPRUNED, "bound by cache (array of the same size)", 1.5, False, lambda r: r.over_bound("memory-estimate")),
    faster(FLAT, "linucb-10000-20", "paretobandit", 100.0),
    faster(DEEP, "linucb-10000-20-clusters", "paretobandit", 1000.0, peer_work="linucb-10000-20"),
    faster("UCB round through the public interface, K=100", "ucb-100", "smpybandits", 10.0),
    faster("UCB round through the public interface, K=10,000", "ucb-10000", "smpybandits", 50.0),
    within(MILLION, "drawn-1000000", "vectorised NumPy scan", 0.002),
    Goal(MILLION + ", growth from K=10^2 on", "K^0.2", 0.2, False, lambda r: r.exponent("arms", "UCB", 100.0), unit="exponent"),
    within("HUCBC whole-trial simulation, K=100 C=10", "trial-hucbc", "hand-written Numba loop", 1.3),
    within("HLinUCBC whole-trial simulation, K=100 C=10 d=5", "trial-hlinucbc", "hand-written Numba loop", 1.3),
    Goal(HIERARCHY, "HLinUCBC", 3.0, False, lambda r: r.ratio(*((f"trial-{name}-10000", "hedgerow") for name in PAIR))),
    faster("fit of 10^6 logged rows, d=10, K=100", "fit", "mabwiser", 5.0),
    Goal("select_many, 10,000 contexts, K=100 d=20", "fastest LinUCB peer", 4.0, True, _batch, "select_many"),
    Goal("state of K=10^6 arms without context, per arm", "100 bytes", 100.0, False, _state, unit="bytes"),
)
