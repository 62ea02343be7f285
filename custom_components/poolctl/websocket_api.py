"""What cards ask for: the planned runs of schedules, and what *Warm by* would do."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components import websocket_api
from homeassistant.components.websocket_api.connection import ActiveConnection
from homeassistant.components.websocket_api.decorators import websocket_command
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ServiceNotSupported, Unauthorized
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.util import dt as dt_util
import probatio as vol

from .account import async_controller
from .client.pool import BODIES, Body, Window, occurrences, schedules_of, window_at
from .const import DOMAIN
from .devices.output_attributes import ATTR_REASONS
from .entity import async_output_of
from .errors import command_errors
from .services.values import moment
from .status.heating import why_warm_by
from .status.texts import reasons
from .warm_by.request import Request, new_request

_BODIES: Final[Mapping[str | None, Body]] = {
    f"{body.key}_heating": body for body in BODIES
}


@callback
def async_setup_plan(hass: HomeAssistant) -> None:
    """Register the commands."""
    websocket_api.async_register_command(hass, _plan)
    websocket_api.async_register_command(hass, _warm_by)


@websocket_command(
    {
        vol.Required("type"): f"{DOMAIN}/plan",
        vol.Required("device_id"): str,
        vol.Required("start"): cv.datetime,
        vol.Required("end"): cv.datetime,
    }
)
@callback
def _plan(
    hass: HomeAssistant,
    connection: ActiveConnection,
    message: dict[str, Any],
) -> None:
    """Send the runs of enabled schedules that overlap a period.

    A run has its whole length, also outside the period. Its form is `{entity_id, name,
    start, end, until}` with ISO 8601 times and the name of the schedule; `until` is when
    the output stops, as another schedule may follow, `null` for never. Outputs that the
    user may not see are left out.
    """
    zone = dt_util.get_default_time_zone()
    start, end = map(dt_util.as_utc, (message["start"], message["end"]))
    coordinator = async_controller(hass, message["device_id"])
    state = coordinator.state
    check_entity = connection.user.permissions.check_entity
    runs, windows = [], dict[int, Window | None]()
    for run in occurrences(state.schedules.used, start, end, zone):
        place = run.schedule.slot
        entity_id, slot = async_output_of(coordinator, place), state.outputs.slot(place)
        if not (slot and entity_id and check_entity(entity_id, POLICY_READ)):
            continue
        window = windows.get(place)
        if window is None or (window.until and window.until <= run.start):
            window = windows[place] = window_at(schedules_of(state, slot), run.start)
        until = window and window.until
        runs.append(
            {
                "entity_id": entity_id,
                "name": run.schedule.name,
                "start": run.start.isoformat(),
                "end": run.end.isoformat(),
                "until": until and until.isoformat(),
            }
        )
    connection.send_result(message["id"], {"runs": runs})


@websocket_command(
    {
        vol.Required("type"): f"{DOMAIN}/warm_by",
        vol.Required("entity_id"): str,
        vol.Required("at"): moment,
    }
)
@callback
def _warm_by(
    hass: HomeAssistant,
    connection: ActiveConnection,
    message: dict[str, Any],
) -> None:
    """Send what a request to this thermostat would do, in the form of `reasons`.

    Nothing is requested, and no prices count: the dialog of the dashboard gives none.
    """
    entity_id = message["entity_id"]
    entity = er.async_get(hass).async_get(entity_id)
    if not connection.user.permissions.check_entity(entity_id, POLICY_READ):
        raise Unauthorized(entity_id=entity_id)
    if entity is None or (body := _BODIES.get(entity.translation_key)) is None:
        raise ServiceNotSupported(DOMAIN, "warm_by", entity_id)
    coordinator = async_controller(hass, entity.device_id or "")
    wanted = Request(body=body, by=message["at"])
    with command_errors(entity_id):
        wanted = new_request(wanted, None, None, coordinator.clock.now())
    why = why_warm_by(coordinator.warm_by.outlook(wanted))
    connection.send_result(message["id"], {ATTR_REASONS: reasons(hass, why)})
