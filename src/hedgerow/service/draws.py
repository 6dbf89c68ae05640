"""Exploration, control share and propensities, drawn from the salt of an experiment and the id of a decision alone.

So a decision can be derived again, by another replica or by a check, and no generator needs to be kept.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from .wire import Mode

FRACTION_BITS = 53
"""Bits of a double's fraction."""


class Plan(NamedTuple):
    """How an experiment draws.

    Args:
        salt: Its secret.
        explore: Share of live decisions drawn uniformly among the eligible arms.
        control: Share of decisions that do not go by the policy.
        shadow: Whether the policy only looks on.
    """

    salt: bytes
    explore: float
    control: float
    shadow: bool


class Choice(NamedTuple):
    """What is answered.

    Args:
        arm: The arm.
        mode: live, control or shadow.
        explored: Whether the arm was drawn.
        propensity: The probability with which this arm is answered; None where the policy draws by itself, or in shadow.
    """

    arm: str
    mode: Mode
    explored: bool
    propensity: float | None


def fraction(salt: bytes, key: str, purpose: bytes) -> float:
    """A number in [0, 1) that depends on what is given alone.

    Args:
        salt: Secret of the experiment, up to 64 bytes.
        key: Id of a decision, or of a unit.
        purpose: What the number is for, so that draws of one key are independent.

    Returns:
        The number.
    """
    digest = blake2b(key.encode(), digest_size=8, key=salt, person=purpose).digest()
    return (int.from_bytes(digest) >> (64 - FRACTION_BITS)) / (1 << FRACTION_BITS)


def choose(
    greedy: str, eligible: Sequence[str], plan: Plan, id: str, *, unit: str | None, baseline: str | None, sure: bool
) -> Choice:
    """What is answered where the policy would answer ``greedy``.

    The propensity is that over all draws, of the control share and of exploration:
    (1 - c) ((1 - e) [arm = greedy] + e / n) + c q(arm), where q is sure of the baseline, or 1 / n without one.

    Args:
        greedy: The policy's choice.
        eligible: The arms it had.
        plan: How the experiment draws.
        id: Of the decision.
        unit: Who it is for; the same unit stays in control, or out of it.
        baseline: What would be played without the policy; in control and without one, an arm is drawn.
        sure: Whether the policy's choice was certain.

    Returns:
        The choice.
    """
    if plan.shadow:
        return Choice(baseline or greedy, "shadow", False, None)
    count = len(eligible)
    drawn = eligible[int(fraction(plan.salt, id, b"arm") * count)]
    control = fraction(plan.salt, id if unit is None else unit, b"control") < plan.control
    explored = fraction(plan.salt, id, b"explore") < plan.explore if not control else baseline is None
    arm = drawn if explored else baseline if control and baseline is not None else greedy
    live = plan.explore / count + (1.0 - plan.explore) * (arm == greedy)
    without = 1.0 / count if baseline is None else float(arm == baseline)
    propensity = (1.0 - plan.control) * live + plan.control * without
    return Choice(arm, "control" if control else "live", explored, propensity if sure else None)
