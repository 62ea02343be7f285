"""The websocket command `poolctl/plan`: planned runs of schedules for the dashboard."""

from typing import Any

from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components import websocket_api
from homeassistant.components.websocket_api.connection import ActiveConnection
from homeassistant.components.websocket_api.decorators import websocket_command
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.util import dt as dt_util
import probatio as vol

from .account import async_controller
from .client.pool import Window, occurrences, schedules_of, window_at
from .const import DOMAIN
from .entity import async_output_of


@callback
def async_setup_plan(hass: HomeAssistant) -> None:
    """Register the command."""
    websocket_api.async_register_command(hass, _plan)


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
    start, end = (
        at if at.tzinfo else at.replace(tzinfo=zone)
        for at in (message["start"], message["end"])
    )
    coordinator = async_controller(hass, message["device_id"])
    state = coordinator.data
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
