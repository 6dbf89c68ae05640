"""A history in a file that is sent: CSV or Parquet, one row a round."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..data.encoding import Encoding
from ..data.history import History
from .wire import Config

SUFFIXES = {"text/csv": ".csv", "application/vnd.apache.parquet": ".parquet"}
"""Endings of files by their media type."""


def history_of_file(data: bytes, media: str, roles: Mapping[str, str], config: Config) -> History:
    """The sums of a log.

    Args:
        data: The file.
        media: Its media type, one of ``SUFFIXES``.
        roles: ``arm``, ``reward`` and, for contexts of numbers, ``context``: names of columns, those of the context with commas.
        config: Of the experiment, which says how raw contexts are read.

    Returns:
        The history of the experiment's arms.

    Raises:
        ValueError: It is no such file, or lacks a column.
    """
    columns = tuple(roles["context"].split(",")) if roles.get("context") else None
    context: Any = Encoding.of(dict(config.context)) if config.context is not None else columns
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows without an arm or a reward: the answer tells the plays that count
        path = Path(folder) / f"history{SUFFIXES[media]}"
        path.write_bytes(data)
        found = History.from_file(path, arm=roles.get("arm", "arm"), reward=roles.get("reward", "reward"), context=context)
    arms = tuple(str(arm) for arm in found.arms)
    return History(arms, found.sums, found.dimension, encoding=found.encoding if config.context is not None else None)
