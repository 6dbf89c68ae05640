"""The problem that a log describes: rewards are drawn from its rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.labels import shown
from ...core.types import Floats, Integers, Label
from ...data.encoding import Encoding
from ...data.history import History
from ...data.log import Log
from ...data.rows import Mask
from .trial import Trial

CELLS = 4_000_000
"""Numbers that are compared at once while nearest rows are looked for: 32 MB."""


@dataclass(frozen=True)
class FromLog:
    """A bandit whose rewards are drawn, with replacement, from the rows of a log.

    Without contexts an arm pays a random one of its logged rewards; its expected reward is their mean in the log. With contexts
    each round takes the context of a random row. An arm then pays the reward of a random one among its ``neighbours`` rows with
    the nearest contexts (all that are equally near), and its expected reward is their mean. Distances are Euclidean; numbers
    are scaled by mean and standard deviation, and categories are 0 and 1. Policies get contexts in that form. A column of ones
    stays as it is.

    Assumed, and not checked:

    - The rows of an arm say what it would have earned in the other rounds, too. That holds if arms were drawn at random; with
      contexts, if the choice depended on nothing but these. Propensities are not used.
    - Rewards do not change over time, and an arm's reward changes little between near contexts. Finer differences are averaged
      out, and where an arm has no row nearby, rows from afar stand in.
    - The log's means are the truth. An arm with few rows may owe its high mean to luck. It then is the best arm here, and
      regret is counted against it; ``hr.evaluate`` allows for that.

    Looking for neighbours takes time in proportion to rounds times rows: some seconds a trial for 10,000 of both.

    Args:
        log: From ``hr.Log.read``. Arms that only its clusters name are left out.
        history_plays: Random rows of the log that policies with a history start from.
        neighbours: Nearest rows of each arm that a reward is drawn from.

    Raises:
        ValueError: An argument is unfit, or a context never differs between the rows of an arm.

    Examples:
        >>> import hedgerow as hr, polars
        >>> frame = polars.DataFrame({"ad": ["a", "b", "b", "a"] * 50, "click": [0, 1, 1, 0, 1, 0, 0, 0] * 25})
        >>> problem = hr.problems.FromLog(hr.Log.read(frame, arm="ad", reward="click"))
        >>> print(problem)
        frame of polars: 200 rows, 2 arms
        >>> problem.arms, problem.trial(rounds=10, rng=np.random.default_rng(0)).expected.tolist()
        (('a', 'b'), [[0.25, 0.5]])
        >>> result = hr.simulate([hr.UCB, hr.Auto], problem, rounds=200, trials=4, jobs=1)
        >>> result.policies
        ('UCB', 'Auto')
    """

    log: Log
    history_plays: int = 0
    neighbours: int = 20

    def __post_init__(self) -> None:
        if not isinstance(self.log, Log):
            raise ValueError(f"log must be a hedgerow.Log, as hedgerow.Log.read makes it, got {type(self.log).__name__}")
        for name, value, least in (("history_plays", self.history_plays, 0), ("neighbours", self.neighbours, 1)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
        if fixed := self.log.fixed_contexts():
            raise ValueError(f"context {shown(fixed)} is the same in all rows of an arm: leave it out, or give it as clusters")

    @property
    def arms(self) -> tuple[Label, ...]:
        """The names of the arms, which a trial numbers in this order."""
        return self.log.arms[: self.log.tried]

    @property
    def dimension(self) -> int | None:
        """How many numbers a context has, None for none."""
        return self._contexts.shape[1] or None

    def trial(self, rounds: int, rng: np.random.Generator) -> Trial:
        """The draws of one trial.

        Args:
            rounds: How many rounds it has.
            rng: The draws.

        Returns:
            The trial.
        """
        log, X = self.log, self._contexts
        logged = rng.integers(len(log), size=self.history_plays)
        history = History.from_rounds(
            arms=log.arm[logged], rewards=log.reward[logged], contexts=None if self.dimension is None else X[logged]
        )
        contexts = X[rng.integers(len(log), size=rounds)] if X.shape[1] else np.zeros((rounds, 0))
        paid = [self._paid(rows, contexts, rng) for rows in self._rows_of]
        rewards, expected = (np.column_stack(parts) for parts in zip(*paid, strict=True))
        clusters = () if log.clusters is None else log.clusters[: log.tried]
        return Trial(clusters, history, rewards, expected, np.arange(rounds), contexts)

    @cached_property
    def _contexts(self) -> Floats:
        """The context of each row as numbers."""
        context = self.log.context
        return Encoding.of(context, scale=True).matrix(context) if context else np.zeros((len(self.log), 0))

    @cached_property
    def _rows_of(self) -> list[Integers]:
        """The rows of each arm."""
        ends = np.cumsum(np.bincount(self.log.arm, minlength=self.log.tried))[:-1]
        return np.split(np.argsort(self.log.arm, kind="stable"), ends)

    def _paid(self, rows: Integers, contexts: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """What an arm with these rows pays in each round, and its expected reward: in each round, or one without contexts."""
        rewards, drawn = self.log.reward[rows], rng.random(len(contexts))
        if not contexts.shape[1]:
            return rewards[(drawn * rows.size).astype(np.int64)], rewards.mean(keepdims=True)
        paid, expected = np.empty(len(contexts)), np.empty(len(contexts))
        step = max(CELLS // (rows.size * contexts.shape[1]), 1)
        for start in range(0, len(contexts), step):
            part = slice(start, start + step)
            near = _nearest(contexts[part], self._contexts[rows], self.neighbours)
            counts = near.sum(axis=1)
            place = (drawn[part] * counts).astype(np.int64)
            paid[part] = rewards[(near.cumsum(axis=1) > place[:, None]).argmax(axis=1)]
            expected[part] = near @ rewards / counts
        return paid, expected

    def __str__(self) -> str:
        clusters = "" if self.log.clusters is None else f" in {len(set(self.log.clusters[: self.log.tried]))} clusters"
        contexts = f", contexts of {self.dimension}, {self.neighbours} nearest rows" if self.dimension else ""
        history = f", {self.history_plays:,} historical plays" if self.history_plays else ""
        return f"{self.log.source}: {len(self.log):,} rows, {len(self.arms)} arms{clusters}{contexts}{history}"


def _nearest(contexts: Floats, others: Floats, count: int) -> Mask:
    """Per context, which of the others are among the nearest; those as far as the last one are, too."""
    distances = ((contexts[:, None, :] - others[None, :, :]) ** 2).sum(axis=2)
    if count >= len(others):
        return np.ones(distances.shape, dtype=np.bool_)
    return np.asarray(distances <= np.partition(distances, count - 1, axis=1)[:, count - 1 : count])
