"""One controller: its state and every command a person can give.

The rules of commands are design.md 4, ours (chosen): the path that is the source first,
a refusal is final, the asked value is shown until the controller confirms it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
import time
from typing import Any

from .cloud import CloudClient
from .commands import decode_json, encode_aux, encode_cmd
from .exceptions import (
    AuthenticationError,
    BusyError,
    InvalidCommandError,
    LanBusyError,
    NotAppliedError,
    NotOfferedError,
    NotSupportedError,
    PoolctlError,
    ReplyError,
    UnreachableError,
)
from .frame import MODE_MANUAL, MODE_OFF, StateFrame
from .lan import LanClient
from .pending import Coalescer, Pending
from .poller import Poller
from .state import PoolState

READ_BACK = (2.0, 5.0, 10.0, 15.0, 20.0)
"""s after a command at which its effect is looked for."""
LAN_PATIENCE = 25.0
"""s after which a poll ends what no command waits for: longer than any waits."""
CLOUD_STALENESS = 35.0
"""s a cloud read may be older than the controller: its cache's 30, and some."""

MIN_SPEED, MAX_SPEED, SPEED_STEP = 40, 100, 5
"""% (layouts.md 3)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A desired value: where it is kept, and what a person may choose (chosen)."""

    query: str
    command: str
    key: str
    reset: str
    """The flag of the whole object that refills a drum."""
    low: float
    high: float
    step: float
    factor: int = 1


_PH = "get_ph_settings", "set_ph_settings"
_CHLORINE = "get_chlorine_settings", "set_chlorine_settings"
_ORP_RANGE = 400, 900, 10

SETTINGS = {
    "desired_ph": Setting(
        *_PH, "desired_ph_level", "reset_acid_volume", 6.8, 8.2, 0.1, factor=10
    ),
    "desired_orp_mineral": Setting(
        *_CHLORINE, "desired_orp_level_mineral", "reset_chlorine_volume", *_ORP_RANGE
    ),
    "desired_orp_liquid": Setting(
        *_CHLORINE, "desired_orp_level_liquid", "reset_chlorine_volume", *_ORP_RANGE
    ),
}
"""By field of Configuration."""

type _LanCommand = Callable[[LanClient], Awaitable[StateFrame | None]]
type _CloudCommand = Callable[[CloudClient], Awaitable[None]]


type _Show = Callable[[PoolState], PoolState]
type _Holds = Callable[[PoolState], bool]


