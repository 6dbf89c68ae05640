"""The paper's theorems as calculators: upper bounds on regret, not estimates of it.

Each has the bound as the paper prints it and, under another ``form``, one that says more or that holds where the printed
one does not. UCB, UCBC and LinUCB are HUCB, HUCBC and HLinUCB without history. Theorems are cited by their labels in the paper.
"""

from .bound import Bound, Reading, Term, Weighting
from .classical import adversarial, hucb, tight
from .clusters import Clustering, clustering
from .figure import plot
from .linear import hlinucb, log_determinant

__all__ = [
    "Bound",
    "Clustering",
    "Reading",
    "Term",
    "Weighting",
    "adversarial",
    "clustering",
    "hlinucb",
    "hucb",
    "log_determinant",
    "plot",
    "tight",
]
