"""What pytest leaves out where an engine is absent: `make test-all` installs all of them."""

from importlib.util import find_spec

collect_ignore = [page for page, package in {"docs/history.md": "duckdb"}.items() if find_spec(package) is None]
