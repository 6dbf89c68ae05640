"""The contract that every policy keeps, as a check to run over your own.

>>> import hedgerow as hr
>>> check_policy(hr.HUCBC)
>>> check_policy(hr.LinUCB, dimension=3)
"""

import io
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .core.state_file import load as hedgerow_load
from .core.types import Decision, Floats, Policy
from .core.validate import accepted, lacking
from .data.history import History
from .policies.bandit import Bandit
from .policies.meta import Meta

Make: TypeAlias = Callable[..., Policy]
Load: TypeAlias = Callable[[Path], Policy]
ARMS = ("a", "b", "c", "d", "e", "f", "g")
TWO_LEVELS = ("x", "x", "y", "x", "z", "y", "y")
THREE_LEVELS = (("p", "x"), ("p", "x"), ("p", "y"), ("q", "x"), ("q", "z"), ("p", "y"), ("q", "z"))

MEMBERS = ("arms", "identity", "select", "update", "explain", "add_arm", "remove_arm", "merge", "save")
"""Of the ``Policy`` protocol, what is checked; a Meta asks its experts for the rest, too."""


def check_policy(
    make: Make,
    *,
    dimension: int | None = None,
    rounds: int = 150,
    seed: int = 0,
    skip: Collection[str] = (),
    load: Load = hedgerow_load,
) -> None:
    """Raise an AssertionError if a policy breaks the contract.

    Arguments
        make: a constructor. It is called with arms and, of ``clusters=``, ``history=`` and ``dimension=``, those it
            accepts; the check runs flat, with clusters and with clusters of clusters, cold and warm, as far as it does.
        dimension: length of the context vectors, for policies with contexts.
        rounds: online rounds of each check.
        skip: names in ``CHECKS`` that do not apply to the policy.
        load: reads what the policy's ``save`` wrote; a policy of your own has one of its own. ``save`` writes one file, and the
            same one for the same state.
    """
    if unknown := set(skip) - set(CHECKS):
        raise ValueError(f"skip names no check: {sorted(unknown)}; the checks are {sorted(CHECKS)}")
    world = World(dimension, rounds, seed, load)
    for case, made in _cases(make, world):
        if absent := lacking(made(), MEMBERS):
            raise AssertionError(f"the policy lacks {', '.join(absent)}: see hedgerow.Policy")
        for name, check in CHECKS.items():
            if name not in skip:
                try:
                    check(made, world)
                except AssertionError as error:
                    raise AssertionError(f"{case}, {name.replace('_', ' ')}: {error or 'does not hold'}") from error


class World:
    """Rounds to play: a reward for every arm, and a context."""

    def __init__(self, dimension: int | None, rounds: int, seed: int, load: Load = hedgerow_load):
        rng = np.random.default_rng(seed)
        self.load = load
        self.dimension = dimension
        self.rewards = rng.random((rounds, len(ARMS)))
        self.contexts = None if dimension is None else rng.normal(size=(rounds, dimension))
        self.history = self._history(rng, 12)
        self.empty = self._history(rng, 0)

    def _history(self, rng: np.random.Generator, plays: int) -> History:
        contexts = None if self.dimension is None else rng.normal(size=(plays, self.dimension))
        return History.from_rounds(arms=rng.choice(ARMS[:5], size=plays), rewards=rng.random(plays), contexts=contexts)

    def context(self, t: int) -> Floats | None:
        return None if self.contexts is None else self.contexts[t]

    def play(self, policy: Policy, rows: range | None = None, *, seed: int | None = None) -> list[tuple[Decision, float]]:
        """Let a policy decide and learn; the (decision, reward) pairs."""
        rng = None if seed is None else np.random.default_rng(seed)
        played = []
        for t in rows or range(len(self.rewards)):
            decision = policy.select(self.context(t), rng=rng)
            reward = float(self.rewards[t, ARMS.index(decision.arm)])
            policy.update(decision, reward)
            played.append((decision, reward))
        return played


