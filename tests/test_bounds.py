"""The theorems as calculators: by hand, against plain loops over the formulas, and against policies at play."""

import io
import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.bounds import Bound, adversarial, clustering, hlinucb, hucb, log_determinant, plot, tight
from hedgerow.present.plots import OKABE_ITO

PI2 = math.pi**2
MEANS, CLUSTERS, HISTORY = [0.9, 0.8, 0.4, 0.3], ["a", "a", "b", "b"], [2, 0, 4, 6]
LINEAR: dict[str, Any] = {"dimension": 5, "horizon": 100, "sigma": 0.5, "delta": 0.05, "norm": 2.0}
FORMS = pytest.mark.parametrize("form", ["printed", "gap-weighted"])


# Clusterings


def test_intervals_and_gaps_in_order_of_first_appearance() -> None:
    found = clustering([0.5, 0.9, 0.1, 0.75], ["sport", "news", "sport", "news"])
    assert found.labels == ("sport", "news")
    assert found.lower == (0.1, 0.75)
    assert found.upper == (0.5, 0.9)
    assert found.delta[0] == 0.75 - 0.5
    assert math.isnan(found.delta[1])
    assert (found.optimal, found.tight) == ("news", True)


@pytest.mark.parametrize(
    ("means", "clusters", "expected"),
    [
        ([0.9, 0.5, 0.5, 0.1], "a a b b", False),  # the intervals share the point 0.5
        ([0.9, 0.5, 0.6, 0.4], "a a b b", False),  # they cross
        ([0.9, 0.1, 0.5, 0.4], "a a b b", False),  # one lies inside the other
        ([0.9, 0.9], "a b", False),  # two clusters share the best reward
        ([0.9, 0.8, 0.5, 0.1, 0.3], "a a b b c", True),  # clusters below may overlap each other
        ([0.9, 0.9, 0.5], "a a b", True),  # equal best arms in one cluster
        ([0.3, 0.7], "a a", True),  # a single cluster has nothing to overlap
        ([0.3], "a", True),
    ],
)
def test_tight_means_that_no_interval_touches_the_best_one(means: list[float], clusters: str, expected: bool) -> None:
    assert clustering(means, clusters.split()).tight is expected


def test_labels_may_come_as_an_array() -> None:
    found = clustering(np.array([0.9, 0.2]), np.array([7, 3]))
    assert found.labels == (7, 3)
    assert type(found.optimal) is int


# By hand


def test_tight_by_hand() -> None:
    # Cluster b: H = 4 + 6 = 10, cluster a: H = 2 + 0 = 2, delta = 0.8 - 0.4 = 0.4, T = 100.
    # l_b = 8 log(110) / 0.16 - 10 = 50 * 4.70048036579 - 10 = 225.0240182896
    # tails: pi^2 (1 + 60) / (6 * 21^2) = 0.2275305625, pi^2 (1 + 12) / (6 * 5^2) = 0.8553657148
    cluster = 1 + 225.0240182896 + 0.2275305625 + 0.8553657148
    # Arm 1: H = 0, gap 0.1; l = 8 log(100) / 0.01 = 800 * 4.60517018599 = 3684.136148790
    # tails: pi^2 / 6 = 1.6449340668 and, k* having H = 2, 0.8553657148
    arm = 1 + 3684.136148790 + 1.6449340668 + 0.8553657148
    printed = tight(MEANS, CLUSTERS, horizon=100, history=HISTORY)
    assert [(term.level, term.label, term.weight) for term in printed.terms] == [("cluster", "b", 1.0), ("arm", 1, 1.0)]
    assert [term.plays for term in printed.terms] == pytest.approx([cluster, arm], rel=1e-9)
    assert printed.value == pytest.approx(cluster + arm, rel=1e-9)
    # Weighted: the worst arm of b lies 0.9 - 0.3 = 0.6 below the best, arm 1 lies 0.1 below.
    weighted = tight(MEANS, CLUSTERS, horizon=100, history=HISTORY, form="gap-weighted")
    assert weighted.value == pytest.approx(0.6 * cluster + 0.1 * arm, rel=1e-9)
    assert (printed.form, weighted.form) == ("printed", "gap-weighted")


