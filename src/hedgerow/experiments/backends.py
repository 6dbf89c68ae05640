"""Where trials run: here, in processes of this machine, or on a cluster, to which joblib hands them."""

import math
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from ..core import extras

Found = TypeVar("Found")

LEAST_SECONDS = 0.05
"""A task that takes less would cost more to send than to run."""


BESIDE_THE_TITLE = 36
"""Letters of a progress line that its bar, its percentage and the time left need."""


def outcomes_of(run: Callable[[int], Found], trials: int, jobs: int | None, backend: str | None, title: str) -> Iterator[Found]:
    """The outcomes of all trials in order, with a progress bar if somebody is watching.

    Args:
        run: plays the trial of a number.
        trials: how many there are.
        jobs: processes of this machine; None for all cores.
        backend: None or "joblib" for this machine, "dask" or "ray" for a cluster.
        title: of the progress bar.

    Returns:
        One outcome for each trial.
    """
    outcomes = _run_all(run, trials, jobs, backend)
    if not sys.stderr.isatty():
        return outcomes
    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import track
    except ImportError:
        return outcomes
    console = Console(stderr=True)
    short = textwrap.shorten(title, max(console.width - BESIDE_THE_TITLE, 1), placeholder="...")
    return iter(track(outcomes, total=trials, description=escape(short), console=console, transient=True))


def _run_all(run: Callable[[int], Found], trials: int, jobs: int | None, backend: str | None) -> Iterator[Found]:
    if backend in CLUSTER_BACKENDS:
        return _run_on_cluster(run, trials, backend)
    if jobs == 1 or trials == 1:
        return map(run, range(trials))
    try:
        from joblib import Parallel, delayed
    except ImportError as error:
        if jobs is None and backend is None:
            return map(run, range(trials))
        raise extras.absent("work on several cores", "joblib", "cli") from error
    results: Iterator[Found] = Parallel(n_jobs=min(jobs, trials) if jobs else -1, return_as="generator")(
        delayed(run)(number) for number in range(trials)
    )
    return results


def _run_on_cluster(run: Callable[[int], Found], trials: int, backend: str) -> Iterator[Found]:
    """The outcomes of all trials in order; the first is run here, to see how many make a task worth sending."""
    joblib = _part("joblib", "joblib", backend)
    start = time.perf_counter()
    yield run(0)
    size = max(1, math.ceil(LEAST_SECONDS / max(time.perf_counter() - start, 1e-9)))
    tasks = [range(first, min(first + size, trials)) for first in range(1, trials, size)]
    if tasks:
        with CLUSTER_BACKENDS[backend](), joblib.parallel_config(backend=backend, n_jobs=-1):
            for outcomes in joblib.Parallel(batch_size=1)(joblib.delayed(_run_some)(run, task) for task in tasks):
                yield from outcomes


def _run_some(run: Callable[[int], Found], numbers: Sequence[int]) -> list[Found]:
    return [run(number) for number in numbers]


def _part(module: str, package: str, extra: str) -> Any:
    """A module of a package that only some have installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise extras.absent(f'backend "{extra}"', package, extra) from error


@contextmanager
def _dask() -> Iterator[None]:
    """The cluster of the current client; else that of the environment's scheduler address; else one on this machine."""
    distributed = _part("distributed", "Dask", "dask")
    try:
        distributed.get_client()
    except ValueError:
        with distributed.Client():
            yield
    else:
        yield


@contextmanager
def _ray() -> Iterator[None]:
    """The cluster that Ray is connected to; else that of the environment's address; else one on this machine."""
    _part("ray.util.joblib", "Ray", "ray").register_ray()
    yield


CLUSTER_BACKENDS = {"dask": _dask, "ray": _ray}
