"""What a read shows of a hold, and how many reads prove that it is over.

One odd read proves nothing (protocol.md L15, C20; chosen): a frame without the override
bit, a pump that waits for flow, the relay pulses of a light show, an old copy.
"""

from dataclasses import replace
from enum import Enum, auto

from ..pool.schedule_rules import schedulable
from ..pool.state import PoolState, Source
from ..wire.equipment import CLEANERS, Role, Slot
from .claim import Doubt, Event, State
from .hold import Hold

AGREEING = 10.0
"""Seconds between two reads that prove that a hold is over."""
LIGHT_SHOW = 120.0
"""Seconds for a light whose override bit is still set: a show switches its relay on and
off for up to 110 s (protocol.md O4.1)."""
OLD_COPY = 300.0
"""Seconds for which cloud copies may be older than a command (protocol.md C20)."""
COPIES_AGREE = 600.0
"""Seconds for which the cloud must show that a hold is over: longer than `OLD_COPY`."""
_LIGHTS = (Role.POOL_LIGHT, Role.SPA_LIGHT)


class Observation(Enum):
    """What a read shows of a hold."""

    HELD = auto()
    OTHER = auto()
    NOTHING = auto()


def held_outputs(state: PoolState) -> tuple[Slot, ...] | None:
    """Return the outputs that are held by hand, `None` if that is not reported.

    Outputs that follow another output, as the other actuators of a spa, are left out.
    """
    if (held := state.outputs.held) is None:
        return None
    return tuple(
        slot
        for slot in state.outputs.slots
        if slot.index in held and schedulable(state, slot)
    )


def runs(state: PoolState, slot: Slot) -> bool | None:
    """Return whether a user would call an output on, `None` if that is not reported."""
    if slot.role is not Role.PUMP:
        return None if state.outputs.assumed else slot.on
    if state.signals.pump_cooling_down:
        return False  # it runs on only to cool the heater (protocol.md O2.1)
    return state.pump_on  # the mode of its slot can be wrong (protocol.md O2.4)


def observation(state: PoolState, hold: Hold) -> Observation:
    """Return what a state shows of a hold."""
    slot = state.outputs.slot(hold.slot)
    on = None if slot is None else runs(state, slot)
    if state.source is Source.CLOUD:
        if on is None:
            return Observation.NOTHING
        return Observation.HELD if on is hold.on else Observation.OTHER
    if (held := held_outputs(state)) is None:
        return Observation.NOTHING
    return Observation.HELD if slot in held and on is hold.on else Observation.OTHER


def after_read(hold: Hold, state: PoolState, at: float) -> tuple[Hold, Event | None]:
    """Return a hold after a read (monotonic, s), and the event that the read causes."""
    by_cloud = state.source is Source.CLOUD
    observed = observation(state, hold)
    if observed is Observation.HELD and not by_cloud:
        return replace(hold, doubt=None), Event.HELD
    if observed is Observation.HELD:
        # A copy may be old and shows no override: it only ends doubts from copies.
        if hold.doubt is None or not hold.doubt.by_cloud:
            return hold, None
        doubtful = hold.state is State.DOUBTFUL
        return replace(hold, doubt=None), Event.HELD if doubtful else None
    if observed is Observation.NOTHING or at < hold.settled_at + (
        OLD_COPY if by_cloud else 0
    ):
        return hold, None
    return _contradicted(hold, state, at, by_cloud=by_cloud)


def stopped_by_spa(hold: Hold, state: PoolState) -> bool:
    """Return whether spa mode is on and a cleaner that was held on does not run.

    A firmware may stop cleaners for the spa (protocol.md L21).
    """
    slot = state.outputs.slot(hold.slot)
    return (
        state.spa_mode is True
        and hold.on
        and slot is not None
        and slot.type_code in CLEANERS
        and runs(state, slot) is not True
    )


def _contradicted(
    hold: Hold, state: PoolState, at: float, *, by_cloud: bool
) -> tuple[Hold, Event | None]:
    if (doubt := hold.doubt) is None or (doubt.by_cloud and not by_cloud):
        return replace(hold, doubt=Doubt(at, by_cloud)), Event.OTHER
    if by_cloud and not doubt.by_cloud:
        return hold, None
    if at - doubt.at < _span(hold, state, by_cloud=by_cloud):
        return hold, Event.OTHER
    return replace(hold, doubt=None), Event.GONE


def _span(hold: Hold, state: PoolState, *, by_cloud: bool) -> float:
    """Return the seconds for which reads must agree that a hold is over."""
    if by_cloud:
        return COPIES_AGREE
    slot = state.outputs.slot(hold.slot)
    flaps = slot is not None and slot.role in _LIGHTS and slot.held is True
    return LIGHT_SHOW if flaps else AGREEING
