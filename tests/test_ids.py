"""Decisions that wait under an id: a random driver against a dict.

python tests/test_ids.py 200000         as many operations
"""

import sys

import numpy as np
import pytest

import hedgerow as hr

ARMS = ["a", "b", "c"]
MAKES = {
    "UCB": lambda: hr.UCB(ARMS),
    "Auto": lambda: hr.Auto(ARMS),
    "LinUCB": lambda: hr.LinUCB(ARMS, dimension=2),
    "META": lambda: hr.META(ARMS, clusters=["x", "x", "y"]),
}


def drive(make, operations, seed):
    """Expect, reward, cancel, at random, with duplicates and unknown ids; a dict knows what must wait."""
    rng = np.random.default_rng(seed)
    policy, waits, anonymous, rewards = make(), {}, [], 0
    contexts = [(0.0, 1.0), (1.0, 0.0)] if policy.dimension else [None]
    for _ in range(operations):
        id, context = f"req-{rng.integers(40)}", contexts[rng.integers(len(contexts))]
        decision = policy.select(context)
        kind = rng.integers(6)
        if kind == 0:
            if id in waits and (waits[id].arm, waits[id].context, waits[id].experts) != decision[:1] + decision[2:4]:
                with pytest.raises(ValueError, match="is another one"):
                    policy.expect(decision, id=id)
            else:
                policy.expect(decision, id=id)
                waits.setdefault(id, decision)
        elif kind == 1 and len(anonymous) < 20:
            policy.expect(decision)
            anonymous.append(decision)
        elif kind == 2:
            rewarded = waits.pop(id, decision)  # an unknown id settles nobody
            policy.update(rewarded, float(rng.random()), id=id)
            rewards += 1
        elif kind == 3 and anonymous:
            policy.update(anonymous.pop(int(rng.integers(len(anonymous)))), float(rng.random()))
            rewards += 1
        elif kind == 4:
            if id in waits:
                del waits[id]
                policy.cancel(id)
            else:
                with pytest.raises(ValueError, match="does not wait for a reward of a decision called 'req-"):
                    policy.cancel(id)
        elif kind == 5 and anonymous:
            policy.cancel(anonymous.pop())
        assert len(policy.waiting) == len(waits) + len(anonymous)
    named = {expected.id: expected for expected in policy.waiting if expected.id is not None}
    assert named.keys() == waits.keys()
    for id, expected in named.items():
        assert (expected.arm, expected.context, expected.experts) == (waits[id].arm, waits[id].context, waits[id].experts)
    assert policy.rounds == rewards
    return policy, waits


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_what_waits_is_what_a_dict_says(make, tmp_path):
    policy, waits = drive(make, 3000, seed=1)
    policy.save(tmp_path / "with")
    policy.save(tmp_path / "without", waiting=False)
    loaded, bare = hr.load(tmp_path / "with"), hr.load(tmp_path / "without")
    assert loaded.waiting == policy.waiting
    assert (bare.waiting, bare.rounds) == ([], policy.rounds)
    for id, decision in waits.items():
        loaded.update(decision, 1.0, id=id)
    assert all(expected.id is None for expected in loaded.waiting)


def test_a_reward_without_an_id_settles_none_that_has_one():
    policy = hr.UCB(["a"])
    decision = policy.select()
    policy.expect(decision, id=7)
    policy.update(decision, 1.0)
    assert [expected.id for expected in policy.waiting] == [7]
    policy.update(decision, 1.0, id=8)
    assert [expected.id for expected in policy.waiting] == [7]
    policy.update(decision, 1.0, id=7)
    assert (policy.waiting, policy.rounds) == ([], 3)


def test_workers_that_wait_under_one_id_for_different_decisions_are_refused():
    one, other = hr.UCB(ARMS), hr.UCB(ARMS)
    one.expect(hr.Decision("a"), id="req-1")
    other.expect(hr.Decision("b"), id="req-1")
    with pytest.raises(ValueError, match="both workers wait for a decision called 'req-1'"):
        one.merge(other)
    assert len(one.waiting) == 1


@pytest.mark.parametrize("id", [1.5, True, ["a", 1]])
def test_an_id_is_a_text_or_a_whole_number(id):
    for policy in (hr.UCB(ARMS), hr.META(ARMS)):
        decision = policy.select()
        with pytest.raises(ValueError, match="id must be a text or a whole number"):
            policy.expect(decision, id=id)
        with pytest.raises(ValueError, match="id must be a text or a whole number"):
            policy.update(decision, 1.0, id=id)
        with pytest.raises(ValueError, match="id must be a text or a whole number"):
            policy.cancel(id)
        assert (policy.rounds, policy.waiting) == (0, [])


def test_an_arm_that_goes_takes_its_waiting_decisions_along():
    policy = hr.UCB(ARMS)
    policy.expect(hr.Decision("a"), id="req-1")
    policy.remove_arm("a")
    assert policy.waiting == []
    with pytest.raises(ValueError, match="does not wait"):
        policy.cancel("req-1")


if __name__ == "__main__":
    for name, made in MAKES.items():
        drive(made, int(sys.argv[1]) // len(MAKES), seed=2)
        print(f"{name}: no difference")
