"""What every policy chooses is held by tests/goldens/goldens.json; play_goldens.py beside it tells how."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def script() -> ModuleType:
    """play_goldens.py as a module."""
    path = Path(__file__).parent / "goldens" / "play_goldens.py"
    spec = importlib.util.spec_from_file_location("play_goldens", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


goldens = script()


@pytest.mark.skipif(not goldens.COMPILED, reason="hedgerow is not compiled: only the first rounds can be compared")
@pytest.mark.parametrize("policy", goldens.POLICIES)
def test_arms_and_numbers_are_as_they_were(policy):
    """Every case of a policy, compiled."""
    assert goldens.differing(f"{policy}/") == {}


@pytest.mark.skipif(not goldens.COMPILED, reason="hedgerow is not compiled: only the first rounds can be compared")
def test_every_golden_is_played():
    """No golden is left over, and no case has none."""
    assert set(goldens.read()["arms"]) == set(goldens.cases())
    assert set(goldens.read()["numbers"]) == set(goldens.EXPLAINED)


@pytest.mark.skipif(goldens.COMPILED, reason="the plain run is in a process of its own, which the next test starts")
def test_first_rounds_in_plain_python():
    """In a run without the compiler."""
    assert goldens.differing(plain=True) == {}


@pytest.mark.skipif(not goldens.COMPILED, reason="this is the plain run")
def test_plain_python_chooses_the_same_first_rounds():
    """In another process, without the compiler."""
    assert goldens.run_plain("") == 0
