"""What a policy has seen, as its trust is judged from it."""

from typing import NamedTuple

from ..core.arms import Arms
from ..core.types import Floats
from ..policies.bandit import Bandit


class Nodes(NamedTuple):
    """What a policy has seen.

    Args:
        arms: The arms and their tree.
        online: Sums of the online rounds, a row for each node.
        history: Sums of the history.
        state: Numbers of the policy as a whole.
    """

    arms: Arms
    online: Floats
    history: Floats
    state: Floats


def seen_by(policy: Bandit) -> Nodes:
    """What a policy has seen.

    Args:
        policy: Of any rule.

    Returns:
        Its arrays as they stand.
    """
    arms, arrays, *_ = policy.snapshot()
    return Nodes(arms, arrays.online, arrays.history, arrays.state)
