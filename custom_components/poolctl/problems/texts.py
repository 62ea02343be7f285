"""The sentences of problems, in the language of Home Assistant."""

from collections.abc import Mapping
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_cached_translations

from ..const import DOMAIN
from .problem import Active, Values

_COMMA: Final = frozenset({"cs", "de", "es", "fr", "it", "nl", "pt", "sv"})
"""The languages of our texts that have a decimal comma."""


def filled(hass: HomeAssistant, values: Values) -> Mapping[str, str]:
    """Return values as they are written in the language: a float has one decimal."""
    comma = hass.config.language.split("-")[0] in _COMMA
    return {
        name: (f"{value:.1f}".replace(".", "," if comma else "."))
        if isinstance(value, float)
        else str(value)
        for name, value in values.items()
    }


def sentence(hass: HomeAssistant, problem: Active) -> str:
    """Return what a problem is."""
    return _text(hass, problem, problem.variant)


def next_step(hass: HomeAssistant, problem: Active) -> str:
    """Return what a person can do about a problem; most variants have the same step."""
    return _text(hass, problem, f"{problem.variant}_next", f"{problem.key}_next")


def _text(hass: HomeAssistant, problem: Active, *keys: str) -> str:
    """Return the first text that exists, which one always does."""
    texts = async_get_cached_translations(hass, hass.config.language, "common", DOMAIN)
    paths = [f"component.{DOMAIN}.common.{key}" for key in keys]
    found = next((texts[path] for path in paths if path in texts), "")
    return found.format_map(problem.values)
