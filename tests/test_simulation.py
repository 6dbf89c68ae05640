"""Simulation: the same numbers however it is run, paired differences, and the reference figures."""

import io
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.experiments.play import play
from hedgerow.experiments.problems import SyntheticClassical, SyntheticContextual
from hedgerow.experiments.result import interval
from hedgerow.experiments.simulate import build
from hedgerow.inference.intervals import student_quantile

SMALL = SyntheticClassical(clusters=3, arms=9, history_mean=4)
LINEAR = SyntheticContextual(clusters=3, arms=9, dimension=3, history_mean=4)
CLASSICAL = [hr.UCB, hr.HUCB, hr.UCBC, hr.HUCBC, hr.HUCBCPrime, hr.META, partial(hr.META, shared=False)]
CONTEXTUAL = [hr.LinUCB, hr.HLinUCB, hr.LinUCBC, hr.HLinUCBC, hr.META, partial(hr.META, shared=False)]


def outer(arms, clusters=None, history=None):
    """A Meta of Metas, which no compiled loop plays."""
    return hr.Meta({"inner": hr.META(arms, clusters=clusters, history=history), "flat": hr.UCB(arms)})


@pytest.mark.parametrize(
    ("problem", "make"),
    [*((SMALL, make) for make in (*CLASSICAL, outer)), *((LINEAR, make) for make in CONTEXTUAL)],
)
def test_a_compiled_trial_decides_as_the_public_interface(problem, make):
    trial = problem.trial(400, np.random.default_rng(2))
    policy, stepped = (build(make, trial, np.random.default_rng(0)) for _ in range(2))
    played = play(policy, trial)
    for t in range(400):
        decision = stepped.select(trial.contexts[t] if stepped.dimension else None)
        assert decision.arm == played.arms[t]
        if isinstance(stepped, hr.Meta):
            assert list(stepped.experts)[played.followed[t]] == decision.experts[0]
        stepped.update(decision, trial.rewards[trial.rows[t], decision.arm])
    context = np.ones(3) if policy.dimension else None
    assert str(policy.explain(context)) == str(stepped.explain(context))