class Controller(Poller):
    """A controller to command; commands return once their effect was seen.

    They raise InvalidCommandError before anything is sent, UnreachableError or
    BusyError where nobody takes them, RefusedError where they are declined, and
    NotAppliedError where they were accepted but changed nothing.
    """

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
            device_id,
            lan=lan,
            cloud=cloud,
            publish=publish,
            remembered=remembered or PoolState(),
        )
        self._coalescer = Coalescer()
        self._settings_lock = asyncio.Lock()

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

        await self._command(
            f"slot {slot}",
            show,
            holds,
            lan=lambda lan: lan.action("aux", payload),
            cloud=switch,
        )

    async def resume_schedule(self, slot: int | None) -> None:
        """Give a slot back to its schedules."""
        if slot is None:
            raise NotSupportedError("its slot is not known yet")

        def show(state: PoolState) -> PoolState:
            held = tuple(held for held in state.held_slots or () if held != slot)
            return replace(state, held_slots=held)

        payload = encode_aux(slot, False, False)
        await self._command(
            f"slot {slot}",
            show,
            lambda state: state.held_slots is not None and slot not in state.held_slots,
            lan=lambda lan: lan.action("aux", payload),
        )

    async def resume_schedules(self) -> None:
        """Give every held slot back to its schedules; raises the first failure."""
        failures = []
        for slot in self.known.held_slots or ():
            try:
                await self.resume_schedule(slot)
            except PoolctlError as err:
                failures.append(err)
        if failures:
            raise failures[0]

    async def set_pump(self, on: bool) -> None:
        """Run the main pump at its last speed, or stop it."""
        await self._confirm(await self._send_pump(on, None))

    async def set_pump_speed(self, speed: int) -> None:
        """Set the speed in %; a pump that stands still starts with it next time.

        Raises InvalidCommandError outside 40 to 100.
        """
        if not MIN_SPEED <= speed <= MAX_SPEED:
            raise InvalidCommandError(f"{speed} % is not a speed of this pump")
        speed = _by_hand(speed)
        if self.state.pump_on:
            await self._coalescer.run(
                "pump", speed, self._send_pump_speed, self._confirm
            )
        else:
            self.update(start_speed=speed)

    async def _send_pump_speed(self, speed: int) -> Pending:
        return await self._send_pump(True, speed)

    async def _send_pump(self, on: bool, wanted: int | None) -> Pending:
        # A schedule may run it at speeds that are not for the hand.
        speed = wanted or _by_hand(self.known.start_speed or MAX_SPEED)
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

        return await self._send(
            "pump",
            show,
            holds,
            lan=lambda lan: lan.action("cmd", encode_cmd("v2_manual_set", body)),
            cloud=lambda cloud: cloud.set_pump(self.device_id, pump.index, on, speed),
        )

    async def change_setting(self, field: str, value: float) -> None:
        """Change a desired value: pH, or ORP in mV (mineral or liquid).

        The firmware sets what a settings object lacks to 0 (layouts.md 3), so the whole
        object is read, changed and written back. Raises InvalidCommandError outside the
        setting's range, and ReplyError where the object lacks the value to change.
        """

        setting = SETTINGS[field]
        if not setting.low <= value <= setting.high:
            raise InvalidCommandError(
                f"{value} is not between {setting.low} and {setting.high}"
            )

        async def write(lan: LanClient, raw: int) -> StateFrame | None:
            async with self._settings_lock:
                settings = decode_json(await lan.query(setting.query, urgent=True))
                if setting.key not in settings:
                    raise ReplyError(f"the settings have no {setting.key}")
                settings |= {setting.key: raw, setting.reset: False}
                return await lan.action("cmd", encode_cmd(setting.command, settings))

        async def send(wanted: float) -> Pending:
            raw = round(wanted * setting.factor)
            shown = raw if setting.factor == 1 else raw / setting.factor
            changes: dict[str, Any] = {field: shown}

            def show(state: PoolState) -> PoolState:
                configuration = replace(state.configuration, **changes)
                return replace(state, configuration=configuration)

            return await self._send(
                field, show, lambda s: show(s) == s, lan=lambda lan: write(lan, raw)
            )

        await self._coalescer.run(field, value, send, self._confirm)

    async def stop(self) -> None:
        """End what is under way."""
        await self._coalescer.stop()

    # How a command goes its way

    async def _command(
        self,
        key: str,
        show: _Show,
        holds: _Holds,
        *,
        lan: _LanCommand | None = None,
        cloud: _CloudCommand | None = None,
    ) -> None:
        await self._confirm(await self._send(key, show, holds, lan=lan, cloud=cloud))

    async def _send(
        self,
        key: str,
        show: _Show,
        holds: _Holds,
        *,
        lan: _LanCommand | None = None,
        cloud: _CloudCommand | None = None,
    ) -> Pending:
        """Send an idempotent command and show the asked value until it is confirmed."""
        by_lan, frame = await self._deliver(lan, cloud)
        now = time.monotonic()
        patience = LAN_PATIENCE if by_lan else CLOUD_STALENESS
        pending = Pending(key, by_lan, now, now + patience, show, holds)
        self.pending.add(pending)
        if frame is not None:
            self.merge_frame(frame)
        else:
            self._publish()
        return pending

    async def _deliver(
        self, lan: _LanCommand | None, cloud: _CloudCommand | None
    ) -> tuple[bool, StateFrame | None]:
        """Send by the current source's path, by the other one if nobody takes it.

        Returns whether the LAN took it, and the frame of its reply.
        """
        errors: list[PoolctlError] = []
        for by_lan in (self.on_lan, not self.on_lan):
            try:
                if by_lan and lan and self.lan:
                    return True, await self._try_twice(lan, self.lan)
                if not by_lan and cloud and self.cloud:
                    if self.lan is not None:
                        self.lan.skip_counter()
                    await cloud(self.cloud)
                    return False, None
            except (UnreachableError, BusyError) as err:
                errors.append(err)
            except (AuthenticationError, NotOfferedError, NotSupportedError) as err:
                # Of the cloud alone: the LAN may still take it.
                errors.append(err)
        raise errors[0] if errors else NotSupportedError("no path can carry this")

    async def _try_twice(
        self, command: _LanCommand, lan: LanClient
    ) -> StateFrame | None:
        """Send to the LAN, again where it was certainly not run (interface.md 4.2)."""
        try:
            return await command(lan)
        except LanBusyError:
            pass
        except UnreachableError as err:
            if err.sent:
                raise
        await asyncio.sleep(0.5)
        return await command(lan)

    async def _confirm(self, pending: Pending) -> None:
        """Wait until the asked value was seen; raises NotAppliedError if never.

        A cloud write is acknowledged by the controller (interface.md 4.1 rule 2), and a
        cloud read may be older than it: there, one look, and later polls decide.
        """
        for after in READ_BACK:
            if pending not in self.pending:
                return
            await asyncio.sleep(max(0, pending.sent + after - time.monotonic()))
            if pending not in self.pending:
                return
            if not pending.by_lan:
                await self.read_cloud(pace=False)
                return
            await self.read_lan()
        if pending in self.pending:
            self.pending.drop(pending)
            self._publish()
            raise NotAppliedError("the controller accepted it but did not do it")


def _by_hand(speed: int) -> int:
    """Return the nearest speed a person may choose."""
    speed = round(speed / SPEED_STEP) * SPEED_STEP
    return min(MAX_SPEED, max(MIN_SPEED, speed))


def _with_held(state: PoolState, slot: int, mode: int) -> PoolState:
    modes = list(state.aux_modes)
    if slot < len(modes):
        modes[slot] = mode
    slots = sorted({*(state.held_slots or ()), slot})
    return replace(state, aux_modes=tuple(modes), held_slots=tuple(slots))
