"""Vowpal Wabbit."""

import tempfile
from pathlib import Path

import vowpalwabbit as vw
from features.show import show

ARMS = ["|a ad_1 sport", "|a ad_2 sport", "|a ad_3 news"]
LABELLED = ["0:-1:0.5 |a ad_1 sport", *ARMS[1:]]


def _bandit(options="--cb_explore_adf --epsilon 0.1"):
    return vw.Workspace(f"{options} --quiet")


def one_reward():
    _bandit().learn(LABELLED)


def contexts():
    _bandit("--cb_explore_adf -q sa").predict(["shared |s age:31", *ARMS])


def alike():
    bandit = _bandit()
    for _ in range(50):
        bandit.learn(LABELLED)
        bandit.learn([*ARMS[:2], "0:0:0.5 |a ad_3 news"])
    shares = _greedy(bandit)
    assert shares[1] > shares[2] or shares[0] > shares[2]


def _greedy(bandit):
    return bandit.predict(ARMS)


def new_arm():
    bandit = _bandit()
    bandit.learn(LABELLED)
    assert len(bandit.predict([*ARMS, "|a ad_4 sport"])) == 4


def probability():
    assert abs(sum(_bandit().predict(ARMS)) - 1.0) < 1e-6


def offline():
    judge = _bandit("--explore_eval --cb_explore_adf --epsilon 0.1")
    for _ in range(20):
        judge.learn(LABELLED)
    judge.get_sum_loss()


def merging():
    one, two = _bandit(), _bandit()
    one.learn(LABELLED)
    two.learn(LABELLED)
    vw.merge_models(None, [one, two])


def file_without_code():
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.vw")
        _bandit().save(path)
        vw.Workspace(f"-i {path} --quiet").predict(ARMS)


def continuous():
    bandit = _bandit("--cats 4 --min_value 0 --max_value 32 --bandwidth 1")
    bandit.learn("ca 3.5:-1:0.1 | age:31")
    bandit.predict("| age:31")


if __name__ == "__main__":
    show("vowpalwabbit", globals())
