"""Repair flows: rejected keys, empty drums, and addresses entered by hand."""

from typing import Any

from homeassistant.const import Platform
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.poolctl.network import addresses
from tests.status.test_repairs import PATIENCE, TEXTS, Repair, rejected, shown
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.service import record
from tests.world.names import Names

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.BINARY_SENSOR, Platform.SENSOR)


# --- A key that does not fit ---


async def test_an_account_without_the_key(small: Home) -> None:
    """The controller moves to another account, which has the key, and back again."""
    small.cloud.faults.on("error_500", "envelope-key")
    small.controller.rotate_key(b"\xee" * 16)
    await small.advance(600, step=120)
    assert not shown(small), "not before the account answers"
    small.cloud.faults.clear()
    other = type(small.account)("eve@example.com", "demo", sub="user-2")
    other.sites, small.account.sites = small.account.sites, []
    small.cloud.accounts.append(other)
    await small.advance(600, step=120)
    repair = await Repair(small, "key_rejected").start()
    result = await repair.go()
    assert result["errors"] == {"base": "no_key"}
    small.account.sites, other.sites = other.sites, []
    await repair.go()
    assert repair.repaired
    assert not shown(small)
    await small.advance(30, step=15)
    assert small.source == "lan"


async def test_fetching_the_key_again(small: Home) -> None:
    """The key is still rejected, the cloud is not reached, then a new key is stored."""
    await rejected(small)
    repair = await Repair(small, "key_rejected").start()
    assert repair.result["description_placeholders"] == {"name": "Home pool"}
    assert (await repair.go())["errors"] == {"base": "still_rejected"}
    small.cloud.faults.on("error_500", "envelope-key")
    assert (await repair.go())["errors"] == {"base": "not_reached"}
    small.cloud.faults.clear()
    assert set(shown(small)) == {"key_rejected"}
    small.controller.faults.clear()
    small.controller.rotate_key(b"\xee" * 16)
    await repair.go()
    assert repair.repaired
    assert not shown(small)
    assert small.stored["key"] == "ee" * 16


# --- Drums ---


@pytest.mark.parametrize("substance", ["acid", "chlorine"])
async def test_a_drum_nearly_empty(home: Home, substance: str) -> None:
    """The issue stays while nothing answers, and its flow refills the drum."""
    home.own(home.service.full)
    await home.set_up(home.controller, options={"drum_repairs": True})
    key, level = f"{substance}_low", f"{substance}_remaining"
    home.pool.settings[level] = 1500
    await home.advance(30, step=15)
    assert not shown(home)
    await home.advance(PATIENCE[key], step=60)
    assert set(shown(home)) == {key}
    placeholders = shown(home)[key].translation_placeholders or {}
    assert placeholders["name"] == "Beach pool"
    amount, unit = placeholders["content"].split()
    assert 1 < float(amount) <= 1.5
    assert unit == "L"

    home.disconnect()
    await home.advance(300, step=30)
    assert set(shown(home)) == {key}
    repair = await Repair(home, key).start()
    assert (await repair.go())["errors"] == {"base": "not_reached"}
    home.reconnect()
    home.controller.faults.on("decline")
    assert (await repair.go())["errors"] == {"base": "failed"}
    home.controller.faults.clear()
    assert home.pool.settings[level] <= 1500
    await repair.go()
    assert repair.repaired
    assert home.pool.settings[level] == 20000
    await home.advance(60, step=15)
    assert not shown(home)


# --- An address typed by hand ---


async def moved(home: Home, **options: Any) -> None:
    """Move a controller away from an address that was typed by hand."""
    home.own(home.service.small)
    typed = {home.controller.device_id: record(home.controller, by_hand=True)}
    await home.set_up(controllers=typed, options=options)
    await home.controller.move("127.0.0.1")
    await home.advance(PATIENCE["address_lost"] - 60, step=30)
    assert not shown(home)
    await home.advance(150, step=30)
    assert set(shown(home)) == {"address_lost"}


@pytest.mark.parametrize("connection", ["automatic", "lan"])
async def test_a_typed_address_that_leads_nowhere(home: Home, connection: str) -> None:
    """Wrong addresses are errors; the right one resolves the issue."""
    await moved(home, connection=connection)
    repair = await Repair(home, "address_lost").start()
    assert repair.result["type"] is FlowResultType.MENU
    texts = TEXTS["address_lost"]["fix_flow"]["step"]["init"]["menu_options"]
    assert repair.result["menu_options"] == list(texts)
    result = await repair.go({"next_step_id": "address"})
    assert result["type"] is FlowResultType.FORM
    result = await repair.go({"host": "127.0.0.1", "port": home.service.full.port})
    assert result["errors"] == {"host": "another_controller"}
    await repair.go({"host": "127.0.0.1", "port": home.controller.port})
    assert repair.repaired
    await home.advance(60, step=15)
    assert home.source == "lan"
    assert not shown(home)
    assert home.stored["by_hand"]


async def test_a_search_for_the_controller(
    home: Home, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later search finds it by host name, in place of the address entered by hand."""
    await moved(home)
    repair = await Repair(home, "address_lost").start()
    result = await repair.go({"next_step_id": "search"})
    assert result["step_id"] == "search"
    assert (await repair.go())["errors"] == {"base": "not_found"}
    monkeypatch.setattr(addresses, "PORT", home.controller.port)
    names.addresses[home.controller.hostname] = "127.0.0.1"
    await repair.go()
    assert repair.repaired
    assert home.source == "lan"
    assert not home.stored["by_hand"]
    await home.advance(30, step=15)
    assert not shown(home)
