"""Several threads on one policy: nothing breaks, and plain updates all count."""

import contextlib
import threading

import numpy as np

import hedgerow as hr


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
    assert np.isfinite(policy._nodes.online).all()
