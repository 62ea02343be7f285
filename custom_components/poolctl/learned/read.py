"""A read, as the models take it: one rule for gaps, one for days."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple

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


def start_of_day(day: date, zone: tzinfo | None) -> datetime:
    """Return when a local day began.

    In UTC, for where a clock is put forward at midnight there is no 0:00.
    """
    return datetime.combine(day, time(), zone).astimezone(UTC)
