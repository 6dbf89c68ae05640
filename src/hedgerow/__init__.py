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
    from . import bounds, datasets, problems, rules, testing
    from .bandit import Bandit
    from .beyond import BAST, KLUCB, MINUCB, TSC, UCBV, Auto, HierLinUCB, HierTS, HierUCB, LinTSC
    from .history import History
    from .logs.encoding import Encoding
    from .logs.log import Log
    from .meta import Meta
    from .paper import HUCB, HUCBC, META, UCB, UCBC, HLinUCB, HLinUCBC, HUCBCPrime, LinUCB, LinUCBC
    from .simulation import Shuffled, simulate
    from .state import load
    from .types import Decision, Policy
    from .verdict.evaluation import evaluate
    from .verdict.inspection import inspect

_HOME = {
    "Bandit": "bandit",
    "Decision": "types",
    "Encoding": "logs.encoding",
    "History": "history",
    "Log": "logs.log",
    "Meta": "meta",
    "Policy": "types",
    "Shuffled": "simulation",
    "evaluate": "verdict.evaluation",
    "inspect": "verdict.inspection",
    "load": "state",
    "simulate": "simulation",
    **dict.fromkeys(("UCB", "HUCB", "UCBC", "HUCBC", "HUCBCPrime", "LinUCB", "HLinUCB", "LinUCBC", "HLinUCBC", "META"), "paper"),
    **dict.fromkeys(("Auto", "BAST", "HierLinUCB", "HierTS", "HierUCB", "KLUCB", "LinTSC", "MINUCB", "TSC", "UCBV"), "beyond"),
}

_MODULES = ("bounds", "datasets", "problems", "rules", "testing")

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
    "HierTS",
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
        return import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
