"""The door: what only one frame or one reply shows is asked again (protocol.md L15, L31).

Whatever is as expected is admitted: as the accepted one, or as our own commands may have
changed it. Anything else waits for the next one, which is asked for soon, and only what
two of three share is accepted. So all that follows sees only facts, and has no doubt of
its own. The limits are chosen.
"""

from collections.abc import Callable
import time
from typing import Any

from ..pool.queries import Query
from ..pool.state import PoolState


class Door[T]:
    """Keeps what surprised, a frame or a reply, until the next one."""

    doubted: tuple[T, float] | None = None
    """What surprised, and its time (monotonic, s)."""

    def admit(
        self,
        newest: T,
        at: float,
        share: Callable[[T, T], T | None],
        *,
        expected: bool,
        apart: float,
    ) -> T | None:
        """Return what to accept, `None` if it has to be asked again.

        If the newest one is not `expected`, it is what it shares with the one before. Two
        that are less than `apart` s apart count as one: both may be of the same odd moment.
        """
        first = self.doubted
        if not expected and first is not None and at - first[1] < apart:
            return None
        found = newest if expected else first and share(first[0], newest)
        self.doubted = (newest, at) if found is None else None
        return found


class ReplyDoor:
    """Knows what the next reply to each query may be."""

    def __init__(self) -> None:
        self._doors: dict[str, Door[Any]] = {}
        self._expected: dict[str, list[Any]] = {}
        """By query: the accepted reply, then what our writes since make of it."""

    def admits(
        self,
        query: Query,
        reply: Any,
        state: PoolState,
        *,
        apart: float,
        written: str = "",
        denied: bool = False,
    ) -> bool:
        """Return whether a reply is accepted; the first one if it agrees with the state.

        What it has for a key that is `written` next does not matter. One that the newest
        frame has `denied` surprises, though it is as before.
        """

        def alike(one: Any, other: Any) -> bool:
            if written:
                one, other = {**one, written: None}, {**other, written: None}
            return query.alike(one, other)

        expected = self._expected.get(query.name, [])
        places = (n for n, each in enumerate(expected, 1) if alike(each, reply))
        later = 0 if denied else next(places, 0)
        found = self._doors.setdefault(query.name, Door()).admit(
            reply,
            time.monotonic(),
            lambda first, second: second if alike(first, second) else None,
            expected=later > 0 or (not expected and query.agrees(state, reply)),
            apart=apart,
        )
        if found is not None:
            # An older copy may follow our write, but nothing older than this one.
            self._expected[query.name] = [reply, *(expected[later:] if later else ())]
        return found is not None

    def note_write(self, name: str, change: Callable[[Any], Any]) -> None:
        """Expect what a write may have made of the newest reply."""
        if expected := self._expected.get(name):
            expected.append(change(expected[-1]))

    def forget(self) -> None:
        """Expect nothing: anything may have changed."""
        self._doors.clear()
        self._expected.clear()
