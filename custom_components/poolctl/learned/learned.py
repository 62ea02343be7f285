"""All learned values of one controller: fed by one listener, stored in one section."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from typing import NamedTuple

from ..client import MAX_AGE, ControllerClock
from ..client.codec import from_stored, to_stored
from ..client.pool import BODIES, DOSERS, PoolState
from .cooling import Cooling
from .dosing import DoserModel, DosingEffect
from .ends import Ends
from .filter import Filter, PumpPower
from .preferences import Preferences
from .pump_days import PumpDays
from .read import NO_PREFERENCES, Read
from .steady import SteadyReadings
from .totals import Totals
from .warming import Warming


class Last(NamedTuple):
    """The last temperature that a probe measured, in °C, and its time in UTC."""

    celsius: float
    at: datetime


class Learned:
    """The models of one controller."""

    def __init__(self, stored: object = None) -> None:
        forms = stored if isinstance(stored, Mapping) else {}
        self._parts: dict[str, object] = {}

        def part[T](kind: type[T], name: str) -> T:
            found = from_stored(kind, forms.get(name))
            self._parts[name] = found
            return found

        self.totals = part(Totals, "totals")
        self.pump_days = part(PumpDays, "pump_days")
        self.filter = part(Filter, "filter")
        self.pump_power = part(PumpPower, "pump_power")
        self.controller_clock = part(ControllerClock, "clock")
        self.warming = {body: part(Warming, f"{body.key}_warming") for body in BODIES}
        self.cooling = {body: part(Cooling, f"{body.key}_cooling") for body in BODIES}
        self.dosers = {kind: part(DoserModel, kind.key) for kind in DOSERS}
        self.effects = {
            kind: part(DosingEffect, f"{kind.key}_effect") for kind in DOSERS
        }
        self.last_water: Last | None = None
        self.last_ambient: Last | None = None
        self.steady = SteadyReadings()
        self.ends = Ends()
        self.now = datetime.fromtimestamp(0, UTC)
        """Trusted local time of the newest read, or of `begin_day`."""
        self._at = -inf
        self._clock = replace(self.controller_clock)

    def begin_day(self, now: datetime) -> None:
        """Begin at a trusted local time: a new day may have begun."""
        self.now = now
        self.totals.begin_day(now)
        self.pump_days.begin_day(now.date())

    def add_read(
        self,
        state: PoolState,
        at: float,
        now: datetime,
        preferences: Preferences = NO_PREFERENCES,
    ) -> bool:
        """Add a read at a time (monotonic, s); return whether a value to store changed.

        If the previous read is older than `MAX_AGE`, the time in between is unknown.
        """
        elapsed, self._at = at - self._at, at
        self.steady.add_readings(state.readings, at)
        self._note_temperatures(state, now)
        read = Read(state, elapsed if elapsed <= MAX_AGE else None, now, preferences)
        new_day = self.now.date() != now.date()
        self.now = now
        grown = self.totals.add_read(read)
        self.pump_days.add_read(read, self.totals)
        for body in BODIES:
            self.cooling[body].add_state(body, state, now)
        previous, self._clock = self._clock, replace(self.controller_clock)
        news = [
            new_day,
            grown,
            self.filter.add_read(read),
            self.pump_power.add_read(read),
            *[self.effects[kind].add_read(kind, read) for kind in DOSERS],
            *[self.warming[body].add_read(body, state, at, now) for body in BODIES],
            self._clock != previous,
        ]
        self.ends.add_read(read, self.warming)
        return True in news

    def _note_temperatures(self, state: PoolState, now: datetime) -> None:
        """Note what is measured now: the cloud may not report it later."""
        water = state.readings.water_temperature
        if water is not None and state.signals.chemistry_stable is not False:
            self.last_water = Last(water, now)
        if (ambient := state.readings.ambient_temperature) is not None:
            self.last_ambient = Last(ambient, now)

    def add_dosers(self, state: PoolState) -> bool:
        """Add reports of dosers, of replies too; return whether a shown value changed."""
        read = Read(state, None, self.now)
        news = [self.dosers[kind].add_read(kind, read) for kind in DOSERS]
        return True in news

    def cleaned(self, now: datetime) -> None:
        """Start the filter models again after a user reports the filter clean."""
        self.filter.cleaned(now)
        self.pump_power.cleaned()

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        return {name: to_stored(part) for name, part in self._parts.items()}
