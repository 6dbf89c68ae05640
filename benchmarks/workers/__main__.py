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
    """Answer tasks until there are no more; a kind and policy is run once on tiny numbers before it is first timed."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not stand between the answers
    worker = import_module(f"workers.{library}")
    warm = set()
    for line in sys.stdin:
        task = json.loads(line)
        work, path = worker.KINDS[task["kind"]], (task["kind"], task.get("policy"), "clusters" in task)
        try:
            if path not in warm:
                work(smaller(task, TINY))
                warm.add(path)
            result = work(task)
        except Exception as error:  # a library that fails is a result, too
            result = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({**result, "version": version(worker.PACKAGE)}), file=out, flush=True)


serve(sys.argv[1])
