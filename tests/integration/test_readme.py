"""The tables of the README against what a fully equipped pool really has."""

from collections.abc import Iterator
from itertools import product
import json
from pathlib import Path
import re
from typing import Any, Final, NamedTuple

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from custom_components.poolctl import errors
from custom_components.poolctl.client import cloud as cloud_module
from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller

from .home import Home

README: Final = Path(__file__).parents[2] / "README.md"
ENGLISH: Final = json.loads(
    (Path(errors.__file__).parent / "translations/en.json").read_text()
)
DEVICE_CLASS_NAMES: Final = {"ph": "pH"}
"""Entities that Home Assistant names after their device class."""
PLACEHOLDERS: Final = {"{number}": "*n*", "{name}": "*Name*"}

# What a person does with an entity without changing anything.
HARMLESS: Final[dict[str, Any]] = {
    "button": lambda state: ("press", {}),
    "climate": lambda state: (
        "set_temperature",
        {"temperature": state.attributes["temperature"]},
    ),
    "light": lambda state: (f"turn_{state.state}", {}),
    "number": lambda state: ("set_value", {"value": state.state}),
    "select": lambda state: ("select_option", {"option": state.state}),
    "switch": lambda state: (f"turn_{state.state}", {}),
    "time": lambda state: ("set_value", {"time": state.state}),
}


OF_OTHER_POOLS: Final = {("switch", "Ozone")}
"""Kinds of equipment that the fully equipped pool does not have."""

KNOWN_LATER: Final = {
    "Acid lasts until",
    "Chlorine lasts until",
    "Filter load",
    "Filter needs cleaning",
    "Pool volume",
    "Turnovers today",
}
"""What is known after days, or once a person has said something: not judged."""


class Row(NamedTuple):
    """A row of a table: whether it works on the network, and through the cloud."""

    lan: str
    cloud: str


def rows(heading: str) -> Iterator[list[str]]:
    """Return the cells of the table rows below a heading."""
    section = README.read_text().split(f"\n### {heading}\n")[1].split("\n#")[0]
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


class Called(NamedTuple):
    """How the README calls an entity."""

    page: str
    kind: str
    name: str


def entity_table() -> dict[Called, Row]:
    """Return what the README says."""
    found: dict[Called, Row] = {}
    for pages, names, kind, _, lan, cloud in list(rows("Entities"))[1:]:
        for page, name in product(pages.split(", "), names.split(", ")):
            key = Called(page, kind, name.removesuffix("\\*"))
            assert key not in found, f"{key} is there twice"
            found[key] = Row(lan, cloud)
    return found


def called(home: Home, entity: er.RegistryEntry) -> Called:
    """Return how the README calls an entity."""
    device = dr.async_get(home.hass).async_get(entity.device_id or "")
    part = isinstance(device, dr.ChildDeviceEntry) and device.name
    kind = entity.domain.replace("_", " ")
    return Called(part or "Controller", kind, _name(entity))


def _name(entity: er.RegistryEntry) -> str:
    if entity.translation_key is None:
        return DEVICE_CLASS_NAMES[entity.original_device_class or ""]
    name = ENGLISH["entity"][entity.domain][entity.translation_key]["name"]
    return _plain(name)


def _equip(controller: Controller) -> None:
    """Let lights be of brands with actions, and the pump run on for a heater."""
    controller.pool.pump.run_on = 3600.0
    controller.pool.lights |= {"pool": [2, 1], "spa": [4, 1]}


async def test_entities_on_the_network(home: Home) -> None:
    """All that is there is in the table; all in the table is there, in some pool."""
    home.own(home.service.full)
    _equip(home.controller)
    await home.set_up(home.controller)
    table = entity_table()
    there = {called(home, entity) for entity in home.entities()}
    assert there - table.keys() == set()
    assert {key for key in there if table[key].lan != "yes"} == set()
    # Equipment of which a pool has only one kind, or that this one lacks.
    others = {
        (domain.replace("_", " "), _plain(text["name"]))
        for domain, keys in ENGLISH["entity"].items()
        for text in keys.values()
    }
    assert {key[1:] for key in table.keys() - there} <= others


def _plain(name: str) -> str:
    for placeholder, text in PLACEHOLDERS.items():
        name = name.replace(placeholder, text)
    return name


