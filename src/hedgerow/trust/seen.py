"""What a policy has seen, as its trust is judged from it."""

from typing import NamedTuple

from ..core.arms import Arms
from ..core.types import Floats


class Nodes(NamedTuple):
    """The tree, and for each node its sums of online rounds and of history; the numbers of the policy as a whole."""

    arms: Arms
    online: Floats
    past: Floats
    ledger: Floats
