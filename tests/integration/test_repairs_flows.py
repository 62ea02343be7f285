"""What a person settles by the flow of an issue: keys, drums, typed addresses."""

from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.upkeep import recovery

from .conftest import Names, Service, advance, settle, value
from .test_repairs import PATIENCE, TEXTS, Repair, rejected, shown

pytestmark = pytest.mark.usefixtures("freezer")


# --- A key that does not fit ---


async def test_a_rejected_key_heals_by_itself(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    await rejected(hass, service, freezer)
    issue = shown(hass)["key_rejected"]
    device_id = small.runtime_data.controllers[service.small.device_id].registered_id
    assert issue.issue_id == f"key_rejected_{device_id}"
    assert issue.is_fixable
    assert issue.translation_placeholders == {"name": "Home pool"}
    # Silence says nothing about the key.
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=30)
    assert set(shown(hass)) == {"key_rejected"}
    service.small.faults.clear()
    await advance(hass, service, freezer, 60, step=30)
    assert not shown(hass)
    # The next time the account is asked anew, and has not answered yet.
    service.cloud.faults.on("error_500", "envelope-key")
    service.small.rotate_key(b"\xee" * 16)
    await advance(hass, service, freezer, 600, step=30)
    assert not shown(hass)


async def test_a_key_that_the_account_can_renew_is_no_issue(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """While the cloud is away it may still be about to help."""
    service.cloud.faults.on("error_500", "envelope-key")
    service.small.rotate_key(b"\xee" * 16)
    await advance(hass, service, freezer, 900, step=30)
    assert not shown(hass)
    service.cloud.faults.clear()
    await advance(hass, service, freezer, 360, step=30)
    assert value(hass, "sensor", service.small, "connection") == "lan"
    assert not shown(hass)


async def test_an_account_without_the_key(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """A controller given to somebody else, and the account back in its rights."""
    other = type(service.account)("eve@example.com", "demo", sub="user-2")
    other.sites, service.account.sites = service.account.sites, []
    service.cloud.accounts.append(other)
    service.small.rotate_key(b"\xee" * 16)
    await advance(hass, service, freezer, 600, step=30)
    repair = await Repair(hass, service, freezer, "key_rejected").start()
    result = await repair.go()
    assert result["errors"] == {"base": "no_key"}
    service.account.sites, other.sites = other.sites, []
    await repair.go()
    assert repair.repaired
    assert not shown(hass)
    await advance(hass, service, freezer, 30, step=15)
    assert value(hass, "sensor", service.small, "connection") == "lan"


async def test_fetching_the_key_again(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """In vain, in a bad moment, and with success: with what the account has then."""
    await rejected(hass, service, freezer)
    repair = await Repair(hass, service, freezer, "key_rejected").start()
    assert repair.result["description_placeholders"] == {"name": "Home pool"}
    assert (await repair.go())["errors"] == {"base": "still_rejected"}
    service.cloud.faults.on("error_500", "envelope-key")
    assert (await repair.go())["errors"] == {"base": "not_reached"}
    service.cloud.faults.clear()
    assert set(shown(hass)) == {"key_rejected"}
    service.small.faults.clear()
    service.small.rotate_key(b"\xee" * 16)
    await repair.go()
    assert repair.repaired
    assert not shown(hass)
    stored = small.data["controllers"][service.small.device_id]
    assert stored["key"] == "ee" * 16


# --- Drums ---


@pytest.mark.parametrize("substance", ["acid", "chlorine"])
async def test_a_drum_nearly_empty(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    substance: str,
) -> None:
    """As its binary sensor says; refilled through the flow, down to the simulator."""
    pool, key = service.full.pool, f"{substance}_low"
    pool.settings[f"{substance}_remaining"] = 1500
    await advance(hass, service, freezer, 30, step=15)
    assert value(hass, "binary_sensor", service.full, key) == "on"
    assert not shown(hass)
    await advance(hass, service, freezer, PATIENCE[key], step=30)
    issue = shown(hass)[key]
    assert set(shown(hass)) == {key}
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["name"] == "Beach pool"
    assert 1 < float(issue.translation_placeholders["litres"]) <= 1.5

    repair = await Repair(hass, service, freezer, key).start()
    service.full.faults.on("decline")
    assert (await repair.go())["errors"] == {"base": "failed"}
    service.full.faults.clear()
    assert pool.settings[f"{substance}_remaining"] <= 1500
    await repair.go()
    assert repair.repaired
    assert service.full.pool.settings[f"{substance}_remaining"] == 20000
    await advance(hass, service, freezer, 30, step=15)
    assert value(hass, "binary_sensor", service.full, key) == "off"
    assert not shown(hass)


async def test_a_drum_without_a_doser(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Nobody needs what is in it."""
    service.small.pool.settings |= {"acid_drum": 20000, "acid_remaining": 0}
    await advance(hass, service, freezer, 600, step=30)
    known = small.runtime_data.controllers[service.small.device_id].data.configuration
    assert (known.acid_drum_ml, known.acid_remaining_ml) == (20000, 0)
    assert not shown(hass)


async def test_a_drum_refilled_in_the_app(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """While nothing answers it stays as it was."""
    service.full.pool.settings["acid_remaining"] = 100
    await advance(hass, service, freezer, 360, step=30)
    service.full.faults.on("refuse")
    service.cloud.faults.on("refuse")
    await advance(hass, service, freezer, 300, step=30)
    assert set(shown(hass)) == {"acid_low"}
    repair = await Repair(hass, service, freezer, "acid_low").start()
    assert (await repair.go())["errors"] == {"base": "not_reached"}
    service.full.faults.clear()
    service.cloud.faults.clear()
    service.full.pool.settings["acid_remaining"] = 20000
    await advance(hass, service, freezer, 60, step=15)
    assert not shown(hass)


# --- An address typed by hand ---


async def moved(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    **options: Any,
) -> MockConfigEntry:
    """Type an address by hand, then have the controller leave it."""
    service.account.sites = service.account.sites[:1]
    entry = service.entry(service.small)
    entry.add_to_hass(hass)
    hass.config_entries.async_update_entry(entry, options=options)
    hass.async_create_task(hass.config_entries.async_setup(entry.entry_id))
    await settle(hass, service)
    coordinator = entry.runtime_data.controllers[service.small.device_id]
    await coordinator.recovery.async_adopt_address(
        service.small.host, service.small.port
    )
    assert entry.data["controllers"][service.small.device_id]["by_hand"]
    await service.small.move("127.0.0.1")
    await advance(hass, service, freezer, PATIENCE["address_lost"] - 60, step=30)
    assert not shown(hass)
    await advance(hass, service, freezer, 150, step=30)
    return entry


@pytest.mark.parametrize("connection", ["automatic", "lan"])
async def test_a_typed_address_that_leads_nowhere(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
    connection: str,
) -> None:
    """Wrong ones are told, the right one settles it."""
    entry = await moved(hass, service, freezer, connection=connection)
    assert set(shown(hass)) == {"address_lost"}
    repair = await Repair(hass, service, freezer, "address_lost").start()
    assert repair.result["type"] is FlowResultType.MENU
    texts = TEXTS["address_lost"]["fix_flow"]["step"]["init"]["menu_options"]
    assert repair.result["menu_options"] == list(texts)
    result = await repair.go({"next_step_id": "address"})
    assert result["type"] is FlowResultType.FORM
    for port, error in (
        (1, "controller_not_found"),
        (service.full.port, "another_controller"),
    ):
        result = await repair.go({"host": " 127.0.0.1 ", "port": port})
        assert result["errors"] == {"host": error}
    await repair.go({"host": "127.0.0.1", "port": service.small.port})
    assert repair.repaired
    assert not shown(hass)
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", service.small, "connection") == "lan"
    assert not shown(hass)
    assert entry.data["controllers"][service.small.device_id]["by_hand"]


async def test_a_search_for_the_controller(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
    names: Names,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In vain, then by its name; from then on the address is the network's."""
    entry = await moved(hass, service, freezer)
    repair = await Repair(hass, service, freezer, "address_lost").start()
    result = await repair.go({"next_step_id": "search"})
    assert result["step_id"] == "search"
    assert (await repair.go())["errors"] == {"base": "not_found"}
    assert set(shown(hass)) == {"address_lost"}
    monkeypatch.setattr(recovery, "PORT", service.small.port)
    names.addresses[service.small.hostname] = "127.0.0.1"
    await repair.go()
    assert repair.repaired
    assert value(hass, "sensor", service.small, "connection") == "lan"
    assert not entry.data["controllers"][service.small.device_id]["by_hand"]
    await advance(hass, service, freezer, 30, step=15)
    assert not shown(hass)


async def test_a_typed_address_that_answers_again(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    entry = await moved(hass, service, freezer)
    port = entry.data["controllers"][service.small.device_id]["port"]
    await service.small.move("127.0.0.1", port)
    await advance(hass, service, freezer, 60, step=30)
    assert not shown(hass)


async def test_a_controller_that_is_off_has_not_moved(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The cloud does not reach it either."""
    coordinator = small.runtime_data.controllers[service.small.device_id]
    await coordinator.recovery.async_adopt_address(
        service.small.host, service.small.port
    )
    await service.small.stop()
    await advance(hass, service, freezer, 1800, step=30)
    assert not shown(hass)


async def test_an_address_that_was_found_is_no_issue(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 1200, step=30)
    assert not shown(hass)
