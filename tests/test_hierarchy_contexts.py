"""Contexts in any unit: what Auto with contexts makes of their columns."""

import numpy as np
import pytest
from linear_model import SHAPES, TWO, Hierarchy, play, sums_of, world

import hedgerow as hr
from hedgerow.core.records import named
from hedgerow.policies.auto_linear.standardize import set_units, standardized, standardized_sums
from hedgerow.policies.auto_linear.state import POLICY, new_state


@pytest.mark.parametrize(("rewards_by", "contexts_by"), [(1000.0, 1.0), (1.0, 1000.0), (1e-6, 1e4), (1024.0, 0.125)])
@pytest.mark.parametrize("shape", ["flat", "two"])
def test_units_do_not_matter(shape, rewards_by, contexts_by):
    contexts, means, rng = world(5, 12, 3, 600)
    noise = rng.uniform(0, 2, size=600)
    plain = play(Hierarchy(12, SHAPES[shape], 3), contexts, lambda t, arm: means[t, arm] * noise[t])
    scaled = play(Hierarchy(12, SHAPES[shape], 3), contexts * contexts_by, lambda t, arm: means[t, arm] * noise[t] * rewards_by)
    assert plain == scaled


def plainly_standardized(contexts):
    """Columns of 0 and 1 as they are; others by their deviation around the mean, or by their size if no column is constant."""
    constant = any(np.ptp(column) == 0.0 and column[0] != 0.0 for column in contexts.T)
    seen = contexts.copy()
    for j, column in enumerate(contexts.T):
        if not np.isin(column, (0.0, 1.0)).all():
            moving = constant and np.ptp(column) > 0.0
            seen[:, j] = (column - column.mean()) / column.std() if moving else column / np.sqrt((column**2).mean())
    return seen


def people(rng, rounds, constant):
    """Age, income, whether new; a city of three; a column that is always the same or one of zeros."""
    city = np.eye(3)[rng.integers(3, size=rounds)]
    age, income, new = rng.uniform(20, 80, rounds), rng.lognormal(10.5, 0.6, rounds), rng.random(rounds) < 0.3
    return np.column_stack([age, income, new, city, np.full(rounds, constant)])


@pytest.mark.parametrize("constant", [0.0, 2.5])
def test_contexts_are_seen_in_units_of_their_own(constant):
    rng = np.random.default_rng(8)
    contexts, rewards = people(rng, 50, constant), rng.normal(size=50)
    rows, state = sums_of(1, 7, [0] * 50, rewards, contexts), new_state(False, 7)
    named(state, POLICY).levels = 0.0
    set_units(0.4 * rows, 0.6 * rows, state)
    seen = plainly_standardized(contexts)
    np.testing.assert_allclose([standardized(state, context) for context in contexts], seen, rtol=1e-8, atol=1e-10)
    expected = sums_of(1, 7, [0] * 50, rewards, seen)[0, 3:]
    np.testing.assert_allclose(standardized_sums(state, rows, 0), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_a_column_may_be_in_any_unit_and_count_from_anywhere_if_there_is_a_constant(constant):
    rng = np.random.default_rng(9)
    contexts = people(rng, 600, constant)
    unit, start = np.array([0.01, 1000.0, 1.0, 1.0, 1.0, 1.0, 1.0]), np.array([-7.0, 3e4, 0.0, 0.0, 0.0, 0.0, 0.0])
    means, noise = plainly_standardized(contexts) @ rng.normal(size=(7, 12)), rng.normal(size=600)
    plain = play(Hierarchy(12, TWO, 7), contexts, lambda t, arm: means[t, arm] + noise[t])
    other = play(Hierarchy(12, TWO, 7), unit * (contexts + constant * start), lambda t, arm: means[t, arm] + noise[t])
    assert plain == other
    lost = (means.max(axis=1) - means[np.arange(600), plain])[300:].mean()
    assert lost < 0.1 * (means.max(axis=1) - means.mean(axis=1)).mean()


@pytest.mark.parametrize("level", [0.0, 1e3, 1e5])
def test_a_column_far_from_zero_is_not_taken_for_a_constant(level):
    contexts, means, rng = world(10, 12, 3, 500)
    noise = rng.normal(size=500)
    hierarchy = Hierarchy(12, TWO, 4)
    played = play(hierarchy, np.column_stack([np.ones(500), level + contexts]), lambda t, arm: means[t, arm] + noise[t])
    assert hierarchy.own.constant_column == 0.0
    lost = (means.max(axis=1) - means[np.arange(500), played])[250:].mean()
    assert lost < 0.15 * (means.max(axis=1) - means.mean(axis=1)).mean()


@pytest.mark.parametrize("size", [1e-120, 1e-150, 1e-157, 1e-170])
def test_columns_of_hardly_any_size_are_no_trouble(size):
    rng = np.random.default_rng(11)
    hierarchy = Hierarchy(4, None, 2)
    for t in range(20):
        hierarchy.learn(t % 4, rng.normal(), np.array([1.0, size * rng.normal()]))
    assert np.isfinite(hierarchy.arrays.rows).all()
    assert np.isfinite(hierarchy.estimate(1, np.array([1.0, size]))).all()


@pytest.mark.parametrize("context", [[1.0, np.nan, 0.0], [1.0, 0.0, 1e200]])
def test_an_unusable_context_changes_nothing(context):
    policy = hr.HierLinUCB(range(12), clusters=TWO, dimension=3)
    policy.learn(5, 1.0, np.ones(3))
    before = policy.explain(np.ones(3))
    with pytest.raises(ValueError, match="context"):
        policy.select(context)
    with pytest.raises(ValueError, match="context"):
        policy.learn(5, 1.0, context)
    assert policy.explain(np.ones(3)) == before
    assert policy.rounds == 1
