"""The type of a decision's arm is that of the arms given; mypy checks this file, too (`make lint`)."""

from collections.abc import Hashable
from typing import Literal, assert_type

import hedgerow as hr

Dose = Literal["low", "high"]
DOSES: tuple[Dose, ...] = ("low", "high")


def test_an_arm_has_the_type_that_was_given() -> None:
    assert_type(hr.Auto(["a", "b"]).select().arm, str)
    assert_type(hr.UCB(range(3)).arms, tuple[int, ...])
    assert_type(hr.META(DOSES).select().arm, Dose)
    assert_type(hr.UCBV(["a"]).select().arm, str)
    assert_type([decision.arm for decision in hr.UCB([1, 2]).rank(2)], list[int])
    assert_type(hr.LinUCB(["a"], dimension=1).select_many([[1.0]]).arms, list[str])


def test_without_a_type_an_arm_is_any_label() -> None:
    policy: hr.Bandit = hr.UCB(["a"])
    policies: list[hr.Policy] = [policy, hr.Meta([hr.UCB([1, 2])])]
    assert_type(policy.select().arm, Hashable)
    assert len(policies) == 2
