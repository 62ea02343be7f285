"""Consumption: acid and chlorine used, and how long what is left will last.

The controller tells what is left in a drum (layouts.md 2.2). Only its falls are use; the
rules are chosen:

- A level that rises by more than `REFILL`, or falls faster than any doser could empty a
  drum, was set by a person: what was used meanwhile is not known and not counted.
- A level that rises by less is noise, or an older copy of the cloud: only what falls below
  the lowest one told counts.
- For two minutes after a rise nothing counts: an older copy of the cloud may bring the
  level back that was before a refill.
- What was used while nobody read is shared out evenly over that time, days included.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple, Self, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import UnitOfVolume
from homeassistant.core import callback
from homeassistant.helpers.restore_state import ExtraStoredData, RestoreEntity
from homeassistant.util import dt as dt_util

from ..client.pool.dosing import DOSERS, DoserKind
from ..client.pool.parts import Doser
from ..client.pool.state import PoolState
from ..coordinator import ControllerCoordinator
from ..entity import PoolctlEntity, PoolctlEntityDescription
from .days import MIDNIGHT_MARGIN, start_of_day

REFILL: Final = 100.0
"""mL by which a level rises at least that a person has set."""
COPY_MARGIN: Final = timedelta(minutes=2)
"""How much older a level may be than the one that was told before it."""
FASTEST: Final = 200.0
"""mL a minute: several times what the dosing pumps of pools do."""
LARGEST: Final = 1000.0
"""mL that one dose may take at once, whatever the time."""
WINDOW: Final = 14
"""Days that the rate is taken from, before today: today is not over."""
ENOUGH: Final = timedelta(days=3)
"""How much of them must have been seen: dosing differs from day to day."""
FURTHEST: Final = timedelta(days=3650)
"""Beyond that, hardly anything is used and no date is worth telling."""


class Level(NamedTuple):
    """What is left in a drum in mL, and when the controller told it."""

    ml: float
    at: datetime


class Day(NamedTuple):
    """What is known of a day."""

    ml: float = 0.0
    """Used."""
    seconds: float = 0.0
    """Of the day that were seen."""

    def plus(self, ml: float, seconds: float) -> Day:
        """Return the day after more was used and seen."""
        return Day(self.ml + ml, self.seconds + seconds)


@dataclass(slots=True)
class Consumption(ExtraStoredData):
    """What was used out of one drum, by day."""

    level: Level
    """The lowest since the last refill, and when the controller last told any."""
    refilled_at: datetime | None = None
    days: dict[date, Day] = field(default_factory=dict)

    def take(self, told: Level) -> None:
        """Count what was used since the level before."""
        before = self.level
        elapsed = told.at - before.at
        fallen = before.ml - told.ml
        if elapsed == timedelta():
            return
        lowest = Level(min(before.ml, told.ml), told.at)
        if elapsed < timedelta():
            # Our own clock was put back: what it told of later days is not true.
            self.level = lowest
            today = dt_util.as_local(told.at).date()
            self.days = {day: seen for day, seen in self.days.items() if day <= today}
        elif fallen < -REFILL or fallen > LARGEST + FASTEST * elapsed / _MINUTE:
            self.level, self.refilled_at = told, told.at
        elif self.refilled_at and told.at - self.refilled_at < COPY_MARGIN:
            self.level = lowest
        else:
            self.level = lowest
            self._share_out(max(fallen, 0.0), before.at, told.at)

    def _share_out(self, ml: float, begin: datetime, end: datetime) -> None:
        """Share out what was used evenly over the days from one time to another."""
        first = dt_util.as_local(end).date() - timedelta(days=WINDOW)
        rate = ml / (end - begin).total_seconds()
        begin = max(begin, start_of_day(first))
        while begin < end:
            day = dt_util.as_local(begin).date()
            stop = min(end, start_of_day(day + timedelta(days=1)))
            seconds = (stop - begin).total_seconds()
            self.days[day] = self.days.get(day, Day()).plus(rate * seconds, seconds)
            begin = stop
        self.days = {day: seen for day, seen in self.days.items() if day >= first}

    def used_today(self, now: datetime) -> float | None:
        """Return what was used today in mL.

        It is 0 when the day begins, and unknown (`None`) an hour later if nothing was
        told in it.
        """
        today = dt_util.as_local(now).date()
        midnight = start_of_day(today)
        if self.level.at >= midnight:
            return round(self.days.get(today, Day()).ml)
        return 0 if now < midnight + MIDNIGHT_MARGIN else None

    def lasts_until(self, left: float, now: datetime) -> date | None:
        """Return when so many mL are used up, at the rate of the last days.

        It is worked out from the beginning of the day, so that it stays the same until
        the day ends or the drum is refilled; `None` while the rate is not known.
        """
        today = dt_util.as_local(now).date()
        before = [seen for day, seen in self.days.items() if day < today]
        seconds = sum(seen.seconds for seen in before)
        used = sum(seen.ml for seen in before)
        if seconds < ENOUGH.total_seconds() or not used:
            return None
        at_midnight = left + self.days.get(today, Day()).ml
        lasts = at_midnight / used * seconds
        if lasts > FURTHEST.total_seconds():
            return None
        end = start_of_day(today) + timedelta(seconds=lasts)
        return max(today, dt_util.as_local(end).date())

    @override
    def as_dict(self) -> dict[str, Any]:
        refilled = self.refilled_at
        return {
            "level": self.level.ml,
            "told_at": self.level.at.isoformat(),
            "refilled_at": refilled.isoformat() if refilled else None,
            "days": {day.isoformat(): [*seen] for day, seen in self.days.items()},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self | None:
        """Return what was kept, `None` where it has another form than ours."""
        try:
            refilled = data["refilled_at"]
            return cls(
                Level(float(data["level"]), _moment(data["told_at"])),
                _moment(refilled) if refilled else None,
                {
                    date.fromisoformat(day): Day(float(ml), float(seconds))
                    for day, (ml, seconds) in data["days"].items()
                },
            )
        except AttributeError, KeyError, TypeError, ValueError:
            return None


_MINUTE = timedelta(minutes=1)


def _moment(stored: str) -> datetime:
    return dt_util.as_utc(datetime.fromisoformat(stored))


def _level(doser: Doser) -> Level | None:
    """Return what the controller told last of what is left in a drum."""
    if not doser.drum_ml or doser.remaining_ml is None or doser.level_at is None:
        return None
    return Level(doser.remaining_ml, doser.level_at)


@dataclass(frozen=True, kw_only=True)
class PoolctlConsumptionDescription(
    PoolctlEntityDescription[float | date], SensorEntityDescription
):
    """One fact of what a doser uses; `value_fn` is what is left, which proves it."""

    doser: DoserKind
    show_fn: Callable[[Consumption, PoolState, datetime], float | date | None]


def _used_today(doser: DoserKind) -> PoolctlConsumptionDescription:
    """Return the row of what was used today."""
    return PoolctlConsumptionDescription(
        key=f"{doser.key}_used_today",
        translation_key=f"{doser.key}_used_today",
        device_class=SensorDeviceClass.VOLUME,
        native_unit_of_measurement=UnitOfVolume.MILLILITERS,
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=0,
        fitted=doser.fitted,
        doser=doser,
        value_fn=lambda state: doser.of(state).litres_left,
        show_fn=lambda consumption, state, now: consumption.used_today(now),
    )


def _lasts_until(doser: DoserKind) -> PoolctlConsumptionDescription:
    """Return the row of the day on which the drum will be empty."""

    def lasts_until(
        consumption: Consumption, state: PoolState, now: datetime
    ) -> date | None:
        left = doser.of(state).litres_left
        return None if left is None else consumption.lasts_until(left * 1000, now)

    return PoolctlConsumptionDescription(
        key=f"{doser.key}_lasts_until",
        translation_key=f"{doser.key}_lasts_until",
        device_class=SensorDeviceClass.DATE,
        fitted=doser.fitted,
        doser=doser,
        value_fn=lambda state: doser.of(state).litres_left,
        show_fn=lasts_until,
    )


CONSUMPTION_SENSORS = (
    *(_used_today(doser) for doser in DOSERS),
    *(_lasts_until(doser) for doser in DOSERS),
)


class PoolctlConsumptionSensor(
    PoolctlEntity[float | date], RestoreEntity, SensorEntity
):
    """What a doser uses. Each keeps its own count: any of them may be disabled."""

    entity_description: PoolctlConsumptionDescription

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlConsumptionDescription,
    ) -> None:
        """Begin with nothing; what was kept is read once it is added."""
        self._consumption: Consumption | None = None
        super().__init__(coordinator, description)

    @override
    def _read_value(self) -> float | date | None:
        if self._consumption is None:
            return None
        show = self.entity_description.show_fn
        return show(self._consumption, self.coordinator.data, dt_util.utcnow())

    @property
    @override
    def native_value(self) -> float | date | None:
        """Return the volume or the day."""
        return self._value

    @property
    @override
    def last_reset(self) -> datetime | None:
        """Return when the day began, which tells statistics of a new one."""
        if self.state_class is not SensorStateClass.TOTAL:
            return None
        return dt_util.start_of_local_day()

    @override
    def _details(self) -> tuple[object, ...]:
        return (self.last_reset,)

    @property
    @override
    def extra_restore_state_data(self) -> Consumption | None:
        """Return what to keep over a restart."""
        return self._consumption

    @override
    async def async_added_to_hass(self) -> None:
        """Go on from what was kept."""
        await super().async_added_to_hass()
        if (kept := await self.async_get_last_extra_data()) is not None:
            self._consumption = Consumption.from_dict(kept.as_dict())
        self.async_on_remove(self.controller.store.add_read_listener(self._read))
        self._look(self.coordinator.data)
        self._update()

    @callback
    def _read(self, state: PoolState, at: float) -> None:
        self._look(state)
        if self._update():
            self.async_write_ha_state()

    def _look(self, state: PoolState) -> None:
        """Take over what a read told."""
        told = _level(self.entity_description.doser.of(state))
        if told is None:
            return
        if self._consumption is None:
            self._consumption = Consumption(told)
        self._consumption.take(told)
