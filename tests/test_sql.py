"""The GROUP BY as SQL: run for real where an engine is at hand, parsed in the other dialects."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from engines import duckdb, sqlglot

import hedgerow as hr
from hedgerow.data.context_column import Column
from hedgerow.data.sql import DIALECTS, sum_names

rng = np.random.default_rng(1)
N = 300
LOG = pl.DataFrame(
    {
        'the "ad"': rng.choice(["a", "b", "c`d"], size=N),
        "it's a click": rng.random(N) < 0.3,
        "age": rng.normal(40, 10, size=N),
        "visits": rng.integers(5, size=N),
        "city": rng.choice(["Oslo", "l'Aquila", "back\\slash"], size=N),
    }
)
ROLES = {"arm": 'the "ad"', "reward": "it's a click"}
MIXED = hr.Encoding(
    (Column("age", mean=40.5, deviation=1e-5), Column("city", levels=("Oslo", "l'Aquila", "back\\slash")), Column("visits"))
)


def in_duckdb(query, log):
    with duckdb.connect() as connection:
        connection.register("log", log.to_arrow())
        return connection.sql(query).pl()


def assert_same(one, other):
    rows = {arm: other.sums[row] for row, arm in enumerate(other.arms)}
    assert set(one.arms) == set(rows)
    for row, arm in enumerate(one.arms):
        assert one.sums[row] == pytest.approx(rows[arm], rel=1e-10)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("context", [None, ["age", "visits"], MIXED], ids=["none", "numbers", "encoded"])
def test_a_query_gives_the_sums_of_the_frame(context, dialect):
    query = hr.History.sql("log", **ROLES, context=context, dialect=dialect)
    history = hr.History.from_sums(in_duckdb(query, LOG), context=context)
    expected = hr.History.from_frame(LOG, **ROLES, context=context)
    assert_same(history, expected)
    assert history.encoding == expected.encoding
    assert history.dimension == expected.dimension


def test_rows_that_lack_something_are_counted_in_columns():
    log = pl.DataFrame(
        {
            "ad": ["a", None, "a", "a", "b", "a"],
            "click": [1.0, 1.0, None, float("nan"), 1.0, 2.0],
            "age": [1.0, 1.0, 1.0, 1.0, None, 3.0],
        }
    )
    table = in_duckdb(hr.History.sql("log", arm="ad", reward="click", context="age"), log)
    with pytest.warns(UserWarning, match="left out: 1 no arm, 2 no reward, 1 no context"):
        history = hr.History.from_sums(table, context="age")
    assert (history.arms, history.sums.tolist()) == (("a",), [[2.0, 3.0, 5.0, 7.0, 10.0, 4.0]])
    assert history.missing == {"no arm": 1, "no reward": 2, "no context": 1}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("context", [None, ["age", "visits"], MIXED], ids=["none", "numbers", "encoded"])
def test_every_dialect_parses_and_names_what_was_asked(dialect, context):
    query = hr.History.sql("shop.log", **ROLES, context=context, dialect=dialect)
    parsed = sqlglot.parse_one(query, dialect=dialect)
    columns = {column.name for column in parsed.find_all(sqlglot.exp.Column)}
    assert {'the "ad"', "it's a click"} <= columns
    assert {literal.this for literal in parsed.find_all(sqlglot.exp.Literal)} >= ({"l'Aquila"} if context is MIXED else set())
    assert [table.sql(dialect=dialect, identify=False) for table in parsed.find_all(sqlglot.exp.Table) if table.db]
    expected = ["arm", "plays", "total", "squares"] if context is None else ["arm", "plays", "total", "squares", "rx_1"]
    assert parsed.named_selects[: len(expected)] == expected
    assert parsed.named_selects[-3:] == ["missing_arm", "missing_reward", "missing_context"]


def test_a_table_may_be_a_query():
    query = hr.History.sql("(SELECT * FROM log WHERE age > 40)", **ROLES)
    assert_same(hr.History.from_sums(in_duckdb(query, LOG)), hr.History.from_frame(LOG.filter(pl.col("age") > 40), **ROLES))


def test_the_command_prints_it():
    command = [sys.executable, "-m", "hedgerow", "sql", "shop.log", "--arm", "ad", "--reward", "click"]
    command += ["--context", "age", "--context", "visits", "--dialect", "spark"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == hr.History.sql("shop.log", arm="ad", reward="click", context=["age", "visits"], dialect="spark")
    done = subprocess.run([*command[:-1], "cobol"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "dialect must be one of duckdb, spark" in done.stderr


def test_tables_that_are_no_sums():
    sums = pl.DataFrame({"arm": ["a"], "plays": [2], "total": [1.0], "squares": [1.0]})
    assert hr.History.from_sums(sums).sums.tolist() == [[2.0, 1.0, 1.0]]
    assert hr.History.from_sums(sums.rename({"arm": "ad"}), arm="ad").arms == ("a",)
    for table, options, message in [
        (sums.drop("squares"), {}, "needs the columns 'arm', 'plays', 'total', 'squares'; it lacks 'squares'"),
        (sums.with_columns(x_1=1.0), {}, "it lacks 'rx_1', 'xx_1_1'"),
        (sums.with_columns(total=float("inf")), {}, "rewards must be finite, and below 1e.100, those of arm 'a'"),
        (sums.with_columns(total=pl.lit("many")), {}, "'total' must hold numbers"),
        (sums.with_columns(total=10.0), {}, "no rewards can have the sums of arm 'a': 2 plays, total 10, squares 1"),
        (sums.with_columns(squares=-1.0), {}, "no rewards can have the sums"),
        (pl.concat([sums, sums]), {}, "one row for each arm, there are several for 'a': add them up first"),
        (sums, {"context": ["age"]}, "the encoding gives 1 numbers"),
        (sums, {"arm": "ad"}, "it lacks 'ad'"),
    ]:
        with pytest.raises(ValueError, match=message):
            hr.History.from_sums(table, **options)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"reward": "ad"}, "column 'ad' is given twice, as arm and reward; each column plays one role"),
        ({"context": ["age", "click"]}, "column 'click' is given twice, as reward and context"),
        ({"context": hr.Encoding.of({"ad": np.ones(2)})}, "column 'ad' is given twice, as arm and context"),
        ({"arm": ""}, "arm must name a column, got ''"),
        ({"table": ""}, "table must be a name such as shop.clicks, or a query in parentheses, got ''"),
        ({"table": "shop..clicks"}, "got 'shop..clicks'"),
    ],
)
def test_a_query_of_nothing_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        hr.History.sql(**{"table": "clicks", "arm": "ad", "reward": "click", **given})


@pytest.mark.parametrize(("column", "value"), [("xx_1_1", -50.0), ("x_1", 300.0), ("rx_1", 1e6)])
def test_sums_that_no_contexts_have_are_refused(column, value):
    row = {"arm": "a", "plays": 5.0, "total": 3.0, "squares": 4.0, "rx_1": 2.0, "xx_1_1": 9.0, "x_1": 3.0}
    assert hr.History.from_sums(pl.DataFrame([row])).dimension == 1
    with pytest.raises(ValueError, match="no contexts can have the sums of arm 'a': x_1 "):
        hr.History.from_sums(pl.DataFrame([row | {column: value}]))


def test_the_squares_of_a_context_are_found_among_the_products():
    """x_2 is 300 in all five plays, x_1 nearly 0: only exchanged would they be impossible."""
    rng = np.random.default_rng(0)
    contexts = np.column_stack([rng.normal(0.0, 1e-3, 5), np.full(5, 300.0), rng.normal(size=5)])
    made = hr.History.from_rounds(arms=["a"] * 5, rewards=rng.normal(size=5), contexts=contexts)
    row = dict(zip(sum_names(3), made.sums[0].tolist(), strict=True))
    assert hr.History.from_sums(pl.DataFrame([{"arm": "a"} | row])).sums == pytest.approx(made.sums)
    with pytest.raises(ValueError, match="no contexts can have the sums of arm 'a': x_2 "):
        hr.History.from_sums(pl.DataFrame([{"arm": "a"} | row | {"xx_2_2": 1.0}]))


def test_an_arm_column_may_begin_as_sums_do():
    row = {"x_arm": "a", "plays": 5.0, "total": 3.0, "squares": 4.0}
    assert hr.History.from_sums(pl.DataFrame([row]), arm="x_arm").dimension is None


@pytest.mark.parametrize("name", ["a\\` FROM t; DROP TABLE x; --", "a` FROM t; --", 'a" FROM t; --', "a\\", "a'; --"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_name_closes_its_own_quotes(name, dialect):
    query = hr.History.sql("clicks", arm=name, reward="click", dialect=dialect)
    (parsed,) = sqlglot.parse(query, dialect=dialect)
    tables = {table.name for table in parsed.find_all(sqlglot.exp.Table)}
    assert tables == {"clicks", "logged", "judged", "usable"}


@pytest.mark.parametrize(
    "table", ["(SELECT 1); DROP TABLE x; --", "(SELECT 1) AS a, (SELECT 2)", "(SELECT ')'", "(SELECT 1; SELECT 2)"]
)
def test_a_query_is_one_pair_of_parentheses(table):
    with pytest.raises(ValueError, match="a query must be one pair of parentheses around it"):
        hr.History.sql(table, arm="ad", reward="click")
    query = "(SELECT ad, ')' AS x, \"a)\" AS click FROM (SELECT * FROM t))"
    assert query in hr.History.sql(query, arm="ad", reward="click")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "table",
    [
        "(SELECT 1 -- '\n); DROP TABLE x; -- ')",
        "(SELECT 1 /* ' */); DROP TABLE x; -- ')",
        "(SELECT $$'$$); DROP TABLE x; --$$'$$)",
    ],
)
def test_a_query_hides_nothing_in_comments(table, dialect):
    """A quote in a comment opens no text, so what follows it is no text either."""
    with pytest.raises(ValueError, match="a query must have no comments and no dollar quotes"):
        hr.History.sql(table, arm="ad", reward="click", dialect=dialect)


def test_signs_of_comments_may_stand_in_quotes():
    query = "(SELECT ad, '-- /* # $$' AS x, click FROM t)"
    assert query in hr.History.sql(query, arm="ad", reward="click", dialect="bigquery")
