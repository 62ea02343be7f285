"""Outputs: switched by hand, and released to their schedules (protocol.md O2.4, O3)."""

from dataclasses import replace

from ..cloud import UrgentCloud
from ..pool.state import PoolState
from ..wire.commands import encode_aux
from ..wire.equipment import Role, Slot
from ..wire.exceptions import NotSupportedError
from ..wire.frame import MODE_MANUAL, MODE_OFF
from .command import Command, resuming
from .live_state import LiveState
from .moves import switching
from .pump import PumpControl, UntilDone
from .sender import Sender


class OutputControl:
    """Switches the outputs of one controller (see Sender for errors of commands)."""

    def __init__(self, sender: Sender, live: LiveState, pump: PumpControl) -> None:
        self._sender, self._live, self._pump = sender, live, pump

    async def send(
        self, slot: Slot, on: bool, *, held: bool, speed: int | None = None
    ) -> UntilDone:
        """Switch any output, the pump also at a speed in %; like `begin`."""
        if slot.role is Role.PUMP:
            return await self._pump.begin(on, hold=held, speed=speed)
        return await self.begin(slot.index, on, hold=held)

    async def begin(self, slot: int, on: bool, *, hold: bool) -> UntilDone:
        """Switch a slot, and `hold` it; return a function that waits for the effect."""
        payload = encode_aux(slot, on, hold)
        wired = self._live.reported.outputs.slot(slot)

        async def by_cloud(cloud: UrgentCloud) -> None:
            if wired is None:
                raise NotSupportedError("what is wired to it is not known yet")
            body = {
                "aux_switch_state": int(on),
                "aux_type_code": wired.type_code,
                "aux_slot_num": slot,
            }
            await cloud.write("manualSet", body)

        pending = await self._sender.send(
            Command(
                key=f"slot {slot}",
                show=lambda state: _switched(state, slot, on, held=hold),
                confirms=lambda state: is_on(state, slot) is on,
                moves=switching(self._live.reported.outputs, slot),
                lan=lambda lan: lan.action("aux", payload),
                cloud=by_cloud,
            )
        )

        async def finish() -> bool:
            await self._sender.confirm(pending)
            return pending.by_lan

        return finish

    async def switch(self, slot: int, on: bool) -> None:
        """Hold a slot on or off, and wait for its effect."""
        await (await self.begin(slot, on, hold=True))()

    async def resume_schedule(self, slot: int | None) -> None:
        """Release a slot to its schedules."""
        if slot is None:
            raise NotSupportedError("its slot is not known yet")
        outputs = self._live.reported.outputs
        wired = outputs.slot(slot)
        if wired is not None and wired.role is Role.PUMP:
            await self._pump.resume()
            return
        payload = encode_aux(slot, False, False)
        await self._sender.run(
            resuming(
                f"slot {slot}", slot, outputs, lambda lan: lan.action("aux", payload)
            )
        )


def is_on(state: PoolState, slot: int) -> bool | None:
    """Return whether the relay of a slot is on, `None` if that is unknown."""
    return None if (found := state.outputs.slot(slot)) is None else found.on


def with_mode(state: PoolState, slot: int, mode: int) -> PoolState:
    """Return the state with another mode of a slot, if its mode is reported."""
    modes = list(state.outputs.modes)
    if slot < len(modes):
        modes[slot] = mode
    return replace(state, outputs=replace(state.outputs, modes=tuple(modes)))


def _switched(state: PoolState, slot: int, on: bool, *, held: bool) -> PoolState:
    state = with_mode(state, slot, MODE_MANUAL if on else MODE_OFF)
    return replace(state, outputs=state.outputs.with_hold(slot, held=held))
