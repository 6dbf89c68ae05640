"""How much the grouping and the history are worth right now, by what a policy has seen: ``policy.trust()``."""

from .report import Agreement, Estimate, Grouping, Misfit, Trust

__all__ = ["Agreement", "Estimate", "Grouping", "Misfit", "Trust"]
