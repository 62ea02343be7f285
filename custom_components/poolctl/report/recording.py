"""A file with the service's answers to a failed sign-in, for a report.

There are no diagnostics, as no entry exists. The file has their form and, like them,
contains no private data (recorder.py).
"""

from collections import defaultdict
import json
import logging
from pathlib import Path
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.loader import async_get_integration
from homeassistant.util.hass_dict import HassKey
from yarl import URL

from ..client.facts import SERVICE
from ..const import DOMAIN, REPORT_FORMAT
from .statistics import Observers

_LOGGER = logging.getLogger(__name__)

_SIGN_IN: HassKey[dict[str, Observers]] = HassKey("poolctl_sign_in_observers")
FILE: Final = "poolctl_sign_in.json"
"""File in the configuration folder; the next failed sign-in replaces it."""


@callback
def async_sign_in_observers(hass: HomeAssistant, address: str) -> Observers:
    """Return the observers of all sign-ins at an address: they belong to no entry."""
    sign_ins = hass.data.setdefault(_SIGN_IN, defaultdict(Observers))
    return sign_ins[str(URL(address).origin())]


async def async_keep_recording(hass: HomeAssistant, address: str) -> None:
    """Write the answers of the service at an address, and log the path of the file."""
    observers = async_sign_in_observers(hass, address)
    integration = await async_get_integration(hass, DOMAIN)
    report = {
        "format": REPORT_FORMAT,
        "versions": {"integration": str(integration.version)},
        "account": {"recording": observers.recorders[SERVICE].as_list()},
        "controllers": [],
    }
    path = Path(hass.config.path(FILE))
    text = json.dumps(report, indent=1)
    try:
        await hass.async_add_executor_job(path.write_text, text, "utf-8")
    except OSError as err:
        _LOGGER.warning("The sign-in failed, and %s cannot be written: %s", FILE, err)
        return
    _LOGGER.warning(
        "The sign-in failed. What the service answered is recorded in %s, without"
        " private data: please attach it to your report",
        path,
    )
