"""Commands, from an action in Home Assistant to the relay, and their failures."""

import asyncio
from typing import Any

from homeassistant.const import Platform
import pytest

from custom_components.poolctl.client.backoff import Backoff
from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.control import lan_delivery
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.assistant.unchanged import unchanged
from tests.world.simulator.raw import until

pytestmark = pytest.mark.usefixtures("quick")
few_platforms = only(
    Platform.BUTTON, Platform.CLIMATE, Platform.LIGHT, Platform.NUMBER, Platform.SWITCH
)

WATERFALL = 2
"""The slot of a general output of the small pool."""
SLOT = f"slot_{WATERFALL}"


async def test_a_switch_costs_one_request(small: Home) -> None:
    """The state in its reply is shown."""
    states = small.follow("switch", SLOT)
    small.controller.requests.clear()
    await small.act("switch.turn_on", SLOT)
    (request,) = small.controller.requests
    assert (request.op, request.name, request.payload) == ("a", "aux", b"\x02\x01\x01")
    assert small.pool.slots[WATERFALL].on
    assert [state.state for state in states] == ["on"]
    assert "assumed_state" not in states[0].attributes

    await small.act("switch.turn_off", SLOT)
    # No schedule would switch it on again, so nothing has to be held.
    assert small.controller.requests[-1].payload == b"\x02\x00\x00"
    assert not small.pool.slots[WATERFALL].on
    assert not small.pool.slots[WATERFALL].held


async def test_pump(small: Home) -> None:
    assert small.value("switch", "pump") == "on"
    task = small.hass.async_create_task(small.act("switch.turn_off", "pump"))
    await until(lambda: small.value("switch", "pump") == "off")
    small.clock.advance(200)
    await task
    assert small.value("switch", "pump") == "off"
    assert not small.pool.pump.running

    # While the pump is off, a speed is kept for its next start; nothing is sent.
    small.controller.requests.clear()
    await small.act("number.set_value", "pump_target_speed", value=60)
    assert not small.controller.requests
    assert small.value("number", "pump_target_speed") == "60"
    task = small.hass.async_create_task(small.act("switch.turn_on", "pump"))
    # The reply cannot confirm a `cmd`: the requested value is shown meanwhile.
    await until(lambda: small.value("switch", "pump") == "on")
    small.clock.advance(60)
    await task
    assert small.pool.pump.speed == 60


async def test_errors(small: Home, subtests: pytest.Subtests) -> None:
    """Each has a text, which names the output: a user may have switched a whole room."""
    small.clock.speed = 100  # `busy` is answered after 2 s
    small.cloud.faults.on("refuse")
    name = small.state("switch", SLOT).name
    for fault, key, text in (
        ("decline", "refused", f"{name}: the controller refused the command"),
        (
            "ignore_writes",
            "not_applied",
            f"{name}: the controller accepted the command",
        ),
        ("busy", "busy", ""),
        ("refuse", "not_run", ""),
        ("close_mid_body", "not_reached", ""),
        ("bad_tag", "unexpected_answer", ""),
        ("garbage", "unexpected_answer", ""),
    ):
        small.controller.faults.on(fault)
        with subtests.test(fault):
            with failure(key) as caught:
                await small.act("switch.turn_on", SLOT)
            assert str(caught.value).startswith(text)
        small.controller.faults.clear()
        small.pool.switch(WATERFALL, False, hold=False)


async def test_through_the_cloud(home: Home) -> None:
    await home.set_up()
    home.clock.speed = 50
    assert home.value("switch", SLOT) == "off"
    await home.act("switch.turn_on", SLOT)
    assert home.value("switch", SLOT) == "on"
    home.clock.advance(5)
    assert home.pool.slots[WATERFALL].on
    assert home.cloud_writes == ["manualSet"]


COMMANDS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("switch.turn_on", "slot_3", {}),
    ("switch.turn_off", "pump", {}),
    ("light.turn_on", "slot_1", {"effect": "red"}),
    (
        "climate.set_temperature",
        "pool_heating",
        {"temperature": 30, "hvac_mode": "off"},
    ),
    ("number.set_value", "ph_target", {"value": 7.0}),
    ("switch.turn_on", "schedule_1", {}),
)
OTHERS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("switch.turn_on", "spa_mode", {}),
    ("switch.turn_off", "solar_heating_allowed", {}),
    ("switch.turn_off", "automatic_ph", {}),
    ("button.press", "mark_acid_drum_full", {}),
    ("button.press", "slot_1_light_resync", {}),
    ("poolctl.resume_schedule", "slot_3", {}),
)


@pytest.mark.usefixtures("all_enabled", "at_once")
@pytest.mark.parametrize(
    ("fault", "error"), [("decline", "refused"), ("refuse", "not_run")]
)
async def test_a_command_that_fails_changes_nothing(
    full: Home, subtests: pytest.Subtests, fault: str, error: str
) -> None:
    """Neither in the pool nor on screen, and no action goes through the cloud."""
    full.pool.switch(3, True)
    full.pool.water.drift = 0.0
    await full.refresh()
    full.controller.faults.on(fault)
    full.cloud.faults.on("refuse")
    for action, key, data in (*COMMANDS, *OTHERS):
        with subtests.test(action, key=key), unchanged(full), failure(error):
            await full.act(action, key, **data)
    assert not full.cloud_writes


@pytest.mark.parametrize(("action", "key", "data"), COMMANDS)
async def test_nothing_runs_after_the_unload(
    full: Home, action: str, key: str, data: dict[str, Any]
) -> None:
    """Neither a retry nor the other path is used, even if no request is answered."""
    full.controller.faults.on("hang")
    full.cloud.faults.on("hang")
    task = full.hass.async_create_task(full.act(action, key, **data))
    full.controller.requests.clear()
    await until(lambda: bool(full.controller.requests))
    await full.unload()
    requests = len(full.controller.requests), len(full.cloud.requests)
    with failure("stopped"):
        await task
    full.reconnect()
    await asyncio.sleep(30)
    assert (len(full.controller.requests), len(full.cloud.requests)) == requests


async def test_a_command_between_two_tries(
    small: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lan_delivery, "COMMAND_AGAIN", Backoff(0.2, 0.2, most=4))
    small.cloud.faults.on("refuse")
    small.controller.faults.on("refuse")
    task = small.hass.async_create_task(small.act("switch.turn_on", SLOT))
    await asyncio.sleep(0.1)
    await small.unload()
    small.reconnect()
    with failure("stopped"):
        await task
    await asyncio.sleep(30)
    assert not small.pool.slots[WATERFALL].on


async def test_a_refusal_after_a_lost_answer(
    small: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not hide that an earlier attempt may have run."""
    small.controller.faults.on("close_mid_body")
    small.cloud.faults.on("failed")
    send = CloudClient.write

    async def send_and_decline(*args: Any, **end: Any) -> None:
        small.controller.faults.off("close_mid_body")
        small.controller.faults.on("decline")
        await send(*args, **end)

    monkeypatch.setattr(CloudClient, "write", send_and_decline)
    with failure("outcome_unknown"):
        await small.act("switch.turn_on", SLOT)
