"""coba."""

import coba
from features.show import show

ACTIONS = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def one_reward():
    coba.BanditEpsilonLearner().learn(None, "a", 1.0, 0.5)


def contexts():
    coba.LinUCBLearner().predict((1.0, 2.0), ACTIONS)


def alike():
    learner = coba.LinUCBLearner(alpha=0.0, features=["a"])
    for _ in range(20):
        learner.learn(None, (1.0, 0.9, 0.0), 1.0, 0.5)
    chosen = learner.predict(None, [(0.9, 1.0, 0.0), (0.0, 0.0, 1.0)])
    assert chosen[0] == 1 or chosen[0] == (0.9, 1.0, 0.0)


def new_arm():
    learner = coba.BanditEpsilonLearner()
    learner.learn(None, "a", 1.0, 0.5)
    learner.predict(None, ["a", "b", "c"])


def probability():
    _, chance, *_ = coba.BanditEpsilonLearner(0.1).predict(None, ["a", "b"])
    assert 0.0 < chance <= 1.0


def offline():
    logged = coba.Environments.from_linear_synthetic(100, n_actions=2).logged(coba.RandomLearner()).ope_rewards("IPS")
    coba.Experiment(logged, coba.BanditEpsilonLearner(), evaluator=coba.SequentialCB(learn="off", eval="ips")).run(quiet=True)


if __name__ == "__main__":
    show("coba", globals())
