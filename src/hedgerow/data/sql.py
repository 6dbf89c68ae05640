"""The GROUP BY of a history as SQL, to be run where the log lies, and the table it gives."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import as_label, shown
from ..core.sums import PLAYS
from ..core.types import Floats, Label
from .aged_rows import Aging
from .columns import as_frame, check_numbers, collected, doubles
from .context_column import Column
from .encoding import Encoding, column_names
from .group_by import Sums, check_finite
from .roles import ColumnRoles, absent_from

REASON_COLUMNS = {
    "missing_arm": "no arm",
    "missing_reward": "no reward",
    "missing_context": "no context",
    "missing_time": "no time",
}
"""Columns that count rows left out, and what History.missing calls them."""

NEWEST = "newest"
"""Column of the time of the newest row, the same for all arms."""


class Dialect(NamedTuple):
    """How an engine writes names, texts, doubles, and the test for NaN.

    Args:
        quote: the sign around a name.
        name_escapes: what stands for a sign within a name.
        text_escapes: what stands for a sign within a text.
        double: the type of doubles.
        is_nan: the test for NaN, with {} for a number.
    """

    quote: str
    name_escapes: dict[str, str]
    text_escapes: dict[str, str]
    double: str
    is_nan: str

    def name(self, name: str) -> str:
        """A name in quotes.

        Args:
            name: the name as the user gives it.

        Returns:
            The name as the engine reads it back.
        """
        return self.quote + "".join(self.name_escapes.get(character, character) for character in name) + self.quote

    def text(self, text: str) -> str:
        """A text in quotes.

        Args:
            text: the text.

        Returns:
            The text as the engine reads it back.
        """
        return "'" + "".join(self.text_escapes.get(character, character) for character in text) + "'"

    def table(self, table: str) -> str:
        """A table: names with dots between them, each of them quoted, or a query in parentheses as it is.

        Args:
            table: the table as the user gives it.

        Returns:
            What stands after FROM.

        Raises:
            ValueError: if it is neither.
        """
        table = table.strip()
        if table.startswith("("):
            bare = self._unquoted(table)
            depths = list(accumulate((sign == "(") - (sign == ")") for sign in bare))
            if ";" in bare or 0 in depths[:-1] or depths[-1:] != [0]:
                raise ValueError(f"a query must be one pair of parentheses around it, got {table!r:.200}")
            if mark := re.search(r"--|/\*|\$\w*\$" + ("|#" if self.quote == "`" else ""), bare):
                raise ValueError(f"a query must have no comments and no dollar quotes, got {mark[0]!r} in {table!r:.200}")
            return table
        if any(part.isspace() for part in table) and table.split()[0].upper() in ("SELECT", "WITH"):
            raise ValueError(f"a query must stand in parentheses: ({table})")
        parts = table.split(".")
        if not all(part.strip() for part in parts):
            raise ValueError(f"table must be a name such as shop.clicks, or a query in parentheses, got {table!r}")
        return ".".join(self.name(part) for part in parts)

    def _unquoted(self, query: str) -> str:
        """A query without its quotes and what is in them. What a comment hides may be a quote, so that comments are refused."""
        escaped = r"(?:[^\\{0}]|\\.)*" if "\\" in self.text_escapes else r"[^{0}]*"
        quoted = "|".join(mark + escaped.format(mark) + mark for mark in ("'", '"', "`"))
        return re.sub(quoted, " ", query, flags=re.DOTALL)


_DOUBLED_QUOTE = {"'": "''"}
_BACKSLASH = {"\\": "\\\\", "'": "\\'"}
DIALECTS = {
    "duckdb": Dialect('"', {'"': '""'}, _DOUBLED_QUOTE, "DOUBLE", "isnan({})"),
    "spark": Dialect("`", {"`": "``"}, _BACKSLASH, "DOUBLE", "isnan({})"),
    "bigquery": Dialect("`", {"\\": "\\\\", "`": "\\`"}, _BACKSLASH, "FLOAT64", "IS_NAN({})"),
    "snowflake": Dialect('"', {'"': '""'}, {"\\": "\\\\", "'": "''"}, "DOUBLE", "{} = 'NaN'::DOUBLE"),
    "postgres": Dialect('"', {'"': '""'}, _DOUBLED_QUOTE, "DOUBLE PRECISION", "{} = 'NaN'::DOUBLE PRECISION"),
}


def sum_names(dimension: int) -> list[str]:
    """The columns of a table of sums, in the order of a history's rows.

    Args:
        dimension: how many numbers a context has.

    Returns:
        Their names.
    """
    each = range(1, dimension + 1)
    products = [f"xx_{i}_{j}" for i in each for j in range(1, i + 1)]
    return ["plays", "total", "squares", *(f"rx_{i}" for i in each), *products, *(f"x_{i}" for i in each)]


def statement(
    table: str, roles: ColumnRoles, context: str | Sequence[str] | Encoding | None, dialect: str, aging: Aging | None = None
) -> str:
    """The query whose result :func:`read_sums` takes.

    Args:
        table: a name, or a query in parentheses.
        roles: columns of the arm and of the reward.
        context: columns of numbers, or an encoding.
        dialect: one of ``DIALECTS``.
        aging: how rows age, if there is a column of times.

    Returns:
        The query.

    Raises:
        ValueError: if the dialect is not known, or a column has no name or two roles.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}, got {dialect!r}")
    form = DIALECTS[dialect]
    roles = replace(roles, context=column_names(context))
    for role, names in {"arm": [roles.arm], "reward": [roles.reward], "context": roles.context}.items():
        if not all(names):
            raise ValueError(f"{role} must name a column, got ''")
    roles.check()
    columns = context.columns if isinstance(context, Encoding) else tuple(Column(name) for name in roles.context)
    features = [feature for column in columns for feature in _features(form, column)]
    inputs = {"r": f"CAST({form.name(roles.reward)} AS {form.double})", **{f"x_{i}": x for i, x in enumerate(features, start=1)}}
    if aging is not None and roles.time is not None:
        inputs["t"] = f"CAST({form.name(roles.time)} AS {form.double})"
    reason, label = form.name("reason"), form.name("arm")
    usable = [f"CASE WHEN {reason} = 0 THEN {form.name(key)} END AS {form.name(key)}" for key in inputs]
    return f"""WITH logged AS (
  SELECT {_listed([f"{form.name(roles.arm)} AS {label}", *(f"{x} AS {form.name(key)}" for key, x in inputs.items())])}
  FROM {form.table(table)} AS source
), judged AS (
  SELECT logged.*, CASE {_reasons(form, list(inputs))} ELSE 0 END AS {reason}
  FROM logged
), usable AS (
  SELECT {_listed([label, reason, *usable])}
  FROM judged
){_weighed(form, aging)}
SELECT {_listed([label, *_sums(form, len(features), aging)])}
FROM {"usable" if aging is None else "weighed"}
GROUP BY {label}
"""


