"""Trials on a cluster: joblib hands them to Dask or Ray."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")

LEAST_SECONDS = 0.05
"""A task that takes less would cost more to send than to run."""


def run_on_cluster(run: Callable[[int], T], trials: int, backend: str) -> Iterator[T]:
    """The outcomes of all trials in order; the first is run here, to see how many make a task worth sending."""
    joblib = _part("joblib", "joblib", backend)
    start = time.perf_counter()
    yield run(0)
    size = max(1, math.ceil(LEAST_SECONDS / max(time.perf_counter() - start, 1e-9)))
    tasks = [range(first, min(first + size, trials)) for first in range(1, trials, size)]
    if tasks:
        with CLUSTERS[backend](), joblib.parallel_config(backend=backend, n_jobs=-1):
            for outcomes in joblib.Parallel(batch_size=1)(joblib.delayed(_run_some)(run, task) for task in tasks):
                yield from outcomes


def _run_some(run: Callable[[int], T], numbers: Sequence[int]) -> list[T]:
    return [run(number) for number in numbers]


def _part(module: str, name: str, extra: str) -> Any:
    """A module of a package that only some have installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f'backend "{extra}" needs {name}: pip install "hedgerow[{extra}]"') from error


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


CLUSTERS = {"dask": _dask, "ray": _ray}
