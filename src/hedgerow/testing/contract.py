"""What every policy keeps to, a function for each part of it: it raises an AssertionError if a policy does not."""

import io
import zipfile
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..core.types import Decision, Floats
from ..policies.bandit import Bandit
from ..policies.meta import Meta
from .world import ARMS, World, snapshot

Make: TypeAlias = Callable[..., Any]
SUMS = ("online.npy", "history.npy", "waiting.npy", "by_age.npy")
"""The arrays of a state file that are sums."""


def _sums(policy: Any, context: Floats | None) -> dict[str, Floats]:
    """The arrays of the state that hold sums, without those derived from them; of other people's policies what they explain."""
    if not isinstance(policy, Bandit | Meta):
        return {"explain": np.nan_to_num([(score.plays, score.mean) for score in policy.explain(context)])}
    with zipfile.ZipFile(io.BytesIO(snapshot(policy))) as archive:
        names = [name for name in archive.namelist() if name.endswith(SUMS)]
        return {name: np.load(io.BytesIO(archive.read(name)), allow_pickle=False) for name in names}


def _assert_same_sums(one: Any, other: Any, context: Floats | None) -> None:
    """Counts exactly, if they are whole; other sums to 1e-12 of the largest in their row."""
    mine, theirs = _sums(one, context), _sums(other, context)
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        if getattr(one, "memory", None) is None:
            assert np.array_equal(array[:, 0], theirs[name][:, 0]), f"counts differ in {name}"
        size = np.abs(array).max(axis=1, keepdims=True)
        assert (np.abs(array - theirs[name]) <= 1e-12 * size).all(), f"sums differ in {name}"


def _arms(played: list[tuple[Decision, float]]) -> list[Any]:
    return [decision.arm for decision, _ in played]


def _select_is_pure(make: Make, world: World) -> None:
    """Asking changes nothing, and asking twice gives the same answer."""
    policy = make()
    world.play(policy)
    before = snapshot(policy)
    answers = {policy.select(world.context(0)) for _ in range(3)}
    policy.select(world.context(0), rng=np.random.default_rng(0))
    if hasattr(policy, "explain"):
        policy.explain(world.context(0))
    assert len(answers) == 1
    assert snapshot(policy) == before, "select or explain changed the state"


def _replay_equals_live(make: Make, world: World) -> None:
    """The state is a fold over (decision, reward) pairs, which may have been through JSON."""
    live, replayed = make(), make()
    for decision, reward in world.play(live):
        replayed.update(Decision.from_json(decision.to_json()), reward)
    assert snapshot(live) == snapshot(replayed)


def _late_rewards_end_alike(make: Make, world: World) -> None:
    """Rewards in any order end in the same sums."""
    live, late = make(), make()
    played = world.play(live)
    for at in np.random.default_rng(1).permutation(len(played)):
        late.update(*played[at])
    _assert_same_sums(live, late, world.context(0))


def _stamps_weigh_alike(make: Make, world: World) -> None:
    """A reward weighs what the stamp of its decision says, whenever it comes: shuffled rounds end in the same sums."""
    rng, rounds = np.random.default_rng(2), len(world.rewards)
    stamps = np.maximum(np.arange(rounds) - rng.integers(0, 100, rounds), 0).astype(float).tolist()
    straight, shuffled = make(), make()
    arms = [ARMS[arm] for arm in rng.integers(len(ARMS), size=rounds)]
    for order, learner in ((np.arange(rounds), straight), (rng.permutation(rounds), shuffled)):
        for t in order:
            learner.learn(arms[t], float(world.rewards[t, ARMS.index(arms[t])]), world.context(int(t)), at=stamps[t])
    _assert_same_sums(straight, shuffled, world.context(0))


def _same_seed_same_arms(make: Make, world: World) -> None:
    """All randomness comes from the caller's generator."""
    assert _arms(world.play(make(), seed=3)) == _arms(world.play(make(), seed=3))


def _every_arm_is_tried(make: Make, world: World) -> None:
    """Where nothing pays, every arm gets its turn."""
    policy = make()
    tried = set()
    for t in range(len(world.rewards)):
        decision = policy.select(world.context(t))
        policy.update(decision, 0.0)
        tried.add(decision.arm)
    assert tried == set(ARMS), f"never tried: {sorted(set(ARMS) - tried)}"


def _the_best_arm_is_found(make: Make, world: World) -> None:
    """Where one arm pays and the others do not, it is played more often than any other, whichever it is.

    Without history: one of a few plays may call the best arm poor for longer than this lasts.
    """
    context = None if world.dimension is None else np.ones(world.dimension)
    cold: dict[str, Any] = {"history": None} if _takes(make, "history") else {}
    for best in (ARMS[0], ARMS[-1]):
        policy, plays = make(**cold), dict.fromkeys(ARMS, 0)
        for _ in range(len(world.rewards)):
            decision = policy.select(context)
            policy.update(decision, float(decision.arm == best))
            plays[decision.arm] += 1
        assert max(plays, key=lambda arm: plays[arm]) == best, (
            f"{best!r} alone pays, and was played {plays[best]} times of {len(world.rewards)}"
        )


def _empty_history_equals_none(make: Make, world: World) -> None:
    """A history without rounds is no history."""
    if _takes(make, "history"):
        cold, empty = make(history=None), make(history=world.empty)
        world.play(cold)
        world.play(empty)
        assert snapshot(cold) == snapshot(empty)


