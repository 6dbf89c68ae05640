"""D3RB: choosing among experts by balancing what each could still owe (Pacchiano, Dann and Gentile, 2024).

Every expert has a price d, from 1 on, and a potential d sqrt(n); the lowest potential is followed. When an expert's rewards,
with all benefit of doubt, fall short of what another has shown, its price doubles. Prices are in units of the rewards' noise,
and depend on the order of rounds, so that no sums tell them.
"""

import math
from typing import Any

import numpy as np

from ..core.kernel import compiled, inlined
from ..core.records import Field
from ..core.sums import PLAYS, TOTAL, waiting_at
from ..core.types import Floats, Integers, Links
from . import estimated_scale
from .estimated_scale import SCALED_SIZE, fraction_of, scale_of
from .family import Arrays, Change, Estimates, Format, Waiting
from .parameter import SCALE
from .registry import register
from .scan import Kernels, Scan, added, learn_scaled, run

CHANCE_OF_A_WRONG_DOUBLING = 0.1
"""delta, over all experts and rounds."""

DOUBT_WIDTH = 0.5
"""c, in units of the noise: about half the rewards' standard deviation."""

HIGHEST_PRICE = 1e150


@inlined
def prices_of(state: Any) -> Any:
    """The price of each node."""
    return state[SCALED_SIZE:]


@compiled
def choose(tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, key: int) -> int:
    """The expert of lowest potential d sqrt(n); the first of equal ones."""
    prices = prices_of(state)
    chosen, least = 1, math.inf
    for node in range(1, len(tree)):
        potential = prices[node] * math.sqrt(online[node, PLAYS] + waiting_at(waiting, node))
        if potential < least:
            chosen, least = node, potential
    return chosen


@compiled
def doubt(plays: float, experts: int, scale: float) -> float:
    """w(n) = c sqrt(log(M log(n + e - 1) / delta) / n), M experts."""
    chance = CHANCE_OF_A_WRONG_DOUBLING
    return DOUBT_WIDTH * scale * math.sqrt(math.log(experts * math.log(plays + math.e - 1.0) / chance) / plays)


@compiled
def balance(tree: Links, online: Floats, scale: float, prices: Floats, expert: int) -> None:
    """Double an expert's price if its rewards fall short, after a reward was added to it."""
    experts = len(tree) - 1
    shown = -math.inf
    for node in range(1, len(tree)):
        plays = online[node, PLAYS]
        if plays > 0.0:
            shown = max(shown, online[node, TOTAL] / plays - doubt(plays, experts, scale))
    plays = online[expert, PLAYS]
    if plays > 0.0:
        hoped = online[expert, TOTAL] / plays + doubt(plays, experts, scale)
        if hoped + scale * prices[expert] / math.sqrt(plays) < shown:
            prices[expert] *= 2.0


@compiled
def learn(
    tree: Links, online: Floats, history: Floats, waiting: Floats, state: Floats, leaf: int, reward: float, settles: bool
) -> None:
    """Add a reward, and double the expert's price if it falls short."""
    learn_scaled(tree, online, history, waiting, state, leaf, reward, settles)
    balance(tree, online, scale_of(state).scale, prices_of(state), leaf)


@compiled
def play(
    tree: Links,
    online: Floats,
    history: Floats,
    waiting: Floats,
    state: Floats,
    key: int,
    rewards: Floats,
    rows: Integers,
    arm_of: Integers,
    arms: Integers,
) -> None:
    """A whole trial."""
    run(choose, learn, tree, online, history, waiting, state, key, rewards, rows, arm_of, arms)


def _minus_potentials(arrays: Arrays) -> Floats:
    plays = arrays.online[:, PLAYS] + (arrays.waiting[:, 0] if len(arrays.waiting) else 0.0)
    potentials: Floats = prices_of(arrays.state) * np.sqrt(plays)
    return 0.0 - potentials


class D3RBFamily:
    """``Scan`` with a price for each expert in its state.

    Args:
        fraction: Of the estimated noise, which the scale is to be; None for a scale that was given.
    """

    def __init__(self, fraction: float | None):
        kernels = Kernels(None, choose, play, learn)
        self.scan: Scan = Scan(kernels, estimated_scale.FIELDS, fraction=fraction, scores=_minus_potentials)
        self.choose, self.learn, self.wait = self.scan.choose, self.scan.learn, self.scan.wait
        self.play = self.scan.play

    def format(self, nodes: int, dimension: int | None) -> Format:
        """As in ``Scan``, and a price for each node."""
        prices = Field("prices", low=0.0, high=HIGHEST_PRICE, shape=(nodes,))
        scanned = self.scan.format(nodes, dimension)
        return scanned._replace(state=(*scanned.state, prices))

    def fit(self, arrays: Arrays, change: Change, waiting: Waiting = ()) -> Arrays:
        """The scale, if it is due; new experts start with a price of 1."""
        fitted = self.scan.fit(arrays, change, waiting)
        if change in (Change.MADE, Change.ARMS, Change.WITHDRAWN):
            prices = np.ones(len(arrays.tree))
            fitted = fitted._replace(state=np.concatenate([fitted.state[:SCALED_SIZE], prices]))
        return fitted

    def cut_state(self, state: Floats, nodes: Integers) -> Floats:
        """The state for some of the nodes: their prices.

        Args:
            state: Of all nodes.
            nodes: Those that stay.

        Returns:
            A shorter state.
        """
        return np.concatenate([state[:SCALED_SIZE], prices_of(state)[nodes]])

    def estimates(self, arrays: Arrays, context: Floats) -> Estimates:
        """Mean of every node, and minus its potential."""
        return self.scan.estimates(arrays, context)._replace(additive=False)

    def merge(self, own: Arrays, other: Arrays, since: Arrays | None) -> tuple[Floats, Floats]:
        """Sums add up; the higher price of each expert."""
        return added(own, other, since), np.maximum(own.state, other.state)


register(
    "d3rb",
    lambda values: D3RBFamily(fraction_of(values["scale"])),
    summary="The lowest d sqrt(n); the price d of an expert doubles when its rewards fall short",
    source="Pacchiano, Dann and Gentile 2024",
    parameters={"scale": SCALE._replace(default="auto", doc="Noise of the rewards, as a standard deviation.")},
    reads_history=False,
    reads_clusters=False,
    forgets=False,
)
