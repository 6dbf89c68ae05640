"""MABWiser."""

import numpy as np
from features.show import show
from mabwiser.mab import MAB, LearningPolicy
from mabwiser.simulator import Simulator

A, R = ["a", "b"] * 30, [1, 0, 0] * 20


def _mab():
    mab = MAB(["a", "b"], LearningPolicy.EpsilonGreedy(epsilon=0.1))
    mab.fit(A, R)
    return mab


def one_reward():
    _mab().partial_fit(["a"], [1])


def contexts():
    mab = MAB(["a", "b"], LearningPolicy.LinUCB())
    mab.fit(A, R, np.eye(2)[[0, 1] * 30])
    mab.predict([[1.0, 0.0]])


def alike():
    mab = _mab()
    mab.add_arm("c")
    mab.warm_start({"a": [0.0], "b": [9.0], "c": [0.1]}, distance_quantile=0.9)
    expected = mab.predict_expectations()
    assert expected["c"] == expected["a"]


def new_arm():
    mab = _mab()
    mab.add_arm("c")
    assert "c" in mab.arms


def offline():
    sim = Simulator([("greedy", _mab())], A, R, test_size=0.5, is_ordered=True, seed=1)
    sim.run()


if __name__ == "__main__":
    show("mabwiser", globals())
