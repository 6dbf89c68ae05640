"""bayesianbandits."""

import numpy as np
from bayesianbandits import (
    Agent,
    Arm,
    ArmColumnFeaturizer,
    ContextualAgent,
    LipschitzContextualAgent,
    NormalRegressor,
    ThompsonSampling,
)
from features.show import show


def _arms():
    return [Arm(name, learner=NormalRegressor(alpha=1, beta=1)) for name in ("a", "b")]


def one_reward():
    agent = Agent(_arms(), ThompsonSampling(), random_seed=0)
    agent.pull()
    agent.update(np.array([1.0]))


def contexts():
    ContextualAgent(_arms(), ThompsonSampling(), random_seed=0).pull(np.array([[1.0, 2.0]]))


def alike():
    made = {"arm_featurizer": ArmColumnFeaturizer(column_name="arm"), "learner": NormalRegressor(alpha=1, beta=1)}
    agent = LipschitzContextualAgent([Arm(0.1), Arm(0.2)], ThompsonSampling(), random_seed=0, **made)
    agent.pull(np.array([[1.0]]))
    agent.update(np.array([[1.0]]), np.array([1.0]))


def new_arm():
    agent = Agent(_arms(), ThompsonSampling(), random_seed=0)
    agent.add_arm(Arm("c", learner=NormalRegressor(alpha=1, beta=1)))


if __name__ == "__main__":
    show("bayesianbandits", globals())
