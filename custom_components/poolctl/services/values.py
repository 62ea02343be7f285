"""Checks of actions; Home Assistant's validators cut 1.9 to 1 and fail at infinity."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, override

from homeassistant.const import ATTR_AREA_ID, ATTR_DEVICE_ID, ATTR_FLOOR_ID, WEEKDAYS
from homeassistant.core import ServiceCall
from homeassistant.exceptions import ServiceNotSupported, ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.typing import ConfigType, VolDictType
from homeassistant.util import dt as dt_util
import probatio as vol

from ..errors import mistake

_EXAMPLES: Final = {
    **dict.fromkeys(("start", "end", "around", "earliest", "latest"), "18:30"),
    **dict.fromkeys(("state", "enabled", "again", "dry_run", "later"), "true, false"),
    "at": "2027-06-30 18:30",
    "blocks": "[{start: 02:00, end: 05:00}]",
    "device_id": "1b4a46c6cba0677bbfb5a8c53e8618b0",
    "equipment": "switch.pool_pump",
    "fields": "{begin: start, value: price}",
    "name": "Filter",
    "payload": '"02 01 01"',
    "prefer": "lowest, highest",
    "price_entities": "sensor.electricity_price",
    "weekdays": ", ".join(WEEKDAYS),
}
"""What the fields of the actions accept, in the words of no language."""
FAULTS: Final = {
    "required": "field_missing",
    "extra_keys_not_allowed": "field_unknown",
}


class Fields(vol.Schema):
    """The schema of an action, whose errors are our translated sentences.

    Home Assistant shows the validator's own errors, in English, and those of types
    that its validators do not expect as an unknown error.
    """

    @override
    def __call__(self, data: Any, **context: Any) -> Any:
        """Return the data of a call, checked; raise ServiceValidationError."""
        try:
            return super().__call__(data, **context)
        except vol.Invalid as err:
            fault = FAULTS.get(err.code or "") if err.path else None
            field = ".".join(map(str, err.path))
            refusal = mistake(fault or "target_missing", field=field)
        except TypeError:  # from Home Assistant's check of a target
            refusal = mistake("target_missing")
        raise refusal


def named(fields: VolDictType) -> VolDictType:
    """Return fields whose errors name the field and an example of what it accepts."""
    return {
        field: or_refuse(vol.Schema(check), partial(_refusal, str(field)))
        for field, check in fields.items()
    }


def _refusal(field: str) -> ServiceValidationError:
    return mistake("field_value", field=field, example=_EXAMPLES[field])


def on_entities(
    fields: VolDictType, *checks: Callable[[ConfigType], ConfigType]
) -> Fields:
    """Return the schema of an action on entities; the checks get all its fields."""
    return Fields(vol.All(cv.make_entity_service_schema(named(fields)), *checks))


def or_refuse[T](
    check: Callable[[object], T], refusal: Callable[[], ServiceValidationError]
) -> Callable[[object], T]:
    """Return a check whose errors are our sentence, not the validator's English."""

    def checked(value: object) -> T:
        try:
            return check(value)
        except OverflowError, TypeError, ValueError, vol.Invalid:
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
    """Return a time in UTC; raise OverflowError for a year that no calendar has."""
    return dt_util.as_utc(cv.datetime(value))


def of_kind[E: Entity](kind: type[E], entity: Entity, call: ServiceCall) -> E:
    """Return an entity that an action targets; raise ServiceNotSupported for others."""
    if not isinstance(entity, kind):
        raise ServiceNotSupported(call.domain, call.service, entity.entity_id)
    return entity


def entities_only(fields: VolDictType) -> Fields:
    """Return the schema of an action on settings and diagnostic entities.

    Home Assistant leaves such entities out of devices and areas: as a target, these
    would do nothing without an error.
    """
    return on_entities(fields, _by_entity)


def _by_entity(data: ConfigType) -> ConfigType:
    if found := {ATTR_DEVICE_ID, ATTR_AREA_ID, ATTR_FLOOR_ID} & data.keys():
        raise mistake("entities_only", fields=", ".join(sorted(found)))
    return data
