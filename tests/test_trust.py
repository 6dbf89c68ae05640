"""What policies say about the worth of their grouping and history."""

import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.experiments.play import play
from hedgerow.experiments.problems import Trial
from hedgerow.experiments.simulate import build
from hedgerow.inference.rates import values_in
from hedgerow.inference.sums import Sums
from hedgerow.trust import Agreement, Estimate, Grouping
from hedgerow.trust.findings import admitted
from hedgerow.trust.nodes import seen_by


def lived(make, problem, rounds=3000, seed=0):
    from hedgerow.experiments.play import play
    from hedgerow.experiments.simulate import build

    trial = problem.trial(rounds, np.random.default_rng(seed))
    policy = build(make, trial, np.random.default_rng(0))
    play(policy, trial)
    return policy


def quietly(policy):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return policy.trust()


CLASSICAL = hr.problems.SyntheticClassical
CONTEXTUAL = hr.problems.SyntheticContextual


@pytest.mark.parametrize("make", [hr.HUCBC, hr.META], ids=lambda make: make.__name__)
def test_good_groups_explain_much_and_shuffled_ones_nothing(make):
    good = quietly(lived(make, CLASSICAL(alpha=(0.8, 1.2)))).grouping
    bad = quietly(lived(make, CLASSICAL(alpha=(0.8, 1.2), labels="shuffled"))).grouping
    assert good.share.low > 0.4
    assert good.between.low > good.within.high
    assert bad.share.low < 0.15
    assert bad.share.value < 0.3


@pytest.mark.parametrize("make", [hr.HLinUCBC, hr.HierLinUCB], ids=lambda make: make.__name__)
def test_spreads_of_coefficients_are_found(make):
    """eps = 0.1 around centroids of spread 1, then the same labels shuffled."""
    good = quietly(lived(make, CONTEXTUAL(eps=0.1, noise="gaussian", sd=0.3))).grouping
    assert good.within.low <= 0.1 <= 1.5 * good.within.high
    assert good.between.low <= 1.0 <= good.between.high * 1.2
    assert good.share.low > 0.9
    bad = quietly(lived(make, CONTEXTUAL(eps=0.1, noise="gaussian", sd=0.3, labels="shuffled"))).grouping
    assert bad.share.high < 0.3


def test_the_words_are_those_of_the_numbers():
    text = str(quietly(lived(hr.META, CLASSICAL(alpha=(0.8, 1.2)))))
    assert "META after 3000 rounds" in text
    assert "The groups say much about the arms: they explain" in text
    assert "Of the experts it followed HUCBC in" in text


def test_a_history_that_lies_is_warned_of_with_a_figure():
    rng = np.random.default_rng(0)
    arms = ["a", "b", "c"]
    log = hr.History.from_rounds(arms=arms * 50, rewards=rng.normal(0.5, 0.1, 150))
    policy = hr.HUCB(arms, history=log)
    for arm in arms * 20:
        policy.learn(arm, rng.normal(0.1 if arm == "b" else 0.5, 0.1))
    with pytest.warns(UserWarning, match=r"'b' paid 0\.5\d*, now 0\.\d"):
        found = policy.trust()
    assert found.history.differs
    assert found.history.arms == 3
    assert abs(found.history.farthest[0][3]) > 5


def test_auto_says_how_far_it_takes_history_to_be_off():
    rng = np.random.default_rng(0)
    arms = list("abcdef")
    log = hr.History.from_rounds(arms=arms * 5, rewards=rng.normal(0.5, 0.1, 30))
    policy = hr.Auto(arms, history=log)
    for arm in arms * 20:
        policy.learn(arm, rng.normal(0.3 if arm in "bd" else 0.7 if arm == "c" else 0.5, 0.1))
    with pytest.warns(UserWarning, match=r"moved by about 0\.\d+ since, and still gives history \d+% of its weight"):
        found = policy.trust()
    assert 0.1 < found.history.drift < 0.25
    settings = policy.explain().settings
    assert (settings["drift"], settings["trusted"]) == (found.history.drift, found.history.trusted)
    assert 0.05 < found.history.trusted < 0.25  # 5 plays that are off by 0.15, where one has a noise of 0.1, are worth 0.4


