"""Uses of general outputs, as the user selects them: heaters, pumps, lights."""

from typing import Any

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.poolctl.devices.parts import proposed_use
from tests.devices.test_parts import parts
from tests.flow.test_options import choose as choose_settings
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer")

LIGHT, GENERAL, GENERAL_TOO = 13, 1, 25
"""Aux types."""


async def ask(home: Home, *answers: dict[str, Any]) -> ConfigFlowResult:
    """Open the form of the outputs, and answer it."""
    flow = await home.hass.config_entries.options.async_init(home.entry.entry_id)
    for answer in ({"next_step_id": "outputs"}, *answers):
        flow = await home.hass.config_entries.options.async_configure(
            flow["flow_id"], answer
        )
    await home.settle()
    return flow


async def choose(home: Home, **uses: list[str]) -> None:
    flow = await ask(home, uses)
    assert flow["type"] is FlowResultType.CREATE_ENTRY


def page_of(home: Home, domain: str, key: str) -> str:
    """Return the name of the part that an entity belongs to."""
    entry = er.async_get(home.hass).async_get(home.entity_id(domain, key))
    assert entry
    return next(n for n, part in parts(home).items() if part.id == entry.device_id)


async def test_a_heater_and_a_pump_are_on_their_pages(small: Home) -> None:
    """Their switches stay, with another icon and another name."""
    for slot in (2, 3):
        small.pool.slots[slot].name = ""
    await small.restart()
    await small.live(400)
    heater, pump = (small.entity_id("switch", f"slot_{slot}") for slot in (2, 3))
    assert page_of(small, "switch", "slot_2") == "Outputs"
    await choose(small, heater=[heater], pump=[pump])
    registry = er.async_get(small.hass)
    for entity_id, page, key, name in (
        (heater, "Heating", "heater_output", "Heater 3"),
        (pump, "Pump", "pump_output", "Pump 4"),
    ):
        entry = registry.async_get(entity_id)
        assert entry
        assert entry.translation_key == key
        assert parts(small)[page].id == entry.device_id
        assert small.state_of(entity_id).name.endswith(name)
    assert "Outputs" not in parts(small)


async def test_a_light_is_a_light(small: Home) -> None:
    """It is switched by the same bytes, can be held, and can become a switch again."""
    switch = small.entity_id("switch", "slot_2")
    await small.act("switch.turn_on", "slot_2")
    before = small.controller.requests[-1]
    assert before.op == "a"
    await small.act("switch.turn_off", "slot_2")
    await choose(small, light=[switch])
    assert small.hass.states.get(switch) is None
    assert "slot_2" not in small.entity_keys("switch")
    assert page_of(small, "light", "slot_2") == "Lights"
    light = small.state("light", "slot_2")
    assert light.state == "off"
    assert light.attributes["supported_features"] == 0
    await small.act("light.turn_on", "slot_2")
    after = small.controller.requests[-1]
    assert (after.name, after.payload) == (before.name, before.payload)
    assert small.value("light", "slot_2") == "on"
    await small.act(
        "poolctl.hold", "slot_2", domain="light", state=False, duration={"minutes": 5}
    )
    assert small.value("light", "slot_2") == "off"
    assert small.state("light", "slot_2").attributes["held_until"]

    await choose(small)
    assert small.value("switch", "slot_2") == "off"
    assert "slot_2" not in small.entity_keys("light")


async def test_one_output_is_one_thing(
    small: Home, hass_client: ClientSessionGenerator
) -> None:
    """Two uses of one output are an error of the form, which can then be corrected."""
    switch = small.entity_id("switch", "slot_2")
    flow = await ask(small, {"heater": [switch], "light": [switch]})
    assert flow["type"] is FlowResultType.FORM
    assert flow["errors"] == {"base": "output_twice"}
    flow = await small.hass.config_entries.options.async_configure(
        flow["flow_id"], {"heater": [switch]}
    )
    assert flow["type"] is FlowResultType.CREATE_ENTRY
    await small.settle()
    assert page_of(small, "switch", "slot_2") == "Heating"
    # Diagnostics have the use, without the controller's ID.
    found = await get_diagnostics_for_config_entry(small.hass, hass_client, small.entry)
    assert found["options"]["uses"] == ["heater"]
    assert small.controller.device_id not in str(found)


