"""Holds: what a person switches by hand, and what is given back when its time is over.

The rules are design.md 4, ours (chosen).
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ..equipment import Role, Slot
from ..exceptions import (
    InvalidCommandError,
    NotGivenBackError,
    NotSupportedError,
    PoolctlError,
    RefusedError,
    UnreachableError,
)
from ..pool.holds import hold_of, off_until, tracked, with_hold
from ..pool.parts import Hold
from ..pool.state import PoolState
from .outputs import OutputControl
from .paths import Paths
from .poller import Poller
from .pump import PumpControl
from .store import Store

HOPELESS_WAIT = timedelta(hours=6)
"""Until it is tried again to give back what nothing that the controller takes gives back:
another firmware may."""

_BEGINS_WITHIN = timedelta(seconds=30)
"""How long after a command a read may show that it holds an output, asked for or not: a
`cmd` is queued (layouts.md 3), and a poll comes every 15 s (chosen)."""

type WallClock = Callable[[], datetime]
"""Tells the time, in the time zone of the controller."""


class HoldControl:
    """Switches outputs, and gives them back (see Sender for what commands raise).

    With `end_by_themselves`, off holds an output only as long as one of its schedules
    would switch it on again; else every switch by hand holds until it is given back.
    """

    def __init__(
        self,
        store: Store,
        paths: Paths,
        poller: Poller,
        outputs: OutputControl,
        pump: PumpControl,
        *,
        clock: WallClock,
        end_by_themselves: bool,
    ) -> None:
        """Follow what is held from now on."""
        self._store = store
        self._paths = paths
        self._poller = poller
        self._outputs = outputs
        self._pump = pump
        self._clock = clock
        self._end_by_themselves = end_by_themselves
        self._asked: dict[int, Hold] = {}
        """What was asked for last, until a read tells what came of it."""
        self._hopeless: dict[int, datetime] = {}
        """Slots that nothing gives back, and when that is tried again."""
        self._under_way: Counter[int] = Counter()
        self._giving_back = asyncio.Lock()
        store.add_read_listener(self._follow)

    # What a person asks for

    async def switch(self, slot: Slot | None, on: bool) -> None:
        """Switch an output by hand; raises NotSupportedError where its slot is not known."""
        slot, now = _known(slot), self._clock()
        wanted, hold = Hold(slot=slot.index, on=on, since=now.astimezone(UTC)), True
        if not on and self._end_by_themselves:
            until = off_until(self._store.state, slot, now)
            hold = until is not None
            # What needs no hold is over at once: should it be held all the same, as the
            # cloud may have done, it is given back.
            wanted = replace(wanted, until=until or wanted.since)
        await self._run(slot, wanted, hold=hold)

    async def hold(
        self, slot: Slot | None, on: bool, duration: timedelta, speed: int | None = None
    ) -> None:
        """Hold an output on or off for some time; the pump also at a speed in %.

        Raises InvalidCommandError for a speed that it cannot have.
        """
        slot, now = _known(slot), self._clock().astimezone(UTC)
        if speed is not None and not (slot.role is Role.PUMP and on):
            raise InvalidCommandError("it has no speed", reason="schedule_no_speed")
        wanted = Hold(slot=slot.index, on=on, since=now, until=now + duration)
        await self._run(slot, wanted, hold=True, speed=speed)

    async def _run(
        self, slot: Slot, wanted: Hold, *, hold: bool, speed: int | None = None
    ) -> None:
        before = hold_of(self._store.known, slot.index)
        with self._switching(slot.index):
            self._asked[slot.index] = wanted
            try:
                await self._send(slot, wanted.on, hold=hold, speed=speed)
            except RefusedError:
                # It certainly is as it was.
                self._put(wanted, before)
                raise
            self._put(wanted, wanted)

    async def _send(
        self, slot: Slot, on: bool, *, hold: bool, speed: int | None = None
    ) -> None:
        if slot.role is Role.PUMP:
            await self._pump.switch(on, hold=hold, speed=speed)
        else:
            await self._outputs.switch(slot.index, on, hold=hold)

    def _put(self, wanted: Hold, hold: Hold | None) -> None:
        """Keep what came of what was asked for, unless more was asked for meanwhile."""
        slot = wanted.slot
        if self._asked.get(slot, wanted) is wanted:
            needs_none = hold is wanted and wanted.until == wanted.since
            # Then a read may still come that shows it held all the same.
            if not needs_none:
                self._asked.pop(slot, None)
            self._store.update(lambda known: with_hold(known, slot, hold))

    # What is given back

    @property
    def next_end(self) -> datetime | None:
        """When the next hold ends that still lasts, or is tried to end once more."""
        now = self._clock()
        ends = [hold.until for hold in self._store.known.holds if hold.until]
        ends += self._hopeless.values()
        return min((end for end in ends if end > now), default=None)

    @property
    def due(self) -> list[Hold]:
        """The holds that are over and can be given back the way that works now.

        Nothing tells whether the cloud holds an output off: that waits for the LAN.
        """
        now, paths = self._clock(), self._paths
        by_cloud = not paths.on_lan
        return [
            hold
            for hold in self._store.known.holds
            if hold.until is not None
            and hold.until <= now
            and hold.slot not in self._under_way
            and self._hopeless.get(hold.slot, now) <= now
            and not (by_cloud and paths.lan is not None and not hold.on)
        ]

    async def give_back(self) -> None:
        """Give back what is over; raises the first failure.

        It is looked at first: whoever switched it meanwhile has ended the hold.
        """
        async with self._giving_back:
            if not self.due:
                return
            if self._paths.on_lan and not await self._poller.read_lan():
                raise UnreachableError("no answer", sent=False)
            failures = []
            for hold in self.due:
                try:
                    await self._end(hold)
                except NotGivenBackError:
                    self._hopeless[hold.slot] = self._clock() + HOPELESS_WAIT
                except PoolctlError as err:
                    failures.append(err)
            if failures:
                raise failures[0]

    async def _end(self, hold: Hold) -> None:
        left: Hold | None = None
        with self._switching(hold.slot):
            if self._paths.on_lan:
                await self._outputs.resume_schedule(hold.slot)
            elif hold.on and (slot := self._store.known.outputs.slot(hold.slot)):
                # As the vendor's app does; the LAN will tell whether that holds it off.
                await self._send(slot, False, hold=False)
                left = replace(hold, on=False) if self._paths.lan else None
            if hold_of(self._store.known, hold.slot) == hold:
                self._store.update(lambda known: with_hold(known, hold.slot, left))

    # What is seen of them

    @contextmanager
    def _switching(self, slot: int) -> Generator[None]:
        """Believe no read about a slot while it is being switched."""
        self._under_way[slot] += 1
        try:
            yield
        finally:
            self._under_way[slot] -= 1
            self._under_way += Counter()  # keeps only what is above zero
            self._track()

    def _follow(self, state: PoolState, at: float) -> None:
        """Take over what a read tells; it is published right after."""
        self._store.known = self._tracked()
        if self._paths.lan_answers:
            begun = self._clock() - _BEGINS_WITHIN
            for slot in self._asked.keys() - self._under_way.keys():
                if self._asked[slot].since < begun:
                    del self._asked[slot]

    def _track(self) -> None:
        """Publish what is known of the holds now."""
        if (known := self._tracked()) != self._store.known:
            self._store.update(lambda _: known)

    def _tracked(self) -> PoolState:
        now = self._clock().astimezone(UTC)
        shown, under_way = self._store.state, self._under_way.keys()
        return tracked(self._store.known, shown, self._asked, under_way, now)


def _known(slot: Slot | None) -> Slot:
    if slot is None:
        raise NotSupportedError("its slot is not known yet")
    return slot
