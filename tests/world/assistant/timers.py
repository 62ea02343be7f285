"""Home Assistant's timers, while time stands still."""

from datetime import timedelta
import time
from typing import Final
from unittest.mock import patch

from homeassistant.core import HomeAssistant
from homeassistant.helpers import event
from homeassistant.util import dt as dt_util
from homeassistant.util.async_ import get_scheduled_timer_handles

_LATE: Final = timedelta(microseconds=event.RANDOM_MICROSECOND_MAX)
"""Longest delay that Home Assistant adds to coordinators and intervals."""
_RESOLUTION: Final = time.get_clock_info("monotonic").resolution


def fire_timers(hass: HomeAssistant) -> None:
    """Fire the timers that are due, as `async_fire_time_changed` of the harness does.

    That function makes two mocks for every timer, which made tests in which time passes
    a quarter slower.
    """
    now = dt_util.utcnow() + _LATE
    latest = hass.loop.time() + _LATE.total_seconds() + _RESOLUTION
    with (
        patch.object(event, "time_tracker_utcnow", new=lambda: now),
        patch.object(event, "time_tracker_timestamp", new=now.timestamp),
    ):
        for timer in list(get_scheduled_timer_handles(hass.loop)):
            if not timer.cancelled() and timer.when() <= latest:
                timer._run()
                timer.cancel()