def test_hucb_by_hand() -> None:
    # Gap 0.5, H = 0 and 3, T = 20: l = max(0, 8 log(23) / 0.25 - 3) = 32 * 3.13549421593 - 3 = 97.3358149097
    # tails: pi^2 * 19 / (6 * 49) = 0.6378315769 for the arm, pi^2 / 6 = 1.6449340668 for k*
    plays = 1 + 97.3358149097 + 0.6378315769 + 1.6449340668
    assert hucb([0.75, 0.25], horizon=20, history=[0, 3]).value == pytest.approx(plays, rel=1e-9)
    assert hucb([0.75, 0.25], horizon=20, history=[0, 3], form="gap-weighted").value == pytest.approx(plays / 2, rel=1e-9)


def test_much_history_leaves_only_the_constant() -> None:
    # 8 log(10 + 10000) / 1 = 73.7 < 10000, so l = 0
    held = 10_000
    tails = PI2 * (1 + 6 * held) / (6 * (2 * held + 1) ** 2) + PI2 / 6
    assert hucb([1.0, 0.0], horizon=10, history=[0, held]).value == pytest.approx(1 + tails, rel=1e-12)


def test_adversarial_by_hand() -> None:
    # Cluster b: gaps 0.5 and 0.6, the maximum is that of 0.5: 16 * 2 * log(100) / 0.25^2 + 2 * 3 = 512 * 4.60517018599 + 6
    cluster = 2357.847135226 + 6
    # Arm 1 as in test_tight_by_hand
    arm = 1 + 3684.136148790 + 1.6449340668 + 0.8553657148
    given: dict[str, Any] = {"horizon": 100, "r": 2.0, "s": 3.0, "history": HISTORY}
    printed = adversarial(MEANS, CLUSTERS, **given)
    repaired = adversarial(MEANS, CLUSTERS, form="repaired", **given)
    assert printed.value == pytest.approx(cluster + math.pi / 3 + arm, rel=1e-9)
    assert repaired.value == pytest.approx(cluster + PI2 / 3 + arm, rel=1e-9)
    assert [(term.level, term.label) for term in printed.terms] == [("arm", 1), ("cluster", "b")]
    assert [term.gap for term in printed.terms] == pytest.approx([0.1, 0.5])


def test_hlinucb_by_hand() -> None:
    # log det A = 12, log det H = 4, so log(det(A)^(1/2) / (delta det(H)^(1/2))) = 4 + log 20 = 6.99573227355
    # printed: 0.5 (sqrt(5 * 6.99573227355) + 2 / sqrt(4)) sqrt(8 * 100 * 8) = 0.5 * (5.91427606456 + 1) * 80
    assert hlinucb(12.0, history=4.0, phi=4.0, **LINEAR).value == pytest.approx(0.5 * 6.91427606456 * 80, rel=1e-9)
    # repaired: c = 0.5 sqrt(2 (6 + log 20)) + 2 = 0.5 * 4.24163465507 + 2; R = 2 c sqrt(100) sqrt(2 * 8) = 80 c
    repaired = hlinucb(12.0, history=4.0, form="repaired", **LINEAR)
    assert repaired.value == pytest.approx(80 * (0.5 * 4.24163465507 + 2), rel=1e-9)
    assert "4.121" in repaired.note
    assert repaired.terms == ()


def test_linucb_is_hlinucb_with_an_identity_for_history() -> None:
    identity = log_determinant(np.stack([np.eye(5)] * 3))
    for form in ("printed", "repaired"):
        assert hlinucb(12.0, form=form, **LINEAR) == hlinucb(12.0, history=identity, form=form, **LINEAR)


def test_log_determinant_is_that_of_the_block_matrix() -> None:
    roots = np.random.default_rng(3).normal(size=(3, 2, 2))
    blocks = roots @ roots.transpose(0, 2, 1) + np.eye(2)
    whole = np.zeros((6, 6))
    for arm, block in enumerate(blocks):
        whole[2 * arm : 2 * arm + 2, 2 * arm : 2 * arm + 2] = block
    assert log_determinant(blocks) == pytest.approx(math.log(np.linalg.det(whole)))


