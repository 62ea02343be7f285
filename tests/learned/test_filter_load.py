"""Filter load: from the button to the problem, over restarts and by both paths."""

from datetime import datetime
from typing import Any

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
few_platforms = only(Platform.BUTTON, Platform.NUMBER, Platform.SENSOR)

MEASURED = 330
"""Seconds of even flow in which the filter is measured, and a little more."""
STEP = 30
"""Seconds between two reads; above 90, the time in between counts as unknown."""
ENTITIES = {
    ("sensor", "filter_load"),
    ("button", "mark_filter_clean"),
    ("number", "filter_limit"),
}
PUMP = 0
"""The slot of the pump."""


async def press(home: Home) -> None:
    await home.act("button.press", "mark_filter_clean")


def load(home: Home) -> tuple[str, bool]:
    """Return the load in %, and whether it is a problem."""
    value = home.value("sensor", "filter_load")
    return value, "filter_needs_cleaning" in home.problems


def attributes(home: Home) -> dict[str, Any]:
    return dict(home.state("sensor", "filter_load").attributes)


def there(home: Home) -> set[tuple[str, str]]:
    return {each for each in ENTITIES if home.registered(*each)}


async def dirty(home: Home, dirt: float, problem: bool) -> None:
    """Let the filter resist more by this share, until that is measured."""
    home.pool.water.dirt = dirt
    await home.live(2 * MEASURED, step=STEP)
    percent, found = load(home)
    assert float(percent) == pytest.approx(dirt * 100, abs=4)
    assert found is problem


async def test_from_clean_to_dirty_and_back(
    small: Home, hass_client: ClientSessionGenerator
) -> None:
    # Until a user reports it clean, only the button exists.
    small.pool.water.dirt = 2.0
    await small.live(2 * MEASURED, step=STEP)
    assert there(small) == {("button", "mark_filter_clean")}
    small.pool.water.dirt = 0.0
    await press(small)
    await small.live(60)
    assert there(small) == ENTITIES
    assert attributes(small)["baseline"] == "awaited"
    assert small.value("number", "filter_limit") == "50"

    # Home Assistant may be restarted before the pump has run for long enough.
    await small.live(60, step=STEP)
    await small.shut_down()
    await small.boot()
    assert attributes(small)["baseline"] == "awaited"
    await small.live(MEASURED, step=STEP)
    assert load(small) == ("0", False)
    found = attributes(small)
    assert found["baseline"] == "measured"
    assert (found["unit_of_measurement"], found["state_class"]) == ("%", "measurement")
    cleaned_at = datetime.fromisoformat(found["cleaned_at"])
    assert 420 <= (dt_util.utcnow() - cleaned_at).total_seconds() <= 120 + MEASURED + 1
    diagnostics: Any = await get_diagnostics_for_config_entry(
        small.hass, hass_client, small.entry
    )
    (controller,) = diagnostics["controllers"]
    known = controller["learned"]["filter"]
    assert (known["load"], known["measurable"]) == (0, True)
    assert known["clean"] == pytest.approx(1 / 1500, rel=0.01)
    assert controller["preferences"]["filter_limit"] == 50

    await dirty(small, 0.3, False)
    await dirty(small, 0.6, True)
    await over_a_restart(small)
    await press(small)
    assert load(small) == ("unknown", False)
    assert attributes(small)["baseline"] == "awaited"
    await dirty(small, 0.0, False)
    assert load(small)[0] == "0"
    # Nothing of this is sent to the controller.
    assert not small.actions and not small.cloud_writes


async def over_a_restart(home: Home) -> None:
    """Check that the clean filter, the load and the limit are kept without flow."""
    await home.act("number.set_value", "filter_limit", value=30)
    before = load(home)
    home.pool.switch(PUMP, False)
    await home.live(30)
    await home.shut_down()
    await home.boot()
    assert load(home) == before
    assert home.value("number", "filter_limit") == "30"
    assert attributes(home)["baseline"] == "measured"
    home.pool.switch(PUMP, True)
    await dirty(home, 0.4, True)


async def test_a_pool_that_measures_no_pressure(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entities exist once the pool has measured a pressure."""
    home.own(home.service.small)
    with monkeypatch.context() as without:
        without.setattr(Water, "pressure", 0)
        await home.set_up(home.service.small)
        await home.live(600, step=STEP)
        assert not there(home)
    await home.live(30)
    await press(home)
    await home.live(60)
    assert there(home) == ENTITIES
    # From now on they exist at once, whether the pump runs or not.
    home.pool.switch(PUMP, False)
    await home.live(30)
    await home.shut_down()
    await home.boot()
    assert load(home)[0] == "unknown"
