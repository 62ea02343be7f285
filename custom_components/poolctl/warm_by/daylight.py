"""The daylight in which the sun can warm water that is to be warm by a time."""

from datetime import datetime, timedelta

from homeassistant.const import SUN_EVENT_SUNRISE, SUN_EVENT_SUNSET
from homeassistant.core import HomeAssistant
from homeassistant.helpers.sun import get_astral_event_date

from .outlook import Daylight


def daylight_before(hass: HomeAssistant, by: datetime) -> Daylight | None:
    """Return the daylight of that day, of the day before if the sun rises later.

    `None` where the sun does not rise or set.
    """
    for day in (by, by - timedelta(days=1)):
        sunrise = get_astral_event_date(hass, SUN_EVENT_SUNRISE, day)
        sunset = get_astral_event_date(hass, SUN_EVENT_SUNSET, day)
        if sunrise and sunset and sunrise < min(by, sunset):
            return Daylight(sunrise, sunset)
    return None
