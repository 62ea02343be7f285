"""Other devices on the network are not trusted: rows H1 to H4, and L12."""

from dataclasses import replace
from unittest.mock import patch

from homeassistant.config_entries import SOURCE_DHCP, ConfigEntryState
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.service_info.dhcp import DhcpServiceInfo
import pytest

from custom_components.poolctl.client.lan import LanClient
from custom_components.poolctl.client.pool.queries import QUERIES
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.network import addresses
from custom_components.poolctl.network.proof import Proof
from custom_components.poolctl.network.recovery import Recovery
from tests.flow.test_config_flow import discover, hear
from tests.network.test_neighbours_cards import ACTING
from tests.world.assistant.home import Home
from tests.world.assistant.service import record
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.visitors import (
    Announcement,
    Replayer,
    lure,
    under_another_mac,
)

pytestmark = pytest.mark.usefixtures("freezer")


async def lose(home: Home) -> None:
    """Take the controller off the LAN, so that the cloud is read."""
    home.controller.faults.on("refuse")
    await home.advance(30, step=15)
    assert home.source == "cloud"


# H1: replayed frames


@pytest.mark.row("H1")
@pytest.mark.parametrize("typed", [False, True])
async def test_an_address_that_is_never_left(
    home: Home, replayer: Replayer, typed: bool
) -> None:
    """One that works, or was typed: not even for frames newer than any received."""
    home.own(home.service.small)
    await home.set_up_with(by_hand=typed)
    if typed:
        await lose(home)
    before = dict(home.stored)
    for _ in range(4):
        replayer.listen_to(home.controller, 4)
        await hear(home, replayer.announces(home.controller))
        await home.advance(60, step=15)
    assert home.stored == before
    assert not replayer.connections
    home.controller.faults.clear()
    await home.advance(30)
    assert home.source == "lan"


async def test_the_known_address_is_back_before_another_is_proved(
    small: Home, replayer: Replayer
) -> None:
    (coordinator,) = small.entry.runtime_data.controllers.values()
    await lose(small)
    before, proved = dict(small.stored), []

    async def verify(proof: Proof, lan: LanClient) -> None:
        coordinator.controller.paths.lan_answered()
        proved.append(lan.host)

    with patch.object(Proof, "async_verify", verify):
        await hear(small, replayer.announces(small.controller))
        await small.advance(60, step=15)
    assert proved and small.stored == before


@pytest.mark.row("H1")
@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("frames", [1, 5])
async def test_frames_at_a_new_address(
    small: Home, replayer: Replayer, frames: int, fresh: bool
) -> None:
    """Old ones and new ones, one or many, prove nothing: they do not answer a query."""
    if not fresh:
        replayer.listen_to(small.controller, frames)
        await small.advance(30, step=15)
    await lose(small)
    if fresh:
        replayer.listen_to(small.controller, frames)
    before = dict(small.stored)
    await hear(small, replayer.announces(small.controller))
    await small.advance(300, step=30)
    assert replayer.connections
    assert small.stored == before
    assert small.source == "cloud"
    await small.restart()
    assert small.stored == before
    small.controller.faults.clear()
    await small.advance(60, step=30)
    assert small.source == "lan"


@pytest.mark.row("H1")
async def test_a_controller_that_moved_and_restarted(small: Home) -> None:
    """Frames that count from zero look like a recording: a user enters the address."""
    await small.advance(60, step=15)
    small.controller.restart(counter=0)
    await small.controller.move("127.0.0.1")
    await discover(small, small.controller)
    await small.advance(120, step=15)
    assert small.stored["port"] != small.controller.port
    coordinator = small.entry.runtime_data.controllers[small.controller.device_id]
    await coordinator.recovery.async_adopt_address("127.0.0.1", small.controller.port)
    await small.advance(90, step=15)
    assert small.stored["port"] == small.controller.port
    assert small.source == "lan"
    await small.act_on_device("send_action", name="aux", payload="020101")
    assert small.pool.slots[2].on


@pytest.mark.parametrize(
    "trouble",
    ["close_mid_body", "busy", "garbage", "sometimes_408", "sometimes_short_body"],
)
async def test_a_query_without_an_answer(full: Home, trouble: str) -> None:
    """One that gets lost is sent again; another one is proof enough."""
    full.clock.speed = 50
    controller = full.controller
    if trouble.startswith("sometimes"):
        controller.dialects.add(trouble)
        controller.trouble_with_next(5)
    else:
        controller.faults.on(trouble, QUERIES[0].name)
    await controller.move("127.0.0.1")
    await discover(full, controller)
    await full.settle()
    await full.advance(60, step=15)
    assert full.stored["port"] == controller.port
    assert full.source == "lan"


# H2: other MAC addresses


@pytest.mark.row("H2")
async def test_the_mac_of_another_device(home: Home) -> None:
    """A MAC address that is announced for another device stays with its owner."""
    entry = await home.set_up(*home.service.controllers)
    small, full = home.service.controllers
    await hear(home, under_another_mac(small, full.mac))
    await home.advance(120, step=15)
    await home.restart()
    assert entry.state is ConfigEntryState.LOADED
    for controller in (small, full):
        stored = entry.data["controllers"][controller.device_id]
        assert stored["mac"] == record(controller)["mac"]
        assert home.value("sensor", "connection", of=controller) == "lan"
    assert home.device(small).id != home.device(full).id


