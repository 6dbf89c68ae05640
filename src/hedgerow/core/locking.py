"""Methods that run as a whole, whichever thread calls them."""

from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from threading import RLock
from typing import Any, Self, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


class Locked:
    """Something whose parts change together; copies and pickles share nothing with it, and get a lock of their own."""

    _lock: RLock

    def __new__(cls, *_: Any, **__: Any) -> Self:
        made = super().__new__(cls)
        made._lock = RLock()
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __copy__(self) -> Self:
        with self._lock:
            return deepcopy(self)


def whole(method: Method) -> Method:
    """A method of a :class:`Locked` that no other thread interrupts."""

    @wraps(method)
    def locked(self: Locked, *given: Any, **named: Any) -> Any:
        with self._lock:
            return method(self, *given, **named)

    return cast(Method, locked)
