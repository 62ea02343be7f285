"""A read for the learned models, with one rule for gaps and one for days."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple

from ..client.equipment import SOLAR_BY_FILTER_PUMP
from ..client.pool.choices import Choices
from ..client.pool.state import PoolState

MIDNIGHT_MARGIN: Final = timedelta(hours=1)
"""Largest delay of the controller's midnight and its first report after ours."""
COPY_MARGIN: Final = timedelta(minutes=2)
"""Greatest delay of a cloud copy that arrives after newer values."""

NO_CHOICES: Final = Choices()


class Read(NamedTuple):
    """One read of a controller."""

    state: PoolState
    seconds: float | None
    """Seconds since the previous read, `None` if the time in between is unknown."""
    now: datetime
    """Trusted local time of the read."""
    choices: Choices = NO_CHOICES
    """The user's choices at the time of the read."""


def through_filter_alone(read: Read) -> bool:
    """Return whether the primed pump sends the water through its usual path.

    The spa, and a solar roof on the filter pump, have another resistance.
    """
    state = read.state
    by_roof = state.signals.solar and state.outputs.fitted(SOLAR_BY_FILTER_PUMP)
    return not (state.spa_mode or by_roof or state.signals.pump_priming)


def start_of_day(day: date, zone: tzinfo | None) -> datetime:
    """Return when a local day began, in UTC.

    Where clocks are set forward at midnight, that day has no local 0:00.
    """
    return datetime.combine(day, time(), zone).astimezone(UTC)
