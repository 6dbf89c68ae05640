"""How an arm is chosen: every policy under its name, ``hr.policies.UCB``, which is ``hr.UCB``.

The paper's are in paper.py, Auto in auto.py, and every other in a file of its own, which registers it (registry.py).

>>> import hedgerow as hr
>>> hr.policies.UCBV(["a", "b"], reward_range=2.0)
UCBV(2 arms, 0 rounds)
>>> "KLUCB" in dir(hr.policies)
True
"""

from importlib import import_module
from typing import Any

_WRITTEN = {
    **dict.fromkeys(("HUCB", "HUCBC", "META", "UCB", "UCBC", "HUCBCPrime"), "paper"),
    **dict.fromkeys(("HLinUCB", "HLinUCBC", "LinUCB", "LinUCBC"), "paper_linear"),
    **dict.fromkeys(("Auto", "HierLinUCB", "HierUCB"), "auto"),
    "Bandit": "bandit",
    "Meta": "meta",
}
"""The module of each name that is more than a registered rule with its parameters."""


def __getattr__(name: str) -> Any:
    """A policy by its name, loaded when it is first asked for."""
    if not name[:1].isupper():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _WRITTEN:
        found = getattr(import_module(f".{_WRITTEN[name]}", __name__), name)
    else:
        found = import_module(".constructors", __name__).titled(name)
    if found is None:
        raise AttributeError(f"there is no policy {name!r}; there are {', '.join(__dir__())}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    kinds = import_module(".registry", __name__).load_all().values()
    return sorted({*_WRITTEN, *(kind.title for kind in kinds if kind.title)})
