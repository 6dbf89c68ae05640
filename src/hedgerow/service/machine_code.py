"""Make the machine code of policies before anybody asks: ``python -m hedgerow.service.machine_code Auto``.

The Dockerfile does it at build time, with NUMBA_CACHE_DIR; without it the first decision of an experiment waits for a compiler.
"""

import sys
from collections.abc import Iterable

from ..data.history import History
from . import plans
from .wire import Config

EXAMPLE_ARMS = ["a", "b", "c", "d"]
CLUSTERS = {"a": "x", "b": "x", "c": "y", "d": "y"}
SHAPES: tuple[dict[str, object], ...] = (
    {},
    {"clusters": CLUSTERS},
    {"context": {"age": "number"}},
    {"context": {"age": "number"}, "clusters": CLUSTERS},
)
"""Kinds of experiments: without and with contexts, without and with clusters."""


def compile_for(names: Iterable[str]) -> list[str]:
    """Play a round of each kind of experiment with each policy.

    Args:
        names: Of policies, as a configuration gives them.

    Returns:
        What was made, a line each.

    Raises:
        ValueError: There is no policy of that name.
    """
    found = []
    for name in names:
        for shape in SHAPES:
            config = Config(arms=EXAMPLE_ARMS, policy=name, **shape)  # type: ignore[arg-type]
            try:
                policy = plans.build(plans.State(config), dict[str, bytes]().__getitem__)
            except ValueError:
                if name not in plans.policies():
                    raise
                continue  # a policy with contexts needs them, one without takes none
            plans.warm(policy)
            if policy.dimension is None:
                policy.history = History.from_rounds(arms=["a", "b", "c"], rewards=[0, 1, 0])
                plans.warm(policy)
            found.append(f"{name} {', '.join(shape) or 'of arms alone'}")
    return found


if __name__ == "__main__":
    print("\n".join(compile_for(sys.argv[1:])))
