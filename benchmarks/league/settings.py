"""Settings by name: a few words that say what differs from the paper's synthetic bandits.

Classical: labels first (tight, loose, shuffled, shuffled-loose, adversarial), then any of bernoulli, gaussian, no-history,
history (plays for all arms), biased (the same, off by 0.5), swapped (100 plays an arm, those of another arm), K=20 or another
number of arms, in about as many clusters as its root, T=1000 or another number of rounds, delay=1000: rewards so late.
Contextual: noise first (paper, gauss1, gauss.3, logistic), then eps=0.1, shuffled, uneven, no-history, swapped, units (a 1, and
numbers in units of their own), levels (arms have some, contexts no 1), d=20, T=, delay=.
Rare: rare (ten ads that pay .1 to .01 of the time), then groups=3 (useless ones), T=, delay=.
Recorded: warfarin or warfarin-raw, then T=, delay=.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.league.rates import Rates
from hedgerow.experiments.datasets import warfarin
from hedgerow.experiments.problems import Problem, SyntheticClassical, SyntheticContextual, WarfarinDosing

LABELS: dict[str, dict[str, Any]] = {
    "tight": {"alpha": (0.8, 1.2)},
    "loose": {"alpha": (0.5, 1.5)},
    "shuffled": {"alpha": (0.8, 1.2), "labels": "shuffled"},
    "shuffled-loose": {"alpha": (0.5, 1.5), "labels": "shuffled"},
    "adversarial": {"alpha": (0.5, 1.5), "labels": "adversarial"},
}
NOISES: dict[str, dict[str, Any]] = {
    "paper": {"noise": "uniform"},
    "gauss1": {"noise": "gaussian", "sd": 1.0},
    "gauss.3": {"noise": "gaussian", "sd": 0.3},
    "logistic": {"noise": "logistic"},
}
CLASSICAL_WORDS: dict[str, dict[str, Any]] = {
    "bernoulli": {"noise": "bernoulli"},
    "gaussian": {"noise": "gaussian"},
    "no-history": {"history_share": 0.0},
    "history": {"history_share": 1.0},
    "biased": {"history_share": 1.0, "bias": 0.5},
    "swapped": {"history_share": 1.0, "history_mean": 100.0, "swapped": True},
    "uniform": {"noise": "uniform"},
    "K=1000": {"arms": 1000, "clusters": 30},
}
CONTEXTUAL_WORDS: dict[str, dict[str, Any]] = {
    "shuffled": {"labels": "shuffled"},
    "uneven": {"sizes": "uneven"},
    "no-history": {"history_share": 0.0},
    "swapped": {"history_mean": 100.0, "swapped": True},
    "units": {"units": True},
    "levels": {"levels": True},
}
RECORDED = ("warfarin", "warfarin-raw")
RARE = ("rare", "rare groups=2", "rare groups=3", "rare groups=5")

_FACTORS = ("bernoulli", "gaussian", "no-history", "biased", "K=20", "K=50", "K=1000", "T=1000", "T=30000", "T=100000")
CLASSICAL = (
    *LABELS,
    *(f"{labels} {factor}" for factor in _FACTORS for labels in ("tight", "shuffled", "adversarial")),
    "loose history",
    "loose biased",
    "adversarial no-history bernoulli",
    "shuffled-loose T=100000",
)
LIES = (
    *(f"{labels} swapped" for labels in LABELS),
    *(f"{noise} eps={eps} swapped" for noise, eps in (("paper", "0.1"), ("gauss1", "0.8"), ("logistic", "0.8"))),
)
SHOWN = tuple(
    f"{setting} {shown}"
    for shown in ("units", "levels")
    for setting in ("paper eps=0.1", "gauss1 eps=0.8", "logistic eps=0.8", "gauss1 eps=0.8 no-history")
)
LATE = ("tight delay=1000", "shuffled delay=1000", "shuffled no-history delay=1000", "paper eps=0.1 delay=1000")
CONTEXTUAL = (
    *(f"paper eps={eps}" for eps in ("0.1", "0.8", "3.2", "0.1 shuffled", "0.8 shuffled", "3.2 shuffled")),
    *(f"gauss1 eps={eps}" for eps in ("0.1", "0.8", "3.2", "0.1 shuffled", "0.8 shuffled")),
    *(f"logistic eps={eps}" for eps in ("0.1", "0.8", "3.2", "0.1 shuffled", "0.8 shuffled")),
    *(f"gauss.3 eps={eps}" for eps in ("0.1", "0.8", "3.2", "0.8 shuffled")),
    *(f"{noise} eps=0.8 {word}" for word in ("uneven", "no-history", "T=1000") for noise in ("paper", "gauss1", "logistic")),
    "paper eps=0.1 no-history",
    "paper eps=0.1 T=1000",
    "gauss1 eps=0.1 T=1000",
    "gauss1 eps=0.8 d=20",
    "paper eps=0.1 d=20",
    "gauss1 eps=0.1 shuffled d=20",
    "paper eps=0.8 shuffled d=20",
    "logistic eps=0.8 d=20",
    "gauss1 eps=0.8 d=50",
    "paper eps=0.8 d=50",
    "gauss1 eps=0.8 shuffled d=50",
)


@dataclass(frozen=True)
class Setting:
    """A named problem with its rounds and trials."""

    name: str
    problem: Problem
    rounds: int
    trials: int
    delay: int = 0

    @property
    def contextual(self) -> bool:
        return self.problem.dimension is not None

    @property
    def lying(self) -> bool:
        """Whether a policy without history is a reference too."""
        return bool(getattr(self.problem, "swapped", False))

    @property
    def heavy(self) -> bool:
        """Whether a round, or a trial, takes so long that only Auto and its references play."""
        arms = getattr(self.problem, "arms", 15)
        return self.rounds * arms > 3_000_000 or (self.problem.dimension or 0) * arms > 1_000 or self.delay > 0


def setting(name: str, *, data: str | None = None) -> Setting:
    """The setting of a name.

    >>> setting("tight bernoulli K=20").problem.arms
    20
    """
    first, *words = name.split() or [""]
    if first in LABELS:
        return _classical(name, SyntheticClassical(**LABELS[first]), words)
    if first in NOISES:
        return _contextual(name, SyntheticContextual(**NOISES[first]), words)
    if first in RECORDED:
        problem = WarfarinDosing(warfarin(data), unit_norm=first == "warfarin")
        return _sized(name, problem, words, rounds=problem.longest, trials=30)
    if first == "rare":
        return _rare(name, words)
    known = ", ".join((*LABELS, *NOISES, *RECORDED, "rare"))
    raise ValueError(f"a setting begins with one of {known}; got {name!r}")


def _classical(name: str, problem: SyntheticClassical, words: list[str]) -> Setting:
    chosen, left = [], []
    for word in words:
        if word in CLASSICAL_WORDS:
            chosen.append(CLASSICAL_WORDS[word])
        elif word.startswith("K="):
            arms = _whole(word, least=2)
            chosen.append({"arms": arms, "clusters": math.isqrt(arms)})
        else:
            left.append(word)
    made = _sized(name, _changed(name, problem, chosen), left, rounds=10_000, trials=200)
    return replace(made, trials=60) if made.heavy else made


def _rare(name: str, words: list[str]) -> Setting:
    groups = [word for word in words if word.startswith("groups=")]
    if len(groups) > 1:
        raise ValueError(f"two words of the setting {name!r} contradict each other")
    left = [word for word in words if word not in groups]
    return _sized(name, Rates(groups=_whole(groups[0]) if groups else 0), left, rounds=20_000, trials=200)


def _changed(name: str, problem: Any, chosen: list[dict[str, Any]]) -> Any:
    """The problem with what its words say, each of something else."""
    keys = [key for words in chosen for key in words]
    if len(set(keys)) < len(keys):
        raise ValueError(f"two words of the setting {name!r} contradict each other")
    return replace(problem, **{key: value for words in chosen for key, value in words.items()})


def _contextual(name: str, problem: SyntheticContextual, words: list[str]) -> Setting:
    chosen, left = [], []
    for word in words:
        if word in CONTEXTUAL_WORDS:
            chosen.append(CONTEXTUAL_WORDS[word])
        elif word.startswith("eps="):
            chosen.append({"eps": _number(word)})
        elif word.startswith("d="):
            chosen.append({"dimension": _whole(word)})
        else:
            left.append(word)
    return _sized(name, _changed(name, problem, chosen), left, rounds=10_000, trials=30)


def _sized(name: str, problem: Problem, words: list[str], *, rounds: int, trials: int) -> Setting:
    """What is left of a name: the rounds, and how late rewards come."""
    left = {"T": rounds, "delay": 0}
    for word in words:
        key = word.partition("=")[0]
        if key not in left or "=" not in word:
            raise ValueError(f"{word!r} means nothing in the setting {name!r}; see hedgerow league --help")
        left[key] = _whole(word)
    if len({word.partition("=")[0] for word in words}) < len(words):
        raise ValueError(f"two words of the setting {name!r} contradict each other")
    return Setting(name, problem, left["T"], trials, left["delay"])


def _number(word: str) -> float:
    try:
        value = float(word.partition("=")[2])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{word!r} must have a number after the equals sign")
    return value


def _whole(word: str, *, least: int = 1) -> int:
    value = _number(word)
    if value < least or value != int(value):
        raise ValueError(f"{word!r} must have a whole number of at least {least} after the equals sign")
    return int(value)
