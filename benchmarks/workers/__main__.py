"""Run a worker: python -m workers LIBRARY, in the environment of that library.

A worker reads one task per line from standard input and answers each with one line of JSON. Its module names its PACKAGE
and, under KINDS, the function for each kind of task.
"""

import json
import os
import sys
from importlib import import_module
from importlib.metadata import version

from work import TINY, smaller


def serve(library: str) -> None:
    """Answer tasks until there are no more; each is run on tiny numbers before it is timed, unless the same numbers were."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not stand between the answers
    worker = import_module(f"workers.{library}")
    warm = set()
    for line in sys.stdin:
        task = json.loads(line)
        work, tiny = worker.KINDS[task["kind"]], smaller(task, TINY)
        try:
            if (path := json.dumps(tiny, sort_keys=True)) not in warm:
                work(tiny)
                warm.add(path)
            result = work(task)
        except Exception as error:  # a library that fails is a result, too
            result = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({**result, "version": version(worker.PACKAGE)}), file=out, flush=True)


serve(sys.argv[1])
