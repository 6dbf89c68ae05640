"""Tuning numbers: none without its meaning, unit and origin."""

from typing import Annotated, NamedTuple

import pytest

from hedgerow.core.settings import Number, described
from hedgerow.evaluate.sampler_state import SamplerSettings
from hedgerow.evaluate.settings import GradeSettings, ReplaySettings, VerdictSettings
from hedgerow.inference.coefficients import CoefficientSettings
from hedgerow.inference.intervals import WorldSettings
from hedgerow.inference.rates import RateSettings
from hedgerow.inference.shift import ShiftSettings
from hedgerow.inference.sums import NoiseSettings
from hedgerow.inference.tests import PermutationSettings
from hedgerow.inference.two_level import TwoLevelSettings
from hedgerow.trust.settings import GridSettings, TrustSettings


class Whole(NamedTuple):
    least: Annotated[float, Number("events an arm", unit="events", origin="chosen: two can differ; not tuned")] = 2.0


class Bare(NamedTuple):
    least: float = 2.0


class Originless(NamedTuple):
    least: Annotated[float, Number("events an arm", unit="events", origin=" ")] = 2.0


class Valueless(NamedTuple):
    least: Annotated[float, Number("events an arm", unit="events", origin="a guess")]


def test_a_described_number_has_its_value() -> None:
    assert described(Whole)["least"].value == 2.0


@pytest.mark.parametrize("settings", [Bare, Originless, Valueless])
def test_a_number_without_description_is_refused(settings: type) -> None:
    with pytest.raises(TypeError, match="least"):
        described(settings)


@pytest.mark.parametrize(
    "settings",
    [
        CoefficientSettings,
        GradeSettings,
        GridSettings,
        NoiseSettings,
        PermutationSettings,
        RateSettings,
        ReplaySettings,
        SamplerSettings,
        ShiftSettings,
        TrustSettings,
        TwoLevelSettings,
        VerdictSettings,
        WorldSettings,
    ],
)
def test_the_numbers_of_the_verdict_and_of_trust_are_described(settings: type) -> None:
    assert described(settings)
