"""Faults that are switched on and off by name."""

from collections.abc import Callable, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass
from typing import override


@dataclass(slots=True)
class _Fault:
    left: int | None  # number of times left; None: until switched off
    at: frozenset[str]  # places where it happens; empty: everywhere


class Faults(AbstractSet[str]):
    """The faults that are switched on.

    `known` maps each name to what it does. A fault may be limited to some places:
    endpoint names of the cloud, or op, action and query names of the LAN.
    """

    def __init__(self, known: Mapping[str, str], changed: Callable[[], None]) -> None:
        """Create an empty set; `changed` is called whenever it changes."""
        self.known = known
        self._changed = changed
        self._active: dict[str, _Fault] = {}

    def on(self, name: str, *at: str) -> None:
        """Switch a fault on until `off`, everywhere or only at the places named."""
        self._put(name, None, at)

    def once(self, name: str, times: int = 1, *at: str) -> None:
        """Let a fault happen for the next `times` requests only."""
        self._put(name, times, at)

    def off(self, name: str) -> None:
        if self._active.pop(self._checked(name), None) is not None:
            self._changed()

    def clear(self) -> None:
        self._active.clear()
        self._changed()

    def take(self, name: str, *places: str, explicit: bool = False) -> bool:
        """Return whether a fault happens at one of these places, and count it.

        `explicit`: only if it was switched on for one of these places by name.
        """
        fault = self._active.get(self._checked(name))
        if fault is None or (fault.at and fault.at.isdisjoint(places)):
            return False
        if explicit and not fault.at:
            return False
        if fault.left is not None:
            fault.left -= 1
            if not fault.left:
                del self._active[name]
        return True

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._active

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._active))

    @override
    def __len__(self) -> int:
        return len(self._active)

    def _put(self, name: str, left: int | None, at: tuple[str, ...]) -> None:
        self._active[self._checked(name)] = _Fault(left, frozenset(at))
        self._changed()

    def _checked(self, name: str) -> str:
        if name not in self.known:
            raise ValueError(
                f"no such fault: {name}; there are {', '.join(self.known)}"
            )
        return name
