"""The effect of events on a claim: the table of `__init__.py`."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Final

from .claim import Claim, End, State


class Event(StrEnum):
    """An event in the life of a claim."""

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
"""Events that prove that the claim before a requested one still applies."""


def after[C: Claim](claim: C, event: Event) -> C | None:
    """Return a claim after an event, `None` if the event ends it."""
    if claim.state is State.REQUESTED:
        if event in _PREVIOUS_APPLIES:
            return claim.replaced()
        if event is Event.CONFIRMED and not claim.needed:
            # Reads show whether the output is held nevertheless.
            return claim.alone()
    if event is Event.RELEASED and _restarts(claim):
        return replace(claim, state=State.WATCHED)
    following = _NEXT[claim.state]
    if event not in following:
        return claim
    state = following[event]
    return None if state is None else _entered(claim, state, event)


def _restarts(claim: Claim) -> bool:
    """Return whether its schedule may start the output again after its release."""
    releasing = claim.state is State.RELEASING
    return releasing and not claim.on and claim.needed and claim.end is End.SCHEDULE


def _entered[C: Claim](claim: C, state: State, event: Event) -> C:
    """Return the claim in another state, without the data of the old one."""
    claim = replace(claim, state=state)
    if state is State.ACTIVE:
        claim = replace(claim, doubt=None).alone()
    if event is Event.MOVED:
        claim = replace(claim, tries=0, refusals=0, retry_at=None)
    return claim
