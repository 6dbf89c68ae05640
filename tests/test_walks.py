"""The files that a call enters are few, and are those that docs/walks.md names."""

import os
import re
import subprocess
import sys
from pathlib import Path

WALK = """
import sys
from pathlib import Path
import hedgerow as hr
source, entered = str(Path(hr.__file__).parent), []

def trace(frame, event, argument):
    name = frame.f_code.co_filename
    if name.startswith(source) and name not in entered:
        entered.append(name)

def walk(call):
    entered.clear()
    sys.settrace(trace)
    call()
    sys.settrace(None)
    return [name[len(source) + 1:] for name in entered]

ucb, auto = hr.UCB(["a", "b", "c"]), hr.Auto(["a", "b", "c"], clusters=["x", "x", "y"], dimension=2)
for policy, context in ((ucb, None), (auto, [1.0, 0.5])):
    for _ in range(40):
        policy.update(policy.select(context), 1.0)
decision = auto.select([0.5, 1.0])
print(*walk(ucb.select))
print(*min((walk(lambda: auto.update(decision, 0.5)) for _ in range(10)), key=len))  # now and then all is estimated anew
"""


def entered(compiled):
    """The files that UCB.select and Auto.update with contexts enter."""
    environment = {**os.environ, "HEDGEROW_COMPILE": str(int(compiled))}
    done = subprocess.run([sys.executable, "-c", WALK], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    select, update = (line.replace("\\", "/").split() for line in done.stdout.splitlines())
    return select, update


def named(heading):
    """The files that a section of docs/walks.md names, in their order."""
    page = (Path(__file__).parents[1] / "docs" / "walks.md").read_text(encoding="utf-8")
    section = page.partition(f"### {heading}")[2].partition("\n#")[0]
    return re.findall(r"^\d+\. `([\w/]+\.py)`", section, flags=re.MULTILINE)


def test_the_walk_of_a_choice():
    select, _ = entered(compiled=False)
    assert select == named("`hr.UCB(arms).select()`")
    assert len(select) <= 5


def test_the_walk_of_a_reward():
    _, update = entered(compiled=False)
    assert update == named("`hr.Auto(arms, dimension=d).update(decision, reward)`")
    assert len(update) <= 9
    _, outside_the_kernel = entered(compiled=True)
    assert len(outside_the_kernel) <= 3
