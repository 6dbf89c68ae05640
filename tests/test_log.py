"""Log: any frame or file in, arrays in the order of time out, nothing left out in silence."""

import datetime as dt
import gzip
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from engines import duckdb
from engines import pyarrow as pa

import hedgerow as hr

ROWS = {
    "ad": ["b", "a", "b", None, "c", "a"],
    "click": [0.0, 1.0, None, 1.0, float("inf"), 0.5],
    "age": [30, 20, 50, 60, 70, 40],
    "city": ["Oslo", "Rome", "Oslo", "Rome", "Oslo", "Oslo"],
    "topic": ["x", "y", "x", "y", "x", "y"],
    "at": [dt.datetime(2024, 1, day) for day in (5, 1, 2, 3, 4, 3)],
    "chance": [0.5, 0.25, 1.0, 1.0, 1.0, 1.0],
}
FRAMES = {
    "pandas": lambda rows: pd.DataFrame(rows),
    "polars": lambda rows: pl.DataFrame(rows),
    "polars lazy": lambda rows: pl.LazyFrame(rows),
    "pyarrow": lambda rows: pa.table(rows),
    "duckdb": lambda rows: duckdb.from_arrow(pa.table(rows)),
}
ROLES = {"arm": "ad", "reward": "click", "context": ["age", "city"], "time": "at", "propensity": "chance"}


