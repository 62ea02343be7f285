"""Doses today: the controller's own counts, right across midnights and restarts.

The controller counts the doses of its day (`current_dose_today`, layouts.md 4). Its
midnight may be minutes off that of Home Assistant, and after a restart its count may
begin at 0 in the middle of a day. So the gains of its count are added up here, and the
sum begins at 0 when Home Assistant's day does. The rules are chosen:

- A count that is lower than the one before it has begun anew, at the controller's
  midnight or by a restart: all of it was gained. A lower count that was told within two
  minutes of the higher one may be an older copy of the cloud, and is passed over.
- If one count was told before midnight and the next one an hour after midnight or later,
  the controller's midnight lies between them: all of the later count was gained today,
  however high it is.

A count that has begun anew and is as high again when it is next told, minutes later,
cannot be told from one that stood still: those doses are not counted.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple, Self, override

from homeassistant.components.sensor import (
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.core import callback
from homeassistant.helpers.event import async_track_time_change
from homeassistant.helpers.restore_state import ExtraStoredData, RestoreEntity
from homeassistant.util import dt as dt_util

from ..client.pool.dosing import DOSERS, DoserKind
from ..client.pool.parts import Doser
from ..coordinator import ControllerCoordinator
from ..entity import PoolctlEntity, PoolctlEntityDescription
from .days import MIDNIGHT_MARGIN, start_of_day

COPY_MARGIN: Final = timedelta(minutes=2)
"""How much older a count may be than the one that was told before it."""


class Told(NamedTuple):
    """A count, and when the controller told it."""

    doses: int
    at: datetime


@dataclass(frozen=True, slots=True)
class DoseCount(ExtraStoredData):
    """The doses of the day on which the controller last told its count."""

    today: int
    told: Told

    @classmethod
    def begin(cls, told: Told) -> Self:
        """Begin with the first count there is: all of it is today's."""
        return cls(told.doses, told)

    def then(self, told: Told) -> Self:
        """Return the count after the controller told its own again."""
        if (gained := self.gained(told)) is None:
            return self
        same_day = self.told.at >= _midnight(told.at)
        return type(self)(gained + (self.today if same_day else 0), told)

    def gained(self, told: Told) -> int | None:
        """Return the doses since the count before, `None` where this one is no news."""
        before = self.told
        lower = told.doses < before.doses
        if told.at == before.at or (lower and abs(told.at - before.at) < COPY_MARGIN):
            return None
        midnight = _midnight(told.at)
        anew = before.at < midnight and told.at >= midnight + MIDNIGHT_MARGIN
        return told.doses if lower or anew else told.doses - before.doses

    def at(self, now: datetime) -> int | None:
        """Return the doses of the current day so far.

        They are 0 when the day begins, and unknown (`None`) an hour later if nothing was
        told in it.
        """
        midnight = _midnight(now)
        if self.told.at >= midnight:
            return self.today
        return 0 if now < midnight + MIDNIGHT_MARGIN else None

    @override
    def as_dict(self) -> dict[str, int | str]:
        return {
            "today": self.today,
            "told": self.told.doses,
            "told_at": self.told.at.isoformat(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the count that was kept."""
        at = datetime.fromisoformat(data["told_at"])
        return cls(data["today"], Told(data["told"], at))


def reported_count(doser: Doser) -> Told | None:
    """Return the count that the controller told last."""
    if doser.doses is None or doser.told_at is None:
        return None
    return Told(doser.doses, doser.told_at)


def _midnight(now: datetime) -> datetime:
    """Return when the day began, in UTC, which no change of the clock makes ambiguous."""
    return start_of_day(dt_util.as_local(now))


@dataclass(frozen=True, kw_only=True)
class PoolctlDoseSensorDescription(
    PoolctlEntityDescription[int], SensorEntityDescription
):
    """The doses of one doser; `value_fn` is the controller's own count."""

    doser: DoserKind


def _doses(doser: DoserKind) -> PoolctlDoseSensorDescription:
    """Return the row of a doser."""
    return PoolctlDoseSensorDescription(
        key=f"{doser.key}_doses_today",
        translation_key=f"{doser.key}_doses_today",
        entity_registry_enabled_default=False,
        state_class=SensorStateClass.TOTAL_INCREASING,
        fitted=doser.fitted,
        value_fn=lambda state: doser.of(state).doses,
        doser=doser,
    )


DOSE_SENSORS = tuple(map(_doses, DOSERS))


class PoolctlDoseSensor(PoolctlEntity[int], RestoreEntity, SensorEntity):
    """How often a doser has dosed today."""

    entity_description: PoolctlDoseSensorDescription

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlDoseSensorDescription,
    ) -> None:
        """Begin with nothing; what was kept is read once it is added."""
        self._count: DoseCount | None = None
        self._day: date | None = None
        super().__init__(coordinator, description)

    @override
    def _read_value(self) -> int | None:
        return None if self._count is None else self._count.at(dt_util.utcnow())

    @property
    @override
    def native_value(self) -> int | None:
        """Return the number of doses."""
        return self._value

    @property
    @override
    def extra_restore_state_data(self) -> DoseCount | None:
        """Return what to keep over a restart."""
        return self._count

    @override
    async def async_added_to_hass(self) -> None:
        """Go on from what was kept."""
        await super().async_added_to_hass()
        if (kept := await self.async_get_last_extra_data()) is not None:
            self._count = DoseCount.from_dict(kept.as_dict())
            if self._count.at(dt_util.utcnow()):
                self._day = dt_util.now().date()
        # Every hour, as there is no 0:00 where a clock is put forward at midnight.
        self.async_on_remove(
            async_track_time_change(self.hass, self._hour_began, minute=0, second=0)
        )
        if self._begins_day():
            # The 0 is written when the entity is added, the doses of today after it.
            soon = self.hass.loop.call_soon(self._handle_coordinator_update)
            self.async_on_remove(soon.cancel)
        else:
            self._take_over()

    @callback
    def _hour_began(self, now: datetime) -> None:
        self._handle_coordinator_update()

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        if self._begins_day():
            self.async_write_ha_state()
        if self._take_over():
            self.async_write_ha_state()

    def _begins_day(self) -> bool:
        """Show 0 once on every day: only that tells statistics of a new day."""
        today = dt_util.now().date()
        if self._day == today or not self.available or self._count is None:
            return False
        self._day, self._value, self._shown = today, 0, None
        return True

    def _take_over(self) -> bool:
        """Take over what was told; tell whether anything a person sees changed."""
        told = reported_count(self.entity_description.doser.of(self.coordinator.data))
        if told is not None:
            if self._count is None:
                self._count, self._day = DoseCount.begin(told), dt_util.now().date()
            self._count = self._count.then(told)
        return self._update()