def _one_cluster_decides_as_flat(make: Make, world: World) -> None:
    """All arms in one cluster: the clusters say nothing."""
    if _takes(make, "clusters"):
        assert _arms(world.play(make(clusters=None))) == _arms(world.play(make(clusters=["all"] * len(ARMS))))


def _singletons_decide_as_flat(make: Make, world: World) -> None:
    """Each arm in a cluster of its own: the clusters say nothing."""
    if _takes(make, "clusters"):
        assert _arms(world.play(make(clusters=None))) == _arms(world.play(make(clusters=ARMS)))


def _merge_equals_one_worker(make: Make, world: World) -> None:
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


def _an_idle_worker_adds_nothing(make: Make, world: World) -> None:
    """Merging a worker that learnt nothing leaves plays and indices as they were, and means about so where noise is estimated."""
    policy = make()
    world.play(policy)
    idle, base = deepcopy(policy), deepcopy(policy)
    before = policy.explain(world.context(0))
    policy.merge(idle, since=base)
    after = policy.explain(world.context(0))
    for one, other in zip(before, after, strict=True):
        plays = np.allclose((one.plays, one.history), (other.plays, other.history), rtol=1e-12, atol=0.0)
        assert plays, f"{one.kind} {one.label!r} has other plays now"
        if before.settings:
            same = np.allclose(one.mean, other.mean, rtol=0.0, atol=0.25, equal_nan=True)  # rewards are U(0, 1)
        else:
            same = np.allclose((one.mean, one.index), (other.mean, other.index), rtol=1e-4, atol=1e-4, equal_nan=True)
        assert same, f"{one.kind} {one.label!r} had the mean {one.mean} and the index {one.index}, and has {other} now"


def _load_equals_saved(make: Make, world: World) -> None:
    """What was saved and loaded is the same policy and goes on as the saved one."""
    policy = make()
    world.play(policy)
    with TemporaryDirectory() as folder:
        policy.save(Path(folder) / "state")
        loaded = world.load(Path(folder) / "state")
    assert snapshot(loaded) == snapshot(policy)
    assert world.play(loaded) == world.play(policy)


def _rejected_input_changes_nothing(make: Make, world: World) -> None:
    """Whatever cannot be learnt raises a ValueError or a KeyError, and the state stays bit for bit."""
    policy = make()
    world.play(policy)
    decision = policy.select(world.context(0))
    wrong_context = (1.0,) if world.dimension is None else (*([1.0] * world.dimension), float("nan"))
    _refuses(
        policy,
        [
            *(partial(policy.update, decision, reward) for reward in (float("nan"), float("inf"), None, "1")),
            partial(policy.update, decision._replace(arm="no such arm"), 1.0),
            partial(policy.update, decision._replace(policy="another policy"), 1.0),
            partial(policy.update, decision._replace(context=wrong_context), 1.0),
            partial(policy.update, "a", 1.0),
            partial(policy.select, wrong_context),
        ],
    )


def _rejected_changes_change_nothing(make: Make, world: World) -> None:
    """Arms that cannot come or go, and workers that do not belong, are refused, and the state stays bit for bit."""
    policy = make()
    world.play(policy)
    attempts = [partial(policy.remove_arm, "no such arm"), partial(policy.merge, "a policy")]
    _refuses(policy, [partial(policy.add_arm, ARMS[0], cluster="x"), *attempts])


def _refuses(policy: Any, attempts: list[Callable[[], Any]]) -> None:
    before = snapshot(policy)
    for attempt in attempts:
        try:
            attempt()
        except (ValueError, KeyError):
            assert snapshot(policy) == before, f"{attempt} changed the state"
        else:
            raise AssertionError(f"{attempt} was accepted")


def _takes(make: Make, keyword: str) -> bool:
    return isinstance(make, partial) and keyword in make.keywords


class Check(NamedTuple):
    """A part of the contract.

    Args:
        holds: Raises an AssertionError if it does not hold.
        members: What a policy must have for it to apply.
        keyword: What its constructor must take for it to apply.
        forgets: Whether it is for policies with a half-life only.
    """

    holds: Callable[[Make, World], None]
    members: tuple[str, ...] = ()
    keyword: str = ""
    forgets: bool = False


CHECKS: dict[str, Check] = {
    check.holds.__name__.removeprefix("_"): check
    for check in (
        Check(_select_is_pure),
        Check(_replay_equals_live),
        Check(_late_rewards_end_alike, ("explain",)),
        Check(_stamps_weigh_alike, forgets=True),
        Check(_same_seed_same_arms),
        Check(_every_arm_is_tried),
        Check(_the_best_arm_is_found),
        Check(_empty_history_equals_none, keyword="history"),
        Check(_one_cluster_decides_as_flat, keyword="clusters"),
        Check(_singletons_decide_as_flat, keyword="clusters"),
        Check(_merge_equals_one_worker, ("merge", "explain")),
        Check(_an_idle_worker_adds_nothing, ("merge", "explain")),
        Check(_load_equals_saved, ("save",)),
        Check(_rejected_input_changes_nothing, ("identity",)),
        Check(_rejected_changes_change_nothing, ("add_arm", "remove_arm", "merge")),
    )
}
"""The checks by name."""
