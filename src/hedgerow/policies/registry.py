"""Every way to choose, by name: a file of this folder registers its rule, and it is in Bandit, simulate, the league and the docs.

>>> from hedgerow.policies.registry import kind
>>> kind("ucbv").source
'Audibert, Munos and Szepesvari 2009'
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..core.records import Field
from ..core.types import Arm, Floats
from .estimated_scale import fraction_of
from .family import Family

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


class Parameter(NamedTuple):
    """A number that a rule is made with.

    Args:
        default: Its value if it is left out; None if it must be given.
        doc: What it means, with its unit.
        largest: The largest value that makes sense.
        estimated: Whether "auto" has it estimated from the rewards, and "auto/4" takes a quarter of that.
        choices: The values it may have, if it is not a number.
        capped: What larger values are taken as.
    """

    default: Any
    doc: str
    largest: float = 1e100
    estimated: bool = False
    choices: tuple[Any, ...] = ()
    capped: float = math.inf

    def checked(self, name: str, value: Any) -> Any:
        """The value, as it is kept.

        Args:
            name: What the parameter is called, for the message.
            value: What the user gave.

        Returns:
            A float, "auto" or "auto/4" (with any number), or one of the choices.

        Raises:
            ValueError: The value makes no sense.
        """
        if self.choices:
            if not any(type(value) is type(choice) and value == choice for choice in self.choices):
                raise ValueError(f"{name} must be {' or '.join(_shown(choice) for choice in self.choices)}, got {value!r}")
            return value
        if self.estimated and isinstance(value, str) and (fraction := fraction_of(value)) is not None:
            return "auto" if fraction == 1.0 else f"auto/{1.0 / fraction:.12g}"
        if isinstance(value, np.integer | np.floating):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= self.largest:
            hint = ', "auto" or a fraction of it such as "auto/4"' if self.estimated else ""
            raise ValueError(f"{name} must be a number of at least 0{hint}, got {value!r}")
        return min(float(value), self.capped)


def _shown(choice: Any) -> str:
    return f'"{choice}"' if isinstance(choice, str) else repr(choice)


SCALE = Parameter(
    1.0,
    'Noise of the rewards, as a standard deviation: multiplies the bonus. "auto" estimates it, "auto/4" takes a quarter.',
    estimated=True,
)
"""The scale of a bonus that suits noise of standard deviation 1 as it is."""


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
