"""Tuning numbers with their meaning, unit and origin.

A family of policies, and the verdict, keep their tuning numbers in one NamedTuple each, whose fields are annotated::

    class WidthSettings(NamedTuple):
        across: Annotated[float, Number("width factor between clusters", unit="1", origin="league --few, seed 20270570")] = 15.0

    SETTINGS = WidthSettings()

Kernels read ``SETTINGS.across``, which the compiler takes as a constant. A test calls :func:`described` on each such class.
"""

from typing import Any, NamedTuple, get_type_hints


class Number(NamedTuple):
    """What a tuning number stands for.

    Args:
        meaning: What it decides, in words.
        unit: What it is counted in: "plays", "nats", "1" for a pure number.
        origin: What chose it: a command and its seed, a paper, or "chosen: reason; not tuned".
    """

    meaning: str
    unit: str
    origin: str


class Setting(NamedTuple):
    """A tuning number and its description.

    Args:
        value: The number.
        number: Its meaning, unit and origin.
    """

    value: Any
    number: Number


def described(settings: Any) -> dict[str, Setting]:
    """The tuning numbers of a settings class with their descriptions.

    Args:
        settings: A NamedTuple class whose fields are ``Annotated[type, Number(...)] = value``.

    Returns:
        The value and description of each field, by its name.

    Raises:
        TypeError: A field has no value, or no meaning, unit and origin.

    Examples:
        >>> from typing import Annotated
        >>> class Settings(NamedTuple):
        ...     margin: Annotated[float, Number("lead of labels", unit="nats", origin="chosen: e^3 = 20 : 1; not tuned")] = 3.0
        >>> described(Settings)["margin"].number.unit
        'nats'
    """
    hints = get_type_hints(settings, include_extras=True)
    found: dict[str, Setting] = {}
    for name in settings._fields:
        if name not in settings._field_defaults:
            raise TypeError(f"{settings.__name__}.{name} has no value")
        numbers = [part for part in getattr(hints[name], "__metadata__", ()) if isinstance(part, Number)]
        if len(numbers) != 1 or not all(part.strip() for part in numbers[0]):
            raise TypeError(f"{settings.__name__}.{name} needs a Number with its meaning, unit and origin")
        found[name] = Setting(settings._field_defaults[name], numbers[0])
    return found
