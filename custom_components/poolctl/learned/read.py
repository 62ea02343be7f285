"""A read for the learned models, with one rule each for odd values, days and means."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import partial
from math import inf
from typing import Final, NamedTuple

from ..client.pool import DOSERS, ORP_JUMP, PH_JUMP, WATER_JUMP, DoserKind, PoolState
from .preferences import Preferences

MIDNIGHT_MARGIN: Final = timedelta(hours=1)
"""Largest delay of the controller's midnight and its first report after ours."""
COPY_MARGIN: Final = timedelta(minutes=2)
"""Greatest delay of a cloud copy that arrives after newer values."""

WEIGHT: Final = 0.3
"""Weight of the newest measurement in a weighted mean (chosen)."""

NO_PREFERENCES: Final = Preferences()


class Read(NamedTuple):
    """One read of a controller."""

    state: PoolState
    seconds: float | None
    """Seconds since the previous read, `None` if the time in between is unknown."""
    now: datetime
    """Trusted local time of the read."""
    preferences: Preferences = NO_PREFERENCES
    """The user's preferences at the time of the read."""


@dataclass(slots=True)
class _Sane:
    """What one reading may be (all of it is chosen)."""

    jump: float
    """Difference that is a jump."""
    least: float = -inf
    most: float = inf
    unconfirmed: bool = False
    """Whether the newest value is impossible and a jump."""
    _newest: float | None = None
    _sure: float | None = None
    """Newest value that was no jump."""

    def accept_value(self, value: float | None) -> float | None:
        """Return the next value, `None` if it is impossible or a jump from earlier."""
        sure, before, self._newest = self._sure, self._newest, value
        self.unconfirmed = False
        if value is None:
            return None
        possible = self.least <= value <= self.most
        if (
            sure is not None
            and abs(value - sure) > self.jump
            and (before is None or abs(value - before) > self.jump)
        ):
            self.unconfirmed = not possible
            return None
        self._sure = value
        return value if possible else None


class OddReads:
    """Drops impossible values, and the jumps that only one read has."""

    def __init__(self) -> None:
        self._ph = _Sane(PH_JUMP)
        self._orp = _Sane(ORP_JUMP)
        # A maximum lasts for a day: its first value needs a second one, too.
        self.water = _Sane(WATER_JUMP, -5.0, 50.0, _sure=-inf)
        self._ambient = _Sane(5.0)
        self._flow = _Sane(500.0, most=2000.0)
        self._pressure = _Sane(50.0, most=1000.0)
        self._power = _Sane(3000.0, most=10_000.0)
        self._doses = {kind: _Sane(30.0) for kind in DOSERS}
        self._counts: dict[DoserKind, tuple[datetime | None, int | None]] = {}
        """Time of the newest report of doses, and its count if it is not odd."""

    def drop(self, state: PoolState) -> PoolState:
        """Return the state of the next read without odd readings."""
        readings = state.readings
        sane = replace(
            readings,
            ph=self._ph.accept_value(readings.ph),
            orp=self._orp.accept_value(readings.orp),
            water_temperature=self.water.accept_value(readings.water_temperature),
            ambient_temperature=self._ambient.accept_value(
                readings.ambient_temperature
            ),
            flow_rate=self._flow.accept_value(readings.flow_rate),
            pressure=self._pressure.accept_value(readings.pressure),
            pump_power=self._power.accept_value(readings.pump_power),
        )
        return replace(state, readings=sane)

    def drop_doses(self, state: PoolState) -> PoolState:
        """Return a state without odd counts of doses; each report counts once."""
        for kind, odd in self._doses.items():
            doser = kind.of(state)
            at, count = self._counts.get(kind, (None, doser.doses))
            if at != doser.doses_at:
                count = None if odd.accept_value(doser.doses) is None else doser.doses
                self._counts[kind] = doser.doses_at, count
            state = kind.edit(state, partial(replace, doses=count))
        return state


def start_of_day(day: date, zone: tzinfo | None) -> datetime:
    """Return when a local day began, in UTC: some days have no local 0:00."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def of_today[T](value: T, reported_at: datetime, now: datetime) -> T | int | None:
    """Return a value of the day on which it was reported, at a local time.

    It is 0 when the next day begins, and `None` an hour later if nothing was reported.
    """
    midnight = start_of_day(now.date(), now.tzinfo)
    if reported_at >= midnight:
        return value
    return 0 if now < midnight + MIDNIGHT_MARGIN else None


def weighted_mean(previous: float | None, newest: float) -> float:
    """Return the mean after another measurement: newer ones have more weight."""
    return newest if previous is None else previous + WEIGHT * (newest - previous)
