"""Changes to the schedules of one controller.

The app and the controller's own panel change them, too, so they are read before and
after each change. No change is repeated unchecked: after a lost answer, another read
shows whether it was done. Verbs and endpoints are observed (protocol.md O3 and O5).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
import time

from ..cloud import COPY_AGE, UrgentCloud
from ..lan import LanClient
from ..pool.queries import SCHEDULES
from ..pool.schedule_rules import check, check_conflicts, tidy, with_schedule
from ..wire.commands import (
    encode_schedule_create,
    encode_schedule_delete,
    encode_schedule_enable,
    encode_schedule_update,
)
from ..wire.exceptions import (
    BusyError,
    InvalidCommandError,
    LanBusyError,
    NotAppliedError,
    PoolctlError,
    UnreachableError,
)
from ..wire.json_values import Answer
from ..wire.schedule import MAX_SCHEDULES, UNUSED, Schedule
from .command import NEVER_SHOWN, Command
from .live_state import LiveState
from .poller import Poller
from .queries import Queries
from .sender import Sender


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """One change: how it is sent, what it does, and how its effect is recognised."""

    payload: bytes
    endpoint: str
    body: Answer
    becomes: tuple[int, Schedule | None]
    """Index of the schedule, and the schedule after the change."""
    done: Callable[[Mapping[int, Schedule]], bool]
    """Returns whether schedules that were read show it."""


class ScheduleControl:
    """Changes schedules, one change at a time; an index counts from 0.

    `observed` is the schedule that the user looked at: if it has changed since, nothing
    is sent, the new schedules are shown, and InvalidCommandError is raised.

    In addition to Sender's errors, changes raise UnreachableError with the reason
    `not_done` if an answer got lost and the change was not done, and with
    `outcome_unknown` if that is unclear.
    """

    def __init__(
        self, sender: Sender, poller: Poller, queries: Queries, live: LiveState
    ) -> None:
        self._sender, self._poller = sender, poller
        self._queries, self._live = queries, live
        self._lock = asyncio.Lock()
        self._copies_until = 0.0
        """Time until which cloud copies may predate our last write (monotonic, s)."""
        self._new: Schedule | None = None
        """Schedule created through the cloud, whose index is only assumed."""

    async def read(self) -> Mapping[int, Schedule]:
        """Read the schedules now; return those in use by their index."""
        async with self._lock:
            return await self._read()

    async def create(self, wanted: Schedule) -> int | None:
        """Add a schedule; return its index, `None` if it could not be looked up."""
        async with self._lock:
            previous = await self._read()
            wanted = tidy(wanted, previous)
            check(self._live.reported, previous, wanted)
            free = next(i for i in range(MAX_SCHEDULES) if i not in previous)
            checked = await self._write(
                _Change(
                    payload=encode_schedule_create(wanted),
                    endpoint="createSchedule",
                    body=_cloud_record(wanted),
                    becomes=(free, replace(wanted, enabled=True)),
                    done=lambda now: _added(previous, now, wanted) is not None,
                )
            )
            index = _added(previous, self._now(), wanted) if checked else None
            if index is None or self._now()[index].enabled is wanted.enabled:
                return index
            # A new schedule may be armed or not: no field of its record says which.
            try:
                index = _added(previous, await self._read(), wanted)
            except BusyError as err:
                raise UnreachableError(reason="outcome_unknown") from err
            if index is None:
                raise NotAppliedError("it is gone again")
            await self._enable(index, wanted.enabled)
            return index

    async def update(self, index: int, wanted: Schedule, *, observed: Schedule) -> None:
        """Replace a schedule; arm or disarm it if the observed one differs in that."""
        async with self._lock:
            now = await self._read_unchanged(index, observed)
            wanted = replace(
                tidy(wanted, now, now[index]), turnover=now[index].turnover
            )
            if wanted.enabled is observed.enabled:
                wanted = replace(wanted, enabled=now[index].enabled)
            check(self._live.reported, now, wanted, index)
            if now[index].enabled and not wanted.enabled:
                # Disarmed first, so that it never conflicts with another schedule.
                await self._enable(index, False)
            if not wanted.same_as(now[index]):
                enabled = wanted.enabled and now[index].enabled
                await self._write(
                    _Change(
                        payload=encode_schedule_update(index, wanted),
                        endpoint="updateSchedule",
                        body=_cloud_record(wanted) | _number(index),
                        becomes=(index, replace(wanted, enabled=enabled)),
                        done=lambda found: wanted.same_as(found.get(index)),
                    )
                )
            if wanted.enabled and not now[index].enabled:
                await self._enable(index, True)

    async def delete(self, index: int, *, observed: Schedule) -> None:
        """Remove a schedule."""
        async with self._lock:
            await self._read_unchanged(index, observed)
            await self._write(
                _Change(
                    payload=encode_schedule_delete(index),
                    endpoint="deleteSchedule",
                    body=_number(index),
                    becomes=(index, None),
                    done=lambda now: index not in now,
                )
            )

    async def enable(
        self, index: int, enabled: bool, *, observed: Schedule | None
    ) -> None:
        """Arm or disarm a schedule."""
        async with self._lock:
            now = await self._read_unchanged(index, observed)
            check_conflicts(now, replace(now[index], enabled=enabled), index)
            if now[index].enabled is not enabled:
                await self._enable(index, enabled)

    async def _enable(self, index: int, enabled: bool) -> None:
        await self._write(
            _Change(
                payload=encode_schedule_enable(index, enabled),
                endpoint="changeScheduleStatus",
                body={"schedule_id": index + 1, "schedule_state": int(enabled)},
                becomes=(index, replace(self._now()[index], enabled=enabled)),
                done=lambda now: index in now and now[index].enabled is enabled,
            )
        )

    def _now(self) -> Mapping[int, Schedule]:
        return self._live.reported.schedules.used

    async def _read_unchanged(
        self, index: int, observed: Schedule | None
    ) -> Mapping[int, Schedule]:
        """Read the schedules; raises InvalidCommandError if `observed` has changed."""
        now = await self._read()
        if observed is None or not observed.same_as(now.get(index)):
            raise InvalidCommandError(reason="schedule_changed")
        return now

    async def _read(self) -> Mapping[int, Schedule]:
        """Read the schedules over the path that works, and show them."""

        async def ask(lan: LanClient) -> None:
            await self._queries.read(SCHEDULES, lan, urgent=True)
            self._copies_until, self._new = 0.0, None

        read = Command(lan=ask, cloud=self._read_cloud, settles_in=NEVER_SHOWN)
        await self._sender.deliver(read)
        return self._now()

    async def _read_cloud(self, cloud: UrgentCloud) -> None:
        """Read the schedules of the cloud, unless its copy may be too old.

        Raises BusyError while the cloud does not report the index of a new schedule.
        """
        left = self._copies_until - time.monotonic()
        if left <= 0:
            self._new = None
        elif self._new is None:
            return  # our own write is newer
        answer = await cloud.read("scheduleInfo")
        if not self._poller.add_schedules(answer, new=self._new):
            raise BusyError("the index of a new one is not known", retry_after=left)
        self._new = None

    async def _write(self, change: _Change) -> bool:
        """Send a change and check the result; repeat it only if it was not done.

        A change that the cloud acknowledged is not checked: its copies may be older.
        Returns `False` if it was acknowledged and the schedules could not be read.
        """
        for again in (True, False):
            by_lan, lost = await self._send(change)
            if lost is None and not by_lan:
                self._show(change)
                return True
            try:
                done = change.done(await self._read())
            except PoolctlError as err:
                self._queries.expire(SCHEDULES.name)
                if lost is not None:
                    raise UnreachableError(reason="outcome_unknown") from err
                return False
            if done:
                return True
            if not isinstance(lost, LanBusyError):
                break
            if not again:
                raise lost
        raise _not_done(by_lan, lost) from lost

    async def _send(self, change: _Change) -> tuple[bool, PoolctlError | None]:
        """Send a change once; return whether by LAN, and the error if in doubt."""
        command = Command(
            lan=lambda lan: lan.action("schedule", change.payload),
            cloud=lambda cloud: cloud.write(change.endpoint, change.body),
            idempotent=False,
            settles_in=NEVER_SHOWN,
        )
        index, schedule = change.becomes
        self._queries.door.note_write(
            SCHEDULES.name,
            lambda records: (
                *records[:index],
                schedule or UNUSED,
                *records[index + 1 :],
            ),
        )
        try:
            frame = await self._sender.deliver(command)
        except (LanBusyError, UnreachableError) as err:
            if err.ran is False:
                raise
            return command.by_lan, err
        if frame is not None:
            self._poller.merge_frame(frame)
        return command.by_lan, None

    def _show(self, change: _Change) -> None:
        """Show a change acknowledged by the cloud until a read that cannot be older."""
        index, schedule = change.becomes
        if schedule is not None and index not in self._now():
            self._new = schedule
        self._copies_until = time.monotonic() + COPY_AGE
        self._poller.schedules_written()
        self._live.update(lambda state: with_schedule(state, index, schedule))


def _added(
    previous: Mapping[int, Schedule], now: Mapping[int, Schedule], wanted: Schedule
) -> int | None:
    """Return the index of the schedule that was added.

    Its name is not compared: a controller may keep less of it than we sent.
    """
    return next(
        (i for i, one in now.items() if one.when == wanted.when and i not in previous),
        None,
    )


def _number(index: int) -> dict[str, int]:
    """Return the cloud's number of a schedule, which counts from 1 (chosen)."""
    return {"schedule_num": index + 1}


def _cloud_record(schedule: Schedule) -> dict[str, object]:
    """Return the body of a schedule write (protocol.md O5)."""
    return {
        "schedule_name": schedule.written_name,
        "start_time": schedule.start,
        "end_time": schedule.end,
        "day_of_week": [day in schedule.days for day in range(7)],
        "aux_slot": schedule.slot,
        "pump_speed": schedule.speed,
    }


def _not_done(by_lan: bool, lost: PoolctlError | None) -> PoolctlError:
    if lost is None:
        return NotAppliedError("the controller accepted it but did not do it")
    if not by_lan:
        return UnreachableError(reason="outcome_unknown")
    return UnreachableError(reason="not_done")
