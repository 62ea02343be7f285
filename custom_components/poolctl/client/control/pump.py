"""The main pump: on, off, and its speed (interface.md 2.6, layouts.md 3)."""

from dataclasses import replace

from ..commands import PUMP_COMMAND, encode_aux, encode_cmd
from ..equipment import MAX_SPEED, MIN_SPEED, nearest_speed
from ..exceptions import InvalidCommandError, NotSupportedError, RefusedError
from ..frame import MODE_MANUAL, MODE_OFF, StateFrame
from ..lan import LanClient
from ..pool.state import PoolState
from .pending import Pending
from .sender import Command, LanCommand, Sender
from .store import Store


class PumpControl:
    """Runs the main pump of one controller (see Sender for what commands raise)."""

    def __init__(self, store: Store, sender: Sender, device_id: str) -> None:
        """Send through a sender."""
        self._store = store
        self._sender = sender
        self._device_id = device_id
        self._never_held = False
        """Whether the controller declines `aux` for the slot of the pump."""

    async def switch(self, on: bool) -> None:
        """Run it at its last speed, or stop it.

        It is stopped by `aux`, which holds it off: whether `v2_manual_set` does, or only
        gives it back to its schedules, is not known (layouts.md 3).
        """
        await self._sender.confirm(await self._send(on, None))

    async def set_speed(self, speed: int) -> None:
        """Set the speed in %; a pump that stands still starts with it next time.

        Raises InvalidCommandError outside 40 to 100.
        """
        if not MIN_SPEED <= speed <= MAX_SPEED:
            raise InvalidCommandError(f"{speed} % is not a speed of this pump")
        speed = nearest_speed(speed)
        if self._store.state.pump_on:
            await self._sender.coalescer.run(
                "pump", speed, self._send_speed, self._sender.confirm
            )
        else:
            self._store.update(lambda known: replace(known, start_speed=speed))

    async def _send_speed(self, speed: int) -> Pending:
        return await self._send(True, speed)

    async def _send(self, on: bool, wanted: int | None) -> Pending:
        known = self._store.known
        # A schedule may run it at speeds that are not for the hand.
        # One that was never seen running gets the slowest: nothing is forced.
        speed = wanted or nearest_speed(known.start_speed or MIN_SPEED)
        if (pump := known.outputs.pump) is None:
            raise NotSupportedError("the slot of the pump is not known yet")
        slot, device_id = pump.index, self._device_id
        body = {"aux_switch_state": on, "aux_slot_num": slot, "pump_speed": speed}

        async def send(lan: LanCommand) -> Pending:
            return await self._sender.send(
                Command(
                    key="pump",
                    show=lambda state: _running(state, on, speed),
                    holds=lambda state: _holds(state, on, wanted),
                    lan=lan,
                    cloud=lambda cloud: cloud.set_pump(device_id, slot, on, speed),
                )
            )

        async def run(lan: LanClient) -> StateFrame | None:
            return await lan.action("cmd", encode_cmd(PUMP_COMMAND, body))

        async def hold(lan: LanClient) -> StateFrame | None:
            return await lan.action("aux", encode_aux(slot, False, True))

        if on or self._never_held:
            return await send(run)
        try:
            return await send(hold)
        except RefusedError as err:
            if type(err) is not RefusedError:
                raise  # it says itself what it means
        pending = await send(run)
        self._never_held = True
        return pending


def _running(state: PoolState, on: bool, speed: int) -> PoolState:
    mode = MODE_MANUAL if on else MODE_OFF
    readings = replace(state.readings, main_pump_mode=mode)
    if on:
        readings = replace(readings, pump_speed=speed)
    return replace(state, readings=readings)


def _holds(state: PoolState, on: bool, wanted: int | None) -> bool:
    """Tell whether the pump runs as asked; `wanted` is a speed that was asked for."""
    if not on:
        # While the heater cools down the pump runs on (layouts.md 2.1).
        return state.pump_on is False or state.signals.pump_cooling_down is True
    at_speed = state.readings.pump_speed == wanted or state.signals.pump_priming is True
    return state.pump_on is True and (wanted is None or at_speed)
