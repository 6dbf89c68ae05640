"""Experiments in a file, so that they can be kept with the rest of one's code: TOML with a table for each."""

import logging
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from .admin_calls import put
from .problems import Problem
from .serving import Service
from .wire import Config, checked_name

LOG = logging.getLogger("hedgerow.service")


def declared(path: str) -> dict[str, Config]:
    """The experiments of a file.

    Args:
        path: A TOML file.

    Returns:
        Their configurations by name.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no TOML, or a table is no experiment.
    """
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    found = {}
    for name, table in tables.items():
        try:
            found[checked_name(name, "an experiment's name")] = msgspec.convert(table, Config)
        except msgspec.ValidationError as error:
            raise ValueError(f"{name} in {path} is no experiment: {error}") from None
    return found


async def declare(service: Service, experiments: Mapping[str, Config]) -> None:
    """Create or change these experiments; what is wrong with one is logged, and the others go on.

    Args:
        service: The service.
        experiments: Their configurations by name.
    """
    for name, config in experiments.items():
        try:
            await put(service, name, config)
        except Problem as problem:
            LOG.error("experiment %s: %s", name, problem.detail)
