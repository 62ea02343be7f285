"""Doses today: the controller's own counts, right across midnights and restarts.

The controller counts the doses of its day (`current_dose_today`, layouts.md 4). Its
midnight may be minutes off that of Home Assistant, and after a restart its count may
begin at 0 in the middle of a day. So what its count gained is added up here, and the sum
begins at 0 when Home Assistant's day does. The rules are chosen:

- A lower count has begun anew, at the controller's midnight or by a restart alike: all
  of it was gained. One told within two minutes of the higher one may be an older copy of
  the cloud, and is passed over.
- Of a count told before midnight and one told an hour after it or later, the controller's
  midnight lies between: all of the later one was gained today, however high it is.

A count that has begun anew and is as high again when it is next told, minutes later,
cannot be known from one that stood still: those doses are not counted.
"""

from collections.abc import Callable
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

from ..client.equipment import LIQUID_CHLORINE, PH_DOSERS
from ..client.pool.state import PoolState
from ..coordinator import ControllerCoordinator
from ..entity import PoolctlEntity, PoolctlEntityDescription

MIDNIGHT_MARGIN: Final = timedelta(hours=1)
"""By which the controller's midnight may differ from ours."""
COPY_MARGIN: Final = timedelta(minutes=2)
"""By which something told may be older than what was told before it."""


class Told(NamedTuple):
    """A count, and when the controller told it."""

    doses: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Doses(ExtraStoredData):
    """The doses of the day on which the controller last told its count."""

    today: int
    told: Told

    @classmethod
    def begin(cls, told: Told) -> Self:
        """Believe the first count there is."""
        return cls(told.doses, told)

    def then(self, told: Told) -> Self:
        """Return what it is after the controller told its count again."""
        if (gained := self.gained(told)) is None:
            return self
        same_day = self.told.at >= _midnight(told.at)
        return type(self)(gained + (self.today if same_day else 0), told)

    def gained(self, told: Told) -> int | None:
        """Return how many there were since the count before; `None`: it is no news."""
        before = self.told
        lower = told.doses < before.doses
        if told.at == before.at or (lower and abs(told.at - before.at) < COPY_MARGIN):
            return None
        midnight = _midnight(told.at)
        anew = before.at < midnight and told.at >= midnight + MIDNIGHT_MARGIN
        return told.doses if lower or anew else told.doses - before.doses

    def at(self, now: datetime) -> int | None:
        """Return the doses of this day so far.

        0 as the day begins; `None` where an hour of it is over and nothing was told.
        """
        midnight = _midnight(now)
        if self.told.at >= midnight:
            return self.today
        return 0 if now < midnight + MIDNIGHT_MARGIN else None

    @override
    def as_dict(self) -> dict[str, Any]:
        return {
            "today": self.today,
            "told": self.told.doses,
            "told_at": self.told.at.isoformat(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return what was kept."""
        at = datetime.fromisoformat(data["told_at"])
        return cls(data["today"], Told(data["told"], at))


def _midnight(now: datetime) -> datetime:
    """Return when the day began, in UTC: an hour later is then an hour later."""
    return dt_util.as_utc(dt_util.start_of_local_day(dt_util.as_local(now)))


@dataclass(frozen=True, kw_only=True)
class PoolctlDosesDescription(PoolctlEntityDescription, SensorEntityDescription):
    """One count; `value_fn` is the controller's own."""

    told_at_fn: Callable[[PoolState], datetime | None]

    def told(self, state: PoolState) -> Told | None:
        """Return what the controller told last."""
        doses, at = self.value_fn(state), self.told_at_fn(state)
        return None if doses is None or at is None else Told(doses, at)


ACID_DOSES = PoolctlDosesDescription(
    key="acid_doses_today",
    translation_key="acid_doses_today",
    state_class=SensorStateClass.TOTAL_INCREASING,
    fitted=PH_DOSERS,
    value_fn=lambda state: state.dosing.acid_doses,
    told_at_fn=lambda state: state.dosing.acid_told_at,
)
CHLORINE_DOSES = PoolctlDosesDescription(
    key="chlorine_doses_today",
    translation_key="chlorine_doses_today",
    state_class=SensorStateClass.TOTAL_INCREASING,
    fitted=LIQUID_CHLORINE,
    value_fn=lambda state: state.dosing.chlorine_doses,
    told_at_fn=lambda state: state.dosing.chlorine_told_at,
)
DOSES = (ACID_DOSES, CHLORINE_DOSES)


class PoolctlDoses(PoolctlEntity, RestoreEntity, SensorEntity):
    """How often a doser has dosed today."""

    entity_description: PoolctlDosesDescription

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlDosesDescription
    ) -> None:
        """Begin with nothing; what was kept is there once it is added."""
        self._doses: Doses | None = None
        self._day: date | None = None
        super().__init__(coordinator, description)

    @override
    def _visible(self) -> tuple[Any, ...]:
        doses = None if self._doses is None else self._doses.at(dt_util.utcnow())
        return doses, *super()._visible()[1:]

    @property
    @override
    def native_value(self) -> int | None:
        """Return the number of doses."""
        return self._value  # type: ignore[no-any-return]

    @property
    @override
    def extra_restore_state_data(self) -> Doses | None:
        """Return what to keep over a restart."""
        return self._doses

    @override
    async def async_added_to_hass(self) -> None:
        """Go on from what was kept."""
        await super().async_added_to_hass()
        if (kept := await self.async_get_last_extra_data()) is not None:
            self._doses = Doses.from_dict(kept.as_dict())
            if self._doses.at(dt_util.utcnow()):
                self._day = dt_util.now().date()
        # Every hour: where a clock is put forward at midnight, there is no 0:00.
        self.async_on_remove(
            async_track_time_change(self.hass, self._hour_began, minute=0, second=0)
        )
        if self._begins_day():
            # The 0 is written as the entity is added, what is known of today after it.
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
        """Show 0 once on every day: statistics know a new day by nothing else."""
        today = dt_util.now().date()
        if self._day == today or not self.available or self._doses is None:
            return False
        self._day, self._value, self._shown = today, 0, ()
        return True

    def _take_over(self) -> bool:
        """Take over what was told; tell whether anything a person sees changed."""
        told = self.entity_description.told(self.coordinator.data)
        if told is not None:
            if self._doses is None:
                self._doses, self._day = Doses.begin(told), dt_util.now().date()
            self._doses = self._doses.then(told)
        return self._update()