def _reasons(form: Dialect, inputs: Sequence[str]) -> str:
    """The cases in which a row is of no use, numbered as in ``REASON_COLUMNS``."""
    tests = [_unfit(form, "r"), " OR ".join(_unfit(form, key) for key in inputs if key not in ("r", "t"))]
    tests += [_unfit(form, "t")] if "t" in inputs else []
    return " ".join([f"WHEN {form.name('arm')} IS NULL THEN 1", *(f"WHEN {t} THEN {n}" for n, t in enumerate(tests, 2) if t)])


def _weighed(form: Dialect, aging: Aging | None) -> str:
    """One more step where rows age: what each weighs, beside the newest time."""
    if aging is None:
        return ""
    time, newest = form.name("t"), f"MAX({form.name('t')}) OVER ()"
    weight = "1e0" if aging.half_life is None else f"POWER(2e0, ({time} - {newest}) / {_literal(aging.half_life)})"
    return f""", weighed AS (
  SELECT usable.*, {weight} AS {form.name("w")}, {newest} AS {form.name("latest")}
  FROM usable
)"""


def _sums(form: Dialect, dimension: int, aging: Aging | None) -> list[str]:
    """One column for each of :func:`sum_names`, then one for each reason to leave a row out."""

    def counted(number: int, name: str) -> str:
        count = f"SUM(CASE WHEN {form.name('reason')} = {number} THEN 1 ELSE 0 END)"
        return f"CAST({count} AS {form.double}) AS {form.name(name)}"

    factors = {"total": ["r"], "squares": ["r", "r"]}
    for name in sum_names(dimension):
        kind, *numbers = name.split("_")
        if not numbers:
            continue
        factors[name] = [*(["r"] if kind == "rx" else []), *(f"x_{number}" for number in numbers)]
    weights = [] if aging is None else ["w"]
    sums = [
        f"COALESCE(SUM({' * '.join(form.name(factor) for factor in (*product, *weights))}), 0) AS {form.name(name)}"
        for name, product in factors.items()
    ]
    names = [name for name in REASON_COLUMNS if aging is not None or name != "missing_time"]
    reasons = [counted(number, name) for number, name in enumerate(names, start=1)]
    if aging is None:
        return [counted(0, "plays"), *sums, *reasons]
    plays = f"COALESCE(SUM(CASE WHEN {form.name('reason')} = 0 THEN {form.name('w')} END), 0) AS {form.name('plays')}"
    return [plays, *sums, *reasons, f"MAX({form.name('latest')}) AS {form.name(NEWEST)}"]


