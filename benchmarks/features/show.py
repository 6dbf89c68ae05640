"""Run the functions of a file: each shows one feature, and fails if it is not there."""

import contextlib
import inspect
import io
import json
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any


def show(package: str, names: Mapping[str, Any]) -> None:
    """Print, as JSON, the version of a package and the functions of a file that ran."""
    warnings.simplefilter("ignore")
    own = [
        value for name, value in names.items() if inspect.isfunction(value) and value.__module__ == "__main__" and name[0] != "_"
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        for feature in own:
            feature()
    print(json.dumps({"version": version(package), **{feature.__name__: True for feature in own}}))