def test_the_numbers_do_not_depend_on_jobs():
    policies = {"UCB": hr.UCB, "HUCBC": hr.HUCBC, "shuffled": hr.Shuffled(hr.HUCBC), "META": hr.META}
    one, two = (hr.simulate(policies, SMALL, rounds=300, trials=5, seed=4, jobs=jobs) for jobs in (1, 2))
    for name in ("reward", "regret", "followed", "best", "largest"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    again = hr.simulate([hr.UCB], SMALL, rounds=300, trials=2, seed=4, jobs=1)
    assert np.array_equal(again.reward[0], one.reward[0, :2])  # nor on what else is played, nor on the other trials
    other = hr.simulate([hr.UCB], SMALL, rounds=300, trials=2, seed=5, jobs=1)
    assert not np.array_equal(other.reward, again.reward)


class Interrupted:
    """A problem that fails once, at its fourth trial; the first is a rehearsal."""

    dimension = None
    calls = 0
    broken = True

    def trial(self, rounds, rng):
        type(self).calls += 1
        if type(self).broken and type(self).calls == 4:
            raise KeyboardInterrupt
        return SMALL.trial(rounds, rng)

    def __str__(self):
        return "interrupted"


def test_an_interrupted_run_resumes(tmp_path):
    run = partial(hr.simulate, [hr.UCB, hr.META], Interrupted(), rounds=200, trials=4, jobs=1)
    with pytest.raises(
        KeyboardInterrupt, match="after 2 of 4 trials, which are in .*: the same call goes on where this one stopped"
    ):
        run(resume=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    Interrupted.calls = 0
    with pytest.raises(KeyboardInterrupt, match="after 2 of 4 trials, which are lost: resume=FOLDER keeps them"):
        run()
    Interrupted.broken, Interrupted.calls = False, 0
    resumed = run(resume=tmp_path)
    assert Interrupted.calls == 1 + 2  # the rehearsal, and the two missing trials
    assert np.array_equal(resumed.reward, run().reward)
    assert np.array_equal(resumed.followed, run().followed)


@pytest.mark.parametrize("width", [60, 100])
def test_progress_has_a_bar_in_any_width(monkeypatch, width):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", Terminal())
    hr.simulate([hr.UCB], replace(SMALL, alpha=(0.8, 1.2)), rounds=50, trials=2, jobs=1)
    assert "\u2501" * 10 in sys.stderr.getvalue()


def test_two_runs_may_share_a_folder(tmp_path, monkeypatch):
    run = partial(hr.simulate, [hr.UCB], SMALL, rounds=200, trials=1, jobs=1, resume=tmp_path)
    save, others = np.savez, []

    def overtaken(path, **arrays):
        save(path, **arrays)
        if not others:
            others.append("another process, which plays the same trial meanwhile")
            with monkeypatch.context() as patch:
                patch.setattr("os.getpid", lambda: 1)
                run()

    monkeypatch.setattr(np, "savez", overtaken)
    assert np.array_equal(run().reward, run().reward)
    assert len(list(tmp_path.iterdir())) == 1


def test_another_setting_is_not_taken_for_the_same(tmp_path):
    first = hr.simulate({"p": hr.UCB}, SMALL, rounds=200, trials=1, jobs=1, resume=tmp_path)
    second = hr.simulate({"p": partial(hr.UCB, scale=0.1)}, SMALL, rounds=200, trials=1, jobs=1, resume=tmp_path)
    assert not np.array_equal(first.regret, second.regret)
    third = hr.simulate({"p": hr.UCB}, SyntheticClassical(clusters=3, arms=9), rounds=200, trials=1, jobs=1, resume=tmp_path)
    assert not np.array_equal(first.regret, third.regret)


class Nameless:
    """A problem that prints its address."""

    dimension = None

    def trial(self, rounds, rng):
        return SMALL.trial(rounds, rng)


class Argument:
    """A fixed argument that prints its address."""


@pytest.mark.parametrize(
    ("policies", "problem"), [([hr.UCB], Nameless()), ({"p": partial(lambda arms, x: hr.UCB(arms), x=Argument())}, SMALL)]
)
def test_what_prints_its_address_cannot_be_resumed(tmp_path, policies, problem):
    with pytest.raises(ValueError, match=r"resume tells trials apart by how they print, <.* at 0x.*> prints its address"):
        hr.simulate(policies, problem, rounds=20, trials=1, jobs=1, resume=tmp_path)
    assert hr.simulate(policies, problem, rounds=20, trials=1, jobs=1).rounds == 20


def test_a_constructor_with_open_keywords_gets_them_all():
    result = hr.simulate(
        {"open": lambda arms, **rest: hr.HUCBC(arms, **rest), "HUCBC": hr.HUCBC}, SMALL, rounds=300, trials=2, jobs=1
    )
    assert np.array_equal(result.regret[0], result.regret[1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda arms: hr.UCB(range(500)), "must have the arms of the trial"),
        (lambda arms: hr.UCB(list(reversed(arms))), "in their order"),
        (lambda arms: hr.LinUCB(arms, dimension=9), "contexts of 9 numbers, the trial has 3"),
    ],
)
def test_a_policy_that_does_not_fit_the_trial_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        hr.simulate({"x": make}, LINEAR, rounds=50, trials=1, jobs=1)


def test_a_trial_whose_parts_do_not_fit_is_refused():
    trial = LINEAR.trial(20, np.random.default_rng(0))
    for changes in (
        {"contexts": trial.contexts[:10]},
        {"rows": trial.rows + 5},
        {"rewards": np.full_like(trial.rewards, np.nan)},
        {"expected": trial.expected[:, :3]},
    ):
        with pytest.raises(ValueError, match="trial"):
            trial._replace(**changes).check()


def test_any_number_of_experts():
    def five(arms):
        return hr.Meta({str(scale): hr.UCB(arms, scale=scale) for scale in (0.1, 0.2, 0.3, 0.4, 0.5)})

    result = hr.simulate({"five": five}, SMALL, rounds=100, trials=2, jobs=1)
    assert sum(result.share("five", name) for name in result.experts["five"]) == pytest.approx(np.ones(2))


def test_curves_are_cumulative_and_regret_counts_expected_rewards():
    result = hr.simulate([hr.UCB], SMALL, rounds=250, trials=2, jobs=1, marks=[77])
    assert 77 in result.at
    assert result.at[-1] == 250
    for number in range(2):
        trial = SMALL.trial(250, np.random.default_rng([0, number]))
        arms = play(hr.UCB(trial.arms), trial).arms
        paid = np.cumsum(trial.rewards[np.arange(250), arms])
        lost = np.cumsum(trial.expected.max() - trial.expected[0, arms])
        assert result.reward[0, number] == pytest.approx(paid[result.at - 1])
        assert result.regret[0, number] == pytest.approx(lost[result.at - 1])
        assert result.best[number] == pytest.approx(trial.expected.max() * result.at)


def test_shuffled_labels_keep_the_sizes_and_lose_the_order():
    trial = SyntheticClassical().trial(5, np.random.default_rng(0))
    policy = build(hr.Shuffled(hr.UCBC), trial, np.random.default_rng(0))
    assert sorted(policy.clusters) == sorted(trial.clusters)
    assert policy.clusters != trial.clusters


def test_tidy_frames():
    result = hr.simulate([hr.UCB, hr.META], SMALL, rounds=100, trials=3, jobs=1)
    for backend in ("polars", "pandas", "pyarrow"):
        frame = result.frame(backend)
        assert type(frame).__module__.split(".")[0] == backend
        assert frame.shape == (2 * 3 * len(result.at), 8)
    table = result.frame()
    last = table.filter((table["policy"] == "META") & (table["trial"] == 2) & (table["round"] == 100))
    assert last["reward"][0] == result.of("META")[2]
    assert last["followed_1"][0] + last["followed_2"][0] == 100


def test_differences_are_paired():
    result = hr.simulate([hr.UCB, hr.HUCBC], SMALL, rounds=400, trials=6, jobs=1)
    (difference,) = result.compare("UCB", measure="regret")
    apart = result.of("HUCBC", "regret") - result.of("UCB", "regret")
    assert difference.what == "HUCBC - UCB"
    assert difference.mean == pytest.approx(apart.mean())
    assert difference.high - difference.low == pytest.approx(2 * 2.5706 * apart.std(ddof=1) / np.sqrt(6), rel=2e-3)


def test_student_quantiles():
    table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 19: 2.093, 29: 2.045, 199: 1.972}
    assert {v: student_quantile(v) for v in table} == pytest.approx(table, rel=8e-3)
    assert interval("x", np.array([1.0]))[2:] == (-np.inf, np.inf)