def _features(form: Dialect, column: Column) -> list[str]:
    raw = form.name(column.name)
    if column.levels is not None:
        return [f"CASE WHEN {raw} = {form.text(level)} THEN 1e0 ELSE 0e0 END" for level in column.levels]
    number = f"CAST({raw} AS {form.double})"
    if column == Column(column.name):
        return [number]
    return [f"({number} - ({_literal(column.mean)})) / {_literal(column.deviation)}"]


def _unfit(form: Dialect, key: str) -> str:
    name = form.name(key)
    return f"{name} IS NULL OR {form.is_nan.format(name)}"


def _literal(number: float) -> str:
    """A double to the last digit; without an exponent some engines would read a decimal."""
    text = repr(float(number))
    return text if "e" in text else f"{text}e0"


def _listed(items: Sequence[str]) -> str:
    return ",\n    ".join(items)


def _check_possible(labels: Sequence[Label], sums: Floats, dimension: int) -> None:
    """Refuse sums that no rewards have: fewer than no plays, or squares less than the mean demands (columns exchanged, say)."""
    named = dict(zip(sum_names(dimension), sums.T, strict=True))
    plays, total, squares = named["plays"], named["total"], named["squares"]
    for row in np.flatnonzero((plays < 0.0) | (squares * plays < total * total * (1.0 - 1e-6))).tolist():
        told = f"{plays[row]:g} plays, total {total[row]:g}, squares {squares[row]:g}"
        raise ValueError(f"no rewards can have the sums of arm {labels[row]!r}: {told}")
    for number in range(1, dimension + 1):
        _check_context(labels, named, number)


def _check_context(labels: Sequence[Label], named: dict[str, Floats], n: int) -> None:
    """Refuse sums that no context has: (sum x)^2 is at most plays times sum x^2, (sum r x)^2 sum r^2 times sum x^2."""
    product, square, total = (named[name] for name in (f"rx_{n}", f"xx_{n}_{n}", f"x_{n}"))
    room = square * (1.0 + 1e-6)
    wrong = (square < 0.0) | (total * total > named["plays"] * room) | (product * product > named["squares"] * room)
    for row in np.flatnonzero(wrong).tolist():
        sums = f"x_{n} {total[row]:g}, xx_{n}_{n} {square[row]:g}, rx_{n} {product[row]:g}, {named['plays'][row]:g} plays"
        raise ValueError(f"no contexts can have the sums of arm {labels[row]!r}: {sums}")


def read_sums(table: Any, arm: str) -> tuple[Sums, int, float | None]:
    """The sums of a table that the query has given.

    Args:
        table: a frame with a column of arms and the columns of :func:`sum_names`.
        arm: the column of arms.

    Returns:
        The sums, how many numbers a context has, and the newest time, if the table says it.

    Raises:
        ValueError: if a column is missing, or if no rewards or contexts have such sums.
    """
    data = as_frame(table)
    there = data.collect_schema().names()
    dimension = sum(re.fullmatch(r"x_\d+", name) is not None for name in there if name != arm)
    names = sum_names(dimension)
    if absent := absent_from(there, (arm, *names)):
        raise ValueError(f"a table of sums needs the columns {shown([arm, *names], 8)}; it lacks {shown(absent)}")
    counts = [name for name in REASON_COLUMNS if name in there]
    check_numbers(data, [*names, *counts])
    timed = [NEWEST] if NEWEST in there and arm != NEWEST else []
    rows = collected(data.select(arm, *names, *counts, *timed))
    newest = float(np.nanmax(doubles(rows[NEWEST]))) if timed and len(rows) else None
    missing = {REASON_COLUMNS[name]: int(np.nansum(doubles(rows[name]))) for name in counts}
    sums = np.column_stack([doubles(rows[name]) for name in names])
    played = sums[:, PLAYS] != 0.0  # a group of rows that were all left out, such as those without an arm
    labels = [as_label(label, "an arm label") for label, kept in zip(rows[arm].to_list(), played, strict=True) if kept]
    kept_sums: Floats = sums[played]
    check_finite(labels, kept_sums)
    _check_possible(labels, kept_sums, dimension)
    return Sums(labels, kept_sums, {reason: count for reason, count in missing.items() if count}), dimension, newest
