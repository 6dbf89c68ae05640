"""Play policies on problems: many trials, common random numbers, one core or several."""

import hashlib
import os
import pickle
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..core.kernel import COMPILED
from ..core.types import Floats, Integers, Policy
from ..core.validate import accepted
from ..policies.meta import Meta
from .backends import CLUSTERS, run_on_cluster
from .play import play
from .problems import Problem, Trial
from .result import Simulation

Make: TypeAlias = Callable[..., Policy]
POINTS = 100
DAMAGES = (ValueError, TypeError, KeyError, OSError, EOFError, NotImplementedError, zipfile.BadZipFile)
"""What reading a damaged file may raise."""


class Shuffled(NamedTuple):
    """The control of a clustered policy: the same cluster sizes, but labels dealt out at random, anew in each trial."""

    make: Make


class Outcome(NamedTuple):
    """One trial: per policy the cumulative reward, regret and rounds with each expert, at the marked rounds."""

    reward: Floats
    regret: Floats
    followed: Floats
    best: Floats
    largest: Floats


def simulate(
    policies: Sequence[Make | Shuffled] | Mapping[str, Make | Shuffled],
    problem: Problem,
    *,
    rounds: int,
    trials: int = 20,
    seed: int = 0,
    jobs: int | None = None,
    marks: Sequence[int] = (),
    delay: int = 0,
    resume: str | Path | None = None,
    backend: str | None = None,
) -> Simulation:
    """Play every policy on the same trials of a problem.

    Arguments
        policies: constructors, called with the trial's arms and, of ``clusters=``, ``history=`` and ``dimension=``, those
            they accept; or a mapping name -> constructor. ``Shuffled(make)`` is the control with shuffled labels.
        problem: see ``hedgerow.problems``.
        jobs: processes to use; None for all cores. The numbers do not depend on it.
        marks: rounds at which curves are kept, beside some hundred others.
        delay: rounds by which rewards come late; policies know which of their decisions wait (``policy.expect``).
        resume: a folder where finished trials are kept, so that an interrupted run goes on where it stopped. Trials are played
            again if anything about them is new: hedgerow itself, an argument, what a constructor makes of it, or the code of a
            policy of your own.
        backend: "joblib" for processes of this machine, "dask" or "ray" for a cluster: the one you are connected to, else
            one on this machine. A cluster uses all of its cores, whatever ``jobs`` says; the numbers do not depend on it.

    >>> import hedgerow as hr
    >>> result = hr.simulate([hr.UCB, hr.HUCBC], hr.problems.SyntheticClassical(), rounds=500, trials=3, jobs=1)
    >>> [row["policy"] for row in result.summary()]
    ['UCB', 'HUCBC']
    """
    makes = _named(policies)
    rounds, trials, delay = _count("rounds", rounds, 1), _count("trials", trials, 1), _count("delay", delay, 0)
    if isinstance(problem, type) or not hasattr(problem, "trial"):
        raise ValueError(f"problem must be a problem such as problems.SyntheticClassical(), got {problem!r}")
    if backend not in (None, "joblib", *CLUSTERS):
        raise ValueError(f"backend must be one of {', '.join(('joblib', *CLUSTERS))}, got {backend!r}")
    at, built = _marked(rounds, marks), _rehearsal(makes, problem)
    experts = {name: tuple(policy.experts) for name, policy in built.items() if isinstance(policy, Meta)}
    width = max((len(names) for names in experts.values()), default=0)
    run = partial(_outcome, makes, problem, rounds, seed, at, width, delay)
    if resume is not None:
        made = [(name, _recipe(make), _state_of(built[name])) for name, make in makes.items()]
        key = (_content(problem), made, rounds, seed, at.tolist(), delay)
        run = partial(_kept, run, Path(resume), hashlib.blake2b(repr((source_digest(), key)).encode(), digest_size=8).hexdigest())
    title = f"{problem}, rewards {delay:,} rounds late" if delay else str(problem)
    outcomes = list(_shown(_run_all(run, trials, jobs, backend), trials, title))
    stacked = [np.stack(parts, axis=1) for parts in list(zip(*outcomes, strict=True))[:3]]
    return Simulation(
        problem=title,
        policies=tuple(makes),
        rounds=rounds,
        trials=trials,
        seed=seed,
        at=at,
        reward=stacked[0],
        regret=stacked[1],
        followed=stacked[2],
        best=np.stack([outcome.best for outcome in outcomes]),
        largest=np.array([outcome.largest[0] for outcome in outcomes]),
        experts=experts,
    )


