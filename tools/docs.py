"""Put the documentation together, run its gallery, build the site, and check its links.

    python tools/docs.py          everything, into site/
    python tools/docs.py gallery  run the examples of docs/gallery and nothing else

Pages are those of docs/, with CHANGELOG.md and CONTRIBUTING.md. A script of the gallery is a notebook in the percent format (its
cells begin with `# %%`, Jupytext and most editors open it as a notebook); each is run in a process of its own, and its page shows
its text, its code, what it prints and its figures. The page of the command line is what `hedgerow COMMAND --help` prints.
"""

import inspect
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]
DOCS, BUILT, SITE = ROOT / "docs", ROOT / "build" / "docs", ROOT / "site"
PROJECT_PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
WIDTH = "88"
"""Columns of the command line's help."""


class Cell(NamedTuple):
    """A cell of a script: text or code."""

    text: bool
    source: str


def cells(script: str) -> list[Cell]:
    """The cells of a script in the percent format."""
    found = []
    for part in re.split(r"^# %%", script, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        text = "[markdown]" in head
        lines = [line.removeprefix("#").removeprefix(" ") for line in body.splitlines()] if text else body.splitlines()
        found.append(Cell(text, "\n".join(lines).strip()))
    return found


def shown(path: Path) -> None:
    """Run a script cell by cell, and write its page and figures beside each other."""
    import contextlib
    import io

    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    names: dict[str, object] = {"__name__": "__main__"}
    page, out, seen = [], BUILT / "gallery", set()
    for number, cell in enumerate(cells(path.read_text(encoding="utf-8"))):
        if cell.text:
            page.append(cell.source)
            continue
        page.append(f"```python\n{cell.source}\n```")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(cell.source, f"{path.name}, cell {number}", "exec"), names)
        if text := said.getvalue().rstrip():
            page.append(f"```text\n{text}\n```")
        for figure in [value for value in names.values() if isinstance(value, Figure) and id(value) not in seen]:
            name = f"{path.stem}-{number}.png"
            figure.savefig(out / name, dpi=110)
            page.append(f"![{path.stem.replace('_', ' ')}]({name})")
            seen.add(id(figure))
    page.append(f"[The script]({path.name}), a notebook in the percent format.")
    (out / f"{path.stem}.md").write_text("\n\n".join(page) + "\n", encoding="utf-8")


def gallery() -> None:
    """Run every example, and write the page that shows all of them."""
    (BUILT / "gallery").mkdir(parents=True, exist_ok=True)
    cards = []
    for path in sorted((DOCS / "gallery").glob("*.py")):
        subprocess.run([sys.executable, "-W", "error", __file__, "run", str(path)], check=True, cwd=ROOT)
        shutil.copy(path, BUILT / "gallery")
        title, _, said = cells(path.read_text(encoding="utf-8"))[0].source.partition("\n")
        figure = sorted((BUILT / "gallery").glob(f"{path.stem}-*.png"))[0].name
        first = " ".join(said.strip().split("\n\n")[0].split())
        cards.append(f"- [![]({figure})]({path.stem}.md)\n\n    **[{title.lstrip('# ')}]({path.stem}.md)**\n\n    {first}")
        print(f"ran {path.name}", flush=True)
    head = "# Gallery\n\nShort scripts that run in seconds. Each is a notebook, too, and runs whenever the site is built.\n\n"
    body = '<div class="cards" markdown>\n\n' + "\n\n".join(cards) + "\n\n</div>\n"
    (BUILT / "gallery" / "index.md").write_text(head + body, encoding="utf-8")


def command_line() -> str:
    """The help of every command."""
    page = ["# Command line", 'Installed by `pip install "hedgerow[cli]"`.']
    environment = {**os.environ, "COLUMNS": WIDTH, "TERMINAL_WIDTH": WIDTH}

    def told(*command: str) -> str:
        whole = [sys.executable, "-m", "hedgerow", *command, "--help"]
        text = subprocess.run(whole, env=environment, capture_output=True, text=True, check=True).stdout
        page.append(f"## hedgerow {' '.join(command)}".rstrip() + f"\n\n```text\n{text.strip()}\n```")
        return text

    for name in re.findall(r"^  ([a-z][a-z-]*)\b", told().partition("Commands:")[2], flags=re.MULTILINE):
        told(name)
    return "\n\n".join(page) + "\n"


