"""What a policy notices, said to ``logging.getLogger("hedgerow")`` when somebody looks: at ``metrics()`` or ``trust()``.

Nothing is noticed in a round, so that a round costs what it cost before.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..core.labels import shown
from ..core.types import Label
from ..present.text import printable

LOGGER = logging.getLogger("hedgerow")

RESTED = 10
"""Rounds for each arm that an arm must have been left for, to be said to be tried again. Played in turn, it would have had ten
in that time. Chosen, not tuned."""


class Glance(NamedTuple):
    """What was seen when somebody looked.

    Args:
        rounds: Rounds learnt by then.
        plays: Of each arm.
        since: The round from which on each arm has had these plays, as far as is known.
    """

    rounds: int
    plays: Mapping[Label, int]
    since: Mapping[Label, int]


class Noticed:
    """What has been said already: the log hears of a thing when it begins, and again if it ends and comes back."""

    def __init__(self) -> None:
        self._true: set[str] = set()
        self._glance = Glance(0, {}, {})

    def tell(self, findings: Mapping[str, str | None]) -> None:
        """Say what has become true.

        Args:
            findings: A sentence by a name that stays the same; None if it is not so.
        """
        for name, sentence in findings.items():
            if sentence is None:
                self._true.discard(name)
            elif name not in self._true:
                self._true.add(name)
                LOGGER.info("%s", printable(sentence))

    def look(self, name: str, rounds: int, plays: Iterable[tuple[Label, int]]) -> None:
        """Say which arms are tried again that had been left for long.

        Args:
            name: Of the policy.
            rounds: That it has learnt.
            plays: Of each arm.
        """
        now, before = dict(plays), self._glance
        played = {arm for arm, count in now.items() if count > before.plays.get(arm, 0)}
        rest = {arm: before.rounds - before.since[arm] for arm in played if before.plays.get(arm, 0) > 0}
        again = [arm for arm in now if rest.get(arm, 0) >= RESTED * len(now)]
        if again:
            least = min(rest[arm] for arm in again)
            LOGGER.info("%s, round %s: tries %s again, left for at least %s rounds", name, rounds, shown(again), least)
        self._glance = Glance(rounds, now, {arm: rounds if arm in played else before.since.get(arm, rounds) for arm in now})