def test_with_contexts_auto_says_how_much_of_a_void_history_it_believes():
    rng = np.random.default_rng(1)
    contexts, theta = rng.normal(size=(900, 2)), rng.normal(size=(6, 2))
    played = rng.integers(6, size=600)
    then = (contexts[:600] * theta[::-1][played]).sum(axis=1) + 0.3 * rng.normal(size=600)
    policy = hr.Auto(range(6), history=hr.History.from_rounds(arms=played.tolist(), rewards=then, contexts=contexts[:600]))
    assert policy.explain(contexts[0]).settings["trusted"] == 1.0
    for x in contexts[600:]:
        decision = policy.select(x)
        policy.update(decision, theta[decision.arm] @ x + 0.3 * rng.normal())
    assert policy.explain(contexts[0]).settings["trusted"] < 0.3


def test_groups_are_not_judged_by_a_history_that_lies():
    """The log says that groups differ, the rounds that they do not."""
    rng = np.random.default_rng(3)
    arms, clusters = list(range(20)), [arm // 5 for arm in range(20)]
    past = np.repeat(arms, 200)
    log = hr.History.from_rounds(arms=past, rewards=rng.normal(0.2 * np.array(clusters)[past], 0.1))
    now = 0.5 + 0.1 * rng.standard_normal(20)
    shares = {}
    for make in (hr.HUCBC, hr.META, hr.Auto):
        policy = make(arms, clusters=clusters, history=log)
        for arm in arms * 30:
            policy.learn(arm, rng.normal(now[arm], 0.1))
        shares[make.__name__] = quietly(policy).grouping.share.value
    assert max(shares.values()) < 0.4


def test_coefficients_of_groups_are_not_judged_by_a_history_that_lies():
    rng = np.random.default_rng(3)
    arms, clusters = list(range(12)), [arm // 4 for arm in range(12)]
    contexts, played = np.column_stack([np.ones(2400), rng.normal(size=2400)]), np.tile(arms, 200)
    now = rng.normal(size=(3, 2))[clusters] + 0.1 * rng.normal(size=(12, 2))
    shares = []
    for then in (now, rng.permutation(now)):
        rewards = (contexts * then[played]).sum(axis=1) + 0.3 * rng.normal(size=2400)
        policy = hr.META(arms, clusters=clusters, history=hr.History.from_rounds(arms=played, rewards=rewards, contexts=contexts))
        for arm, context in zip(arms * 20, contexts, strict=False):
            policy.learn(arm, now[arm] @ context + 0.3 * rng.normal(), context)
        shares.append(quietly(policy).grouping.share.value)
    assert min(shares) > 0.8


def test_a_history_that_holds_is_not_warned_of():
    """At a level of 1 %, over many histories."""
    rng = np.random.default_rng(1)
    differing = 0
    for _ in range(300):
        arms = np.repeat(np.arange(6), 15)
        policy = hr.HUCB(range(6), history=hr.History.from_rounds(arms=arms, rewards=rng.normal(size=90)))
        for arm in np.repeat(np.arange(6), 10).tolist():
            policy.learn(arm, rng.normal())
        differing += quietly(policy).history.differs
    assert differing <= 12  # 300 x 1 %, and three standard deviations, and the noise is estimated


def test_coefficients_before_and_now_are_compared():
    rng = np.random.default_rng(2)
    theta = rng.normal(size=(2, 3))
    for change, differs in ((0.0, False), (1.0, True)):
        past = np.repeat([0, 1], 60)
        X = rng.normal(size=(120, 3))
        r = (theta[past] * X).sum(axis=1) + 0.3 * rng.normal(size=120)
        policy = hr.HLinUCB(range(2), history=hr.History.from_rounds(arms=past, rewards=r, contexts=X))
        for _ in range(120):
            x = rng.normal(size=3)
            arm = int(rng.integers(2))
            policy.learn(arm, float((theta[arm] + change * (arm == 1)) @ x + 0.3 * rng.normal()), tuple(x))
        found = quietly(policy).history
        assert found.differs == differs
        if differs:
            assert found.farthest[0][0] == 1


@pytest.mark.parametrize("make", [hr.Auto, hr.UCB], ids=lambda make: make.__name__)
@pytest.mark.parametrize(("level", "told"), [(0.0, False), (1e3, False), (1e6, True), (1e8, True)])
def test_rewards_whose_level_hides_their_differences_are_told_of(make, level, told):
    policy, rng = make(range(4)), np.random.default_rng(0)
    for arm in np.arange(400) % 4:
        policy.learn(int(arm), level + rng.normal())
    assert ("their differences are lost: subtract it from every reward" in str(policy.trust())) == told
    if told:
        assert f"All rewards are about {level:,.0f}." in str(policy.trust())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("reward", [0.0, 1.0, 10.0])
def test_a_drift_of_nothing_is_no_reason_to_drop_history(seed, reward):
    """A history in which all arms paid alike, one reward that contradicts it, then a new arm: trust() once told of 1.52e-150."""
    past = np.random.default_rng(seed).normal(size=100)
    history = hr.History.from_rounds(arms=["a"] * 100 + ["b"] * 100, rewards=[*past, *past])
    policy = hr.Auto(["a", "b"], history=history)
    policy.learn("a", reward)
    policy.add_arm("c")
    drift, told = policy.settings().get("drift"), str(quietly(policy))
    assert drift == 0.0 or drift > 0.01
    assert drift > 0.0 or "no longer counts history" not in told
    assert "e-" not in told


def test_without_data_nothing_is_claimed():
    assert hr.UCBC(["a", "b", "c"], clusters=[0, 0, 1]).trust().grouping is None
    assert hr.LinUCBC(["a", "b", "c"], clusters=[0, 0, 1], dimension=2).trust().grouping is None
    assert hr.UCB(["a"]).trust().to_dict()["history"] is None


@pytest.mark.parametrize("dimension", [None, 2])
def test_groups_are_there_before_anything_can_be_said_of_them(dimension):
    early = hr.Auto(list("abcd"), clusters=list("xxyy"), dimension=dimension).trust()
    assert (early.grouped, early.grouping) == (True, None)
    assert "It is too early to say what the groups are worth." in str(early)
    assert "It is too early to say what the groups are worth." in str(hr.META(list("abcd"), clusters=list("xxyy")).trust())
    for clusters in (None, list("xxxx"), list("wxyz")):
        assert "It has no groups to judge." in str(hr.Auto(list("abcd"), clusters=clusters, dimension=dimension).trust())


def test_a_hint_is_called_a_hint():
    assert "There is a hint that history and rounds differ, not enough to say so" in Agreement(9.0, 3, 3, 0.02).words()
    assert "agree as far as can be seen" in Agreement(9.0, 3, 3, 0.06).words()


def test_arms_that_lack_a_category_are_compared_in_the_others():
    rng = np.random.default_rng(5)
    kinds = rng.integers(3, size=900)
    arms = rng.integers(3, size=900)
    kinds[(arms == 0) & (kinds == 2)] = 1
    contexts, theta = np.eye(3)[kinds], rng.normal(size=(3, 3))
    rewards = theta[arms, kinds] + 0.1 * rng.normal(size=900)
    log = hr.History.from_rounds(arms=arms[:500].tolist(), rewards=rewards[:500], contexts=contexts[:500])
    for make in (hr.HLinUCB, hr.Auto):
        policy = make(range(3), history=log)
        for t in range(500, 900):
            policy.learn(int(arms[t]), rewards[t], contexts[t])
        found = policy.trust().history
        assert found.arms == 3
        assert not found.differs


def shop(rng, rounds):
    """A 1, the age, and the device and the weekday as categories with all their levels: more columns than directions."""
    device, day = np.eye(3)[rng.integers(3, size=rounds)], np.eye(7)[rng.integers(7, size=rounds)]
    return np.column_stack([np.ones(rounds), rng.uniform(18, 80, rounds), device, day])


@pytest.mark.parametrize("moved", [False, True], ids=["honest", "lying"])
@pytest.mark.parametrize("bought", [False, True], ids=["amounts", "0 and 1"])
def test_categories_with_all_their_levels_are_compared_too(bought, moved):
    """Of ten histories, each from 12 arms, ten that lie are told of, and none that does not."""
    told = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        theta = rng.normal(size=(12, 12)) * np.array([1.0, 0.01, *[0.5] * 10])

        def paid(arm, contexts, theta=theta, rng=rng):
            linear = (theta[arm] * contexts).sum(axis=1) - 1.0
            return (
                1.0 * (rng.random(linear.size) < 1.0 / (1.0 + np.exp(-linear)))
                if bought
                else linear + rng.normal(size=linear.size)
            )

        past, contexts = rng.integers(12, size=4000), shop(rng, 4000)
        whose = rng.permutation(12) if moved else np.arange(12)
        policy = hr.Auto(
            range(12), history=hr.History.from_rounds(arms=past, rewards=paid(whose[past], contexts), contexts=contexts)
        )
        for context in shop(rng, 800):
            decision = policy.select(context)
            policy.update(decision, float(paid(np.array([decision.arm]), context[None])[0]))
        found = quietly(policy).history
        assert found.arms > 0
        told += found.differs
        if found.differs:
            assert "no longer counts history" in found.words() or "of its weight" in found.words()
    assert told >= 9 if moved else told <= 1


def test_an_arm_that_is_noisier_than_the_others_is_measured_by_its_own_noise():
    """Amounts that differ a hundredfold between arms; the history is honest."""
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        arms, contexts, size = rng.integers(8, size=3000), rng.normal(size=(3000, 3)), np.geomspace(1.0, 100.0, 8)
        rewards = size[arms] * (1.0 + contexts[:, 0] + rng.exponential(size=3000))
        policy = hr.HLinUCB(
            range(8), history=hr.History.from_rounds(arms=arms[:2000], rewards=rewards[:2000], contexts=contexts[:2000])
        )
        for t in range(2000, 3000):
            policy.learn(int(arms[t]), rewards[t], contexts[t])
        alarms += quietly(policy).history.differs
    assert alarms <= 2


def test_a_meta_tells_of_the_history_that_any_expert_has():
    history = hr.History.from_rounds(arms=["a"] * 30 + ["b"] * 30, rewards=[0.0, 1.0] * 30)
    experts = [hr.UCBC(["a", "b", "c"], clusters=["x", "x", "y"]), hr.HUCB(["a", "b", "c"], history=history)]
    policy = hr.Meta(experts)
    for n in range(60):
        policy.learn("abc"[n % 3], 5.0 + n % 2)
    with pytest.warns(UserWarning, match="differ beyond chance"):
        found = policy.trust()
    assert found.history.plays == 60.0


def test_a_meta_warns_once_and_its_advice_can_be_followed():
    history = hr.History.from_rounds(arms=["a"] * 30 + ["b"] * 30, rewards=[0.0, 1.0] * 30)
    policy = hr.META(["a", "b", "c"], clusters=["x", "x", "y"], history=history)
    for n in range(60):
        policy.learn("abc"[n % 3], 5.0 + n % 2)
    with pytest.warns(UserWarning, match=r"policy\.history = history\.weighted\(0\.1\)") as warned:
        policy.trust()
    assert [Path(warning.filename).name for warning in warned] == ["test_trust.py"]
    policy.history = history.weighted(0.1)
    assert [expert.history.plays("a") for expert in policy.experts.values()] == [3.0, 3.0]


def alarms(make, problem_of, seeds):
    """In how many trials a policy warns of its history."""
    found = 0
    for seed in range(seeds):
        trial = problem_of(np.random.default_rng(seed))
        policy = make(trial.arms, history=trial.history)
        play(policy, trial)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found += policy.trust().history.differs
    return found


@pytest.mark.parametrize("moved", [0.0, 0.3])
@pytest.mark.parametrize("make", [hr.Auto, partial(hr.HUCB, scale=0.25)])
def test_arms_played_because_their_history_was_lucky_are_no_alarm(make, moved):
    """A hundred arms that are all alike, and twenty plays of each before; or each moved up or down since."""

    def dealt(rng):
        then = moved * rng.choice([-1.0, 1.0], 100)
        past = np.repeat(np.arange(100), 20)
        history = hr.History.from_rounds(arms=past, rewards=rng.normal(then[past], 0.5))
        return Trial((), history, rng.normal(0.0, 0.5, (1000, 100)), np.zeros((1, 100)), np.arange(1000), np.zeros((1000, 0)))

    found = alarms(make, dealt, 20)
    assert found <= 1 if moved == 0.0 else found >= 15


@pytest.mark.parametrize(("level", "moved"), [(0.0, 0.0), (2.0, 0.0), (2.0, 0.3)])
@pytest.mark.parametrize("make", [hr.Auto, hr.HLinUCB])
def test_a_level_that_contexts_do_not_explain_is_no_alarm(make, level, moved):
    def dealt(rng):
        theta = rng.normal(size=(10, 4))
        then = theta + moved * rng.normal(size=theta.shape)
        past, seen, contexts = np.repeat(np.arange(10), 60), rng.normal(size=(600, 4)), rng.normal(size=(1000, 4))
        rewards = (then[past] * seen).sum(axis=1) + level + rng.normal(0.0, 0.5, 600)
        expected = contexts @ theta.T + level
        history = hr.History.from_rounds(arms=past, rewards=rewards, contexts=seen)
        return Trial((), history, expected + rng.normal(0.0, 0.5, expected.shape), expected, np.arange(1000), contexts)

    found = alarms(make, dealt, 10)
    assert found <= 1 if moved == 0.0 else found >= 8


def test_bent_rewards_are_said_to_be_bent():
    """0/1 rewards of a logistic curve, the same before and now: no warning, but the reason why they differ."""
    problem = hr.problems.SyntheticContextual(arms=5, clusters=5, eps=0.0, noise="logistic", history_mean=400.0)
    trial = problem.trial(3000, np.random.default_rng(0))
    policy = build(hr.HLinUCB, trial, np.random.default_rng(0))
    play(policy, trial)
    found = policy.trust().history
    assert found.p < 0.01
    assert not found.differs
    assert "do not rise in a straight line" in found.words()


@pytest.mark.parametrize(("kind", "levelless"), [("numbers", True), ("a one", False), ("cities", False)])
def test_contexts_without_anything_constant_are_told_of(kind, levelless):
    rng = np.random.default_rng(1)
    numbers, cities = rng.uniform(1.0, 50.0, size=(300, 2)), np.eye(3)[rng.integers(3, size=300)]
    columns = {"a one": np.ones((300, 1)), "cities": cities}.get(kind, numbers[:, :1])
    contexts = np.hstack([numbers, columns])
    policy = hr.LinUCB(range(3), dimension=contexts.shape[1])
    assert not policy.trust().levelless
    for context in contexts:
        decision = policy.select(context)
        policy.update(decision, context[0] * decision.arm)
    assert policy.trust().levelless == levelless
    assert ("put a 1 into each" in str(policy.trust())) == levelless


def test_words_follow_what_the_policy_makes_of_its_history():
    found = Agreement(900.0, 4, 4, 0.3, (("a", 1.0, 2.0, 1.4),), drift=0.5, trusted=0.001, contextual=True)
    assert found.differs
    assert "no more than by chance, over the 4 arms with enough of both (p = 0.3); all together they do" in found.words()
    assert "no longer counts history" in found.words()
    certain = replace(found, p=0.0001)
    assert "differ beyond chance" in certain.words()
    noisy = replace(certain, drift=0.0, trusted=1.0)
    assert not noisy.differs
    assert "counts history in full" in noisy.words()
    bent = replace(certain, bent=True, trusted=0.4)
    assert not bent.differs
    assert "do not rise in a straight line" in bent.words()
    assert "still gives history 40% of its weight" in bent.words()
    assert replace(bent, trusted=0.0).differs
    assert "No arm has both" in replace(found, arms=0).words()
    assert "no longer counts history" in replace(found, arms=0).words()


@pytest.mark.parametrize("make", [hr.Auto, hr.UCBC, hr.HUCBC, hr.META], ids=lambda make: make.__name__)
def test_an_arm_with_the_wrong_label_is_named(make):
    """The first and the last of forty arms in four groups have each other's label."""
    rng = np.random.default_rng(1)
    arms, means = [f"arm {k}" for k in range(40)], np.repeat([0.0, 1.0, 2.0, 3.0], 10)
    groups = dict(zip(arms, np.repeat(["low", "mid", "good", "best"], 10).tolist(), strict=True))
    groups["arm 0"], groups["arm 39"] = "best", "low"
    policy = make(arms, clusters=groups)
    for arm, mean in zip(arms * 5, np.tile(means, 5), strict=True):
        policy.learn(arm, mean + 0.3 * rng.normal())
    found = quietly(policy)
    assert {misfit[:2] for misfit in found.misfits} == {("arm 0", "best"), ("arm 39", "low")}
    assert "Some arms do not seem to belong where they are: 'arm " in str(found)
    assert found.to_dict()["misfits"][0][2] > 0.9


@pytest.mark.parametrize(("labels", "most"), [("true", 4), ("shuffled", 1)])
def test_arms_with_the_right_label_are_seldom_called_misfits_and_random_labels_are_not_blamed_on_arms(labels, most):
    problem = CLASSICAL(alpha=(0.8, 1.2), labels=labels)
    assert sum(bool(quietly(lived(hr.Auto, problem, seed=seed)).misfits) for seed in range(40)) <= most


def test_where_rounds_tried_few_arms_history_speaks_alone():
    arms = [f"ad{n}" for n in range(40)]
    rng = np.random.default_rng(0)
    past = rng.integers(0, 40, 4000)
    log = hr.History.from_rounds(arms=[arms[k] for k in past], rewards=rng.normal(past // 5, 1.0))
    policy = hr.Auto(arms, clusters=[n // 5 for n in range(40)], history=log)
    for reward in rng.normal(7.0, 1.0, 200):
        policy.learn("ad39", reward)
    told = str(quietly(policy))
    assert "over the one arm of 40 with enough of both" in told
    assert "Mostly the history says so: only few of its arms have been played since" in told
    for arm in arms:
        for reward in rng.normal(int(arm[2:]) // 5, 1.0, 5):
            policy.learn(arm, reward)
    assert "Mostly the history says so" not in str(quietly(policy))


@pytest.mark.parametrize(
    ("share", "verdict"),
    [
        ((0.02, 0.0, 0.2), "say little or nothing"),
        ((0.3, 0.0, 0.78), "too early to say"),
        ((0.5, 0.1, 0.95), "too early to say"),
        ((0.4, 0.2, 0.6), "say something"),
        ((0.21, 0.17, 0.24), "say little about the arms, but something"),
        ((0.55, 0.3, 0.7), "say something"),
        ((0.9, 0.7, 0.97), "say much"),
    ],
)
def test_what_a_share_and_its_interval_mean(share, verdict):
    other = Estimate(1.0, 0.5, 2.0)
    assert verdict in Grouping(Estimate(*share), other, other, 5, contextual=False).words()


@pytest.mark.parametrize(("drift", "counts"), [(None, False), (0.0, False), (0.5, True)])
def test_a_history_that_differs_judges_groups_only_as_far_as_the_policy_says(drift, counts):
    """HierUCB needs more to find a drift than the test does to see a difference; until it has found one, rounds alone judge."""
    log = hr.History.from_rounds(arms=list("abab"), rewards=[0.0, 1.0, 2.0, 3.0])
    nodes = seen_by(hr.HierUCB(["a", "b"], history=log))
    assert admitted(nodes, Agreement(4.0, 2, 2, 0.001, drift=drift)).history.any() == counts
    assert admitted(nodes, Agreement(4.0, 2, 2, 0.5, drift=drift)).history.any()


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_rewards_of_any_two_values_may_bend(unit):
    rng = np.random.default_rng(0)
    theta = 1.5 * rng.normal(size=(6, 3))
    contexts, arms = rng.normal(size=(3000, 3)), rng.integers(6, size=1500)

    def drawn(arm, context):
        return unit * float(rng.random() < 1.0 / (1.0 + np.exp(-theta[arm] @ context)))

    rewards = [drawn(arm, context) for arm, context in zip(arms, contexts, strict=False)]
    log = hr.History.from_rounds(arms=arms, rewards=rewards, contexts=contexts[:1500])
    policy = hr.HLinUCBC(range(6), clusters=[0, 0, 1, 1, 2, 2], history=log)
    for context in contexts[1500:]:
        decision = policy.select(context)
        policy.update(decision, drawn(decision.arm, context))
    found = policy.trust().history
    assert found.bent
    assert not found.differs


def test_two_values_are_told_from_three():
    rng = np.random.default_rng(0)
    for low, high in ((0.0, 1.0), (-3.0, 1e6), (99.0, 101.0)):
        for values, two in (([low, high], True), ([low, (low + 2.0 * high) / 3.0, high], False)):
            rows = [(plays, r.sum(), (r**2).sum()) for plays in (3, 10, 40, 200) for r in [rng.choice(values, plays)]]
            found = values_in(Sums(*np.array(rows).T))
            assert (found is not None) == two
            if two:
                assert found == pytest.approx((low, high), abs=1e-9 * (high - low))


def test_a_meta_does_not_mix_the_history_of_one_expert_with_the_groups_of_another():
    rng = np.random.default_rng(0)
    groups = np.arange(30) // 5
    arms, means = np.repeat(np.arange(30), 10), rng.normal(size=6)[groups]
    log = hr.History.from_rounds(arms=arms, rewards=rng.normal(means[arms], 0.3))
    cold, warm = hr.UCBC(range(30), clusters=groups), hr.HUCBC(range(30), clusters=groups, history=log)
    for expert, told in ((cold, False), (warm, True)):
        policy = hr.Meta([expert, hr.HUCB(range(30), history=log)])
        for _ in range(40):
            decision = policy.select()
            policy.update(decision, rng.normal(means[decision.arm], 0.3))
        assert ("Mostly the history says so" in str(quietly(policy))) == told
