"""The main pump: on, off, and its speed (protocol.md 2.6, O3)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from ..pool.choices import start_speed
from ..pool.state import PoolState
from ..wire.commands import PUMP_COMMAND, encode_aux, encode_cmd
from ..wire.equipment import MAIN_PUMP, SPEEDS
from ..wire.exceptions import (
    CannotReleaseError,
    DeclinedError,
    InvalidCommandError,
    LanBusyError,
    NotAppliedError,
    PoolctlError,
    UnreachableError,
    joined,
)
from ..wire.frame import MODE_MANUAL, MODE_OFF
from .command import Command, LanCommand, resuming
from .live_state import LiveState
from .moves import switching
from .paths import Paths
from .poller import Poller
from .sender import Sender

type UntilDone = Callable[[], Awaitable[bool]]
"""Waits until a command took effect; returns whether the LAN carried it."""

_KEY = "pump"
"""Key of all commands to the pump: only the newest one counts."""


class PumpControl:
    """Runs the main pump of one controller (see Sender for the errors of commands).

    Two commands control it, and neither certainly does everything (unknowns: L5, L6):
    `aux` may be declined for its slot, and `v2_manual_set` off may hold it off or may
    release it to its schedules. What the controller was observed to do is stored.
    """

    def __init__(
        self, sender: Sender, poller: Poller, paths: Paths, live: LiveState
    ) -> None:
        self._sender, self._poller = sender, poller
        self._paths, self._live = paths, live
        self._no_aux = False
        """Whether the controller declines `aux` for the slot of the pump."""
        self._off_holds = False
        """Whether `v2_manual_set` off was observed to hold the pump off."""
        self._firmware: str | None = None
        self._live.read_listeners.append(self._learn_anew)

    def _learn_anew(self, state: PoolState, at: float) -> None:
        """Forget how the previous firmware behaved (unknowns: L22)."""
        if state.firmware != self._firmware:
            self._firmware = state.firmware
            self._no_aux = self._off_holds = False

    async def switch(self, on: bool) -> None:
        """Hold the pump on or off, and wait for the effect."""
        await (await self.begin(on, hold=True))()

    async def begin(
        self, on: bool, *, hold: bool, speed: int | None = None
    ) -> UntilDone:
        """Run the pump at a speed in %, by default its last one, or stop it.

        `aux` holds it off: whether `v2_manual_set` off does so, or only releases it to
        its schedules, is not documented (protocol.md O3). On always holds it. Returns a
        function that waits for the effect; raises InvalidCommandError for a speed
        outside 40 to 100.
        """
        command = self._command(on, None if speed is None else checked_speed(speed))
        asked_again = self._no_aux
        if on or not hold or self._no_aux:
            pending = await self._sender.send(command)
        else:
            pending = await self._held_off_by_aux(command)

        async def finish() -> bool:
            try:
                await self._sender.confirm(pending)
            except NotAppliedError:
                # New firmware may accept what the previous one declined.
                if on or not hold or not (asked_again and await self._held_off()):
                    raise
            if not on and not hold:
                await self._ensure_released(pending)
            return pending.by_lan

        return finish

    async def _ensure_released(self, pending: Command) -> None:
        slot = self._live.reported.outputs.pump_slot
        if pending.by_lan and slot in (self._live.reported.outputs.held or ()):
            # If neither command releases the pump, it still is off, as requested.
            await self._resumed_by_aux(slot)

    async def resume(self) -> None:
        """Release the pump to its schedules, or raise CannotReleaseError."""
        slot = self._live.reported.outputs.pump_slot
        ways = [self._resumed_by_aux, self._resumed_by_command]
        for way in reversed(ways) if self._no_aux else ways:
            if await way(slot):
                return
        raise CannotReleaseError("no command releases it")

    async def _resumed_by_aux(self, slot: int) -> bool:
        outputs = self._live.reported.outputs
        return await self._taken(resuming(_KEY, slot, outputs, _aux(slot, held=False)))

    async def _resumed_by_command(self, slot: int) -> bool:
        if self._off_holds:
            return False
        if self._is_free(slot):
            # The command might hold it off, so it is not sent if a new read agrees.
            if self._paths.lan is not None and not await self._poller.read_lan():
                raise UnreachableError("it does not answer", ran=False)
            if self._is_free(slot):
                return True
        was_on, outputs = self._live.reported.pump_on, self._live.reported.outputs
        run = self._command(False, None).lan
        pending = await self._sender.send(resuming(_KEY, slot, outputs, run))
        self._no_aux = True
        try:
            await self._sender.confirm(pending)
        except NotAppliedError, LanBusyError:
            # A busy controller may have run it: only the pump's present state counts.
            if was_on and self._live.reported.pump_on is False:
                # It was meant to release the pump, but held it off: run it again.
                self._off_holds = True
                await self.switch(True)
            return False
        return True

    def _is_free(self, slot: int) -> bool:
        """Return whether the pump is reported as not held."""
        held = self._live.reported.outputs.held
        return held is not None and slot not in held

    async def _held_off(self) -> bool:
        """Hold the pump off by `aux`; return whether the controller accepts that."""
        by_aux = _aux(self._live.reported.outputs.pump_slot, held=True)
        return await self._taken(replace(self._command(False, None), lan=by_aux))

    async def _taken(self, command: Command) -> bool:
        """Send an `aux`; return whether it is accepted for the pump's slot."""
        try:
            await self._sender.run(command)
        except DeclinedError:
            return False
        self._no_aux = False
        return True

    async def _held_off_by_aux(self, command: Command) -> Command:
        """Send the `aux` in place of a command, or the command if `aux` is declined."""
        slot = self._live.reported.outputs.pump_slot
        try:
            return await self._sender.send(replace(command, lan=_aux(slot, held=True)))
        except DeclinedError as declined:
            try:
                pending = await self._sender.send(command)
            except PoolctlError as err:
                raise joined(err, declined) from None
        self._no_aux = True
        return pending

    def _command(self, on: bool, wanted: int | None) -> Command:
        """Return the command that uses `v2_manual_set`, or `setPumpInfo` by cloud."""
        slot, live = self._live.reported.outputs.pump_slot, self._live
        speed = wanted or start_speed(live.reported, live.choices)
        body = {"aux_switch_state": on, "aux_slot_num": slot, "pump_speed": speed}
        by_cloud = {
            "aux_switch_state": int(on),
            "aux_type_code": MAIN_PUMP,
            "pump_speed": speed,
            "aux_slot_num": slot,
        }
        payload = encode_cmd(PUMP_COMMAND, body)
        return Command(
            key=_KEY,
            show=lambda state: _running(state, on, speed),
            confirms=lambda state: _holds(state, on, wanted),
            moves=switching(live.reported.outputs, slot),
            lan=lambda lan: lan.action("cmd", payload),
            cloud=lambda cloud: cloud.write("setPumpInfo", by_cloud),
        )


