"""Release of holds and pauses when their entry is deleted and no longer loaded."""

from collections.abc import Container

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_create_clientsession
from homeassistant.util import dt as dt_util

from ..client.controller import Controller
from ..client.facts import Facts
from ..client.wire.http import ClosingRequest
from ..network.record import LanAccess, stored_records
from ..options import options_of
from .controller import ControllerStore
from .hold_timer import async_report_left
from .memory import DATA_MEMORY


async def async_leave_all(
    hass: HomeAssistant, entry: ConfigEntry, shared: Container[str]
) -> None:
    """End holds and pauses of an entry's controllers; report those that remain.

    The `shared` controllers are skipped: other accounts continue to run them.
    """
    memory, options = hass.data[DATA_MEMORY], options_of(entry)
    records, _ = stored_records(entry.data)
    for record in records.values():
        if record.device_id in shared:
            continue
        stored = ControllerStore(memory, record.device_id)
        parts = stored.to_start_from()
        if not (*parts.holds, *parts.pauses, *parts.heat):
            continue
        session = async_create_clientsession(
            hass, auto_cleanup=False, request_class=ClosingRequest
        )
        access = LanAccess(
            record=record,
            session=session,
            counters=stored.counters,
            facts=Facts(),
            allowed=options.uses_lan,
        )
        controller = Controller(
            record.device_id,
            lan=access.client(),
            cloud=None,
            stored=parts,
            clock=memory.clock,
            zone=dt_util.get_default_time_zone,
        )
        try:
            left, state = await controller.leave(), controller.store.reported
            await async_report_left(hass, left, state, record.title)
        finally:
            await controller.close()
            session.detach()
