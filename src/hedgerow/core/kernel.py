"""The compile decorator: Numba where it can be had, plain Python otherwise.

A kernel is an ordinary function of numbers and arrays, written as loops. ``HEDGEROW_COMPILE=0`` leaves
every kernel as the Python it is written in; the decisions are the same, to the arm, only slower.
"""

import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def _compiler() -> Callable[..., Any] | None:
    if os.environ.get("HEDGEROW_COMPILE", "1") == "0":
        return None
    try:
        from numba import njit
    except ImportError:
        warnings.warn(
            "Numba could not be imported: hedgerow runs as plain Python, about a hundred times slower",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    _fork_between_compilations()
    compiler: Callable[..., Any] = njit
    return compiler


def _fork_between_compilations() -> None:
    """Let a fork wait until no thread compiles: the child would find locks held by a thread that does not live on in it."""
    from numba.core import compiler_lock

    lock: Any = compiler_lock.global_compiler_lock

    def wait() -> None:
        import_module("numpy.ma")  # Numba imports it in its first call, which takes Python's lock of that module
        lock.acquire()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=wait, after_in_parent=lock.release, after_in_child=lock.release)


def drop_outdated(package: Path) -> None:
    """Remove machine code older than any source of a package: Numba looks at a kernel's own file, not at those it calls.

    Args:
        package: The folder of its source.
    """
    with suppress(OSError):
        newest = max(path.stat().st_mtime for path in package.rglob("*.py"))
        for index in package.rglob("__pycache__/*.nbi"):
            if index.stat().st_mtime < newest:
                index.unlink()


_njit = _compiler()
COMPILED = _njit is not None
if COMPILED:
    drop_outdated(Path(__file__).parents[1])


def compiled(function: Function) -> Function:
    """Compile at the first call and keep the machine code on disk; without Numba, return the function as it is.

    Args:
        function: Loops over numbers and arrays.

    Returns:
        The compiled function, or the function as it is.
    """
    return _compile(function)


def summing(function: Function) -> Function:
    """Like ``compiled``, and the terms of a sum may be added in any order, several at a time.

    Only where the last digit does not count: ridge scores, whose ties have a tolerance.

    Args:
        function: Loops over numbers and arrays.

    Returns:
        The compiled function, or the function as it is.
    """
    return _compile(function, fastmath={"reassoc", "contract", "nsz"})


def inlined(function: Function) -> Function:
    """Written into each kernel that calls it: functions it is given are called directly, and are kept on disk with the caller.

    Args:
        function: A part of kernels.

    Returns:
        The function as kernels take it.
    """
    if _njit is None:
        return function
    kernel: Function = _njit(inline="always")(function)
    return kernel


def _compile(function: Function, **options: Any) -> Function:
    if _njit is None:
        return function
    try:
        kernel: Function = _njit(cache=True, **options)(function)
    except RuntimeError:  # Numba finds no writable folder for its cache, neither the package's nor the home folder
        kernel = _njit(**options)(function)
    return kernel
