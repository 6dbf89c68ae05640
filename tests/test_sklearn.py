"""hedgerow.sklearn keeps scikit-learn's contract, and gives what the policy itself gives."""

import numpy as np
import pytest

import hedgerow as hr

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow.sklearn import BanditClassifier

rng = np.random.default_rng(3)
X, ARMS = rng.normal(size=(300, 2)), rng.choice(["a", "b", "c"], size=300)
REWARDS = (X[:, 0] * (ARMS == "a") + X[:, 1] * (ARMS == "b") + 0.5 * (ARMS == "c")) + 0.1 * rng.normal(size=300)


@parametrize_with_checks([BanditClassifier(policy=hr.HLinUCB), BanditClassifier()])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_fit_is_a_policy_with_that_history():
    model = BanditClassifier(policy=hr.HLinUCB).fit(X, ARMS, reward=REWARDS)
    history = hr.History.from_rounds(arms=ARMS.tolist(), rewards=REWARDS, contexts=X)
    assert model.policy_.state_hash() == hr.HLinUCB(["a", "b", "c"], history=history).state_hash()
    assert model.predict([[3.0, 0.0], [0.0, 3.0], [-3.0, -3.0]]).tolist() == ["a", "b", "c"]
    assert model.decide(X[:5]).arms == model.policy_.select_many(X[:5]).arms


def test_partial_fit_is_rounds_learnt():
    model = BanditClassifier(policy=hr.LinUCB)
    with pytest.raises(ValueError, match="classes must name all arms"):
        model.partial_fit(X, ARMS, reward=REWARDS)
    model.partial_fit(X[:100], ARMS[:100], classes=["a", "b", "c"], reward=REWARDS[:100])
    model.partial_fit(X[100:], ARMS[100:], reward=REWARDS[100:])
    policy = hr.LinUCB(["a", "b", "c"], dimension=2)
    policy.learn_many(ARMS.tolist(), REWARDS.tolist(), list(X))
    assert model.policy_.state_hash() == policy.state_hash()
    with pytest.raises(ValueError, match="'d', which is no arm"):
        model.partial_fit(X[:1], ["d"], reward=[1.0])
    with pytest.raises(ValueError, match="one number for each row, 1"):
        model.partial_fit(X[:1], ["a"], reward=[1.0, 2.0])


def test_without_rewards_the_class_is_the_right_arm():
    right = np.where(X[:, 0] > 0.0, 1, 0)
    model = BanditClassifier(policy=hr.HLinUCB).fit(X, right)
    assert (model.predict(X) == right).mean() > 0.9
    assert model.policy_.history.sums.shape[0] == 2


def test_in_a_pipeline_behind_any_transformer():
    city = rng.choice(["Oslo", "Rome"], size=300)
    rows = np.column_stack([X[:, 0].astype(object), city.astype(object)])
    columns = make_column_transformer((StandardScaler(), [0]), (OneHotEncoder(), [1]))
    model = make_pipeline(columns, BanditClassifier(policy=hr.HLinUCB, clusters={"a": "x", "b": "x", "c": "y"}))
    with pytest.raises(TypeError, match="clusters"):
        clone(model).set_params(banditclassifier__clusters={"a": "x"}).fit(rows, ARMS)
    model.set_params(banditclassifier__policy=hr.HLinUCBC).fit(rows, ARMS, banditclassifier__reward=REWARDS)
    assert set(model.predict(rows)) <= {"a", "b", "c"}
    assert model[-1].policy_.clusters == ("x", "x", "y")
    assert clone(model)[-1].get_params()["policy"] is hr.HLinUCBC
