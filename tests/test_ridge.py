"""Ridge estimates against numpy.linalg.solve on the same data."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.statistics import THETA, row_size


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
        assert score.pulls + score.history == len(mine)


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
    theta, inverse = policy._nodes.derived[1, THETA : THETA + d], unpacked(policy._nodes.derived[1, THETA + d :], d)
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
    assert single._nodes.derived.dtype == np.float32
    for x in X[:50]:
        one, other = single.explain(x)[0], double.explain(x)[0]
        assert one.index == pytest.approx(other.index, rel=2e-5, abs=2e-5)
    single.save(tmp_path / "single.zip")
    loaded = hr.load(tmp_path / "single.zip")
    assert loaded._nodes.derived.dtype == np.float32
    assert loaded.explain(X[0]) == single.explain(X[0])


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


def test_rows_are_packed():
    assert row_size(None) == 3
    assert row_size(10) == 3 + 10 + 55 + 10
