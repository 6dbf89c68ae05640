"""Tuning numbers: none without its meaning, unit and origin."""

from typing import Annotated, NamedTuple

import pytest

from hedgerow.core.settings import Number, described


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
