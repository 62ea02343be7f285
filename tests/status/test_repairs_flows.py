"""Repair flows: rejected keys, empty drums, and addresses entered by hand."""

from typing import Any

from homeassistant.const import Platform
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.poolctl.network import addresses
from tests.status.test_repairs import PATIENCE, TEXTS, Repair, rejected, shown
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.names import Names

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.BINARY_SENSOR, Platform.SENSOR)


# --- A key that does not fit ---


async def test_a_rejected_key_heals_by_itself(small: Home) -> None:
    await rejected(small)
    issue = shown(small)["key_rejected"]
    assert issue.issue_id == f"key_rejected_{small.device().id}"
    assert issue.is_fixable
    assert issue.translation_placeholders == {"name": "Home pool"}
    # A controller that does not answer says nothing about the key.
    small.controller.faults.on("refuse")
    await small.advance(60, step=30)
    assert set(shown(small)) == {"key_rejected"}
    small.controller.faults.clear()
    await small.advance(60, step=30)
    assert not shown(small)
    # The next time the key is requested again: no issue before the cloud answers.
    small.cloud.faults.on("error_500", "envelope-key")
    small.controller.rotate_key(b"\xee" * 16)
    await small.advance(600, step=120)
    assert not shown(small)


async def test_an_account_without_the_key(small: Home) -> None:
    """The controller moves to another account, which has the key, and back again."""
    other = type(small.account)("eve@example.com", "demo", sub="user-2")
    other.sites, small.account.sites = small.account.sites, []
    small.cloud.accounts.append(other)
    small.controller.rotate_key(b"\xee" * 16)
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
    stored = small.stored
    assert stored["key"] == "ee" * 16


# --- Drums ---


@pytest.fixture
async def asked(home: Home) -> Home:
    """Set up the fully equipped pool with the option for repairs of drums."""
    home.own(home.service.full)
    await home.set_up(home.service.full, options={"drum_repairs": True})
    return home


@pytest.mark.parametrize("substance", ["acid", "chlorine"])
async def test_a_drum_nearly_empty(asked: Home, substance: str) -> None:
    """The issue follows the level, and its flow refills the simulated drum."""
    pool, key = asked.pool, f"{substance}_low"
    pool.settings[f"{substance}_remaining"] = 1500
    await asked.advance(30, step=15)
    assert not shown(asked)
    await asked.advance(PATIENCE[key], step=60)
    issue = shown(asked)[key]
    assert set(shown(asked)) == {key}
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["name"] == "Beach pool"
    amount, unit = issue.translation_placeholders["content"].split()
    assert 1 < float(amount) <= 1.5
    assert unit == "L"

    repair = await Repair(asked, key).start()
    asked.controller.faults.on("decline")
    assert (await repair.go())["errors"] == {"base": "failed"}
    asked.controller.faults.clear()
    assert pool.settings[f"{substance}_remaining"] <= 1500
    await repair.go()
    assert repair.repaired
    assert asked.pool.settings[f"{substance}_remaining"] == 20000
    await asked.advance(30, step=15)
    assert not shown(asked)


async def test_a_drum_refilled_in_the_app(asked: Home) -> None:
    """The issue stays while nothing answers, and goes once the drum is full."""
    asked.pool.settings["acid_remaining"] = 100
    await asked.advance(360, step=120)
    asked.disconnect()
    await asked.advance(300, step=30)
    assert set(shown(asked)) == {"acid_low"}
    repair = await Repair(asked, "acid_low").start()
    assert (await repair.go())["errors"] == {"base": "not_reached"}
    asked.reconnect()
    asked.pool.settings["acid_remaining"] = 20000
    await asked.advance(60, step=15)
    assert not shown(asked)


# --- An address typed by hand ---


async def type_address(home: Home) -> None:
    """Enter the controller's address by hand."""
    flow = await home.entry.start_reconfigure_flow(home.hass)
    flow = await home.answer(flow, {"next_step_id": "reconfigure_controller"})
    controller = home.controller
    address = {"host": controller.host, "port": controller.port}
    await home.answer(flow, {"device_id": controller.device_id, **address})
    await home.settle()
    assert home.stored["by_hand"]


async def moved(home: Home, **options: Any) -> None:
    """Enter an address by hand, then move the controller to another one."""
    home.own(home.service.small)
    await home.set_up(home.controller, options=options)
    await type_address(home)
    await home.controller.move("127.0.0.1")
    await home.advance(PATIENCE["address_lost"] - 60, step=30)
    assert not shown(home)
    await home.advance(150, step=30)


@pytest.mark.parametrize("connection", ["automatic", "lan"])
async def test_a_typed_address_that_leads_nowhere(home: Home, connection: str) -> None:
    """Wrong addresses are errors; the right one resolves the issue."""
    await moved(home, connection=connection)
    assert set(shown(home)) == {"address_lost"}
    repair = await Repair(home, "address_lost").start()
    assert repair.result["type"] is FlowResultType.MENU
    texts = TEXTS["address_lost"]["fix_flow"]["step"]["init"]["menu_options"]
    assert repair.result["menu_options"] == list(texts)
    result = await repair.go({"next_step_id": "address"})
    assert result["type"] is FlowResultType.FORM
    for port, error in (
        (1, "controller_not_found"),
        (home.service.full.port, "another_controller"),
    ):
        result = await repair.go({"host": " 127.0.0.1 ", "port": port})
        assert result["errors"] == {"host": error}
    await repair.go({"host": "127.0.0.1", "port": home.controller.port})
    assert repair.repaired
    assert not shown(home)
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
    assert set(shown(home)) == {"address_lost"}
    monkeypatch.setattr(addresses, "PORT", home.controller.port)
    names.addresses[home.controller.hostname] = "127.0.0.1"
    await repair.go()
    assert repair.repaired
    assert home.source == "lan"
    assert not home.stored["by_hand"]
    await home.advance(30, step=15)
    assert not shown(home)
