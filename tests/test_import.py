"""Importing hedgerow is quick, and brings in nothing that is not asked for."""

import doctest
import os
import subprocess
import sys
import time

import pytest

import hedgerow as hr
from hedgerow.core.kernel import COMPILED, drop_outdated
from hedgerow.policies.constructors import constructor
from hedgerow.policies.registry import load_all


def run(code, **environment):
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_heavy_is_imported():
    heavy = ["matplotlib", "polars", "typer", "pandas", "numba", "narwhals", "joblib", "rich"]
    assert run(f"import sys, hedgerow; print([m for m in {heavy} if m in sys.modules])") == "[]"


def test_every_public_name_is_there():
    assert set(dir(hr)) == {*hr.__all__, "__version__"}
    for name in hr.__all__:
        assert getattr(hr, name).__doc__


@pytest.mark.parametrize("rule", load_all())
def test_the_example_of_every_rule_runs(rule):
    made = constructor(rule)
    (example,) = doctest.DocTestFinder(recurse=False).find(made, made.__name__, module=False, globs={})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


DECIDE = """
import numpy as np, hedgerow as hr
from hedgerow.core.kernel import COMPILED, drop_outdated
K, C = 8, [0, 0, 0, 1, 1, 2, (2, 1), (2, 1)]
rng = np.random.default_rng(3)
X, R = rng.normal(size=(600, 3)), rng.random((600, K))
log = dict(arms=rng.integers(K - 2, size=20), rewards=rng.random(20), contexts=rng.normal(size=(20, 3)))
h = hr.History.from_rounds(**log)
policies = [hr.UCB(range(K)), hr.HUCB(range(K), history=h), hr.UCBC(range(K), clusters=C)]
policies += [make(range(K), clusters=C, history=h) for make in (hr.HUCBC, hr.HUCBCPrime, hr.HLinUCBC)]
policies += [hr.LinUCB(range(K), dimension=3), hr.HLinUCB(range(K), history=h), hr.LinUCBC(range(K), clusters=C, dimension=3)]
policies += [hr.META(range(K), clusters=C, history=h, dimension=d, shared=s) for d in (None, 3) for s in (True, False)]
print(COMPILED)
for p in policies:
    arms = []
    for t in range(600):
        d = p.select(X[t] if p.dimension else None, rng=rng if t % 5 == 0 else None)
        p.update(d, R[t, d.arm])
        arms.append(d.arm)
    print(*arms)
"""


def test_plain_and_compiled_decide_alike():
    compiled, plain = run(DECIDE), run(DECIDE, HEDGEROW_COMPILE="0")
    first, rest = compiled.split("\n", 1)
    assert first == str(COMPILED)
    assert plain.split("\n", 1) == ["False", rest]
    assert len(rest.splitlines()) == 13


def test_without_a_folder_for_the_cache_it_compiles_all_the_same(tmp_path):
    code = """
import numba.core.caching as caching
caching.CacheImpl._locator_classes = []
import hedgerow as hr
print(hr.UCB(["a", "b"]).select().arm)
"""
    assert run(code) == "a"


def test_without_numba_it_runs_with_a_warning():
    code = """
import sys, warnings
sys.modules["numba"] = None
import hedgerow as hr
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(hr.UCB(["a", "b"]).select().arm, len(caught), "plain Python" in str(caught[0].message))
"""
    assert run(code, HEDGEROW_COMPILE="1") == "a 1 True"


def test_machine_code_older_than_any_source_is_not_run(tmp_path):
    cache = tmp_path / "inner" / "__pycache__"
    cache.mkdir(parents=True)
    for name, age in (("kernel.py", 30), ("inner/callee.py", 10), (cache / "caller.nbi", 20), (cache / "other.nbi", 5)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    drop_outdated(tmp_path)
    assert [path.name for path in cache.iterdir()] == ["other.nbi"]
