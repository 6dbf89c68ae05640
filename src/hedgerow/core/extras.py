"""How to get a package that only some parts of hedgerow need."""


def absent(what: str, package: str, extra: str) -> ImportError:
    """The error to raise where a package is not installed, with the commands that install it.

    Args:
        what: what cannot be done without it, as the beginning of a sentence.
        package: name of the package.
        extra: the extra of hedgerow that brings it.

    Returns:
        An ImportError that names the package and two ways to install it.

    Examples:
        >>> raise absent("a figure", "matplotlib", "plot")
        Traceback (most recent call last):
        ImportError: a figure needs matplotlib: pip install "hedgerow[plot]" (in a checkout: pip install -e ".[plot]")
    """
    return ImportError(f'{what} needs {package}: pip install "hedgerow[{extra}]" (in a checkout: pip install -e ".[{extra}]")')