def _aux(slot: int, *, held: bool) -> LanCommand:
    """Return the command that switches the pump off, held or not."""
    payload = encode_aux(slot, False, held)
    return lambda lan: lan.action("aux", payload)


def checked_speed(speed: int) -> int:
    """Return a speed in %; raises InvalidCommandError for one that no pump has."""
    if speed not in SPEEDS:
        raise InvalidCommandError(reason="schedule_speed")
    return speed


def _running(state: PoolState, on: bool, speed: int) -> PoolState:
    mode = MODE_MANUAL if on else MODE_OFF
    readings = replace(state.readings, main_pump_mode=mode)
    if on:
        readings = replace(readings, pump_speed=speed)
    return replace(state, readings=readings)


def _holds(state: PoolState, on: bool, wanted: int | None) -> bool:
    """Return whether the pump runs as requested; `wanted` is the requested speed."""
    if not on:
        # While the heater cools down, the pump runs on (protocol.md O2.1).
        return state.pump_on is False or state.signals.pump_cooling_down is True
    # It primes at full speed, and reports 0 until the motor turns (unknowns: L19).
    starts = state.signals.pump_priming is True or state.readings.pump_speed == 0
    at_speed = wanted is None or starts or state.readings.pump_speed == wanted
    return state.pump_on is True and at_speed
