"""What a read shows of a claim: that it is ours, that it is not, or nothing.

What is not reported is no answer. A short state proves nothing (protocol.md L25; chosen):
a frame without the override bit, a pump that waits for flow, a pulse of a light show.
"""

from typing import Final

from ..pool.schedule_rules import schedulable
from ..pool.state import PoolState, Source
from ..wire.equipment import Role, Slot
from .claim import AGREEING, Claim
from .decide import Seen

LIGHT_SHOW: Final = 120.0
"""Seconds for a light whose override bit is still set: a show switches its relay on and
off for up to 110 s (protocol.md O4.1)."""
OLD_COPY: Final = 300.0
"""Seconds for which cloud copies may be older than a command (protocol.md C20)."""
COPIES_AGREE: Final = 600.0
"""Seconds for which the cloud must show that a claim is over: longer than `OLD_COPY`."""
_LIGHTS: Final = (Role.POOL_LIGHT, Role.SPA_LIGHT)


def seen(claim: Claim, state: PoolState, at: float) -> Seen:
    """Return what a read shows of a claim of any kind, which was reported at `at`.

    | Kind | LAN | Cloud, whose copies have one rule |
    | --- | --- | --- |
    | output | ours if it is held, and on or off as requested | on or off |
    | doser | ours if its settings show it off, from their newest reply | on or off |
    | heat source | ours if the settings in a frame show it selected | nothing |

    It shows nothing if the output is not wired, or any of this is not reported.
    """
    if (ours := claim.in_effect(state)) is None:
        return Seen(at)
    if state.source is Source.CLOUD:
        return Seen(at, ours, OLD_COPY, COPIES_AGREE)
    return Seen(at, ours, agreeing=claim.agreeing(state))


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
        return None if state.outputs.assumed or slot.role is Role.EMPTY else slot.on
    if state.signals.pump_cooling_down:
        return False  # it runs on only to cool the heater (protocol.md O2.1)
    return state.pump_on  # the mode of its slot can be wrong (protocol.md O2.4)


def lasts(slot: Slot) -> float:
    """Return for how many seconds reads must agree on how an output is held."""
    pulses = slot.role in _LIGHTS and slot.held and not slot.on
    return LIGHT_SHOW if pulses else AGREEING
