"""Dosing waits until the pump has run for a while."""

from typing import Any

from homeassistant.const import Platform
import pytest

from tests.services.test_pause_dosing import KEYS
from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.pool import Pool

from .conftest import ALIAS, House

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "at_once"),
    pytest.mark.freeze_time("2026-07-01 08:00:00-07:00"),
]
few_platforms = only(Platform.SWITCH)

NAME = "dosing_after_start"


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    """Return the pool, whose pump has no schedule and is off."""
    found = service.full.pool
    found.schedules[0].enabled = False
    found.water.drift = 0.0
    found.switch(0, False)
    return found


async def start(house: House, what: str = "both", **more: Any) -> None:
    """Start the pump as the vendor's app does; add the automation at first."""
    if not house.hass.states.async_all("automation"):
        pump = house.entity_id("switch", "pump")
        dosing = [house.entity_id("switch", key) for key in KEYS[what]]
        await house.automate(NAME, pump=pump, dosing=dosing, **more)
    house.pool.switch(0, True)
    await house.wait(minutes=1, step=15)


def dosing(pool: Pool) -> tuple[float, float]:
    """Return the switch of acid, and the flags of both kinds of chlorine."""
    return pool.settings["ph_dosing"], pool.settings["orp_flags"]


@pytest.mark.parametrize(
    ("what", "paused"), [("both", (0, 0)), ("acid", (0, 3)), ("chlorine", (1, 0))]
)
async def test_it_waits(
    full: House, pool: Pool, what: str, paused: tuple[float, float]
) -> None:
    before = dosing(pool)
    await start(full, what, minutes=20)
    assert dosing(pool) == paused
    await full.wait(minutes=17, step=60)
    assert dosing(pool) == paused
    await full.wait(minutes=6, step=60)
    assert dosing(pool) == before


async def test_each_start_counts(full: House, pool: Pool) -> None:
    await start(full, minutes=20)
    await full.wait(minutes=10, step=60)
    pool.switch(0, False)
    await full.wait(minutes=1, step=15)
    await start(full)
    await full.wait(minutes=17, step=60)
    assert dosing(pool) == (0, 0)
    await full.wait(minutes=6, step=60)
    assert dosing(pool) == (1, 3)


async def test_what_is_off_stays_off(full: House, pool: Pool) -> None:
    pool.settings["ph_dosing"] = pool.settings["orp_flags"] = 0
    await full.wait(minutes=6, step=60)
    await start(full, minutes=2)
    assert full.state_of(ALIAS).attributes["last_triggered"] is not None
    await full.wait(minutes=6, step=60)
    assert not full.waiting
    assert dosing(pool) == (0, 0)


async def test_a_person_wins(full: House, pool: Pool) -> None:
    await start(full, minutes=20)
    await full.act("switch.turn_on", "ph_dosing")
    assert dosing(pool) == (1, 0)
    await full.wait(minutes=3, step=60)
    assert dosing(pool) == (1, 0)
