"""A front page that learns: thirty articles, visitors with raw features, clicks that come later from another process.

    python examples/newsroom/newsroom.py [visitors] [decisions.csv]

The page asks for an article for every visitor and puts the decision into a queue. The readers, a process of their own, answer
some time later, in another order, and sometimes never. Articles come and go. Every decision whose reward is known is written
down, and in the end the log is judged as anybody's would be.
"""

import multiprocessing
import sys
from collections.abc import Iterator
from queue import Empty

import numpy as np

import hedgerow as hr

SECTIONS = ("politics", "sport", "science", "food")
VISITOR = {"age": "number", "device": ["desktop", "mobile"]}
MOST_WAITING = 60


def visitors(count: int, rng: np.random.Generator) -> Iterator[dict[str, object]]:
    """Raw features, as a web framework hands them over."""
    for _ in range(count):
        yield {"age": int(rng.integers(18, 80)), "device": str(rng.choice(["desktop", "mobile"]))}


def taste(article: str, visitor: dict[str, object]) -> float:
    """The chance of a click, which nobody knows but the readers."""
    section, number = article.rsplit("-", 1)
    young = float(visitor["age"] < 40)
    base = {"politics": 0.10 - 0.05 * young, "sport": 0.06 + 0.12 * young, "science": 0.08, "food": 0.05}[section]
    return base * (0.6 + 0.8 * (int(number) * 7 % 10) / 10) * (1.3 if visitor["device"] == "mobile" else 1.0)


def readers(shown: "multiprocessing.Queue[object]", clicks: "multiprocessing.Queue[object]", seed: int) -> None:
    """Another process: it answers late, in any order, and forgets one in fifty."""
    rng, waiting, over = np.random.default_rng(seed), [], False
    while waiting or not over:
        message = None if over else shown.get()
        over = message is None
        waiting += [] if over else [message]
        while len(waiting) > (0 if over else MOST_WAITING // 2):
            request, decision, visitor = waiting.pop(int(rng.integers(len(waiting))))
            article = hr.Decision.from_json(decision).arm
            clicks.put(
                (request, decision, visitor, None if rng.random() < 0.02 else float(rng.random() < taste(article, visitor)))
            )
    clicks.put(None)


class Newsroom:
    """The page: it decides at once, and learns when an answer comes."""

    def __init__(self, log: str, seed: int):
        self.section = {f"{SECTIONS[number % 4]}-{number // 4}": SECTIONS[number % 4] for number in range(30)}
        self.policy = hr.Auto(list(self.section), clusters=self.section, context=VISITOR, explore=0.2)
        self.log, self.rng, self.next = hr.DecisionLog(log), np.random.default_rng(seed), 8

    def show(self, request: str, visitor: dict[str, object]) -> hr.Decision:
        """Choose an article among those that are not sold out of their space."""
        decision = self.policy.select(visitor, rng=self.rng)
        self.policy.expect(decision, id=request)
        return decision

    def answer(self, request: str, decision: hr.Decision, visitor: dict[str, object], click: float | None) -> None:
        """A click, none, or no answer at all; the article may be gone by now."""
        if decision.arm not in self.section:
            return
        if click is None:
            self.policy.cancel(request)
        else:
            self.policy.update(decision, click, id=request)
            self.log.append(decision, click, context=visitor)

    def renew(self) -> None:
        """The oldest article goes, a new one of its section comes."""
        oldest = next(iter(self.section))
        section = self.section.pop(oldest)
        self.policy.remove_arm(oldest)
        self.section[f"{section}-{self.next}"] = section
        self.policy.add_arms({f"{section}-{self.next}": section})
        self.next += 1


def main(count: int, log: str, renewed_every: int = 0) -> hr.policies.Bandit:
    """Serve visitors, then wait for the last answers."""
    shown, clicks = multiprocessing.Queue(), multiprocessing.Queue()
    process = multiprocessing.Process(target=readers, args=(shown, clicks, 2), daemon=True)
    process.start()
    room = Newsroom(log, seed=1)
    for number, visitor in enumerate(visitors(count, np.random.default_rng(3))):
        decision = room.show(f"request-{number}", visitor)
        shown.put((f"request-{number}", decision.to_json(), visitor))
        if renewed_every and number % renewed_every == renewed_every - 1:
            room.renew()
        while len(room.policy.waiting) > MOST_WAITING and (answer := clicks.get()):
            room.answer(answer[0], hr.Decision.from_json(answer[1]), *answer[2:])
    shown.put(None)
    try:
        while answer := clicks.get(timeout=10):
            room.answer(answer[0], hr.Decision.from_json(answer[1]), *answer[2:])
    except Empty:
        print("the readers are gone", file=sys.stderr)
    return room.policy


if __name__ == "__main__":
    visits, path = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, sys.argv[2] if len(sys.argv) > 2 else "decisions.csv"
    print(main(visits, path, renewed_every=visits // 10).trust())
    columns = {name: name for name in ("arm", "reward", "propensity", "time")}
    print(hr.evaluate(path, **columns, clusters="cluster", context=["age", "device"], rounds=1000))
