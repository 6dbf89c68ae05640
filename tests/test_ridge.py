"""Ridge estimates against numpy.linalg.solve on the same data."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.sums import row_size
from hedgerow.policies.ridge import THETA


def unpacked(packed, d):
    matrix = np.zeros((d, d))
    matrix[np.tril_indices(d)] = packed
    return matrix + np.tril(matrix, -1).T


def relative(one, other):
    return np.abs(one - other).max() / np.abs(other).max()


def test_estimates_equal_a_solve_of_the_paper_s_matrices():
    rng = np.random.default_rng(0)
    d, arms, clusters = 4, ["a", "b", "c"], ["x", "x", "y"]
    past = [(arms[k], rng.normal(size=d), rng.normal()) for k in rng.integers(3, size=25)]
    history = hr.History.from_rounds(
        arms=[a for a, _, _ in past], rewards=[r for _, _, r in past], contexts=[x for _, x, _ in past]
    )
    policy = hr.HLinUCBC(arms, clusters=clusters, history=history, alpha=2.0)
    rounds = list(past)
    for _ in range(50):
        x = rng.normal(size=d)
        decision = policy.select(x)
        reward = rng.normal()
        policy.update(decision, reward)
        rounds.append((decision.arm, x, reward))
    x = rng.normal(size=d)
    for score in policy.explain(x):
        mine = [(x_, r) for a, x_, r in rounds if score.label in (a, clusters[arms.index(a)])]
        A = np.eye(d) + sum(np.outer(x_, x_) for x_, _ in mine)  # the identity once, for arms and clusters alike
        b = sum(r * x_ for x_, r in mine)
        assert score.mean == pytest.approx(np.linalg.solve(A, b) @ x, rel=1e-10)
        assert score.width == pytest.approx(2.0 * np.sqrt(x @ np.linalg.solve(A, x)), rel=1e-10)
        assert score.plays + score.history == len(mine)


@pytest.mark.parametrize("d", [1, 5, 20])
@pytest.mark.parametrize("kind", ["normal", "correlated", "large", "one-hot", "tiny"])
def test_the_inverse_stays_accurate_over_100_000_updates(kind, d):
    rng = np.random.default_rng(d)
    X = {
        "normal": lambda: rng.normal(size=(100_000, d)),
        "correlated": lambda: rng.normal(size=(100_000, 1)) + 0.01 * rng.normal(size=(100_000, d)),
        "large": lambda: 1000.0 * rng.normal(size=(100_000, d)),
        "one-hot": lambda: np.eye(d)[rng.integers(d, size=100_000)],
        "tiny": lambda: 1e-3 * rng.normal(size=(100_000, d)),
    }[kind]()
    rewards = X @ rng.normal(size=d) + rng.normal(size=100_000)
    policy = hr.LinUCB(["a"], dimension=d)
    for x, reward in zip(X, rewards, strict=True):
        policy.learn("a", reward, x)
    A, b = np.eye(d) + X.T @ X, X.T @ rewards
    row = policy.snapshot().arrays.rows[1]
    theta, inverse = row[THETA : THETA + d], unpacked(row[THETA + d :], d)
    assert relative(theta, np.linalg.solve(A, b)) < 1e-8
    assert relative(inverse, np.linalg.inv(A)) < 1e-8


@pytest.mark.parametrize("kind", ["normal", "correlated"])
def test_single_precision_errs_by_a_millionth(kind, tmp_path):
    rng = np.random.default_rng(3)
    d, n = 20, 20_000
    X = rng.normal(size=(n, d)) if kind == "normal" else rng.normal(size=(n, 1)) + 0.1 * rng.normal(size=(n, d))
    rewards = X @ rng.normal(size=d) + rng.normal(size=n)
    single, double = (hr.LinUCB(["a", "b"], dimension=d, precision=precision) for precision in ("single", "double"))
    for x, reward in zip(X, rewards, strict=True):
        for policy in (single, double):
            policy.learn("a", reward, x)
    assert single.snapshot().arrays.rows.dtype == np.float32
    for x in X[:50]:
        one, other = single.explain(x)[0], double.explain(x)[0]
        assert one.index == pytest.approx(other.index, rel=2e-5, abs=2e-5)
    single.save(tmp_path / "single.zip")
    loaded = hr.load(tmp_path / "single.zip")
    assert loaded.snapshot().arrays.rows.dtype == np.float32
    assert loaded.explain(X[0]) == single.explain(X[0])


@pytest.mark.parametrize(("level", "error"), [(0.0, 1e-5), (2015.0, 3e-3), (1.7e9, 3e-3)], ids=["centred", "year", "seconds"])
def test_single_precision_loses_digits_to_a_column_far_from_0(level, error):
    rng = np.random.default_rng(0)
    single, double = (hr.LinUCB(["a"], dimension=4, precision=precision) for precision in ("single", "double"))
    for x in (contexts := np.column_stack([np.ones(500), level + 9.0 * rng.normal(size=500), rng.normal(size=(500, 2))])):
        reward = float(rng.normal())
        for policy in (single, double):
            policy.learn("a", reward, x)
    for x in contexts[:50]:
        one, other = single.explain(x)[0], double.explain(x)[0]
        assert one.width == pytest.approx(other.width, rel=error)
        assert one.mean == pytest.approx(other.mean, abs=error * other.width)


EXTREME = {"apart": [1e-60, 1e60], "huge": [1e80, 1.0], "tiny": [1e-80, 0.1], "seconds": [9e14, 1.0]}


@pytest.mark.parametrize("sizes", EXTREME.values(), ids=EXTREME)
@pytest.mark.parametrize("make", [hr.LinUCBC, hr.Auto, hr.META], ids=lambda make: make.__name__)
def test_columns_of_extreme_sizes_leave_a_policy_that_can_be_saved(make, sizes, tmp_path):
    policy, rng = make(range(3), clusters=[0, 0, 1], dimension=2), np.random.default_rng(0)
    for _ in range(40):
        decision = policy.select(sizes * rng.uniform(-1.0, 1.0, 2))
        policy.update(decision, float(rng.normal()))
    assert np.isfinite([score.mean for score in policy.explain(sizes)]).all()
    policy.save(tmp_path / "state")
    assert hr.load(tmp_path / "state").select(sizes).arm == policy.select(sizes).arm


def test_single_precision_holds_numbers_up_to_its_limit(tmp_path):
    policy, rng = hr.LinUCB(range(3), dimension=2, precision="single"), np.random.default_rng(0)
    for _ in range(40):
        policy.update(policy.select([9e14 * rng.uniform(), rng.normal()]), float(rng.normal()))
    assert np.isfinite([score.index for score in policy.explain([9e14, 1.0])]).all()
    policy.save(tmp_path / "state")
    assert hr.load(tmp_path / "state").rounds == 40


def test_single_precision_refuses_numbers_whose_squares_it_cannot_hold():
    policy = hr.LinUCBC(["a", "b"], clusters=["x", "y"], dimension=2, precision="single")
    large = [1e24, 1e24]
    decision = policy.select([1.0, 1.0])
    attempts = (
        lambda: policy.learn("a", 1.0, large),
        lambda: policy.learn("a", 1e24, [1.0, 1.0]),
        lambda: policy.select(large),
        lambda: policy.select_many([large]),
        lambda: policy.expect(decision._replace(context=tuple(large))),
        lambda: policy.explain(large),
    )
    for attempt in attempts:
        with pytest.raises(ValueError, match="small enough to be squared, below 1e\\+15, got"):
            attempt()
    history = hr.History.from_rounds(arms=["a", "b"], rewards=[1.0, 1.0], contexts=[large, large])
    with pytest.raises(ValueError, match="needs rewards and contexts below 1e\\+15, the history has others"):
        policy.history = history
    assert policy.rounds == len(policy.waiting) == sum(score.plays for score in policy.explain([1.0, 1.0])) == 0
    for _ in range(600):
        policy.learn("a", 9e14, [9e14, -9e14])
    assert np.isfinite([score.index for score in policy.explain([9e14, 9e14])]).all()


def test_contexts_too_large_for_the_identity_to_show_stay_finite():
    policy = hr.LinUCB(["a", "b"], dimension=2)
    for _ in range(5):
        policy.learn("a", 1.0, [1e12, 1e12])
    decision = policy.select([1.0, 1.0])
    assert np.isfinite([score.index for score in policy.explain([1.0, 1.0])]).all()
    assert decision.arm == "b"


def test_arms_with_the_same_data_in_another_order_tie():
    rng = np.random.default_rng(4)
    X, r = rng.normal(size=(200, 3)), rng.normal(size=200)
    policy = hr.LinUCB(["a", "b"], dimension=3)
    for t in range(200):
        policy.learn("b", r[t], X[t])
    for t in reversed(range(200)):
        policy.learn("a", r[t], X[t])
    assert {policy.select(x).arm for x in rng.normal(size=(50, 3))} == {"a"}
    seen = {policy.select(X[0], rng=np.random.default_rng(seed)).arm for seed in range(20)}
    assert seen == {"a", "b"}


@pytest.mark.parametrize("clusters", [None, ["x", "y", "x", "y", "z", "z"]], ids=["flat", "clustered"])
def test_select_many_equals_one_by_one(clusters):
    rng = np.random.default_rng(5)
    policy = hr.LinUCBC(range(6), clusters=clusters, dimension=5)
    for _ in range(300):
        x = rng.normal(size=5)
        policy.update(policy.select(x), float(x[0] + rng.normal()))
    X = np.vstack([rng.normal(size=(400, 5)), np.zeros((3, 5)), np.eye(5)])
    assert policy.select_many(X) == [policy.select(x) for x in X]
    one, many = np.random.default_rng(1), np.random.default_rng(1)
    assert policy.select_many(X, rng=many) == [policy.select(x, rng=one) for x in X]
    meta = hr.META(range(6), clusters=clusters, dimension=5)
    assert meta.select_many(X) == [meta.select(x) for x in X]
    assert meta.select_many(X).arms == [meta.select(x).arm for x in X]
    outer = hr.Meta({"inner": meta})
    assert outer.select_many(X) == [outer.select(x) for x in X]
    one, many = (np.random.default_rng(5) for _ in range(2))
    assert outer.select_many(X[:9], rng=many) == [outer.select(x, rng=one) for x in X[:9]]


@pytest.mark.parametrize("clusters", [None, [k % 4 for k in range(60)]], ids=["flat", "clustered"])
@pytest.mark.parametrize("logged", [0, 900, 6000], ids=["cold", "warm", "hot"])  # nothing, something, nearly all can be ruled out
def test_select_many_equals_one_by_one_however_much_it_rules_out(logged, clusters):
    rng = np.random.default_rng(6)
    seen, arms = rng.normal(size=(logged, 4)), rng.integers(60, size=logged)
    paid = (rng.normal(size=(60, 4))[arms] * seen).sum(axis=1)
    history = hr.History.from_rounds(arms=arms, rewards=paid, contexts=seen) if logged else None
    policy = hr.HLinUCBC(range(60), clusters=clusters, history=history, dimension=4)
    X = np.vstack([rng.normal(size=(100, 4)), np.zeros((2, 4)), np.eye(4)])
    assert policy.select_many(X) == [policy.select(x) for x in X]
    one, many = np.random.default_rng(1), np.random.default_rng(1)
    assert policy.select_many(X, rng=many) == [policy.select(x, rng=one) for x in X]
    assert policy.select_many(X[:0]) == []


def test_a_batch_of_decisions_is_like_a_list():
    policy = hr.LinUCBC(["a", "b", "c"], clusters=["x", "y", "y"], dimension=2)
    X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    batch, each = policy.select_many(X), [policy.select(x) for x in X]
    X[:] = 9.0  # the caller's array; decisions keep what they were made for
    assert len(batch) == 3
    assert batch[-1] == each[-1]
    assert batch[1:] == each[1:]
    assert batch == each
    assert batch != each[:2]
    assert list(reversed(batch)) == each[::-1]
    assert batch.arms == [decision.arm for decision in each]
    assert repr(batch) == repr(each)
    with pytest.raises(IndexError):
        batch[3]
    for decision in batch:
        policy.update(decision, 1.0)
    assert policy.rounds == 3


def test_scores_that_nearly_tie_go_to_the_first_of_the_best():
    policy = hr.LinUCB(range(4), dimension=1)
    for arm, reward in enumerate((0.0, 1.0, 1.0 + 4e-11, 1.0 + 12e-11)):  # the second ties with the third, not with the last
        for _ in range(1000):
            policy.learn(arm, reward, [1.0])
    assert policy.select([1.0]).arm == 2
    assert policy.select_many([[1.0]]).arms == [2]
    chosen = {policy.select([1.0], rng=np.random.default_rng(seed)).arm for seed in range(20)}
    assert chosen == {2, 3}


@pytest.mark.parametrize(("d", "arms"), [(1, 3), (4, 3), (16, 20), (17, 3), (3, 500)])
def test_the_sums_of_a_log_are_those_of_its_rounds(d, arms):
    rng = np.random.default_rng(d)
    rows, r, X = rng.integers(arms, size=20_000), rng.normal(size=20_000), rng.normal(size=(20_000, d))
    history = hr.History.from_rounds(arms=rows, rewards=r, contexts=X)
    for arm in (0, arms // 2, arms - 1):
        mine = rows == arm
        sums = history.sums[history.arms.index(arm)]
        xx = X[mine].T @ X[mine]
        expected = [mine.sum(), r[mine].sum(), (r[mine] ** 2).sum(), *(r[mine] @ X[mine]), *xx[np.tril_indices(d)]]
        np.testing.assert_allclose(sums, [*expected, *X[mine].sum(axis=0)], rtol=1e-9, atol=1e-9)
    rewards_alone = hr.History.from_rounds(arms=rows, rewards=r)
    np.testing.assert_array_equal(history.sums[:, :3], rewards_alone.sums)
    X[12_345, 0] = np.nan
    with pytest.raises(ValueError, match="round 12345"):
        hr.History.from_rounds(arms=rows, rewards=r, contexts=X)


def test_rows_are_packed():
    assert row_size(None) == 3
    assert row_size(10) == 3 + 10 + 55 + 10
