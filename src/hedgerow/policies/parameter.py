"""A number that a rule is made with: its default, what it means, and what it may be."""

import math
from typing import Any, NamedTuple

import numpy as np

from .estimated_scale import fraction_of


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
