"""A bandit as a scikit-learn classifier: the classes are the arms.

Named like the package it serves; ``import sklearn`` within this folder is scikit-learn all the same.
"""

from ..core import extras

try:
    from .classifier import BanditClassifier
except ImportError as error:
    raise extras.absent("hedgerow.sklearn", "scikit-learn", "sklearn") from error

__all__ = ["BanditClassifier"]
