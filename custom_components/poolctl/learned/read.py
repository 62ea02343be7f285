"""A read, as the models take it: one rule for gaps, one for days."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple

from ..client.equipment import SOLAR_BY_FILTER_PUMP
from ..client.pool.choices import Choices
from ..client.pool.state import PoolState

MIDNIGHT_MARGIN: Final = timedelta(hours=1)
"""How far the controller's midnight may be from ours, and its news from theirs."""


NO_CHOICES: Final = Choices()


class Read(NamedTuple):
    """One read of a controller."""

    state: PoolState
    seconds: float | None
    """Since the previous read, `None` where it is unknown what happened in between."""
    now: datetime
    """The trusted local time."""
    choices: Choices = NO_CHOICES
    """What the user had chosen by then."""


def through_filter_alone(read: Read) -> bool:
    """Return whether the pump sends the water where it usually goes, and has begun to.

    The spa, and a roof that the filter pump serves, resist otherwise.
    """
    state = read.state
    by_roof = state.signals.solar and state.outputs.fitted(SOLAR_BY_FILTER_PUMP)
    return not (state.spa_mode or by_roof or state.signals.pump_priming)


def start_of_day(day: date, zone: tzinfo | None) -> datetime:
    """Return when a local day began.

    In UTC, for where a clock is put forward at midnight there is no 0:00.
    """
    return datetime.combine(day, time(), zone).astimezone(UTC)
