"""One bad record, in `entry.data` or in the store, never stops the others."""

from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import Platform
from homeassistant.helpers import device_registry as dr
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.status.test_repairs import shown
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.service import record
from tests.world.simulator import Controller

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.SENSOR)


def left_out(home: Home) -> str:
    """Return the names of the controllers in the repair about left-out ones."""
    issue = shown(home).get("controllers_left_out")
    return ((issue and issue.translation_placeholders) or {}).get("names", "")


BAD: tuple[Any, ...] = (
    {},
    [],
    None,
    "a newer form",
    {"name": None},
    {"mac": 7},
    {"device_id": "AA_BB_CC_00_00_09"},
)


async def test_bad_records(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """Every bad record is left out, and the controllers with good ones work."""
    good = {each.device_id: record(each) for each in home.service.controllers}
    full = home.service.full
    bad: dict[str, Any] = {}
    for number, changes in enumerate(BAD):
        other = Controller(device_id=f"AA_BB_CC_00_01_{number:02}", clock=home.clock)
        home.account.sites[1].controllers.append(other)
        # Apart from the changes, it is the record of a working controller.
        own = {"device_id": other.device_id, "mac": other.mac}
        odd = isinstance(changes, dict) and changes
        bad[other.device_id] = record(full, **own | changes) if odd else changes
    caplog.clear()
    entry = await home.set_up(controllers=good | bad)
    assert entry.state is ConfigEntryState.LOADED
    assert home.value("sensor", "connection") == "lan"
    assert home.value("sensor", "connection", of=full) == "lan"
    assert left_out(home) == ", ".join(bad)
    assert f"{len(BAD)} pool controllers were left out" in caplog.text
    assert full.key.hex() not in caplog.text
    # Kept as they are, over inventories and restarts.
    await home.advance(3700, step=3700)
    await home.restart()
    kept = entry.data["controllers"]
    assert {key: kept[key] for key in bad} == bad
    assert home.value("sensor", "connection") == "lan"

    await home.hass.config_entries.async_remove(entry.entry_id)
    assert not left_out(home)


@pytest.mark.parametrize(
    "changes", [{"port": "high"}, {"host": ["127.0.0.1"]}, {"key": "not a key"}]
)
async def test_an_odd_address_or_key_is_lost_alone(
    home: Home, changes: dict[str, object]
) -> None:
    """What can be found or fetched again does not leave a controller out."""
    full = home.service.full
    await home.set_up(controllers={full.device_id: {**record(full), **changes}})
    assert home.value("sensor", "connection", of=full) in {"lan", "cloud"}
    assert not left_out(home)


async def test_only_bad_records(home: Home) -> None:
    """Another controller of the account is still added."""
    stored = {home.service.full.device_id: None}
    entry = await home.set_up(controllers=stored)
    assert entry.state is ConfigEntryState.LOADED
    assert home.value("sensor", "connection") == "cloud"


async def test_a_device_that_cannot_be_registered(home: Home) -> None:
    """A controller is left out while another device has its MAC address."""
    small, full = home.service.controllers
    entry = home.service.entry(small, full)
    entry.add_to_hass(home.hass)
    registry = dr.async_get(home.hass)
    for identifier, mac in (("other", "0e0000000001"), (full.device_id, None)):
        registry.async_get_or_create(
            config_entry_id=entry.entry_id,
            identifiers={(DOMAIN, identifier)},
            connections={(dr.CONNECTION_NETWORK_MAC, mac)} if mac else set(),
            name="Beach",
        )
    kept = record(full, mac="0e:00:00:00:00:01")
    controllers = {**entry.data["controllers"], full.device_id: kept}
    home.hass.config_entries.async_update_entry(
        entry, data={**entry.data, "controllers": controllers}
    )
    home.entry = entry
    await home.start()
    assert entry.state is ConfigEntryState.LOADED
    assert home.value("sensor", "connection") == "lan"
    assert left_out(home) == "Beach"
    assert entry.data["controllers"][full.device_id]["mac"] == kept["mac"]
    other = registry.async_get_device_by_identifier((DOMAIN, "other"), entry.entry_id)
    assert other is not None
    registry.async_remove_device(other.id)
    await home.restart()
    assert not left_out(home)
    assert home.value("sensor", "connection", of=full) == "lan"
