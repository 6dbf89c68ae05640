"""river."""

from features.show import show
from river.bandit import UCB, LinUCBDisjoint, evaluate_offline


def _ucb():
    return UCB(delta=1.0, seed=0)


def one_reward():
    policy = _ucb()
    policy.update(policy.pull(["a", "b"]), 1.0)


def contexts():
    LinUCBDisjoint(alpha=1.0, beta=1.0, seed=0).pull(["a", "b"], {"age": 31.0})


def new_arm():
    policy = _ucb()
    policy.update(policy.pull(["a", "b"]), 1.0)
    policy.pull(["a", "b", "c"])


def offline():
    evaluate_offline(_ucb(), [(["a", "b"], None, "a", 1.0), (["a", "b"], None, "b", 0.0)] * 10)


if __name__ == "__main__":
    show("river", globals())
