"""Outputs: what runs them, whether they are held by hand, and how they are released."""

from dataclasses import replace
import json
from pathlib import Path
from typing import Any

from homeassistant.components.light.const import DOMAIN as LIGHT
from homeassistant.components.switch.const import DOMAIN as SWITCH
from homeassistant.const import Platform
from homeassistant.exceptions import ServiceNotSupported
from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.poolctl.client.wire.equipment import AUX_TYPES
from custom_components.poolctl.devices import output_attributes
from custom_components.poolctl.switch import SWITCHED_ROLES
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.raw import until
from tests.world.simulator.schedules import Schedule

pytestmark = pytest.mark.usefixtures("quick")
few_platforms = only(
    Platform.BINARY_SENSOR, Platform.BUTTON, Platform.LIGHT, Platform.SWITCH
)

FOLDER = Path(output_attributes.__file__).parents[1]
LIGHT_SLOT, WATERFALL, GARDEN = 1, 2, 3
"""Slots of the small pool."""
FALL = f"slot_{WATERFALL}"
SPLASH = Schedule(WATERFALL, 1, 0, 0, 0, 1439, 127, "Splash", True)
CLEANER = 9
"""A slot of the full pool that runs only with the pump."""


def shown(home: Home, domain: str, key: str) -> dict[str, Any]:
    state = home.state(domain, key)
    names = (
        output_attributes.ATTR_MODE,
        output_attributes.ATTR_RUNNING_SCHEDULE,
        output_attributes.ATTR_HELD,
        output_attributes.ATTR_REASON,
    )
    return {name: state.attributes[name] for name in names if name in state.attributes}


@pytest.mark.usefixtures("freezer")
async def test_a_schedule_survives_being_held_off(home: Home) -> None:
    home.own(home.service.small)
    home.pool.schedules[1] = splash = replace(SPLASH)
    await home.set_up(home.controller)
    by_schedule = {"mode": "schedule", "schedule": "Splash", "held_by_hand": False}
    for give_back, key in (
        ("poolctl.resume_schedule", FALL),
        ("button.press", "resume_schedules"),
    ):
        assert home.value(SWITCH, FALL) == "on"
        assert shown(home, SWITCH, FALL) == by_schedule

        await home.act("switch.turn_off", FALL)
        assert shown(home, SWITCH, FALL) == {"mode": "off", "held_by_hand": True}
        home.clock.advance(6 * 3600)
        await home.advance(15)
        assert home.value(SWITCH, FALL) == "off"
        assert not home.pool.relays[WATERFALL]
        assert splash.enabled

        await home.act(give_back, key)
        home.clock.advance(2)
        await home.advance(15)
        assert home.pool.relays[WATERFALL]
        assert home.value(SWITCH, FALL) == "on"
        assert shown(home, SWITCH, FALL) == by_schedule
    # Its number is shown as soon as the controller reports that it has no name.
    splash.name = ""
    await home.advance(315, step=15)
    assert shown(home, SWITCH, FALL)["schedule"] == "2"


async def test_the_pump_shows_what_its_motor_does(small: Home) -> None:
    """It is off although its slot reports manual mode (protocol.md O2.4)."""
    filtering = {"mode": "schedule", "schedule": "Filter", "held_by_hand": False}
    assert shown(small, SWITCH, "pump") == filtering
    task = small.hass.async_create_task(small.act("switch.turn_off", "pump"))
    await until(lambda: small.value(SWITCH, "pump") == "off")
    small.clock.advance(200)
    await task
    assert small.pool.slots[0].mode == 99
    expected = {"mode": "off", "held_by_hand": True}
    assert shown(small, SWITCH, "pump") == expected

    await small.act("poolctl.resume_schedule", "pump")
    small.clock.advance(2)
    await small.refresh()
    assert shown(small, SWITCH, "pump") == filtering
    assert small.pool.pump.running


async def test_a_whole_device_goes_back_to_its_schedules(full: Home) -> None:
    """Held outputs are released; configuration, such as heat sources, is left out.

    Home Assistant does not target configuration entities through their device.
    """
    held = (LIGHT_SLOT, 3, 13)
    for slot in held:
        full.pool.switch(slot, True)
    await full.act_on_device("resume_schedule")
    assert not any(slot.held for slot in full.pool.slots)

    with pytest.raises(ServiceNotSupported):
        await full.act("poolctl.resume_schedule", "solar_heating_allowed")


