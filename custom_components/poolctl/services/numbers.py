"""Number validators of actions: Home Assistant's cut 1.9 to 1 and fail at infinity."""

from datetime import timedelta
from math import isfinite

from homeassistant.helpers import config_validation as cv
import probatio as vol


def whole(value: object) -> int:
    """Return 2, 2.0 or "2" as an integer; raise Invalid for a fraction."""
    number = vol.Coerce(float)(value)
    if not number.is_integer():
        raise vol.Invalid("expected a whole number")
    return int(number)


def finite(value: object) -> float:
    """Return a number; raise Invalid for infinity and for anything else."""
    number: float = vol.Coerce(float)(value)
    if not isfinite(number):
        raise vol.Invalid("expected a finite number")
    return number


def duration(value: object) -> timedelta:
    """Return a period of 0 or more; raise Invalid otherwise, also for infinity."""
    try:
        period: timedelta = cv.positive_time_period(value)
    except OverflowError:
        raise vol.Invalid("expected a finite duration") from None
    return period
