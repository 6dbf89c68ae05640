"""Tuning numbers: none without its meaning, unit and origin."""

from importlib import import_module
from pkgutil import walk_packages
from typing import Annotated, NamedTuple

import pytest

import hedgerow
from hedgerow.core.settings import Number, described


def settings_classes() -> list[type]:
    """Every settings class of the package: a NamedTuple whose name ends with Settings."""
    found = {}
    for module in walk_packages(hedgerow.__path__, "hedgerow."):
        if not module.name.endswith("__main__"):
            made = vars(import_module(module.name)).values()
            found |= {one: None for one in made if isinstance(one, type) and one.__name__.endswith("Settings")}
    return list(found)


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


@pytest.mark.parametrize("settings", settings_classes())
def test_the_numbers_of_the_package_are_described(settings: type) -> None:
    assert described(settings)


def test_every_family_has_settings() -> None:
    names = {settings.__name__ for settings in settings_classes()}
    assert {"LinearSettings", "RewardSettings", "TrustSettings", "VerdictSettings"} <= names