def _cases(make: Make, world: World) -> Iterator[tuple[str, Make]]:
    takes = set(accepted(make, dict.fromkeys(("clusters", "history", "dimension"), True)))
    dimension = {"dimension": world.dimension} if "dimension" in takes and world.dimension else {}
    for shape, clusters in {"flat": None, "two levels": TWO_LEVELS, "three levels": THREE_LEVELS}.items():
        for start, history in {"cold": None, "warm": world.history}.items():
            if (clusters is None or "clusters" in takes) and (history is None or "history" in takes):
                given = {"clusters": clusters, "history": history}
                fixed: dict[str, Any] = {key: value for key, value in given.items() if key in takes}
                yield f"{shape}, {start}", partial(make, ARMS, **dimension, **fixed)


def snapshot(policy: Policy) -> bytes:
    """The whole state, bit for bit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        policy.save(path)
        return path.read_bytes()


def _sums(policy: Policy, context: Floats | None) -> dict[str, Floats]:
    """The arrays of the state that hold sums, without those derived from them; of other people's policies what they explain."""
    if not isinstance(policy, Bandit | Meta):
        return {"explain": np.nan_to_num([(score.plays, score.mean) for score in policy.explain(context)])}
    with zipfile.ZipFile(io.BytesIO(snapshot(policy))) as archive:
        names = [name for name in archive.namelist() if name.endswith(".npy") and "derived" not in name]
        return {name: np.load(io.BytesIO(archive.read(name)), allow_pickle=False) for name in names}


def _assert_same_sums(one: Policy, other: Policy, context: Floats | None) -> None:
    """Counts exactly, other sums to 1e-12 of the largest in their row."""
    mine, theirs = _sums(one, context), _sums(other, context)
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        assert np.array_equal(array[:, 0], theirs[name][:, 0]), f"counts differ in {name}"
        size = np.abs(array).max(axis=1, keepdims=True)
        assert (np.abs(array - theirs[name]) <= 1e-12 * size).all(), f"sums differ in {name}"


def _arms(played: list[tuple[Decision, float]]) -> list[Any]:
    return [decision.arm for decision, _ in played]


def select_is_pure(make: Make, world: World) -> None:
    """Asking changes nothing, and asking twice gives the same answer."""
    policy = make()
    world.play(policy)
    before = snapshot(policy)
    answers = {policy.select(world.context(0)) for _ in range(3)}
    policy.select(world.context(0), rng=np.random.default_rng(0))
    policy.explain(world.context(0))
    assert len(answers) == 1
    assert snapshot(policy) == before, "select or explain changed the state"


def replay_equals_live(make: Make, world: World) -> None:
    """The state is a fold over (decision, reward) pairs, which may have been through JSON."""
    live, replayed = make(), make()
    for decision, reward in world.play(live):
        replayed.update(Decision.from_json(decision.to_json()), reward)
    assert snapshot(live) == snapshot(replayed)


def late_rewards_end_alike(make: Make, world: World) -> None:
    """Rewards in any order end in the same sums."""
    live, late = make(), make()
    played = world.play(live)
    for at in np.random.default_rng(1).permutation(len(played)):
        late.update(*played[at])
    _assert_same_sums(live, late, world.context(0))


def same_seed_same_arms(make: Make, world: World) -> None:
    """All randomness comes from the caller's generator."""
    assert _arms(world.play(make(), seed=3)) == _arms(world.play(make(), seed=3))


def every_arm_is_tried(make: Make, world: World) -> None:
    """Where nothing pays, every arm gets its turn."""
    policy = make()
    tried = set()
    for t in range(len(world.rewards)):
        decision = policy.select(world.context(t))
        policy.update(decision, 0.0)
        tried.add(decision.arm)
    assert tried == set(ARMS), f"never tried: {sorted(set(ARMS) - tried)}"


def empty_history_equals_none(make: Make, world: World) -> None:
    """A history without rounds is no history."""
    if _takes(make, "history"):
        cold, empty = make(history=None), make(history=world.empty)
        world.play(cold)
        world.play(empty)
        assert snapshot(cold) == snapshot(empty)


def one_cluster_decides_as_flat(make: Make, world: World) -> None:
    """All arms in one cluster: the clusters say nothing."""
    if _takes(make, "clusters"):
        assert _arms(world.play(make(clusters=None))) == _arms(world.play(make(clusters=["all"] * len(ARMS))))


