"""The ready-made dashboard: one module for the frontend, there as long as an account is.

The module offers a dashboard strategy under "Add dashboard"; a strategy makes its cards
from the equipment there is, each time it is shown, until a person takes control of them.
It lives in `frontend/` and needs nothing from here but to be found.
"""

from hashlib import sha256
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url, remove_extra_js_url
from homeassistant.components.http import StaticPathConfig
from homeassistant.components.lovelace.const import LOVELACE_DATA
from homeassistant.components.lovelace.resources import ResourceStorageCollection
from homeassistant.const import CONF_ID, CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN

FOLDER: Final = Path(__file__).parent / "frontend"
MODULE: Final = "poolctl.js"
PATH: Final = f"/{DOMAIN}_frontend"

_DATA_URL: Final[HassKey[str]] = HassKey(f"{DOMAIN}_dashboard")


async def async_setup_dashboard(hass: HomeAssistant) -> None:
    """Serve the module, where Home Assistant runs with its frontend."""
    if "frontend" not in hass.config.components:
        return
    # Browsers keep these files for a month, so changed ones need another address. The
    # fingerprint is a part of the path: what the module imports gets it, too.
    url = f"{PATH}/{await hass.async_add_executor_job(_fingerprint)}"
    await hass.http.async_register_static_paths([StaticPathConfig(url, str(FOLDER))])
    hass.data[_DATA_URL] = f"{url}/{MODULE}"


async def async_offer_dashboard(hass: HomeAssistant) -> None:
    """Have the module loaded from now on.

    Every browser does so at once. A screen that something is cast to knows only the
    resources of dashboards, so it is one of these, too, unless they are kept in YAML.
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
    """Let nobody load the module any more."""
    if url := hass.data.get(_DATA_URL):
        remove_extra_js_url(hass, url)
    if resources := await _resources(hass):
        for known in _ours(resources):
            await resources.async_delete_item(known)


async def _resources(hass: HomeAssistant) -> ResourceStorageCollection | None:
    """Return the resources of dashboards, where Home Assistant may change them."""
    resources = (
        hass.data[LOVELACE_DATA].resources if LOVELACE_DATA in hass.data else None
    )
    if not isinstance(resources, ResourceStorageCollection):
        return None
    await resources.async_get_info()  # reads them, the first time
    return resources


def _ours(resources: ResourceStorageCollection) -> list[str]:
    """Return the ids of our resources, of other versions, too."""
    return [
        item[CONF_ID]
        for item in resources.async_items()
        if item[CONF_URL].startswith(f"{PATH}/")
    ]


def _fingerprint() -> str:
    """Return a text that changes with the files of the folder."""
    digest = sha256()
    for file in sorted(FOLDER.glob("*.js")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
