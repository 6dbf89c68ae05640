"""A service in a process of its own, for the drivers.

python -m benchmarks.service.server STORE PORT [SNAPSHOT [FAULT]]
"""

import sys

from benchmarks.service.faults import FAULTS
from hedgerow.service import app, running
from hedgerow.service.settings import Options


def main() -> None:
    """Serve until killed."""
    store, port, *rest = sys.argv[1:]
    if len(rest) > 1:
        FAULTS[rest[1]]()
    options = Options(store, port=int(port), snapshot=int(rest[0]) if rest else 5000)
    running.run(app.create(options), options, level="warning")


if __name__ == "__main__":
    main()
