"""How the workers measure: CPU seconds of the timed part, rounds, and the arms that were chosen."""

import time
from collections.abc import Callable, Iterable
from typing import Any

Answer = dict[str, Any]
clock = time.process_time


def answer(seconds: float, rounds: int, arms: Iterable[int] = (), **more: Any) -> Answer:
    """One line of a worker."""
    return {"seconds": seconds, "rounds": rounds, "arms": [int(arm) for arm in arms], **more}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it returned."""
    start = clock()
    result = work()
    return clock() - start, result


def play(rounds: int, choose: Callable[[int], int], learn: Callable[[int, int], Any]) -> Answer:
    """Time rounds of choosing an arm and learning its reward."""
    arms = []
    start = clock()
    for t in range(rounds):
        arm = choose(t)
        learn(t, arm)
        arms.append(arm)
    return answer(clock() - start, rounds, arms)
