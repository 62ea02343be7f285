"""The documentation agrees with the entities and actions of a fully equipped pool."""

from itertools import product
import json
from pathlib import Path
import re
from typing import Any, Final, NamedTuple, cast

from homeassistant.components.homeassistant.exposed_entities import async_should_expose
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest

from custom_components.poolctl.client import cloud as cloud_module
from custom_components.poolctl.const import DOMAIN
from tests.project.pages import DOCS, ENGLISH, INTEGRATION, PAGES, README, rows
from tests.world.assistant.home import Home
from tests.world.simulator import Controller

DEVICE_CLASS_NAMES: Final = {"ph": "pH"}
"""Names of entities that Home Assistant names after their device class."""
PLACEHOLDERS: Final = {"{number}": "*n*", "{name}": "*Name*"}

# Actions on an entity that change nothing.
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
}


OF_OTHER_POOLS: Final = {
    ("switch", "Ozone"),
    *(("switch", "Heater *n*"), ("switch", "Pump *n*"), ("light", "Light *n*")),
}
"""Kinds of equipment that the fully equipped pool does not have or report."""

KNOWN_LATER: Final = {
    "Heater energy",
    "Heater power",
    "Hours a day",
    "Hours needed today",
    "Hours still needed",
    "Turnovers a day",
    "Acid lasts until",
    "Chlorine lasts until",
    "Filter limit",
    "Filter load",
    "Power change",
    "Filter needs cleaning",
    "Pool heater energy",
    "Pool heater power",
    "Pool volume",
    "Turnovers today",
}
"""Entities with a value only after days or after a user's input: not checked."""


class Row(NamedTuple):
    """A row of a table: whether it works on the LAN, and through the cloud."""

    lan: str
    cloud: str


class Called(NamedTuple):
    """The name of an entity on the page."""

    page: str
    kind: str
    name: str


def entity_table() -> dict[Called, Row]:
    found: dict[Called, Row] = {}
    for pages, names, kind, _, lan, cloud in list(rows("entities", "Entities"))[1:]:
        for page, name in product(pages.split(", "), names.split(", ")):
            key = Called(page, kind, name.removesuffix("\\*"))
            assert key not in found, f"{key} is there twice"
            found[key] = Row(lan, cloud)
    return found


def called(home: Home, entity: er.RegistryEntry) -> Called:
    """Return the name of an entity on the page."""
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
    """Give the lights brands with actions, and let the pump run on for a heater."""
    controller.pool.pump.run_on = 3600.0
    controller.pool.lights |= {"pool": [2, 1], "spa": [4, 1]}


async def test_entities_on_the_network(home: Home) -> None:
    """Every entity is in the table, and every row of it exists in some pool."""
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
    """An entity works if it has a value and, if it is for commands, takes one."""
    monkeypatch.setattr(cloud_module, "WRITE_SPACING", 0.0)
    home.own(home.service.full)
    _equip(home.controller)
    await home.set_up()
    await home.enable_all()
    home.clock.speed = 200
    works: dict[Called, bool] = {}
    # Entities without commands come first: commands would change their values.
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
        ("sensor", "Air temperature"),
        *OF_OTHER_POOLS,
    }


