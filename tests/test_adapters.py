"""Adapters to other libraries: what runs through them is what hedgerow does by itself. Those without their peer are skipped."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import hedgerow as hr

FOLDER = Path(__file__).parents[1] / "examples" / "adapters"


def adapter(name, peer=None):
    if peer is not None:
        pytest.importorskip(peer, reason=f"{peer} is not installed: pip install {peer}")
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_each_is_short(path):
    assert len(path.read_text().splitlines()) < 80


@pytest.mark.parametrize("contextual", [False, True])
def test_mabwisers_interface(contextual):
    rng = np.random.default_rng(0)
    make = (lambda arms: hr.LinUCB(arms, dimension=2)) if contextual else hr.UCB
    mab, own = adapter("mabwiser_mab").HedgerowMAB(["a", "b", "c"], make), make(["a", "b", "c"])
    x = rng.normal(size=(60, 2)) if contextual else None
    decisions, rewards = rng.choice(["a", "b", "c"], size=60).tolist(), rng.random(60).tolist()
    mab.fit(["a"], [1.0], None if x is None else x[:1])  # forgotten by the next
    mab.fit(decisions[:40], rewards[:40], None if x is None else x[:40])
    mab.partial_fit(decisions[40:], rewards[40:], None if x is None else x[40:])
    own.learn_many(decisions, rewards, x)
    if contextual:
        assert mab.predict(x) == [own.select(row).arm for row in x]
        assert mab.predict(x[:1]) == own.select(x[0]).arm
        assert mab.predict_expectations(x)[7] == dict(zip("abc", own.scores(x[7]), strict=True))
    else:
        assert mab.predict() == own.select().arm
        assert mab.predict_expectations() == dict(zip("abc", own.scores(), strict=True))
    mab.add_arm("d")
    mab.remove_arm("a")
    assert mab.arms == ["b", "c", "d"]
    mab.fit(["b"], [1.0], None if x is None else x[:1])  # a fresh start keeps the arms of now
    assert mab.arms == ["b", "c", "d"]


def test_mabwiser_itself_answers_alike():
    """UCB1 of MABWiser is UCB with its scale, but for 2 log N, where the paper has 2 log t."""
    peer = pytest.importorskip("mabwiser.mab", reason="mabwiser is not installed: pip install mabwiser")
    rng = np.random.default_rng(1)
    decisions, rewards = rng.choice(["a", "b", "c"], size=200).tolist(), rng.random(200).tolist()
    theirs = peer.MAB(["a", "b", "c"], peer.LearningPolicy.UCB1(alpha=1.0))
    ours = adapter("mabwiser_mab").HedgerowMAB(["a", "b", "c"], hr.UCB)
    for mab in (theirs, ours):
        mab.fit(decisions[:100], rewards[:100])
        mab.partial_fit(decisions[100:], rewards[100:])
    assert ours.predict() == theirs.predict()
    found, expected = ours.predict_expectations(), theirs.predict_expectations()
    assert found.keys() == expected.keys()
    assert [found[arm] for arm in "abc"] == pytest.approx([expected[arm] for arm in "abc"], abs=2e-3)


def test_scikit_learns_style():
    sklearn = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed: pip install scikit-learn")
    module, rng = adapter("sklearn_estimator", "sklearn"), np.random.default_rng(2)
    x = rng.normal(size=(80, 3))
    arms, rewards = rng.choice(["a", "b"], size=80), rng.random(80)
    model = sklearn.clone(module.HedgerowBandit(hr.LinUCB, explore=0.0)).fit(x[:50], arms[:50], rewards[:50])
    model.partial_fit(x[50:], arms[50:], rewards[50:])
    own = hr.LinUCB(["a", "b"], dimension=3)
    own.learn_many(arms.tolist(), rewards, x)
    assert model.predict(x).tolist() == [own.select(row).arm for row in x]
    model.partial_fit(x[:1], ["new"], [2.0])
    assert model.policy_.arms == ("a", "b", "new")
    explored = sklearn.clone(model).set_params(explore=0.3, random_state=1).fit(x, arms, rewards)
    assert explored.predict_proba(x[:2]).sum(axis=1) == pytest.approx([1.0, 1.0])
    assert set(explored.predict_proba(x[0:1]).ravel().round(3)) == {0.15, 0.85}
    with pytest.raises(Exception, match="not fitted"):
        module.HedgerowBandit().predict(x)


def test_river_replays_a_history():
    river = pytest.importorskip("river.bandit", reason="river is not installed: pip install river")
    module, rng = adapter("river_policy", "river"), np.random.default_rng(3)
    rounds = [(["a", "b", "c"][: 2 + (t > 300)], str(rng.choice(["a", "b"])), bool(rng.random() < 0.4)) for t in range(600)]
    policy, own, matched = module.HedgerowPolicy(hr.UCB), hr.UCB(["a", "b"]), 0
    _, used = river.evaluate_offline(policy, [(arms, None, arm, reward) for arms, arm, reward in rounds])
    for arms, arm, reward in rounds:
        own.add_arms([each for each in arms if each not in own.arms])
        if own.select(among=arms).arm == arm:
            own.learn(arm, float(reward))
            matched += 1
    assert used == matched > 0
    ages = rng.integers(18, 80, size=300).tolist()
    contextual = module.HedgerowContextualPolicy(hr.LinUCB, context={"age": "number"})
    told = [(["a", "b"], {"age": age}, str(rng.choice(["a", "b"])), float(age < 40)) for age in ages]
    total, used = river.evaluate_offline(contextual, told)
    assert 0 < total.get() < used < 300


class ChangingActions:
    """Interactions whose actions come and go: ten of thirty articles at a time."""

    def __init__(self, interaction):
        self.params, self.interaction = {"name": "changing"}, interaction

    def read(self):
        rng = np.random.default_rng(4)
        for t in range(400):
            offered = rng.choice(np.arange(t // 40, 21 + t // 40), size=10, replace=False).tolist()
            context = [1.0, float(rng.random())]
            rewards = [float(rng.random() < 0.02 * article * context[1]) for article in offered]
            yield self.interaction(context, offered, rewards)


def test_coba_with_changing_actions():
    primitives = pytest.importorskip("coba.primitives", reason="coba is not installed: pip install coba")
    module = adapter("coba_learner", "coba")
    learner, own = module.HedgerowLearner(hr.LinUCB), None
    for interaction in ChangingActions(primitives.SimulatedInteraction).read():
        context, actions, rewards = interaction["context"], interaction["actions"], interaction["rewards"]
        own = own or hr.LinUCB(actions, dimension=2)
        own.add_arms([action for action in actions if action not in own.arms])
        decision = own.select(context, among=actions)
        action, propensity, kept = learner.predict(context, actions)
        assert (action, propensity) == (decision.arm, 1.0)
        assert learner.score(context, actions, action) == 1.0
        own.update(decision, rewards[actions.index(action)])
        learner.learn(context, action, rewards[actions.index(action)], propensity, **kept)
    assert len(own.arms) == 30


def test_coba_runs_an_experiment_without_features_of_actions():
    coba = pytest.importorskip("coba", reason="coba is not installed: pip install coba")
    module = adapter("coba_learner", "coba")
    environments = coba.Environments.from_linear_synthetic(300, n_actions=4, n_context_features=3, n_action_features=0, seed=2)
    environments += coba.Environments.from_custom(ChangingActions(coba.primitives.SimulatedInteraction))
    environments += coba.Environments.from_bandit_synthetic(300, n_actions=5, seed=3)  # without contexts
    learners = [module.HedgerowLearner(hr.Auto, explore=0.1), module.HedgerowLearner(hr.LinUCB, seed=2), coba.RandomLearner()]
    contextual = coba.Experiment(environments[:2], learners).run(quiet=True)
    plain = coba.Experiment(environments[2], [module.HedgerowLearner(hr.UCB), coba.RandomLearner()]).run(quiet=True)
    for result, rows in ((contextual, 3 * 700), (plain, 2 * 300)):
        assert len(result.interactions) == rows


@pytest.mark.parametrize("dim", [None, 5])
def test_the_open_bandit_pipeline_shows_lists(dim):
    obp = pytest.importorskip("obp.dataset", reason="obp is not installed: pip install obp (it needs PyTorch)")
    simulator = pytest.importorskip("obp.simulator")
    module = adapter("obp_policy", "obp")
    data = obp.SyntheticBanditDataset(n_actions=6, dim_context=5, random_state=5)
    feedback = data.obtain_batch_bandit_feedback(n_rounds=400)
    feedback["position"] = np.random.default_rng(0).integers(3, size=400)
    make = hr.UCB if dim is None else hr.LinUCB
    policy = module.HedgerowPolicy(make, n_actions=6, len_list=3, dim=dim)
    shares = simulator.run_bandit_simulation(feedback, policy)
    assert shares.shape == (400, 6, 3)
    assert (shares.sum(axis=1) == 1.0).all()  # an action at each place
    assert (shares.sum(axis=2) <= 1.0).all()  # and none twice
    own = make(range(6)) if dim is None else make(range(6), dimension=dim)
    for t, (action, reward, place) in enumerate(zip(feedback["action"], feedback["reward"], feedback["position"], strict=True)):
        context = None if dim is None else feedback["context"][t]
        ranked = [decision.arm for decision in own.rank(3, context)]
        assert shares[t].argmax(axis=0).tolist() == ranked
        if ranked[place] == action:
            own.learn(int(action), float(reward), context)
    policy.initialize()
    assert policy.policy.rounds == 0
