"""Calendar: add, move, rename and delete the schedules of a controller.

Only armed schedules run, so only they are shown; every schedule has a switch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import starmap
from types import MappingProxyType
from typing import Any, override

from homeassistant.components.calendar import (
    CalendarEntity,
    CalendarEntityDescription,
    CalendarEvent,
)
from homeassistant.components.calendar.const import (
    EVENT_DESCRIPTION,
    EVENT_END,
    EVENT_LOCATION,
    EVENT_RRULE,
    EVENT_START,
    EVENT_SUMMARY,
    CalendarEntityFeature,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.restore_state import (
    ExtraStoredData,
    RestoredExtraData,
    RestoreEntity,
)
from homeassistant.util import dt as dt_util

from .account import PoolctlConfigEntry
from .client import InvalidCommandError
from .client.pool import Occurrence, Schedule, bounded, equip, occurrences
from .coordinator import ControllerCoordinator
from .devices.naming import OutputNames, schedule_name
from .entity import PoolctlEntity, PoolctlEntityDescription, async_outputs_of
from .fitted import async_follow, rows
from .schedules import recurrence
from .schedules.plan import PumpPlan

# Schedule changes are already made one at a time.
PARALLEL_UPDATES = 0

_ALL_OF_THEM = "THISANDFUTURE"
"""Recurrence range of a change to more than one event."""
_WEEK_AND_MORE = timedelta(days=8)
"""Time span in which every armed schedule begins at least once."""


@dataclass(frozen=True, kw_only=True)
class PoolctlCalendarDescription(
    PoolctlEntityDescription[None], CalendarEntityDescription
):
    """One calendar."""


CALENDARS = (
    PoolctlCalendarDescription(
        key="schedules",
        proof_fn=lambda view: view.state.schedules.records,
    ),
)


def _key(index: int, schedule: Schedule) -> str:
    return repr((index, schedule.when))


def first_day() -> date:
    """Return the first day on which a new schedule is shown."""
    return dt_util.now().date()


class PoolctlCalendar(PoolctlEntity, RestoreEntity, CalendarEntity):
    """Schedules of one controller, each shown from the day it was first observed.

    Events have a `recurrence_id`: without one, Home Assistant's own editor leaves out
    the rule when an event is saved, so that weekdays could not be changed. With one, the
    editor asks whether one event or all are meant; a change of one event is refused.
    """

    entity_description: PoolctlCalendarDescription
    _attr_supported_features = (
        CalendarEntityFeature.CREATE_EVENT
        | CalendarEntityFeature.DELETE_EVENT
        | CalendarEntityFeature.UPDATE_EVENT
    )

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlCalendarDescription,
    ) -> None:
        self._since: dict[str, date] = {}
        """First day of each schedule; a schedule with new times counts as a new one."""
        self._shown: tuple[object, ...] = ()
        self.plan = PumpPlan(coordinator.controller)
        super().__init__(coordinator, description)
        self._update_shown()

    @override
    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        if (kept := await self.async_get_last_extra_data()) is None:
            return
        days = kept.as_dict()
        for key, today in self._since.items():
            self._since[key] = dt_util.parse_date(str(days.get(key))) or today

    @property
    @override
    def extra_restore_state_data(self) -> ExtraStoredData:
        days = {key: day.isoformat() for key, day in self._since.items()}
        return RestoredExtraData(days)

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Write only changes: with each write, all open pages get all events."""
        if self._update_shown():
            super()._handle_coordinator_update()

    def _update_shown(self) -> bool:
        """Note what is shown; return whether that changed."""
        if self.view.state.schedules.records is not None:
            keys = starmap(_key, self._schedules.items())
            self._since = {key: self._since.get(key) or first_day() for key in keys}
        previous, self._shown = (
            self._shown,
            (
                self.available,
                self._schedules,
                # Events show the names of outputs.
                [(slot.name, slot.type_code) for slot in self.view.state.outputs.slots],
                self.controller.controller_clock.shift,
            ),
        )
        return self._shown != previous

    @property
    def _schedules(self) -> Mapping[int, Schedule]:
        return self.view.state.schedules.used

    @property
    def _names(self) -> OutputNames:
        """The names of the outputs, also those given in Home Assistant."""
        given = [
            (index, entry.name)
            for index, entity in async_outputs_of(self.coordinator)
            if (entry := entity.registry_entry) and entry.name
        ]
        state, uses = self.coordinator.state, self.view.uses
        return OutputNames(state, uses, self.texts, given)

    @property
    @override
    def event(self) -> CalendarEvent | None:
        # Schedules run by the controller's clock, but times are shown by our clock.
        ahead = self.controller.controller_clock.shift
        now = dt_util.as_local(dt_util.utcnow() + ahead)
        events = self._events(self._schedules, now, now + _WEEK_AND_MORE)
        if not events or not ahead:
            return events[0] if events else None
        times = events[0].start_datetime_local, events[0].end_datetime_local
        # In UTC, because a clock change may be between the two.
        start, end = (
            (at.astimezone(UTC) - ahead).astimezone(at.tzinfo) for at in times
        )
        return replace(events[0], start=start, end=end)

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        """Return the runs in a time span, none from before its schedule existed."""
        return self._events(self._schedules, start_date, end_date, self._since)

    def _events(
        self,
        schedules: Mapping[int, Schedule],
        after: datetime,
        before: datetime,
        since: Mapping[str, date] = MappingProxyType({}),
    ) -> list[CalendarEvent]:
        names, zone = self._names, dt_util.get_default_time_zone()
        return [
            CalendarEvent(
                start=run.start,
                end=run.end,
                summary=schedule_name(run.index, run.schedule, names.texts),
                description=recurrence.format_description(
                    names[run.schedule.slot], run.schedule.speed
                ),
                uid=recurrence.make_uid(run.index, run.schedule),
                recurrence_id=run.recurrence_id,
                rrule=recurrence.format_rule(run.schedule),
            )
            for run in occurrences(schedules, after, before, zone)
            if run.start.date() >= since.get(_key(run.index, run.schedule), date.min)
        ]

    @override
    async def async_create_event(self, **kwargs: Any) -> None:
        with self.commanding():
            wanted = self._wanted(kwargs, None, None)
            await self.controller.schedules.create(wanted)

    @override
    async def async_update_event(
        self,
        uid: str,
        event: dict[str, Any],
        recurrence_id: str | None = None,
        recurrence_range: str | None = None,
    ) -> None:
        with self.commanding():
            index, observed = self._find(uid, recurrence_id, recurrence_range)
            wanted = self._wanted(event, observed, recurrence_id)
            if wanted.name == schedule_name(index, observed, self._names.texts):
                # A schedule without a name was shown by its number.
                wanted = replace(wanted, name=observed.name)
            await self.controller.schedules.update(index, wanted, observed=observed)

    @override
    async def async_delete_event(
        self,
        uid: str,
        recurrence_id: str | None = None,
        recurrence_range: str | None = None,
    ) -> None:
        with self.commanding():
            index, observed = self._find(uid, recurrence_id, recurrence_range)
            await self.controller.schedules.delete(index, observed=observed)

    def _find(
        self, uid: str, recurrence_id: str | None, recurrence_range: str | None
    ) -> tuple[int, Schedule]:
        """Return the schedule of an event; refuse to change one event alone."""
        if recurrence_id and recurrence_range != _ALL_OF_THEM:
            raise InvalidCommandError("one event alone", reason="event_alone")
        for index, schedule in self._schedules.items():
            if recurrence.make_uid(index, schedule) == uid:
                return index, schedule
        raise InvalidCommandError("not there any more", reason="schedule_changed")

    def _wanted(
        self,
        event: Mapping[str, Any],
        previous: Schedule | None,
        recurrence_id: str | None,
    ) -> Schedule:
        """Return the schedule of an event, whose description names the equipment."""
        if event.get(EVENT_LOCATION):
            raise InvalidCommandError("a location", reason="event_location")
        first, last = event[EVENT_START], event[EVENT_END]
        start, end = recurrence.parse_window(first, last)
        weekdays = recurrence.parse_rule(event.get(EVENT_RRULE), first)
        if previous and (shown := _shown_as(previous, first, recurrence_id)):
            # Where the clock jumps, a run is shown at other times than its schedule.
            start = previous.start if first == shown.start else start
            end = previous.end if last == shown.end else end
        names, text = self._names, (event.get(EVENT_DESCRIPTION) or "").strip()
        if previous is not None and text == recurrence.format_description(
            names[previous.slot], previous.speed
        ):
            text = ""
        slot, speed = recurrence.parse_description(
            text, names.slots(), names.scheduled()
        )
        state, choices = self.coordinator.state, self.controller.live.choices
        return replace(
            equip(state, choices, previous, slot, speed),
            start=start,
            end=end,
            weekdays=weekdays,
            name=event[EVENT_SUMMARY],
        )


def _shown_as(
    schedule: Schedule, start: date, recurrence_id: str | None
) -> Occurrence | None:
    """Return the run of a schedule that an event near `start` shows, if any."""
    if not isinstance(start, datetime):
        return None
    middle, zone = bounded(start), dt_util.get_default_time_zone()
    around = middle - timedelta(days=2), middle + timedelta(days=2)
    runs = occurrences({0: schedule}, *around, zone)
    return next((run for run in runs if run.recurrence_id == recurrence_id), None)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove calendars as controllers and equipment change."""
    await async_follow(entry, async_add_entities, rows(PoolctlCalendar, CALENDARS))
