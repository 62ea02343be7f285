"""All blueprints can be found, are complete, and fit their entities."""

from collections.abc import Iterator
import json
from pathlib import Path
import re
from typing import Any
from urllib.parse import quote

from homeassistant.components.automation.config import AUTOMATION_BLUEPRINT_SCHEMA
from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.blueprint.importer import fetch_blueprint_from_url
from homeassistant.components.blueprint.models import Blueprint
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import selector
from homeassistant.helpers.template import Template
from homeassistant.util import yaml as yaml_util
import pytest
from pytest_homeassistant_custom_component.test_util.aiohttp import AiohttpClientMocker
from yarl import URL

from custom_components.poolctl import const
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.status.table import KEYS
from tests.world.assistant.home import Home

from .house import BLUEPRINTS

YAML = BLUEPRINTS / AUTOMATION / DOMAIN
FILES = sorted(YAML.glob("*.yaml"))
MANIFEST = json.loads(Path(const.__file__).with_name("manifest.json").read_text())
SITE = URL(MANIFEST["documentation"])
FOLDER = "main/blueprints/automation/poolctl"
PAGE = f"{SITE / 'blob' / FOLDER}/"
RAW = f"https://raw.githubusercontent.com{SITE.path}/{FOLDER}/"

TEXTS = {file: file.read_text() for file in FILES}
EVERY = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)

# The entities of the fully equipped pool that the inputs are for.
MEANT = {
    "lights": ("light", "slot_1"),
    "pump": ("switch", "pump"),
    "pump_speed": ("number", "pump_target_speed"),
    "runtime": ("sensor", "pump_runtime_today"),
    "schedule": ("switch", "schedule_0"),
    "spa": ("climate", "spa_heating"),
    "spa_mode": ("switch", "spa_mode"),
    "status": ("sensor", "status"),
    "thermometers": ("sensor", "air_temperature"),
    "thermostat": ("climate", "pool_heating"),
    "water": ("sensor", "water_temperature"),
}
# Inputs that take entities of any integration.
ANYBODYS = {
    *("buttons", "highest_price_from", "lists", "price", "surplus", "thermometers"),
}


def load(file: Path) -> Blueprint:
    """Load a blueprint as Home Assistant does."""
    return Blueprint(
        yaml_util.load_yaml_dict(file),
        expected_domain=AUTOMATION,
        path=file.name,
        schema=AUTOMATION_BLUEPRINT_SCHEMA,
    )


def keys(config: Any) -> Iterator[str]:
    """Yield every key of a configuration."""
    if isinstance(config, dict):
        yield from config
        config = [*config.values()]
    if isinstance(config, list):
        for part in config:
            yield from keys(part)


def entity_inputs(file: Path) -> dict[str, dict[str, Any]]:
    """Return the filter of each input that takes entities."""
    return {
        name: found["selector"]["entity"]["filter"][0]
        for name, found in load(file).inputs.items()
        if "entity" in found["selector"]
    }


@EVERY
def test_header_and_documentation(file: Path) -> None:
    blueprint = load(file)
    assert blueprint.validate() is None
    metadata = blueprint.metadata
    assert metadata["name"].startswith(("Pool: ", "Spa: "))
    assert len(metadata["description"]) > 200
    assert metadata["author"] == DOMAIN
    oldest = json.loads((BLUEPRINTS.parent / "hacs.json").read_text())["homeassistant"]
    assert metadata["homeassistant"] == {"min_version": oldest}
    assert metadata["source_url"] == PAGE + file.name
    link = "https://my.home-assistant.io/redirect/blueprint_import/?blueprint_url="
    page = (BLUEPRINTS.parent / "docs/automations.md").read_text()
    assert f"({link}{quote(PAGE + file.name, safe='')})" in page
    assert f"](../blueprints/{file.relative_to(BLUEPRINTS)})" in page


