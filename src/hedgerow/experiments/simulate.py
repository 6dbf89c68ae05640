"""Play policies on problems: many trials, common random numbers, one core or several."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..core.types import Integers, Policy
from ..policies.meta import Meta
from .backends import CLUSTER_BACKENDS, outcomes_of
from .kept_trials import described, kept_in
from .outcome import Make, Outcome, Plan, Shuffled, build, outcome
from .play import play
from .problems import Problem
from .result import Simulation

CURVE_POINTS = 100
"""Evenly spaced rounds at which curves are kept, beside half as many early ones."""


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
    callback: Callable[[Simulation], object] | None = None,
) -> Simulation:
    """Play every policy on the same trials of a problem.

    Args:
        policies: constructors, called with the trial's arms and those of ``clusters=``, ``history=`` and ``dimension=`` that
            they accept; or a mapping name -> constructor. ``Shuffled(make)`` is the control with shuffled labels.
        problem: see ``hedgerow.problems``.
        rounds: rounds of each trial.
        trials: how many trials are played.
        seed: the same seed gives the same numbers.
        jobs: processes to use; None for all cores. The numbers do not depend on it.
        marks: rounds at which curves are kept, beside some hundred others.
        delay: rounds by which rewards come late; policies know which of their decisions wait (``policy.expect``).
        resume: a folder where finished trials are kept, so that an interrupted run goes on where it stopped. Trials are told
            apart by the names of the policies and their fixed arguments, the problem as it prints, the numbers above and
            hedgerow's version. If you change the code of a policy, give it another name or another folder.
        backend: "joblib" for processes of this machine, "dask" or "ray" for a cluster: the one you are connected to, else
            one on this machine. A cluster uses all of its cores, whatever ``jobs`` says; the numbers do not depend on it.
        callback: called after each trial with the simulation of the trials so far, in this process: to print it, to plot it, or
            to raise an error that ends the run.

    Returns:
        The curves of all policies in all trials.

    Raises:
        ValueError: if an argument is out of range, or if policies or problem are none.

    Examples:
        >>> import hedgerow as hr
        >>> result = hr.simulate([hr.UCB, hr.HUCBC], hr.problems.SyntheticClassical(), rounds=500, trials=3, jobs=1)
        >>> [row["policy"] for row in result.summary()]
        ['UCB', 'HUCBC']
    """
    makes = _named(policies)
    rounds, trials, delay = _count("rounds", rounds, 1), _count("trials", trials, 1), _count("delay", delay, 0)
    if isinstance(problem, type) or not hasattr(problem, "trial"):
        raise ValueError(f"problem must be a problem such as problems.SyntheticClassical(), got {problem!r}")
    if backend not in (None, "joblib", *CLUSTER_BACKENDS):
        raise ValueError(f"backend must be one of {', '.join(('joblib', *CLUSTER_BACKENDS))}, got {backend!r}")
    if callback is not None and not callable(callback):
        raise ValueError(f"callback must be a function of the simulation so far, got {callback!r}")
    built = _rehearsal(makes, problem)
    experts = {name: tuple(policy.experts) for name, policy in built.items() if isinstance(policy, Meta)}
    plan = Plan(makes, problem, rounds, seed, _marked(rounds, marks), max(map(len, experts.values()), default=0), delay)
    run: Callable[[int], Outcome] = partial(outcome, plan)
    if resume is not None:
        run = kept_in(resume, _description(plan), run)
    title = f"{problem}, rewards {delay:,} rounds late" if delay else str(problem)
    outcomes: list[Outcome] = []
    try:
        for found in outcomes_of(run, trials, jobs, backend, title):
            outcomes.append(found)
            if callback is not None:
                callback(_result(plan, title, experts, outcomes))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_interrupted(len(outcomes), trials, resume)) from None
    return _result(plan, title, experts, outcomes)


def _interrupted(done: int, trials: int, resume: str | Path | None) -> str:
    """What becomes of the trials that were played."""
    told = f"interrupted after {done} of {trials} trials"
    if resume is None:
        return f"{told}, which are lost: resume=FOLDER keeps them, and the same call then goes on where it stopped"
    return f"{told}, which are in {resume}: the same call goes on where this one stopped"


def _result(plan: Plan, title: str, experts: dict[str, tuple[str, ...]], outcomes: Sequence[Outcome]) -> Simulation:
    reward, regret, followed = (np.stack(parts, axis=1) for parts in list(zip(*outcomes, strict=True))[:3])
    return Simulation(
        problem=title,
        policies=tuple(plan.makes),
        rounds=plan.rounds,
        trials=len(outcomes),
        seed=plan.seed,
        at=plan.at,
        reward=reward,
        regret=regret,
        followed=followed,
        best=np.stack([trial.best for trial in outcomes]),
        largest=np.array([trial.largest[0] for trial in outcomes]),
        experts=experts,
    )


def _count(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def _named(policies: Sequence[Make | Shuffled] | Mapping[str, Make | Shuffled]) -> dict[str, Make | Shuffled]:
    if callable(policies):
        raise ValueError(f"policies must be a list or dict of constructors, got {policies!r}")
    makes = dict(policies) if isinstance(policies, Mapping) else {_name(make): make for make in policies}
    if not makes:
        raise ValueError("policies must hold at least one constructor, got none")
    if wrong := [make for make in makes.values() if not callable(make.make if isinstance(make, Shuffled) else make)]:
        raise ValueError(f"policies must be constructors such as hedgerow.UCB, got {wrong[0]!r}")
    if len(makes) < len(policies):
        raise ValueError("two policies have the same name: give them as a dict, name -> constructor")
    return makes


def _name(make: Any) -> str:
    return f"{_name(make.make)} shuffled" if isinstance(make, Shuffled) else described(make)


def _description(plan: Plan) -> str:
    """What tells trials of this plan from others."""
    policies = [f"{name}: {_name(make)}" for name, make in plan.makes.items()]
    numbers = (plan.rounds, plan.seed, plan.at.tolist(), plan.delay)
    prints_itself = type(plan.problem).__repr__ is not object.__repr__
    return "\n".join([*policies, repr(plan.problem) if prints_itself else str(plan.problem), repr(numbers), __version__])


def _marked(rounds: int, marks: Sequence[int]) -> Integers:
    even = np.linspace(rounds / CURVE_POINTS, rounds, CURVE_POINTS)
    early = np.geomspace(1, rounds, CURVE_POINTS // 2)
    wanted = np.concatenate([even, early, [mark for mark in marks if 1 <= mark <= rounds]])
    return np.unique(np.ceil(wanted - 1e-9).astype(np.int64))


def _rehearsal(makes: Mapping[str, Make | Shuffled], problem: Problem) -> dict[str, Policy]:
    """Play a round with every policy, so that all is compiled once and not in each process; the policies after it."""
    trial = problem.trial(1, np.random.default_rng(0)).check()
    built = {name: build(make, trial, np.random.default_rng(0)) for name, make in makes.items()}
    for policy in built.values():
        play(policy, trial)
    return built