def test_a_figure_has_a_line_for_each_policy():
    result = hr.simulate([hr.UCB, hr.META], SMALL, rounds=100, trials=2, jobs=1)
    for measure in ("per round", "reward", "regret"):
        assert len(result.plot(measure=measure).axes[0].get_lines()) == 2
    with pytest.raises(ValueError, match="measure must be one of"):
        result.plot(measure="love")


def of_contexts(arms, *, dimension):
    return hr.LinUCB(arms, dimension=dimension)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hr.simulate([], SMALL, rounds=10), "at least one constructor"),
        (lambda: hr.simulate(hr.UCB, SMALL, rounds=10), "list or dict of constructors"),
        (lambda: hr.simulate([hr.UCB(["a"])], SMALL, rounds=10), "must be constructors such as hedgerow.UCB"),
        (lambda: hr.simulate([hr.UCB], SyntheticClassical, rounds=10), "must be a problem such as"),
        (lambda: hr.simulate([hr.UCB, hr.UCB], SMALL, rounds=10), "same name"),
        (lambda: hr.simulate([hr.LinUCB], SMALL, rounds=9), "LinUCB needs dimension=, the length of its context vectors"),
        (lambda: hr.simulate([of_contexts], SMALL, rounds=9), "of_contexts needs dimension, and this problem has none"),
        (lambda: hr.simulate([hr.UCB], SMALL, rounds=0), "rounds must be a whole number of at least 1, got 0"),
        (lambda: hr.simulate([hr.UCB], SMALL, rounds=10, trials=2.5), "trials must be"),
        (lambda: hr.simulate([hr.UCB], SMALL, rounds=10, trials=1).of("UCB", "joy"), "measure must be"),
        (
            lambda: hr.simulate([hr.UCB], SMALL, rounds=10, trials=1).of("UCB", at=0),
            "are kept from round 1 to 10, not for 0",
        ),
        (lambda: hr.simulate([hr.UCB], SMALL, rounds=10, trials=1).of("UCB", at=11), "from round 1 to 10, not for 11"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_classical_reference_figures():
    """Regret on the paper's classical generator in an independent simulation of 20 trials, mean +- sd."""
    reference = {"UCB": (2265, 265), "HUCB": (2112, 325), "UCBC": (712, 185), "HUCBC": (580, 204), "HUCBCPrime": (686, 193)}
    policies = [hr.UCB, hr.HUCB, hr.UCBC, hr.HUCBC, hr.HUCBCPrime, hr.META]
    result = hr.simulate(policies, SyntheticClassical(), rounds=10_000, trials=20, seed=11)
    for row in result.summary()[:5]:
        mean, sd = reference[row["policy"]]
        assert abs(row["regret"] - mean) < 3 * sd * np.sqrt(2 / 20)  # two means of 20 trials each
        assert 0.5 * sd < row["regret_sd"] < 2 * sd
    assert abs(result.of("META", "regret").mean() - 578) < 3 * 204 * np.sqrt(2 / 20)
    assert {d.what for d in result.compare("HUCBC", measure="regret") if d.low > 0} >= {
        "UCB - HUCBC",
        "HUCB - HUCBC",
        "UCBC - HUCBC",
    }


@pytest.mark.parametrize(
    ("eps", "reference"),
    [
        (0.1, {"LinUCB": 3756, "HLinUCB": 2575, "LinUCBC": 2895, "HLinUCBC": 2353}),
        (0.8, {"LinUCB": 12141, "HLinUCB": 4691, "LinUCBC": 13530, "HLinUCBC": 5782}),
        (3.2, {"LinUCB": 60791, "HLinUCB": 11981, "LinUCBC": 68102, "HLinUCBC": 27608}),
    ],
)
def test_contextual_reference_figures(eps, reference):
    """Regret on the paper's contextual generator in an independent simulation of 10 trials."""
    policies = [hr.LinUCB, hr.HLinUCB, hr.LinUCBC, hr.HLinUCBC]
    result = hr.simulate(policies, SyntheticContextual(eps=eps), rounds=10_000, trials=10, seed=12)
    for row in result.summary():
        assert abs(row["regret"] - reference[row["policy"]]) < 3 * row["regret_sd"] * np.sqrt(2 / 10)


class Convex:
    """A cluster whose value is convex in the context: x = (1, z), A = {(.5, .5), (.5, -.5)}, B = {(.6, 0)}."""

    dimension = 2

    def trial(self, rounds, rng):
        X = np.column_stack([np.ones(rounds), rng.integers(-1, 2, size=rounds)]).astype(float)
        expected = X @ np.array([[0.5, 0.5], [0.5, -0.5], [0.6, 0.0]]).T
        rewards = 1.0 * (rng.random(expected.shape) < expected)
        nothing = hr.History.from_rounds(arms=[], rewards=[], contexts=np.zeros((0, 2)))
        return hr.problems.Trial(("A", "A", "B"), nothing, rewards, expected, np.arange(rounds), X)

    def __str__(self):
        return "convex"


def test_linucbc_can_have_linear_regret_and_linucb_does_not():
    result = hr.simulate([hr.LinUCB, hr.LinUCBC], Convex(), rounds=20_000, trials=10, seed=1, marks=[5000], jobs=1)
    growth = {p: result.of(p, "regret").mean() / result.of(p, "regret", at=5000).mean() for p in result.policies}
    assert growth["LinUCBC"] > 3
    assert growth["LinUCB"] < 2


class Ungrouped:
    """Arms in no clusters."""

    dimension = None

    def trial(self, rounds, rng):
        return SMALL.trial(rounds, rng)._replace(clusters=())

    def __str__(self):
        return "ungrouped"


def test_a_problem_may_have_no_clusters():
    result = hr.simulate([hr.UCB, hr.HUCB, hr.Auto], Ungrouped(), rounds=100, trials=1, jobs=1)
    grouped = hr.simulate([hr.UCB, hr.HUCB], SMALL, rounds=100, trials=1, jobs=1)
    assert np.array_equal(result.reward[:2], grouped.reward)
    assert result.reward[2, 0, -1] > 0.0


def test_counts_may_be_numbers_of_numpy():
    plain = hr.simulate([hr.UCB], SMALL, rounds=50, trials=2, delay=1, jobs=1)
    counted = hr.simulate([hr.UCB], SMALL, rounds=np.int64(50), trials=np.int32(2), delay=np.uint8(1), jobs=1)
    assert np.array_equal(plain.reward, counted.reward)
    assert type(counted.rounds) is int


def test_a_damaged_trial_is_played_again(tmp_path):
    given = {"rounds": 50, "trials": 2, "seed": 1, "jobs": 1, "resume": tmp_path}
    first = hr.simulate([hr.UCB], hr.problems.SyntheticClassical(), **given)
    for file, damage in zip(sorted(tmp_path.glob("*.npz")), (b"junk", b""), strict=True):
        file.write_bytes(damage)
    again = hr.simulate([hr.UCB], hr.problems.SyntheticClassical(), **given)
    assert np.array_equal(first.regret, again.regret)


def test_what_the_user_has_fixed_stays_fixed():
    problem = hr.problems.SyntheticClassical(arms=12, clusters=3)
    policies = {
        "cold": partial(hr.Auto, history=None),
        "flat": partial(partial(hr.Auto, clusters=None)),
        "truly cold": lambda arms, clusters: hr.Auto(arms, clusters=clusters),
        "truly flat": lambda arms, history: hr.Auto(arms, history=history),
    }
    cold, flat, truly_cold, truly_flat = hr.simulate(policies, problem, rounds=300, trials=2, jobs=1).regret
    assert np.array_equal(cold, truly_cold)
    assert np.array_equal(flat, truly_flat)


def test_a_policy_of_ones_own_needs_expect_only_if_rewards_are_late():
    class Own:
        name, dimension = "Own", None

        def __init__(self, arms):
            self.arms = tuple(arms)

        def select(self, context=None, *, rng=None):
            return hr.Decision(self.arms[0])

        def update(self, decision, reward):
            pass

    hr.simulate([Own], SMALL, rounds=20, trials=1, jobs=1)
    with pytest.raises(ValueError, match="Own cannot play, it lacks expect"):
        hr.simulate([Own], SMALL, rounds=20, trials=1, jobs=1, delay=5)


def test_experts_may_differ_in_precision():
    def mixed(arms, clusters=None, history=None):
        experts = [hr.HLinUCBC(arms, clusters=clusters, history=history, precision="single"), hr.HLinUCB(arms, history=history)]
        return hr.Meta(experts, name="mixed")

    result = hr.simulate([mixed], SyntheticContextual(arms=10, clusters=2), rounds=50, trials=1, jobs=1)
    assert result.followed.sum(axis=-1)[0, 0, -1] == 50


def test_a_policy_of_your_own_is_given_draws():
    class Dice:
        name, dimension = "Dice", None

        def __init__(self, arms):
            self.arms = tuple(arms)

        def select(self, context=None, *, rng=None):
            return hr.Decision(int(rng.integers(len(self.arms))))

        def update(self, decision, reward):
            pass

    one, two = (hr.simulate([Dice], SyntheticClassical(arms=10, clusters=2), rounds=40, trials=2) for _ in range(2))
    assert (one.regret == two.regret).all()
    assert (one.regret[0, 0] != one.regret[0, 1]).any()
