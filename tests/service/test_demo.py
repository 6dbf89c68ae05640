"""hedgerow serve --demo: two experiments that are played by themselves, and nothing left behind."""

import tempfile
from pathlib import Path

import pytest

from hedgerow.service import demo

from .live import Live


def test_its_configurations_and_its_history_fit_each_other():
    ads, offers = demo.configs().values()
    assert set(ads["clusters"]) == set(ads["arms"])
    assert set(demo.history()["arms"]) < set(ads["arms"])
    assert set(offers["arms"]) == set(demo.OFFERS)


@pytest.mark.slow
def test_it_plays_both_and_leaves_nothing(tmp_path):
    kept = set(Path(tempfile.gettempdir()).glob("hedgerow-demo-*"))
    live = Live(tmp_path, "--demo", HEDGEROW_STORE="sqlite:///hedgerow.db")
    own = set(Path(tempfile.gettempdir()).glob("hedgerow-demo-*")) - kept
    learnt = {}
    while len(learnt) < 2:
        for name in set(demo.configs()) - set(learnt):
            answer = live.get(f"/v1/experiments/{name}/status")
            if answer.status_code == 200 and answer.json()["outcomes"] > demo.FIRST_VISITS // 2:
                learnt[name] = answer.json()
    assert learnt["demo-ads"]["lift"]["low"] is not None
    assert sum(arm["history"] for arm in learnt["demo-ads"]["arms"]) > 0
    assert {arm["cluster"] for arm in learnt["demo-ads"]["arms"]} == set(demo.ADS)
    assert "demo-offers" in live.get("/").text
    live.close()
    assert not any(folder.exists() for folder in own)
    assert not (tmp_path / "hedgerow.db").exists()