async def test_entities_through_the_cloud(
    home: Home, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entity works if it is there and known, and takes a command if it is for that."""
    monkeypatch.setattr(cloud_module, "WRITE_SPACING", 0.0)
    home.own(home.service.full)
    _equip(home.controller)
    await home.set_up()
    await home.enable_all()
    home.clock.speed = 200
    works: dict[Called, bool] = {}
    # What only tells goes first: the commands would change what it tells.
    for entity in sorted(home.entities(), key=lambda e: e.domain in HARMLESS):
        key = called(home, entity)
        if key.name in KNOWN_LATER:
            continue
        works[key] = works.get(key, False) or await _works(home, entity)
    table = entity_table()
    truth = {key: "yes" if found else "no" for key, found in works.items()}
    assert {key: table[key].cloud for key in works if key in table} == truth
    silent = {key for key in table.keys() - works.keys() if table[key].cloud != "no"}
    assert {key[1:] for key in silent if key.name not in KNOWN_LATER} <= {
        ("sensor", "Ambient temperature"),
        *OF_OTHER_POOLS,
    }


async def _works(home: Home, entity: er.RegistryEntry) -> bool:
    state = home.state_of(entity.entity_id)
    if state.state == "unavailable" or (
        state.state == "unknown" and entity.domain not in ("button", "event")
    ):
        return False
    if (harmless := HARMLESS.get(entity.domain)) is None:
        return True
    action, data = harmless(state)
    data = {"entity_id": entity.entity_id, **data}
    return await _carried(home, entity.domain, action, data)


async def _carried(
    home: Home, domain: str, action: str, data: dict[str, Any], *, answers: bool = False
) -> bool:
    """Do something; tell whether a path that works now can carry it."""
    try:
        await home.hass.services.async_call(
            domain, action, data, blocking=True, return_response=answers
        )
    except HomeAssistantError as err:
        key = err.translation_key
    else:
        return True
    assert key == "not_supported", action
    return False


def action_table() -> dict[str, Row]:
    """Return what the README says of the actions."""
    found = re.compile(r"`poolctl\.(\w+)`")
    return {
        match[1]: Row(lan, cloud)
        for name, _, _, lan, cloud in rows("Actions")
        if (match := found.search(name))
    }


async def test_actions(home: Home) -> None:
    """The table lists them all, and what only the network can carry says so."""
    home.own(home.service.full)
    await home.set_up()
    home.clock.speed = 200
    table = action_table()
    assert table.keys() == home.hass.services.async_services()[DOMAIN].keys()
    assert {row.lan for row in table.values()} == {"yes"}
    device = home.device()
    pump = home.entity_id("switch", "pump")
    new = {"name": "Lunch", "start": "12:00", "end": "13:00", "weekdays": ["mon"]}
    waterfall = home.entity_id("switch", "slot_21")
    calls: dict[str, dict[str, Any]] = {
        "hold": {"entity_id": waterfall, "state": True, "duration": "01:00:00"},
        "resume_schedule": {"entity_id": pump},
        "reset_run_hours": {"entity_id": home.entity_id("sensor", "uv_run_hours")},
        "get_schedules": {"device_id": device.id},
        "create_schedule": {"device_id": device.id, **new, "equipment": waterfall},
        "update_schedule": {"device_id": device.id, "schedule": 4, "name": "Noon"},
        "delete_schedule": {"device_id": device.id, "schedule": 4},
        "send_action": {"device_id": device.id, "name": "set_time"},
        "send_query": {"device_id": device.id, "name": "pump_id"},
    }
    assert calls.keys() == table.keys()
    answering = {"get_schedules", "send_action", "send_query"}
    works = {
        name: await _carried(home, DOMAIN, name, data, answers=name in answering)
        for name, data in calls.items()
    }
    said = {name: row.cloud == "yes" for name, row in table.items()}
    assert works == said


@pytest.mark.parametrize(("heading", "columns"), [("Entities", 6), ("Actions", 5)])
def test_every_row_is_whole(heading: str, columns: int) -> None:
    """Every row says what it needs, and where it works."""
    for row in list(rows(heading))[1:]:
        assert len(row) == columns and all(row), row
        assert set(row[-2:]) <= {"yes", "no"}


def test_every_link_leads_somewhere() -> None:
    """Pictures and files that the README names are there; no picture is left over."""
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text())
    local = {README.parent / link for link in links if "://" not in link}
    assert [path for path in local if not path.exists()] == []
    assert {*(README.parent / "docs/images").iterdir()} <= local
