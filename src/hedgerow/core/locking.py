"""Methods that run as a whole, whichever thread calls them."""

import os
import weakref
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from threading import RLock
from typing import Any, Self, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])

_ALL: "weakref.WeakSet[Locked]" = weakref.WeakSet()


class Locked:
    """Base class with a re-entrant lock; ``copy``, ``deepcopy`` and pickle give an independent object.

    A child process that is forked while another thread holds the lock gets a new one: that thread does not live on in it.
    """

    _lock: RLock

    def __new__(cls, *_: Any, **__: Any) -> Self:
        made = super().__new__(cls)
        made._lock = RLock()
        _ALL.add(made)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __copy__(self) -> Self:
        with self._lock:
            return deepcopy(self)


def _new_locks() -> None:
    for locked in list(_ALL):
        locked._lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_locks)


def whole(method: Method) -> Method:
    """A method of a :class:`Locked` that no other thread interrupts.

    Args:
        method: A method of a :class:`Locked`.

    Returns:
        The method, which holds the lock while it runs.
    """

    @wraps(method)
    def locked(self: Locked, *given: Any, **named: Any) -> Any:
        with self._lock:
            return method(self, *given, **named)

    return cast(Method, locked)
