"""Checks of actions; Home Assistant's validators cut 1.9 to 1 and fail at infinity."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from homeassistant.const import ATTR_AREA_ID, ATTR_DEVICE_ID, ATTR_FLOOR_ID
from homeassistant.core import ServiceCall
from homeassistant.exceptions import ServiceNotSupported, ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.typing import ConfigType, VolDictType, VolSchemaType
from homeassistant.util import dt as dt_util
import probatio as vol

from ..errors import mistake


def or_refuse[T](
    check: Callable[[object], T], refusal: Callable[[], ServiceValidationError]
) -> Callable[[object], T]:
    """Return a check whose errors are our sentence, not the validator's English."""

    def checked(value: object) -> T:
        try:
            return check(value)
        except OverflowError, vol.Invalid:
            raise refusal() from None

    return checked


def within[T: (float, timedelta)](
    field: str, check: Callable[[object], T], low: T, high: T
) -> Callable[[object], T]:
    """Return a check whose error names the field of an action and its range."""
    lower, upper = _written(low), _written(high)
    return or_refuse(
        vol.All(check, vol.Range(low, high)),
        lambda: mistake("out_of_range", field=field, lower=lower, upper=upper),
    )


def _written(bound: float | timedelta) -> str:
    if not isinstance(bound, timedelta):
        return f"{bound:g}"
    hours = bound / timedelta(hours=1)
    return f"{hours:g} h" if hours >= 1 else f"{bound.total_seconds():g} s"


def _whole(number: float) -> int:
    if not number.is_integer():
        raise vol.Invalid("expected a whole number")
    return int(number)


number: Final[Callable[[object], float]] = vol.Coerce(float)
speed: Final = or_refuse(vol.All(number, _whole), lambda: mistake("schedule_speed"))
"""Takes 80, 80.0 or "80", as an integer; refuses a fraction."""


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
