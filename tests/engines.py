"""Packages that `make test-all` installs and `make test` does not: a test that uses one is skipped where it is absent."""

from typing import Any

import pytest


class OnDemand:
    """A package that is imported when a test uses it; without it, that test is skipped."""

    def __init__(self, package: str):
        self.package = package

    def __getattr__(self, name: str) -> Any:
        return getattr(pytest.importorskip(self.package), name)


duckdb, pyarrow, sqlglot = OnDemand("duckdb"), OnDemand("pyarrow"), OnDemand("sqlglot")
