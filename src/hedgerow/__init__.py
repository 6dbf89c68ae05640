"""Bandits that start warm from logged history, know which arms are alike, and learn how far to trust either.

import hedgerow as hr

policy = hr.META(["ad-1", "ad-2"], clusters=["news", "sport"])
decision = policy.select()
policy.update(decision, reward=1.0)
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bounds, testing
    from .core.state_file import load
    from .core.types import Decision, Policy
    from .data.encoding import Encoding
    from .data.history import History
    from .data.log import Log
    from .evaluate.evaluation import evaluate
    from .evaluate.inspection import inspect
    from .experiments import datasets, problems
    from .experiments.outcome import Shuffled
    from .experiments.simulate import simulate
    from .policies import rules
    from .policies.bandit import Bandit
    from .policies.beyond import BAST, KLUCB, MINUCB, TSC, UCBV, Auto, HierLinUCB, HierUCB, LinTSC
    from .policies.meta import Meta
    from .policies.paper import HUCB, HUCBC, META, UCB, UCBC, HLinUCB, HLinUCBC, HUCBCPrime, LinUCB, LinUCBC

_HOME = {
    "Bandit": "policies.bandit",
    "Decision": "core.types",
    "Encoding": "data.encoding",
    "History": "data.history",
    "Log": "data.log",
    "Meta": "policies.meta",
    "Policy": "core.types",
    "Shuffled": "experiments.outcome",
    "evaluate": "evaluate.evaluation",
    "inspect": "evaluate.inspection",
    "load": "core.state_file",
    "simulate": "experiments.simulate",
    **dict.fromkeys(
        ("UCB", "HUCB", "UCBC", "HUCBC", "HUCBCPrime", "LinUCB", "HLinUCB", "LinUCBC", "HLinUCBC", "META"), "policies.paper"
    ),
    **dict.fromkeys(("Auto", "BAST", "HierLinUCB", "HierUCB", "KLUCB", "LinTSC", "MINUCB", "TSC", "UCBV"), "policies.beyond"),
}

_MODULES = {
    "bounds": "bounds",
    "datasets": "experiments.datasets",
    "problems": "experiments.problems",
    "rules": "policies.rules",
    "testing": "testing",
}

__all__ = [
    "BAST",
    "HUCB",
    "HUCBC",
    "KLUCB",
    "META",
    "MINUCB",
    "TSC",
    "UCB",
    "UCBC",
    "UCBV",
    "Auto",
    "Bandit",
    "Decision",
    "Encoding",
    "HLinUCB",
    "HLinUCBC",
    "HUCBCPrime",
    "HierLinUCB",
    "HierUCB",
    "History",
    "LinTSC",
    "LinUCB",
    "LinUCBC",
    "Log",
    "Meta",
    "Policy",
    "Shuffled",
    "bounds",
    "datasets",
    "evaluate",
    "inspect",
    "load",
    "problems",
    "rules",
    "simulate",
    "testing",
]

try:
    __version__ = version("hedgerow")
except PackageNotFoundError:  # run from a source folder that was not installed
    __version__ = "0"


def __getattr__(name: str) -> Any:
    """Load a part when it is first asked for, so that importing hedgerow stays quick."""
    if name in _MODULES:
        return import_module(f".{_MODULES[name]}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
