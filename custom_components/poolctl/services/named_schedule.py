"""The schedule that an action targets, named by switch, or by controller and number."""

from typing import Final

from homeassistant.const import ATTR_DEVICE_ID, Platform
from homeassistant.core import ServiceCall, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.typing import ConfigType
import probatio as vol

from ..account import PoolctlConfigEntry
from ..client.schedule import MAX_SCHEDULES
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from .named_device import async_coordinator
from .numbers import whole

ATTR_SCHEDULE_NUMBER: Final = "schedule"
ATTR_SCHEDULE_ENTITY: Final = "schedule_entity"

SCHEDULE_FIELDS = {
    vol.Optional(ATTR_DEVICE_ID): cv.string,
    vol.Optional(ATTR_SCHEDULE_NUMBER): vol.All(
        whole, vol.Range(min=1, max=MAX_SCHEDULES)
    ),
    vol.Optional(ATTR_SCHEDULE_ENTITY): cv.entity_id,
}
_BOTH: Final = {ATTR_DEVICE_ID, ATTR_SCHEDULE_NUMBER}


def one_schedule(data: ConfigType) -> ConfigType:
    """Return the data; raise Invalid unless it names one schedule in one way."""
    if {*SCHEDULE_FIELDS} & data.keys() not in ({ATTR_SCHEDULE_ENTITY}, _BOTH):
        raise vol.Invalid(
            f"name either {ATTR_SCHEDULE_ENTITY},"
            f" or {ATTR_DEVICE_ID} and {ATTR_SCHEDULE_NUMBER}"
        )
    return data


def _unique_id(coordinator: ControllerCoordinator, index: int) -> str:
    return f"{coordinator.record.device_id}_schedule_{index}"


@callback
def async_schedule_entity(coordinator: ControllerCoordinator, index: int) -> str | None:
    """Return the entity ID of a schedule's switch, `None` if there is none."""
    return er.async_get(coordinator.hass).async_get_entity_id(
        Platform.SWITCH, DOMAIN, _unique_id(coordinator, index)
    )


@callback
def async_schedule_named(call: ServiceCall) -> tuple[ControllerCoordinator, int]:
    """Return the controller and the index of the schedule that an action names.

    Raises ServiceValidationError if the switch does not belong to a schedule, or the
    device does not belong to this integration.
    """
    if (entity_id := call.data.get(ATTR_SCHEDULE_ENTITY)) is None:
        return async_coordinator(call), call.data[ATTR_SCHEDULE_NUMBER] - 1
    entries: list[PoolctlConfigEntry] = call.hass.config_entries.async_loaded_entries(
        DOMAIN
    )
    for entry in entries:
        for coordinator in entry.runtime_data.controllers.values():
            for index in range(MAX_SCHEDULES):
                if async_schedule_entity(coordinator, index) == entity_id:
                    return coordinator, index
    raise ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="schedule_entity_unknown",
        translation_placeholders={"entity": entity_id},
    )