def test_log_determinant_survives_where_the_determinant_does_not() -> None:
    assert log_determinant(np.stack([1e6 * np.eye(60)] * 2)) == pytest.approx(120 * math.log(1e6))


# Against plain loops over the formulas


def naive_plays(gap: float, horizon: int, held: float, best_held: float) -> float:
    enough = 8 * math.log(horizon + held) / gap**2 - held
    own = PI2 * (1 + 6 * held) / (6 * (2 * held + 1) ** 2)
    best = PI2 * (1 + 6 * best_held) / (6 * (2 * best_held + 1) ** 2)
    return 1 + (enough if enough > 0 else 0) + own + best


def naive_arms(arms: list[int], means: list[float], horizon: int, history: list[int], weighted: bool) -> float:
    best = next(k for k in arms if means[k] == max(means[j] for j in arms))
    total = 0.0
    for k in arms:
        if means[k] < means[best]:
            gap = means[best] - means[k]
            total += naive_plays(gap, horizon, history[k], history[best]) * (gap if weighted else 1)
    return total


def naive_tight(means: list[float], clusters: list[int], horizon: int, history: list[int], weighted: bool) -> float:
    star = clusters[means.index(max(means))]
    inside = {i: [k for k in range(len(means)) if clusters[k] == i] for i in clusters}
    total = naive_arms(inside[star], means, horizon, history, weighted)
    for i, arms in inside.items():
        if i != star:
            delta = min(means[k] for k in inside[star]) - max(means[k] for k in arms)
            plays = naive_plays(delta, horizon, sum(history[k] for k in arms), sum(history[k] for k in inside[star]))
            total += plays * (max(means) - min(means[k] for k in arms) if weighted else 1)
    return total


def naive_adversarial(
    means: list[float], clusters: list[int], horizon: int, history: list[int], r: float, s: float, constant: float
) -> float:
    total = 0.0
    for i in set(clusters):
        arms = [k for k in range(len(means)) if clusters[k] == i]
        gaps = [max(means) - means[k] for k in arms]
        if min(gaps) == 0:
            total += naive_arms(arms, means, horizon, history, weighted=False)
        else:
            total += max(16 * r * math.log(horizon) / (gap / 2) ** 2 + 2 * s + constant for gap in gaps)
    return total


@st.composite
def instances(draw: st.DrawFn, tightly: bool = False) -> dict[str, Any]:
    """Means in thousandths; tight ones have cluster 0 above 0.5 and all others at most 0.5."""
    clusters = [0, *draw(st.lists(st.integers(0, 4), max_size=9))]
    ranges = [st.integers(501, 1000) if i == 0 else st.integers(0, 500) for i in clusters]
    means = [draw(values if tightly else st.integers(0, 1000)) / 1000 for values in ranges]
    order = draw(st.permutations(range(len(clusters))))
    history = draw(st.lists(st.integers(0, 300), min_size=len(clusters), max_size=len(clusters)))
    return {"means": [means[k] for k in order], "clusters": [clusters[k] for k in order], "history": history}


HORIZONS = st.integers(1, 10**7)


@FORMS
@given(instance=instances(tightly=True), horizon=HORIZONS)
def test_tight_equals_the_formula(form: Any, instance: dict[str, Any], horizon: int) -> None:
    bound = tight(**instance, horizon=horizon, form=form)
    assert bound.value == pytest.approx(naive_tight(**instance, horizon=horizon, weighted=form == "gap-weighted"))


@FORMS
@given(instance=instances(), horizon=HORIZONS)
def test_hucb_equals_the_formula(form: Any, instance: dict[str, Any], horizon: int) -> None:
    means, history = instance["means"], instance["history"]
    bound = hucb(means, horizon=horizon, history=history, form=form)
    expected = naive_arms(list(range(len(means))), means, horizon, history, weighted=form == "gap-weighted")
    assert bound.value == pytest.approx(expected)


@pytest.mark.parametrize(("form", "constant"), [("printed", math.pi / 3), ("repaired", PI2 / 3)])
@given(instance=instances(), horizon=HORIZONS, r=st.floats(0.01, 100), s=st.floats(0, 100))
def test_adversarial_equals_the_formula(
    form: Any, constant: float, instance: dict[str, Any], horizon: int, r: float, s: float
) -> None:
    bound = adversarial(**instance, horizon=horizon, r=r, s=s, form=form)
    assert bound.value == pytest.approx(naive_adversarial(**instance, horizon=horizon, r=r, s=s, constant=constant))


