"""Exploration, control share and propensities: drawn from ids, derived again, and as frequent as they say."""

from collections import Counter

import numpy as np
import pytest

from hedgerow.service.draws import Plan, choose
from hedgerow.service.lift import lift
from hedgerow.service.tallies import ModeTally

ARMS = ("a", "b", "c")


@pytest.mark.parametrize(
    ("explore", "control", "baseline"), [(0.3, 0.0, None), (0.2, 0.4, None), (0.2, 0.4, "b"), (0.0, 1.0, "b")]
)
def test_arms_are_as_frequent_as_their_propensities_say(explore, control, baseline):
    plan, times = Plan(b"salt", explore, control, False), 20_000
    found = [choose("a", ARMS, plan, str(n), unit=None, baseline=baseline, sure=True) for n in range(times)]
    counts = Counter(choice.arm for choice in found)
    told = {choice.arm: choice.propensity for choice in found}
    for arm, propensity in told.items():
        assert abs(counts[arm] / times - propensity) < 5.0 * np.sqrt(0.25 / times)
    assert sum(told.values()) == pytest.approx(1.0)


def test_a_unit_stays_in_control_or_out_of_it():
    plan = Plan(b"salt", 0.0, 0.5, False)
    modes = {
        unit: {choose("a", ARMS, plan, str(n), unit=unit, baseline="b", sure=True).mode for n in range(20)} for unit in "xyzuvw"
    }
    assert all(len(found) == 1 for found in modes.values())
    assert {mode for found in modes.values() for mode in found} == {"live", "control"}


def test_the_policy_that_draws_by_itself_has_no_propensity():
    assert choose("a", ARMS, Plan(b"salt", 0.1, 0.1, False), "1", unit=None, baseline=None, sure=False).propensity is None


def test_shadow_answers_the_baseline():
    assert choose("a", ARMS, Plan(b"salt", 0.5, 0.5, True), "1", unit=None, baseline="b", sure=True) == (
        "b",
        "shadow",
        False,
        None,
    )


def test_the_interval_of_the_lift_holds_at_every_time():
    """The live arm improves, as it does while a policy learns; the interval is for the mean of what could be expected."""
    missed, runs, rounds = 0, 200, 1000
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        chance = np.linspace(0.2, 0.5, rounds)
        live, control, gain = ModeTally(), ModeTally(), 0.0
        for step in range(rounds):
            live.add(float(rng.random() < chance[step]))
            control.add(float(rng.random() < 0.3))
            gain += chance[step]
            found = lift({"live": live, "control": control}, (0.0, 1.0))
            if not found.low <= gain / (step + 1) - 0.3 <= found.high:
                missed += 1
                break
    assert missed <= 0.1 * runs


def test_without_a_range_there_is_no_interval():
    live, control = ModeTally(), ModeTally()
    live.add(1.0)
    control.add(0.5)
    found = lift({"live": live, "control": control}, None)
    assert (found.lift, found.low) == (0.5, None)
    assert "reward_range" in found.why
