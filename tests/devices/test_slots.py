"""Slots that are reassigned, renamed, removed or new while Home Assistant runs."""

from collections.abc import AsyncGenerator

from homeassistant.core import Event
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import DATA_DOMAIN_PLATFORM_ENTITIES
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.simulator import Pool

pytestmark = pytest.mark.usefixtures("freezer", "quick")

WATERFALL = 3
"""A general output of the full pool."""
KEY = f"slot_{WATERFALL}"
FREE = 22
"""A slot with nothing wired to it."""
GENERAL, GENERAL_TOO, OZONE, POOL_LIGHT, GAS_HEATER, PH_DOSER = 1, 25, 10, 13, 2, 6


def known(home: Home, domain: str, key: str) -> er.RegistryEntry:
    """Return the registry entry of an entity that must exist and be available.

    Outputs that the firmware runs are disabled by default and have no state.
    """
    found = home.registered(domain, key)
    assert found is not None, f"no {domain} {key}"
    if not found.disabled:
        assert home.state_of(found.entity_id).state != "unavailable"
    return found


def gone(home: Home, domain: str, key: str) -> bool:
    """Return whether neither the registry nor the platform has an entity."""
    left = {f"{home.controller.device_id}_{key}"}
    entities = home.hass.data[DATA_DOMAIN_PLATFORM_ENTITIES].get((domain, DOMAIN), {})
    return home.registered(domain, key) is None and left.isdisjoint(
        entity.unique_id for entity in entities.values()
    )


def identities(home: Home) -> dict[str, str]:
    """Return entity id and unique id of all entities, by registry id."""
    return {e.id: f"{e.entity_id} {e.unique_id}" for e in home.entities()}


@pytest.fixture
async def pool(full: Home) -> AsyncGenerator[Pool]:
    """Set up the full pool; then check that other entities stayed, without a reload."""
    account, before = full.entry.runtime_data, identities(full)
    yield full.pool
    assert full.entry.runtime_data is account
    after = identities(full)
    changed = f"_{KEY}", f"_{KEY}_control", "_slot_26", "_slot_36"
    for place, identity in before.items():
        if place not in after:
            assert identity.endswith(changed), f"{identity} is gone"
        else:
            assert after[place] == identity


async def wire(home: Home, slot: int, aux_type: int, name: str | None = None) -> None:
    """Wire other equipment to a slot, and let that be read."""
    home.pool.slots[slot].aux_type = aux_type
    if name is not None:
        home.pool.slots[slot].name = name
    await home.advance(30, step=15)


async def rename(home: Home, name: str) -> er.RegistryEntry:
    """Rename the waterfall; return its entry once names were read again."""
    home.pool.slots[WATERFALL].name = name
    await home.advance(330, step=30)
    return known(home, "switch", KEY)


async def test_a_name_changes(home: Home, pool: Pool) -> None:
    """Names are read every five minutes, and a new one is then shown at once."""
    before = known(home, "switch", KEY)
    assert home.state_of(before.entity_id).name == "Outputs Waterfall"
    for name, expected in (("Cascade", "Cascade"), ("", "Output 4")):
        after = await rename(home, name)
        assert (after.id, after.entity_id) == (before.id, before.entity_id)
        assert home.state_of(after.entity_id).name == f"Outputs {expected}"
        assert after.original_name == expected
    # A change of the wiring reads names at once.
    pool.slots[WATERFALL].name = "Geyser"
    await wire(home, 21, GENERAL_TOO)
    assert home.state_of(before.entity_id).name == "Outputs Geyser"


@pytest.mark.parametrize("name", ["Waterfall", ""])
async def test_another_kind_of_the_same_platform(
    home: Home, pool: Pool, name: str
) -> None:
    """Name and icon follow; identifiers and the user's settings stay."""

    def live() -> dict[str | None, Entity]:
        """Return the running switches by unique id."""
        entities = home.hass.data[DATA_DOMAIN_PLATFORM_ENTITIES]["switch", DOMAIN]
        return {entity.unique_id: entity for entity in entities.values()}

    before = await rename(home, name)
    registry = er.async_get(home.hass)
    registry.async_update_entity(before.entity_id, icon="mdi:star", labels={"mine"})
    assert before.translation_key == "general"
    entities = live()
    await wire(home, WATERFALL, OZONE)
    # All other slots keep their running entity.
    kept = {key for key, entity in live().items() if entities[key] is entity}
    assert {*entities} - kept == {before.unique_id}
    after = known(home, "switch", KEY)
    assert (after.id, after.entity_id) == (before.id, before.entity_id)
    assert after.translation_key == "ozone"
    # The output without a relay that is called "Ozone", too, is on another page.
    assert after.original_name == (name or "Ozone")
    assert home.state_of(after.entity_id).name == f"Outputs {name or 'Ozone'}"
    assert (after.icon, after.labels) == ("mdi:star", {"mine"})

    # It works, and each change is written once.
    await home.act("switch.turn_on", KEY)
    assert pool.relays[WATERFALL]
    assert home.value("switch", KEY) == "on"
    changes = home.follow("switch", KEY)
    pool.switch(WATERFALL, False)
    await home.advance(15)
    assert [state.state for state in changes] == ["off"]


