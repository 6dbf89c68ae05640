"""Policies that forget: weights by stamp, whatever the order of rounds, and the same decisions as a naive discounted policy."""

import datetime
import io
import math
import zipfile
from copy import deepcopy

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.kernel import COMPILED

ARMS = list("abcde")
GROUPS = ["x", "x", "y", "y", "y"]
ROUNDS = 1500 if COMPILED else 120


def sums(policy):
    """The arrays of a state that hold sums, by name."""
    with zipfile.ZipFile(io.BytesIO(policy.to_bytes())) as archive:
        names = [name for name in archive.namelist() if name.endswith(("online.npy", "by_age.npy", "waiting.npy"))]
        return {name: np.load(io.BytesIO(archive.read(name)), allow_pickle=False) for name in names}


def assert_same(one, other, tolerance=1e-12):
    mine, theirs = sums(one), sums(other)
    assert mine.keys() == theirs.keys()
    assert one.rounds == other.rounds
    for name, array in mine.items():
        size = np.abs(array).max(axis=-1, keepdims=True)
        assert (np.abs(array - theirs[name]) <= tolerance * size + 1e-300).all(), name


MAKES = {
    "UCB 300": lambda: hr.UCB(ARMS, half_life=300),
    "UCB 7.5": lambda: hr.UCB(ARMS, scale="auto", half_life=7.5),
    "UCB auto": lambda: hr.UCB(ARMS, half_life="auto"),
    "UCB time": lambda: hr.UCB(ARMS, half_life=datetime.timedelta(seconds=300)),
    "HUCBC 300": lambda: hr.HUCBC(ARMS, clusters=GROUPS, half_life=300),
    "KLUCB auto": lambda: hr.KLUCB(ARMS, clusters=GROUPS, half_life="auto"),
    "Auto 300": lambda: hr.Auto(ARMS, clusters=GROUPS, half_life=300),
    "Auto auto": lambda: hr.Auto(ARMS, clusters=GROUPS, half_life="auto"),
    "LinUCB 300": lambda: hr.LinUCB(ARMS, dimension=3, half_life=300),
    "LinUCB auto": lambda: hr.HLinUCBC(ARMS, clusters=GROUPS, dimension=3, half_life="auto"),
    "HierLinUCB 300": lambda: hr.HierLinUCB(ARMS, dimension=3, weights=False, half_life=300),
    "HierLinUCB auto": lambda: hr.HierLinUCB(ARMS, dimension=3, weights=False, half_life="auto"),
}


def rounds(policy, count=ROUNDS, seed=1):
    """Decisions with stamps up to 400 rounds late, and their rewards."""
    rng = np.random.default_rng(seed)
    unit = policy.rule.kind.unit_rewards
    played = []
    for t in range(count):
        context = tuple(rng.normal(size=policy.dimension)) if policy.dimension else None
        decision = hr.Decision(ARMS[rng.integers(5)], context=context, at=float(max(0, t - rng.integers(0, 400))))
        played.append((decision, float(rng.random()) if unit else float(rng.normal())))
    return played


