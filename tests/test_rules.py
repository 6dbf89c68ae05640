"""Rules beyond the paper against their formulas in plain Python."""

import math
from functools import partial

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.core.draws import normal, uniform
from tools import tables

ARMS = ["a", "b", "c", "d"]
CLUSTERS = ["x", "x", "y", "y"]


def played(make, rounds=60, seed=0, **given):
    """A policy after some rounds, and the rounds: (arm, reward)."""
    rng = np.random.default_rng(seed)
    policy = make(ARMS, **given)
    log = []
    for _ in range(rounds):
        decision = policy.select()
        reward = float(rng.random() < 0.2 + 0.15 * ARMS.index(decision.arm))
        policy.update(decision, reward)
        log.append((decision.arm, reward))
    return policy, log


def rewards_of(log, label):
    return [reward for arm, reward in log if label in (arm, CLUSTERS[ARMS.index(arm)])]


def history():
    arms = ["a"] * 6 + ["c"] * 9
    return hr.History.from_rounds(arms=arms, rewards=[1, 0, 1, 1, 0, 1] + [0, 0, 1] * 3), list(
        zip(arms, [1.0, 0, 1, 1, 0, 1] + [0.0, 0, 1] * 3, strict=True)
    )


def check_indices(make, formula, **given):
    """Every cluster's and arm's index of an explanation equals the formula(rewards, historical rewards, t)."""
    past, past_rounds = history()
    policy, log = played(make, clusters=CLUSTERS, history=past, **given)
    for score in policy.explain():
        expected = formula(rewards_of(log, score.label), rewards_of(past_rounds, score.label), len(log) + 1)
        assert score.index == pytest.approx(expected, abs=1e-8), score


def test_ucbv():
    def formula(online, past, t):
        values = online + past
        level = math.log(t + len(past)) / len(values)
        return np.mean(values) + math.sqrt(2 * np.var(values) * level) + 3 * 2.0 * level

    check_indices(hr.UCBV, formula, reward_range=2.0)


