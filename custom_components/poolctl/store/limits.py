"""Limits that automations compare readings with: crossing one is shown at once."""

from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

_LIMITS: Final[HassKey[list[float]]] = HassKey("poolctl_limits")


@callback
def async_limits(hass: HomeAssistant) -> list[float]:
    """Return the list of limits, which only grows until Home Assistant restarts."""
    return hass.data.setdefault(_LIMITS, [])


@callback
def async_add_limits(hass: HomeAssistant, *limits: float | None) -> None:
    """Add limits that a user chose."""
    kept = async_limits(hass)
    kept.extend({each for each in limits if each is not None}.difference(kept))
