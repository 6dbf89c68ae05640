"""What a policy that forgets remembers, in a sentence or two."""

from ..core.labels import shown
from ..policies.forgetting.memory import Memory
from ..present.numbers import numeral


def remembered(memory: Memory, rounds: int, older: str) -> str:
    """What a policy remembers, for a reader who is no statistician.

    Args:
        memory: The facts.
        rounds: Rounds that it has learnt.
        older: What becomes of rounds from before a change.

    Returns:
        Sentences.
    """
    count = f"its {rounds:,} rounds count as {numeral(memory.remembered, 3)}"
    if memory.since is None:
        return f"It forgets: a round counts half after {memory.half_life}, so that {count}."
    if not memory.changes:
        return f"No arm is seen to have changed; {count}, older ones a little less."
    ago = f"about {max(rounds - memory.since, 0.0):,.0f} rounds ago"
    who = f"of {shown(memory.changed)} " if memory.changed else "of some cluster "
    more = f" It is the newest of {memory.changes} changes." if memory.changes > 1 else ""
    return f"Rewards {who}changed {ago}; what is older {older}.{more}"