@given(instance=instances(tightly=True), horizon=HORIZONS)
def test_the_value_is_the_sum_of_the_terms_and_weights_only_lower_it(instance: dict[str, Any], horizon: int) -> None:
    printed = tight(**instance, horizon=horizon)
    weighted = tight(**instance, horizon=horizon, form="gap-weighted")
    assert weighted.value == pytest.approx(sum(term.plays * term.weight for term in weighted.terms))
    assert [term.plays for term in weighted.terms] == [term.plays for term in printed.terms]
    assert weighted.value <= printed.value


@FORMS
@given(means=st.lists(st.integers(0, 1000), min_size=1, max_size=8, unique=True), horizon=HORIZONS)
def test_clusters_of_one_arm_and_one_cluster_of_all_are_flat(form: Any, means: list[int], horizon: int) -> None:
    rewards = [mean / 1000 for mean in means]
    flat = hucb(rewards, horizon=horizon, form=form).value
    assert tight(rewards, range(len(means)), horizon=horizon, form=form).value == pytest.approx(flat)
    assert tight(rewards, [0] * len(means), horizon=horizon, form=form).value == pytest.approx(flat)


# What the bounds say


@given(instance=instances(tightly=True), horizon=HORIZONS, more=st.integers(1, 10**6))
def test_no_bound_falls_with_the_horizon(instance: dict[str, Any], horizon: int, more: int) -> None:
    flat = {"means": instance["means"], "history": instance["history"]}
    calculators: list[Callable[..., Bound]] = [
        partial(tight, **instance),
        partial(tight, **instance, form="gap-weighted"),
        partial(hucb, **flat),
        partial(adversarial, **instance, r=1.0, s=1.0),
        partial(hlinucb, 12.0, **{**LINEAR, "history": 3.0}),
    ]
    for calculator in calculators:
        assert calculator(horizon=horizon + more).value >= calculator(horizon=horizon).value


@given(instance=instances(tightly=True), extra=st.integers(1, 500), data=st.data())
def test_history_saves_plays_once_the_horizon_is_long(instance: dict[str, Any], extra: int, data: st.DataObject) -> None:
    # l = 8 log(T + H) / gap^2 - H falls in H where T + H >= 8 / gap^2; gaps are at least 0.001
    arm = data.draw(st.integers(0, len(instance["means"]) - 1))
    richer = [held + extra * (k == arm) for k, held in enumerate(instance["history"])]
    before = tight(**instance, horizon=8 * 10**6)
    after = tight(instance["means"], instance["clusters"], horizon=8 * 10**6, history=richer)
    for old, new in zip(before.terms, after.terms, strict=True):
        assert new.plays <= old.plays


def test_history_can_raise_the_formula_at_a_short_horizon() -> None:
    # T = 1: l = 8 log(1) / 0.01 = 0 without history, 8 log(2) / 0.01 - 1 = 553.5 with one play
    assert hucb([0.5, 0.4], horizon=1).value < 10 < 550 < hucb([0.5, 0.4], horizon=1, history=[0, 1]).value


@FORMS
def test_equal_best_arms_cause_no_regret(form: Any) -> None:
    assert hucb([0.7, 0.7], horizon=1000, form=form).value == 0.0
    assert hucb([0.7, 0.7], horizon=1000, form=form).terms == ()
    assert [term.label for term in tight([0.7, 0.6, 0.7, 0.1], ["a", "a", "a", "b"], horizon=1000, form=form).terms] == ["b", 1]
    assert tight([0.4], ["a"], horizon=5, form=form).value == 0.0


def test_every_cluster_with_a_best_arm_is_optimal_for_the_adversary() -> None:
    bound = adversarial([0.9, 0.4, 0.9, 0.3, 0.5], ["a", "a", "b", "b", "c"], horizon=1000, r=1.0, s=1.0)
    assert [(term.level, term.label) for term in bound.terms] == [("arm", 1), ("arm", 3), ("cluster", "c")]


