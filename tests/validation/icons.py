"""Check icons.json: its sections, and that the frontend has every icon."""

from collections.abc import Iterator
from functools import cache
from importlib import resources
import json
from typing import Any, Final

from homeassistant.helpers import config_validation as cv
import probatio as vol

from .report import Problem, Repository, violations
from .texts import keyed

_PREFIX: Final = "mdi:"


@cache
def known() -> frozenset[str]:
    """Return the names of the icons in the installed frontend."""
    path = resources.files("hass_frontend") / "static" / "mdi" / "iconList.json"
    return frozenset(icon["name"] for icon in json.loads(path.read_text()))


def icon(value: Any) -> str:
    """Accept the name of an icon."""
    value = cv.string(value)
    if not value.startswith(_PREFIX) or value.removeprefix(_PREFIX) not in known():
        raise vol.Invalid(f"{value!r} is no icon of Material Design Icons")
    return str(value)


def _no_repetition(value: dict[str, Any]) -> dict[str, Any]:
    """Accept states whose icons differ from the default."""
    for state, name in value.get("state", {}).items():
        if name == value.get("default"):
            raise vol.Invalid(f"the icon of {state} is the default anyway")
    return value


def _rising(ranges: dict[str, Any]) -> dict[str, Any]:
    """Accept icons by value if the values are in rising order."""
    try:
        limits = [float(limit) for limit in ranges]
    except ValueError as err:
        raise vol.Invalid("the keys of a range are numbers") from err
    if limits != sorted(limits):
        raise vol.Invalid("the keys of a range are in rising order")
    return ranges


_STATES: Final = keyed(icon)
_RANGE: Final = vol.All({str: icon}, _rising)
_SHOWN: Final = {
    vol.Optional("default"): icon,
    vol.Optional("range"): _RANGE,
    vol.Optional("state"): _STATES,
}
_ENTITY: Final = _SHOWN | {
    vol.Optional("state_attributes"): keyed(vol.All(_SHOWN, _no_repetition))
}
_FLOW: Final = {vol.Optional("step"): {str: {vol.Optional("sections"): {str: icon}}}}
SCHEMA: Final = {
    vol.Optional("conditions"): keyed(
        {vol.Required("condition"): icon}, cv.underscore_slug
    ),
    vol.Optional("config"): _FLOW,
    vol.Optional("entity"): keyed(keyed(_ENTITY), cv.slug),
    vol.Optional("options"): _FLOW,
    vol.Optional("services"): keyed(
        {vol.Required("service"): icon, vol.Optional("sections"): keyed(icon)}
    ),
    vol.Optional("triggers"): keyed(
        {vol.Required("trigger"): icon}, cv.underscore_slug
    ),
}


def check(repository: Repository) -> Iterator[Problem]:
    """Check the icons."""
    path = repository.integration / "icons.json"
    icons, problems = repository.load(path)
    yield from problems
    if icons is not None:
        yield from violations(SCHEMA, icons, repository.name(path))