def registered_rules() -> str:
    """The constructors that registering a rule makes: their docstrings exist at run time only."""
    import hedgerow as hr
    from hedgerow.policies.registry import load_all

    parts = []
    for kind in sorted(load_all().values(), key=lambda kind: kind.title):
        make = getattr(hr, kind.title) if kind.title else None
        if make is None or not make.__module__.endswith(f".{kind.name}"):
            continue
        head, _, rest = (make.__doc__ or "").partition("Args:\n")
        arguments, _, after = rest.partition("\n\nReturns:")
        rows = [
            f"| `{name.strip()}` | {said.replace('|', chr(92) + '|')} |" for name, _, said in map(_halves, arguments.splitlines())
        ]
        example = "\n".join(line[4:] for line in after.partition("Examples:\n")[2].splitlines())
        signature = f"```python\nhr.{kind.title}{inspect.signature(make)}\n```"
        table = "\n".join(["| parameter | meaning |", "|---|---|", *rows])
        parts.append(f"## {kind.title}\n\n{signature}\n\n{head.strip()}\n\n{table}\n\n```pycon\n{example.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def _halves(line: str) -> tuple[str, str, str]:
    return line.partition(": ")


def put_together() -> None:
    """All pages into build/docs."""
    shutil.rmtree(BUILT, ignore_errors=True)
    shutil.copytree(DOCS, BUILT, ignore=shutil.ignore_patterns("gallery", "__pycache__", "conftest.py"))
    for name, page in PROJECT_PAGES.items():
        (BUILT / page).write_text((ROOT / name).read_text(encoding="utf-8").replace("](docs/", "]("), encoding="utf-8")
    with (BUILT / "reference" / "policies.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{registered_rules()}")
    (BUILT / "reference" / "cli.md").write_text(command_line(), encoding="utf-8")
    (BUILT / "reference" / "http.md").write_text(http_calls(), encoding="utf-8")
    gallery()


def http_calls() -> str:
    """Every call of the decision service, from its OpenAPI document."""
    from hedgerow.service import openapi
    from hedgerow.service.app import CALLS

    said = [
        "# HTTP",
        "Every call of [the decision service](../service.md), from its OpenAPI document, which it serves at `/openapi.json`.",
        "",
    ]
    said += ["| call | what it does | answers |", "|---|---|---|"]
    for path, methods in openapi.document(CALLS)["paths"].items():
        for method, call in methods.items():
            statuses = ", ".join(sorted(call["responses"]))
            said.append(f"| `{method.upper()} {path}` | {call.get('summary', '')} | {statuses} |")
    return "\n".join(said) + "\n"


class Links(HTMLParser):
    """The places that a page links to, and those that can be linked to in it."""

    def __init__(self, page: Path):
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to and what it is called."""
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.targets.append(value)
            if value and name in ("id", "name"):
                self.places.add(value)


def broken() -> list[str]:
    """Links of the site that lead nowhere, and what it would load from elsewhere."""
    pages = {page.resolve(): Links(page) for page in SITE.rglob("*.html") if page.name != "404.html"}
    found = []
    for page, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            there = there / "index.html" if there.is_dir() else there
            place = unquote(parts.fragment)
            if not there.exists() or (place and there in pages and place not in pages[there].places):
                found.append(f"{page.relative_to(SITE.resolve())}: {target}")
    return found


def main() -> None:
    """Build and check."""
    put_together()
    subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "--strict"], check=True, cwd=ROOT)
    if lost := broken():
        sys.exit("links that lead nowhere:\n" + "\n".join(lost))
    print("read site/index.html; every link in it leads somewhere")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", script]:
            shown(Path(script))
        case ["gallery"]:
            gallery()
        case _:
            main()