def check(log):
    assert [log.arms[number] for number in log.arm] == ["a", "a", "b"]
    assert log.reward.tolist() == [1.0, 0.5, 0.0]
    assert log.context["age"].tolist() == [20.0, 40.0, 30.0]
    assert log.context["city"].tolist() == ["Rome", "Oslo", "Oslo"]
    assert log.propensity.tolist() == [0.25, 1.0, 0.5]
    assert np.diff(log.time).tolist() == [2 * 86400.0, 2 * 86400.0]
    assert log.missing == {"no arm": 1, "no reward": 1, "reward too large (1e+100 or more)": 1}
    assert dict(zip(log.arms, log.clusters, strict=True)) == {"a": "y", "b": "x"}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_gives_the_same_log(kind):
    log = hr.Log.read(FRAMES[kind](ROWS), **ROLES, clusters="topic")
    check(log)
    assert log.source == f"frame of {kind.split()[0]}"
    assert repr(log).endswith("3 rows, 2 arms; left out: 1 no arm, 1 no reward, 1 reward too large (1e+100 or more))")


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.tsv", "log.parquet", "logs/*.csv", "logs"])
def test_every_kind_of_file_gives_the_same_log(tmp_path, name):
    frame = pl.DataFrame(ROWS)
    path = tmp_path / name
    if name.startswith("logs"):
        (tmp_path / "logs").mkdir()
        frame.head(2).write_csv(tmp_path / "logs/1.csv")
        frame.tail(4).write_csv(tmp_path / "logs/2.csv")
    elif name.endswith("parquet"):
        frame.write_parquet(path)
    else:
        text = frame.write_csv(separator="\t" if name.endswith("tsv") else ",")
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    log = hr.Log.read(path, **ROLES, clusters="topic")
    check(log)
    assert log.source == path.name


def test_without_a_time_rows_keep_their_order():
    log = hr.Log.read(pd.DataFrame({"arm": [3, 1, 3, 2], "r": [1, 2, 3, 4]}), arm="arm", reward="r")
    assert [log.arms[number] for number in log.arm] == [3, 1, 3, 2]
    assert (log.time, log.propensity, log.clusters, log.context) == (None, None, None, {})
    assert len(log) == 4


def test_rows_without_a_context_are_left_out_and_counted():
    rows = {"arm": [1, 1, 1, 1], "r": [1, 2, 3, 4], "x": [1.0, None, 3.0, float("nan")], "c": ["u", "v", None, None]}
    log = hr.Log.read(pl.DataFrame(rows), arm="arm", reward="r", context=["x", "c"])
    assert (log.reward.tolist(), log.missing) == ([1.0], {"no x": 2, "no c": 1})


def test_truth_values_nullable_types_and_categories():
    frame = pd.DataFrame(
        {
            "arm": pd.array([1, None, 2], dtype="Int64"),
            "won": pd.array([True, True, None], dtype="boolean"),
            "kind": pd.Categorical(["u", "v", "u"]),
        }
    )
    log = hr.Log.read(frame, arm="arm", reward="won", context="kind")
    assert (log.arms, log.reward.tolist(), log.context["kind"].tolist()) == ((1,), [1.0], ["u"])
    assert log.missing == {"no arm": 1, "no reward": 1}


@pytest.mark.parametrize("numbers", [True, False], ids=["numbers", "text"])
def test_a_cluster_file_matches_arms_as_the_log_writes_them(tmp_path, numbers):
    arms = [7, 7, 12] if numbers else ["7", "7", "12"]
    frame = pl.DataFrame({"item": arms, "r": [1.0, 2.0, 3.0]})
    (tmp_path / "clusters.csv").write_text("arm,cluster\n12,red\n7,blue\n99,red\n")
    pl.DataFrame({"i": [12, 7, 99], "c": ["red", "blue", "red"]}).write_parquet(tmp_path / "clusters.parquet")
    for table in (tmp_path / "clusters.csv", f"{tmp_path}/clusters.parquet:i,c"):
        log = hr.Log.read(frame, arm="item", reward="r", clusters=table)
        label = int if numbers else str
        assert dict(zip(log.arms, log.clusters, strict=True)) == {label(7): "blue", label(12): "red", label(99): "red"}
        assert log.arms[-1] == label(99)


def test_a_mapping_of_clusters():
    frame = pl.DataFrame({"a": ["x", "y"], "r": [1, 2]})
    log = hr.Log.read(frame, arm="a", reward="r", clusters={"y": ("big", "red"), "x": "blue"})
    assert (log.arms, log.clusters) == (("x", "y"), ("blue", ("big", "red")))


@pytest.mark.parametrize(
    ("arms", "clusters", "message"),
    [
        ([1, 2, 3], {1: "x", 2.9: "w", 3: "x"}, "1 of 3 arms of the log have no cluster: 2"),
        (["1", "2"], {"1": "a", "2": "a", 2: "c"}, "clusters puts arm '2' into two clusters, 'a' and 'c'"),
        ([1, 2], {1: "a", 2: "a", "2.0": "c"}, "clusters puts arm 2.0 into two clusters"),
    ],
)
def test_no_arm_is_taken_for_another_one(arms, clusters, message):
    frame = pl.DataFrame({"a": arms, "r": [1.0] * len(arms)})
    with pytest.raises(ValueError, match=message):
        hr.Log.read(frame, arm="a", reward="r", clusters=clusters)


@pytest.mark.parametrize(
    ("arms", "written"),
    [([1, 2], "1.0,x\n2,y\n"), ([1.5, 2.0], "1.5,x\n2,y\n"), ([True, False], "true,x\nFalse,y\n")],
)
def test_arms_of_a_file_of_clusters_may_be_written_otherwise(arms, written, tmp_path):
    (tmp_path / "clusters.csv").write_text(f"arm,cluster\n{written}")
    frame = pl.DataFrame({"a": arms, "r": [1.0, 2.0]})
    assert hr.Log.read(frame, arm="a", reward="r", clusters=tmp_path / "clusters.csv").clusters == ("x", "y")


def test_numbers_may_turn_into_fractions_and_labels_into_text_late_in_a_file(tmp_path):
    lines = ["arm,r"] + ["1,1"] * 20_000 + ["one,0.5"]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    log = hr.Log.read(tmp_path / "log.csv", arm="arm", reward="r")
    assert (log.arms, log.reward[-1], len(log)) == (("1", "one"), 0.5, 20_001)


def test_numbers_may_begin_late_in_a_file(tmp_path):
    (tmp_path / "log.csv").write_text("arm,r\n" + "a,\n" * 5000 + "b,0.5\n")
    log = hr.Log.read(tmp_path / "log.csv", arm="arm", reward="r")
    assert (log.arms, log.reward.tolist(), log.missing) == (("b",), [0.5], {"no reward": 5000})


@pytest.mark.parametrize("token", ["", '""', "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None"])
def test_what_means_missing_does_so_in_every_column_of_a_text_file(tmp_path, token):
    path, table = tmp_path / "log.csv", tmp_path / "clusters.csv"
    rows = ["a,1,2,EU,2024-01-01", "?,1,2,EU,2024-01-02", "a,?,2,EU,2024-01-03", "a,1,?,EU,2024-01-04", "b,0,2,?,2024-01-05"]
    path.write_text("\n".join(["arm,r,x,region,day", *rows, "b,0,3,US,?"]).replace("?", token))
    table.write_text(f"arm,cluster\na,u\n{token},u\nb,v\nb,{token}\n")
    log = hr.Log.read(path, arm="arm", reward="r", context=["x", "region"], time="day", clusters=table)
    assert log.missing == {"no arm": 1, "no reward": 1, "no x": 1, "no region": 1, "no time": 1}
    assert (log.arms, log.clusters) == (("a", "b"), ("u", "v"))
    with pytest.warns(UserWarning, match="left out: 1 no arm, 1 no reward, 1 no x"):
        history = hr.History.from_file(path, arm="arm", reward="r", context=["x", "region"])
    assert (history.arms, history.encoding.names) == (("a", "b"), ("x", "region=EU", "region=US"))


def test_in_a_frame_only_what_is_missing_is_missing():
    log = hr.Log.read(pl.DataFrame({"arm": ["NA", "None", None], "r": [1, 0, 1]}), arm="arm", reward="r")
    assert (log.arms, log.missing) == (("NA", "None"), {"no arm": 1})


def test_whole_numbers_stay_so_beside_missing_ones(tmp_path):
    (tmp_path / "log.csv").write_text("arm,r\n7,1\nNA,1\n12,0\n")
    assert hr.Log.read(tmp_path / "log.csv", arm="arm", reward="r").arms == (7, 12)


FILES = {
    "no header": ("log.csv", b"a,1\nb,2\n", "no column 'arm', 'r'; its columns are 'a', '1'"),
    "text as reward": ("log.csv", b"arm,r\na,1\na,2\nb,seven\n", "column 'r' must hold numbers.* such as 'seven'"),
    "late text as reward": ("log.csv", b"arm,r\n" + b"a,1\n" * 20_000 + b"b,seven\n", "'r' must hold numbers.* such as 'seven'"),
    "empty": ("log.csv", b"", "log.csv is empty"),
    "blank": ("log.csv", b" \n\n", "log.csv is empty"),
    "header only": ("log.csv", b"arm,r\n", "column 'r' must hold numbers, it has no rows"),
    "binary": ("log.csv", bytes(range(256)) * 10, "not a text file"),
    "bad text": ("log.csv", b"arm,r\n\xff\xfe\xfa,1\n", "log.csv cannot be read.* save it as UTF-8"),
    "semicolons": ("log.csv", b"arm;r\na;1\n", "seems to be separated by ';': give separator=';' \\(--separator\\)"),
    "very late text as reward": ("log.csv", b"arm,r\n" + b"a,1\n" * 200_000 + b"b,oops\n", "holds String such as 'oops'"),
    "a long line": (
        "log.csv",
        b'arm,r\n"a\nb",1\nb,2\nc,3,4\nd,5\n',
        "log.csv cannot be read: line 5 has 3 cells, the header 2; put",
    ),
    "yes and no": ("log.csv", b"arm,r\na,1\na,yes\n", "such as 'yes': write 1 and 0 for it"),
    "no gzip": ("log.csv.gz", b"arm,r\na,1\n", "not a gzip file"),
    "cut gzip": ("log.csv.gz", gzip.compress(b"arm,r\n" + b"a,1\n" * 1000)[:-20], "not a gzip file, or was cut short"),
    "no Parquet": ("log.parquet", b"arm,r\na,1\n", "not a Parquet file"),
    "cut Parquet": ("log.parquet", b"PAR1 and no more", "log.parquet cannot be read"),
    "a name twice": ("log.csv", b"arm,r,r\na,1,2\n", "more than one column named 'r'"),
    "an unknown kind": ("log.json", b"arm,r\na,1\n", "must be a file of .parquet, .csv"),
    "ragged": ("log.csv", b"arm,r\na,1,2,3\n", "log.csv cannot be read"),
    "nothing usable": ("log.csv", b"arm,r\na,\n,1\n", "log.csv has no usable rows: 1 have no arm, 1 have no reward"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_of_nonsense_is_refused_in_a_sentence(tmp_path, case):
    name, content, message = FILES[case]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        hr.Log.read(tmp_path / name, arm="arm", reward="r")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", FRAMES)
def test_the_value_that_cannot_be_read_is_shown_wherever_it_stands(kind):
    frame = FRAMES[kind]({"arm": ["a"] * 5, "r": ["1", None, "-2.5e3", ".5", "many"]})
    for make in (hr.Log.read, hr.History.from_frame):
        with pytest.raises(ValueError, match="'r' must hold numbers, it holds String such as 'many'"):
            make(frame, arm="arm", reward="r")


def test_of_several_files_the_ragged_one_is_named(tmp_path):
    (tmp_path / "1.csv").write_text("arm,r\na,1\n")
    (tmp_path / "2.csv").write_text("\narm,r\nb,1\nb,2,3\n")
    with pytest.raises(ValueError, match="2.csv cannot be read: line 4 has 3 cells, the header 2"):
        hr.Log.read(tmp_path, arm="arm", reward="r")


def test_cells_too_many_are_noticed_behind_the_columns_in_use(tmp_path):
    (tmp_path / "log.csv").write_text("r,arm,note\n" + "1,b,x\n" * 1500 + "1,Tea, green,x\n")
    with pytest.raises(ValueError, match="line 1502 has 4 cells, the header 3; put cells with ',' in them into quotes"):
        hr.Log.read(tmp_path / "log.csv", arm="arm", reward="r")
    (tmp_path / "log.csv").write_text("r,arm,note\n" + "1,b,7\n" * 1500 + "1,b,x\n")  # a column nobody asks for
    assert hr.Log.read(tmp_path / "log.csv", arm="arm", reward="r").arm.size == 1501


def test_files_of_a_log_may_have_their_columns_in_any_order(tmp_path):
    (tmp_path / "1.csv").write_text("arm,r,day,more\n7,NA,2024-01-03,x\n")
    (tmp_path / "2.csv").write_text("r,day,arm\n0.5,2024-01-01,8\n1,2024-01-02,7\n")
    log = hr.Log.read(tmp_path, arm="arm", reward="r", time="day")
    assert ([log.arms[k] for k in log.arm], log.reward.tolist(), log.missing) == ([8, 7], [0.5, 1.0], {"no reward": 1})
    with pytest.warns(UserWarning, match="1 no reward"):
        assert hr.History.from_file(tmp_path, arm="arm", reward="r").plays(7) == 1.0
    (tmp_path / "3.csv").write_text("r,day\n0.5,2024-01-01\n")
    with pytest.raises(ValueError, match="3.csv has no column 'arm', which other files of the log have"):
        hr.Log.read(tmp_path, arm="arm", reward="r")
    with pytest.raises(ValueError, match="the log has no column 'ad'"):
        hr.Log.read(tmp_path, arm="ad", reward="r")


@pytest.mark.parametrize(
    ("name", "given"), [("log.csv", ";"), ("log.txt", "|"), ("log.txt", r"\t"), ("log.tsv", None), ("log.txt", ",")]
)
def test_text_files_may_have_another_separator(tmp_path, name, given):
    sign = {None: "\t", r"\t": "\t"}.get(given, given)
    rows, table = ("arm,r\na,1\nb,0\na,0\n".replace(",", sign), "arm,cluster\na,x\nb,y\n")
    (tmp_path / name).write_text(rows)
    for text in (table, table if given is None else table.replace(",", sign)):
        (tmp_path / "clusters.csv").write_text(text)
        log = hr.Log.read(tmp_path / name, arm="arm", reward="r", clusters=tmp_path / "clusters.csv", separator=given)
        assert (log.arms, log.clusters, log.reward.tolist()) == (("a", "b"), ("x", "y"), [1.0, 0.0, 0.0])
    assert hr.History.from_file(tmp_path / name, arm="arm", reward="r", separator=given).plays("a") == 2.0


@pytest.mark.parametrize("separator", ["", ";;", "\n", '"', "\u00a6"])
def test_a_separator_is_one_character(tmp_path, separator):
    (tmp_path / "log.csv").write_text("arm,r\na,1\n")
    with pytest.raises(ValueError, match="separator must be one character, such as ';', got"):
        hr.Log.read(tmp_path / "log.csv", arm="arm", reward="r", separator=separator)


def test_a_file_of_clusters_may_nest_them(tmp_path):
    (tmp_path / "tree.csv").write_text("item,dept,sub,size\nb,food,fruit,1\na,food,bread,2\nc,toys,cars,3\n")
    frame = pl.DataFrame({"arm": ["a", "b", "c"], "r": [1, 0, 1]})
    log = hr.Log.read(frame, arm="arm", reward="r", clusters=f"{tmp_path}/tree.csv:item,dept,sub")
    assert log.clusters == (("food", "bread"), ("food", "fruit"), ("toys", "cars"))
    assert hr.Log.read(frame, arm="arm", reward="r", clusters=f"{tmp_path}/tree.csv:item,dept").clusters == (
        "food",
        "food",
        "toys",
    )


def test_a_file_of_clusters_with_semicolons_is_recognised(tmp_path):
    (tmp_path / "tree.csv").write_text("arm;cluster\na;x\n")
    with pytest.raises(ValueError, match="tree.csv has no column 'arm', 'cluster'.* separated by ';': give separator=';'"):
        hr.Log.read(pl.DataFrame({"arm": ["a"], "r": [1]}), arm="arm", reward="r", clusters=tmp_path / "tree.csv")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_name_with_brackets_is_that_of_one_file(tmp_path, ending):
    frame, place = pl.DataFrame({"ad": ["a", "b"], "r": [1.0, 0.0]}), tmp_path / f"log[1].{ending}"
    frame.write_csv(place) if ending == "csv" else frame.write_parquet(place)
    assert hr.Log.read(place, arm="ad", reward="r").arms == ("a", "b")


def test_files_that_are_not_there(tmp_path):
    for path, message in [(tmp_path / "no.csv", "there is no file"), (tmp_path, "has no files"), (tmp_path / "*.csv", "no file")]:
        with pytest.raises(ValueError, match=message):
            hr.Log.read(path, arm="arm", reward="r")
    (tmp_path / "a.csv").write_text("arm,r\na,1\n")
    (tmp_path / "b.tsv").write_text("arm\tr\na\t1\n")
    with pytest.raises(ValueError, match="must be of one kind, got .csv, .tsv"):
        hr.Log.read(tmp_path, arm="arm", reward="r")


ENORMOUS = """
import sys, hedgerow as hr
try:
    hr.Log.read(sys.argv[1], arm="arm", reward="r")
except ValueError as error:
    print(error)
with open("/proc/self/status") as status:  # ru_maxrss would hold the peak of the process that started this one
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_one_enormous_line_takes_little_memory(tmp_path):
    for start in (b"", b"arm,r\n"):
        with (tmp_path / "log.csv").open("wb") as file:
            file.write(start)
            for _ in range(1000):
                file.write(b"x" * 1_000_000)
        done = subprocess.run([sys.executable, "-c", ENORMOUS, tmp_path / "log.csv"], capture_output=True, text=True, check=True)
        message, peak = done.stdout.splitlines()
        assert "has a line of more than" in message
        assert int(peak) < 1_000_000  # kilobytes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": {"a": "x"}}, "1 of 2 arms of the log have no cluster: 'b'"),
        ({"clusters": {"x": ["a", "b"]}}, "'x' is given .*: give arm -> label"),
        ({"clusters": "mixed"}, "puts arm 'a' into two clusters"),
        ({"clusters": 3}, "clusters must be a mapping"),
        ({"clusters": ""}, "clusters must be a mapping"),
        ({"clusters": "nowhere.csv"}, "clusters 'nowhere.csv' is neither a column of the log nor a file"),
        ({"propensity": "p"}, "must be above 0 and at most 1, column 'p' has 2"),
        ({"propensity": "mixed"}, "'mixed' must hold numbers.* such as 'x'"),
        ({"propensity": "r"}, "column 'r' is given twice, as reward and propensity"),
        ({"clusters": "r"}, "column 'r' is given twice, as reward and clusters; each column plays one role"),
        ({"clusters": "arm"}, "column 'arm' is given twice, as arm and clusters"),
        ({"clusters": "mixed", "context": "mixed"}, "column 'mixed' is given twice, as context and clusters"),
        ({"context": "day"}, "'day' must hold numbers, truth values or text"),
        ({"time": "mixed"}, "'mixed' must hold times or numbers"),
        ({"context": ["nothing"]}, "no column 'nothing'"),
    ],
)
def test_bad_columns(options, message):
    day = dt.date(2024, 1, 1)
    frame = pl.DataFrame({"arm": ["b", "a", "a"], "r": [1, 1, 2], "p": [1, 1, 2], "mixed": ["x", "x", "y"], "day": [day] * 3})
    with pytest.raises(ValueError, match=message):
        hr.Log.read(frame, **{"arm": "arm", "reward": "r", **options})


def test_of_a_date_that_does_not_start_with_the_year_nobody_can_tell_the_month(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("day,arm,r\n01/02/2024,a,1\n02/01/2024,b,0\n")
    with pytest.raises(ValueError, match="text such as '01/02/2024': write times as 2024-02-01"):
        hr.Log.read(path, arm="arm", reward="r", time="day")
    path.write_text("day,arm,r\n2024-01-01,a,1\n2024-01-02T10:00,b,0\n7,b,1\nsoon,b,0\n")
    with pytest.raises(ValueError, match="text such as '7'"):
        hr.Log.read(path, arm="arm", reward="r", time="day")
    path.write_text("day,arm,r\n01/02/2024,a,1\n02/01/2024,b,0\n")
    assert hr.Log.read(path, arm="day", reward="r").arms == ("01/02/2024", "02/01/2024")
    path.write_text("day,arm,r\n,a,1\n2024-02-01,a,1\n2024-01-02,b,0\n")
    log = hr.Log.read(path, arm="arm", reward="r", time="day")
    assert ([log.arms[k] for k in log.arm], log.missing) == (["b", "a"], {"no time": 1})


def test_two_columns_of_the_same_name():
    for frame in (pd.DataFrame([[1, 2]], columns=["a", "a"]), duckdb.sql("select 1 as a, 2 as a")):
        with pytest.raises(ValueError, match="two columns of the same name.*'a'"):
            hr.Log.read(frame, arm="a", reward="b")


@pytest.mark.parametrize("source", [{"arm": [1]}, None, 3])
def test_what_is_no_frame(source):
    with pytest.raises(ValueError, match="a log must be a data frame"):
        hr.Log.read(source, arm="arm", reward="r")


def test_a_column_of_mixed_objects():
    with pytest.raises(ValueError, match="'r' must hold numbers.* such as 'many'"):
        hr.Log.read(pd.DataFrame({"arm": ["a", "b"], "r": [1, "many"]}), arm="arm", reward="r")


def test_codes_with_leading_zeros_stay_what_they_are(tmp_path):
    """01, 1 and 001 are three arms; plain whole numbers stay numbers."""
    path = tmp_path / "log.csv"
    path.write_text("sku,bought,shop\n01,1,7\n1,0,7\n001,1,8\n1,1,8\n")
    assert sorted(hr.Log.read(path, arm="sku", reward="bought").arms) == ["001", "01", "1"]
    history = hr.History.from_file(path, arm="sku", reward="bought")
    assert {arm: history.plays(arm) for arm in history.arms} == {"01": 1.0, "1": 2.0, "001": 1.0}
    assert sorted(hr.Log.read(path, arm="shop", reward="bought").arms) == [7, 8]


def test_a_log_read_row_by_row_is_a_history_too():
    frame = pl.DataFrame(
        {"ad": ["a", "b", "a", "c", None], "click": [1.0, 0.0, 0.5, 2.0, 1.0], "age": [31, 45, 28, 60, 5], "city": list("OROOR")}
    )
    names = {"arm": "ad", "reward": "click", "context": ["age", "city"]}
    log = hr.Log.read(frame, clusters={"a": "x", "b": "x", "c": "y", "d": "y"}, **names)
    for scale in (False, True):
        with pytest.warns(UserWarning, match="no arm"):
            summed = hr.History.from_frame(frame.sort("ad", nulls_last=True), scale=scale, **names)
        history = hr.History.from_log(log, scale=scale)
        assert history.arms == ("a", "b", "c")
        assert history.missing == {"no arm": 1}
        assert history.encoding.names == summed.encoding.names
        np.testing.assert_allclose(history.sums, summed.sums, atol=1e-12)
    plain = hr.History.from_log(hr.Log.read(frame, arm="ad", reward="click"))
    assert plain.dimension is None
    assert hr.Auto(log.arms, clusters=log.clusters, history=plain).history.sums[:, 0].tolist() == [2.0, 1.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="from_frame takes a frame"):
        hr.History.from_log(frame)


@pytest.mark.parametrize(
    "arms", [("1.1", "1.10"), ("1e5", "100000.0"), ("2024-01-01", "2024-01-02"), ("12345678901234567890", "12345678901234567891")]
)
def test_arms_of_a_text_file_stay_what_they_are(arms, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("ad,click\n" + "".join(f"{arm},{click}\n" for arm in arms for click in (0, 1, 1)))
    assert hr.Log.read(path, arm="ad", reward="click").arms == arms
    assert set(hr.History.from_file(path, arm="ad", reward="click").arms) == set(arms)


def test_long_ids_that_are_numbers_stay_numbers(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("ad,click\n1234567890123456789,1\n9223372036854775807,0\n")
    assert hr.Log.read(path, arm="ad", reward="click").arms == (1234567890123456789, 9223372036854775807)
    path.write_text("ad,click\n1234567890123456789,1\n9999999999999999999,0\n")
    assert hr.Log.read(path, arm="ad", reward="click").arms == ("1234567890123456789", "9999999999999999999")


def test_a_pattern_of_folders_names_no_file(tmp_path):
    (tmp_path / "logs-1").mkdir()
    with pytest.raises(ValueError, match="only folders: name one of them"):
        hr.Log.read(str(tmp_path / "logs-*"), arm="ad", reward="click")


def test_a_repeated_column_is_found_below_blank_lines(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("\nad,click,click\na,1,0\n")
    with pytest.raises(ValueError, match="more than one column named 'click'"):
        hr.Log.read(path, arm="ad", reward="click")


def test_times_may_be_text_as_iso_8601_writes_them():
    days = ["2024-02-01T13:45:00", "2024-02-01 13:44:00+00:00", "2024-01-31"]
    log = hr.Log.read(pl.DataFrame({"a": ["x", "y", "z"], "r": [1, 2, 3], "t": days}), arm="a", reward="r", time="t")
    assert log.reward.tolist() == [3.0, 2.0, 1.0]
    assert log.time[2] - log.time[1] == 60.0


def test_of_a_long_file_with_one_odd_cell_times_are_read_too(tmp_path):
    lines = [f"2024-01-01T00:{n // 60:02}:{n % 60:02},{n % 3},1" for n in range(3000)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["t,a,r", *lines, "2024-01-01,x,0.5"]))
    log = hr.Log.read(path, arm="a", reward="r", time="t")
    assert log.arms[log.arm[0]] in ("0", "x")
    assert log.time[-1] - log.time[0] == 2999.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "n.a.", "-"], "String such as 'n.a.' in 2 rows: leave such cells empty"),
        (["1", "1,5", "2"], "such as '1,5': write 1.5 for it"),
        (["1", "0", "1"], "text such as '1': make numbers of it first"),
        (["1", "yes", "no"], "such as 'yes': write 1 and 0 for it"),
    ],
)
def test_rewards_that_are_no_numbers_come_with_a_way_out(values, message):
    with pytest.raises(ValueError, match=message):
        hr.Log.read(pl.DataFrame({"a": [1, 2, 3], "r": values}), arm="a", reward="r")


def test_arms_that_the_clusters_leave_out_may_share_one(tmp_path):
    frame = pl.DataFrame({"a": ["x", "y", "z"], "r": [1, 2, 3]})
    names = {"arm": "a", "reward": "r"}
    with pytest.raises(ValueError, match="2 of 3 arms of the log have no cluster: 'y', 'z'; .* unlisted='rest'"):
        hr.Log.read(frame, **names, clusters={"x": "blue"})
    log = hr.Log.read(frame, **names, clusters={"x": "blue", "w": "blue"}, unlisted="rest")
    assert (log.arms, log.clusters) == (("x", "y", "z", "w"), ("blue", "rest", "rest", "blue"))
    with pytest.raises(ValueError, match="give clusters, too"):
        hr.Log.read(frame, **names, unlisted="rest")


def test_clusters_may_be_a_series_and_no_frame():
    frame = pl.DataFrame({"a": ["x", "y"], "r": [1, 2]})
    series = pd.Series({"x": "blue", "y": "red"})
    assert hr.Log.read(frame, arm="a", reward="r", clusters=series).clusters == ("blue", "red")
    for use in (
        lambda table: hr.Log.read(frame, arm="a", reward="r", clusters=table),
        lambda table: hr.UCBC(["x", "y"], clusters=table),
    ):
        with pytest.raises(ValueError, match="clusters must (be|name)"):
            use(series.reset_index())


@pytest.mark.parametrize(
    ("arms", "clusters", "named"), [([" a", "a", "b"], None, "arms ' a' and 'a'"), ("abc", "Xxy", "clusters 'X'")]
)
def test_labels_that_differ_in_blanks_or_case_are_pointed_out(arms, clusters, named):
    frame = pl.DataFrame({"arm": list(arms), "r": [1, 0, 1]})
    table = None if clusters is None else dict(zip(arms, clusters, strict=True))
    with pytest.warns(UserWarning, match=f"^{named}.* differ in blanks or case only: they count as two"):
        hr.Log.read(frame, arm="arm", reward="r", clusters=table)


def test_a_frame_of_clusters_is_refused_with_the_way_out():
    frame = pl.DataFrame({"arm": ["a", "b"], "r": [1, 0]})
    with pytest.raises(ValueError, match=re.escape("give dict(zip(frame['product'], frame['kind'])), if these are")):
        hr.Log.read(frame, arm="arm", reward="r", clusters=pl.DataFrame({"product": ["a", "b"], "kind": ["x", "y"]}))


def test_a_column_of_text_is_not_the_right_one():
    frame = pl.DataFrame({"arm": ["a", "b"], "topic": ["x", "y"]})
    with pytest.raises(ValueError, match="'topic' must hold numbers, it holds text such as 'x': is it the right column?"):
        hr.Log.read(frame, arm="arm", reward="topic")


def test_contexts_with_leading_zeros_are_codes(tmp_path):
    place = tmp_path / "log.csv"
    place.write_text("arm,r,zip,age\n" + "a,1,1000,30\n" * 1500 + "b,0,0101,40\n")
    names = dict(arm="arm", reward="r", context=["zip", "age"])
    assert hr.History.from_file(place, **names).encoding.names == ("zip=0101", "zip=1000", "age")
    log = hr.Log.read(place, **names)
    assert (log.context["zip"][-1], log.context["age"][-1]) == ("0101", 40.0)


def test_a_table_of_sums_per_arm_is_pointed_out():
    """Each arm has one row, and a column counts its rounds: it would be read as one round an arm."""
    frame = pl.DataFrame({"ad": ["a", "b", "c"], "clicks": [5, 2, 0], "count": [50, 40, 30]})
    with pytest.warns(UserWarning, match=r"each arm has one row, and column 'count' .* hedgerow.History.from_sums takes sums"):
        hr.Log.read(frame, arm="ad", reward="clicks")
    with pytest.warns(UserWarning, match="each arm has one row"):
        hr.History.from_frame(frame, arm="ad", reward="clicks")
    hr.Log.read(pl.concat([frame, frame]), arm="ad", reward="clicks")
    hr.Log.read(frame.drop("count"), arm="ad", reward="clicks")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ad,click\ra,1\rb,0\r", "log.csv cannot be read: its lines end with a bare carriage return; save it with the line ends"),
        (f"ad,click,{'x' * 140_000}\na,1,1\n", "log.csv cannot be read: its first line is no header"),
    ],
    ids=["carriage returns", "long header"],
)
def test_a_first_line_that_is_no_header_is_refused_in_a_sentence(tmp_path, text, message):
    (tmp_path / "log.csv").write_bytes(text.encode())
    with pytest.raises(ValueError, match=message):
        hr.Log.read(tmp_path / "log.csv", arm="ad", reward="click")


def test_columns_are_found_in_linear_time(tmp_path):
    """Twice as many columns may take twice as long, not four times: counted in comparisons of names, not in seconds."""

    class Name(str):
        __slots__ = ()
        compared = 0
        __hash__ = str.__hash__

        def __eq__(self, other):
            Name.compared += 1
            return str.__eq__(self, other)

    frame = pl.DataFrame({f"x{k}": [1.0] for k in range(2000)} | {"ad": ["a"], "r": [1.0]})
    hr.Log.read(frame, arm=Name("ad"), reward=Name("r"), context=[Name(f"x{k}") for k in range(2000)])
    assert Name.compared < 100_000
