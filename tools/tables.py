"""Write the table of rules in docs/algorithms.md from the registry: `make tables`. A test holds its rows to the registry."""

from pathlib import Path

from hedgerow.policies.registry import load_all

PAGE = Path(__file__).parents[1] / "docs" / "algorithms.md"
START, END = "<!-- rules: written by make tables -->\n", "<!-- end of rules -->\n"


def rows() -> list[str]:
    """A line for each rule: its name, its constructor, its formula, who found it."""
    cells = [
        (f"`rules.{kind.name}({', '.join(kind.parameters)})`", f"`{kind.title}`" if kind.title else "", kind.summary, kind.source)
        for kind in sorted(load_all().values(), key=lambda kind: kind.name)
    ]
    return ["| " + " | ".join(line) + " |\n" for line in cells]


def table() -> str:
    """The table as it stands between its marks."""
    return "".join(["| rule | policy | formula | source |\n", "|---|---|---|---|\n", *rows()])


def main() -> None:
    """Write the table into the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{START}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
