"""Reading of stored values: only a value that cannot be read is lost.

A store may be of another version, edited by hand, or damaged. `Stored` reads it value
by value; a value that is malformed or impossible (odd) reads as its default.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

type Reader[T] = Callable[[Any], T]
"""Returns a stored value; raises ValueError, TypeError or KeyError for an odd one."""


class Stored:
    """A stored object with named values."""

    def __init__(self, values: object = None) -> None:
        """Take the content of a store; anything but an object is an empty one."""
        self._values = values if isinstance(values, Mapping) else {}

    def get[T, D](self, name: str, read: Reader[T], default: D) -> T | D:
        """Return a value, or the default if it is missing, null or odd."""
        value = self._values.get(name)
        return default if value is None else _take(value, read, default)

    def need[T](self, name: str, read: Reader[T]) -> T:
        """Return a value that the object requires; raises the errors of a reader."""
        return read(self._values[name])

    def list[T](self, name: str, read: Reader[T]) -> tuple[T, ...]:
        """Return the values of a list without the odd ones."""
        items = (_take(value, read, None) for value in self.get(name, _list, ()))
        return tuple(item for item in items if item is not None)

    def part(self, name: str) -> Stored:
        """Return an object within this one, an empty one if there is none."""
        return Stored(self._values.get(name))


def _take[T, D](value: object, read: Reader[T], default: D) -> T | D:
    try:
        return read(value)
    except KeyError, OverflowError, TypeError, ValueError:
        return default


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise TypeError("not a list")
    return value


def whole(low: int, high: int) -> Reader[int]:
    """Return a reader of whole numbers in a range."""

    def read(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError("not a whole number")
        if not low <= value <= high:
            raise ValueError("not possible")
        return value

    return read


def number(low: float, high: float) -> Reader[float]:
    """Return a reader of numbers in a range, which NaN and infinity never are."""

    def read(value: object) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise TypeError("not a number")
        if not low <= value <= high:
            raise ValueError("not possible")
        return value

    return read


def text(value: object) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def flag(value: object) -> bool:
    """Read a boolean."""
    if not isinstance(value, bool):
        raise TypeError("not a boolean")
    return value


def moment(value: object) -> datetime:
    """Read a time with its zone."""
    time = datetime.fromisoformat(text(value))
    if time.tzinfo is None:
        raise ValueError("a time without a zone")
    return time


def each[T](read: Reader[T]) -> Reader[tuple[T, ...]]:
    """Return a reader of a list in which every value must be readable."""
    return lambda values: tuple(read(value) for value in _list(values))
