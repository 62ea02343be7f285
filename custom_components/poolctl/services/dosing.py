"""The action that pauses dosing for a time."""

from datetime import timedelta
from typing import Final

from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.const import Platform
from homeassistant.core import ServiceCall
from homeassistant.helpers import entity_registry as er
import probatio as vol

from ..client.pool.dosing import ACID, CHLORINATOR, CHLORINE, AnyDosing
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from ..errors import command_errors
from .named_device import DEVICE_FIELD, async_coordinator
from .numbers import duration
from .permissions import async_check_entity

_OF: Final[dict[str, tuple[AnyDosing, ...]]] = {
    "acid": (ACID,),
    "chlorine": (CHLORINATOR, CHLORINE),
    "both": (ACID, CHLORINATOR, CHLORINE),
}


def _lasts(value: object) -> timedelta:
    """Return the duration; an invalid one becomes 0, which has a translated error."""
    try:
        return duration(value)
    except vol.Invalid:
        return timedelta()


PAUSE_SCHEMA: Final = vol.Schema(
    {
        **DEVICE_FIELD,
        vol.Required("duration"): _lasts,
        vol.Optional("dosing", default="both"): vol.In(_OF),
    }
)


async def async_pause(call: ServiceCall) -> None:
    """Pause dosers that are fitted or may be: the cloud alone does not report all."""
    coordinator = async_coordinator(call)
    outputs = coordinator.data.outputs
    kinds = [
        each
        for each in _OF[call.data["dosing"]]
        if outputs.fitted(each.fitted) is not False
    ]
    for kind in kinds:
        await _async_check(call, coordinator, kind)
    with command_errors(coordinator.record.title):
        await coordinator.controller.pauses.begin(kinds, call.data["duration"])


async def _async_check(
    call: ServiceCall, coordinator: ControllerCoordinator, kind: AnyDosing
) -> None:
    """Check that the caller may switch a doser."""
    unique_id = f"{coordinator.record.device_id}_{kind.enabled_key}"
    entity_id = er.async_get(call.hass).async_get_entity_id(
        Platform.SWITCH, DOMAIN, unique_id
    )
    await async_check_entity(call, entity_id, POLICY_CONTROL)
