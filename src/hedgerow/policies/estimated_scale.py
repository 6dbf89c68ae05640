"""The scale of a bonus where it is estimated: what ``scale="auto"`` and ``scale="auto/4"`` stand for."""

import math
from typing import Any

from ..core.kernel import compiled, inlined
from ..core.noise import arm_noise, known_noise, total_noise, unknown_noise
from ..core.records import Field, kind_of, record
from ..core.sums import PLAYS
from ..core.types import Floats, Links

RESCALE_GROWTH = 1.1
"""The scale is estimated anew each time the rounds have grown by so much."""

NEVER = 1e300
"""A round that does not come: a scale that was given is not estimated."""

FIELDS = (Field("scale", low=0.0, high=1e150), Field("rescale_at", low=0.0, high=NEVER), Field("fraction", low=0.0, high=1e3))
"""The scale in use, the round at which it is estimated anew, and the fraction of the estimated noise that it is."""

SCALED, SCALED_SIZE = kind_of(FIELDS), len(FIELDS)


def fraction_of(scale: float | str) -> float | None:
    """The fraction of the estimated noise that a scale stands for.

    Args:
        scale: A number, "auto", or "auto/4" for a quarter.

    Returns:
        1 for "auto", 0.25 for "auto/4"; None for a number, and for any other text.
    """
    word, _, divisor = scale.partition("/") if isinstance(scale, str) else ("", "", "")
    if word != "auto":
        return None
    try:
        parts = float(divisor or ("1" if scale == "auto" else "nan"))
    except ValueError:
        return None
    return 1.0 / parts if 1e-3 <= parts <= 1e3 else None


@inlined
def scale_of(state: Any) -> Any:
    """The scale that a state begins with, as a record."""
    return record(state[:SCALED_SIZE], SCALED)


@compiled
def rescale(tree: Links, online: Floats, history: Floats, own: Any) -> None:
    """Estimate the scale from all rewards: the fraction that is wanted of their noise.

    The noise is the typical standard deviation of an arm's rewards; an arm with a single play may be as noisy as arms differ.
    While all rewards are equal it is their size, or 1: so all arms are tried, even beside one that always pays the same.
    """
    total = total_noise(online, history)
    if total > 0.0:
        sum_of_variances, freedom = known_noise(tree, online, history)
        single, spread = unknown_noise(tree, online, history)
        own.scale = own.fraction * math.sqrt((sum_of_variances + total + single * spread) / (freedom + 1.0 + single))
        own.rescale_at = max(online[0, PLAYS] + 1.0, RESCALE_GROWTH * online[0, PLAYS])
    else:
        level = abs(arm_noise(online, history, 0, 1.0)[1])
        own.scale = own.fraction * (level if level > 0.0 else 1.0)
        own.rescale_at = online[0, PLAYS] + 1.0
