"""Changes to the schedules of one controller.

The app and the controller's own panel change them, too: they are read again before every
change, and after it. Nothing is ever sent twice: where an answer got lost, another look
tells whether it was done. Verbs and endpoints are observed (layouts.md 3 and 5).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..cloud import CloudClient
from ..commands import (
    encode_schedule_create,
    encode_schedule_delete,
    encode_schedule_enable,
    encode_schedule_update,
)
from ..exceptions import (
    InvalidCommandError,
    LanBusyError,
    NotAppliedError,
    NotDoneError,
    OutcomeUnknownError,
    PoolctlError,
    UnreachableError,
)
from ..json_values import Answer
from ..lan import LanClient
from ..pool.queries import SCHEDULES
from ..pool.schedule_rules import check, check_conflicts, tidy
from ..schedule import Schedule
from .poller import Poller
from .queries import Queries
from .sender import Sender
from .store import Store

type _Found[T] = Callable[[Mapping[int, Schedule]], T | None]
"""Finds in the schedules what a change was to bring about, `None` if it is not there."""


class ScheduleControl:
    """Changes schedules, one change at a time; an index counts from 0.

    `seen` is the schedule that the person looked at: if it is another by now, nothing is
    sent, the new ones are shown, and InvalidCommandError says so.

    Besides what Sender says, they raise NotDoneError where an answer got lost and the
    change was not done, and OutcomeUnknownError where that cannot be told.
    """

    def __init__(
        self,
        store: Store,
        sender: Sender,
        poller: Poller,
        queries: Queries,
        device_id: str,
    ) -> None:
        """Send through a sender."""
        self._store = store
        self._sender = sender
        self._poller = poller
        self._queries = queries
        self._device_id = device_id
        self._lock = asyncio.Lock()

    async def read(self) -> None:
        """Read the schedules and show them."""
        async with self._lock:
            await self._read()

    async def create(self, wanted: Schedule) -> int | None:
        """Add a schedule; return its index, `None` where it could not be looked up."""
        async with self._lock:
            before = await self._read()
            wanted = tidy(wanted)
            check(self._store.known, before, wanted)
            index = await self._write(
                encode_schedule_create(wanted),
                ("createSchedule", _cloud_record(wanted)),
                lambda now: _added(before, now, wanted),
            )
            # Neither record nor body says so: a new one is armed, or is not.
            if index is not None and self._now()[index].enabled is not wanted.enabled:
                await self._enable(index, wanted.enabled)
            return index

    async def update(self, index: int, wanted: Schedule, *, seen: Schedule) -> None:
        """Replace a schedule; arm or disarm it where that differs from what was seen."""
        async with self._lock:
            now = await self._read_unchanged(index, seen)
            wanted = replace(tidy(wanted), turnover=now[index].turnover)
            if wanted.enabled is seen.enabled:
                wanted = replace(wanted, enabled=now[index].enabled)
            check(self._store.known, now, wanted, index)
            if now[index].enabled and not wanted.enabled:
                # First, so that it never runs against another one.
                await self._enable(index, False)
            if not wanted.same_as(now[index]):
                await self._write(
                    encode_schedule_update(index, wanted),
                    ("updateSchedule", _cloud_record(wanted) | _number(index)),
                    lambda found: wanted.same_as(found.get(index)) or None,
                )
            if wanted.enabled and not now[index].enabled:
                await self._enable(index, True)

    async def delete(self, index: int, *, seen: Schedule) -> None:
        """Remove a schedule."""
        async with self._lock:
            await self._read_unchanged(index, seen)
            await self._write(
                encode_schedule_delete(index),
                ("deleteSchedule", _number(index)),
                lambda now: index not in now or None,
            )

    async def enable(self, index: int, enabled: bool, *, seen: Schedule | None) -> None:
        """Arm or disarm a schedule."""
        async with self._lock:
            now = await self._read_unchanged(index, seen)
            check_conflicts(now, replace(now[index], enabled=enabled), index)
            if now[index].enabled is not enabled:
                await self._enable(index, enabled)

    async def _enable(self, index: int, enabled: bool) -> None:
        await self._write(
            encode_schedule_enable(index, enabled),
            (
                "changeScheduleStatus",
                {"schedule_id": index + 1, "schedule_state": int(enabled)},
            ),
            lambda now: (index in now and now[index].enabled is enabled) or None,
        )

    def _now(self) -> dict[int, Schedule]:
        return self._store.known.schedules.used

    async def _read_unchanged(
        self, index: int, seen: Schedule | None
    ) -> dict[int, Schedule]:
        """Read the schedules; raises InvalidCommandError if one is not as it was."""
        now = await self._read()
        if seen is None or not seen.same_as(now.get(index)):
            raise InvalidCommandError("it was changed", reason="schedule_changed")
        return now

    async def _read(self) -> dict[int, Schedule]:
        """Read the schedules by the path that works, and show them."""

        async def ask(lan: LanClient) -> None:
            await self._queries.read(SCHEDULES, lan, urgent=True)

        async def read(cloud: CloudClient) -> None:
            await self._poller.read_schedules(cloud, urgent=True)

        await self._sender.deliver(ask, read)
        return self._now()

    async def _write[T](
        self, payload: bytes, by_cloud: tuple[str, Answer], found: _Found[T]
    ) -> T | None:
        """Send a change, and look what came of it; again only where it was not done.

        Returns `None` where it was acknowledged and could not be looked at.
        """
        for again in (True, False):
            lost = await self._send(payload, by_cloud)
            try:
                result = found(await self._read())
            except PoolctlError as err:
                self._queries.expire(SCHEDULES.name)
                if lost is not None:
                    raise OutcomeUnknownError("no answer, and no look at it") from err
                return None
            if result is not None:
                return result
            if not isinstance(lost, LanBusyError):
                break
            if not again:
                raise lost
        if lost is not None:
            raise NotDoneError("no answer, and it was not done") from lost
        raise NotAppliedError("the controller accepted it but did not do it")

    async def _send(
        self, payload: bytes, by_cloud: tuple[str, Answer]
    ) -> PoolctlError | None:
        """Send a change once; return what leaves open whether it was done."""
        try:
            _, frame = await self._sender.deliver(
                lambda lan: lan.action("schedule", payload),
                lambda cloud: cloud.write(self._device_id, *by_cloud),
                idempotent=False,
            )
        except LanBusyError as err:
            return err
        except UnreachableError as err:
            if not err.sent:
                raise
            return err
        if frame is not None:
            self._poller.merge_frame(frame)
        return None


def _added(
    before: Mapping[int, Schedule], now: Mapping[int, Schedule], wanted: Schedule
) -> int | None:
    """Return the index of a schedule that was not there before.

    Its name is not looked at: a controller may keep less of it than we sent.
    """
    return next(
        (i for i, one in now.items() if one.when == wanted.when and i not in before),
        None,
    )


def _number(index: int) -> dict[str, int]:
    """Return how the cloud names a schedule: it counts from 1 (chosen)."""
    return {"schedule_num": index + 1}


def _cloud_record(schedule: Schedule) -> dict[str, object]:
    """Return the body of a schedule write (layouts.md 5)."""
    return {
        "schedule_name": schedule.name,
        "start_time": schedule.start,
        "end_time": schedule.end,
        "day_of_week": [day in schedule.days for day in range(7)],
        "aux_slot": schedule.slot,
        "pump_speed": schedule.speed,
    }
