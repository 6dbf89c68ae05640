"""Hold what every policy chooses: play some hundred small cases and compare the arms with goldens.json.

    python tests/goldens/play_goldens.py                  compare, print the names that differ, exit 1 if any
    python tests/goldens/play_goldens.py --only HUCBC/    only the cases whose name begins so
    python tests/goldens/play_goldens.py --plain          the first rounds of some cases with HEDGEROW_COMPILE=0
    python tests/goldens/play_goldens.py --write          write goldens.json anew (with --only: those cases alone)

A case is named policy/levels of clusters/start/kind of rewards/when rewards come, such as HUCBC/2/warm/binary/late, or
policy/what happens/when rewards come, such as HUCBC/merge/now. Rewards and contexts are drawn before the first round, from a
seed that is the checksum of the case's name, so they do not depend on what is chosen. Only the public interface is used.

goldens.json holds for each case a hash of all its arms ("arms"), one of the arms of its first 100 rounds ("plain", which
plain Python must give too), and for a few cases the numbers that ``explain`` gives in the end ("numbers").
"""

import argparse
import hashlib
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import hedgerow as hr

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = dict[str, list[float | str]]
Make: TypeAlias = Callable[..., Any]

GOLDENS = Path(__file__).with_name("goldens.json")
COMPILED = os.environ.get("HEDGEROW_COMPILE", "1") != "0" and find_spec("numba") is not None

FIRST = 100
"""Rounds that plain Python plays too."""

DELAY = 25
"""Rounds by which late rewards come late."""

DIMENSION = 3
SPARE = 2
"""Arms that a policy is offered only later."""

EVENTFUL, SIMULATED, TABLE = 400, 400, 1000
"""Rounds of a case in which something happens, and of a simulation; rows of the tables that eventful cases draw from."""

DIGITS, TOLERANCE = 12, 1e-9
"""Significant digits of the numbers that are stored; their relative tolerance."""

KINDS = ("binary", "normal", "uniform")
UNIT = ("binary", "uniform")
SHAPES = ("1", "2", "3")
INNER = [("p", "x"), ("p", "y"), ("q", "x"), ("q", "y"), "r"]
"""Clusters within clusters, one of them beside those that hold others."""


# The worlds that policies live in


@dataclass(frozen=True)
class World:
    """Arms, their clusters, two histories, and tables of rewards and contexts; the spare arms come last."""

    arms: list[str]
    clusters: list[Any] | None
    others: list[Any] | None
    rewards: Floats
    contexts: Floats | None
    history: hr.History
    later: hr.History

    @property
    def size(self) -> int:
        """Arms that a policy has from the beginning."""
        return len(self.arms) - SPARE

    def given(self, maker: "Maker", warm: bool) -> dict[str, Any]:
        """What a policy's constructor is given beside the arms."""
        given: dict[str, Any] = {}
        if maker.clusters and self.clusters is not None:
            given["clusters"] = self.clusters[: self.size]
        if warm:
            given["history"] = self.history
        if maker.contextual:
            given["dimension"] = DIMENSION
        return given


def seed_of(name: str) -> int:
    """The same number for a name in every process and on every machine."""
    return zlib.crc32(name.encode())


def world_of(name: str, shape: str, kind: str, rounds: int, *, contextual: bool, arms: int | None = None) -> World:
    """The world of a case; with 0/1 and uniform rewards, contexts begin with a constant."""
    rng = np.random.default_rng(seed_of(name))
    size = arms or int(rng.integers(7, 13))
    groups = _groups(size, 5 if shape == "3" else 3, rng, uneven=arms is not None)
    labels = _labels(groups, shape)
    drawn = _contexts(rounds, kind, rng) if contextual else None
    theta = _coefficients(groups, rng, DIMENSION if contextual else 1)
    return World(
        arms=[f"arm-{number}" for number in range(size + SPARE)],
        clusters=labels,
        others=None if labels is None else [labels[at] for at in rng.permutation(size)],
        rewards=_rewards(_expected(theta, drawn, rounds, kind), kind, rng),
        contexts=drawn,
        history=_history(theta, 60, kind, contextual, rng),
        later=_history(theta, 90, kind, contextual, rng),
    )


