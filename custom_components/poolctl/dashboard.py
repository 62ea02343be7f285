"""Cards and dashboard: one frontend module, loaded while there is an account.

The module has cards, and a dashboard strategy under "Add dashboard" that builds views
of them from the fitted equipment until the user takes control. Its files in `frontend/`
are joined here, because a browser on a slow network waits for each file.
"""

from hashlib import sha256
from pathlib import Path
import re
from typing import Final

from aiohttp import web
from homeassistant.components.frontend import add_extra_js_url, remove_extra_js_url
from homeassistant.components.http import HomeAssistantView
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
    """Serve the module if Home Assistant runs with its frontend."""
    if "frontend" not in hass.config.components:
        return
    view = ModuleView(await hass.async_add_executor_job(joined))
    hass.http.register_view(view)
    hass.data[_DATA_URL] = view.address


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
    """Remove the module from the frontend and from the resources of dashboards."""
    if url := hass.data.get(_DATA_URL):
        remove_extra_js_url(hass, url)
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
        if item[CONF_URL].startswith(f"{PATH}/")
    ]


class ModuleView(HomeAssistantView):
    """View that serves the module without sign-in; it contains no data of the home."""

    name = f"{DOMAIN}:module"
    requires_auth = False
    cors_allowed = True

    def __init__(self, module: str) -> None:
        """Put a hash of the module in its address: browsers cache it for a month."""
        self._module = module
        version = sha256(module.encode()).hexdigest()[:12]
        self.url = self.address = f"{PATH}/{version}/{MODULE}"

    async def get(self, request: web.Request) -> web.Response:
        """Return the module."""
        response = web.Response(
            text=self._module,
            content_type="text/javascript",
            headers={"Cache-Control": "public, max-age=2678400"},
        )
        response.enable_compression()
        return response


_IMPORT: Final = re.compile(
    r'^import (\{[^}]*\}) from "\./([a-z-]+)\.js";\n', re.MULTILINE
)
_EXPORT: Final = re.compile(
    r"^export ((?:async )?(?:const|class|function) (\w+))", re.MULTILINE
)


# While it starts, the frontend replaces the registry of elements; those defined before
# are lost. So wait until its own element, or that of the cast page, is defined.
_FIRST: Final = """await Promise.race(
  ["home-assistant", "hc-main"].map((name) => customElements.whenDefined(name)),
);
"""


def joined() -> str:
    """Return the files as one module, each as a function that returns its exports."""
    made: dict[str, str] = {}

    def add(stem: str) -> None:
        if stem in made:
            return
        source = (FOLDER / f"{stem}.js").read_text(encoding="utf-8")
        for _, imported in _IMPORT.findall(source):
            add(imported)
        exports = ", ".join(name for _, name in _EXPORT.findall(source))
        body = _EXPORT.sub(r"\1", _IMPORT.sub(_taken, source))
        made[stem] = (
            f"const {_variable(stem)} = (() => {{\n{body}\n"
            f"return {{ {exports} }};\n}})();\n"
        )

    add(MODULE.removesuffix(".js"))
    return _FIRST + "".join(made.values())


def _taken(match: re.Match[str]) -> str:
    return f"const {match[1]} = {_variable(match[2])};\n"


def _variable(stem: str) -> str:
    return f"${stem.replace('-', '_')}"
