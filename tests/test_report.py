"""The report: claims computed from data, files that repeat byte for byte, and commands that say what is wrong."""

import json
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from hedgerow.experiments.reproduce.claim import Check, Claim, best, follows, gain, worst
from hedgerow.experiments.reproduce.claims import CLAIMS
from hedgerow.experiments.reproduce.page import counted
from hedgerow.experiments.reproduce.panels import EXPERIMENTS, META_OWN, Data
from hedgerow.experiments.reproduce.run import reproduce
from hedgerow.experiments.reproduce.theorem_claims import logarithmic
from hedgerow.experiments.result import Simulation


@pytest.fixture(autouse=True)
def simulated_data(monkeypatch):
    monkeypatch.delenv("HEDGEROW_DATA", raising=False)


def made_up(regret, share=0.9, rounds=1000, trials=8):
    """A simulation whose outcome is known: regret per round of each policy, with a little noise."""
    at = np.array([rounds // 4, rounds // 2, rounds])
    noise = np.random.default_rng(1).normal(0, 0.001, size=(len(regret), trials, 1))
    curves = (np.array(list(regret.values()))[:, None, None] + noise) * at
    followed = np.zeros((len(regret), trials, 3, 2))
    followed[..., 0], followed[..., 1] = share * at, (1 - share) * at
    best_ = np.tile(at.astype(float), (trials, 1))
    names = tuple(regret)
    experts = {name: ("HUCBC", "HUCB") for name in names if name.startswith("META")}
    return Simulation("made up", names, rounds, trials, 0, at, best_ - curves, curves, followed, best_, np.ones(trials), experts)


def test_a_difference_that_is_there_holds_and_one_that_is_not_does_not():
    result = made_up({"UCB": 0.5, "HUCB": 0.4, "HUCBC": 0.1})
    assert gain(result, "HUCBC", "UCB").mean == pytest.approx(0.4, abs=0.01)
    check = best("here", result, "HUCBC", ("UCB", "HUCB"))
    assert check.outcome == "holds"
    assert check.what.startswith("HUCBC - HUCB")  # the closest rival
    assert best("here", result, "HUCB", ("UCB", "HUCBC")).outcome == "does not hold"
    assert best("here", made_up({"A": 0.1, "B": 0.1}), "A", ("B",)).outcome == "open"


def test_the_best_must_beat_every_rival_not_only_the_closest():
    result = made_up({"HUCBC": 0.1, "close": 0.15, "wild": 0.3})
    result.regret[2] += np.random.default_rng(2).normal(0, 1000, size=(result.trials, 1))
    check = best("here", result, "HUCBC", ("close", "wild"))
    assert check.what.startswith("HUCBC - wild")
    assert check.outcome == "open"


def test_a_rival_of_much_noise_hides_no_other_that_is_better():
    result = made_up({"HUCBC": 0.2, "better": 0.1, "wild": 0.3})
    result.regret[2] += np.random.default_rng(2).normal(0, 1000, size=(result.trials, 1))
    assert gain(result, "HUCBC", "wild").low < gain(result, "HUCBC", "better").low
    check = best("here", result, "HUCBC", ("better", "wild"))
    assert (check.what.partition(",")[0], check.outcome) == ("HUCBC - better", "does not hold")
    assert worst("here", result, "HUCBC", ("better", "wild")).outcome == "open"


def test_following_is_more_than_half_of_the_rounds():
    assert follows("here", made_up({"META": 0.1}, share=0.9), "META", "HUCBC").outcome == "holds"
    assert follows("here", made_up({"META": 0.1}, share=0.9), "META", "HUCB").outcome == "does not hold"
    assert follows("here", made_up({"META": 0.1}, share=0.5), "META", "HUCBC").outcome == "open"


def test_linear_regret_is_not_logarithmic():
    assert logarithmic("here", made_up({"UCB": 0.1}), "UCB").outcome == "does not hold"
    result = made_up({"UCB": 0.1})
    result.regret[:] = 10 * np.log(result.at) + np.random.default_rng(1).normal(0, 0.1, size=result.regret.shape)
    assert logarithmic("here", result, "UCB").outcome == "holds"


def test_verdicts():
    yes, no, open_ = (Check("here", "x", middle, middle - 0.5, middle + 0.5) for middle in (1.0, -1.0, 0.0))
    assert Claim("a", "x", (yes, yes)).verdict == "holds"
    assert Claim("a", "x", (yes, no)).verdict == "holds under stated settings"
    assert Claim("a", "x", (yes, open_)).verdict == "holds under stated settings"
    assert Claim("a", "x", (open_, no)).verdict == "does not hold"
    assert Claim("a", "x", (open_,)).verdict == "not decided"
    assert Claim("a", "x", (yes, open_, no)).weakest is no
    assert Claim("a", "x", (yes, open_, no)).tally == "yes in 1, no in 1, open in 1 of 3 settings"
    assert Claim("a", "x", (no, no)).tally == "no in 2 of 2 settings"
    assert Claim("a", "x", (yes,)).tally == "yes in 1 of 1 setting"
    inside, outside = (Check("here", "x", value, value - 0.01, value + 0.01, above=-0.1, below=0.1) for value in (0.0, 0.2))
    assert (inside.outcome, outside.outcome) == ("holds", "does not hold")
    json.dumps(Claim("a", "x", (yes, inside)).as_dict(), allow_nan=False)


def test_every_claim_is_counted_once():
    yes, no, open_ = (Check("here", "x", middle, middle - 0.5, middle + 0.5) for middle in (1.0, -1.0, 0.0))
    claims = [Claim("a", "x", checks) for checks in ((yes,), (yes,), (yes, no), (yes, open_), (open_,), (no,))]
    assert counted(claims) == (
        "Of 6 claims 2 hold, 2 hold under stated settings (1 of them does not in others), 1 is not decided by these trials, "
        "1 does not hold."
    )
    assert counted(claims[:1]) == "Of 1 claim 1 holds."
    assert "1 holds under stated settings (it does not in others)" in counted(claims[:3])


def test_claims_turn_round_with_the_data():
    policies = [
        "UCB",
        "HUCB",
        "UCBC",
        "HUCBC",
        "META",
        META_OWN,
        "HUCBC shuffled",
        "META shuffled",
        f"{META_OWN} shuffled",
    ]
    for_the_paper = dict(zip(policies, [0.5, 0.47, 0.3, 0.1, 0.1, 0.1, 0.2, 0.1, 0.1], strict=True))
    against = dict(zip(policies, [0.1, 0.11, 0.2, 0.5, 0.1, 0.1, 0.2, 0.1, 0.1], strict=True))
    good = [claim.verdict for claim in CLAIMS["a"]({"a": made_up(for_the_paper)})]
    bad = [claim.verdict for claim in CLAIMS["a"]({"a": made_up(against, share=0.1)})]
    assert good == ["holds"] * 4
    assert bad == ["does not hold"] * 4


def test_every_claim_of_the_paper_has_a_row(tmp_path):
    found = reproduce(quick=True, trials=2, rounds=300, jobs=1, out=tmp_path)
    by_figure = {letter: [claim.text for claim in found.claims if claim.figure == letter] for letter in EXPERIMENTS}
    assert {letter: len(texts) for letter, texts in by_figure.items()} == {
        "a": 4, "b": 4, "c": 1, "d": 3, "e": 2, "f": 3, "bounds": 4
    }  # fmt: skip
    saved = json.loads((tmp_path / "claims.json").read_text())
    assert saved["settings"]["seed"] == found.seed
    assert [claim["verdict"] for claim in saved["claims"]] == [claim.verdict for claim in found.claims]
    page = (tmp_path / "index.html").read_text()
    assert page.count("<svg") == 7
    assert page.count("<details class=") == 21
    assert "Simulated data stands in for the real" in page
    assert "Fewer trials or rounds than the report" in page
    assert len(saved["warnings"]) == 2
    assert saved["panels"]["f true"]["simulated"]
    assert "(simulated data)" in page
    assert not re.search(r"""(src|href)=["'](?!#)|@import|url\(http""", page.replace("xlink:href", ""))
    assert not (tmp_path / ".trials").exists()
    assert {file.name for file in (tmp_path / "figures").iterdir()} == {f"{letter}.png" for letter in EXPERIMENTS}
    table = pl.read_parquet(tmp_path / "results.parquet")
    assert table["panel"].n_unique() == 15
    assert table.filter(pl.col("policy") == "HLinUCBC shuffled")["panel"].unique().sort().to_list() == [
        "b", "c 0.8", "c 3.2", "f random", "f true"
    ]  # fmt: skip


def test_two_runs_are_identical_byte_for_byte(tmp_path):
    for name, jobs in (("one", 1), ("two", 2)):
        reproduce(["a", "f"], trials=2, rounds=200, jobs=jobs, out=tmp_path / name)
    for file in ("results.parquet", "claims.json", "index.html", "figures/a.png"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_another_run_leaves_the_trials_of_an_interrupted_one(tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("hedgerow.experiments.reproduce.run._write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            reproduce(["a"], trials=2, rounds=50, jobs=1, out=tmp_path)
    kept = sorted(file.name for file in tmp_path.rglob("*.npz"))
    assert len(kept) == 2
    reproduce(["b"], trials=2, rounds=50, jobs=1, out=tmp_path)
    assert sorted(file.name for file in tmp_path.rglob("*.npz")) == kept
    reproduce(["a"], trials=2, rounds=50, jobs=1, out=tmp_path)
    assert not (tmp_path / ".trials").exists()


def test_every_clustered_policy_has_its_control():
    for experiment in EXPERIMENTS.values():
        for panel in experiment.panels(Data()):
            clustered = {name for name in panel.policies if "C" in name.replace("UCB", "") or name == "META"}
            assert panel.measure == "regret" or {f"{name} shuffled" for name in clustered if "shuffled" not in name} <= set(
                panel.policies
            )


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "hedgerow", *arguments], capture_output=True, text=True)


def broken_folder(tmp_path, kind):
    if kind == "warfarin":
        (tmp_path / "warfarin.csv").write_text("Gender,Race\nmale,White\n")
    else:
        (tmp_path / "univ-latencies.txt").write_text("http://a.edu/\thttp://b.edu/\n12\tslow\n")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reproduce", "z"), "there is no figure 'z'; choose among a, b, c, d, e, f, bounds"),
        (("reproduce", "a", "--trials", "0"), "trials must be at least 2, got 0"),
        (("reproduce", "a", "--rounds", "-5"), "rounds must be at least 10, got -5"),
        (("reproduce", "a", "--jobs", "0"), "jobs must be at least 1, got 0"),
        (("reproduce", "f", "--data", "WARFARIN"), "Therapeutic Dose of Warfarin"),
        (("reproduce", "d", "--data", "LATENCY"), "slow"),
        (("reproduce", "d", "--data", "/no/such/folder"), "/no/such/folder"),
        (("reproduce", "[/b]"), "no figure '[/b]'"),
        (("bounds", "0.9", "1.8"), "rewards in [0, 1]"),
        (("bounds", "0.5", "0.4", "--horizon", "1" + "0" * 400), "horizon"),
        (("bounds", "0.5", "0.4", "--clusters", "a"), "clusters"),
        (("bounds", "0.5", "0.4", "--r", "1", "--s", "2"), "needs --clusters"),
        (("bounds", "0.5", "0.4", "--history", "1,x"), "'x'"),
        (("bounds", "0.5", "0.4", "--horizon", "0"), "horizon"),
        (("bounds", "0.5", "0.4", "--clusters", "a,b", "--r", "1"), "give --r and --s"),
    ],
)
def test_what_the_user_can_mend_is_said_in_one_sentence(tmp_path, arguments, message):
    folders = {"WARFARIN": "warfarin", "LATENCY": "latency"}
    given = [broken_folder(tmp_path, folders[part]) if part in folders else part for part in arguments]
    run = command(*given, *(["--out", str(tmp_path / "out")] if given[0] == "reproduce" else []))
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_bounds_on_the_command_line():
    run = command("bounds", "0.9", "0.8", "0.3", "0.2", "--clusters", "a,a,b,b", "--history", "5,0,5,0", "--r", "1", "--s", "1")
    assert run.returncode == 0
    assert "Clusters: tight" in run.stdout
    assert [len(re.findall(rf"^{policy}  +\w", run.stdout, re.M)) for policy in ("HUCB", "HUCBC", "HUCBC'")] == [2, 2, 2]
    assert "not tight" in command("bounds", "0.9", "0.2", "0.3", "--clusters", "a,a,b").stdout


def test_names_do_not_steer_the_terminal():
    run = command("bounds", "0.9", "0.4", "--clusters", "\x1b]0;owned\x07a,\x1b[2Jb")
    assert run.returncode == 0
    assert "\x1b" not in run.stdout + run.stderr
    assert r"\x1b[2Jb" in run.stdout
    wrong = command("reproduce", "\x1b[2J")
    assert wrong.returncode == 2
    assert "\x1b" not in wrong.stderr


def test_the_command_alone_shows_what_there_is():
    run = command()
    assert run.returncode == 0
    for family in ("inspect", "evaluate", "sql", "reproduce", "bounds"):
        assert f"  {family} " in run.stdout
    assert "<bool>" not in run.stdout


def test_labels_that_look_like_markup():
    run = command("bounds", "0.9", "0.4", "--clusters", "[/x],[bold]b")
    assert run.returncode == 0
    assert "[/x]" in run.stdout
    assert "[bold]b" in run.stdout


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    run = command("reproduce", "a", "--out", str(tmp_path / "file" / "below"))
    assert run.returncode == 2
    assert "choose another --out" in run.stderr


def test_help_and_version():
    assert "Examples: hedgerow reproduce --quick" in command("reproduce", "--help").stdout
    assert re.fullmatch(r"\d+\.\d+\.\d+", command("--version").stdout.strip())