def _groups(size: int, count: int, rng: np.random.Generator, *, uneven: bool) -> NDArray[np.int64]:
    """The cluster of each arm and spare arm: of much the same size, or one with four fifths of the arms."""
    even = np.arange(size) % count
    groups = np.where(np.arange(size) % 5 > 0, 0, even) if uneven else even
    return np.concatenate([rng.permutation(groups), rng.integers(count, size=SPARE)])


def _labels(groups: NDArray[np.int64], shape: str) -> list[Any] | None:
    if shape == "1":
        return None
    return [INNER[group] if shape == "3" else f"cluster-{group}" for group in groups.tolist()]


def _contexts(rounds: int, kind: str, rng: np.random.Generator) -> Floats:
    contexts = rng.normal(size=(rounds, DIMENSION))
    if kind != "normal":
        contexts[:, 0] = 1.0
    return contexts


def _coefficients(groups: NDArray[np.int64], rng: np.random.Generator, length: int) -> Floats:
    """One row per arm, alike within clusters."""
    centres = rng.normal(size=(int(groups.max()) + 1, length))
    return np.asarray(centres[groups] + 0.4 * rng.normal(size=(groups.size, length)))


def _expected(theta: Floats, contexts: Floats | None, rounds: int, kind: str) -> Floats:
    """The expected reward of every arm in every round; arms are close enough to be hard to tell apart."""
    linear = 0.4 * np.broadcast_to(theta[:, 0], (rounds, len(theta))) if contexts is None else contexts @ theta.T
    return np.asarray(0.5 * linear if kind == "normal" else np.clip(0.5 + 0.15 * linear, 0.03, 0.97))


def _rewards(expected: Floats, kind: str, rng: np.random.Generator) -> Floats:
    if kind == "normal":
        return rng.normal(expected, 0.5)
    drawn = rng.random(expected.shape)
    if kind == "binary":
        return (drawn < expected).astype(np.float64)
    return np.clip(expected + np.minimum(expected, 1.0 - expected) * (2.0 * drawn - 1.0), 0.0, 1.0)


def _history(theta: Floats, plays: int, kind: str, contextual: bool, rng: np.random.Generator) -> hr.History:
    """Earlier rounds of all arms but the last ones; those of every other arm are somewhat off."""
    contexts = _contexts(plays, kind, rng) if contextual else None
    arms = rng.integers(len(theta) - SPARE - 2, size=plays)
    biased = theta + 0.3 * (np.arange(len(theta)) % 2)[:, None]
    rewards = _rewards(_expected(biased, contexts, plays, kind), kind, rng)[np.arange(plays), arms]
    return hr.History.from_rounds(arms=[f"arm-{arm}" for arm in arms.tolist()], rewards=rewards, contexts=contexts)


# The policies


@dataclass(frozen=True)
class Maker:
    """A policy's constructor, what it takes, and how long its cases are."""

    make: Make
    clusters: bool = True
    history: bool = True
    contextual: bool = False
    kinds: tuple[str, ...] = KINDS
    rounds: int = 2000


def doubling(arms: Sequence[Any], clusters: Any = None, history: hr.History | None = None) -> Any:
    """Three experts chosen among by D3RB."""
    experts = {
        "grouped": hr.HUCBC(arms, clusters=clusters, history=history),
        "flat": hr.HUCB(arms, history=history),
        "careful": hr.MINUCB(arms, bias=0.1, clusters=clusters, history=history),
    }
    return hr.Meta(experts, rule="d3rb")