async def test_only_outputs_are_offered_to_be_given_back(full: Home) -> None:
    """The target selector of the action matches exactly the outputs."""
    await full.enable_all()
    services = load_yaml_dict(str(FOLDER / "services.yaml"))
    filters = services["resume_schedule"]["target"]["entity"]
    offered, outputs = set(), set()
    for entity in full.entities():
        if entity.domain not in (LIGHT, SWITCH):
            continue
        attributes = full.state_of(entity.entity_id).attributes
        if output_attributes.ATTR_MODE in attributes:
            outputs.add(entity.entity_id)
        about = {"domain": entity.domain, "integration": entity.platform}
        about["device_class"] = entity.original_device_class or ""
        if any(each.items() <= about.items() for each in filters):
            offered.add(entity.entity_id)
    assert offered == outputs
    assert any(entity_id.startswith(LIGHT) for entity_id in outputs)


@pytest.mark.usefixtures("freezer")
async def test_what_runs_only_with_the_pump(full: Home) -> None:
    """Switching it on starts the pump."""
    key = f"slot_{CLEANER}"
    full.pool.switch(0, False)
    full.clock.advance(300)
    await full.advance(15)
    assert full.value(SWITCH, "pump") == "off"

    await full.act("switch.turn_on", key)
    assert full.pool.pump.running
    assert full.value(SWITCH, "pump") == "on"


@pytest.mark.usefixtures("freezer")
async def test_what_the_firmware_runs_by_itself(full: Home) -> None:
    """Each such output shows the reason why it cannot be switched."""
    await full.enable_all()
    reasons = {
        **dict.fromkeys((4, 5, 12), "heating"),
        **dict.fromkeys((6, 7, 8), "dosing"),
        26: "no_relay",
    }
    for slot, reason in reasons.items():
        key = f"slot_{slot}"
        assert shown(full, "binary_sensor", key) == {"reason": reason}
        assert full.registered(SWITCH, key) is None
        name = full.pool.slots[slot].name
        wanted = name if reason == "no_relay" else f"Output {slot + 1}: {name}"
        assert full.state("binary_sensor", key).name.endswith(f" {wanted}")

    for target, on in ((40, True), (10, False)):
        full.pool.settings["pool_target"] = target
        full.clock.advance(60)
        await full.advance(15)
        assert full.pool.relays[4] is on
        assert full.value("binary_sensor", "slot_4") == ("on" if on else "off")


async def test_the_cloud_does_not_say_why_an_output_runs(home: Home) -> None:
    home.own(home.service.small)
    home.pool.schedules[1] = SPLASH
    home.pool.settle()
    await home.set_up()
    assert home.value(SWITCH, FALL) == "on"
    assert shown(home, SWITCH, FALL) == {}
    assert shown(home, SWITCH, f"slot_{GARDEN}") == {"mode": "off"}
    # The dashboard reports it for the pump (protocol.md O5).
    assert shown(home, SWITCH, "pump")["mode"] == "schedule"


@pytest.mark.usefixtures("freezer")
async def test_a_hold_alone_is_a_change(small: Home) -> None:
    """An output that is off shows it when another client holds it off."""
    key = f"slot_{GARDEN}"
    assert shown(small, SWITCH, key)["held_by_hand"] is False
    small.pool.switch(GARDEN, False)
    await small.advance(15)
    assert small.value(SWITCH, key) == "off"
    assert shown(small, SWITCH, key)["held_by_hand"] is True


# Texts: Home Assistant has no way to share them between keys, so each output has its own

ENGLISH = json.loads((FOLDER / "translations" / "en.json").read_text())["entity"]
SWITCHED = {kind.kind for kind in AUX_TYPES.values() if kind.role in SWITCHED_ROLES}
OUTPUTS = {
    **dict.fromkeys(sorted(SWITCHED | {"general", "pump", "spa_mode"}), SWITCH),
    **dict.fromkeys(("pool_light", "spa_light"), LIGHT),
}


@pytest.mark.parametrize("key", OUTPUTS)
def test_every_output_has_the_same_words(key: str) -> None:
    texts = dict(ENGLISH[OUTPUTS[key]][key]["state_attributes"])
    texts.pop("effect", None)
    pump = dict(ENGLISH[SWITCH]["pump"]["state_attributes"])
    for own in (texts, pump) if key == "pump" else (pump,):
        del own[output_attributes.ATTR_SPEEDS]
    assert texts == pump
    assert set(texts) == {
        output_attributes.ATTR_MODE,
        output_attributes.ATTR_RUNNING_SCHEDULE,
        output_attributes.ATTR_HELD,
        output_attributes.ATTR_HELD_SINCE,
        output_attributes.ATTR_HELD_UNTIL,
        output_attributes.ATTR_TIMER_ENDS,
    }
    assert set(texts["mode"]["state"]) == set(output_attributes.MODE_NAMES.values())
    assert set(texts["held_by_hand"]["state"]) == {"true", "false"}


def test_every_reason_has_words() -> None:
    for role, reason in output_attributes.RUN_BY.items():
        texts = ENGLISH["binary_sensor"][f"{role}_output"]["state_attributes"]
        assert set(texts) == {output_attributes.ATTR_REASON}
        assert set(texts["reason"]["state"]) == {reason}
