"""One table, for a terminal, for Markdown and for a page."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .text import printable

GAP = "  "
NARROWEST_COLUMN = 12
"""Letters; a column of text is not wrapped below this."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under the names of columns.

    Args:
        columns: names of the columns.
        rows: the cells of each row, as many as there are columns.
        numbers: names of the columns whose cells stand at the right.

    Examples:
        >>> print(Table(("arm", "plays"), [("news", "12"), ("sport", "7")], numbers=("plays",)))
        arm    plays
        news      12
        sport      7
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[str] = ()

    def text(self, width: int | None = None) -> str:
        """The table for a terminal.

        Args:
            width: letters of a line; cells of text are wrapped to fit. None: as wide as it is.

        Returns:
            Its lines, the names of the columns first.
        """
        lines = [[printable(" ".join(cell.split())) for cell in line] for line in (self.columns, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        if width is not None:
            self._shrink(widths, width)
        return "\n".join(text for line in lines for text in self._laid_out(line, widths))

    def _shrink(self, widths: list[int], width: int) -> None:
        """Take letters from the widest columns of text until a line fits."""
        texts = [at for at, name in enumerate(self.columns) if name not in self.numbers and widths[at] > NARROWEST_COLUMN]
        while texts and sum(widths) + len(GAP) * (len(widths) - 1) > width:
            widest = max(texts, key=widths.__getitem__)
            widths[widest] -= 1
            texts = [at for at in texts if widths[at] > NARROWEST_COLUMN]

    def _laid_out(self, line: Sequence[str], widths: Sequence[int]) -> Iterable[str]:
        """A row, in as many lines as its longest cell needs."""
        parts = [textwrap.wrap(cell, width) or [""] for cell, width in zip(line, widths, strict=True)]
        for row in range(max(map(len, parts))):
            cells = [part[row] if row < len(part) else "" for part in parts]
            aligned = (
                cell.rjust(width) if name in self.numbers else cell.ljust(width)
                for name, cell, width in zip(self.columns, cells, widths, strict=True)
            )
            yield GAP.join(aligned).rstrip()

    def markdown(self) -> str:
        """The table in Markdown.

        Returns:
            Its lines, with the bars of users' texts escaped.
        """
        marks = ["---:" if name in self.numbers else "---" for name in self.columns]
        lines = [self.columns, marks, *self.rows]
        return "\n".join(
            f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in line)} |" for line in lines
        )

    def html(self) -> str:
        """The table for a page.

        Returns:
            A table element; cells are escaped.
        """
        from .pages import rendered

        return rendered("present/table.html", table=self)

    def __str__(self) -> str:
        return self.text()

    _repr_html_ = html
    __html__ = html
