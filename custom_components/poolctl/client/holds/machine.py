"""The effect of events on a hold: the table of `__init__.py`."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Final

from .hold import End, Hold, State


class Event(StrEnum):
    """An event in the life of a hold."""

    HELD = "held"
    OTHER = "other"
    GONE = "gone"
    ENDED = "ended"
    MOVED = "moved"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
    TRIED = "tried"
    RELEASED = "released"
    UNANSWERED = "unanswered"
    DECLINED = "declined"
    RESTARTED = "restarted"


_CONTRADICTED: Final = {Event.OTHER: State.DOUBTFUL, Event.GONE: None}
_NEXT: Final[Mapping[State, Mapping[Event, State | None]]] = {
    State.REQUESTED: {Event.HELD: State.ACTIVE, Event.CONFIRMED: State.ACTIVE},
    State.ACTIVE: {**_CONTRADICTED, Event.ENDED: State.DUE},
    State.DOUBTFUL: {Event.HELD: State.ACTIVE, Event.GONE: None},
    State.DUE: {
        **_CONTRADICTED,
        Event.MOVED: State.ACTIVE,
        Event.TRIED: State.RELEASING,
    },
    State.RELEASING: {
        Event.RELEASED: None,
        Event.UNANSWERED: State.DUE,
        Event.DECLINED: State.STUCK,
    },
    State.STUCK: {
        **_CONTRADICTED,
        Event.MOVED: State.ACTIVE,
        Event.TRIED: State.RELEASING,
    },
    State.WATCHED: {
        Event.HELD: None,
        Event.ENDED: None,
        Event.RESTARTED: State.REQUESTED,
    },
}
_PREVIOUS_APPLIES: Final = {Event.GONE, Event.REFUSED}
"""Events that prove that the hold before a requested one still applies."""


def after(hold: Hold, event: Event) -> Hold | None:
    """Return a hold after an event, `None` if the event ends it."""
    if hold.state is State.REQUESTED:
        if event in _PREVIOUS_APPLIES:
            return hold.previous
        if event is Event.CONFIRMED and not hold.needed:
            # Reads show whether the output is held nevertheless.
            return replace(hold, previous=None)
    if event is Event.RELEASED and _restarts(hold):
        return replace(hold, state=State.WATCHED)
    following = _NEXT[hold.state]
    if event not in following:
        return hold
    state = following[event]
    return None if state is None else _entered(hold, state, event)


def _restarts(hold: Hold) -> bool:
    """Return whether its schedule may start the output again after its release."""
    releasing = hold.state is State.RELEASING
    return releasing and not hold.on and hold.needed and hold.end is End.SCHEDULE


def _entered(hold: Hold, state: State, event: Event) -> Hold:
    """Return the hold in another state, without the data of the old one."""
    hold = replace(hold, state=state)
    if state is State.ACTIVE:
        hold = replace(hold, doubt=None, previous=None)
    if event is Event.MOVED:
        hold = replace(hold, tries=0, refusals=0, retry_at=None, due_at=None)
    return hold
