"""Auto with contexts as its tests look at it: a policy, the names of what it keeps, and worlds of arms that resemble others."""

import numpy as np

import hedgerow as hr
from hedgerow.core.records import named
from hedgerow.core.sums import observe, row_size
from hedgerow.core.tree import PARENT
from hedgerow.policies.auto_linear.index import best_arm, expected_reward
from hedgerow.policies.auto_linear.likelihood import pose
from hedgerow.policies.auto_linear.posterior import solve
from hedgerow.policies.auto_linear.refresh import refresh
from hedgerow.policies.auto_linear.standardize import standardized
from hedgerow.policies.auto_linear.state import NODE_SIZE, POLICY, Parts, dimension_seen, extra_spreads_of
from hedgerow.policies.scan import as_record

FLAT = None
TWO = [f"c{arm % 4}" for arm in range(12)]
THREE = [(f"a{arm % 2}", f"b{arm % 4}") for arm in range(12)]
UNEVEN = ["a", ("a", "b"), ("a", "b", "c"), "d", "d", ("e", "f"), "e", "a", ("a", "b"), ("g", "h", "i"), ("e", "f"), "d"]
SHAPES = {"flat": FLAT, "two": TWO, "three": THREE, "uneven": UNEVEN}


class Hierarchy:
    """A policy over arms 0, 1, ... and the arrays it works on."""

    def __init__(self, arms, clusters, d, history=None, weights=True):
        log = None if history is None else hr.History(list(range(arms)), history, d)
        self.policy = hr.HierLinUCB(
            range(arms), clusters=clusters, history=log, dimension=d, weights="auto" if weights else False
        )
        self.d = d

    @property
    def arrays(self):
        return self.policy.snapshot().arrays

    @property
    def parts(self):
        tree, online, history, _, rows, state, _ = self.arrays
        return Parts(tree, online, history, rows, state)

    @property
    def own(self):
        """The numbers of the policy as a whole, by name."""
        return named(self.arrays.state, POLICY)

    @property
    def leaves(self):
        return self.policy.snapshot().arms.leaves

    @property
    def extra_spreads(self):
        return extra_spreads_of(self.arrays.rows)

    def arm_of(self, leaf):
        return self.leaves.tolist().index(leaf)

    def nodes(self):
        return range(1, len(self.arrays.tree))

    def seen(self, contexts):
        """Contexts as the model sees them."""
        return np.array([standardized(self.arrays.state, context) for context in np.atleast_2d(contexts)])

    def choose(self, context, drawn=-1.0):
        """The arm of the highest index; -1 if there is none."""
        tree, _, _, _, rows, state, _ = self.arrays
        leaf = best_arm(tree, rows, rows, state, context, drawn)
        return leaf if leaf < 0 else self.arm_of(leaf)

    def learn(self, arm, reward, context):
        self.policy.learn(arm, reward, context)

    def estimate(self, node, context):
        """Mean and width of the index of a node."""
        tree, _, _, waiting, rows, state, _ = self.arrays
        return expected_reward(tree, waiting if len(waiting) else rows, state, context, node)

    def refresh(self):
        refresh(self.parts)

    def solved(self):
        """The rows from the sums, with all that was estimated as it is."""
        fresh = np.zeros_like(self.arrays.rows)
        extra_spreads_of(fresh)[:] = self.extra_spreads
        parts = self.parts._replace(rows=fresh)
        solve(pose(parts, False), parts.state)
        return fresh

    def record(self):
        """As ``own``, for kernels."""
        return as_record(self.arrays.state[: POLICY.itemsize // 8], POLICY)


def sums_of(arms, d, played, rewards, contexts):
    """Sums of rounds, a row for each arm."""
    rows = np.zeros((arms, row_size(d)))
    for arm, reward, context in zip(played, rewards, contexts, strict=True):
        observe(rows, arm, reward, context)
    return rows


def world(seed, arms, d, rounds, clusters=4, spread=0.5):
    """Contexts and the expected rewards of arms that resemble others."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(clusters, d))[np.arange(arms) % clusters] + spread * rng.normal(size=(arms, d))
    contexts = rng.normal(size=(rounds, d))
    return contexts, contexts @ theta.T, rng


def play(hierarchy, contexts, reward_of):
    """Choose and learn; the arms played."""
    played = []
    for t, context in enumerate(contexts):
        played.append(hierarchy.choose(context))
        hierarchy.learn(played[-1], reward_of(t, played[-1]), context)
    return played


def prior_covariances(tree, top, below, extra):
    """Of theta_u and theta_v, per coordinate: what their paths from the root share. ``extra``: what is added, by node."""

    def path(node):
        return [] if node == 0 else [*path(tree[node, PARENT]), node]

    def variance(node):
        return top if tree[node, PARENT] == 0 else below + extra[node]

    paths = [path(node) for node in range(len(tree))]
    return np.array([[sum(variance(v) for v in set(p) & set(q)) for q in paths] for p in paths])


def assert_same_posterior(hierarchy, tolerance):
    """Means and covariances are those of the sums; ceilings are only lowered by a refresh."""
    fresh, rows = hierarchy.solved(), hierarchy.arrays.rows
    end = NODE_SIZE + dimension_seen(hierarchy.arrays.state)
    for part in (slice(NODE_SIZE, end), slice(end, None)):
        assert np.abs(rows[1:, part] - fresh[1:, part]).max() <= tolerance * np.abs(fresh[1:, part]).max()
