"""How much the grouping and the history are worth right now, by what a policy has seen: ``policy.trust()``."""

from ..inference.intervals import Estimate
from .misfits import Misfit
from .report import Agreement, Grouping, Trust

__all__ = ["Agreement", "Estimate", "Grouping", "Misfit", "Trust"]