POLICIES: dict[str, Maker] = {
    "UCB": Maker(hr.UCB, clusters=False, history=False),
    "UCB-auto": Maker(partial(hr.UCB, scale="auto"), clusters=False, history=False),
    "HUCB": Maker(hr.HUCB, clusters=False),
    "HUCB-auto": Maker(partial(hr.HUCB, scale="auto"), clusters=False),
    "UCBC": Maker(hr.UCBC, history=False),
    "HUCBC": Maker(hr.HUCBC),
    "HUCBC-auto": Maker(partial(hr.HUCBC, scale="auto")),
    "HUCBCPrime": Maker(hr.HUCBCPrime),
    "MINUCB": Maker(partial(hr.MINUCB, bias=0.1)),
    "MINUCB-auto": Maker(partial(hr.MINUCB, bias=0.1, scale="auto"), kinds=("normal",)),
    "BAST": Maker(partial(hr.BAST, diameter=0.2)),
    "BAST-auto": Maker(partial(hr.BAST, diameter=0.2, scale="auto"), kinds=("normal",)),
    "TSC": Maker(hr.TSC),
    "UCBV": Maker(hr.UCBV),
    "KLUCB": Maker(hr.KLUCB, kinds=UNIT),
    "HierUCB": Maker(hr.HierUCB),
    "Auto": Maker(hr.Auto, rounds=1000),
    "META": Maker(hr.META),
    "META-auto": Maker(partial(hr.META, scale="auto", expert_scale="auto")),
    "META-own": Maker(partial(hr.META, shared=False), kinds=("normal",)),
    "D3RB": Maker(doubling),
    "LinUCB": Maker(hr.LinUCB, clusters=False, history=False, contextual=True),
    "HLinUCB": Maker(hr.HLinUCB, clusters=False, contextual=True),
    "LinUCBC": Maker(hr.LinUCBC, history=False, contextual=True),
    "HLinUCBC": Maker(hr.HLinUCBC, contextual=True),
    "HLinUCBC-single": Maker(partial(hr.HLinUCBC, precision="single"), contextual=True, kinds=("normal",)),
    "LinTSC": Maker(hr.LinTSC, contextual=True),
    "META-lin": Maker(hr.META, contextual=True, rounds=1000),
    "D3RB-lin": Maker(partial(hr.META, rule="d3rb"), contextual=True, kinds=("binary",), rounds=1000),
    "HierLinUCB": Maker(hr.HierLinUCB, contextual=True, rounds=600),
    "HierLinUCB-even": Maker(partial(hr.HierLinUCB, weights=False), contextual=True, kinds=("uniform",), rounds=600),
    "Auto-lin": Maker(hr.Auto, contextual=True, rounds=300),
}

BIG = {
    **dict.fromkeys(("UCB", "UCB-auto", "HUCB", "HUCBC", "HUCBC-auto", "BAST", "TSC", "META"), (300, 3000)),
    "HierUCB": (300, 1500),
    "HLinUCBC": (300, 500),
    "LinTSC": (300, 500),
    "HierLinUCB": (60, 300),
}
"""Arms and rounds of the big case; beyond some 200 arms side by side, UCB holds a tournament among them."""


# Playing


