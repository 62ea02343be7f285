"""Reading one controller: the LAN first, the cloud while the LAN is down.

The intervals are the service's advice (protocol.md 4.2 rule 9 and 8). All else is chosen.
"""

import asyncio
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
import logging
import time

from ..clock import Clock
from ..cloud import COPY_AGE, CloudClient
from ..facts import Change, Poll
from ..lan import LAN_TIMEOUT, LanClient
from ..pool.from_cloud import CLOUD_READS, Merge, merge_dashboard, merge_schedule_info
from ..pool.from_lan import merge_frame
from ..pool.queries import QUERY_INTERVAL, SCHEDULES
from ..pool.state import PoolState, Source
from ..wire.exceptions import BusyError, OvertakenError, PoolctlError, UnreachableError
from ..wire.frame import StateFrame, alike
from ..wire.json_values import Answer
from ..wire.schedule import Schedule
from .door import Door
from .frames import AGAIN, FrameDoor
from .live_state import LiveState
from .paths import Paths
from .queries import COPIES_APART, Queries

_LOGGER = logging.getLogger(__name__)

SECOND_TRY = 1.0
"""Seconds before a failed LAN read is repeated: at once, the cause may still exist."""
LAN_INTERVAL = 15.0
PATIENCE, HEAD_START = 15.0, 4.0
"""Seconds that the LAN has before the cloud is read, too. `PATIENCE` leaves room for one
attempt and the start of a second one, `HEAD_START` applies to the poll after a failed
one. So the cloud's values arrive within 35 s of the last LAN answer."""
CLOUD_INTERVAL = 30.0
_AGAIN_WITHIN = 2.0
"""Seconds that the second read of a frame that surprises may take."""
_EARLY = 1.0
"""Seconds by which a timer may fire early: the poller then waits for the rest."""
_SOONEST = 1.0
"""Minimum seconds between two polls."""


