"""Cards and dashboard: a frontend module, loaded while there is an account."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url
from homeassistant.components.http import StaticPathConfig
from homeassistant.components.lovelace.const import LOVELACE_DATA
from homeassistant.components.lovelace.resources import ResourceStorageCollection
from homeassistant.const import CONF_ID, CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN

FOLDER: Final = Path(__file__).parent / "frontend"
MODULE: Final = "poolctl.js"
FRONTEND_PATH: Final = f"/{DOMAIN}_frontend"

_DATA_URL: Final[HassKey[str]] = HassKey(f"{DOMAIN}_dashboard")


async def async_setup_dashboard(hass: HomeAssistant) -> None:
    """Serve the module if Home Assistant runs with its frontend."""
    if "frontend" not in hass.config.components:
        return
    folder = f"{FRONTEND_PATH}/{await hass.async_add_executor_job(version)}"
    await hass.http.async_register_static_paths(
        [StaticPathConfig(folder, str(FOLDER), cache_headers=True)]
    )
    hass.data[_DATA_URL] = f"{folder}/{MODULE}"


def version() -> str:
    """Return a hash of the files, for their address: browsers cache them for a month."""
    files = sorted(FOLDER.glob("*.js"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


async def async_offer_dashboard(hass: HomeAssistant) -> None:
    """Add the module to the frontend and to the resources of dashboards.

    Every browser loads it at once. A cast device loads only resources of dashboards, so
    the module is added to these, too, unless they are kept in YAML.
    """
    if (url := hass.data.get(_DATA_URL)) is None:
        return
    add_extra_js_url(hass, url)
    if (resources := await _resources(hass)) is None:
        return
    ours = _ours(resources)
    if not ours:
        await resources.async_create_item({"res_type": "module", CONF_URL: url})
    for known in ours[:1]:
        await resources.async_update_item(known, {CONF_URL: url})
    for surplus in ours[1:]:
        await resources.async_delete_item(surplus)


async def async_withdraw_dashboard(hass: HomeAssistant) -> None:
    """Remove the module from the resources of dashboards.

    Browsers still load it until Home Assistant restarts, so that a dashboard shows that
    there is no pool.
    """
    if resources := await _resources(hass):
        for known in _ours(resources):
            await resources.async_delete_item(known)


async def _resources(hass: HomeAssistant) -> ResourceStorageCollection | None:
    """Return the resources of dashboards, `None` if they cannot be changed."""
    resources = (
        hass.data[LOVELACE_DATA].resources if LOVELACE_DATA in hass.data else None
    )
    if not isinstance(resources, ResourceStorageCollection):
        return None
    await resources.async_get_info()  # loads them at the first call
    return resources


def _ours(resources: ResourceStorageCollection) -> list[str]:
    """Return the IDs of our resources, including those of other versions."""
    return [
        item[CONF_ID]
        for item in resources.async_items()
        if item[CONF_URL].startswith(f"{FRONTEND_PATH}/")
    ]
