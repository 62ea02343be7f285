"""New entities are looked for when equipment changes, not when readings do."""

import pytest

from custom_components.poolctl import fitted
from custom_components.poolctl.client.wire.equipment import Slot
from custom_components.poolctl.devices import naming
from custom_components.poolctl.devices.uses import Uses
from custom_components.poolctl.fitted import Presences

from .home import Home

pytestmark = pytest.mark.usefixtures("freezer", "quick")

PLATFORMS = 12


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Presences]:
    """Collect the result of every search for entities."""
    found: list[Presences] = []
    factories = fitted._factories

    def noted(built: Presences) -> dict[str, fitted.Factory]:
        found.append(built)
        return factories(built)

    monkeypatch.setattr(fitted, "_factories", noted)
    return found


# Not at the end of five minutes, when the totals update all listeners.
@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_figures_bring_no_entities(home: Home, looks: list[Presences]) -> None:
    home.own(home.service.full)
    await home.set_up(home.controller)
    await home.live(60)
    before, water = home.value("sensor", "water_temperature"), home.pool.water
    water.drift = 0.0
    await home.live(30)
    looks.clear()
    water.temperature, water.ambient = water.temperature + 1, 19.0
    await home.advance(15)
    assert home.value("sensor", "water_temperature") != before
    assert not looks
    # A relay is not a reading.
    await home.act("switch.turn_on", "slot_3")
    assert len(looks) >= PLATFORMS


async def test_a_look_that_is_asked_for_is_taken(
    home: Home, looks: list[Presences]
) -> None:
    """An update of all listeners without new data searches for entities, too."""
    home.own(home.service.full)
    await home.set_up(home.controller)
    await home.live(60)
    looks.clear()
    (coordinator,) = home.entry.runtime_data.controllers.values()
    coordinator.async_update_listeners()
    assert len(looks) == PLATFORMS


async def test_a_reading_that_comes_up_brings_its_entity(home: Home) -> None:
    """A reading that was missing brings its entity when it appears."""
    home.own(home.service.full)
    home.pool.water.ambient = 0.0
    await home.set_up(home.controller)
    assert "ambient_temperature" not in home.entity_keys("sensor")
    home.pool.water.ambient = 20.0
    await home.advance(15)
    assert home.value("sensor", "ambient_temperature") == "20.0"


async def test_one_reads_the_names_of_a_page_for_all(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An output that writes its state does not read the names of all others."""
    home.own(home.service.full)
    await home.set_up(home.controller)
    await home.live(60)
    asked: list[Slot] = []
    slot_name = naming.slot_name

    def noted(slot: Slot, texts: naming.Texts, uses: Uses) -> str:
        asked.append(slot)
        return slot_name(slot, texts, uses)

    monkeypatch.setattr(naming, "slot_name", noted)
    await home.act("switch.turn_on", "slot_3")
    assert home.value("switch", "slot_3") == "on"
    assert {slot.index for slot in asked} == {3}
