"""What a pool is made of: one type for each kind of part, with its own fields.

Unknown is `None`. What tells one part from another of its kind (which equipment it
needs, what it is called on the wire) stands in `dosing.py`, `heating.py` and `lights.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from ..schedule import Schedule

COUNT_AGE = timedelta(hours=1)
"""Beyond that a count of doses may be yesterday's; it is reported every few minutes."""
MIN_LOW_LEVEL, MAX_LOW_LEVEL = 1, 50
"""% of the drum that may be called little (chosen)."""
LOW_LEVEL = 10
"""%, chosen: about two litres of a usual drum, some weeks of dosing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chemistry:
    """Readings of the probes, which mean something only in flowing water."""

    ph: float | None = None
    orp: float | None = None
    """mV."""
    water_temperature: float | None = None
    """°C."""


@dataclass(frozen=True, slots=True)
class Water:
    """The water of the pool or of the spa."""

    target: int | None = None
    """°C."""


@dataclass(frozen=True, slots=True)
class Heater:
    """A heat source."""

    selected: bool | None = None
    """Whether the firmware may run it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dosing:
    """What the firmware regulates: a chlorinator has this much, a doser has more."""

    desired: float | None = None
    """pH, or ORP in mV."""
    enabled: bool | None = None
    """Whether the firmware may run it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doser(Dosing):
    """A pump that doses out of a drum.

    The controller counts volumes, it does not measure them: they fall with every dose
    and rise only with a refill. So nothing flutters at a threshold, and there is no
    hysteresis.
    """

    drum_ml: float | None = None
    """Size of the drum; 0 where nobody entered it in the controller."""
    remaining_ml: float | None = None
    level_at: datetime | None = field(default=None, compare=False)
    """When `remaining_ml` was last reported; alone it makes no state different."""
    doses: int | None = None
    """Today, as the controller counts."""
    told_at: datetime | None = field(default=None, compare=False)
    """When the controller last reported its count; alone it makes no state different."""
    max_doses: int | None = None
    """The most that the controller takes in a day."""

    @property
    def drum_litres(self) -> float | None:
        """Size of the drum, `None` while nobody entered it."""
        return self.drum_ml / 1000 if self.drum_ml else None

    @property
    def litres_left(self) -> float | None:
        """What is left; without a size of the drum the count means nothing."""
        if not self.drum_ml or self.remaining_ml is None:
            return None
        return self.remaining_ml / 1000

    def limit_reached(self, now: datetime) -> bool | None:
        """Return whether no more doses are taken today.

        Unknown where the count is an old one: the day may be another.
        """
        if self.told_at is None or now - self.told_at > COUNT_AGE:
            return None
        if self.doses is None or self.max_doses is None:
            return None
        return self.doses >= self.max_doses

    @property
    def empty(self) -> bool | None:
        """Whether nothing is left of a drum, in tenths of a litre."""
        return None if self.litres_left is None else round(self.litres_left, 1) <= 0

    def low(self, level: int) -> bool | None:
        """Return whether the drum is nearly empty, at a level in %."""
        if not self.drum_ml or self.remaining_ml is None:
            return None
        return self.remaining_ml * 100 <= self.drum_ml * level


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerEnd:
    """When the running timer of an output will switch it off."""

    slot: int
    at: datetime
    """To the minute."""


class LightShow(NamedTuple):
    """The light type and colour that a group of lights was last set to."""

    light_type: int
    color: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lights:
    """The lights of the pool or of the spa: the controller keeps one preference for all."""

    show: LightShow | None = None


@dataclass(frozen=True, kw_only=True)
class Schedules:
    """The schedules of a controller."""

    records: tuple[Schedule, ...] | None = None
    """All records, unused ones too: a position is a schedule's index."""
    armed: tuple[int, ...] | None = None
    """Indices of those that are armed, whichever source reported them."""
    assumed: bool = False
    """Whether they are remembered, not reported by the current source."""

    @cached_property
    def used(self) -> Mapping[int, Schedule]:
        """Those in use by their index, none while they are unknown."""
        armed = self.armed or ()
        return {
            index: schedule
            if schedule.enabled is (index in armed)
            else replace(schedule, enabled=index in armed)
            for index, schedule in enumerate(self.records or ())
            if schedule.used
        }
