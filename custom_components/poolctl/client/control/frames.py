"""The door of state frames: field by field, what two of three share is accepted.

What a field may be, and how far it may move in a poll, is beside its place in
`wire/frame.py`. Flags go bit by bit, and slots one by one.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ..pool.state import newer
from ..wire.frame import (
    At,
    Configuration,
    Signals,
    StateFrame,
    Telemetry,
    Timer,
    alike,
    decode_signals,
    fields_of,
)
from .door import Door
from .moves import Moves

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

AGAIN: Final = 2.0
"""Seconds after a frame that surprises, until the next one is read."""
_ONE: Final = 1.0
"""Seconds in which two reads are one."""


class FrameDoor(Door[StateFrame]):
    """Lets frames in, each with what two frames share."""

    def __init__(self, types: tuple[int, ...] | None) -> None:
        self._last = StateFrame(None, Configuration(aux_types=types), None)
        """What was accepted last, with all sections reported so far: at first, the stored
        types alone."""
        self._rewired: tuple[int, ...] | None = None
        """Aux types of the last frame."""
        self.shown_at = 0.0
        """Time of the newest frame that shows all that was accepted (monotonic, s)."""

    def admit_frame(
        self, frame: StateFrame, at: float, moved: Moves, *, opens: bool = False
    ) -> StateFrame | None:
        """Return what to accept of the newest frame, `None` if it has to be read again.

        `at` is its time (monotonic, s), `moved` returns what our commands explain. The
        first frame of a run, and one that `opens` the door, is accepted as it is, except
        for its types. If something in it is `doubted` then, the next frame decides.
        """
        last, first = self._last, self.doubted
        opens = opens or last.telemetry is None
        if last.telemetry is not None and frame.telemetry is not None:
            last = last._replace(telemetry=moved(last.telemetry, frame.telemetry))
        expected, share = opens or not surprises(last, frame), partial(accepted, last)
        found = self.admit(frame, at, share, expected=expected, apart=_ONE)
        if found is None:
            return None
        self.shown_at = at
        if first is not None and not opens and surprises(found, frame):
            self.doubted, self.shown_at = (frame, at), first[1]
        found = self._with_types(found)
        self._last = StateFrame._make(map(newer, found, self._last, strict=True))
        return found

    def _with_types(self, frame: StateFrame) -> StateFrame:
        """Return a frame with the accepted types, unless the last one had its types, too.

        Other types remove devices: even two odd frames in a row must not do that.
        """
        known = (self._last.configuration or Configuration()).aux_types
        of = frame.configuration or Configuration()
        before, self._rewired = self._rewired, of.aux_types
        if None in (known, of.aux_types) or of.aux_types in (known, before):
            return frame
        return frame._replace(configuration=replace(of, aux_types=known))


def surprises(last: StateFrame, frame: StateFrame) -> bool:
    """Return whether a frame differs from an accepted one by more than a pool can.

    A section or a field that is not reported does not surprise.
    """
    return (
        _differ(alike, last.telemetry, frame.telemetry)
        or _differ(alike, _signals(last), _signals(frame))
        or _differ(alike, last.configuration, frame.configuration)
        or _differ(_same_slots, last.timers, frame.timers)
    )


def _differ[V](same: Callable[[V, V], bool], one: V | None, other: V | None) -> bool:
    return one is not None and other is not None and not same(one, other)


def _signals(frame: StateFrame) -> Signals | None:
    of = frame.telemetry
    return None if of is None else decode_signals(of.flags, of.flags2)


def _same_slots(one: tuple[Timer, ...], other: tuple[Timer, ...]) -> bool:
    return {timer.slot for timer in one} == {timer.slot for timer in other}


def accepted(last: StateFrame, first: StateFrame, second: StateFrame) -> StateFrame:
    """Return the newest of three frames, except where the two others agree."""
    three = last, first, second
    return second._replace(
        telemetry=_shared(_telemetry, *(each.telemetry for each in three)),
        configuration=_shared(_configuration, *(each.configuration for each in three)),
        timers=_shared(_timers, *(each.timers for each in three)),
    )


def _shared[V](
    share: Callable[[V, V, V], V], last: V | None, first: V | None, second: V | None
) -> V | None:
    if last is None or first is None or second is None:
        return second
    return share(last, first, second)


def _telemetry(*three: Telemetry) -> Telemetry:
    return replace(
        _section(*three),
        flags=_shared(_bits, *(each.flags for each in three)),
        flags2=_shared(_bits, *(each.flags2 for each in three)),
        aux_modes=_shared(_by_slot, *(each.aux_modes for each in three)),
        held_slots=_shared(_places, *(each.held_slots for each in three)),
    )


def _configuration(*three: Configuration) -> Configuration:
    return replace(
        _section(*three),
        schedules_enabled=_shared(_places, *(each.schedules_enabled for each in three)),
        aux_types=_shared(_by_slot, *(each.aux_types for each in three)),
    )


def _section[S: DataclassInstance](last: S, first: S, second: S) -> S:
    values_of, places = fields_of(type(second))
    rows = zip(places, *map(values_of, (last, first, second)), strict=True)
    return type(second)(*(_shared(partial(_value, at), *row) for at, *row in rows))


def _value(at: At, last: Any, first: Any, second: Any) -> Any:
    """Return one value; a measurement that two frames show is the newer one of theirs."""
    if at.near(last, second) or at.near(first, second):
        return second
    return first if at.near(last, first) else second


def _bits(last: int, first: int, second: int) -> int:
    return last & first | last & second | first & second


def _places(*three: tuple[int, ...]) -> tuple[int, ...]:
    last, first, second = map(set, three)
    return tuple(sorted(last & first | last & second | first & second))


def _by_slot(*three: tuple[int, ...]) -> tuple[int, ...]:
    if len({*map(len, three)}) > 1:
        return three[-1]
    return tuple(a if a == b else c for a, b, c in zip(*three, strict=True))


def _timers(*three: tuple[Timer, ...]) -> tuple[Timer, ...]:
    last, first, second = three
    odd = _same_slots(last, first) and not _same_slots(last, second)
    return first if odd else second
