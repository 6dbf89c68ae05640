"""What an older hedgerow runs, so that any change can be compared with any past commit.

    git worktree add ../old 2e3f9aa
    python -m benchmarks.wild play --policies "baseline Auto" --baseline ../old ...

``play`` starts this module in a process of its own whose PYTHONPATH begins with the older source, so no names clash. It needs of
that source what library.py imports, and plays the same trials into the same file.
"""

import json
import sys

from benchmarks.wild.run import Plan, play_here


def main() -> None:
    """Play the plan that is the only argument, as JSON."""
    plan = json.loads(sys.argv[1])
    play_here(Plan(**{**plan, "policies": tuple(plan["policies"])}), lambda line: print(f"baseline: {line}", file=sys.stderr))


if __name__ == "__main__":
    main()
