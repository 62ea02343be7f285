"""Slots that are reassigned, renamed, removed or new while Home Assistant runs."""

from collections.abc import AsyncGenerator, Awaitable, Callable

from homeassistant.core import Event
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import DATA_DOMAIN_PLATFORM_ENTITIES
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller, Pool

from .home import Home

pytestmark = pytest.mark.usefixtures("quick")

WATERFALL = 3
"""A general output of the full pool."""
KEY = f"slot_{WATERFALL}"
FREE = 22
"""A slot with nothing wired to it."""
GENERAL, OZONE, POOL_LIGHT, GAS_HEATER, PH_DOSER = 1, 10, 13, 2, 6

type Poll = Callable[..., Awaitable[None]]


def entry_of(
    home: Home, domain: str, controller: Controller, key: str
) -> er.RegistryEntry | None:
    """Return what the registry knows of an entity."""
    registry = er.async_get(home.hass)
    unique_id = f"{controller.device_id}_{key}"
    found = registry.async_get_entity_id(domain, DOMAIN, unique_id)
    return registry.async_get(found) if found else None


def known(
    home: Home, domain: str, controller: Controller, key: str
) -> er.RegistryEntry:
    """Return the same of one that must be there, and live."""
    found = entry_of(home, domain, controller, key)
    assert found is not None, f"no {domain} {key}"
    state = home.hass.states.get(found.entity_id)
    assert state is not None
    assert state.state != "unavailable"
    return found


def gone(home: Home, domain: str, controller: Controller, key: str) -> bool:
    """Tell whether nothing is left of an entity."""
    left = {f"{controller.device_id}_{key}"}
    entities = home.hass.data[DATA_DOMAIN_PLATFORM_ENTITIES].get((domain, DOMAIN), {})
    return entry_of(home, domain, controller, key) is None and left.isdisjoint(
        entity.unique_id for entity in entities.values()
    )


def name_of(home: Home) -> str:
    """Return the name a person sees."""
    state = home.hass.states.get(home.entry.entity_id)
    assert state is not None
    return state.name


def identities(home: Home) -> dict[str, str]:
    """Return the identifiers of all entities, by their place in the registry."""
    found = home.entities()
    return {entity.id: f"{entity.entity_id} {entity.unique_id}" for entity in found}


@pytest.fixture
def poll(home: Home) -> Poll:
    """Return what lets a poll go by, or more time."""

    async def go(seconds: float = 15) -> None:
        await home.advance(seconds, step=15)

    return go


@pytest.fixture
async def pool(full: Home) -> AsyncGenerator[Pool]:
    """Set up the full pool; all else of it must stay, and without a reload."""
    account, before = full.entry.runtime_data, identities(full)
    yield full.pool
    assert full.entry.runtime_data is account
    after = identities(full)
    changed = f"_{KEY}", "_slot_26", "_slot_36"
    for place, identity in before.items():
        if place not in after:
            assert identity.endswith(changed), f"{identity} is gone"
        else:
            assert after[place] == identity


async def test_a_name_changes(home: Home, pool: Pool, poll: Poll) -> None:
    """It is read every five minutes, and then shown at once."""
    before = known(home, "switch", home.service.full, KEY)
    assert name_of(home) == "Beach pool Waterfall"
    pool.slots[WATERFALL].name = "Cascade"
    await poll(315)
    after = known(home, "switch", home.service.full, KEY)
    assert (after.id, after.entity_id) == (before.id, before.entity_id)
    assert name_of(home) == "Beach pool Cascade"
    assert after.original_name == "Cascade"

    pool.slots[WATERFALL].name = ""
    await poll(315)
    after = known(home, "switch", home.service.full, KEY)
    assert name_of(home) == "Beach pool Output 4"
    assert after.original_name == "Output 4"


async def test_a_change_of_the_wiring_reads_names_at_once(
    home: Home, pool: Pool, poll: Poll
) -> None:
    pool.slots[WATERFALL].name = "Cascade"
    pool.slots[21].aux_type = 25
    await poll()
    entry = known(home, "switch", home.service.full, KEY)
    assert name_of(home) == "Beach pool Cascade"


