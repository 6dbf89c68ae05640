"""Bandits that start warm from logged history, know which arms are alike, and learn how far to trust either.

import hedgerow as hr

policy = hr.Auto(["ad-1", "ad-2"], clusters=["news", "sport"])
decision = policy.select()
policy.update(decision, reward=1.0)

For every day (``dir(hr)``): ``Auto`` and ``Bandit`` choose arms, ``Meta`` chooses among policies, a ``Decision`` is what they
return, ``Policy`` is what a policy of your own must have. ``DecisionLog`` writes decisions and rewards to a file; ``Log``,
``History`` and ``Encoding`` hold what was logged. ``inspect`` and ``evaluate`` say what a log is worth, ``simulate`` compares
policies, ``load`` reads what ``save`` wrote.

Also there: each policy by its name, such as ``hr.UCB``, ``hr.META`` or ``hr.UCBV`` (``dir(hr.policies)`` lists them),
``hr.Client`` and ``hr.AsyncClient``, which ask a decision service (``hedgerow serve``), and the modules ``hr.rules``,
``hr.problems``, ``hr.datasets``, ``hr.bounds`` and ``hr.testing``.
"""

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bounds as bounds
    from . import policies as policies
    from . import testing as testing
    from .core.state_file import from_bytes as from_bytes
    from .core.state_file import load
    from .core.types import Decision, Policy
    from .data.decision_log import DecisionLog
    from .data.encoding import Encoding
    from .data.history import History
    from .data.log import Log
    from .evaluate.evaluation import evaluate
    from .evaluate.inspection import inspect
    from .experiments import datasets as datasets
    from .experiments import problems as problems
    from .experiments.outcome import Shuffled as Shuffled
    from .experiments.simulate import simulate
    from .policies import rules as rules
    from .policies.auto import Auto
    from .policies.auto import HierLinUCB as HierLinUCB
    from .policies.auto import HierUCB as HierUCB
    from .policies.bandit import Bandit
    from .policies.bast import BAST as BAST
    from .policies.klucb import KLUCB as KLUCB
    from .policies.lints import LinTSC as LinTSC
    from .policies.meta import Meta
    from .policies.minucb import MINUCB as MINUCB
    from .policies.paper import HUCB as HUCB
    from .policies.paper import HUCBC as HUCBC
    from .policies.paper import META as META
    from .policies.paper import UCB as UCB
    from .policies.paper import UCBC as UCBC
    from .policies.paper import HUCBCPrime as HUCBCPrime
    from .policies.paper_linear import HLinUCB as HLinUCB
    from .policies.paper_linear import HLinUCBC as HLinUCBC
    from .policies.paper_linear import LinUCB as LinUCB
    from .policies.paper_linear import LinUCBC as LinUCBC
    from .policies.thompson import TSC as TSC
    from .policies.ucbv import UCBV as UCBV
    from .service.client import AsyncClient as AsyncClient
    from .service.client import Client as Client

__all__ = [
    "Auto",
    "Bandit",
    "Decision",
    "DecisionLog",
    "Encoding",
    "History",
    "Log",
    "Meta",
    "Policy",
    "evaluate",
    "inspect",
    "load",
    "simulate",
]

_HOME = {
    "AsyncClient": "service.client",
    "Client": "service.client",
    "Decision": "core.types",
    "DecisionLog": "data.decision_log",
    "Encoding": "data.encoding",
    "History": "data.history",
    "Log": "data.log",
    "Policy": "core.types",
    "Shuffled": "experiments.outcome",
    "evaluate": "evaluate.evaluation",
    "from_bytes": "core.state_file",
    "inspect": "evaluate.inspection",
    "load": "core.state_file",
    "simulate": "experiments.simulate",
}
"""Where names are loaded from; those of policies are found in ``policies``."""

_MODULES = {
    "bounds": "bounds",
    "datasets": "experiments.datasets",
    "policies": "policies",
    "problems": "experiments.problems",
    "rules": "policies.rules",
    "testing": "testing",
}

try:
    __version__ = version("hedgerow")
except PackageNotFoundError:  # run from a source folder that was not installed
    __version__ = "0"


class _Hedgerow(ModuleType):
    """Python binds a package that it imports to its name here; ``hr.evaluate`` is the function, whatever was imported before."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name == "evaluate" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Hedgerow


def __getattr__(name: str) -> Any:
    """Load a part when it is first asked for, so that importing hedgerow stays quick."""
    if name in _MODULES:
        return import_module(f".{_MODULES[name]}", __name__)
    if name not in _HOME and not name[:1].isupper():
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME.get(name, 'policies')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
