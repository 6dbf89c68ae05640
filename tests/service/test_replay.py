"""Live = replay: whatever changes meanwhile, a snapshot and the rows after it give the state of the whole log."""

import random

import msgspec
import pytest

import hedgerow as hr
from hedgerow.policies.registry import load_all
from hedgerow.service import plans
from hedgerow.service.entries import Entry, Kind
from hedgerow.service.fold import Fold
from hedgerow.service.plans import Part, State
from hedgerow.service.tallies import Tallies
from hedgerow.service.wire import Ask, Config

ARMS = [f"a{number}" for number in range(6)]
HISTORY = "h" * 64
CONTEXTUAL = {"LinUCB", "LinUCBC", "HLinUCB", "HLinUCBC", "HierLinUCB", "LinTSC"}
CASES = [(name, name in CONTEXTUAL) for name in plans.policies()] + [("Auto", True), ("META", True)]


def example(name):
    return next((dict(kind.example) for kind in load_all().values() if kind.title == name), {})


def state(name, contextual, arms, revision=1, history=()):
    params = example(name) | ({"dimension": 2.0} if contextual else {})
    config = Config(arms=list(arms), policy=name, params=params, wait=60.0, default=0.0, reward_range=(0.0, 1.0), explore=0.2)
    if "clusters" in accepted(name):
        config = msgspec.structs.replace(config, clusters={arm: f"c{int(arm[1:]) % 2}" for arm in arms})
    return State(config, history, revision)


def accepted(name):
    import inspect

    return inspect.signature(getattr(hr.policies, name)).parameters


def blobs(folder, contextual):
    rng = random.Random(1)
    arms = [rng.choice(ARMS[:4]) for _ in range(30)]
    contexts = [[rng.random(), 1.0] for _ in arms] if contextual else None
    path = folder / "history"
    hr.History.from_rounds(arms=arms, rewards=[rng.random() for _ in arms], contexts=contexts).save(path)
    return lambda sha256: path.read_bytes()


def story(name, contextual, read, rounds=40):
    """A live fold, its log, and its snapshots and hashes by row."""
    rng, now = random.Random(7), state(name, contextual, ARMS[:4])
    live = Fold("x", b"salt", now, plans.build(now, read), seq=1, epoch=0, tallies=Tallies())
    log, kept, waiting = [], {1: (live.policy.to_bytes(waiting=False), live.policy.state_hash(), now)}, {}
    for number in range(rounds):
        ask = Ask(context=[rng.random(), 1.0] if contextual else None)
        waiting[f"d{number}"] = live.decide(ask, f"d{number}")
        live.expect(f"d{number}", waiting[f"d{number}"])
        entry = happens(rng, name, contextual, live, waiting, number)
        if entry is not None:
            live.apply(entry, read)
            log.append(entry)
            kept[live.seq] = live.policy.to_bytes(waiting=False), live.policy.state_hash(), live.state
    return live, log, kept


def happens(rng, name, contextual, live, waiting, number):
    """A change at some rounds; else a reward of one that waits, or none."""
    arms = list(live.state.config.arms)
    if number == 10:
        return changed(live, state(name, contextual, [*arms, "a4"], 2))
    if number == 20:
        return changed(live, state(name, contextual, arms[1:], 3))
    if number == 25 and "history" in accepted(name):
        return changed(live, state(name, contextual, arms, 4, (Part(HISTORY, 0.5),)))
    if rng.random() < 0.3:
        return None
    id = rng.choice(sorted(waiting))
    kind = rng.choice([Kind.OUTCOME, Kind.OUTCOME, Kind.OUTCOME, Kind.CANCEL])
    value = float(rng.random() < 0.5) if kind == Kind.OUTCOME else None
    return Entry(live.seq + 1, kind, id, value, None, waiting.pop(id))


def changed(live, after):
    return Entry(live.seq + 1, Kind.CHANGE, None, None, msgspec.json.encode(after).decode(), None)


@pytest.mark.parametrize(("name", "contextual"), CASES)
def test_a_snapshot_of_any_row_and_the_rows_after_it_end_in_the_live_state(name, contextual, tmp_path):
    read = blobs(tmp_path, contextual)
    live, log, kept = story(name, contextual, read)
    assert live.tallies.outcomes > 10
    for seq, (data, state_hash, then) in kept.items():
        fold = Fold("x", b"salt", then, hr.from_bytes(data), seq=seq, epoch=0, tallies=Tallies())
        assert fold.policy.state_hash() == state_hash
        for entry in log:
            if entry.seq > seq:
                fold.apply(entry, read)
        assert fold.policy.state_hash() == live.policy.state_hash(), f"from row {seq} of {live.seq}"