@pytest.mark.parametrize("name", ["Waterfall", ""])
async def test_another_kind_of_the_same_platform(
    home: Home, pool: Pool, poll: Poll, name: str
) -> None:
    """Its name and icon follow, its identifiers and a person's settings stay."""
    pool.slots[WATERFALL].name = name
    await poll(315)
    registry = er.async_get(home.hass)
    before = known(home, "switch", home.service.full, KEY)
    registry.async_update_entity(before.entity_id, icon="mdi:star", labels={"mine"})
    assert before.translation_key == "general"
    pool.slots[WATERFALL].aux_type = OZONE
    await poll()
    after = known(home, "switch", home.service.full, KEY)
    assert (after.id, after.entity_id) == (before.id, before.entity_id)
    assert after.translation_key == "ozone"
    assert after.original_name == (name or "Ozone")
    assert name_of(home) == f"Beach pool {name or 'Ozone'}"
    assert (after.icon, after.labels) == ("mdi:star", {"mine"})

    # It works, and it is the only one that does.
    await home.hass.services.async_call(
        "switch", "turn_on", {"entity_id": after.entity_id}, blocking=True
    )
    assert pool.relays[WATERFALL]
    assert home.value("switch", KEY, of=home.service.full) == "on"
    changes = async_capture_events(home.hass, "state_changed")
    pool.switch(WATERFALL, False)
    await poll()
    seen = [e for e in changes if e.data["entity_id"] == after.entity_id]
    assert [e.data["new_state"].state for e in seen] == ["off"]


async def test_a_disabled_entity_of_another_kind(full: Home, poll: Poll) -> None:
    """It stays disabled, and is the new kind when it is enabled."""
    registry = er.async_get(full.hass)
    before = known(full, "switch", KEY)
    registry.async_update_entity(
        before.entity_id, disabled_by=er.RegistryEntryDisabler.USER
    )
    await full.restart()
    full.pool.slots[WATERFALL].aux_type = OZONE
    await poll()
    after = entry_of(full, "switch", KEY)
    assert after is not None
    assert (after.id, after.translation_key) == (before.id, "ozone")
    assert after.disabled
    assert full.hass.states.get(after.entity_id) is None


@pytest.mark.parametrize(
    ("aux_type", "domain"),
    [(POOL_LIGHT, "light"), (GAS_HEATER, "binary_sensor"), (PH_DOSER, "binary_sensor")],
)
async def test_another_platform_and_back(
    home: Home, pool: Pool, poll: Poll, aux_type: int, domain: str
) -> None:
    """It goes in one and appears in the other."""
    before = known(home, "switch", home.service.full, KEY)
    pool.slots[WATERFALL].aux_type = aux_type
    await poll()
    assert gone(home, "switch", home.service.full, KEY)
    assert home.hass.states.get(before.entity_id) is None
    other = known(home, domain, home.service.full, KEY)
    assert name_of(home) == "Beach pool Waterfall"

    pool.slots[WATERFALL].aux_type = GENERAL
    await poll()
    assert gone(home, domain, home.service.full, KEY)
    assert known(home, "switch", home.service.full, KEY).entity_id == before.entity_id


async def test_from_one_firmware_run_kind_to_another(
    home: Home, pool: Pool, poll: Poll
) -> None:
    pool.slots[WATERFALL].aux_type = GAS_HEATER
    await poll()
    before = known(home, "binary_sensor", home.service.full, KEY)
    assert before.translation_key == "heating_output"
    pool.slots[WATERFALL].aux_type = PH_DOSER
    await poll()
    after = known(home, "binary_sensor", home.service.full, KEY)
    assert (after.id, after.translation_key) == (before.id, "dosing_output")
    state = home.hass.states.get(after.entity_id)
    assert state is not None
    assert state.attributes["reason"] == "dosing"


async def test_a_slot_that_is_removed(home: Home, pool: Pool, poll: Poll) -> None:
    before = known(home, "switch", home.service.full, KEY)
    pool.slots[WATERFALL].aux_type = 0
    await poll()
    assert gone(home, "switch", home.service.full, KEY)
    assert home.hass.states.get(before.entity_id) is None


