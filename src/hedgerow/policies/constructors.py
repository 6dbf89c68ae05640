"""Constructors of registered rules: ``UCBV(arms, clusters=..., history=..., reward_range=2.0)``."""

from collections.abc import Iterable, Mapping
from functools import cache
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from ..core.types import Label
from .registry import Constructor, Kind, kind, load_all, rule

if TYPE_CHECKING:
    from .bandit import Bandit

SAID = {
    "arms": "Distinct labels.",
    "clusters": "The cluster of each arm, in order, or a mapping arm -> cluster; tuples nest deeper. None: no clusters.",
    "history": "What was played before.",
    "dimension": "Length of the contexts; taken from ``context`` or the history if left out.",
    "context": "How raw contexts are read: an ``Encoding``, or what ``Encoding.of`` takes, such as a frame of some contexts.",
    "precision": 'Of theta and the inverse matrices, "double" or "single".',
    "explore": "Share of the decisions that is drawn uniformly among the arms; a decision names its propensity.",
    "half_life": "After how long a round counts half: a number of decisions, a timedelta, or "
    '"auto", which finds out what is too old. None: never.',
}
DEFAULTS = {"precision": "double", "explore": 0.0}
"""What is said of the arguments that are not parameters of the rule; and their defaults, where that is not None."""

DOC = """{summary}.

Source: {source}.

Args:
{arguments}

Returns:
    A policy.

Raises:
    ValueError: Something given makes no sense; the message says what.

Examples:
    >>> import hedgerow as hr
    >>> policy = {made}
    >>> policy.update(policy.select({context}), 1.0)
    >>> policy.rounds
    1
"""


@cache
def constructor(name: str) -> "Constructor":
    """The constructor of a kind of rule, under its title.

    Args:
        name: Of a registered kind.

    Returns:
        A function of the arms and, by keyword, what the kind takes; its signature and docstring say what that is.
    """
    found = kind(name)

    def construct(*arms: Any, **given: Any) -> "Bandit[Any]":
        return _made(kind(name), arms, given)

    construct.__name__ = construct.__qualname__ = found.title or name
    construct.__module__ = f"{__package__}.{name}"
    construct.__signature__ = _signature(name)  # type: ignore[attr-defined]
    lines = [f"    {key}: {said}" for key, said in _said(found).items()]
    made, context = _example(found)
    said = {"summary": found.summary, "source": found.source, "arguments": "\n".join(lines)}
    construct.__doc__ = DOC.format(**said, made=made, context=context)
    return construct


def _example(found: Kind) -> tuple[str, str]:
    """A call that makes a policy of a kind, and the context of a round."""
    values = [f"{key}={value!r}" for key, value in found.example.items()]
    others = ["dimension=2"] if found.contextual else []
    rule_or_none = [] if found.title else [f"hr.rules.{found.name}({', '.join(values)})"]
    given = ", ".join(['["a", "b", "c"]', *rule_or_none, *(values if found.title else []), *others])
    return f"hr.{found.title or 'Bandit'}({given})", "[1.0, 0.5]" if found.contextual else ""


def titled(title: str) -> "Constructor | None":
    """The constructor of a registered kind by its title.

    Args:
        title: Such as "UCBV".

    Returns:
        The constructor, or None if no kind has that title.
    """
    return next((constructor(found.name) for found in load_all().values() if found.title == title), None)


def _made(found: Kind, arms: tuple[Iterable[Label], ...], given: Mapping[str, Any]) -> "Bandit[Any]":
    from .bandit import Bandit

    bound = _signature(found.name).bind(*arms, **given).arguments
    values = {key: value for key, value in bound.items() if key in found.parameters}
    others = {key: value for key, value in bound.items() if key not in values and key != "arms"}
    return Bandit(bound["arms"], rule(found.name, values), **others, name=found.title or found.name)


@cache
def _signature(name: str) -> Signature:
    """The signature of a kind's constructor; a parameter without a default must be given."""
    found = kind(name)
    defaults = {key: parameter.default for key, parameter in found.parameters.items()}
    required = {key for key, default in defaults.items() if default is None}
    defaults |= {key: DEFAULTS.get(key) for key in _said(found) if key not in ("arms", *defaults)}
    named = (
        Parameter(key, Parameter.KEYWORD_ONLY, default=Parameter.empty if key in required else default)
        for key, default in defaults.items()
    )
    return Signature([Parameter("arms", Parameter.POSITIONAL_OR_KEYWORD), *named])


def _said(found: Kind) -> dict[str, str]:
    """What is said of each argument of a kind's constructor."""
    takes = {
        "arms": True,
        "clusters": found.reads_clusters,
        "history": found.reads_history,
        "dimension": found.contextual,
        "context": found.contextual,
        "precision": len(found.precisions) > 1,
        "explore": True,
        "half_life": found.forgets,
    }
    said = {key: text for key, text in SAID.items() if takes[key]}
    return {"arms": said.pop("arms"), **{key: parameter.doc for key, parameter in found.parameters.items()}, **said}
