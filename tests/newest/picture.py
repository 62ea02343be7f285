"""What a user sees of the integration, in a form that can be compared."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from tests.world.home.api import HomeAssistant, Json
from tests.world.home.settings import DOMAIN

type Picture = dict[str, object]
"""Path -> value, such as `sensor AA_BB_CC_0A_0B_0C_ph: state`."""

_REGISTRY: Final = (
    "entity_id",
    "original_name",
    "translation_key",
    "disabled_by",
    "hidden_by",
    "entity_category",
)
_DEVICE: Final = ("name", "manufacturer", "model", "hw_version", "serial_number")
# Texts that a user reads, in English; `entity` is in all languages: the same files.
_CATEGORIES: Final = (
    "conditions",
    "config",
    "exceptions",
    "issues",
    "options",
    "selector",
    "services",
    "system_health",
    "triggers",
)
_LANGUAGES: Final = ("cs", "de", "en", "es", "fr", "it", "nl", "pt-BR", "sv")

# Attributes that Home Assistant itself added: attribute -> kind of entity.
ADDED: Final = {
    "temperature_unit": "climate",  # 2026.11
}


async def take(home: HomeAssistant) -> Picture:
    """Return all entities, devices and texts of the integration."""
    states = await home.states()
    picture: Picture = {}
    for entity in await home.entities():
        kind = entity["entity_id"].partition(".")[0]
        name = f"{kind} {entity['unique_id']}"
        picture |= {f"{name}: {key}": entity[key] for key in _REGISTRY}
        if state := states.get(entity["entity_id"]):
            picture |= {f"{name}: {key}": value for key, value in _shown(kind, state)}
    devices: list[Json] = await home.command("config/device_registry/list")
    for device in devices:
        for domain, identifier in device["identifiers"]:
            if domain == DOMAIN:
                picture |= {
                    f"device {identifier}: {key}": device.get(key) for key in _DEVICE
                }
    picture |= await _texts(home)
    return picture


def _shown(kind: str, state: Json) -> Iterator[tuple[str, object]]:
    """Yield the state and the attributes, without the size of measured values."""
    yield "state", _form(state["state"])
    attributes: Json = state["attributes"]
    for key, value in attributes.items():
        if ADDED.get(key) != kind:
            yield key, _form(value)


def _form(value: Any) -> object:
    """Return the part of a value that the next picture of a pool has, too."""
    if isinstance(value, list):
        return [_form_in_list(each) for each in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a number"
    if not isinstance(value, str):
        return type(value).__name__ if isinstance(value, dict) else value
    try:
        float(value)
    except ValueError:
        pass
    else:
        return "a number"
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return value
    return "a time"


def _form_in_list(value: Any) -> object:
    """Return the form of a value in a list, such as a problem since some time."""
    if isinstance(value, dict):
        return {key: _form(each) for key, each in value.items()}
    return _form(value)


async def _texts(home: HomeAssistant) -> Picture:
    asked = [("en", category) for category in _CATEGORIES]
    asked += [(language, "entity") for language in _LANGUAGES]
    found: Picture = {}
    for language, category in asked:
        answer = await home.command(
            "frontend/get_translations",
            language=language,
            category=category,
            integration=DOMAIN,
        )
        found |= {
            f"text {language}: {k}": text for k, text in answer["resources"].items()
        }
    return found


def differences(before: Picture, after: Picture) -> list[str]:
    """Return a line for everything that is not the same."""
    return [
        f"{path}: {before.get(path, 'nothing')!r}, now {after.get(path, 'nothing')!r}"
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
        and not _remembered(before.get(path), after.get(path))
    ]


def _remembered(before: object, after: object) -> bool:
    """Return whether it is only what was done to the home meanwhile.

    That is the first time of an event (a dose, a button press), or what an explanation
    begins with: who switched an output off.
    """
    if before == "unknown" and after == "a time":
        return True
    if isinstance(before, str) and isinstance(after, str):
        return before != "" and after.endswith(f" {before}")
    if isinstance(before, list) and isinstance(after, list):
        return before != [] and after[-len(before) :] == before
    return False