async def test_an_expander_that_is_unplugged(
    home: Home, pool: Pool, poll: Poll
) -> None:
    """Its slots go. Slot 26 is virtual only where there are all 37 (layouts.md 2.4)."""
    known(home, "binary_sensor", home.service.full, "slot_26")
    pool.slots[36].aux_type = GENERAL
    await poll()
    known(home, "switch", home.service.full, "slot_36")
    del pool.slots[36:]
    await poll()
    assert gone(home, "switch", home.service.full, "slot_36")
    assert gone(home, "binary_sensor", home.service.full, "slot_26")
    assert (
        known(home, "switch", home.service.full, "slot_26").translation_key == "ozone"
    )


async def test_a_new_slot_is_named_before_it_appears(
    home: Home, pool: Pool, poll: Poll
) -> None:
    """Its identifier is made of the name its owner gave it, not of a number."""
    key = f"slot_{FREE}"
    pool.slots[FREE].aux_type, pool.slots[FREE].name = GENERAL, "Slide"
    await poll()
    entry = known(home, "switch", home.service.full, key)
    assert entry.entity_id.endswith("_slide")
    assert entry.original_name == "Slide"


async def test_a_new_slot_whose_name_is_no_news(
    home: Home, pool: Pool, poll: Poll
) -> None:
    """It does not wait for a change of the names that never comes."""
    pool.slots[FREE].aux_type = GENERAL
    await poll()
    entry = known(home, "switch", home.service.full, f"slot_{FREE}")
    assert entry.original_name == f"Output {FREE + 1}"


async def test_a_new_slot_appears_although_names_cannot_be_read(
    home: Home, pool: Pool, poll: Poll
) -> None:
    home.service.full.faults.on("garbage", "aux_names")
    pool.slots[FREE].aux_type, pool.slots[FREE].name = GENERAL, "Slide"
    await poll()
    entry = known(home, "switch", home.service.full, f"slot_{FREE}")
    assert entry.original_name == f"Output {FREE + 1}"
    home.service.full.faults.clear()
    await poll(315)
    entry = known(home, "switch", home.service.full, f"slot_{FREE}")
    assert entry.original_name == "Slide"


async def test_what_changed_while_home_assistant_was_away(full: Home) -> None:
    """Remembered names do not name what is new."""
    slots = full.pool.slots
    full.hass.async_create_task(
        full.hass.config_entries.async_unload(full.entry.entry_id)
    )
    await full.settle()
    slots[WATERFALL].aux_type, slots[WATERFALL].name = POOL_LIGHT, "Grotto"
    slots[FREE].aux_type, slots[FREE].name = GENERAL, "Slide"
    slots[21].aux_type = 0
    await full.restart()
    assert known(full, "light", KEY).entity_id.endswith("_grotto")
    new = known(full, "switch", f"slot_{FREE}")
    assert new.entity_id.endswith("_slide")
    for key in (KEY, "slot_21"):
        assert gone(full, "switch", key)


async def test_nothing_goes_while_only_the_cloud_answers(
    home: Home, pool: Pool, poll: Poll
) -> None:
    """It lists neither dosers nor heaters: what it does not list may still be there."""
    before = known(home, "binary_sensor", home.service.full, "slot_6")
    home.service.full.faults.on("refuse")
    await poll(120)
    assert home.value("sensor", "connection", of=home.service.full) == "cloud"
    assert known(home, "binary_sensor", home.service.full, "slot_6").id == before.id


async def test_the_speed_of_a_pump_that_is_identified_late(
    home: Home, poll: Poll
) -> None:
    """After a restart of the controller its pump has no speed for a minute."""
    home.own(home.service.small)
    home.controller.restart()
    await home.set_up(home.controller)
    assert gone(home, "number", "pump_speed")
    home.clock.advance(60)
    await poll(315)
    entry = known(home, "number", "pump_speed")
    assert home.value("number", "pump_speed") == "75"

    # The next restart takes nothing away, though the pump is again not identified.
    removed: list[Event] = async_capture_events(
        home.hass, er.EVENT_ENTITY_REGISTRY_UPDATED
    )
    home.controller.restart()
    await poll(315)
    assert known(home, "number", "pump_speed").id == entry.id
    assert "remove" not in {event.data["action"] for event in removed}
