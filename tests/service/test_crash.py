"""Kills under load, in short; python -m benchmarks.service.crash is the long form. And planted faults, which must be caught."""

import asyncio

import pytest

from benchmarks.service import crash

RUNS, KILLS = 5, 6


@pytest.fixture(scope="module")
def place(request):
    """Empty stores of a kind."""
    if request.param == "postgres" and crash.binaries() is None:
        pytest.skip("PostgreSQL is not installed")
    with crash.places(request.param) as stores:
        yield lambda: next(stores)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
@pytest.mark.parametrize("seed", range(RUNS))
def test_nothing_is_lost_and_nothing_doubled(place, seed):
    found = asyncio.run(crash.run(place(), kills=KILLS, seed=seed))
    assert found.broken == []
    assert found.counts["decisions"] > 50


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "fault"),
    [
        ("sqlite", "answers_before_commit"),
        ("sqlite", "folds_twice"),
        ("sqlite", "waiting_in_snapshot"),
        ("postgres", "counter_not_locked"),
    ],
    indirect=["place"],
)
def test_a_planted_fault_is_caught(place, fault):
    assert any(asyncio.run(crash.run(place(), kills=KILLS, seed=seed, fault=fault)).broken for seed in range(3))