def singletons_decide_as_flat(make: Make, world: World) -> None:
    """Each arm in a cluster of its own: the clusters say nothing."""
    if _takes(make, "clusters"):
        assert _arms(world.play(make(clusters=None))) == _arms(world.play(make(clusters=ARMS)))


def merge_equals_one_worker(make: Make, world: World) -> None:
    """Two workers, merged, know what one that saw both would, also when they started from a policy in use."""
    middle, end = len(world.rewards) // 2, len(world.rewards)
    base = make()
    world.play(base, range(middle // 2))
    one, left, right = (deepcopy(base) for _ in range(3))
    for decision, reward in (
        *world.play(left, range(middle // 2, middle)),
        *world.play(right, range(middle, end)),
    ):
        one.update(decision, reward)
    left.merge(right, since=base)
    _assert_same_sums(left, one, world.context(0))


def an_idle_worker_adds_nothing(make: Make, world: World) -> None:
    """Merging a worker that learnt nothing leaves plays and indices as they were, and means about so where noise is estimated."""
    policy = make()
    world.play(policy)
    idle, base = deepcopy(policy), deepcopy(policy)
    before = policy.explain(world.context(0))
    policy.merge(idle, since=base)
    after = policy.explain(world.context(0))
    for one, other in zip(before, after, strict=True):
        assert (one.plays, one.history) == (other.plays, other.history), f"{one.kind} {one.label!r} has other plays now"
        if before.settings:
            same = np.allclose(one.mean, other.mean, rtol=0.0, atol=0.25, equal_nan=True)  # rewards are U(0, 1)
        else:
            same = np.allclose((one.mean, one.index), (other.mean, other.index), rtol=1e-4, atol=1e-4, equal_nan=True)
        assert same, f"{one.kind} {one.label!r} had the mean {one.mean} and the index {one.index}, and has {other} now"


def load_equals_saved(make: Make, world: World) -> None:
    """What was saved and loaded is the same policy and goes on as the saved one."""
    policy = make()
    world.play(policy)
    with tempfile.TemporaryDirectory() as folder:
        policy.save(Path(folder) / "state")
        loaded = world.load(Path(folder) / "state")
    assert snapshot(loaded) == snapshot(policy)
    assert world.play(loaded) == world.play(policy)


def rejected_input_changes_nothing(make: Make, world: World) -> None:
    """Whatever cannot be learnt raises a ValueError or a KeyError, and the state stays bit for bit."""
    policy = make()
    world.play(policy)
    decision = policy.select(world.context(0))
    before = snapshot(policy)
    wrong_context = (1.0,) if world.dimension is None else (*([1.0] * world.dimension), float("nan"))
    update: Callable[..., None] = policy.update
    attempts: list[Callable[[], Any]] = [
        *(partial(update, decision, reward) for reward in (float("nan"), float("inf"), None, "1")),
        partial(update, decision._replace(arm="no such arm"), 1.0),
        partial(update, decision._replace(policy="another policy"), 1.0),
        partial(update, decision._replace(context=wrong_context), 1.0),
        partial(update, "a", 1.0),
        partial(policy.select, wrong_context),
        partial(policy.add_arm, ARMS[0], cluster="x"),
        partial(policy.remove_arm, "no such arm"),
        partial(policy.merge, "a policy"),
    ]
    for attempt in attempts:
        try:
            attempt()
        except (ValueError, KeyError):
            assert snapshot(policy) == before, f"{attempt} changed the state"
        else:
            raise AssertionError(f"{attempt} was accepted")


def _takes(make: Make, keyword: str) -> bool:
    return isinstance(make, partial) and keyword in make.keywords


CHECKS: dict[str, Callable[[Make, World], None]] = {
    check.__name__: check
    for check in (
        select_is_pure,
        replay_equals_live,
        late_rewards_end_alike,
        same_seed_same_arms,
        every_arm_is_tried,
        empty_history_equals_none,
        one_cluster_decides_as_flat,
        singletons_decide_as_flat,
        merge_equals_one_worker,
        an_idle_worker_adds_nothing,
        load_equals_saved,
        rejected_input_changes_nothing,
    )
}
"""The checks by name."""
