"""The rules by name, as ``hr.rules``: ``hr.Bandit(arms, hr.rules.ucbv(reward_range=2))``.

>>> import hedgerow as hr
>>> hr.Bandit(["a", "b"], hr.rules.minucb(bias=0.2))
minucb(2 arms, 0 rounds)
"""

from collections.abc import Callable
from typing import Any

from .registry import REGISTRY, Rule, kind, load_all, rule


def __getattr__(name: str) -> Callable[..., Rule]:
    """The maker of a rule: a function of its parameters."""
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        found = kind(name)
    except ValueError as error:
        raise AttributeError(str(error)) from error

    def make(*given: Any, **named: Any) -> Rule:
        values = dict(zip(found.parameters, given, strict=False)) | named
        if len(given) > len(found.parameters):
            raise ValueError(f"{name} takes {len(found.parameters)} parameters, got {len(given)}")
        return rule(name, values)

    lines = [f"    {key}: {parameter.doc}" for key, parameter in found.parameters.items()]
    make.__doc__ = "\n".join([found.summary, "", *(["Args:", *lines, ""] if lines else []), "Returns:", "    The rule."])
    make.__name__ = make.__qualname__ = name
    return make


def __dir__() -> list[str]:
    load_all()
    return sorted(REGISTRY)