@pytest.mark.row("H2")
async def test_nothing_of_an_announcement_is_stored(small: Home) -> None:
    """It is void after the first true announcement, and does not come back."""
    before = dict(small.stored)
    lie = replace(
        under_another_mac(small.controller, "0e0000000001"), port=1, firmware="1.0.0"
    )
    for announcement in (lie, Announcement.of(small.controller), lie):
        await hear(small, announcement)
        await small.advance(120, step=15)
        assert small.stored == before
    await small.advance(3700)
    await small.restart()
    assert small.stored == before
    assert small.device().sw_version == small.controller.firmware


# L12: a second interface


@pytest.mark.row("L12")
async def test_a_second_interface_of_a_known_controller(small: Home) -> None:
    """Its MAC address is stored if it is announced for the address in use."""
    small.controller.dialects.add(Dialect.SECOND_INTERFACE)
    result = await discover(small, small.controller)
    await small.settle()
    assert result["reason"] == "already_configured"
    assert small.stored["mac"].replace(":", "") == small.controller.announced_mac
    await small.controller.move("127.0.0.1")
    await discover(small, small.controller)
    await small.advance(90, step=15)
    assert small.source == "lan"


async def test_one_of_two_interfaces_answers(small: Home) -> None:
    """Of two announced addresses, the working one is used (protocol.md 2.8)."""
    await small.controller.move("127.0.0.1")
    true = Announcement.of(small.controller)
    await hear(small, replace(true, host="127.0.0.99", other_hosts=(true.host,)))
    await small.advance(300, step=15)
    assert small.source == "lan"
    assert small.stored["host"] == true.host
    assert not small.flows


# H3: text from announcements


@pytest.mark.row("H3")
async def test_words_that_act_in_a_repair(home: Home) -> None:
    """The repair for old firmware contains no markup from the announcement."""
    home.own(home.service.small)
    home.controller.faults.on("refuse")
    await home.set_up_with(firmware=None, host=None)
    announcement = Announcement.of(home.controller)
    await hear(home, replace(announcement, firmware="1.0.0-[x](http://evil.example)"))
    await home.advance(420, step=30)
    (issue,) = ir.async_get(home.hass).issues.values()
    texts = (issue.translation_placeholders or {}).values()
    assert any(text.startswith("1.0.0-") for text in texts)
    assert not [text for text in texts if any(mark in text for mark in ACTING)]


@pytest.mark.row("H3")
async def test_a_stranger_does_not_use_up_the_request_for_the_key(
    small: Home, replayer: Replayer
) -> None:
    """Its wrong signatures do not delay the request for a new key."""
    await lose(small)
    await hear(small, replayer.announces(small.controller))
    await small.advance(60, step=30)
    assert replayer.connections
    small.controller.faults.clear()
    small.controller.rotate_key(b"\xee" * 16)
    await small.advance(60, step=30)
    assert small.source == "lan"
    assert small.stored["key"] == "ee" * 16


# H4: addresses chosen by other devices


@pytest.mark.row("H4")
async def test_one_try_a_minute(small: Home) -> None:
    await lose(small)
    attempt = Recovery._async_try
    with patch.object(
        Recovery, "_async_try", autospec=True, side_effect=attempt
    ) as tries:
        for _ in range(30):
            for announcement in lure(small.controller, range(1, 50)):
                await hear(small, announcement)
            await small.advance(6, step=6)
    assert tries.call_count == 4  # in three minutes


@pytest.mark.row("H4")
async def test_one_try_a_minute_over_reloads(home: Home, replayer: Replayer) -> None:
    """The limit holds even if every announcement starts the account again."""
    home.own(home.service.small)
    home.disconnect()
    entry = await home.set_up(home.controller)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    for _ in range(10):
        await hear(home, replayer.announces(home.controller))
        await home.settle()
    assert replayer.connections == 1


REFUSED_HOSTS = [
    *("127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "224.0.0.251"),
    *("ff02::fb", "255.255.255.255", "169.254.169.254", "fe80::1"),
    # our own, see the fixture `mock_network` of the test harness
    *("10.10.10.10", "::ffff:10.10.10.10"),
]


@pytest.mark.row("H4")
async def test_addresses_that_no_controller_has(
    small: Home, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Nothing is sent there, whoever reports it: no try, no preview, no card."""
    monkeypatch.setattr(addresses, "LOOPBACK", False)
    await lose(small)
    flows = small.hass.config_entries.flow
    observed = addresses.async_observed_addresses(small.hass)
    for host in REFUSED_HOSTS:
        with subtests.test(host):
            announcement = replace(Announcement.of(small.controller), host=host)
            await hear(small, announcement)
            mac = small.controller.mac
            dhcp = DhcpServiceInfo(ip=host, hostname="x", macaddress=mac)
            await flows.async_init(DOMAIN, context={"source": SOURCE_DHCP}, data=dhcp)
            assert observed.of(announcement.device_id) == ()
            unknown = replace(
                announcement, device_id="0E_00_00_00_00_01", mac="0e0000000001"
            )
            result = await hear(small, unknown)
            assert result["reason"] == "not_a_controller"
            good = await hear(small, replace(unknown, other_hosts=("10.10.10.77",)))
            assert good["type"] is FlowResultType.FORM
            assert observed.cards[good["flow_id"]].host == "10.10.10.77"
            flows.async_abort(good["flow_id"])


async def test_the_true_one_has_its_turn(small: Home) -> None:
    """The true address is tried, however many others are announced under its name."""
    await small.controller.move("127.0.0.1")
    await small.advance(45, step=15)
    for announcement in lure(small.controller, range(1, 4)):
        await hear(small, announcement)
    await discover(small, small.controller)
    await small.advance(300, step=30)
    assert small.source == "lan"
