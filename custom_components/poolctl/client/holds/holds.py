"""The holds of one controller: switched, followed, and released at their end."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, override

from ..coalescing import Coalescer
from ..control.outputs import OutputControl
from ..control.pump import checked_speed
from ..controller_clock import Times
from ..pool.outputs import Output
from ..pool.state import PoolState, Source
from ..pool.windows import running_schedule, window_of
from ..wire.equipment import Role, Slot
from ..wire.exceptions import InvalidCommandError, NotSupportedError, PoolctlError
from .claim import SETTLING, Why
from .claims import Claims, Reads
from .evidence import held_outputs, lasts, runs
from .hold import Asked, Hold, Origin, rescheduled

_CAUSED: Final = 60.0
"""Seconds after any command in which a new hold may be its effect (chosen)."""
_LONGER: Final = timedelta(seconds=5)
"""Time for which the pump runs on after what runs only with it (chosen)."""
_OUTPUT: Final = "output "
"""Begin of the claimants for which the pump runs: outputs that run only with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A user's request for an output.

    Without a hold, only the speed of the running pump changes; without that either, the
    output is released.
    """

    slot: Slot
    hold: Hold | None = None
    speed: int | None = None

    def then(self, newer: _Request) -> _Request:
        """Return what a user wants who asks for this, and for something newer."""
        if self.hold is None or newer.hold or newer.speed is None:
            return newer
        return replace(self, speed=newer.speed) if self.hold.on else self


class Holds(Claims[Hold]):
    """Switches outputs, and releases them (see Sender for the errors of commands).

    With `end_by_themselves`, switching off holds an output only while one of its
    schedules would switch it on again; otherwise every hold lasts until it is released.
    """

    def __init__(
        self,
        reads: Reads,
        outputs: OutputControl,
        times: Times,
        stored: Iterable[Hold],
        *,
        end_by_themselves: bool,
    ) -> None:
        super().__init__(reads, times, stored)
        self._outputs = outputs
        self._end_by_themselves = end_by_themselves
        self.coalescer = Coalescer(burst=3)
        self._others: dict[tuple[int, bool], float] = {}
        """Since when reads show each override that is not ours, on or off."""
        self.stopped_by_spa: tuple[Hold, ...] = ()
        """Cleaners held on until spa mode stopped them; nothing is sent (chosen)."""

    # State

    def of(self, output: Output) -> Hold | None:
        """Return the hold of an output, if a user sees it."""
        index = output if isinstance(output, int) else self._find(output).index
        hold = self._all.get(index)
        return hold if hold is not None and hold.needs_undoing else None

    def _find(self, output: Output | None) -> Slot:
        return self._live.state.outputs.find(output)

    # Requests of the user

    async def switch(
        self,
        output: Output | None,
        on: bool,
        requester: str = "",
        *,
        stays: bool = False,
    ) -> None:
        """Switch an output by hand, without an end (see `Outputs.find` for errors).

        If it `stays`, it is held off, too, until somebody gives it back.
        """
        slot = self._find(output)
        hold = self._requested(slot.index, on, requester)
        if not (on or stays) and self._end_by_themselves:
            # If no schedule would run it, it need not be held off. The cloud may do so
            # nevertheless: then a read releases it.
            hold = self._until_schedule_ends(hold, slot) or hold.unheld()
        await self._request(_Request(slot=slot, hold=hold))

    def _requested(
        self, slot: int, on: bool, requester: str = "", claimant: str = ""
    ) -> Hold:
        """Return a hold that is requested here, without an end."""
        now = self._follow_clock()
        return Hold(
            slot=slot,
            on=on,
            since=now,
            origins={claimant: Origin(Asked.HERE, now, requester)},
        )

    def _until_schedule_ends(self, hold: Hold, slot: Slot) -> Hold | None:
        """Return a hold that ends with the open windows of schedules, if there are any."""
        window = window_of(self._live.state, slot, self._times.local)
        if window is None:
            return None
        until = window.until and window.until - self._times.offset
        return replace(hold, until=until, schedules=window.schedules)

    async def set_speed(self, speed: int) -> None:
        """Set the speed of the pump in %; a stopped pump uses it at the next start.

        If a schedule runs the pump, that speed ends with the schedule. Raises
        InvalidCommandError outside 40 to 100.
        """
        pump, speed = self._live.state.outputs.pump, checked_speed(speed)
        if pump is not None and self._live.state.pump_on:
            await self._request(_Request(slot=pump, speed=speed))
        self._live.choose(lambda choices: replace(choices, pump_speed=speed))

    async def hold(
        self,
        output: Output | None,
        on: bool,
        duration: timedelta,
        speed: int | None = None,
        requester: str = "",
    ) -> None:
        """Hold an output on or off for some time; the pump also at a speed in %.

        What runs only with the pump starts it for that time. Raises InvalidCommandError
        for a speed that it cannot have, or a time that is not within `Hold.LONGEST`.
        """
        slot = self._find(output)
        if speed is not None and not (slot.role is Role.PUMP and on):
            raise InvalidCommandError(reason="schedule_no_speed")
        if not timedelta() < duration <= Hold.LONGEST:
            raise InvalidCommandError(reason="hold_too_long")
        hold = self._requested(slot.index, on, requester)
        hold = hold.lasting(duration, hold.since)
        until = hold.since + duration
        state, pump = self._live.state, self._live.state.outputs.pump
        if on and slot.role is Role.PUMP_LINKED and pump and state.pump_on is False:
            # The firmware would start it, too (protocol.md O2.4), and nothing ends that.
            with self._switching(slot.index):
                claimant = _for(slot.index)
                await self.claim(pump, claimant, until + _LONGER, requester)
                await self._request(_Request(slot=slot, hold=hold))
            return
        await self._request(_Request(slot=slot, hold=hold, speed=speed))

    async def claim(
        self,
        output: Output | None,
        claimant: str,
        until: datetime,
        requester: str = "",
    ) -> None:
        """Hold an output on until a time, for a claimant beside the user.

        Nothing is sent if it is held on already: it is released with its last claim.
        """
        slot = self._find(output)
        now, known = self._follow_clock(), self.of(slot.index)
        hold = self._requested(slot.index, True, requester, claimant)
        if known is not None and known.on and known.observed:
            claims = known.claimants_beside(claimant, now) | {claimant: until}
            known = replace(known, origins={**known.origins, **hold.origins})
            self._put(slot.index, known.for_claimants(claims, now))
            return
        hold = hold.for_claimants({claimant: until}, now)
        await self._request(_Request(slot=slot, hold=hold))

    async def resume(self, output: Output | None) -> None:
        """Release an output to its schedules."""
        await self._request(_Request(slot=self._find(output)))

    async def resume_all(self) -> None:
        """Release every held output to its schedules; raises the first failure.

        Raises NotSupportedError if held outputs are not reported (cloud alone).
        """
        if (held := held_outputs(self._live.state)) is None:
            raise NotSupportedError("what is held by hand is not reported")
        await self.resume_each(slot.index for slot in held)

    async def resume_each(self, slots: Iterable[int]) -> None:
        """Release outputs, each by itself, to their schedules; raises the first failure."""
        failures = []
        for index in slots:
            held = self._live.state.outputs.held
            if held is not None and index not in held:
                continue  # released with another one, as the actuators of a spa are
            try:
                await self.resume(self._live.state.outputs.slot(index))
            except PoolctlError as err:
                failures.append(err)
        if failures:
            raise failures[0]

    async def _request(self, request: _Request) -> None:
        """Send the newest request for a slot; all waiting callers get its outcome."""
        await self.coalescer.run(
            str(request.slot.index),
            request,
            self._send,
            lambda finish: finish(),
            combine=_Request.then,
        )

    # Sending

    async def _send(self, request: _Request) -> Callable[[], Awaitable[object]]:
        """Send a user's request; return a function that waits for the outcome."""
        slot, hold, speed = request.slot, request.hold, request.speed
        if hold is None and speed is not None:
            if running_schedule(self._live.state, slot) is not None:
                hold = self._requested(slot.index, True)
                if self._end_by_themselves:
                    hold = self._until_schedule_ends(hold, slot)
            if hold is None:  # what holds the pump, stays
                return await self._outputs.send(slot, True, held=True, speed=speed)
        if hold is None:
            try:
                with self._switching(slot.index):
                    await self._outputs.resume_schedule(slot.index)
                    self._put(slot.index, None)
            except PoolctlError as err:
                self._maybe_undone(slot.index, err)
                raise
            return _nothing
        return await self._begin(slot, self._after_previous(hold), speed)

    def _after_previous(self, hold: Hold) -> Hold:
        """Return a requested hold that replaces the present one, if there is one.

        What one claimant wants does not end what others need.
        """
        now, previous = self._follow_clock(), self._all.get(hold.slot)
        if hold.on and previous is not None and previous.on:
            own = hold.claimants or {"": hold.until}
            if others := previous.claimants_beside(next(iter(own)), now):
                hold = replace(hold, origins={**previous.origins, **hold.origins})
                hold = hold.for_claimants({**others, **own}, now)
        if previous and not previous.confirmed and previous.on is hold.on:
            previous = previous.previous  # the same command again
        return replace(hold, confirmed=False, previous=previous)

    async def _begin(
        self, slot: Slot, hold: Hold, speed: int | None
    ) -> Callable[[], Awaitable[None]]:
        index, present = slot.index, self._all.get(slot.index)
        with self._requesting(hold, present):
            await self._promise(hold)
            finish = await self._outputs.send(
                slot, hold.on, held=hold.needs_undoing, speed=speed
            )

        async def confirm() -> None:
            with self._requesting(hold, present):
                by_lan = await finish()
            if (newest := self._newest(hold)) is not None:
                # If it needs no hold, reads show whether it is held nevertheless.
                confirmed = replace(newest, by_cloud=not by_lan, previous=None)
                known = hold.needs_undoing or newest.confirmed
                self._put(index, replace(confirmed, confirmed=known))

        return confirm

    # Reads

    @override
    def add_read(self, state: PoolState, at: float) -> None:
        previous = self.all
        super().add_read(state, at)
        gone = [h for h in previous if h.confirmed and h.slot not in self._all]
        self.stopped_by_spa = tuple(
            hold for hold in (*self.stopped_by_spa, *gone) if hold.stopped_by_spa(state)
        )
        if state.source is Source.LAN:
            self._add_others(state, at)

    def _add_others(self, state: PoolState, at: float) -> None:
        """Add the holds of other clients, which last until they are released.

        A short state proves none (protocol.md L25): it has to last.
        """
        observed, self._others = self._others, {}
        for slot in held_outputs(state) or ():
            index, on, known = slot.index, runs(state, slot), self._all.get(slot.index)
            if on in (None, known and known.on) or index in self._under_way:
                continue
            since = self._others[index, on] = observed.get((index, on), at)
            if known is None and at - since >= lasts(slot):
                now = self._follow_clock()
                origins = {"": Origin(self._asked(since), now)}
                other = Hold(slot=index, on=on, since=now, origins=origins)
                self._set(index, replace(other, sent_at=since - SETTLING))

    def _asked(self, at: float) -> Asked:
        """Return where a hold was requested that a read is the first to show."""
        commanded_at = self._live.commanded_at
        alone = commanded_at is None or at - commanded_at > _CAUSED
        return Asked.ELSEWHERE if alone else Asked.UNKNOWN

    # Ends

    @override
    def _with_present_end(self, claim: Hold, state: PoolState) -> Hold:
        hold = rescheduled(claim, state, self._times.local, self._times.offset)
        ends = {who: self._end_for(who, end) for who, end in hold.claimants.items()}
        return (
            hold
            if ends == hold.claimants
            else hold.for_claimants(ends, self._follow_clock())
        )

    def _end_for(self, claimant: str, end: datetime | None) -> datetime | None:
        """Return the end of a claim, which follows the hold of the output it is for."""
        if not claimant.startswith(_OUTPUT) or claimant in map(_for, self._under_way):
            return end
        now, holds = self._follow_clock(), {_for(each.slot): each for each in self.all}
        if (hold := holds.get(claimant)) is None or not hold.on:
            return min(end or now, now)
        return hold.until and hold.until + _LONGER

    @override
    async def _undo(self, claim: Hold) -> Hold | None:
        if self._paths.on_lan:
            await self._outputs.resume_schedule(claim.slot)
            return None
        # It is switched off as the vendor's app does. That may hold it off: once there
        # is a LAN, a read shows it.
        left = replace(
            self._requested(claim.slot, False).unheld(),
            confirmed=False,
            why=Why.NOT_NEEDED,
        )
        if claim.on:
            slot = self._find(self._live.state.outputs.slot(claim.slot))
            try:
                await (await self._outputs.send(slot, False, held=False))()
            except PoolctlError as err:
                if err.ran is not False:
                    previous = replace(claim, previous=None)
                    self._set(claim.slot, replace(left, previous=previous))
                raise
        return left


def _for(slot: int) -> str:
    return f"{_OUTPUT}{slot}"


async def _nothing() -> None:
    """Return at once: a release is already confirmed."""