async def test_other_options_and_outputs_stay(small: Home) -> None:
    """Each form keeps the options of the other, and the uses of outputs not shown."""
    switch = small.entity_id("switch", "slot_2")
    await choose_settings(small, connection="lan")
    await choose(small, heater=[switch])
    assert small.entry.options["connection"] == "lan"
    await choose_settings(small, holds_by_hand="ends_by_itself")
    assert page_of(small, "switch", "slot_2") == "Heating"
    er.async_get(small.hass).async_update_entity(
        switch, disabled_by=er.RegistryEntryDisabler.USER
    )
    await small.restart()
    await choose(small, pump=[small.entity_id("switch", "slot_3")])
    assert sorted(small.entry.options["uses"].values()) == ["heater", "pump"]


async def test_no_form_without_a_general_output(small: Home) -> None:
    for slot in small.pool.slots:
        if slot.aux_type in (GENERAL, GENERAL_TOO):
            slot.aux_type = LIGHT
    await small.live(60)
    flow = await small.hass.config_entries.options.async_init(small.entry.entry_id)
    assert flow["menu_options"] == ["settings", "water"]


async def test_a_choice_of_another_version(small: Home) -> None:
    """Uses that are not valid are ignored, and do not affect the others."""
    device_id = small.controller.device_id
    uses: dict[str, object] = {
        f"{device_id}_slot_2": "heater",
        f"{device_id}_slot_3": "sauna",
        f"{device_id}_slot_x": "light",
        f"{device_id}_slot_1": "heater",
    }
    small.hass.config_entries.async_update_entry(small.entry, options={"uses": uses})
    await small.restart()
    assert page_of(small, "switch", "slot_2") == "Heating"
    assert page_of(small, "switch", "slot_3") == "Outputs"
    assert page_of(small, "light", "slot_1") == "Lights", "its wiring says what it is"
    small.hass.config_entries.async_update_entry(small.entry, options={"uses": 7})
    await small.restart()
    assert page_of(small, "switch", "slot_2") == "Outputs"


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("Heat pump", "heater"),
        ("Garden light", "light"),
        ("Booster Pump", "pump"),
        ("Wärmepumpe", "heater"),
        ("Gartenlicht", "light"),
        ("Pompe à chaleur", "heater"),
        ("Éclairage jardin", "light"),
        ("Luz del jardín", "light"),
        ("Bomba de calor", "heater"),
        ("Pompa di calore", "heater"),
        ("Warmtepomp", "heater"),
        ("Čerpadlo vodopádu", "pump"),
        ("Tepelné čerpadlo", "heater"),
        ("Trädgårdsbelysning", "light"),
        ("Aquecedor", "heater"),
        ("Waterfall", None),
        ("Sledge", None),
        ("", None),
    ],
)
def test_a_use_is_proposed_by_a_name(name: str, use: str | None) -> None:
    assert proposed_use(name) == use


async def test_uses_are_proposed_until_they_were_chosen(small: Home) -> None:
    """The form is filled in from the names; what a user left out is not filled in again."""
    small.pool.slots[2].name, small.pool.slots[3].name = "Heat pump", "Garden light"
    small.hass.config_entries.async_update_entry(small.entry, options={})
    await small.restart()
    await small.live(400)
    assert small.value("sensor", "status") == "notice"

    def proposed(flow: ConfigFlowResult) -> dict[str, list[str]]:
        schema = flow["data_schema"]
        assert schema is not None
        found = {
            str(key): (key.description or {}).get("suggested_value", [])
            for key in schema.schema
        }
        return {use: entities for use, entities in found.items() if entities}

    heater, light = (small.entity_id("switch", f"slot_{slot}") for slot in (2, 3))
    assert proposed(await ask(small)) == {"heater": [heater], "light": [light]}
    await choose(small, heater=[heater])
    assert proposed(await ask(small)) == {"heater": [heater]}
    assert small.value("sensor", "status") == "all_well"
