"""Histories: the query that computes one where the log lies."""

from typing import Annotated

import typer

from . import app


@app.command("sql")
def _sql(
    table: Annotated[str, typer.Argument(help="Name of a table with dots between its parts, or a query in parentheses.")],
    arm: Annotated[str, typer.Option(help="Column of arms.")],
    reward: Annotated[str, typer.Option(help="Column of rewards.")],
    context: Annotated[list[str] | None, typer.Option(help="Column of numbers; give it again for each.")] = None,
    dialect: Annotated[str, typer.Option(help="duckdb, spark, bigquery, snowflake or postgres.")] = "duckdb",
) -> None:
    """Print the GROUP BY that computes a history inside a database.

    hedgerow.History.from_sums takes its result, as a frame. Names are quoted exactly as they are given.

    Example: hedgerow sql shop.clicks --arm ad --reward click --context age --context visits --dialect bigquery
    """
    from ..data.history import History

    print(History.sql(table, arm=arm, reward=reward, context=context, dialect=dialect), end="")
