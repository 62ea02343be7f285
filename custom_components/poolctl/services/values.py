"""Checks of actions; Home Assistant's validators cut 1.9 to 1 and fail at infinity."""

from collections.abc import Callable
from datetime import datetime, timedelta
from math import isfinite

from homeassistant.const import ATTR_AREA_ID, ATTR_DEVICE_ID, ATTR_FLOOR_ID
from homeassistant.core import ServiceCall
from homeassistant.exceptions import ServiceNotSupported
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.typing import ConfigType, VolDictType, VolSchemaType
from homeassistant.util import dt as dt_util
import probatio as vol

from ..errors import mistake


def speed(value: object) -> int:
    """Return 80, 80.0 or "80" as an integer; refuse a fraction."""
    number = finite(value)
    if not number.is_integer():
        raise mistake("schedule_speed")
    return int(number)


def within[T: (float, timedelta)](
    field: str, check: Callable[[object], T], low: T, high: T
) -> Callable[[object], T]:
    """Return a check whose error names the field of an action and its range."""

    def checked(value: object) -> T:
        if not low <= (found := check(value)) <= high:
            lower, upper = _written(low), _written(high)
            raise mistake("out_of_range", field=field, lower=lower, upper=upper)
        return found

    return checked


def _written(bound: float | timedelta) -> str:
    if not isinstance(bound, timedelta):
        return f"{bound:g}"
    hours = bound / timedelta(hours=1)
    return f"{hours:g} h" if hours >= 1 else f"{bound.total_seconds():g} s"


def finite(value: object) -> float:
    """Return a number; raise Invalid for infinity and for anything else."""
    try:
        number: float = vol.Coerce(float)(value)
    except OverflowError:
        raise vol.Invalid("expected a smaller number") from None
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


def moment(value: object) -> datetime:
    """Return a time in UTC; raise Invalid for a year that no calendar has."""
    try:
        return dt_util.as_utc(cv.datetime(value))
    except OverflowError:
        raise vol.Invalid("expected another year") from None


def of_kind[E: Entity](kind: type[E], entity: Entity, call: ServiceCall) -> E:
    """Return an entity that an action targets; raise ServiceNotSupported for others."""
    if not isinstance(entity, kind):
        raise ServiceNotSupported(call.domain, call.service, entity.entity_id)
    return entity


def entities_only(fields: VolDictType) -> VolSchemaType:
    """Return the schema of an action on settings and diagnostic entities.

    Home Assistant leaves such entities out of devices and areas: as a target, these
    would do nothing without an error.
    """
    return vol.All(cv.make_entity_service_schema(fields), _by_entity)


def _by_entity(data: ConfigType) -> ConfigType:
    if found := {ATTR_DEVICE_ID, ATTR_AREA_ID, ATTR_FLOOR_ID} & data.keys():
        raise mistake("entities_only", fields=", ".join(sorted(found)))
    return data
