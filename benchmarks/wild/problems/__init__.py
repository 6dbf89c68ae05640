"""Random bandit problems with known truth: a distribution to be averaged over, not to be tuned to.

Every factor of a problem has a generator of its own, so factors are independent, and a change to one leaves the draws of the
others as they are. Each file of this folder says at its top how its factor is drawn. logU(a, b) is the log-uniform
distribution: the logarithm is uniform between those of a and b.

Seeds 10,001 to 20,000 are there to explore and to tune on. Seeds 1 to 400 have been looked at one by one. All others are for a
last word: play them once the code is final.
"""

from .classical import Classical, problem
from .contextual import Contextual, contextual

__all__ = ["Classical", "Contextual", "contextual", "problem"]
