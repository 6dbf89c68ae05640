"""Whether arms have levels of their own, where no column of the contexts is constant: a 1 is then seen after the columns.

They have, unless that is much less likely: a policy that knows of no levels may never play the arms that would show them.
Rewards of two values bend, and then look more and more like levels, since an arm is played where it is good: there, what was once
ruled out stays so.
"""

from ...core.kernel import compiled
from ...core.records import record
from ...core.sums import PLAYS
from ...core.types import Floats
from .empirical_bayes import estimate_spreads
from .likelihood import Model, pose
from .noise_shape import two_valued
from .settings import SETTINGS
from .standardize import set_units
from .state import POLICY, Parts


@compiled
def levels_in_question(online: Floats, history: Floats, state: Floats) -> bool:
    """Whether levels are to be looked for: there may be some, and they were not ruled out, or long ago."""
    own = record(state, POLICY)
    if online[0, PLAYS] + history[0, PLAYS] < own.levels_due or (own.constant_column >= 0.0 and own.levels == 0.0):
        return False
    ruled_out = own.levels_against >= SETTINGS.levels_ruled_out and own.levels == 0.0
    return not (ruled_out and two_valued(online, own))


@compiled
def estimate_levels(parts: Parts, model: Model) -> tuple[Model, float]:
    """Estimate the spreads, and whether arms have levels; the model, and its log likelihood."""
    tree, online, history, rows, state = parts
    own, value = record(state, POLICY), estimate_spreads(model, state)
    if not levels_in_question(online, history, state):
        return model, value
    other_state = state.copy()
    other = record(other_state, POLICY)
    other.levels = 1.0 - own.levels
    set_units(online, history, other_state)
    changed = pose(Parts(tree, online, history, rows, other_state), False)
    other_value = estimate_spreads(changed, other_state)
    lead = other_value - value if own.levels == 0.0 else value - other_value
    own.levels_against = other.levels_against = max(own.levels_against, -lead)
    ruled_out, rounds = lead <= -SETTINGS.levels_ruled_out, online[0, PLAYS] + history[0, PLAYS]
    own.levels_due = other.levels_due = SETTINGS.levels_growth * rounds if ruled_out else 0.0
    if (lead > -SETTINGS.levels_margin) == (own.levels > 0.0):
        return model, value
    state[:] = other_state
    return changed, other_value
