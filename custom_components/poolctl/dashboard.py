"""The ready-made dashboard: one module for the frontend, loaded without a resource.

The module offers a dashboard strategy under "Add dashboard"; a strategy makes its cards
from the equipment there is, each time it is shown, until a person takes control of them.
It lives in `frontend/` and needs nothing from here but to be found.
"""

from hashlib import sha256
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url
from homeassistant.components.http import StaticPathConfig
from homeassistant.core import HomeAssistant

from .const import DOMAIN

FOLDER: Final = Path(__file__).parent / "frontend"
MODULE: Final = "poolctl.js"


async def async_setup_dashboard(hass: HomeAssistant) -> None:
    """Offer the dashboard, where Home Assistant runs with its frontend."""
    if "frontend" not in hass.config.components:
        return
    # Browsers keep these files for a month, so changed ones need another address. The
    # fingerprint is a part of the path: what the module imports gets it, too.
    url = f"/{DOMAIN}_frontend/{await hass.async_add_executor_job(_fingerprint)}"
    await hass.http.async_register_static_paths([StaticPathConfig(url, str(FOLDER))])
    add_extra_js_url(hass, f"{url}/{MODULE}")


def _fingerprint() -> str:
    """Return a text that changes with the files of the folder."""
    digest = sha256()
    for file in sorted(FOLDER.glob("*.js")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
