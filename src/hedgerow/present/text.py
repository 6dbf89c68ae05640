"""Text of users as a terminal may show it."""

from collections.abc import Iterable


def printable(text: str) -> str:
    r"""A text without signs that steer a terminal.

    Args:
        text: any text, such as the name of an arm.

    Returns:
        The text with each sign that does not print written as its escape.

    Examples:
        >>> print(printable("a\x1b[2Jb"))
        a\x1b[2Jb
    """
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def printable_lines(lines: Iterable[str]) -> str:
    """Lines of a text without signs that steer a terminal.

    Args:
        lines: the lines, without their ends.

    Returns:
        One text.
    """
    return "\n".join(map(printable, lines))
