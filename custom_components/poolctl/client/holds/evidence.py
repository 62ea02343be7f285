"""What a read shows of a hold, and how many reads prove that it is over.

One odd read proves nothing (protocol.md L15, C20; chosen): a frame without the override
bit, a pump that waits for flow, the relay pulses of a light show, an old copy.
"""

from typing import Final

from ..pool.schedule_rules import schedulable
from ..pool.state import PoolState, Source
from ..wire.equipment import CLEANERS, Role, Slot
from .decide import AGREEING, Seen, agreeing
from .hold import Hold

LIGHT_SHOW: Final = 120.0
"""Seconds for a light whose override bit is still set: a show switches its relay on and
off for up to 110 s (protocol.md O4.1)."""
OLD_COPY: Final = 300.0
"""Seconds for which cloud copies may be older than a command (protocol.md C20)."""
COPIES_AGREE: Final = 600.0
"""Seconds for which the cloud must show that a hold is over: longer than `OLD_COPY`."""
_LIGHTS: Final = (Role.POOL_LIGHT, Role.SPA_LIGHT)


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


def seen(state: PoolState, hold: Hold, at: float) -> Seen:
    """Return what a read (monotonic, s) shows of a hold."""
    slot = state.outputs.slot(hold.slot)
    on = None if slot is None else runs(state, slot)
    if state.source is Source.CLOUD:
        ours = None if on is None else on is hold.on
        return Seen(at, ours, True, OLD_COPY, COPIES_AGREE)
    if (held := held_outputs(state)) is None:
        return Seen(at)
    flaps = slot is not None and slot.role in _LIGHTS and slot.held is True
    ours = slot in held and on is hold.on
    return Seen(at, ours, agreeing=LIGHT_SHOW if flaps else agreeing(hold))


def lasts_for(slot: Slot, on: bool) -> float:
    """Return for how many seconds reads must show an override of another client."""
    return LIGHT_SHOW if slot.role in _LIGHTS and not on else AGREEING


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
