"""Spa mode: one switch for all actuators, and the heaters that follow."""

from datetime import datetime

from homeassistant.util import dt as dt_util
import pytest

from tests.platforms.test_heating import shown
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.usefixtures("freezer")
async def test_the_last_reading_of_the_spa(full: Home) -> None:
    """While other water circulates, it is shown with its time, but not as present."""
    assert "last_temperature" not in shown(full, "spa")
    await full.advance(15)  # one read alone may be odd
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
