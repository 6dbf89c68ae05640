"""A decision as it is stored, with its rewards and what was learnt from it."""

from .journal import stored
from .problems import Problem
from .serving import decided
from .store import Store
from .wire import Given, Kept


def kept(store: Store, name: str, id: str) -> Kept:
    """A stored decision.

    Args:
        store: Any.
        name: Of the experiment.
        id: Of the decision.

    Returns:
        The decision.

    Raises:
        Problem: There is none.
    """
    found = stored(store, name, id)
    if found is None:
        raise Problem(404, f"there is no decision {id!r}")
    made = found.made
    sql = "SELECT key, value, at FROM reward WHERE experiment = ? AND decision = ? ORDER BY at, key"
    rewards = [Given(*row) for row in store.run(sql, (name, id))]
    sql = "SELECT kind, value FROM log WHERE experiment = ? AND decision = ? AND kind IN ('outcome', 'default', 'cancel')"
    settled, value = next(iter(store.run(sql, (name, id))), (None, None))
    context = None if made.context is None else list(made.context)
    return Kept(decided(found), found.at, context, made.greedy, made.revision, rewards, settled, value)
