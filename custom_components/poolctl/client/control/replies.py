"""The door of replies: what only one of them reports is asked again (protocol.md L31).

A reply is accepted if it is as expected: as the last accepted one, or as one of our own
commands makes it. The first one of a run is compared with what the frames and the store
report. Any other surprises, and is accepted once a later one shares it. The limits are
chosen.
"""

from collections.abc import Callable
import time
from typing import Any

from ..pool.queries import Query
from ..pool.state import PoolState


class ReplyDoor:
    """Knows what the next reply to each query may be."""

    def __init__(self) -> None:
        self._expected: dict[str, list[Any]] = {}
        """By query: the accepted reply, then what our writes since make of it."""
        self._single: dict[str, tuple[Any, float]] = {}
        """By query: a reply that no other one shares yet, and its time (monotonic, s)."""

    def admits(
        self,
        query: Query,
        reply: Any,
        state: PoolState,
        *,
        apart: float,
        replaced: str | None = None,
    ) -> bool:
        """Return whether a reply may be shown.

        Two replies that are less than `apart` s apart count as one. The value of the
        key that a write is about to replace does not matter.
        """
        name, now = query.name, time.monotonic()
        expected = self._expected.get(name, [])
        other = {} if replaced is None else {replaced: None}

        def same(one: Any) -> bool:
            return query.alike(one, reply) or (
                bool(other) and query.alike({**one, **other}, {**reply, **other})
            )

        for place, each in enumerate(expected):
            if same(each):
                # An older copy may follow our write, but nothing older than this one.
                return self._accept(name, reply, *expected[place + 1 :])
        single, at = self._single.get(name, (reply, now))
        if (again := same(single)) and now - at >= apart:
            return self._accept(name, reply)
        self._single[name] = reply, at if again else now
        if expected or not query.agrees(state, reply):
            return False
        if not query.partly:
            return self._accept(name, reply)
        return again or not query.agrees(state, single)

    def _accept(self, name: str, *expected: Any) -> bool:
        self._single.pop(name, None)
        self._expected[name] = [*expected]
        return True

    def is_sure(self, name: str) -> bool:
        """Return whether the newest reply was accepted, so that it may be written."""
        return name in self._expected and name not in self._single

    def note_write(self, name: str, change: Callable[[Any], Any]) -> None:
        """Expect what a write may have made of the newest reply."""
        if (single := self._single.pop(name, None)) is not None:
            self._expected.setdefault(name, [single[0]])  # it was written back
        if expected := self._expected.get(name):
            expected.append(change(expected[-1]))

    def drop_outdated(self, query: Query, before: PoolState, after: PoolState) -> None:
        """Expect nothing if a newer frame contradicts what an older one did not."""
        expected = self._expected.get(query.name, ())
        if any(query.agrees(before, each) for each in expected) and not any(
            query.agrees(after, each) for each in expected
        ):
            del self._expected[query.name]

    def forget(self) -> None:
        """Expect nothing: anything may have changed."""
        self._expected.clear()
        self._single.clear()
