"""hedgerow."""

import numpy as np
from features.show import show

import hedgerow as hr

X, A, R = np.eye(2)[[0, 1, 0, 1]], ["a", "b", "b", "a"], [1.0, 0.0, 1.0, 0.0]


def one_reward():
    policy = hr.UCB(["a", "b"])
    policy.update(policy.select(), 1.0)


def contexts():
    hr.LinUCB(["a", "b"], dimension=2).select([1.0, 0.0])


def alike():
    policy = hr.Auto(["a", "b", "c"], clusters=["x", "x", "y"])
    policy.learn_many(["a", "c"] * 20, [1.0, 0.0] * 20)
    assert policy.explain()[0].mean > policy.explain()[1].mean


def grouping_judged():
    policy = hr.Auto(["a", "b", "c"], clusters=["x", "x", "y"], history=hr.History.from_rounds(arms=A, rewards=R))
    policy.learn_many(A, R)
    assert policy.trust().history is not None


def waiting():
    policy = hr.UCB(["a", "b"])
    policy.expect(policy.select())
    assert policy.select().arm == "b"


def new_arm():
    policy = hr.UCB(["a"])
    policy.add_arm("b")
    assert policy.arms == ("a", "b")


def probability():
    assert 0.0 < hr.UCB(["a", "b"], explore=0.1).select().propensity < 1.0


def offline():
    rng = np.random.default_rng(0)
    arms = rng.choice(["a", "b"], size=2000)
    log = {"arm": arms, "r": rng.random(2000) < np.where(arms == "a", 0.2, 0.5)}
    assert hr.evaluate(__import__("polars").DataFrame(log), arm="arm", reward="r", logging="random", rounds=100).gains


def merging():
    one, two = hr.UCB(["a", "b"]), hr.UCB(["a", "b"])
    one.learn("a", 1.0)
    two.learn("b", 1.0)
    one.merge(two)
    assert one.rounds == 2


def file_without_code():
    assert hr.from_bytes(hr.UCB(["a", "b"]).to_bytes()).arms == ("a", "b")


if __name__ == "__main__":
    show("hedgerow", globals())