class Player:
    """A policy in its world, and the positions of the arms that it chose."""

    def __init__(self, policy: Any, world: World, delay: int, limit: int, *, row: int = 0):
        self.policy, self.world, self.delay, self.limit, self.row = policy, world, delay, limit, row
        self.column = {arm: number for number, arm in enumerate(world.arms)}
        self.chosen: list[int] = []
        self.rng: np.random.Generator | None = None
        self.cancels = False
        self._late: deque[tuple[Any, float]] = deque()
        self._settled = 0

    @property
    def context(self) -> Floats | None:
        """The context of the round that comes next."""
        return None if self.world.contexts is None else self.world.contexts[self.row % len(self.world.contexts)]

    def play(self, rounds: int = sys.maxsize) -> None:
        """Some rounds, or all that are left."""
        end = min(self.limit, len(self.chosen) + rounds)
        while len(self.chosen) < end:
            self.take(self.policy.select(self.context, rng=self.rng))

    def batch(self, size: int) -> None:
        """Rounds decided at once; -1 stands for a decision that ``select`` would have made otherwise."""
        assert self.world.contexts is not None
        contexts = self.world.contexts[(self.row + np.arange(size)) % TABLE]
        single = [self.policy.select(context).arm for context in contexts]
        for decision, arm in zip(self.policy.select_many(contexts), single, strict=True):
            self.take(decision, alike=decision.arm == arm)

    def take(self, decision: Any, *, alike: bool = True) -> None:
        """Write the arm down; learn its reward now or later."""
        column = self.column[decision.arm]
        self.chosen.append(column if alike else -1)
        if self.delay:
            self.policy.expect(decision)
        self._late.append((decision, float(self.world.rewards[self.row % len(self.world.rewards), column])))
        self.row += 1
        if len(self._late) > self.delay:
            self._settle(*self._late.popleft())

    def _settle(self, decision: Any, reward: float) -> None:
        self._settled += 1
        if decision.arm not in self.policy.arms:
            return
        if self.cancels and self._settled % 3 == 0:
            self.policy.cancel(decision)
        else:
            self.policy.update(decision, reward)

    def learn(self, column: int) -> None:
        """A round that someone else decided."""
        reward = float(self.world.rewards[self.row % TABLE, column])
        self.policy.learn(self.world.arms[column], reward, self.context)
        self.row += 1

    def add(self, number: int, cluster: Any = None) -> None:
        """Offer a spare arm, in its own cluster or another."""
        column = self.world.size + number
        labels = self.world.clusters
        own = None if labels is None else labels[column]
        named = (cluster or own) if self.policy.clustered else None
        self.policy.add_arm(self.world.arms[column], cluster=named, new_cluster=True)

    def copied(self) -> Any:
        """The policy as another process would load it."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "state"
            self.policy.save(path)
            return hr.load(path)

    def join(self, worker: "Player", since: Any = None) -> None:
        """Merge a worker; its rewards that are late will come here."""
        self.policy.merge(worker.policy, since=since)
        self.chosen += worker.chosen
        self._late += worker._late


# What happens in the eventful cases, within the first rounds and again later


def grow(player: Player, _: Make) -> None:
    """Arms come and go."""
    player.play(40)
    player.add(0)
    player.play(20)
    player.policy.remove_arm(player.world.arms[1])
    player.play(20)
    player.add(1, cluster="new")
    player.play(100)
    player.policy.remove_arm(player.world.arms[-1])
    player.play()


def merge(player: Player, make: Make) -> None:
    """A worker that goes off from here comes back; later, one that started at the beginning."""
    player.play(30)
    worker = Player(player.copied(), player.world, player.delay, 25, row=500)
    since = player.copied()
    worker.play()
    player.play(20)
    player.join(worker, since)
    player.play(100)
    fresh = Player(make(), player.world, player.delay, 60, row=700)
    fresh.play()
    player.join(fresh)
    player.play()


def reload(player: Player, _: Make) -> None:
    """The policy is saved and loaded twice."""
    for rounds in (45, 130, sys.maxsize):
        player.play(rounds)
        player.policy = player.copied()


def rewarm(player: Player, _: Make) -> None:
    """Another history, half of it, then none."""
    player.play(45)
    player.policy.history = player.world.later
    player.play(30)
    player.policy.history = player.world.history.weighted(0.5)
    player.play(150)
    player.policy.history = None
    player.play()


def regroup(player: Player, _: Make) -> None:
    """Other clusters, then the first ones again."""
    world = player.world
    player.play(45)
    player.policy.clusters = world.others
    player.play(150)
    player.policy.clusters = dict(zip(world.arms, (world.clusters or [])[: world.size], strict=False))
    player.play()


def cancel(player: Player, _: Make) -> None:
    """Every third reward never comes."""
    player.cancels = True
    player.play()


def learn(player: Player, _: Make) -> None:
    """Every fifth round is someone else's."""
    while len(player.chosen) < player.limit:
        player.play(4)
        player.learn(player.row % player.world.size)


def ties(player: Player, _: Make) -> None:
    """Ties are broken at random, and what draws does so from a generator."""
    player.rng = np.random.default_rng(12)
    player.play()


def batch(player: Player, _: Make) -> None:
    """Twenty decisions at a time."""
    while len(player.chosen) < player.limit:
        player.batch(20)


