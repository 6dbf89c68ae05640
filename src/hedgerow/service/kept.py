"""A decision as it is stored, with its rewards and what was learnt from it."""

from .entries import made_of
from .journal import Stored
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
    rows = store.run("SELECT at, request, body FROM decision WHERE experiment = ? AND id = ?", (name, id))
    if not rows:
        raise Problem(404, f"there is no decision {id!r}")
    at, request, body = rows[0]
    made = made_of(body)
    sql = "SELECT key, value, at FROM reward WHERE experiment = ? AND decision = ? ORDER BY at, key"
    rewards = [Given(*row) for row in store.run(sql, (name, id))]
    sql = "SELECT kind, value FROM log WHERE experiment = ? AND decision = ? AND kind IN ('outcome', 'default', 'cancel')"
    settled, value = next(iter(store.run(sql, (name, id))), (None, None))
    context = None if made.context is None else list(made.context)
    answer = decided(Stored(id, at, request, made, False))
    return Kept(answer, at, context, made.greedy, made.revision, rewards, settled, value)