def square(separation: float) -> tuple[list[float], list[int]]:
    """Ten clusters of ten arms: the best spans [0.88, 0.97], the others lie at least ``separation`` below, 0.09 wide each."""
    starts = [0.88 if i == 0 else 0.88 - separation - 0.09 - 0.05 * (i - 1) for i in range(10)]
    return [start + 0.01 * j for start in starts for j in range(10)], [i for i in range(10) for _ in range(10)]


@FORMS
def test_clusters_beat_a_flat_policy_when_they_lie_apart(form: Any) -> None:
    means, clusters = square(separation=0.1)
    clustered = tight(means, clusters, horizon=10**6, form=form)
    flat = hucb(means, horizon=10**6, form=form)
    assert (len(clustered.terms), len(flat.terms)) == (9 + 9, 99)
    assert clustered.value < flat.value


def test_clusters_lose_when_they_nearly_touch() -> None:
    means, clusters = square(separation=0.001)
    assert tight(means, clusters, horizon=10**6).value > hucb(means, horizon=10**6).value


def designs(seed: int, contexts: int) -> Any:
    """Sums of x x' for three arms of dimension 4."""
    x = np.random.default_rng(seed).normal(size=(3, contexts, 4))
    return x.transpose(0, 2, 1) @ x


@given(seed=st.integers(0, 10**6), past=st.integers(0, 20), online=st.integers(0, 20))
def test_history_shrinks_the_growth_of_the_determinant(seed: int, past: int, online: int) -> None:
    history = np.eye(4) + designs(seed, past)
    before, after = log_determinant(history), log_determinant(history + designs(seed + 1, online))
    assert before >= 0.0
    assert after - before <= after
    # the comparison that LinUCB on the same online contexts asks for
    assert after - before <= log_determinant(np.eye(4) + designs(seed + 1, online)) + 1e-9
    assert hlinucb(after, history=before, **LINEAR).value <= hlinucb(after, **LINEAR).value


def test_a_bound_without_new_contexts_is_zero_up_to_rounding() -> None:
    assert hlinucb(7.0 - 1e-12, history=7.0, **LINEAR).value == 0.0


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        (tight(MEANS, CLUSTERS, horizon=10**6), "a count of plays"),
        (tight(MEANS, CLUSTERS, horizon=10**6, form="gap-weighted"), "the most it can cost"),
        (hucb([0.9, 0.5], horizon=10), "At this horizon it says nothing: regret cannot exceed 4."),
        (hucb([1.9, 0.5], horizon=10), "Not so here: means that lie 1.4 apart"),
        (adversarial(MEANS, CLUSTERS, horizon=10**9, r=2.0, s=3.0), "if r = 2 and s = 3"),
        (hlinucb(12.0, **LINEAR), "not a proven bound"),
        (hlinucb(12.0, form="repaired", **LINEAR), "holds with probability 0.95"),
    ],
)
def test_the_note_says_what_the_bound_is_and_is_not(bound: Bound, words: str) -> None:
    assert words in bound.note


def test_a_bound_that_says_something_is_not_called_empty() -> None:
    assert "says nothing" not in hucb([0.9, 0.5], horizon=10**5, form="gap-weighted").note


# Against policies at play


def mean_regret(make: Callable[[hr.History], Any], means: list[float], held: list[int], rounds: int, trials: int) -> Any:
    """Cumulative regret per round and plays per arm, averaged over trials with rewards of 0 and 1."""
    regret, plays = np.zeros(rounds), np.zeros(len(means))
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        logged = np.repeat(np.arange(len(means)), held)
        policy = make(hr.History.from_rounds(arms=logged, rewards=rng.random(logged.size) < np.array(means)[logged]))
        lost = np.zeros(rounds)
        for t in range(rounds):
            decision = policy.select()
            policy.update(decision, float(rng.random() < means[decision.arm]))
            lost[t] = max(means) - means[decision.arm]
            plays[decision.arm] += 1 / trials
        regret += lost.cumsum() / trials
    return regret, plays