async def _works(home: Home, entity: er.RegistryEntry) -> bool:
    state = home.state_of(entity.entity_id)
    if state.state == "unavailable" or (
        state.state == "unknown" and entity.domain != "button"
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
    """Run an action; return whether an available path can carry it out."""
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
    found = re.compile(r"`poolctl\.(\w+)`")
    return {
        match[1]: Row(lan, cloud)
        for name, _, _, lan, cloud in rows("entities", "Actions")
        if (match := found.search(name))
    }


async def test_actions(home: Home) -> None:
    """The table lists all actions, and marks those that only the LAN can carry out."""
    home.own(home.service.full)
    home.pool.schedules[0].enabled = False  # otherwise no hours are left to plan
    await home.set_up()
    home.clock.speed = 200
    table = action_table()
    assert table.keys() == home.hass.services.async_services()[DOMAIN].keys()
    assert {row.lan for row in table.values()} == {"yes"}
    device = home.device()
    pump = home.entity_id("switch", "pump")
    calendar = home.entity_id("calendar", "schedules")
    schedule = home.entity_id("switch", "schedule_1")
    new = {"name": "Lunch", "start": "12:00", "end": "13:00", "weekdays": ["mon"]}
    waterfall = home.entity_id("switch", "slot_21")
    calls: dict[str, dict[str, Any]] = {
        "hold": {"entity_id": waterfall, "state": True, "duration": "01:00:00"},
        "pause_dosing": {
            "entity_id": home.entity_id("switch", "automatic_ph"),
            "duration": "01:00:00",
        },
        "resume_schedule": {"entity_id": pump},
        "reset_run_hours": {"entity_id": home.entity_id("sensor", "uv_run_hours")},
        "plan_hours": {"entity_id": calendar, "hours": 2},
        "get_schedules": {"entity_id": calendar},
        "create_schedule": {"entity_id": calendar, **new, "equipment": waterfall},
        "update_schedule": {"entity_id": schedule, "name": "Noon"},
        "delete_schedule": {"entity_id": schedule},
        "send_action": {"device_id": device.id, "name": "set_time"},
        "send_query": {"device_id": device.id, "name": "pump_id"},
    }
    # These are for thermostats, and the cloud reports none.
    of_thermostats = {"warm_by", "cancel_warm_by"}
    assert calls.keys() == table.keys() - of_thermostats
    assert not home.entity_keys("climate")
    assert {table.pop(name).cloud for name in of_thermostats} == {"no"}
    answering = {"get_schedules", "send_action", "send_query"}
    works = {
        name: await _carried(home, DOMAIN, name, data, answers=name in answering)
        for name, data in calls.items()
    }
    said = {name: row.cloud == "yes" for name, row in table.items()}
    assert works == said


@pytest.mark.parametrize(("heading", "columns"), [("Entities", 6), ("Actions", 5)])
def test_every_row_is_whole(heading: str, columns: int) -> None:
    """Every row has all its cells, and says where the entity or action works."""
    for row in list(rows("entities", heading))[1:]:
        assert len(row) == columns and all(row), row
        assert set(row[-2:]) <= {"yes", "no"}


OF_THE_EXAMPLES: Final = "Home Pool"
"""Name of the controller in the examples."""


def _of(home: Home, words: str) -> str:
    """Return a text about the pool of the examples with the name of another pool."""
    name = home.device().name
    assert name
    slug, own = OF_THE_EXAMPLES.lower().replace(" ", "_"), name.lower()
    found = words.lower().replace(slug, own.replace(" ", "_"))
    return found.replace(OF_THE_EXAMPLES.lower(), own)


async def test_voice(full: Home) -> None:
    """A sentence contains the full name of its entity, by which Assist finds it.

    Whether Assist understands the rest of it was tried by hand: its sentences are not
    part of Home Assistant's core.
    """
    assert await async_setup_component(full.hass, "homeassistant", {})
    _, *table = rows("voice-and-energy", "Voice")
    assert table
    for sentence, named, exposed in table:
        entity_id = _of(full, named.strip("`"))
        entity = er.async_get(full.hass).async_get(entity_id)
        assert entity is not None, entity_id
        (name,) = er.async_get_entity_aliases(full.hass, entity, allow_empty=False)
        assert name.lower() in _of(full, sentence)
        by_itself = async_should_expose(full.hass, "conversation", entity_id)
        assert exposed == ("by itself" if by_itself else "by you"), entity_id


@pytest.mark.usefixtures("all_enabled", "quick", "hurried")
async def test_a_sentence_of_ones_own(full: Home) -> None:
    """The example sets the speed of the pump in a real conversation."""
    full.clock.speed = 50  # the answer does not wait for long
    text = (DOCS / "voice-and-energy.md").read_text()
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    number, pump = "number.home_pool_pump_target_speed", "switch.home_pool_pump"
    for name, key in ((number, "pump_target_speed"), (pump, "pump")):
        ours = full.entity_id(name.partition(".")[0], key)
        er.async_get(full.hass).async_update_entity(ours, new_entity_id=name)
    await full.settle()
    for component in ("homeassistant", "conversation"):
        assert await async_setup_component(full.hass, component, {})
    assert await async_setup_component(
        full.hass, "automation", {"automation": parse_yaml(block)}
    )
    await full.settle()
    answer = await full.hass.services.async_call(
        "conversation",
        "process",
        {"text": "Set the pool pump to low"},
        blocking=True,
        return_response=True,
    )
    await full.settle()
    assert "The pool pump is set to low." in str(answer)
    speeds = full.state_of(pump).attributes["speeds"]
    assert full.hass.states.is_state(number, str(speeds["low"]))


@pytest.mark.usefixtures("quick", "hurried")
async def test_until_sunset(full: Home) -> None:
    """The example ends a schedule when the sun sets."""
    example = (DOCS / "schedules.md").read_text().split("until sunset")[1]
    (action,) = cast("Any", parse_yaml(example.split("actions:")[1].split("```")[0]))
    action["target"]["entity_id"] = full.entity_id("switch", "schedule_1")
    sets = {"next_setting": "2026-07-02T04:05:00+00:00"}  # 21:05 in this home
    full.hass.states.async_set("sun.sun", "above_horizon", sets)
    scripts = {"sunset": {"sequence": [action]}}
    assert await async_setup_component(full.hass, "script", {"script": scripts})
    await full.hass.services.async_call("script", "sunset", blocking=True)
    assert full.pool.schedules[1].end == 21 * 60 + 5


async def test_what_is_exposed_by_itself(full: Home) -> None:
    """Nothing that doses and no schedule is exposed by default."""
    assert await async_setup_component(full.hass, "homeassistant", {})
    exposed = {
        called(full, entity)
        for entity in full.entities()
        if async_should_expose(full.hass, "conversation", entity.entity_id)
    }
    assert {key.kind for key in exposed} == {"climate", "light", "switch", "sensor"}
    assert {key.name for key in exposed if key.kind == "sensor"} == {
        "Temperature",
        "Air temperature",
        "Drive temperature",
    }
    assert {key.page for key in exposed} == {
        "Controller",
        "Heating",
        "Lights",
        "Outputs",
        "Pump",
        "Spa",
        "Water",
    }
    assert not {key for key in exposed if "allowed" in key.name}
    assert not {
        key for key in exposed if key.page == "Controller" and key.kind != "sensor"
    }


async def test_the_energy_dashboard_takes_the_pump(full: Home) -> None:
    _, (_, energy), (_, power) = rows("voice-and-energy", "Energy dashboard")
    states = [full.state_of(_of(full, name.strip("`"))) for name in (energy, power)]
    classes = [
        (state.attributes["device_class"], state.attributes["state_class"])
        for state in states
    ]
    assert classes == [("energy", "total_increasing"), ("power", "measurement")]


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")


_SITE: Final = json.loads((INTEGRATION / "manifest.json").read_text())["documentation"]
_OURS: Final = re.compile(
    rf"{_SITE}/blob/main/|{_SITE.replace('github', 'raw.githubusercontent')}/main/"
)


def test_every_link_leads_somewhere() -> None:
    """Linked files and sections exist, and every page and picture is linked."""
    linked: set[Path] = set()
    for page in PAGES:
        for written in re.findall(r"\]\(([^)]+)\)|src=\"([^\"]+)", page.read_text()):
            link = _OURS.sub("", "".join(written))
            # HACS shows the readme elsewhere, where a relative link leads nowhere.
            assert page != README or "://" in "".join(written), link
            if "://" in link:
                continue
            name, _, section = link.partition("#")
            path = (page.parent / name).resolve() if name else page
            assert path.exists(), f"{page.name}: {link}"
            headings = (
                re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
                if section
                else []
            )
            assert not section or section in map(_anchor, headings), (
                f"{page.name}: {link}"
            )
            linked.add(path)
    assert {*(DOCS / "images").iterdir()} <= linked
    assert {*PAGES} - {README} <= linked


_TO_A_FILE: Final = re.compile(
    rf"(?:{re.escape(_SITE)}|\{{_SITE\}})(?:/blob/main/([\w./-]+))?(?:#([\w-]+))?"
)
"""A link to a file of this repository, also if it is put together with a constant."""


def links_of_the_code() -> list[tuple[str | Any, ...]]:
    """Return each file of the product with a link to a file here, and its section."""
    folders = (INTEGRATION, README.parent / "blueprints", README.parent / ".github")
    return [
        (path.relative_to(README.parent).as_posix(), *found.groups())
        for folder in folders
        for path in sorted(folder.rglob("*.*"))
        if path.suffix in (".py", ".js", ".json", ".yaml", ".yml", ".md")
        for found in _TO_A_FILE.finditer(path.read_text())
        if any(found.groups())
    ]


@pytest.mark.parametrize(("name", "file", "section"), links_of_the_code())
def test_links_of_the_code(name: str, file: str | None, section: str | None) -> None:
    """A button, a repair and a card lead to a page and a heading that exist."""
    path = README.parent / (file or README.name)
    assert path.is_file(), f"{name}: no {file}"
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    known = {*map(_anchor, headings), "readme", None}
    assert section in known, f"{name}: {path.name} has no #{section}"


def test_the_readme_is_short() -> None:
    """It is an overview; the pages in docs/ have the details."""
    assert len(README.read_text().split()) <= 1200