def fold(policy, played):
    for decision, reward in played:
        policy.update(decision, reward)
    return policy


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_order_does_not_matter(make):
    """Shuffled, and half of the rewards after all others, end as straight."""
    played = rounds(make())
    straight = fold(make(), played)
    rng = np.random.default_rng(2)
    for _ in range(2):
        assert_same(straight, fold(make(), [played[at] for at in rng.permutation(len(played))]))
    assert_same(straight, fold(make(), played[::2] + played[1::2]))


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_workers_merge_either_way_round(make):
    """Two workers who started from a policy in use know what one that saw both would."""
    played = rounds(make())
    third = len(played) // 3
    base = fold(make(), played[:third])
    one, left, right = (deepcopy(base) for _ in range(3))
    fold(one, played[third:])
    fold(left, played[third : 2 * third])
    fold(right, played[2 * third :])
    other_way = deepcopy(right)
    other_way.merge(left, since=base)
    left.merge(right, since=base)
    assert_same(left, one, 1e-9)
    assert_same(other_way, one, 1e-9)
    idle = deepcopy(one)
    idle.merge(deepcopy(base), since=base)
    assert_same(idle, one)


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_saved_and_loaded_goes_on_alike(make):
    policy = make()
    played = rounds(policy)
    fold(policy, played[: len(played) // 2])
    loaded = hr.from_bytes(policy.to_bytes())
    assert loaded.to_bytes() == policy.to_bytes()
    assert loaded.memory == policy.memory
    for one in (policy, loaded):
        fold(one, played[len(played) // 2 :])
    assert loaded.to_bytes() == policy.to_bytes()
    assert loaded.state_hash() == policy.state_hash()


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_select_changes_nothing_and_replays_alike(make):
    """Choosing ages a copy; replayed decisions, through JSON, end in the same bits."""
    live, replayed = make(), make()
    rng = np.random.default_rng(3)
    for t in range(ROUNDS // 3):
        context = rng.normal(size=live.dimension) if live.dimension else None
        before = live.to_bytes()
        decision = live.select(context, at=float(t))
        assert live.select(context, at=float(t)) == decision
        assert live.to_bytes() == before
        reward = float(rng.random())
        live.update(decision, reward)
        replayed.update(hr.Decision.from_json(decision.to_json()), reward)
    assert replayed.to_bytes() == live.to_bytes()


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_arms_come_and_go(make):
    """A new arm has nothing; the others keep what they have, and an arm that goes takes its rounds along."""
    policy = fold(make(), rounds(make()))
    plays = {score.label: score.plays for score in policy.explain(*context_of(policy), at=400.0) if score.kind == "arm"}
    policy.add_arm("f", cluster="x" if policy.clustered else None)
    after = {score.label: score.plays for score in policy.explain(*context_of(policy), at=400.0) if score.kind == "arm"}
    assert after == {**plays, "f": 0}
    policy.remove_arm("a")
    assert policy.rounds == ROUNDS
    assert policy.arms == ("b", "c", "d", "e", "f")
    policy.update(policy.select(*context_of(policy), at=float(ROUNDS)), 0.5)


def context_of(policy):
    return (np.ones(policy.dimension),) if policy.dimension else ()


def naive_sums(played, half_life, now):
    """n, sum r and sum r^2 of each arm: every round weighs 2^((its epoch - the present epoch) / 16)."""
    rows = {arm: np.zeros(3) for arm in ARMS}
    for decision, reward in played:
        age = math.floor(now * 16 / half_life) - math.floor(decision.at * 16 / half_life)
        rows[decision.arm] += 2.0 ** (-age / 16) * np.array([1.0, reward, reward * reward])
    return np.array([rows[arm] for arm in ARMS])


@pytest.mark.parametrize("half_life", [7.5, 300.0])
def test_weights_are_those_of_the_stamps(half_life):
    policy = hr.UCB(ARMS, half_life=half_life)
    played = rounds(policy)
    fold(policy, played)
    newest = max(decision.at for decision, _ in played)
    expected = naive_sums(played, half_life, newest)
    assert np.allclose(sums(policy)["online.npy"][1:], expected, rtol=1e-9, atol=1e-12)
    assert policy.memory.remembered == pytest.approx(expected[:, 0].sum())


def plain_choice(rows, scale):
    """m + scale sqrt(2 log(1 + N) / n), an arm without plays first."""
    n = rows[:, 0]
    if (n == 0.0).any():
        return int(np.flatnonzero(n == 0.0)[0])
    return int(np.argmax(rows[:, 1] / n + scale * np.sqrt(2.0 * np.log(1.0 + n.sum()) / n)))


@pytest.mark.skipif(not COMPILED, reason="plain Python takes its time")
@pytest.mark.parametrize(("arms", "half_life"), [(5, 400.0), (1000, 4000.0)])
def test_decisions_are_those_of_the_plain_formula(arms, half_life):
    """With 1000 arms by a tournament: 10,000 rounds, no difference."""
    policy = hr.UCB(range(arms), scale=0.5, half_life=half_life)
    rng = np.random.default_rng(4)
    means, rows, epoch = rng.random(arms), np.zeros((arms, 2)), 0
    for t in range(10_000):
        now = math.floor(t * 16 / half_life)
        rows *= 2.0 ** ((epoch - now) / 16)
        epoch = now
        decision = policy.select()
        assert decision.at == t
        index = plain_choice(rows, 0.5)
        if decision.arm != index:  # equal up to rounding
            scores = policy.scores()
            assert scores[decision.arm] == pytest.approx(scores[index], rel=1e-9)
        reward = float(rng.random() < means[decision.arm])
        policy.update(decision, reward)
        rows[decision.arm] += (1.0, reward)


@pytest.mark.parametrize(
    "make",
    [
        lambda **given: hr.UCB(ARMS, scale="auto", **given),
        lambda **given: hr.TSC(ARMS, clusters=GROUPS, **given),
        lambda **given: hr.Auto(ARMS, clusters=GROUPS, **given),
        lambda **given: hr.LinUCB(ARMS, dimension=3, **given),
        lambda **given: hr.Auto(ARMS, dimension=3, **given),
        lambda **given: hr.META(ARMS, clusters=GROUPS, **given),
    ],
)
def test_an_infinite_half_life_is_none(make):
    """Bit for bit: the same decisions and the same sums."""
    never, forever = make(), make(half_life=math.inf)
    rng = np.random.default_rng(5)
    for _ in range(ROUNDS // 2):
        context = rng.normal(size=3) if never.dimension else None
        one, other = never.select(context), forever.select(context)
        assert one[:4] == other[:4]
        reward = float(rng.random() < 0.3 + 0.1 * ARMS.index(one.arm))
        never.update(one, reward)
        forever.update(other, reward)
    mine, theirs = sums(never), sums(forever)
    for name, array in mine.items():
        assert np.array_equal(array, theirs[name]), name


def test_a_gap_of_a_million_half_lives():
    """What is that old is gone: exact zeros, finite sums; and a reward that is that late weighs nothing."""
    policy = hr.Auto(ARMS, half_life=10)
    for t in range(50):
        policy.update(hr.Decision(ARMS[t % 5], at=float(t)), float(t % 2))
    policy.update(hr.Decision("b", at=1e7), 1.0)
    policy.update(hr.Decision("a", at=5.0), 1.0)
    found = sums(policy)["online.npy"]
    assert np.isfinite(found).all()
    assert np.array_equal(found[1:, 0], [0.0, 1.0, 0.0, 0.0, 0.0])
    assert policy.rounds == 52
    assert policy.select(at=1e7).arm != "b"  # the others are as if never played


@pytest.mark.parametrize("half_life", [1000, "auto"])
def test_a_change_is_followed(half_life):
    """The best arm dies half-way: a policy that forgets plays another one soon."""
    count = 4000 if COMPILED else 400
    rng = np.random.default_rng(6)
    policy = hr.Auto(ARMS, half_life=half_life)
    late = []
    for t in range(count):
        decision = policy.select()
        rates = [0.2, 0.3, 0.4, 0.5, 0.9 if t < count // 2 else 0.0]
        policy.update(decision, float(rng.random() < rates[ARMS.index(decision.arm)]))
        if t >= 3 * count // 4:
            late.append(decision.arm)
    assert late.count("e") < len(late) / 10


@pytest.mark.skipif(not COMPILED, reason="plain Python takes its time")
def test_memory_says_what_changed():
    rng = np.random.default_rng(7)
    policy = hr.UCB(ARMS, scale="auto", half_life="auto")
    for t in range(3000):
        policy.learn(ARMS[t % 5], float(rng.random() < (0.9 if t % 5 == 2 and t > 2000 else 0.3)))
    memory = policy.memory
    assert memory.changed == ("c",)
    assert memory.changes == 1
    assert 1900 < memory.since < 2200
    assert hr.UCB(ARMS).memory is None


@pytest.mark.skipif(not COMPILED, reason="plain Python takes its time")
@pytest.mark.parametrize("delay", [25, 1000])
@pytest.mark.parametrize("half_life", [500.0, "auto"])
@pytest.mark.parametrize("make", [hr.Auto, hr.HUCBC])
def test_late_rewards_in_play(make, half_life, delay):
    """Decisions that wait for 25 or 1000 rounds: nothing waits in the end, and each weighs what its own stamp weighs."""
    policy = make(ARMS, clusters=GROUPS, half_life=half_life)
    rng = np.random.default_rng(8)
    waiting, played = [], []
    for t in range(2500):
        decision = policy.select()
        policy.expect(decision)
        waiting.append((decision, float(rng.random() < 0.3 + 0.1 * ARMS.index(decision.arm))))
        if t >= delay:
            played.append(waiting.pop(0))
            policy.update(*played[-1])
    for decision, _ in waiting:
        policy.cancel(decision)
    assert policy.waiting == []
    assert policy.rounds == 2500 - delay
    assert_same(policy, fold(make(ARMS, clusters=GROUPS, half_life=half_life), played), 1e-9)
    if half_life != "auto":
        newest = max(decision.at for decision, _ in played)
        assert policy.memory.remembered == pytest.approx(naive_sums(played, half_life, newest)[:, 0].sum())


@pytest.mark.parametrize("half_life", [200, "auto"])
@pytest.mark.parametrize("make", [hr.Auto, hr.UCB, hr.LinUCB])
def test_a_compiled_trial_is_the_trial_by_rounds(make, half_life):
    """simulate plays epoch by epoch what select and update play round by round."""
    contexts = make is hr.LinUCB
    problem = (hr.problems.SyntheticContextual if contexts else hr.problems.SyntheticClassical)(arms=20, history_share=0.0)

    def forgetful(arms, clusters=None, history=None, dimension=None):
        given = {"dimension": dimension} if contexts else {}
        return make(arms, half_life=half_life, **given)

    count = 400 if COMPILED else 60
    result = hr.simulate({"forgetful": forgetful}, problem, rounds=count, trials=1, seed=3, jobs=1)
    trial = problem.trial(count, np.random.default_rng([3, 0]))
    policy, regret = forgetful(trial.arms, dimension=trial.dimension), 0.0
    for t, row in enumerate(trial.rows):
        decision = policy.select(trial.contexts[t] if trial.dimension else None)
        policy.update(decision, float(trial.rewards[row, decision.arm]))
        expected = trial.expected[row if len(trial.expected) > 1 else 0]
        regret += expected.max() - expected[decision.arm]
    assert result.of("forgetful", "regret") == pytest.approx([regret], rel=1e-9)


def test_refusals_name_the_way_out():
    with pytest.raises(ValueError, match="cannot forget"):
        hr.Meta([hr.UCB(ARMS)], rule="d3rb", half_life=100)
    with pytest.raises(ValueError, match="cannot forget"):
        hr.META(ARMS, clusters=GROUPS, rule="d3rb", half_life=100)
    with pytest.raises(ValueError, match="half_life must be None"):
        hr.UCB(ARMS, half_life=0)
    with pytest.raises(ValueError, match="half_life must be None"):
        hr.UCB(ARMS, half_life="soon")
    with pytest.raises(ValueError, match="up to 100000 arms"):
        hr.UCB(range(200_000), half_life="auto")
    with pytest.raises(ValueError, match="counts its half-life in decisions"):
        hr.UCB(ARMS, half_life=10).select(at=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC))
    with pytest.raises(ValueError, match="must all be"):
        hr.Meta({"a": hr.UCB(ARMS, half_life=10), "b": hr.UCB(ARMS, half_life=datetime.timedelta(1))})
    log = hr.History.from_rounds(arms=ARMS, rewards=[0.0, 1.0, 0.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="how old the history is"):
        hr.HUCB(ARMS, history=log, half_life=datetime.timedelta(days=1))