def test_hucb_stays_below_its_bound() -> None:
    means, held = [0.2, 0.9, 0.4, 0.3], [5, 0, 30, 0]
    regret, plays = mean_regret(lambda history: hr.HUCB(range(4), history=history), means, held, rounds=2000, trials=5)
    bound = hucb(means, horizon=2000, history=held, form="gap-weighted")
    assert regret[-1] < bound.value < 2000 * 0.7  # a bound that is not empty
    for term in bound.terms:
        assert plays[int(str(term.label))] < term.plays


def test_hucbc_stays_below_its_bound_under_tight_clustering() -> None:
    means, clusters, held = [0.4, 0.9, 0.3, 0.7], [1, 0, 1, 0], [2, 0, 3, 0]
    make = lambda history: hr.HUCBC(range(4), clusters=clusters, history=history)  # noqa: E731
    regret, plays = mean_regret(make, means, held, rounds=2000, trials=5)
    bound = tight(means, clusters, horizon=2000, history=held, form="gap-weighted")
    assert regret[-1] < bound.value < 2000 * 0.6
    assert [(term.level, term.label) for term in bound.terms] == [("cluster", 1), ("arm", 3)]
    assert 1 < plays[0] + plays[2] < bound.terms[0].plays
    assert 1 < plays[3] < bound.terms[1].plays


# Errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clustering([0.5, math.nan], [0, 1]), "means must be finite, arm 1 has nan"),
        (lambda: clustering([], []), r"means must be one number per arm, got shape \(0,\)"),
        (lambda: clustering([[0.5]], [0]), r"means must be one number per arm, got shape \(1, 1\)"),
        (lambda: clustering(["x"], [0]), r"means must be numbers, got \['x'\]"),
        (lambda: clustering([0.5, 0.4], [0]), "clusters must name one cluster per arm: 2 arms, 1 given"),
        (lambda: clustering([0.5, 0.4], "ab"), "clusters must be the cluster of each arm, in order, got 'ab'"),
        (lambda: clustering([0.5], {0: "a"}), "clusters must be the cluster of each arm, in order, got {0: 'a'}"),
        (lambda: hucb([0.5, math.inf], horizon=9), "means must be finite, arm 1 has inf"),
        (lambda: hucb([0.5, 0.4], horizon=0), "horizon must be a whole number from 1 to 1e18, got 0"),
        (lambda: hucb([0.5, 0.4], horizon=1.5), "horizon must be a whole number from 1 to 1e18, got 1.5"),  # type: ignore[arg-type]
        (lambda: hucb([0.5, 0.4], horizon=9, history=[1]), "history must give one number of plays per arm: 2 arms, 1 given"),
        (lambda: hucb([0.5, 0.4], horizon=9, history=[1, -2]), r"history must not be negative, arm 1 has -2\.0"),
        (lambda: hucb([0.5], horizon=9, form="best"), "form must be 'printed' or 'gap-weighted', got 'best'"),  # type: ignore[arg-type]
        (lambda: tight([0.5, 0.4], [0, 1], horizon=-3), "horizon must be a whole number from 1 to 1e18, got -3"),
        (lambda: adversarial([0.5], [0], horizon=9, r=0.0, s=1.0), r"r must be a number above 0, got 0\.0"),
        (lambda: adversarial([0.5], [0], horizon=9, r=1.0, s=math.nan), "s must be a number of at least 0, got nan"),
        (lambda: hlinucb(12.0, **{**LINEAR, "delta": 1.0}), r"delta must be above 0 and below 1, got 1\.0"),
        (lambda: hlinucb(12.0, **{**LINEAR, "delta": 0.0}), r"delta must be above 0 and below 1, got 0\.0"),
        (lambda: hlinucb(12.0, **{**LINEAR, "sigma": -1.0}), r"sigma must be a number above 0, got -1\.0"),
        (lambda: hlinucb(12.0, **{**LINEAR, "dimension": 0}), "dimension must be a number above 0, got 0"),
        (lambda: hlinucb(12.0, **{**LINEAR, "norm": math.inf}), "norm must be a number of at least 0, got inf"),
        (lambda: hlinucb(12.0, phi=0.0, **LINEAR), r"phi must be a number above 0, got 0\.0"),
        (lambda: hlinucb(12.0, history=-1.0, **LINEAR), r"history must be a number of at least 0, got -1\.0"),
        (lambda: hlinucb(3.0, history=4.0, **LINEAR), r"final must be log det A_T, not below log det H = 4, got 3\.0"),
        (lambda: hlinucb(12.0, form="x", **LINEAR), "form must be 'printed' or 'repaired', got 'x'"),  # type: ignore[arg-type]
        (lambda: log_determinant(np.eye(3)), r"matrices must be one d x d matrix per arm, got shape \(3, 3\)"),
        (
            lambda: log_determinant([np.eye(2), np.eye(2)[::-1]]),
            "matrices must have positive determinants, arm 1 has sign -1",
        ),
        (lambda: log_determinant([[[math.nan]]]), "matrices must have positive determinants, arm 0 has"),
        (lambda: plot({}, {}), "regret must be at least one curve, got {}"),
        (lambda: plot({}, {"HUCB": [0.0, math.nan]}), "regret of 'HUCB' must be finite, round 1 has nan"),
    ],
)
def test_errors_name_the_value(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


def test_r_and_s_have_no_default() -> None:
    with pytest.raises(TypeError, match="'r' and 's'"):
        adversarial([0.5, 0.4], [0, 1], horizon=10)  # type: ignore[call-arg]


@FORMS
def test_no_tight_bound_for_clusters_that_overlap(form: Any) -> None:
    message = "^the clustering is not tight: cluster 'sport' overlaps the optimal cluster 'news'$"
    with pytest.raises(ValueError, match=message):
        tight([0.9, 0.4, 0.1, 0.5], ["news", "news", "arts", "sport"], horizon=100, form=form)


# The plot


def test_plot_draws_one_line_per_curve() -> None:
    regret = {"HUCB": np.linspace(0.0, 40.0, 3000), "HUCBC": np.linspace(0.0, 20.0, 1000)}
    curves = {
        "HUCB": partial(hucb, MEANS),
        "HUCBC": partial(tight, MEANS, CLUSTERS),
        "weighted": partial(hucb, MEANS, form="gap-weighted"),
    }
    figure = plot(curves, regret, title="four arms")
    (axes,) = figure.axes
    lines = {str(line.get_label()): line for line in axes.lines}
    assert list(lines) == ["HUCB, measured", "HUCBC, measured", "HUCB, bound", "HUCBC, bound", "weighted, bound"]
    assert axes.get_xscale() == "log"
    assert axes.get_title() == "four arms"
    x, y = (np.asarray(part) for part in lines["HUCB, bound"].get_data())
    assert (x[0], x[-1]) == (1, 3000)
    assert y[-1] == hucb(MEANS, horizon=3000).value
    x, y = (np.asarray(part) for part in lines["HUCBC, measured"].get_data())
    assert x[-1] <= 1000
    assert y == pytest.approx(regret["HUCBC"][x - 1])
    assert lines["HUCB, measured"].get_color() == lines["HUCB, bound"].get_color() != lines["HUCBC, bound"].get_color()
    assert lines["HUCB, measured"].get_linestyle() != lines["HUCB, bound"].get_linestyle()
    assert {line.get_color() for line in axes.lines} <= set(OKABE_ITO)


def test_the_legend_stands_outside_the_axes() -> None:
    figure = plot({"HUCB": partial(hucb, MEANS)}, {"HUCB": np.arange(500.0)})
    figure.savefig(io.BytesIO(), format="png")
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["HUCB, measured", "HUCB, bound"]
    assert legend.get_window_extent().x0 >= figure.axes[0].get_window_extent().x1


def test_a_curve_of_zeros_or_of_one_round_can_be_drawn() -> None:
    for curve in (np.zeros(50), [0.0], [-0.5, -0.2]):
        figure = plot({"flat": partial(hucb, [0.5, 0.5])}, {"none": curve})
        figure.savefig(io.BytesIO(), format="png")
        assert len(figure.axes[0].lines) == 2


def test_a_missing_matplotlib_is_named_with_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "hedgerow\[plot\]"'):
        plot({}, {"HUCB": [1.0]})


def test_the_calculators_need_neither_numba_nor_matplotlib() -> None:
    code = "import sys, hedgerow.bounds; print(sorted({'numba', 'matplotlib', 'scipy'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
