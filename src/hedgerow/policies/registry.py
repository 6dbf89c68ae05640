"""Every way to choose, by name: a file of this folder registers its rule, and it is in Bandit, simulate, the league and the docs.

>>> from hedgerow.policies.registry import kind
>>> kind("ucbv").source
'Audibert, Munos and Szepesvari 2009'
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..core.records import Field
from ..core.types import Arm, Floats
from .family import Family
from .parameter import Parameter

if TYPE_CHECKING:
    from .bandit import Bandit


class Constructor(Protocol):
    """What makes a policy of a registered rule; its signature and docstring name its arguments."""

    def __call__(self, arms: Iterable[Arm], **given: Any) -> "Bandit[Arm]":
        """A policy.

        Args:
            arms: Distinct labels.
            given: What the rule takes.

        Returns:
            The policy.
        """


class Kind(NamedTuple):
    """A rule with its parameters still open.

    Args:
        name: What it is called.
        title: The name of its constructor.
        make_family: Makes the family that chooses and learns from the rule's parameters.
        parameters: What it can be made with, by name.
        summary: One sentence: what it does.
        source: Who found it.
        contextual: Whether it needs contexts.
        draws: Whether choosing draws, from the caller's generator or else from the count of rounds.
        unit_rewards: Whether rewards must lie between 0 and 1.
        reads_history: Whether it can start from a history.
        reads_clusters: Whether it can have clusters.
        cluster_history: Whether it can do without the history of clusters (HUCBC').
        forgets: Whether it can have a half-life.
        precisions: Of the rows it derives.
        example: Parameters to make it with, for tests and leagues.
    """

    name: str
    title: str
    make_family: Callable[[Mapping[str, Any]], Family]
    parameters: Mapping[str, Parameter]
    summary: str
    source: str
    contextual: bool
    draws: bool
    unit_rewards: bool
    reads_history: bool
    reads_clusters: bool
    cluster_history: bool
    forgets: bool
    precisions: tuple[str, ...]
    example: Mapping[str, Any]


class Rule:
    """How arms are chosen: a registered kind with its parameters.

    Args:
        kind: The registered kind.
        values: Value of each parameter, checked.

    Examples:
        >>> import hedgerow as hr
        >>> hr.rules.ucbv(reward_range=2.0)
        ucbv(reward_range=2.0)
    """

    __slots__ = ("family", "kind", "values")

    def __init__(self, kind: Kind, values: Mapping[str, Any]):
        self.kind: Kind = kind
        self.values: Mapping[str, Any] = MappingProxyType(dict(values))
        self.family: Family = kind.make_family(self.values)

    @property
    def name(self) -> str:
        """What the kind is called."""
        return self.kind.name

    def state(self, fields: tuple[Field, ...]) -> Floats:
        """The numbers of a policy without data: the parameters by their names, all else 0.

        Args:
            fields: The fields of the family's state.

        Returns:
            One row of floats.
        """
        parts = [np.full(field.size, self._number(field.name)) for field in fields]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _number(self, name: str) -> float:
        value = self.values.get(name, 0.0)
        return 0.0 if isinstance(value, str) else float(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and (self.name, dict(self.values)) == (other.name, dict(other.values))

    def __hash__(self) -> int:
        return hash((self.name, *self.values.items()))

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return rule, (self.name, dict(self.values))


REGISTRY: dict[str, Kind] = {}
"""The registered kinds by name; ``kind`` loads the file of one that is not there yet."""


def register(
    name: str,
    family: Family | Callable[[Mapping[str, Any]], Family],
    *,
    summary: str,
    source: str,
    title: str = "",
    parameters: Mapping[str, Parameter] | None = None,
    contextual: bool = False,
    draws: bool = False,
    unit_rewards: bool = False,
    reads_history: bool = True,
    reads_clusters: bool = True,
    cluster_history: bool = True,
    forgets: bool = True,
    precisions: tuple[str, ...] = ("double",),
    example: Mapping[str, Any] | None = None,
) -> "Constructor":
    """Make a rule known: to Bandit, simulate, the contract tests, the league and the tables of the docs.

    Args:
        name: What it is called: ``hr.rules.NAME``. Its file in this folder has the same name.
        family: What chooses and learns, or a function of the parameters that makes it.
        summary: One sentence: what it does.
        source: Who found it, and when.
        title: The name of its constructor, ``hr.TITLE``; without one there is only the rule.
        parameters: What it can be made with, by name.
        contextual: Whether it needs contexts.
        draws: Whether choosing draws.
        unit_rewards: Whether rewards must lie between 0 and 1.
        reads_history: Whether it can start from a history.
        reads_clusters: Whether it can have clusters.
        cluster_history: Whether clusters can be without the history of their arms.
        forgets: Whether it can have a half-life: whether what it has learnt is sums.
        precisions: Of the rows it derives.
        example: Parameters to make it with, for tests and leagues.

    Returns:
        Its constructor.
    """

    def make_family(values: Mapping[str, Any]) -> Family:
        made: Family = family(values) if callable(family) else family
        return made

    REGISTRY[name] = Kind(
        name,
        title,
        make_family,
        MappingProxyType(dict(parameters or {})),
        summary,
        source,
        contextual,
        draws,
        unit_rewards,
        reads_history,
        reads_clusters,
        cluster_history,
        forgets,
        precisions,
        MappingProxyType(dict(example or {})),
    )
    from .constructors import constructor

    return constructor(name)


def _homes() -> Iterator[str]:
    """The modules that may register a rule: those of this folder, and ``policy`` in each folder within."""
    folder = Path(__file__).parent
    for module in iter_modules([str(folder)]):
        if not module.ispkg:
            yield module.name
        elif (folder / module.name / "policy.py").exists():
            yield f"{module.name}.policy"


def load_all() -> dict[str, Kind]:
    """Load every file of this folder, so that all rules are registered.

    Returns:
        The registered kinds by name.
    """
    for module in _homes():
        import_module(f"{__package__}.{module}")
    return REGISTRY


def kind(name: str) -> Kind:
    """A kind of rule by its name.

    Args:
        name: Such as "ucb".

    Returns:
        The registered kind.

    Raises:
        ValueError: There is none of that name.
    """
    if name not in REGISTRY and name in set(_homes()):
        import_module(f"{__package__}.{name}")
    if name not in REGISTRY:
        load_all()
    if name not in REGISTRY:
        raise ValueError(f"there is no rule {name!r}; there are {', '.join(sorted(REGISTRY))}")
    return REGISTRY[name]


def rule(name: str, values: Mapping[str, Any]) -> Rule:
    """A rule by its name and parameters.

    Args:
        name: Of a registered kind.
        values: Parameters by name; those left out have their defaults.

    Returns:
        The rule.

    Raises:
        ValueError: A name is not known, or a value makes no sense.
    """
    found = kind(name)
    if strange := set(values) - set(found.parameters):
        given = ", ".join(found.parameters) or "no parameters"
        raise ValueError(f"{name} takes {given}, not {min(strange)}")
    filled = {key: values.get(key, parameter.default) for key, parameter in found.parameters.items()}
    if missing := [key for key, value in filled.items() if value is None]:
        raise ValueError(f"{name} needs {missing[0]}=: {found.parameters[missing[0]].doc}")
    return Rule(found, {key: found.parameters[key].checked(key, value) for key, value in filled.items()})
