"""The league: settings by name, standings, and the page they are written to."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.league.__main__ import app
from benchmarks.league.contestants import contestants, references
from benchmarks.league.settings import CLASSICAL, CONTEXTUAL, LATE, LIES, RARE, SHOWN, setting
from benchmarks.league.standings import paired_ratio, play_setting, standings


def test_every_named_setting_exists():
    assert len(CLASSICAL) >= 30
    assert len(CONTEXTUAL) == 40
    for name in (*CLASSICAL, *CONTEXTUAL, *LIES, *SHOWN, *LATE, *RARE):
        made = setting(name)
        assert set(references(made)) <= set(contestants(made))


def test_a_name_says_what_differs_from_the_paper():
    made = setting("shuffled bernoulli K=20 T=500")
    assert (made.problem.labels, made.problem.noise, made.problem.arms, made.rounds) == ("shuffled", "bernoulli", 20, 500)
    made = setting("tight uniform K=50 delay=7")
    assert (made.problem.noise, made.problem.arms, made.problem.clusters, made.delay) == ("uniform", 50, 7, 7)
    made = setting("gauss.3 eps=0.8 uneven d=7 T=50")
    assert (made.problem.sd, made.problem.eps, made.problem.sizes, made.problem.dimension) == (0.3, 0.8, "uneven", 7)


def test_rare_rewards_have_the_rates_and_the_useless_groups_that_are_named():
    made = setting("rare groups=3")
    trial = made.problem.trial(50, np.random.default_rng(1)).check()
    assert (made.rounds, made.problem.arms) == (20_000, 10)
    assert sorted(trial.expected[0]) == [0.01] * 3 + [0.02] * 3 + [0.05] * 3 + [0.1]
    assert sorted(map(trial.clusters.count, set(trial.clusters))) == [3, 3, 4]
    assert set(np.unique(trial.rewards)) <= {0.0, 1.0}
    assert "KLUCB" in contestants(made)
    assert setting("rare").problem.trial(5, np.random.default_rng(1)).clusters == ()


def test_where_history_lies_policies_without_it_are_references():
    made = setting("tight swapped")
    assert {"UCB 0.25", "UCBC 0.25", "HUCB 0.25"} <= set(references(made))
    assert {"LinUCB 1", "HLinUCB 1"} <= set(references(setting("paper eps=0.1 swapped")))
    assert "UCB 0.25" not in references(setting("tight"))


@pytest.mark.parametrize(
    "name",
    [
        "",
        "cosy",
        "tight K=0",
        "tight K=1",
        "tight K=2.5",
        "paper eps=much",
        "paper d=0",
        "tight T=",
        "loose shuffled",
        "tight K=20 K=50",
        "tight T=5 T=6",
        "tight T=inf",
        "paper eps=nan",
        "rare groups=11",
        "rare groups=2 groups=3",
    ],
)
def test_a_name_that_means_nothing_is_refused(name):
    with pytest.raises(ValueError, match="setting|number|means nothing|contradict"):
        setting(name)


def test_standings_are_those_of_the_trials():
    made = setting("tight K=20 T=300")
    result = play_setting(made, seed=1, few=True, trials=4, jobs=1)
    rows = {row.policy: row for row in standings(made, result)}
    best = min(references(made), key=lambda policy: result.of(policy, "regret").mean())
    regret = result.of("Auto", "regret")
    assert rows["Auto"].best == best
    assert rows["Auto"].mean == pytest.approx(regret.mean())
    assert rows["Auto"].worst == pytest.approx(regret.max())
    assert rows["Auto"].ratio == pytest.approx(regret.mean() / result.of(best, "regret").mean())


def test_the_error_of_a_ratio_is_paired():
    rng = np.random.default_rng(0)
    other = rng.uniform(1, 2, size=400)
    ratio, error = paired_ratio(0.5 * other, other)
    assert ratio == pytest.approx(0.5)
    assert error == pytest.approx(0.0, abs=1e-12)
    ratio, error = paired_ratio(rng.uniform(1, 2, size=400), other)
    assert error == pytest.approx(np.sqrt(1 / 12 + ratio**2 / 12) / 1.5 / 20, rel=0.15)


def test_an_interrupted_command_says_that_it_goes_on(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("benchmarks.league.standings.simulate", interrupted)
    run = CliRunner().invoke(app, ["tight K=20 T=200", "--out", str(tmp_path)])
    assert run.exit_code == 130
    assert "Interrupted. The same command goes on where this one stopped." in run.stderr


def test_the_command_plays_writes_and_goes_on(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- league: begin -->\nold\n<!-- league: end -->\nafter\n")
    options = ["--few", "--trials", "2", "--jobs", "1", "--out", str(tmp_path / "out"), "--write", str(page)]
    for name in ("tight K=20 T=200", "paper eps=0.1 T=50"):
        run = CliRunner().invoke(app, [name, *options])
        assert run.exit_code == 0, run.output
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "tight K=20 T=200" in text
    assert "paper eps=0.1 T=50" in text
    assert text.count("Seed 2026.") == 2
    kept = json.loads((tmp_path / "out" / "league.json").read_text())
    assert {row["setting"] for row in kept["standings"]} == {"tight K=20 T=200", "paper eps=0.1 T=50"}
    again = CliRunner().invoke(app, ["--table", *options[-4:]])
    assert again.exit_code == 0
    assert page.read_text() == text
    shown = CliRunner().invoke(app, ["--table", "--out", str(tmp_path / "out")])
    assert "best in hindsight" in shown.output
    assert "tight bernoulli" in CliRunner().invoke(app, ["--list"]).output


def test_a_page_without_marks_is_refused_before_anything_is_played(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing here")
    run = CliRunner().invoke(app, ["tight", "--write", str(page), "--out", str(tmp_path / "out")])
    assert isinstance(run.exception, ValueError)
    assert not (tmp_path / "out").exists()


def test_a_folder_without_standings_has_no_table(tmp_path):
    run = CliRunner().invoke(app, ["--table", "--out", str(tmp_path)])
    assert "holds no standings yet" in str(run.exception)
    (tmp_path / "file").touch()
    run = CliRunner().invoke(app, ["tight", "--out", str(tmp_path / "file" / "deeper")])
    assert "--out must be a folder" in str(run.exception)


@pytest.mark.parametrize("text", ["{", "[]", '{"seed": 1, "standings": [{"setting": "tight"}]}'])
def test_a_file_that_is_no_league_is_named_and_left_alone(tmp_path, text):
    (tmp_path / "league.json").write_text(text)
    run = CliRunner().invoke(app, ["tight", "--out", str(tmp_path)])
    assert isinstance(run.exception, ValueError)
    assert "league.json was not written by this version" in str(run.exception)
    assert (tmp_path / "league.json").read_text() == text


def test_standings_of_other_trials_stay(tmp_path):
    options = ["tight K=20 T=50", "--trials", "1", "--jobs", "1", "--out", str(tmp_path)]
    for more in (["--seed", "1"], ["--seed", "1", "--few"], ["--seed", "2", "--few"]):
        assert CliRunner().invoke(app, [*options, *more]).exit_code == 0
    text = (tmp_path / "league.json").read_text()
    assert "NaN" not in text
    policies = [sum(row["seed"] == seed for row in json.loads(text)["standings"]) for seed in (1, 2)]
    assert policies[0] > policies[1] > 1
    assert CliRunner().invoke(app, ["--table", "--out", str(tmp_path)]).exit_code == 0


@pytest.mark.parametrize("odd", ["--table nonsense", "--list nonsense", "--table --trials 7", "--table --few"])
def test_options_that_would_be_ignored_are_refused(odd, tmp_path):
    assert isinstance(CliRunner().invoke(app, ["--out", str(tmp_path), *odd.split()]).exception, ValueError)


def test_auto_is_put_beside_an_older_one_in_the_same_trials(tmp_path):
    marks = "<!-- league: begin -->\n<!-- league: end -->\n"
    (tmp_path / "page.md").write_text(marks)
    older, newer = tmp_path / "older", tmp_path / "newer"
    options = ["tight K=20 T=50", "--few", "--trials", "2", "--jobs", "1"]
    assert CliRunner().invoke(app, [*options, "--out", str(older)]).exit_code == 0
    kept = json.loads((older / "league.json").read_text())
    for row in kept["standings"]:
        row["mean"] *= 2.0 if row["policy"] == "Auto" else 1.0
    (older / "league.json").write_text(json.dumps(kept))
    shown = [*options, "--out", str(newer), "--write", str(tmp_path / "page.md"), "--older", str(older)]
    run = CliRunner().invoke(app, shown)
    assert run.exit_code == 0, run.output
    assert "in 1 settings: geometric mean 0.50, largest 0.50 (tight K=20 T=50)" in (tmp_path / "page.md").read_text()
    for row in kept["standings"]:
        row["mean"] += 1.0
    (older / "league.json").write_text(json.dumps(kept))
    assert "its trials were others" in str(CliRunner().invoke(app, shown).exception)
    assert "--write" in str(CliRunner().invoke(app, [*options, "--older", str(older)]).exception)
