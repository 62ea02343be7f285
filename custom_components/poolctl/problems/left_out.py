"""Controllers of an account that could not be loaded, and are left out meanwhile."""

from collections.abc import Collection

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, issue_registry as ir

from ..const import DOMAIN

_KEY = "controllers_left_out"


@callback
def async_report_left_out(
    hass: HomeAssistant, entry_id: str, device_ids: Collection[str] = ()
) -> None:
    """Tell a person which ones, by the names in Home Assistant; with none, tell no more."""
    issue_id = f"{_KEY}_{entry_id}"
    if not device_ids:
        ir.async_delete_issue(hass, DOMAIN, issue_id)
        return
    names = (_name(hass, entry_id, device_id) for device_id in device_ids)
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        is_fixable=False,
        severity=ir.IssueSeverity.ERROR,
        translation_key=_KEY,
        translation_placeholders={"names": ", ".join(sorted(names))},
    )


def _name(hass: HomeAssistant, entry_id: str, device_id: str) -> str:
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, device_id), entry_id
    )
    return (device and (device.name_by_user or device.name)) or device_id
