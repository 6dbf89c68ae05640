"""Pages and parts of pages from templates, which escape whatever they are given."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import extras

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

    from .tables import Table

PACKAGE_FOLDER = Path(__file__).parents[1]


def rendered(template: str, **values: Any) -> str:
    """A page, or a part of one.

    Args:
        template: the template's path in the package.
        **values: what the template shows; each is escaped, unless it has an ``__html__`` of its own.

    Returns:
        HTML.
    """
    return _environment().get_template(template).render(**values)


def notebook(title: str, *, lines: Sequence[str] = (), table: "Table | None" = None, below: Sequence[str] = ()) -> str | None:
    """What a notebook shows of a value.

    Args:
        title: Its first line.
        lines: Sentences under it.
        table: A table under these.
        below: Sentences under the table.

    Returns:
        HTML, everything in it escaped; None without Jinja2, and the notebook shows the text.
    """
    if find_spec("jinja2") is None:
        return None
    return rendered("present/notebook.html", title=title, lines=lines, table=table, below=below)


def drawing(figure: "Figure") -> Any:
    """A figure for a template, which takes it as it is.

    Args:
        figure: the figure; its texts are escaped by matplotlib.

    Returns:
        SVG in the colour of the text around it.
    """
    from markupsafe import Markup

    from .plots import svg

    return Markup(svg(figure))


@cache
def _environment() -> "Environment":
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise extras.absent("a page", "jinja2", "plot") from error

    loader = FileSystemLoader(PACKAGE_FOLDER)
    return Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