EVENTS: dict[str, Callable[[Player, Make], None]] = {
    event.__name__: event for event in (grow, merge, reload, rewarm, regroup, cancel, learn, ties, batch)
}


def whens(event: str) -> tuple[str, ...]:
    """Whether rewards of an eventful case come now, late, or either."""
    return ("late",) if event == "cancel" else ("now",) if event == "ties" else ("now", "late")


def happens_to(event: str, maker: Maker) -> bool:
    """Whether an event can happen to a policy."""
    needed = {"rewarm": maker.history, "regroup": maker.clusters, "batch": maker.contextual}
    return needed.get(event, True)


# The cases


class Played(NamedTuple):
    """What a case gave: its arms, those of its first rounds, and the policy in the end."""

    arms: list[int]
    first: list[int]
    player: Player | None = None


Case: TypeAlias = Callable[[bool], Played]
"""Plays a case, all of it or (True) its first rounds."""


def play_steadily(name: str, maker: Maker, big: tuple[int, int] | None, brief: bool) -> Played:
    """A policy that only chooses and learns."""
    _, shape, start, kind, when = name.split("/")[:5]
    arms, rounds = big or (None, maker.rounds)
    world = world_of(name, shape, kind, rounds, contextual=maker.contextual, arms=arms)
    policy = maker.make(world.arms[: world.size], **world.given(maker, start == "warm"))
    player = Player(policy, world, DELAY if when == "late" else 0, FIRST if brief else rounds)
    player.play()
    return Played(player.chosen, player.chosen[:FIRST], player)


def play_eventfully(name: str, maker: Maker, event: str, brief: bool) -> Played:
    """A policy to which something happens, in nested clusters if it takes them."""
    kind = "binary" if event == "ties" else "uniform" if "uniform" in maker.kinds else maker.kinds[0]
    world = world_of(name, "3" if maker.clusters else "1", kind, TABLE, contextual=maker.contextual)
    make = partial(maker.make, world.arms[: world.size], **world.given(maker, maker.history))
    player = Player(make(), world, DELAY if name.endswith("late") else 0, FIRST if brief else EVENTFUL)
    EVENTS[event](player, make)
    return Played(player.chosen[: player.limit], player.chosen[:FIRST], player)


def play_simulated(name: str, maker: Maker, brief: bool) -> Played:
    """The trials of ``hedgerow.simulate``, which compiled code may play from end to end."""
    arms = [] if brief else simulated(name, maker, SIMULATED)
    return Played(arms, simulated(name, maker, FIRST))


def simulated(name: str, maker: Maker, rounds: int) -> list[int]:
    """The regret of every round, which tells the arms apart, in millionths."""
    problem: Any
    if maker.contextual:
        noise = "logistic" if maker.kinds == ("binary",) else "uniform"
        problem = hr.problems.SyntheticContextual(arms=12, clusters=3, dimension=DIMENSION, noise=noise)
    else:
        noise = "bernoulli" if maker.kinds == UNIT else "uniform"
        problem = hr.problems.SyntheticClassical(arms=20, clusters=4, noise=noise)
    late = DELAY if name.endswith("late") else 0
    marks, seed = range(1, rounds + 1), seed_of(name)
    result = hr.simulate({"it": maker.make}, problem, rounds=rounds, trials=2, seed=seed, jobs=1, marks=marks, delay=late)
    steps = np.diff(result.regret, axis=-1, prepend=0.0)
    return [int(step) for step in np.rint(1e6 * steps).ravel()]


def steady_cases(policy: str, maker: Maker) -> Iterator[tuple[str, Case]]:
    """Every shape, start, kind of rewards and delay that a policy takes, and the big case."""
    shapes, starts = SHAPES if maker.clusters else SHAPES[:1], ("cold", "warm") if maker.history else ("cold",)
    for shape in shapes:
        for start in starts:
            for kind in maker.kinds:
                for when in ("now", "late"):
                    name = f"{policy}/{shape}/{start}/{kind}/{when}"
                    yield name, partial(play_steadily, name, maker, None)
    if policy in BIG:
        name = f"{policy}/{shapes[-2:][0]}/{starts[-1]}/{maker.kinds[-1]}/now/big"
        yield name, partial(play_steadily, name, maker, BIG[policy])


