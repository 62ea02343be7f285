"""The sentences of problems, in the language of Home Assistant."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from homeassistant.const import Platform, UnitOfTemperature, UnitOfVolume
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.translation import async_get_cached_translations
from homeassistant.util import dt as dt_util

from ..const import DOMAIN
from .rows import Active, Celsius, Explanation, Litres, Value, Values

_COMMA: Final = frozenset({"cs", "de", "es", "fr", "it", "nl", "pt", "sv"})
"""Languages of our translations that have a decimal comma."""
_TIMES: Final = {
    "until": "pump_until",
    "kept_off_until": "pump_until",
    "next": "next_run",
}
"""Attributes of the sentences that name a time."""
PUMP_ATTRIBUTES: Final = frozenset({"next_schedule", *_TIMES.values()})


def filled(hass: HomeAssistant, values: Values) -> Mapping[str, str]:
    """Return values formatted for the language; a float has one decimal."""
    return {name: _written(hass, value) for name, value in values.items()}


def dated(hass: HomeAssistant, values: Values) -> Mapping[str, str]:
    """Return the same with times in ISO 8601, which cards show as their user wants."""
    return {
        name: value.isoformat(timespec="seconds")
        if isinstance(value, datetime)
        else _written(hass, value)
        for name, value in values.items()
    }


def _written(hass: HomeAssistant, value: Value) -> str:
    if isinstance(value, datetime):
        at, now = dt_util.as_local(value), dt_util.now()
        days, clock = (at.date() - now.date()).days, f"{at:%H:%M}"
        if days == 1 and clock == "00:00":
            return "24:00"
        return clock if days == 0 else f"{at:%Y-%m-%d} {clock}"
    units = hass.config.units
    if isinstance(value, Celsius):
        degrees = units.temperature(value, UnitOfTemperature.CELSIUS)
        return f"{degrees:.0f} {units.temperature_unit}"
    if isinstance(value, Litres):
        volume = units.volume(value, UnitOfVolume.LITERS)
        return f"{decimal(hass, volume)} {units.volume_unit}"
    return decimal(hass, value) if isinstance(value, float) else str(value)


def decimal(hass: HomeAssistant, value: float) -> str:
    """Return a number with one decimal, as the language of Home Assistant writes it."""
    comma = hass.config.language.split("-")[0] in _COMMA
    return f"{value:.1f}".replace(".", "," if comma else ".")


def text(hass: HomeAssistant, values: Values, *keys: str) -> str:
    """Return the first text that exists, with its values; "" if none does."""
    texts = async_get_cached_translations(hass, hass.config.language, "common", DOMAIN)
    found = (texts.get(f"component.{DOMAIN}.common.{key}") for key in keys)
    return next(filter(None, found), "").format_map(filled(hass, values))


def name_of(hass: HomeAssistant, platform: Platform, key: str) -> str:
    """Return the translated name of an entity."""
    texts = async_get_cached_translations(hass, hass.config.language, "entity", DOMAIN)
    return texts.get(f"component.{DOMAIN}.entity.{platform}.{key}.name", "")


def sentence(hass: HomeAssistant, problem: Active) -> str:
    """Return the sentence of a problem."""
    return text(hass, problem.values, problem.variant, problem.key)


def next_step(hass: HomeAssistant, problem: Active) -> str:
    """Return what a user can do about a problem; most variants have the same step."""
    keys = filter(None, (problem.step, problem.variant, problem.key))
    return text(hass, problem.values, *(f"{key}_next" for key in keys))


def action_of(
    hass: HomeAssistant, device_id: str, problem: Active
) -> dict[str, dict[str, str]]:
    """Return what does the next step: a label, with a page or the action on an entity.

    With the key of the label, a card shows it in the language of its user.
    """
    if (action := problem.action) is None:
        return {}
    named = {"key": action.key, "label": text(hass, {}, f"action_{action.key}")}
    if action.url:
        return {"action": {**named, "url": action.url}}
    platform, perform = Platform.BUTTON, "button.press"
    if action.switch:
        platform, perform = Platform.SWITCH, "switch.turn_off"
    found = er.async_get(hass).async_get_entity_id(
        platform, DOMAIN, f"{device_id}_{action.switch or action.key}"
    )
    if found is None or hass.states.get(found) is None:
        return {}
    named["label"] = named["label"] or name_of(hass, platform, action.key)
    return {"action": {**named, "entity_id": found, "perform_action": perform}}


def in_words(hass: HomeAssistant, explanation: Explanation) -> str:
    """Return an explanation in the language of Home Assistant."""
    return " ".join(text(hass, values, f"why_{key}") for key, values in explanation)


def reasons(
    hass: HomeAssistant, explanation: Explanation
) -> list[tuple[str, Mapping[str, str]]]:
    """Return an explanation for cards: the keys of its texts and their values."""
    return [(f"why_{key}", dated(hass, values)) for key, values in explanation]


def pump_attributes(explanation: Explanation) -> dict[str, str]:
    """Return attributes for cards: until when the pump runs or is off, and when next.

    The times are in ISO 8601, with the schedule's name; what is not known is left out.
    """
    found: dict[str, str] = {}
    for key, values in explanation:
        if isinstance(at := values.get("time"), datetime) and key in _TIMES:
            found.setdefault(_TIMES[key], at.isoformat(timespec="seconds"))
        if key == "next":
            found["next_schedule"] = str(values["schedule"])
    return found
