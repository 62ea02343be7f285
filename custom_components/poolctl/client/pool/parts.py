"""The parts of a pool: one type for each kind of part, with its own fields.

Unknown is `None`. Differences between parts of a kind (equipment, names on the wire)
are in `dosing.py`, `heating.py` and `lights.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from ..wire.schedule import Schedule

COUNT_AGE = timedelta(hours=1)
"""Age from which a count of doses may be yesterday's; it is read every few minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dosing:
    """A value that the firmware regulates, with the fields of every kind of dosing."""

    desired: float | None = None
    """Desired pH, or desired ORP in mV."""
    enabled: bool | None = None
    """Whether the firmware may run it."""
    stored: bool | None = None
    """The same before the start: nothing is decided from it."""

    @property
    def assumed(self) -> bool:
        """Whether it is only known from before the start."""
        return self.enabled is None and self.stored is not None

    @property
    def shown(self) -> bool | None:
        """Whether the firmware may run it, as it was before the start until reported."""
        return self.stored if self.enabled is None else self.enabled


@dataclass(frozen=True, slots=True, kw_only=True)
class Doser(Dosing):
    """A pump that doses from a drum.

    The controller does not measure volumes, it counts them: they fall with every dose
    and rise only with a refill. They do not fluctuate around a threshold, so no
    hysteresis is needed.
    """

    drum_ml: float | None = None
    """Size of the drum; 0 if it was not entered in the controller."""
    remaining_ml: float | None = None
    level_at: datetime | None = field(default=None, compare=False)
    """Time of the last report of `remaining_ml`; ignored in comparisons."""
    doses: int | None = None
    """Doses today, as counted by the controller."""
    doses_at: datetime | None = field(default=None, compare=False)
    """Time of the last report of `doses`; ignored in comparisons."""
    max_doses: int | None = None
    """Most doses that the controller allows in a day."""

    @property
    def drum_litres(self) -> float | None:
        """Size of the drum, `None` until it is entered in the controller."""
        return self.drum_ml / 1000 if self.drum_ml else None

    @property
    def litres_left(self) -> float | None:
        """Litres left; without a drum size, the controller's count is meaningless."""
        if not self.drum_ml or self.remaining_ml is None:
            return None
        return self.remaining_ml / 1000

    def limit_reached(self, now: datetime) -> bool | None:
        """Return whether today's doses are used up; old counts may be yesterday's."""
        if self.doses_at is None or now - self.doses_at > COUNT_AGE:
            return None
        if self.doses is None or self.max_doses is None:
            return None
        return self.doses >= self.max_doses

    @property
    def empty(self) -> bool | None:
        """Whether the drum is empty, rounded to tenths of a litre."""
        return None if self.litres_left is None else round(self.litres_left, 1) <= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerEnd:
    """The time at which the running timer of an output switches it off."""

    slot: int
    at: datetime
    """Rounded to the minute."""


class LightShow(NamedTuple):
    """The light type and colour that a group of lights was last set to."""

    light_type: int
    color: int | None
    """`None` until it is reported."""


@dataclass(frozen=True, kw_only=True)
class Schedules:
    """The schedules of a controller."""

    records: tuple[Schedule, ...] | None = None
    """All records, including unused ones; the position is the schedule's index."""
    armed: tuple[int, ...] | None = None
    """Indices of the armed schedules, from either source."""
    assumed: bool = False
    """Whether the schedules are last known ones, not from the current source."""

    @cached_property
    def used(self) -> Mapping[int, Schedule]:
        """Schedules in use by their index; empty while they are unknown."""
        armed = self.armed or ()
        return {
            index: schedule
            if schedule.enabled is (index in armed)
            else replace(schedule, enabled=index in armed)
            for index, schedule in enumerate(self.records or ())
            if schedule.used
        }
