"""Several threads on one policy: nothing breaks, and plain updates all count."""

import contextlib
import os
import signal
import sys
import threading
import warnings

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.kernel import COMPILED


@pytest.fixture
def often():
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def run(*workers):
    threads = [threading.Thread(target=worker) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_every_update_counts():
    policy = hr.HUCBC(range(300), clusters=[k % 2 for k in range(300)])

    def work():
        for _ in range(500):
            policy.update(policy.select(), 1.0)

    run(*[work] * 4)
    assert policy.rounds == 2000


@pytest.mark.parametrize("dimension", [None, 3])
@pytest.mark.parametrize("make", [hr.HUCBC, hr.Auto, hr.META], ids=lambda make: make.__name__)
def test_decisions_that_wait_are_all_counted(make, dimension, often):
    if dimension is not None and make is hr.HUCBC:
        make = hr.HLinUCBC
    given = {} if dimension is None else {"dimension": dimension}
    policy = make(range(40), clusters=[k % 4 for k in range(40)], **given)
    context = None if dimension is None else [1.0, 0.5, -0.5]
    policy.update(policy.select(context), 0.5)

    def work():
        for _ in range(60):
            kept, gone = policy.select(context), policy.select(context)
            policy.expect(kept)
            policy.expect(gone)
            policy.update(kept, 1.0)
            policy.cancel(gone)

    run(*[work] * 4)
    assert (policy.rounds, policy.waiting) == (241, [])
    np.testing.assert_array_equal([score.waiting for score in policy.explain(context)], 0)


def test_arms_may_come_while_others_choose():
    policy = hr.UCB(range(400))
    done = threading.Event()

    def choose():
        while not done.is_set():
            with contextlib.suppress(KeyError):  # the arm may be gone before its reward comes
                policy.update(policy.select(), 1.0)

    def change():
        for arm in range(400, 600):
            policy.add_arm(arm)
            policy.remove_arm(arm - 400)
        done.set()

    run(choose, choose, change)
    assert policy.arms == tuple(range(200, 600))
    assert np.isfinite([score.mean for score in policy.explain() if score.plays]).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_forked_while_another_thread_learns_can_go_on():
    """The lock of a thread that does not live on in the child would hang it: a policy's, or Numba's in the first rounds."""
    policy, done = hr.HUCBC(range(50), clusters=[k % 2 for k in range(50)]), threading.Event()

    def work():
        while not done.is_set():
            policy.expect(policy.select())
            policy.update(policy.select(), 1.0)

    thread = threading.Thread(target=work)
    thread.start()
    ends = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks beside threads, which is what is tested
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(120)  # ends a child that hangs
                policy.update(policy.select(), 1.0)
                os._exit(0)
            ends.append(os.waitpid(child, 0)[1])
    done.set()
    thread.join()
    assert ends == [0] * 20


def test_choosing_among_some_arms_while_arms_come_and_go():
    """A choice is one of its own arms, whatever another thread does meanwhile."""
    policy, stop, wrong = hr.UCBC([f"a{k}" for k in range(60)], clusters=[k % 5 for k in range(60)]), threading.Event(), []

    def churn():
        number = 60
        while not stop.is_set():
            policy.add_arm(f"a{number}", number % 5)
            policy.remove_arm(policy.arms[40])
            number += 1

    thread = threading.Thread(target=churn)
    thread.start()
    among = [f"a{k}" for k in range(0, 40, 3)]  # these stay
    for _ in range(400):
        wrong += [d for d in (policy.select(among=among), *policy.rank(3, among=among)) if d.arm not in among]
        assert np.isfinite(policy.propensities()).all()
    stop.set()
    thread.join()
    assert wrong == []


@pytest.mark.skipif(not COMPILED, reason="in plain Python a kernel is no single step")
@pytest.mark.parametrize("make", [hr.UCB, hr.UCBC], ids=lambda make: make.__name__)
def test_a_choice_never_sees_a_reward_half_learnt(make):
    """Another thread may choose between any two lines of ``update``: here it does so between all of them.

    The best arm is "b" before a late reward of "a", and after it. It is "a" while that decision neither waits nor counts.
    """
    policy = make(["a", "b"]) if make is not hr.UCBC else make(["a", "b"], clusters=["x", "y"])
    for arm in ["a"] * 10 + ["b"] * 1000:
        policy.learn(arm, 1.0 if arm == "a" else 2.1)
    while policy.select().arm == "b":
        policy.learn("b", 0.0)  # until "a" is just ahead, and one decision that waits puts it behind
    decision, seen = policy.select(), set()
    policy.expect(decision)
    assert policy.select().arm == "b"

    def look(frame, event, argument):
        seen.add(policy.select().arm)
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        policy.update(decision, 1.0)
    finally:
        sys.settrace(before)
    assert seen == {"b"}
