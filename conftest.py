"""What pytest leaves out where an engine is absent: `make test-all` installs all of them."""

from importlib.util import find_spec

NEEDS = {"docs/history.md": "duckdb", "src/hedgerow/sklearn": "sklearn"}
collect_ignore = [page for page, package in NEEDS.items() if find_spec(package) is None]
