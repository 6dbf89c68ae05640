"""The hand-written loops, on the same work; and how fast memory can be read."""

import numpy as np
from bare import hlinucbc, hucbc, linucb, ucb_scan
from work import drawn, generator, linear
from workers.measure import answer, timed

import hedgerow as hr


def _ridge(log, group_of, groups, dimension):
    """A^-1 and theta of each group of arms from a log."""
    grams, sums = np.tile(np.eye(dimension), (groups, 1, 1)), np.zeros((groups, dimension))
    order = np.argsort(group_of[log.arms], kind="stable")
    bounds = np.searchsorted(group_of[log.arms][order], np.arange(groups + 1))
    for group in range(groups):
        rows = order[bounds[group] : bounds[group + 1]]
        grams[group] += log.contexts[rows].T @ log.contexts[rows]
        sums[group] = log.contexts[rows].T @ log.rewards[rows]
    inverses = np.linalg.inv(grams)
    return inverses, np.einsum("kij,kj->ki", inverses, sums)


def flat(task):
    """LinUCB over all arms."""
    inputs = linear(task)
    model = _ridge(inputs.log, np.arange(task["arms"]), task["arms"], task["dimension"])
    chosen, rewards = np.zeros(task["rounds"], dtype=np.int64), inputs.rewards()
    seconds, _ = timed(lambda: linucb(*model, inputs.contexts, rewards, chosen))
    return answer(seconds, task["rounds"], chosen)


def _dealt(task):
    """The trial that hedgerow plays, its arms side by side by cluster: trial, order of the arms, bounds of the clusters."""
    problems = {"HUCBC": hr.problems.SyntheticClassical, "HLinUCBC": hr.problems.SyntheticContextual}
    trial = problems[task["policy"]](arms=task["arms"]).trial(task["rounds"], generator(task, 0))
    rank = {label: place for place, label in enumerate(dict.fromkeys(trial.clusters))}
    cluster_of = np.array([rank[label] for label in trial.clusters])
    order = np.argsort(cluster_of, kind="stable")
    return trial, order, np.searchsorted(cluster_of[order], np.arange(len(rank) + 1))


def trial(task):
    """A whole trial of HUCBC or HLinUCBC."""
    dealt, order, starts = _dealt(task)
    sums = dealt.history.rows_for(dealt.arms, dealt.dimension)
    chosen, rewards = np.zeros(task["rounds"], dtype=np.int64), np.ascontiguousarray(dealt.rewards[:, order])
    if task["policy"] == "HUCBC":
        past = np.ascontiguousarray(sums[order, :2].T)
        seconds, _ = timed(lambda: hucbc(past[0], past[1], starts, rewards, chosen))
    else:
        arms = _from_sums(sums[order], dealt.dimension)
        groups = _from_sums(np.add.reduceat(sums[order], starts[:-1]), dealt.dimension)
        seconds, _ = timed(lambda: hlinucbc(*arms, *groups, starts, dealt.contexts, rewards, chosen))
    return answer(seconds, task["rounds"], order[chosen])


def _from_sums(sums, dimension):
    """A^-1 and theta from rows of sums as History keeps them: 3 numbers, sum of r x, sum of x x', packed, and sum of x."""
    rows, columns = np.tril_indices(dimension)
    grams = np.zeros((len(sums), dimension, dimension))
    grams[:, rows, columns] = grams[:, columns, rows] = sums[:, 3 + dimension : 3 + dimension + rows.size]
    inverses = np.linalg.inv(grams + np.eye(dimension))
    return inverses, np.einsum("kij,kj->ki", inverses, sums[:, 3 : 3 + dimension])


def scan(task):
    """UCB by one vectorised scan a round."""
    inputs = drawn(task)
    past = np.full(task["arms"], float(task["played"]))
    seconds, chosen = timed(lambda: ucb_scan(inputs.means, inputs.uniforms, past, past * inputs.first))
    return answer(seconds, task["rounds"], chosen)


def memory(task):
    """Read an array of floats from end to end, by the dot product with itself."""
    values = generator(task, 0).random(task["floats"])
    times = [timed(lambda: np.dot(values, values))[0] for _ in range(task["rounds"])]
    return answer(float(np.median(times)), 1, bytes=values.nbytes)


PACKAGE = "hedgerow"
KINDS = {"linucb": flat, "trial": trial, "drawn": scan, "memory": memory}
