"""What goes over the wire: requests, answers and configurations; reports.py has the long answers.

Both are the only description of the format: OpenAPI is made of them.
"""

import re
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:-]{0,127}")
"""Names of experiments, ids of decisions, keys of rewards: they stand in addresses."""

LARGEST_REWARD = 1e15
"""What rewards must not exceed."""

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128, pattern="^[A-Za-z0-9_][A-Za-z0-9._:-]*$")]
Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=256)]
Number: TypeAlias = Annotated[float, Meta(ge=-LARGEST_REWARD, le=LARGEST_REWARD)]
Weight: TypeAlias = Annotated[float, Meta(ge=0.0, le=LARGEST_REWARD)]
Share: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0.0, le=1e9)]
Raw: TypeAlias = float | Annotated[str, Meta(max_length=1024)] | bool | None
Context: TypeAlias = Annotated[list[float], Meta(max_length=512)] | Annotated[dict[Text, Raw], Meta(max_length=512)]
Arms: TypeAlias = Annotated[list[Text], Meta(min_length=1, max_length=10_000)]
Aggregate: TypeAlias = Literal["first", "last", "sum", "max"]
Learn: TypeAlias = Literal["close", "at once"]
Mode: TypeAlias = Literal["live", "control", "shadow"]


def checked_name(given: str, what: str) -> str:
    """A name that can stand in an address.

    Args:
        given: What was given.
        what: What it is, for the message.

    Returns:
        The name.

    Raises:
        ValueError: It is none.
    """
    if not NAME.fullmatch(given):
        raise ValueError(f"{what} must be 1 to 128 of A-Z a-z 0-9 . _ : - and begin with a letter, digit or _, got {given!r:.80}")
    return given


class Config(Struct, forbid_unknown_fields=True, frozen=True):
    """An experiment, as its owner writes it. Another PUT of it changes what differs and never forgets what was learnt."""

    arms: Arms
    clusters: dict[Text, Text] | None = None
    policy: Annotated[str, Meta(max_length=64)] = "Auto"
    params: dict[Text, Number | Annotated[str, Meta(max_length=64)] | bool] = {}
    context: dict[Text, Literal["number"] | Annotated[list[Text], Meta(min_length=1, max_length=1000)]] | None = None
    wait: Annotated[float, Meta(gt=0.0, le=1e9)] | None = None
    default: Number | None = None
    aggregate: Aggregate = "first"
    learn: Learn | None = None
    explore: Share = 0.02
    control: Share = 0.0
    baseline: Text | None = None
    mode: Literal["live", "shadow"] = "live"
    reward_range: tuple[Number, Number] | None = None

    @property
    def learns_at_once(self) -> bool:
        """Whether the first reward of a decision is learnt when it comes; else when its wait is over, or ``final`` came."""
        return self.learn == "at once" or (self.learn is None and self.default is None)


class Ask(Struct, forbid_unknown_fields=True):
    """A request for a decision. The same id with the same request is given the same answer."""

    decision_id: Name | None = None
    context: Context | None = None
    among: Arms | None = None
    baseline: Text | None = None
    unit: Annotated[str, Meta(min_length=1, max_length=256)] | None = None


class Decided(Struct):
    """What was chosen. ``propensity``: the probability that this arm was answered; null where the policy draws by itself."""

    decision_id: str
    arm: str
    cluster: str | None
    propensity: float | None
    mode: Mode
    explored: bool
    seq: int
    epoch: int
    expires_at: float | None


class Reward(Struct, forbid_unknown_fields=True):
    """A reward of a decision. ``final``: no other will come, so that it is learnt now."""

    value: Number
    final: bool = False


class Rewarded(Struct):
    """What became of a reward: ``folded`` into the policy, ``waiting`` for its decision to close or to come, or ``late``."""

    result: Literal["folded", "waiting", "late", "unknown"]
    seq: int


class Item(Struct, forbid_unknown_fields=True):
    """A reward in a batch."""

    decision_id: Name
    value: Number
    key: Name = "reward"
    final: bool = False


class AskBatch(Struct, forbid_unknown_fields=True):
    """Several requests for decisions."""

    decisions: Annotated[list[Ask], Meta(max_length=1000)]


class RewardBatch(Struct, forbid_unknown_fields=True):
    """Several rewards."""

    rewards: Annotated[list[Item], Meta(max_length=1000)]


class Failed(Struct):
    """An item of a batch that was refused."""

    title: str
    status: int
    detail: str


class DecidedItem(Struct):
    """An item of the answer to a batch of requests: its status, and a decision or what is wrong."""

    status: int
    decision: Decided | None = None
    problem: Failed | None = None


class RewardedItem(Struct):
    """An item of the answer to a batch of rewards: its status, and what became of it or what is wrong."""

    status: int
    reward: Rewarded | None = None
    problem: Failed | None = None


class DecidedBatch(Struct):
    """An answer for each request, in their order."""

    decisions: list[DecidedItem]


class RewardedBatch(Struct):
    """An answer for each reward, in their order."""

    rewards: list[RewardedItem]


class Withdrawn(Struct):
    """A decision that was never shown."""

    decision_id: str
    seq: int


class Given(Struct):
    """A reward as it is stored."""

    key: str
    value: float
    at: float


class Kept(Struct):
    """A decision as it is stored, with its rewards and what was learnt from it. ``settled``: outcome, default, cancel or null."""

    decision: Decided
    at: float
    context: list[float] | None
    greedy: str
    revision: int
    rewards: list[Given]
    settled: str | None
    value: float | None


class Sums(Struct, forbid_unknown_fields=True):
    """A history as sums of each arm: plays, total of the rewards, and total of their squares."""

    plays: Annotated[float, Meta(ge=0.0, le=LARGEST_REWARD)]
    total: Number
    squares: Annotated[float, Meta(ge=0.0)]


class HistoryOfSums(Struct, forbid_unknown_fields=True):
    """A history without contexts, as sums by arm, and how much each of its rounds counts."""

    arms: dict[Text, Sums]
    weight: Weight = 1.0


class HistoryRow(Struct):
    """A history that an experiment starts from."""

    sha256: str
    weight: float
    plays: float
    arms: int


class Experiment(Struct):
    """An experiment, its configuration and where its log stands."""

    name: str
    revision: int
    seq: int
    epoch: int
    created: float
    archived: float | None
    config: Config
    history: list[HistoryRow] = []


class Experiments(Struct):
    """All experiments."""

    experiments: list[Experiment]
