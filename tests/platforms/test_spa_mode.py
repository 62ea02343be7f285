"""Spa mode: one switch for all actuators, and the heaters that follow."""

from datetime import datetime

from homeassistant.util import dt as dt_util
import pytest

from tests.platforms.test_heating import HEATER, SOLAR, SPA_HEATER, shown
from tests.world.assistant.home import Home, failure

pytestmark = pytest.mark.usefixtures("quick")

RETURN, SUCTION, EXTRA_1, EXTRA_2 = 10, 11, 19, 20
"""The slots of the actuators of the full pool."""


async def test_actuators_have_no_switch_but_spa_mode(full: Home) -> None:
    for slot in (RETURN, SUCTION, EXTRA_1, EXTRA_2, HEATER, SOLAR, SPA_HEATER):
        assert full.registered("switch", f"slot_{slot}") is None


@pytest.mark.usefixtures("freezer")
async def test_spa_mode(full: Home) -> None:
    """One request moves all actuators; heater and temperature follow."""
    assert full.value("switch", "spa_mode") == "off"
    seen = len(full.controller.requests)
    await full.act("switch.turn_on", "spa_mode")
    (request,) = full.controller.requests[seen:]
    assert (request.name, request.payload) == ("aux", bytes([RETURN, 1, 1]))
    assert full.value("switch", "spa_mode") == "on"
    slots = full.pool.slots
    assert all(slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    full.clock.advance(20)
    await full.refresh()
    assert slots[SPA_HEATER].on and not slots[HEATER].on
    spa, pool = shown(full, "spa"), shown(full, "pool")
    assert (spa["hvac_action"], pool["hvac_action"]) == ("heating", "idle")
    # The pipes of the probe still contain the pool's water.
    assert (spa["current_temperature"], pool["current_temperature"]) == (None, None)
    await full.advance(330, step=30)
    spa, pool = shown(full, "spa"), shown(full, "pool")
    assert spa["current_temperature"] is not None
    assert pool["current_temperature"] is None

    await full.act("switch.turn_off", "spa_mode")
    assert not any(slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    assert shown(full, "spa")["current_temperature"] is None
    await full.refresh()
    assert shown(full, "pool")["current_temperature"] is None
    await full.advance(330, step=30)
    assert shown(full, "pool")["current_temperature"] is not None


@pytest.mark.usefixtures("freezer")
async def test_the_last_reading_of_the_spa(full: Home) -> None:
    """While other water circulates, it is shown with its time, but not as present."""
    assert "last_temperature" not in shown(full, "spa")
    await full.act("switch.turn_on", "spa_mode")
    await full.advance(330, step=30)
    warm = shown(full, "spa")["current_temperature"]
    assert "last_temperature" not in shown(full, "spa")
    assert "last_temperature" in shown(full, "pool")
    read = dt_util.utcnow().timestamp()

    await full.act("switch.turn_off", "spa_mode")
    await full.advance(600, step=30)
    await full.shut_down()
    await full.boot()
    spa = shown(full, "spa")
    assert spa["current_temperature"] is None
    assert spa["last_temperature"] == pytest.approx(warm, abs=0.2)
    at = datetime.fromisoformat(spa["measured_at"]).timestamp()
    assert at == pytest.approx(read, abs=60)
    await full.advance(330, step=30)
    assert "measured_at" not in shown(full, "pool")


@pytest.mark.usefixtures("freezer")
async def test_a_restart_while_the_water_settles(full: Home) -> None:
    """What a probe in spa water reads is not the pool's after a restart."""
    await full.act("switch.turn_on", "spa_mode")
    await full.advance(330, step=30)
    await full.act("switch.turn_off", "spa_mode")
    await full.refresh()
    await full.shut_down()
    await full.boot()
    await full.advance(60, step=15)
    assert shown(full, "pool")["current_temperature"] is None
    await full.advance(330, step=30)
    assert shown(full, "pool")["current_temperature"] is not None


async def test_spa_mode_is_assumed_where_nobody_tells_it(full: Home) -> None:
    await full.act("switch.turn_on", "spa_mode")
    full.cloud.not_offered.add("auxInfo")
    full.controller.faults.on("refuse")
    full.clock.speed = 50
    for _ in range(2):
        await full.refresh()
    assert full.source == "cloud"
    state = full.state("switch", "spa_mode")
    assert state.state == "on"
    assert state.attributes["assumed_state"] is True


async def test_spa_mode_goes_back_to_its_schedule(full: Home) -> None:
    await full.act("switch.turn_on", "spa_mode")
    assert full.pool.slots[RETURN].held
    await full.act("poolctl.resume_schedule", "spa_mode")
    assert full.controller.requests[-1].payload == bytes([RETURN, 0, 0])
    full.clock.advance(2)
    await full.refresh()
    assert not any(slot.held for slot in full.pool.slots)
    assert full.value("switch", "spa_mode") == "off"


async def test_spa_mode_while_the_lan_dies(full: Home) -> None:
    """The cloud repeats the command, which does no harm; without a cloud it fails."""
    full.controller.faults.on("close_mid_body", "aux")
    full.clock.speed = 50
    await full.act("switch.turn_on", "spa_mode")
    assert full.cloud_writes == ["manualSet"]
    assert full.value("switch", "spa_mode") == "on"
    full.clock.advance(5)
    full.pool.update()
    assert full.pool.spa_mode

    full.controller.faults.clear()
    full.disconnect()
    with failure("not_reached"):
        await full.act("switch.turn_off", "spa_mode")
    assert full.pool.spa_mode
