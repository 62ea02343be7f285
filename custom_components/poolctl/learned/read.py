"""A read for the learned models, with one rule each for days and means."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple

from ..client.pool import PoolState
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
