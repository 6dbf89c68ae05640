"""contextualbandits."""

import numpy as np
from contextualbandits.evaluation import evaluateRejectionSampling
from contextualbandits.online import BootstrappedUCB, LinUCB
from features.show import show
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(0)
X, A, R = rng.normal(size=(60, 2)), rng.integers(2, size=60), rng.integers(2, size=60).astype(float)


def one_reward():
    LinUCB(2).fit(X, A, R).partial_fit(X[:1], A[:1], R[:1])


def contexts():
    LinUCB(2).fit(X, A, R).predict(X)


def new_arm():
    bandit = LinUCB(2).fit(X, A, R)
    bandit.add_arm()
    bandit.predict(X)


def offline():
    evaluateRejectionSampling(LinUCB(2).fit(X, A, R), X, A, R, online=False)


def any_model():
    BootstrappedUCB(LogisticRegression(), nchoices=2, njobs_arms=1).fit(X, A, R).predict(X)


if __name__ == "__main__":
    show("contextualbandits", globals())
