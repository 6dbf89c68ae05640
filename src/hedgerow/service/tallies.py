"""What the log says beside the policy: outcomes by mode, shares of plays over time. Numbers of a fold, like the policy."""

import math

from msgspec import Struct, field

MOST_SPANS = 32
"""Stretches of the log that shares are kept for; when there are more, neighbours are joined."""


class ModeTally(Struct):
    """Rewards of one mode. ``spread`` is the sum of (x - mean of those before)^2 from the second on."""

    count: int = 0
    total: float = 0.0
    spread: float = 0.0

    def add(self, value: float) -> None:
        """Count a reward.

        Args:
            value: The reward.
        """
        if self.count:
            self.spread += (value - self.total / self.count) ** 2
        self.count += 1
        self.total += value

    @property
    def mean(self) -> float | None:
        """Mean reward."""
        return self.total / self.count if self.count else None


class SpanTally(Struct):
    """Plays of each arm in a stretch of the log."""

    first: int
    last: int
    plays: dict[str, int]
    count: int = 0


class Tallies(Struct):
    """Counts of a fold.

    Args:
        outcomes: Decisions learnt with a reward.
        defaults: Those learnt with the default value.
        cancelled: Those not learnt.
        skipped: Those whose arm was gone, or whose value the policy refuses.
        modes: Rewards by mode.
        spans: Plays over time.
        width: Plays in a span.
    """

    outcomes: int = 0
    defaults: int = 0
    cancelled: int = 0
    skipped: int = 0
    modes: dict[str, ModeTally] = field(default_factory=dict)
    spans: list[SpanTally] = field(default_factory=list)
    width: int = 50

    def learnt(self, seq: int, arm: str, mode: str, value: float) -> None:
        """Count an outcome or a default.

        Args:
            seq: Of its log row.
            arm: That was played.
            mode: Of its decision.
            value: The reward.
        """
        self.modes.setdefault(mode, ModeTally()).add(value)
        if not self.spans or self.spans[-1].count >= self.width:
            if len(self.spans) >= MOST_SPANS:
                self._join()
            self.spans.append(SpanTally(seq, seq, {}))
        span = self.spans[-1]
        span.last, span.count = seq, span.count + 1
        span.plays[arm] = span.plays.get(arm, 0) + 1

    def _join(self) -> None:
        """Neighbours become one, and spans twice as wide."""
        joined = []
        for one, other in zip(self.spans[::2], self.spans[1::2], strict=True):
            plays = dict(one.plays)
            for arm, count in other.plays.items():
                plays[arm] = plays.get(arm, 0) + count
            joined.append(SpanTally(one.first, other.last, plays, one.count + other.count))
        self.spans, self.width = joined, 2 * self.width

    def entropy(self) -> float | None:
        """Entropy of the latest plays as a share of the largest there can be: 1 if all arms are played alike, 0 if one is."""
        latest: dict[str, int] = {}
        for span in self.spans[-2:]:
            for arm, count in span.plays.items():
                latest[arm] = latest.get(arm, 0) + count
        arms, total = {arm for span in self.spans for arm in span.plays}, sum(latest.values())
        if total == 0:
            return None
        found = -sum(count / total * math.log(count / total) for count in latest.values())
        return found / math.log(len(arms)) if len(arms) > 1 else 0.0