def _count(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def _named(policies: Sequence[Make | Shuffled] | Mapping[str, Make | Shuffled]) -> dict[str, Make | Shuffled]:
    if callable(policies):
        raise ValueError(f"policies must be a list or dict of constructors, got {policies!r}")
    makes = dict(policies) if isinstance(policies, Mapping) else {_described(make): make for make in policies}
    if not makes:
        raise ValueError("policies must hold at least one constructor, got none")
    if wrong := [make for make in makes.values() if not callable(make.make if isinstance(make, Shuffled) else make)]:
        raise ValueError(f"policies must be constructors such as hedgerow.UCB, got {wrong[0]!r}")
    if len(makes) < len(policies):
        raise ValueError("two policies have the same name: give them as a dict, name -> constructor")
    return makes


def _described(make: Any) -> str:
    """A constructor's name and fixed arguments, the same in every process."""
    if isinstance(make, Shuffled):
        return f"{_described(make.make)} shuffled"
    if isinstance(make, partial):
        fixed = ", ".join(f"{key}={value!r}" for key, value in make.keywords.items())
        return f"{_described(make.func)}({fixed})"
    return str(getattr(make, "__name__", type(make).__name__))


def _recipe(make: Any) -> str:
    """All that makes a constructor what it is, so that results of another are not taken for its own."""
    if isinstance(make, Shuffled):
        return f"shuffled {_recipe(make.make)}"
    if isinstance(make, partial):
        fixed = [(key, _content(value)) for key, value in sorted(make.keywords.items())]
        return repr((_recipe(make.func), [_content(value) for value in make.args], fixed))
    code, kind = getattr(make, "__code__", None), make if hasattr(make, "__qualname__") else type(make)
    parts = (make.__module__, kind.__qualname__) if code is None else _code(code)
    cells = [_content(cell.cell_contents) for cell in getattr(make, "__closure__", None) or ()]
    defaults = [_content(getattr(make, name, None)) for name in ("__defaults__", "__kwdefaults__")]
    return repr((parts, _source(kind), defaults, cells))


def _code(code: CodeType) -> tuple[Any, ...]:
    """What a function does, the functions within it included."""
    constants = [_code(value) if isinstance(value, CodeType) else value for value in code.co_consts]
    return code.co_code, constants, code.co_names


def _state_of(policy: Any) -> str:
    """What a constructor has made, whatever it took it from; of other people's policies what a pickle holds, if they can be."""
    with suppress(pickle.PicklingError, AttributeError, TypeError):
        return hashlib.blake2b(pickle.dumps(policy), digest_size=16).hexdigest()
    return ""


def _source(kind: Any) -> str:
    """A digest of the file that a function or a class of the user's is defined in, or of its methods if there is none.

    hedgerow has one for all of its own.
    """
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if kind.__module__.partition(".")[0] == __package__:
        return ""
    if path is None or not Path(path).is_file():
        methods = {name: part.__code__ for name, part in vars(kind).items() if hasattr(part, "__code__")}
        return repr({name: _code(code) for name, code in methods.items()}) if isinstance(kind, type) else ""
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()


def _content(value: Any) -> str:
    """A digest of all that a problem, or an argument, holds, its data included."""
    if callable(value):
        return _recipe(value)
    try:
        return hashlib.blake2b(pickle.dumps(value), digest_size=16).hexdigest() + _source(type(value))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(f"resume needs problems and arguments that can be pickled, {value!r:.80} cannot") from error


def _marked(rounds: int, marks: Sequence[int]) -> Integers:
    even = np.linspace(rounds / POINTS, rounds, POINTS)
    early = np.geomspace(1, rounds, POINTS // 2)
    wanted = np.concatenate([even, early, [mark for mark in marks if 1 <= mark <= rounds]])
    return np.unique(np.ceil(wanted - 1e-9).astype(np.int64))


def build(make: Make | Shuffled, trial: Trial, rng: np.random.Generator) -> Policy:
    """The policy of a constructor for a trial."""
    clusters = trial.clusters
    if isinstance(make, Shuffled):
        clusters = tuple(clusters[k] for k in rng.permutation(len(clusters)))
        make = make.make
    given = {"clusters": clusters or None, "history": trial.history, "dimension": trial.dimension}
    return make(trial.arms, **accepted(make, given))


def _outcome(
    makes: Mapping[str, Make | Shuffled],
    problem: Problem,
    rounds: int,
    seed: int,
    at: Integers,
    width: int,
    delay: int,
    number: int,
) -> Outcome:
    """Trial ``number``: its rewards depend on the seed and the number alone, draws of a policy on its place in the list too."""
    trial = problem.trial(rounds, np.random.default_rng([seed, number])).check()
    labels = np.random.default_rng([seed, number, 1])
    best = trial.expected.max(axis=1)
    row = trial.rows if len(trial.expected) > 1 else np.zeros_like(trial.rows)
    reward, regret, followed = [], [], []
    for place, make in enumerate(makes.values()):
        policy = build(make, trial, labels)
        played = play(policy, trial, np.random.default_rng([seed, number, 2, place]), delay)
        reward.append(np.cumsum(trial.rewards[trial.rows, played.arms])[at - 1])
        regret.append(np.cumsum(best[row] - trial.expected[row, played.arms])[at - 1])
        followed.append(_followed(played.followed, width)[at - 1])
    largest = np.array([np.abs(trial.rewards).max()])
    return Outcome(np.stack(reward), np.stack(regret), np.stack(followed), np.cumsum(best[row])[at - 1], largest)


def _followed(experts: Integers, width: int) -> Floats:
    """Rounds so far with each expert."""
    counts: Floats = np.cumsum(experts[:, None] == np.arange(width), axis=0, dtype=np.float64)
    return counts


def _rehearsal(makes: Mapping[str, Make | Shuffled], problem: Problem) -> dict[str, Policy]:
    """Play a round with every policy, so that all is compiled once and not in each process; the policies after it."""
    trial = problem.trial(1, np.random.default_rng(0)).check()
    built = {name: build(make, trial, np.random.default_rng(0)) for name, make in makes.items()}
    for policy in built.values():
        play(policy, trial)
    return built


def _run_all(run: Callable[[int], Outcome], trials: int, jobs: int | None, backend: str | None) -> Iterator[Outcome]:
    if backend in CLUSTERS:
        return run_on_cluster(run, trials, backend)
    if jobs == 1 or trials == 1:
        return map(run, range(trials))
    try:
        from joblib import Parallel, delayed
    except ImportError as error:
        if jobs is None and backend is None:
            return map(run, range(trials))
        raise ImportError('several jobs need joblib: pip install "hedgerow[cli]"') from error
    results: Iterator[Outcome] = Parallel(n_jobs=min(jobs, trials) if jobs else -1, return_as="generator")(
        delayed(run)(n) for n in range(trials)
    )
    return results


def _shown(outcomes: Iterator[Outcome], trials: int, title: str) -> Iterator[Outcome]:
    """The outcomes, with a progress bar if somebody is watching."""
    if not sys.stderr.isatty():
        return outcomes
    try:
        from rich.console import Console
        from rich.progress import track
    except ImportError:
        return outcomes
    console = Console(stderr=True)
    return iter(track(outcomes, total=trials, description=title[:60], console=console, transient=True))


def _kept(run: Callable[[int], Outcome], folder: Path, key: str, number: int) -> Outcome:
    """A trial read from the folder, or played and left there."""
    path = folder / f"{key}-{number}.npz"
    if path.exists():
        with suppress(*DAMAGES), np.load(path, allow_pickle=False) as file:
            return Outcome(**file)  # unless the file is damaged
    outcome = run(number)
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.part.npz")  # two runs may share the folder
    try:
        np.savez(unfinished, **outcome._asdict())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return outcome


@cache
def source_digest() -> str:
    """Changes with the package's source, so that results of another version are not taken for this one's."""
    content = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py")))
    return hashlib.blake2b(content + bytes([COMPILED]), digest_size=8).hexdigest()