def cases() -> dict[str, Case]:
    """All cases by name."""
    found: dict[str, Case] = {}
    for policy, maker in POLICIES.items():
        found.update(steady_cases(policy, maker))
        for event in EVENTS:
            for when in whens(event) if happens_to(event, maker) else ():
                name = f"{policy}/{event}/{when}"
                found[name] = partial(play_eventfully, name, maker, event)
        for when in ("now", "late"):
            name = f"{policy}/simulate/{when}"
            found[name] = partial(play_simulated, name, maker)
    return found


EXPLAINED = (
    "UCB-auto/1/cold/normal/now",
    "HUCBC/3/warm/uniform/late",
    "HUCBCPrime/2/warm/binary/now",
    "MINUCB/2/warm/normal/now",
    "BAST/3/warm/binary/now",
    "TSC/2/warm/normal/late",
    "UCBV/2/warm/uniform/now",
    "KLUCB/3/warm/binary/now",
    "HierUCB/2/warm/normal/late",
    "META-auto/2/warm/normal/now",
    "D3RB/2/warm/uniform/late",
    "HLinUCBC/3/warm/uniform/late",
    "LinTSC/2/warm/normal/now",
    "HierLinUCB/2/warm/uniform/now",
    "HierLinUCB/3/warm/normal/late",
)
"""Cases whose numbers are held too."""


APART = ("HierUCB/1/cold/uniform/late",)
"""Cases that compiled and plain Python already play apart: sums differ in the last bit, and all arms are within 1e-7 of a tie."""


def is_plain(name: str) -> bool:
    """Whether plain Python plays a case's first rounds: not if it is big, and of Auto only those in which something happens."""
    policy, what, *_ = name.split("/")
    wanted = what in EVENTS if policy.startswith("Auto") else not name.endswith("big")
    return wanted and name not in APART


# What is held


def hashed(arms: Sequence[int]) -> str:
    """Twelve hexadecimal digits that stand for a sequence of arms."""
    return hashlib.blake2b(np.array(arms, dtype="<i8").tobytes(), digest_size=6).hexdigest()


def explained(player: Player) -> Numbers:
    """The numbers of ``explain``, a list per line of it, and the policy's estimates about itself."""
    explanation = player.policy.explain(player.world.contexts[0] if player.world.contexts is not None else None)
    found: Numbers = {}
    for row in explanation:
        numbers = (row.mean, row.width, row.index, row.plays, row.history, row.waiting)
        found[f"{row.kind} {row.label}"] = [storable(float(number)) for number in numbers]
    return found | {f"setting {name}": [storable(float(value))] for name, value in explanation.settings.items()}


def storable(number: float) -> float | str:
    """A number as JSON can hold it."""
    return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else str(number)


def close(one: float | str, other: float | str) -> bool:
    """Whether two stored numbers agree, but for rounding."""
    return math.isclose(float(one), float(other), rel_tol=TOLERANCE, abs_tol=1e-12) or str(one) == str(other)


def alike(one: Numbers, other: Numbers) -> bool:
    """Whether two explanations have the same lines and numbers."""
    return one.keys() == other.keys() and all(
        len(line) == len(other[label]) and all(map(close, line, other[label])) for label, line in one.items()
    )


def difference(goldens: Mapping[str, Any], name: str, case: Case, *, brief: bool = False) -> str | None:
    """How a case differs from what is held of it; None if it does not. ``brief``: only its first rounds are compared."""
    if name not in goldens["arms"]:
        return "is not in goldens.json"
    try:
        played = case(brief)
        numbers = explained(played.player) if name in EXPLAINED and played.player and not brief else None
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"
    if hashed(played.first) != goldens["plain"][name]:
        return f"other arms within the first {FIRST} rounds"
    if not brief and hashed(played.arms) != goldens["arms"][name]:
        return f"other arms after the first {FIRST} rounds"
    return None if numbers is None or alike(goldens["numbers"].get(name, {}), numbers) else "other numbers in explain"