@pytest.mark.usefixtures("pool")
async def test_another_platform_and_back(home: Home, subtests: pytest.Subtests) -> None:
    """It moves to the other platform and back, and goes when its output is removed."""
    before = known(home, "switch", KEY)
    for aux_type, domain, name in (
        (POOL_LIGHT, "light", "Waterfall"),
        (GAS_HEATER, "binary_sensor", "Output 4: Waterfall"),
        (PH_DOSER, "binary_sensor", "Output 4: Waterfall"),
    ):
        with subtests.test(domain, aux_type=aux_type):
            await wire(home, WATERFALL, aux_type)
            assert gone(home, "switch", KEY)
            assert home.hass.states.get(before.entity_id) is None
            assert known(home, domain, KEY).original_name == name
            await wire(home, WATERFALL, GENERAL)
            assert gone(home, domain, KEY)
            assert known(home, "switch", KEY).entity_id == before.entity_id
    await wire(home, WATERFALL, 0)
    assert gone(home, "switch", KEY)
    assert home.hass.states.get(before.entity_id) is None


async def test_an_expander_that_is_unplugged(home: Home, pool: Pool) -> None:
    """Its slots go. Slot 26 is virtual only with all 37 slots (protocol.md O2.4)."""
    known(home, "binary_sensor", "slot_26")
    await wire(home, 36, GENERAL)
    known(home, "switch", "slot_36")
    del pool.slots[36:]
    await home.advance(30, step=15)
    assert gone(home, "switch", "slot_36")
    assert gone(home, "binary_sensor", "slot_26")
    assert known(home, "switch", "slot_26").translation_key == "ozone"


async def test_a_new_slot_is_named_before_it_appears(home: Home, pool: Pool) -> None:
    """Its entity id comes from the name that its owner gave it, not from a number.

    Without a name, it appears without waiting for one.
    """
    for slot, name, end in ((FREE, "Slide", "_slide"), (FREE + 1, "", "")):
        assert not pool.slots[slot].aux_type
        await wire(home, slot, GENERAL, name)
        entry = known(home, "switch", f"slot_{slot}")
        assert entry.entity_id.endswith(end)
        assert entry.original_name == (name or f"Output {slot + 1}")


@pytest.mark.usefixtures("pool")
async def test_a_new_slot_appears_although_names_cannot_be_read(home: Home) -> None:
    home.controller.faults.on("garbage", "aux_names")
    await wire(home, FREE, GENERAL, "Slide")
    key = f"slot_{FREE}"
    assert known(home, "switch", key).original_name == f"Output {FREE + 1}"
    home.controller.faults.clear()
    await home.advance(330, step=30)
    assert known(home, "switch", key).original_name == "Slide"


async def test_what_changed_while_home_assistant_was_away(full: Home) -> None:
    """Remembered names are not used for new outputs."""
    slots = full.pool.slots
    await full.unload()
    slots[WATERFALL].aux_type, slots[WATERFALL].name = POOL_LIGHT, "Grotto"
    slots[FREE].aux_type, slots[FREE].name = GENERAL, "Slide"
    slots[21].aux_type = 0
    await full.restart()
    await full.advance(30, step=15)
    assert known(full, "light", KEY).entity_id.endswith("_grotto")
    new = known(full, "switch", f"slot_{FREE}")
    assert new.entity_id.endswith("_slide")
    for key in (KEY, "slot_21"):
        assert gone(full, "switch", key)


async def test_the_speed_of_a_pump_that_is_identified_late(home: Home) -> None:
    """After a restart of the controller its pump has no speed for a minute."""
    home.own(home.service.small)
    home.controller.restart()
    await home.set_up(home.controller)
    assert gone(home, "number", "pump_target_speed")
    home.clock.advance(60)
    await home.advance(330, step=30)
    entry = known(home, "number", "pump_target_speed")
    assert home.value("number", "pump_target_speed") == "75"

    # The next restart removes nothing, though the pump is again not identified.
    removed: list[Event] = async_capture_events(
        home.hass, er.EVENT_ENTITY_REGISTRY_UPDATED
    )
    home.controller.restart()
    await home.advance(330, step=30)
    assert known(home, "number", "pump_target_speed").id == entry.id
    assert "remove" not in {event.data["action"] for event in removed}
