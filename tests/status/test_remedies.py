"""A problem that a button ends is over as soon as that button was pressed."""

from typing import Any

from homeassistant.const import Platform
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    floor_registry as fr,
    label_registry as lr,
)
import pytest

from tests.status.test_problems import CASES, PUMP, Case, problems
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("freezer", "quick")
few_platforms = only(Platform.BUTTON, Platform.SENSOR, Platform.SWITCH)

REMEDIES = {
    "acid_low",
    "chlorine_low",
    "filter_needs_cleaning",
    "held_against_schedule",
    "held_off",
    "pump_power_changed",
    "spa_waits_for_pump",
}
"""Problems whose next step is a button."""
MEASURED = {"filter_needs_cleaning", "pump_power_changed"}
"""Those of them that are measured while the pump runs."""


def button(home: Home, key: str) -> str | None:
    """Return the button that ends a problem, `None` if there is none."""
    action: dict[str, Any] = problems(home)[key].get("action", {})
    found = action.get("entity_id", "")
    return found if found.startswith("button.") else None


async def press(home: Home, entity_id: str) -> None:
    await home.finish(
        home.hass.services.async_call(
            "button", "press", {"entity_id": entity_id}, blocking=True
        )
    )


@pytest.mark.parametrize(
    ("case", "pump"),
    [
        (case, pump)
        for case in {each.key: each for each in CASES if each.key in REMEDIES}.values()
        for pump in ((True, False) if case.key in MEASURED else (True,))
    ],
    ids=lambda value: getattr(value, "key", ("pump off", "pump on")[value is True]),
)
async def test_the_button_of_a_problem_ends_it(
    home: Home, case: Case, pump: bool
) -> None:
    """At once, and for good, whether or not anything can be measured then."""
    await case.arrange(home)
    await home.live(60)
    if not pump:
        home.pool.switch(PUMP, False, hold=True)
        await home.live(60)
    entity_id = button(home, case.key)
    assert entity_id is not None
    await press(home, entity_id)
    assert case.key not in problems(home)
    await home.live(600, step=60)
    assert case.key not in problems(home)
    await home.restart()
    await home.live(60)
    assert case.key not in problems(home)


async def test_buttons_of_a_whole_area(home: Home, subtests: pytest.Subtests) -> None:
    """Pressing all buttons of an area does not state that drums and filter are full."""
    home.own(home.service.full)
    home.pool.settings |= {"acid_remaining": 100, "chlorine_remaining": 100}
    await home.set_up(home.controller)
    await home.live(60)
    hass, device = home.hass, home.device()
    floor = fr.async_get(hass).async_create("Outside")
    area = ar.async_get(hass).async_create("Garden", floor_id=floor.floor_id)
    label = lr.async_get(hass).async_create("Pools")
    dr.async_get(hass).async_update_device(
        device.id, area_id=area.id, labels={label.label_id}
    )
    await home.settle()
    for target in (
        {"area_id": area.id},
        {"floor_id": floor.floor_id},
        {"device_id": device.id},
        {"label_id": label.label_id},
    ):
        with subtests.test(str(target)):
            await home.finish(
                hass.services.async_call("button", "press", target, blocking=True)
            )
            drums = ("mark_acid_drum_full", "mark_chlorine_drum_full")
            for key in (*drums, "mark_filter_clean"):
                assert home.value("button", key) == "unknown"
            assert home.pool.settings["acid_remaining"] == 100
    await press(home, home.entity_id("button", "mark_acid_drum_full"))
    assert home.pool.settings["acid_remaining"] > 100
