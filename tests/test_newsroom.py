"""The newsroom of examples/: two processes, late answers, articles that come and go, and a log that can be judged."""

import importlib.util
import sys
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.core.kernel import COMPILED

PATH = Path(__file__).parents[1] / "examples" / "newsroom" / "newsroom.py"


def newsroom():
    spec = importlib.util.spec_from_file_location("newsroom", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules["newsroom"] = module  # the other process looks it up
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not COMPILED, reason="plain Python takes its time")
def test_the_newsroom_serves_learns_and_is_judged(tmp_path):
    path = tmp_path / "decisions.csv"
    policy = newsroom().main(14_000, str(path), renewed_every=1400)
    assert policy.waiting == []
    assert len(policy.arms) == 30
    log = hr.Log.read(str(path), arm="arm", reward="reward", propensity="propensity", time="time", context=["age", "device"])
    assert len(log.arms) == 39  # ten articles went and ten came, the last one after the last visitor
    assert log.arm.size <= policy.rounds  # what a withdrawn article had already earned is in both
    assert 0.94 * 14_000 < policy.rounds < 0.99 * 14_000  # some visitors never answered, some articles were gone
    assert policy.encoding.names == ("age", "device=desktop", "device=mobile")
    columns = {name: name for name in ("arm", "reward", "propensity", "time")}
    found = hr.evaluate(str(path), **columns, clusters="cluster", rounds=500)
    assert found.grade.letter == "B"


def test_it_is_short():
    assert len(PATH.read_text().splitlines()) < 120
