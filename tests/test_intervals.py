"""Intervals and shifts by hand."""

import math

import numpy as np
import pytest

from hedgerow.inference.intervals import estimate, mean_interval, weighted_estimate
from hedgerow.inference.rates import values_in, values_of
from hedgerow.inference.shift import changes, spread_of_changes, worth
from hedgerow.inference.sums import Sums


def test_students_interval_by_hand():
    """Two trials have one degree of freedom, whose 97.5 % quantile is 12.706."""
    assert mean_interval(np.array([1.0, 3.0])) == pytest.approx((2.0, 2.0 - 12.7062, 2.0 + 12.7062), abs=1e-3)
    assert mean_interval(np.array([5.0])) == (5.0, -math.inf, math.inf)
    wide = mean_interval(np.arange(31.0))
    assert wide.high - wide.value == pytest.approx(2.0423 * np.std(np.arange(31.0), ddof=1) / math.sqrt(31), rel=1e-3)


def test_weighted_values_have_the_quantiles_of_their_repetitions():
    values, odds = np.array([3.0, 1.0, 2.0]), np.array([2.0, 97.0, 1.0])
    assert weighted_estimate(values, odds) == (1.0, 1.0, 1.0)
    assert weighted_estimate(values, np.array([30.0, 30.0, 40.0])) == (2.0, 1.0, 3.0)
    assert estimate(np.linspace(0.0, 1.0, 101)) == pytest.approx((0.5, 0.05, 0.95))


def test_a_history_that_is_off_by_its_noise_is_worth_one_row():
    rows = np.array([100.0, 0.0])
    sums = Sums(rows, np.zeros(2), rows)  # a noise of 1
    noise = float(sums.variances(binary=False)[0])
    assert worth(sums, math.sqrt(noise), binary=False) == pytest.approx([1.0 / 101.0, 1.0])
    assert worth(sums, 0.0, binary=False) == pytest.approx([1.0, 1.0])


def test_single_rows_are_not_compared():
    before, now = (Sums(np.array(n), np.zeros(3), np.array(n)) for n in ([1.0, 5.0, 5.0], [5.0, 5.0, 5.0]))
    found = changes(now, before, binary=False)
    assert found.arms.tolist() == [False, True, True]
    assert spread_of_changes(found) == 0.0


def test_two_values_are_found_in_rows_and_in_sums():
    assert values_of(np.array([2.0, 7.0, 2.0])) == (2.0, 7.0)
    assert values_of(np.array([2.0, 7.0, 3.0])) is None
    assert values_of(np.array([7.0, 7.0])) is None
    one_value = Sums(np.array([3.0, 4.0]), np.array([21.0, 28.0]), np.array([147.0, 196.0]))
    assert values_in(one_value) is None
