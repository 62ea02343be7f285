"""Days of Home Assistant, as what is counted by day needs them."""

from datetime import date, datetime, timedelta
from typing import Final

from homeassistant.util import dt as dt_util

MIDNIGHT_MARGIN: Final = timedelta(hours=1)
"""How far the controller's midnight may be from ours, and its news from theirs."""


def start_of_day(day: date | datetime) -> datetime:
    """Return when a local day began, in UTC, which no change of the clock makes ambiguous."""
    return dt_util.as_utc(dt_util.start_of_local_day(day))