def differing(only: str = "", *, plain: bool = False) -> dict[str, str]:
    """The cases that differ from goldens.json, and how; ``plain``: the first rounds of those that plain Python plays."""
    goldens, known = read(), cases()
    asked = [name for name in known if name.startswith(only) and (is_plain(name) or not plain)]
    hows = {name: difference(goldens, name, known[name], brief=plain) for name in asked}
    found = {name: how for name, how in hows.items() if how is not None}
    gone = [] if plain else [name for name in goldens["arms"] if name.startswith(only) and name not in known]
    return found | dict.fromkeys(gone, "is no longer played")


def read() -> dict[str, Any]:
    """What goldens.json holds."""
    goldens: dict[str, Any] = json.loads(GOLDENS.read_text(encoding="utf-8"))
    return goldens


def made_anew(only: str) -> dict[str, Any]:
    """All that is held, from the library as it is; cases that are not asked for stay as they were."""
    parts = ("arms", "plain", "numbers")
    goldens: dict[str, Any] = read() if only else {part: {} for part in parts}
    for part in parts:
        goldens[part] = {name: value for name, value in goldens[part].items() if not name.startswith(only)}
    for name, case in cases().items():
        if name.startswith(only):
            played = case(False)
            goldens["arms"][name], goldens["plain"][name] = hashed(played.arms), hashed(played.first)
            if name in EXPLAINED and played.player is not None:
                goldens["numbers"][name] = explained(played.player)
    versions = {name: version(name) for name in ("numpy", "numba")}
    goldens["versions"] = {"hedgerow": hr.__version__, "python": platform.python_version(), **versions}
    goldens["versions"]["machine"] = platform.machine()
    return {**goldens, "made_by": "python tests/goldens/play_goldens.py --write"}


def written(goldens: Mapping[str, Any]) -> str:
    """JSON with sorted keys and a line per case."""
    parts = []
    for key, part in sorted(goldens.items()):
        if isinstance(part, str):
            parts.append(f" {json.dumps(key)}: {json.dumps(part)}")
            continue
        lines = [f"  {json.dumps(name)}: {json.dumps(value, sort_keys=True)}" for name, value in sorted(part.items())]
        parts.append(f" {json.dumps(key)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def run_plain(only: str) -> int:
    """Another process without the compiler compares the first rounds."""
    command = [sys.executable, __file__, "--plain", "--only", only]
    return subprocess.run(command, env={**os.environ, "HEDGEROW_COMPILE": "0"}, check=False).returncode


def timed(only: str) -> None:
    """Print the seconds that each policy's cases take."""
    seconds: dict[str, float] = {}
    for name, case in cases().items():
        if name.startswith(only) and (COMPILED or is_plain(name)):
            start = time.perf_counter()
            case(not COMPILED)
            policy = name.split("/")[0]
            seconds[policy] = seconds.get(policy, 0.0) + time.perf_counter() - start
    for policy, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        print(f"{spent:7.2f} s  {policy}")


def main() -> int:
    """Compare or write, as the command line says."""
    parser = argparse.ArgumentParser(description="Compare what every policy chooses with goldens.json.")
    parser.add_argument("--write", action="store_true", help="write goldens.json instead")
    parser.add_argument("--only", default="", metavar="PREFIX", help="only cases whose name begins so")
    parser.add_argument("--plain", action="store_true", help="the first rounds of some cases, without the compiler")
    parser.add_argument("--times", action="store_true", help="print the seconds that each policy takes")
    asked = parser.parse_args()
    if asked.times:
        timed(asked.only)
        return 0
    if asked.plain and COMPILED:
        return run_plain(asked.only)
    if not COMPILED and not asked.plain:
        parser.error("hedgerow is not compiled here: only --plain can be compared")
    if asked.write:
        GOLDENS.write_text(written(made_anew(asked.only)), encoding="utf-8")
        return 0
    found = differing(asked.only, plain=asked.plain)
    for name, how in found.items():
        print(f"{name}: {how}")
    print(f"{len(found)} of the cases differ" if found else "all cases are as they were")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
