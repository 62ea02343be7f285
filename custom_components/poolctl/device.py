"""The controller as a device, made of what is truly known of it."""

from homeassistant.helpers import device_registry as dr

from .client.pool.state import PoolState
from .const import DOMAIN
from .upkeep.records import ControllerRecord


def device_info(record: ControllerRecord, state: PoolState) -> dr.DeviceInfo:
    """Return what the device page shows.

    No manufacturer: the interface names none. No link to its host: a controller serves
    no page, a browser would be shown an error (interface.md 4.2, 7.2).
    """
    return dr.DeviceInfo(
        identifiers={(DOMAIN, record.device_id)},
        connections={(dr.CONNECTION_NETWORK_MAC, record.mac)},
        name=record.name or None,
        translation_key=None if record.name else "controller",
        model=_model(state),
        # What the service knows a controller by (interface.md 2.4); another serial
        # number is not published.
        serial_number=record.device_id,
        sw_version=state.firmware or record.firmware,
        suggested_area=record.site or None,
    )


def _model(state: PoolState) -> str:
    """Return what is known of the model: the vendor's names for them are not published.

    The number of slots tells a controller with expanders from one without; only the LAN
    tells it.
    """
    if not state.outputs.known:
        return "Pool controller"
    return f"Pool controller, {len(state.outputs.slots)} slots"