@EVERY
def test_inputs(file: Path) -> None:
    """Home Assistant checks that used inputs exist, but not that all are used."""
    blueprint = load(file)
    body = {key: part for key, part in blueprint.data.items() if key != "blueprint"}
    assert yaml_util.extract_inputs(body) == set(blueprint.inputs)
    for section in blueprint.metadata["input"].values():
        assert section["name"] and section["icon"].startswith("mdi:")
        assert section["input"]
        optional = all("default" in one for one in section["input"].values())
        assert optional or not section.get("collapsed")
        assert all(one["name"] for one in section["input"].values())


@EVERY
def test_defaults_can_be_chosen(file: Path) -> None:
    """The default of an optional entity is an empty text."""
    for name, one in load(file).inputs.items():
        default = one.get("default", "")
        if default != "":
            chosen: Any = selector(one["selector"])
            assert chosen(default) == default, name
        elif "default" in one:
            assert "entity" in one["selector"] or name == "show"


@EVERY
def test_body(file: Path) -> None:
    """A blueprint has the current keys, an explicit mode, and no helpers."""
    config = yaml_util.load_yaml_dict(file)
    body = {*config} - {"blueprint", "trigger_variables", "variables", "max_exceeded"}
    assert body - {"conditions"} == {"mode", "triggers", "actions"}
    assert not {*keys(config)} & {"service", "platform", "data_template"}
    assert not re.search(r"\b(input_\w+|timer|counter)\.", TEXTS[file])


@EVERY
async def test_it_is_imported_from_where_it_says(
    hass: HomeAssistant, aioclient_mock: AiohttpClientMocker, file: Path
) -> None:
    """The copy that Home Assistant writes has the same content."""
    aioclient_mock.get(RAW + file.name, text=TEXTS[file])
    imported = await fetch_blueprint_from_url(hass, PAGE + file.name)
    assert imported.suggested_filename == f"{DOMAIN}/{file.stem}"
    copy = yaml_util.parse_yaml(imported.blueprint.yaml())
    assert copy == load(file).data


def accepts(entity_filter: dict[str, Any], entry: er.RegistryEntry) -> bool:
    """Return whether a selector offers an entity."""
    offered = {
        "integration": entry.platform,
        "domain": entry.domain,
        "device_class": entry.device_class or entry.original_device_class,
        "unit_of_measurement": entry.unit_of_measurement,
    }
    return all(
        offered[key] in (wanted if isinstance(wanted, list) else [wanted])
        for key, wanted in entity_filter.items()
    )


async def test_selectors(full: Home) -> None:
    """They offer what is meant; those for pump and spa mode offer no settings."""
    settings = [
        full.registered("switch", key)
        for key in ("solar_heating_allowed", "automatic_ph", "schedule_0")
    ]
    for file in FILES:
        for name, entity_filter in entity_inputs(file).items():
            ours = entity_filter.get("integration") == DOMAIN
            assert ours is (name not in ANYBODYS)
            if name in MEANT:
                entry = full.registered(*MEANT[name])
                assert entry is not None
                assert accepts(entity_filter, entry), (file.name, name)
            for entry in settings if name in {"pump", "spa_mode"} else ():
                assert entry is not None
                assert not accepts(entity_filter, entry)


def test_notices_of_all_kinds() -> None:
    (notices,) = (
        each
        for each in load(YAML / "needs_attention.yaml").data["triggers"]
        if each.get("id") == "notice"
    )
    assert sorted(notices["options"]["kinds"]) == sorted(KEYS)


async def test_the_pump_of_the_same_pool(home: Home) -> None:
    """It is found for a session, and not that of another pool."""
    await home.set_up(*home.service.controllers)
    variables = load(YAML / "spa_session.yaml").data["variables"]
    template = Template(variables["pump"], home.hass)
    for controller in home.service.controllers:
        # Any switch of the pool leads to its pump.
        pump = home.entity_id("switch", "pump", controller)
        assert template.async_render({"spa_mode": pump}) == pump
