"""Filter load: from the button to the problem, over restarts and by both paths."""

from datetime import datetime

from homeassistant.const import Platform
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.water import Water

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick")
few_platforms = only(
    Platform.BINARY_SENSOR, Platform.BUTTON, Platform.NUMBER, Platform.SENSOR
)

MEASURED = 330
"""Seconds of even flow in which the filter is measured, and a little more."""
STEP = 30
"""Seconds between two reads; above 90, the time in between counts as unknown."""
ENTITIES = {
    ("sensor", "filter_load"),
    ("binary_sensor", "filter_needs_cleaning"),
    ("button", "filter_cleaned"),
    ("number", "filter_limit"),
}
PUMP = 0
"""The slot of the pump."""


async def press(home: Home) -> None:
    """Report that the filter is clean."""
    await home.act("button.press", "filter_cleaned")


def load(home: Home) -> str:
    return home.value("sensor", "filter_load")


def problem(home: Home) -> str:
    return home.value("binary_sensor", "filter_needs_cleaning")


def baseline(home: Home) -> str:
    """Return whether the clean filter was measured: `measured` or `awaited`."""
    found: str = home.state("sensor", "filter_load").attributes["baseline"]
    return found


def percent(text: str) -> object:
    """Return a match for loads near this one."""
    return pytest.approx(float(text), abs=4)


async def dirty(home: Home, dirt: float) -> None:
    """Let the filter resist more by this share, for long enough to be measured."""
    home.pool.water.dirt = dirt
    await home.live(2 * MEASURED, step=STEP)


@pytest.fixture
async def pool(small: Home) -> Home:
    """Set up the small pool, whose filter was just cleaned and measured."""
    await press(small)
    await small.live(MEASURED, step=STEP)
    assert load(small) == "0"
    return small


async def test_nobody_has_said_when_it_was_clean(small: Home) -> None:
    """Until a user reports it clean, only the button exists."""
    await dirty(small, 2.0)
    button = ("button", "filter_cleaned")
    assert {each for each in ENTITIES if small.registered(*each)} == {button}
    await press(small)
    await small.live(60)
    assert {each for each in ENTITIES if small.registered(*each)} == ENTITIES
    assert baseline(small) == "awaited"
    assert small.value("number", "filter_limit") == "50"


async def test_from_clean_to_dirty_and_back(pool: Home) -> None:
    told = pool.state("sensor", "filter_load").attributes
    assert told["baseline"] == "measured"
    cleaned_at = datetime.fromisoformat(told["cleaned_at"])
    assert 300 <= (dt_util.utcnow() - cleaned_at).total_seconds() <= MEASURED + 1
    assert (told["unit_of_measurement"], told["state_class"]) == ("%", "measurement")
    await dirty(pool, 0.3)
    assert float(load(pool)) == percent("30")
    assert problem(pool) == "off"
    await dirty(pool, 0.6)
    assert float(load(pool)) == percent("60")
    assert problem(pool) == "on"
    await press(pool)
    assert (load(pool), problem(pool)) == ("unknown", "unknown")
    assert baseline(pool) == "awaited"
    await dirty(pool, 0.0)
    assert (load(pool), problem(pool)) == ("0", "off")
    # Nothing of this is sent to the controller.
    assert not pool.actions and not pool.cloud_writes


async def test_over_a_restart(pool: Home) -> None:
    """The clean filter's value, the load and the limit are kept, even without flow."""
    await pool.act("number.set_value", "filter_limit", value=30)
    await dirty(pool, 0.4)
    before = load(pool)
    assert float(before) == percent("40")
    pool.pool.switch(PUMP, False)
    await pool.live(30)
    await pool.shut_down()
    await pool.boot()
    assert (load(pool), problem(pool)) == (before, "on")
    assert pool.value("number", "filter_limit") == "30"
    assert baseline(pool) == "measured"
    pool.pool.switch(PUMP, True)
    await dirty(pool, 0.8)
    assert float(load(pool)) == percent("80")


async def test_a_press_is_remembered(small: Home) -> None:
    """Home Assistant may be restarted before the pump has run for long enough."""
    await press(small)
    await small.live(120, step=STEP)
    await small.shut_down()
    await small.boot()
    assert baseline(small) == "awaited"
    await small.live(MEASURED, step=STEP)
    assert (load(small), baseline(small)) == ("0", "measured")


async def test_a_pool_that_measures_no_pressure(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entities exist once the pool has measured a pressure."""
    home.own(home.service.small)
    with monkeypatch.context() as without:
        without.setattr(Water, "pressure", 0)
        await home.set_up(home.service.small)
        await home.live(600, step=STEP)
        assert not home.registered("button", "filter_cleaned")
    await home.live(30)
    await press(home)
    await home.live(60)
    assert all(home.registered(*entity) for entity in ENTITIES)
    # From now on they exist at once, whether the pump runs or not.
    home.pool.switch(PUMP, False)
    await home.live(30)
    await home.shut_down()
    await home.boot()
    assert load(home) == "unknown"


async def test_diagnostics(pool: Home, hass_client: ClientSessionGenerator) -> None:
    found = await get_diagnostics_for_config_entry(pool.hass, hass_client, pool.entry)
    controllers = found["controllers"]
    assert isinstance(controllers, list)
    known = controllers[0]["learned"]["filter"]
    assert known["load"] == 0
    assert known["clean"] == pytest.approx(1 / 1500, rel=0.01)
    assert known["measurable"] is True
    assert controllers[0]["choices"]["filter_limit"] == 50