def test_klucb():
    def formula(online, past, t):
        values = online + past
        p, level = np.mean(values), math.log(t + len(past)) / len(values)
        q = np.linspace(p, 1, 2_000_001)[:-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            left = 0.0 if p == 0 else p * np.log(p / q)
            right = 0.0 if p == 1 else (1 - p) * np.log((1 - p) / (1 - q))
        return q[np.flatnonzero(left + right <= level)[-1]]

    past, past_rounds = history()
    policy, log = played(hr.KLUCB, clusters=CLUSTERS, history=past)
    for score in policy.explain():
        expected = formula(rewards_of(log, score.label), rewards_of(past_rounds, score.label), len(log) + 1)
        assert score.index == pytest.approx(expected, abs=2e-6)


def test_klucb_draws_among_equal_arms():
    """An arm that is not searched, since Pinsker's bound keeps it below the best, is never drawn; equal ones are."""
    policy = hr.KLUCB(list("abcde"))
    for arm, hits in {"a": 10, "b": 45, "c": 30, "d": 45, "e": 44}.items():
        for n in range(50):
            policy.learn(arm, float(n < hits))
    assert policy.select().arm == "b"
    assert {policy.select(rng=np.random.default_rng(seed)).arm for seed in range(40)} == {"b", "d"}


def test_minucb():
    def formula(online, past, t):
        values = online + past
        fresh = np.mean(online) + 0.5 * math.sqrt(2 * math.log(t) / len(online)) if online else math.inf
        pooled = np.mean(values) + 0.5 * math.sqrt(2 * math.log(t + len(past)) / len(values)) if values else math.inf
        return min(fresh, pooled + 0.3 * len(past) / len(values)) if past else fresh

    check_indices(hr.MINUCB, formula, bias=0.3, scale=0.5)


def test_bast():
    def formula(online, past, t):
        values = online + past
        return np.mean(values) + 0.5 * math.sqrt(2 * math.log(t + len(past)) / len(values))

    past, past_rounds = history()
    policy, log = played(hr.BAST, clusters=CLUSTERS, history=past, diameter=0.05, scale=0.5)
    scores = {score.label: score.index for score in policy.explain()}
    for arm in ARMS:
        assert scores[arm] == pytest.approx(formula(rewards_of(log, arm), rewards_of(past_rounds, arm), len(log) + 1))
    for name in ("x", "y"):
        own = formula(rewards_of(log, name), rewards_of(past_rounds, name), len(log) + 1) + 0.05
        best = max(scores[arm] for arm, cluster in zip(ARMS, CLUSTERS, strict=True) if cluster == name)
        assert scores[name] == pytest.approx(min(own, best))


def test_bast_of_infinite_diameter_plays_as_ucb_without_clusters():
    problem = hr.problems.SyntheticClassical(arms=30, clusters=5, history_share=1.0, history_mean=50.0)  # so nothing ties
    makes = {"BAST": partial(hr.BAST, diameter=math.inf), "HUCB": hr.HUCB}
    result = hr.simulate(makes, problem, rounds=2000, trials=3, jobs=1)
    assert np.array_equal(result.regret[0], result.regret[1])


def test_thompson_draws_are_normal_around_the_means():
    past, _ = history()
    policy = hr.TSC(ARMS, history=past, scale=2.0)
    values = np.array([[normal(key, node) for node in range(1, 5)] for key in range(20_000)])
    assert np.abs(values.mean(axis=0)).max() < 0.03
    assert np.abs(np.corrcoef(values.T) - np.eye(4)).max() < 0.03
    assert np.abs(values.std(axis=0) - 1).max() < 0.02
    widths = {score.label: score.width for score in policy.explain()}
    assert widths["a"] == pytest.approx(2.0 / math.sqrt(6))


def test_thompson_without_a_generator_is_a_function_of_the_state():
    one, two = (played(hr.TSC, clusters=CLUSTERS)[1] for _ in range(2))
    assert one == two
    rng = np.random.default_rng(5)
    policy, _ = played(hr.TSC, rounds=8)
    assert len({policy.select(rng=rng).arm for _ in range(200)}) > 1


def test_uniform_draws_fill_the_unit_interval():
    drawn = np.array([uniform(key, place) for key in range(0, 1 << 40, 1 << 33) for place in range(2000)])
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert np.abs(np.histogram(drawn, bins=16)[0] / drawn.size - 1 / 16).max() < 0.003


@pytest.mark.parametrize("make", [hr.UCB, hr.UCBC, partial(hr.MINUCB, bias=0.1), partial(hr.BAST, diameter=0.1)])
def test_an_automatic_scale_follows_the_rewards_unit(make):
    """Rewards times 1000: the same arms, and a scale 1000 times as large."""
    rng = np.random.default_rng(3)
    rewards = rng.normal(size=(400, 4)) + np.arange(4) / 4
    scales, arms = [], []
    for unit in (1.0, 1024.0):
        policy = make(ARMS, scale="auto") if "bias" not in str(make) else hr.MINUCB(ARMS, bias=0.1 * unit, scale="auto")
        if "diameter" in str(make):
            policy = hr.BAST(ARMS, diameter=0.1 * unit, scale="auto", clusters=CLUSTERS)
        chosen = []
        for row in rewards:
            decision = policy.select()
            policy.update(decision, unit * row[ARMS.index(decision.arm)])
            chosen.append(decision.arm)
        arms.append(chosen)
        scales.append(policy.explain().settings["scale"])
    assert arms[0] == arms[1]
    assert scales[1] == pytest.approx(1024 * scales[0])
    assert 0.7 < scales[0] < 1.3


def test_an_automatic_scale_is_that_of_its_formula():
    past, past_rounds = history()
    policy = hr.HUCB(ARMS, history=past, scale="auto")
    everything = [reward for _, reward in past_rounds]
    weights, variances = [1.0], [np.var(everything, ddof=1)]
    for arm in ("a", "c"):
        values = rewards_of(past_rounds, arm)
        weights.append(min(len(values) - 1, 3))
        variances.append(np.var(values, ddof=1))
    assert policy.explain().settings["scale"] == pytest.approx(math.sqrt(np.average(variances, weights=weights)))
    assert "scale = " in str(policy.explain())


def test_an_arm_played_once_may_be_as_noisy_as_arms_differ():
    policy = hr.UCB(ARMS, scale="auto")
    for arm, reward in (("a", 1.0), ("a", 2.0), ("b", 4.0), ("c", 9.0)):
        policy.learn(arm, reward)
    spread, total = np.var([1.5, 4.0, 9.0], ddof=1), np.var([1.0, 2.0, 4.0, 9.0], ddof=1)
    weighted = (1 * 0.5 + total + 2 * spread) / (1 + 1 + 2)
    assert policy.explain().settings["scale"] == pytest.approx(math.sqrt(weighted))


class NaiveFraction:
    """HUCBC at a fraction of the noise that lists of rewards show; it is estimated anew when rounds have grown by a tenth."""

    def __init__(self, logged, fraction):
        self.logged = [(arm, reward) for arm, reward in logged]
        self.seen, self.fraction, self.due = [], fraction, 0.0
        self.rescale()

    def rescale(self):
        rounds = self.logged + self.seen
        values = [reward for _, reward in rounds]
        total = np.var(values, ddof=1) if len(values) > 1 else 0.0
        if total <= 0.0:
            level = abs(np.mean(values)) if values else 0.0
            self.scale, self.due = self.fraction * (level or 1.0), len(self.seen) + 1
            return
        own = [[reward for other, reward in rounds if other == arm] for arm in ARMS]
        weights, variances = [1.0], [total]
        spread = np.var([np.mean(rewards) for rewards in own if rewards], ddof=1) if sum(map(bool, own)) > 1 else 0.0
        for rewards in own:
            if len(rewards) == 1:
                weights.append(1.0)
                variances.append(spread)
            elif rewards:
                weights.append(min(len(rewards) - 1.0, 3.0))
                variances.append(np.var(rewards, ddof=1))
        self.scale = self.fraction * math.sqrt(np.average(variances, weights=weights))
        self.due = max(len(self.seen) + 1.0, 1.1 * len(self.seen))

    def index(self, arms):
        logged = [reward for arm, reward in self.logged if arm in arms]
        rewards = logged + [reward for arm, reward in self.seen if arm in arms]
        if not rewards:
            return math.inf
        return np.mean(rewards) + self.scale * math.sqrt(2.0 * math.log(1 + len(self.seen) + len(logged)) / len(rewards))

    def select(self):
        inside = max((["a", "b"], ["c", "d"]), key=self.index)
        return max(inside, key=lambda arm: self.index([arm]))

    def learn(self, arm, reward):
        self.seen.append((arm, reward))
        if len(self.seen) >= self.due:
            self.rescale()


@pytest.mark.parametrize(("scale", "fraction"), [("auto", 1.0), ("auto/4", 0.25), ("auto/0.5", 2.0)])
@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
def test_a_scale_may_be_a_fraction_of_the_estimated_noise(scale, fraction, warm, tmp_path):
    logged, rounds = history() if warm else (None, [])
    policy, naive = hr.HUCBC(ARMS, clusters=CLUSTERS, history=logged, scale=scale), NaiveFraction(rounds, fraction)
    rng = np.random.default_rng(4)
    for t in range(400):
        if t == 200:
            policy.save(tmp_path / "policy")
            policy = hr.load(tmp_path / "policy")
        assert policy.select().arm == naive.select()
        reward = float(rng.normal(ARMS.index(policy.select().arm) / 4))
        naive.learn(policy.select().arm, reward)
        policy.update(policy.select(), reward)
    assert policy.explain().settings["scale"] == pytest.approx(naive.scale)
    assert policy.explain().settings.get("noise", naive.scale) == pytest.approx(naive.scale / fraction)


def test_a_fraction_is_written_in_one_way():
    assert repr(hr.HUCB(ARMS, scale="auto/4.0").rule) == "ucb(scale='auto/4')"
    assert hr.UCB(ARMS, scale="auto/1").identity == hr.UCB(ARMS, scale="auto").identity
    meta = hr.META(ARMS, scale="auto/2", expert_scale="auto/8")
    assert repr(meta.chooser.rule) == "ucb(scale='auto/2')"
    assert repr(meta.experts["HUCB"].rule) == "ucb(scale='auto/8')"
    for wrong in ("auto/", "auto/0", "auto/-4", "auto/x", "auto/nan", "auto4", "/4"):
        with pytest.raises(ValueError, match="scale must be a number of at least 0"):
            hr.UCB(ARMS, scale=wrong)


@pytest.mark.parametrize("make", [hr.UCB, hr.TSC, partial(hr.MINUCB, bias=0.1)])
def test_an_arm_that_always_pays_the_same_does_not_end_exploration(make):
    """b pays 1 in nine of ten rounds, but not in its first."""
    policy, rng = make(["a", "b"], scale="auto"), np.random.default_rng(0)
    policy.learn("b", 0.0)
    for _ in range(3000):
        decision = policy.select()
        policy.update(decision, 0.5 if decision.arm == "a" else float(rng.random() < 0.9))
    assert policy.explain()[-1].plays > 2000


def test_an_automatic_scale_is_found_as_soon_as_rewards_differ():
    policy = hr.UCB(ARMS, scale="auto")
    for _ in range(300):
        policy.update(policy.select(), 0.0)
    policy.learn("a", 1e-6)
    assert policy.explain().settings["scale"] < 1e-5


def test_equal_rewards_leave_every_arm_tried():
    for value in (0.0, 5.0):
        policy = hr.UCB(ARMS, scale="auto")
        for _ in range(40):
            policy.update(policy.select(), value)
        assert min(score.plays for score in policy.explain()) >= 9


def test_lints_draws_around_theta():
    rng = np.random.default_rng(0)
    policy = hr.LinTSC(ARMS, clusters=CLUSTERS, dimension=2, alpha=0.5)
    for _ in range(300):
        x = rng.normal(size=2)
        decision = policy.select(x, rng=rng)
        policy.update(decision, float(x[0] * (1 if decision.arm == "d" else -1) + 0.1 * rng.normal()))
    chosen = [policy.select([1.0, 0.0], rng=rng).arm for _ in range(100)]
    assert chosen.count("d") > 90


def naive_d3rb(rewards, rounds, scale):
    """Pacchiano, Dann and Gentile's D3RB, straight from beyond the paper's formula, with a known noise scale."""
    M = rewards.shape[1]
    n, u, d = np.zeros(M), np.zeros(M), np.ones(M)
    followed = []

    def width(n):
        return 0.5 * scale * math.sqrt(math.log(M * math.log(n + math.e - 1) / 0.1) / n)

    for t in range(rounds):
        b = int(np.argmin(d * np.sqrt(n)))
        n[b] += 1
        u[b] += rewards[t, b]
        shown = max(u[j] / n[j] - width(n[j]) for j in range(M) if n[j])
        if u[b] / n[b] + width(n[b]) + scale * d[b] / math.sqrt(n[b]) < shown:
            d[b] *= 2
        followed.append(b)
    return followed


def test_d3rb_follows_its_formula():
    rng = np.random.default_rng(1)
    rewards = rng.normal(size=(3000, 3)) + np.array([0.0, 0.5, 1.5])
    policy = hr.Bandit(range(3), hr.rules.d3rb(scale=1.0))
    for b in naive_d3rb(rewards, 3000, 1.0):
        decision = policy.select()
        assert decision.arm == b
        policy.update(decision, rewards[policy.rounds, b])


def test_workers_of_d3rb_merge_at_the_higher_price_of_each():
    def taught(rewards):
        policy = hr.Bandit(["a", "b"], hr.rules.d3rb(scale=0.1))
        for _ in range(60):
            decision = policy.select()
            policy.update(decision, rewards[decision.arm])
        return policy

    def prices(policy):
        return [-score.index / math.sqrt(score.plays) for score in policy.explain()]

    one, other = taught({"a": 0.0, "b": 1.0}), taught({"a": 1.0, "b": 0.0})
    alone, others = prices(one), prices(other)
    assert alone[0] > alone[1] == 1.0
    assert others[1] > others[0] == 1.0
    one.merge(other)
    assert prices(one) == pytest.approx([alone[0], others[1]])


def test_an_expert_is_explained_by_minus_its_potential_which_is_no_mean_and_width():
    policy = hr.META(ARMS, clusters=CLUSTERS, rule="d3rb")
    for _ in range(4):
        policy.update(policy.select(), 1.0)
    experts = [score for score in policy.explain() if score.kind == "expert"]
    assert [score.index for score in experts] == pytest.approx([-math.sqrt(score.plays) for score in experts])
    assert all(math.isnan(score.width) for score in experts)


def test_meta_by_d3rb_learns_to_leave_a_bad_expert():
    problem = hr.problems.SyntheticContextual(eps=0.8, labels="shuffled")
    makes = {"d3rb": partial(hr.META, rule="d3rb"), "ucb": hr.META}
    result = hr.simulate(makes, problem, rounds=6000, trials=6, jobs=1)
    assert (result.share("d3rb", "HLinUCB") > 0.7).all()
    assert result.of("d3rb", "regret").max() < result.of("ucb", "regret").max()


def test_rules_refuse_what_they_cannot_use():
    with pytest.raises(
        ValueError, match='scale must be a number of at least 0, "auto" or a fraction of it such as "auto/4", got \'automatic\''
    ):
        hr.UCB(ARMS, scale="automatic")
    with pytest.raises(ValueError, match="bias must be a number of at least 0, got -1"):
        hr.MINUCB(ARMS, bias=-1)
    with pytest.raises(ValueError, match="rule must be one of 'ucb', 'd3rb'"):
        hr.META(ARMS, clusters=CLUSTERS, rule="greedy")
    with pytest.raises(ValueError, match="d3rb chooses among experts"):
        hr.Bandit(ARMS, hr.rules.d3rb(), clusters=CLUSTERS)
    history = hr.History.from_rounds(arms=ARMS[:2], rewards=[1.0, 1.0])
    with pytest.raises(ValueError, match="d3rb .* reads no history: leave history out"):
        hr.Bandit(ARMS, hr.rules.d3rb(), history=history)
    with pytest.raises(ValueError, match="d3rb .* reads no history: leave history out"):
        hr.Bandit(ARMS, hr.rules.d3rb()).history = history
    for rule, dimension in ((hr.rules.hierucb(), None), (hr.rules.hierlinucb(), 2)):
        with pytest.raises(ValueError, match=f"{rule.name} knows clusters .* leave cluster_history out"):
            hr.Bandit(ARMS, rule, clusters=CLUSTERS, dimension=dimension, cluster_history=False)
    with pytest.raises(ValueError, match="weights must be"):
        hr.HierLinUCB(ARMS, dimension=2, weights=2)


def test_the_table_of_rules_in_the_docs_is_that_of_the_registry():
    """Rows of the page are made by `make tables`; a rule that is not there yet comes with the next run."""
    text = tables.PAGE.read_text(encoding="utf-8")
    written = [
        line for line in text.partition(tables.START)[2].partition(tables.END)[0].splitlines(keepends=True) if "`rules." in line
    ]
    assert written
    assert set(written) <= set(tables.rows())