class Poller:
    """Reads the state, and decides when and from where it is read next."""

    def __init__(
        self, live: LiveState, paths: Paths, queries: Queries, clock: Clock
    ) -> None:
        self._live = live
        self._clock = clock
        self._paths = paths
        self._queries = queries
        outputs = live.reported.outputs
        self._door = FrameDoor(outputs.types if outputs.types_complete else None)
        self._began = 0.0
        """Start of the newest poll (monotonic, s)."""
        self._cloud_not_before = 0.0
        self._cloud_door = Door[PoolState]()
        self._schedules_due = 0.0
        self._cloud_read: asyncio.TimerHandle | asyncio.Task[None] | None = None
        """Will read the cloud, or reads it; an answer of the LAN ends either."""

    @property
    def interval(self) -> float:
        """Seconds until the next poll.

        The LAN has its own beat, whatever the cloud does: from the start of a poll to
        that of the next one. Without a LAN, it is the beat of the cloud, whose reads
        are apart from the end of one to the start of the next. A state that would expire
        earlier is read before it does.
        """
        now = time.monotonic()
        due = self._began + LAN_INTERVAL
        if self._paths.lan is None and self._paths.cloud is not None:
            due = max(due, self._cloud_not_before)
        if (left := self._live.expires_in) > 0:
            due = min(due, now + left)
        return max(due - now, _SOONEST)

    @property
    def silent(self) -> bool:
        """Whether two polls in a row were not answered, nor by the cloud."""
        paths = self._paths
        if paths.on_lan or (paths.cloud is not None and paths.cloud_error is None):
            return False
        by_cloud = self._live.reported.source is Source.CLOUD
        usual = CLOUD_INTERVAL if by_cloud else LAN_INTERVAL
        return self._live.age > 1.5 * usual

    async def poll(self, *, hastily: bool = False) -> None:
        """Read once, LAN first; raises as `check_answered` does.

        Hastily, the cloud is read as soon as the LAN does not answer.
        """
        self._began = time.monotonic()
        self._clock.check()
        await self._read_both(hastily)
        self.check_answered()

    def check_answered(self) -> None:
        """Raise the error of the newest read if nothing answered for 90 s, or ever."""
        if self._live.expires_in <= 0:
            error = self._paths.lan_error or self._paths.cloud_error
            # It may be raised repeatedly: its traceback would grow.
            raise (
                UnreachableError("no connection to the controller")
                if error is None
                else error.with_traceback(None)
            )

    async def _read_both(self, hastily: bool) -> None:
        """Read the LAN, and the cloud beside it once the LAN failed twice or is silent.

        The read of the cloud goes on by itself: an answer is awaited until the LAN's next
        beat at most, and only if the LAN gave none.
        """
        paths = self._paths
        if paths.on_lan:
            soon = hastily or not paths.lan_answers
            self._use_cloud_in(HEAD_START if soon else PATIENCE)
        else:
            self._use_cloud()
        if await self.read_lan():
            return
        if not paths.lan_missed() and not hastily:
            self._leave_cloud()
            return
        self._use_cloud()
        await self._wait_for_cloud(self._began + LAN_INTERVAL - time.monotonic())

    def _use_cloud_in(self, seconds: float) -> None:
        self._leave_cloud()
        loop = asyncio.get_running_loop()
        self._cloud_read = loop.call_later(seconds, self._use_cloud)

    def _use_cloud(self) -> None:
        """Use the cloud from now on, if there is one; read it once it is due."""
        self._paths.lan_lost()
        if isinstance(read := self._cloud_read, asyncio.Task) and not read.done():
            return
        early = self._cloud_not_before - time.monotonic()
        if early > _EARLY:
            if self._paths.lan is not None:  # else it has the beat of the polls
                self._use_cloud_in(early)
            return
        self._leave_cloud()
        self._cloud_read = asyncio.create_task(self.read_cloud())

    async def _wait_for_cloud(self, seconds: float) -> None:
        if isinstance(read := self._cloud_read, asyncio.Task) and seconds > 0:
            await asyncio.wait([read], timeout=seconds)
            if read.done() and not read.cancelled():
                read.result()

    def _leave_cloud(self) -> None:
        """End the read of the cloud, and begin no other one."""
        if self._cloud_read is not None:
            self._cloud_read.cancel()

    async def stop(self) -> None:
        """End the read of the cloud, which the next poll may begin again."""
        self._leave_cloud()
        if isinstance(self._cloud_read, asyncio.Task):
            await asyncio.wait([self._cloud_read])

    async def read_lan(self, *, again: bool = True) -> bool:
        """Read the LAN; return whether it answered.

        A read that fails has one retry after a second. With `again`, a frame that
        surprises is read again after 2 s; otherwise the next read decides about it.
        """
        paths = self._paths
        if (lan := paths.lan) is None:
            return False
        try:
            admitted = self.merge_frame(await self._ask_lan(lan))
        except PoolctlError as err:
            paths.lan_error, paths.lan_works = err, False
            return False
        paths.lan_works = True
        if again and not admitted:
            await asyncio.sleep(AGAIN)
            with suppress(PoolctlError, TimeoutError):  # the next poll decides then
                async with asyncio.timeout(_AGAIN_WITHIN):
                    self.merge_frame(await self._ask_lan(lan))
        return True

    @contextmanager
    def _reported(self, *, by_lan: bool) -> Generator[None]:
        """Emit a read that the block makes."""
        started, emit = time.monotonic(), self._paths.facts.emit
        try:
            yield
        except PoolctlError as err:
            emit(Poll(by_lan, time.monotonic() - started, err))
            raise
        emit(Poll(by_lan, time.monotonic() - started, None))

    async def _ask_lan(self, lan: LanClient) -> StateFrame:
        with self._reported(by_lan=True):
            try:
                # The limit includes the wait for a request in progress.
                async with asyncio.timeout(2 * LAN_TIMEOUT + SECOND_TRY):
                    try:
                        return await lan.state()
                    except PoolctlError:
                        await asyncio.sleep(SECOND_TRY)
                        return await lan.state()
            except TimeoutError:
                raise UnreachableError("no answer in time") from None

    def merge_frame(self, frame: StateFrame, *, opens: bool = False) -> bool:
        """Merge a LAN frame into the state, which makes the LAN the source.

        Returns whether all of it was accepted; if not, the next frame decides. Until
        then, it is evidence for commands in progress, and for nothing else. A frame that `opens`
        the door may show anything, like the first one after the cloud was the source.
        """
        live, now, at = self._live, self._clock.now(), time.monotonic()
        previous = live.reported
        self._paths.lan_answered()
        self._leave_cloud()  # the LAN is the better source
        opens = opens or previous.source is not Source.LAN
        admitted = self._door.admit_frame(frame, at, live.pending.moved, opens=opens)
        if admitted is None:
            live.confirm(merge_frame(previous, frame, now), at)
            return False
        live.reported = merge_frame(previous, admitted, now)
        self._report_source(previous)
        if admitted.configuration is not None:
            self._queries.drop_outdated(admitted.configuration)
        live.after_read(self._door.shown_at)
        return self._door.doubted is None

    def _report_source(self, previous: PoolState) -> None:
        source = self._live.reported.source
        if source is not previous.source and source is not None:
            self._paths.facts.emit(Change("source", source.value))

    async def read_cloud(self) -> None:
        """Read the dashboard and other offered endpoints, 30 s after the last read."""
        paths, early = self._paths, self._cloud_not_before - time.monotonic()
        if (cloud := paths.cloud) is None:
            return
        await asyncio.sleep(max(0.0, early))
        wait, started = CLOUD_INTERVAL, time.monotonic()
        try:
            with self._reported(by_lan=False), paths.asking_cloud():
                dashboard = await cloud.live_dashboard(paths.device_id)
            paths.cloud_error = None
            if self._live.reported.source is not Source.CLOUD:
                # Show the first values at once; the other endpoints follow.
                self._merge_cloud(started, ((merge_dashboard, dashboard),))
            extras = await self._read_extras(cloud)
            self._merge_cloud(started, ((merge_dashboard, dashboard), *extras))
            await self._refresh_schedules(cloud)
        except OvertakenError:
            pass  # the command will show whether the cloud answers
        except PoolctlError as err:
            paths.cloud_error = err
            if isinstance(err, BusyError) and err.retry_after:
                wait = max(wait, err.retry_after)
        finally:
            # After the last read: the wait applies to each endpoint.
            self._cloud_not_before = time.monotonic() + wait

    async def _read_extras(self, cloud: CloudClient) -> list[tuple[Merge, Answer]]:
        """Read the other endpoints that the service offers, one at a time.

        One that fails does not affect the others. Those not read within 30 s wait for
        the next cycle, so that the state does not expire meanwhile.
        """
        found: list[tuple[Merge, Answer]] = []
        until = time.monotonic() + CLOUD_INTERVAL
        # The busy one comes last: if it is always busy, the others are read, too.
        busy = cloud.gates[self._paths.device_id].last_busy
        for name in sorted(CLOUD_READS, key=lambda name: name == busy):
            if time.monotonic() > until:
                break
            read = CLOUD_READS[name]
            try:
                answer = await cloud.read(self._paths.device_id, name)
                found.append((read.merge, self._queries.admitted(answer)))
            except PoolctlError as err:
                _LOGGER.debug("Cloud read %s failed: %s", name, err)
                self._live.reported = read.assume(self._live.reported)
        return found

    def _merge_cloud(
        self, started: float, answers: Iterable[tuple[Merge, Answer]]
    ) -> None:
        if self._paths.on_lan:
            return
        previous = state = self._live.reported
        for merge, answer in answers:
            state = merge(state, answer, self._clock.now())
        # A state that expires before the next read cannot be compared with it.
        lasts = self._live.expires_in > CLOUD_INTERVAL and not self._live.pending
        expected = not (lasts and previous.source is Source.CLOUD) or (
            alike(previous.readings, state.readings)
            and alike(previous.signals, state.signals)
        )
        at, share = time.monotonic(), lambda first, newest: newest
        if not self._cloud_door.admit(state, at, share, expected=expected, apart=0.0):
            return
        self._live.reported = state
        self._report_source(previous)
        self._live.after_read(time.monotonic(), began=started)

    async def _refresh_schedules(self, cloud: CloudClient) -> None:
        """Read the schedules if due: each read costs the controller two commands."""
        if self._paths.on_lan or time.monotonic() < self._schedules_due:
            return
        self._schedules_due = time.monotonic() + CLOUD_INTERVAL
        try:
            self.add_schedules(await cloud.read(self._paths.device_id, "scheduleInfo"))
        except PoolctlError as err:
            _LOGGER.debug("Cloud read of the schedules failed: %s", err)

    def add_schedules(self, answer: Answer, *, new: Schedule | None = None) -> bool:
        """Publish the cloud's schedules at once unless they lack a new one.

        Returns whether they were published.
        """
        read = merge_schedule_info(self._live.reported, answer)
        if new and all(one.when != new.when for one in read.schedules.used.values()):
            return False
        records, known = read.schedules.records or (), self._live.reported
        if not self._queries.door.admits(SCHEDULES, records, known, apart=COPIES_APART):
            raise BusyError("they differ from before", retry_after=CLOUD_INTERVAL)
        self._schedules_due = time.monotonic() + QUERY_INTERVAL
        # Before anything else is sent: it must not undo the next command's write.
        self._live.update(lambda state: read)
        return True

    def schedules_written(self) -> None:
        """Delay the next read of the schedules until every copy is newer than now."""
        self._schedules_due = time.monotonic() + COPY_AGE
