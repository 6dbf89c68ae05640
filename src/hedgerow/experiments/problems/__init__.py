"""Bandit problems: what all policies of a trial face.

A problem deals out trials. A trial holds the rewards of all arms in all rounds, so that every policy of the trial
meets the same draws, and the expected rewards, by which regret is counted.
"""

from .from_log import FromLog
from .recorded import CLUSTERINGS, WarfarinDosing, WebLatency
from .synthetic import SyntheticClassical, SyntheticContextual, TightBernoulli
from .trial import Problem, Trial

__all__ = [
    "CLUSTERINGS",
    "FromLog",
    "Problem",
    "SyntheticClassical",
    "SyntheticContextual",
    "TightBernoulli",
    "Trial",
    "WarfarinDosing",
    "WebLatency",
]
