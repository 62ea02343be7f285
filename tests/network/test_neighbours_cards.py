"""Cards of announced controllers, as a user sees them: H2, H3 and L12."""

from dataclasses import replace

from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import device_registry as dr
import pytest

from tests.flow.test_config_flow import discover, hear
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.assistant.service import record
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.visitors import Announcement, crowd, under_another_mac

pytestmark = pytest.mark.usefixtures("current_request_with_host")

ACTING = ("](", "![", "<", ">", "://", "`", "*", "@", "www.")
"""Characters with which a text would be a link, an image or markup in a dialog."""


@pytest.mark.row("H2")
async def test_nothing_is_stored_with_a_new_account(
    home: Home, sign_in: SignIn
) -> None:
    """Address, MAC and firmware of a false announcement are not stored."""
    lie = replace(under_another_mac(home.controller, "0e0000000001"), port=1)
    flow = await hear(home, lie)
    flow = await home.answer(flow, {"url": home.cloud.base_url})
    result = await sign_in(flow)
    await home.hass.async_block_till_done(wait_background_tasks=True)
    home.entry = result["result"]
    stored = result["result"].data["controllers"][home.controller.device_id]
    assert stored["mac"] == record(home.controller)["mac"]
    assert (stored["host"], stored["firmware"]) == (None, None)
    assert not home.flows
    assert home.value("sensor", "connection") == "cloud"


@pytest.mark.row("L12")
async def test_a_second_interface(home: Home, sign_in: SignIn) -> None:
    """There is no second card, the LAN works, and both MAC addresses are recognised."""
    home.own(home.service.small)
    home.controller.dialects.add(Dialect.SECOND_INTERFACE)
    flow = await discover(home, home.controller)
    flow = await home.answer(flow, {"url": home.cloud.base_url})
    result = await sign_in(flow)
    await home.hass.async_block_till_done()
    home.entry = result["result"]
    assert home.source == "lan"
    assert not home.flows
    assert home.stored["mac"].replace(":", "") == home.controller.announced_mac
    assert home.stored["firmware"] == home.controller.firmware
    connection = (dr.CONNECTION_NETWORK_MAC, home.stored["mac"])
    assert connection in home.device().connections
    for changes in ({}, {"mac": home.controller.mac}):
        result = await discover(home, home.controller, **changes)
        assert result["reason"] == "already_configured"


@pytest.mark.row("L12")
async def test_one_card_for_two_interfaces(home: Home) -> None:
    await discover(home, home.controller)
    home.controller.dialects.add(Dialect.SECOND_INTERFACE)
    result = await discover(home, home.controller)
    assert result["reason"] == "already_in_progress"
    assert len(home.flows) == 1


async def test_our_mac_under_another_identifier(home: Home, sign_in: SignIn) -> None:
    """If another device announces it first, the true card is still shown and works."""
    home.own(home.service.small)
    true = Announcement.of(home.controller)
    await hear(home, replace(true, device_id="0E_00_00_00_00_01", name="liar", port=1))
    flow = await hear(home, true)
    assert flow["type"] is FlowResultType.FORM
    assert len(home.flows) == 2
    flow = await home.answer(flow, {"url": home.cloud.base_url})
    home.entry = (await sign_in(flow))["result"]
    await home.settle()
    assert home.source == "lan"
    assert not home.flows


@pytest.mark.row("H3")
async def test_a_crowd(home: Home) -> None:
    """There are 20 cards at most, and no text of theirs acts."""
    flows = [await hear(home, announcement) for announcement in crowd(104)]
    assert flows[0]["type"] is FlowResultType.FORM
    placeholders = flows[0]["description_placeholders"] or {}
    texts = [placeholders[name] for name in ("name", "firmware")]
    assert all(0 < len(text) <= 64 for text in texts)
    assert len(home.flows) == 20
    texts += [flow["context"]["title_placeholders"]["name"] for flow in home.flows]
    assert not [mark for mark in ACTING if any(mark in text for text in texts)]
