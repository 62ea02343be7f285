"""One controller: its state and every command a person can give.

Outputs and the main pump are here; what else a pool has is one attribute each.
"""

from collections.abc import Callable
from dataclasses import replace

from ..cloud import CloudClient
from ..commands import encode_aux, encode_cmd
from ..equipment import MAX_SPEED, MIN_SPEED, nearest_speed
from ..exceptions import InvalidCommandError, NotSupportedError, PoolctlError
from ..frame import MODE_MANUAL, MODE_OFF
from ..lan import LanClient
from ..pool.state import PoolState
from .commander import Commander
from .dosing import Settings
from .heating import Heating
from .lights import Lights
from .pending import Pending
from .raw import Raw
from .schedules import Schedules


class Controller(Commander):
    """A controller to command (see Commander for what commands raise)."""

    def __init__(
        self,
        device_id: str,
        *,
        lan: LanClient | None,
        cloud: CloudClient | None,
        publish: Callable[[], None] = lambda: None,
        remembered: PoolState | None = None,
    ) -> None:
        """Start from what is remembered; nothing is read yet."""
        super().__init__(
            device_id, lan=lan, cloud=cloud, publish=publish, remembered=remembered
        )
        self.heating = Heating(self)
        self.lights = Lights(self)
        self.raw = Raw(self)
        self.schedules = Schedules(self)
        self.settings = Settings(self)

    async def set_aux(self, slot: int, on: bool) -> None:
        """Hold a slot by hand, on or off, so that a person always wins."""
        mode = MODE_MANUAL if on else MODE_OFF

        def show(state: PoolState) -> PoolState:
            return _with_held(state, slot, mode)

        def holds(state: PoolState) -> bool:
            return (found := state.slot(slot)) is not None and found.on is on

        payload = encode_aux(slot, on, True)
        wired = self.known.slot(slot)

        async def switch(cloud: CloudClient) -> None:
            if wired is None:
                raise NotSupportedError("what is wired to it is not known yet")
            await cloud.set_aux(self.device_id, slot, wired.type_code, on)

        await self.command(
            f"slot {slot}",
            show,
            holds,
            lan=lambda lan: lan.action("aux", payload),
            cloud=switch,
        )

    async def set_spa_mode(self, on: bool) -> None:
        """Send the water to the spa, or back to the pool.

        The first actuator is the whole of it: the firmware moves the others, and lets
        the heaters follow (layouts.md 2.4).
        """
        if (actuator := self.known.spa_slot) is None:
            raise NotSupportedError("its slot is not known yet")
        await self.set_aux(actuator.index, on)

    async def resume_schedule(self, slot: int | None) -> None:
        """Give a slot back to its schedules."""
        if slot is None:
            raise NotSupportedError("its slot is not known yet")

        def show(state: PoolState) -> PoolState:
            held = tuple(held for held in state.held_slots or () if held != slot)
            return replace(state, held_slots=held)

        payload = encode_aux(slot, False, False)
        await self.command(
            f"slot {slot}",
            show,
            lambda state: state.held_slots is not None and slot not in state.held_slots,
            lan=lambda lan: lan.action("aux", payload),
        )

    async def resume_schedules(self) -> None:
        """Give every held slot back to its schedules; raises the first failure.

        Raises NotSupportedError where nobody told what is held, as in the cloud alone.
        """
        if self.known.held_slots is None:
            raise NotSupportedError("what is held by hand is not known")
        failures = []
        for slot in self.known.held_slots:
            if slot not in (self.known.held_slots or ()):
                continue  # it went with another one, as the actuators of a spa do
            try:
                await self.resume_schedule(slot)
            except PoolctlError as err:
                failures.append(err)
        if failures:
            raise failures[0]

    async def set_pump(self, on: bool) -> None:
        """Run the main pump at its last speed, or stop it."""
        await self.confirm(await self._send_pump(on, None))

    async def set_pump_speed(self, speed: int) -> None:
        """Set the speed in %; a pump that stands still starts with it next time.

        Raises InvalidCommandError outside 40 to 100.
        """
        if not MIN_SPEED <= speed <= MAX_SPEED:
            raise InvalidCommandError(f"{speed} % is not a speed of this pump")
        speed = nearest_speed(speed)
        if self.state.pump_on:
            await self.coalescer.run("pump", speed, self._send_pump_speed, self.confirm)
        else:
            self.update(start_speed=speed)

    async def _send_pump_speed(self, speed: int) -> Pending:
        return await self._send_pump(True, speed)

    async def _send_pump(self, on: bool, wanted: int | None) -> Pending:
        # A schedule may run it at speeds that are not for the hand.
        speed = wanted or nearest_speed(self.known.start_speed or MAX_SPEED)
        if (pump := self.known.pump_slot) is None:
            raise NotSupportedError("the slot of the pump is not known yet")
        body = {
            "aux_switch_state": on,
            "aux_slot_num": pump.index,
            "pump_speed": speed,
        }

        def show(state: PoolState) -> PoolState:
            mode = MODE_MANUAL if on else MODE_OFF
            readings = replace(state.readings, main_pump_mode=mode)
            if on:
                readings = replace(readings, pump_speed=speed)
            return replace(state, readings=readings)

        def holds(state: PoolState) -> bool:
            readings = state.readings
            if not on:
                # While the heater cools down the pump runs on (layouts.md 2.1).
                return state.pump_on is False or readings.pump_cooling_down is True
            at_speed = readings.pump_speed == wanted or readings.pump_priming is True
            return state.pump_on is True and (wanted is None or at_speed)

        return await self.send(
            "pump",
            show,
            holds,
            lan=lambda lan: lan.action("cmd", encode_cmd("v2_manual_set", body)),
            cloud=lambda cloud: cloud.set_pump(self.device_id, pump.index, on, speed),
        )


def _with_held(state: PoolState, slot: int, mode: int) -> PoolState:
    modes = list(state.aux_modes)
    if slot < len(modes):
        modes[slot] = mode
    slots = sorted({*(state.held_slots or ()), slot})
    return replace(state, aux_modes=tuple(modes), held_slots=tuple(slots))
