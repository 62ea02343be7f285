"""A controller that differs from the assumptions (protocol.md), as a user sees it."""

from ipaddress import IPv4Address

from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
import pytest

from custom_components.poolctl.client.control import lan_delivery
from custom_components.poolctl.network.addresses import ObservedAddress
from tests.account.test_dialects_lan_clocks import SLOT, WATERFALL, click
from tests.world.assistant.home import Home, failure
from tests.world.simulator.dialects import Dialect

pytestmark = pytest.mark.usefixtures("quick")


# L3, L4, L9 to L11: other bytes than documented


@pytest.mark.parametrize(
    "dialect",
    [Dialect.FRAME_VERSION_0, Dialect.FRAME_VERSION_2, Dialect.FRAME_VERSION_3],
)
async def test_another_frame_version(
    home: Home, dialect: Dialect, caplog: pytest.LogCaptureFixture
) -> None:
    """The LAN works, and the version is logged once."""
    home.own(home.service.small)
    home.controller.dialects.add(dialect)
    await home.set_up(home.controller)
    assert home.source == "lan"
    assert home.value("sensor", "ph") == "7.4"
    await click(home, 2)
    await home.refresh()
    version = f"state frames of version {dialect[-1]}"
    assert sum(version in record.message for record in caplog.records) == 1


@pytest.mark.parametrize("dialect", [Dialect.LONGER_REPLIES, Dialect.LONGER_RECORDS])
async def test_replies_that_are_longer(home: Home, dialect: Dialect) -> None:
    """Names and commands work; schedules are read if only the reply is longer."""
    home.own(home.service.small)
    home.controller.dialects.add(dialect)
    await home.set_up(home.controller)
    assert home.entity_id("switch", SLOT).endswith("_pool_waterfall")
    await home.hass.async_block_till_done(wait_background_tasks=True)
    if dialect == Dialect.LONGER_REPLIES:
        assert home.state("switch", "schedule_0").name.endswith("Filter schedule")
    await click(home, 2)


@pytest.mark.parametrize(
    "dialect",
    [
        Dialect.TEMP_WITHOUT_TEMP2_CH,
        Dialect.TEMP_WITHOUT_TEMP3_CH,
        Dialect.TEMP_WITHOUT_FLAGS,
    ],
)
async def test_heating_that_tells_less(home: Home, dialect: Dialect) -> None:
    home.own(home.service.full)
    home.controller.dialects.add(dialect)
    await home.set_up(home.controller)
    home.clock.speed = 50
    await home.act("climate.set_temperature", "pool", temperature=30)
    assert home.pool.settings["pool_target"] == 30
    await home.act("switch.turn_off", "solar_selected")
    assert not home.cloud_writes


async def test_a_spa_by_solar_heating(home: Home) -> None:
    """A spa that is heated by solar heating has a working thermostat."""
    home.own(home.service.full)
    home.controller.dialects.add(Dialect.SPA_BY_SOLAR)
    await home.set_up(home.controller)
    home.clock.speed = 50
    assert home.state("climate", "spa").attributes["temperature"] == 36
    await home.act("climate.set_temperature", "spa", temperature=33)
    assert home.pool.settings["spa_target"] == 33
    assert home.state("climate", "spa").attributes["temperature"] == 33


@pytest.mark.parametrize("dialect", [Dialect.ENV_NULL, Dialect.ENV_EMPTY])
async def test_a_reply_without_a_frame(small: Home, dialect: Dialect) -> None:
    small.controller.dialects.add(dialect)
    await click(small, 2)
    assert len(small.actions) == 2 and not small.cloud_writes


async def test_names_that_would_be_links(home: Home) -> None:
    """Names from a controller are shown as plain text."""
    home.own(home.service.small)
    home.pool.slots[WATERFALL].name = "![x](http://evil.example)"
    await home.set_up(home.controller)
    assert home.state("switch", SLOT).name.endswith("!(x)(http: //evil.example)")


def test_an_announcement_that_would_be_a_link() -> None:
    info = ZeroconfServiceInfo(
        ip_address=IPv4Address("127.0.0.1"),
        ip_addresses=[],
        port=8080,
        hostname="ctrl-0a0b0c.local.",
        type="_ctrl._tcp.local.",
        name="<b>Pool</b>\udc00._ctrl._tcp.local.",
        properties={
            "id": "AA_BB_CC_0A_0B_0C",
            "mac": "aabbcc0a0b0c",
            "fw": "[2](http://evil.example)",
            "pv": "2",
        },
    )
    seen = ObservedAddress.from_zeroconf(info)
    assert seen is not None
    for text in (seen.name, seen.firmware):
        text.encode()
        assert "://" not in text and not set(text) & set("<>[]")


# L7: `busy` after it ran


@pytest.fixture
async def busy(home: Home) -> Home:
    home.own(home.service.full)
    await home.set_up(home.controller)
    home.controller.dialects.add(Dialect.BUSY_AFTER)
    return home


async def test_one_schedule_from_one_click(busy: Home) -> None:
    """The schedule is created once, although the reply was `busy`."""
    target = busy.entity_id("switch", "slot_3")
    await busy.act_on_calendar(
        "create_schedule",
        name="Splash",
        equipment=target,
        start="20:00",
        end="21:00",
        weekdays=["mon"],
    )
    assert sum(one.name == "Splash" for one in busy.pool.schedules) == 1
    assert busy.actions == ["schedule"] and busy.cloud_writes == []


async def test_a_colour_whose_reply_found_no_room(busy: Home) -> None:
    """A light's colour cannot be read: it is sent once, with an unknown outcome."""
    with failure("outcome_unknown"):
        await busy.act("light.turn_on", "slot_1", effect="red")
    assert busy.actions == ["cmd"] and busy.cloud_writes == []


async def test_a_switch_whose_reply_found_no_room(busy: Home) -> None:
    """The output is shown as on, although the reply was `busy`."""
    await busy.act("switch.turn_on", "slot_3")
    assert busy.value("switch", "slot_3") == "on"
    assert busy.cloud_writes == []


@pytest.mark.parametrize("action", ["send_action", "send_query"])
async def test_what_a_person_composed(busy: Home, action: str) -> None:
    """A raw action is sent once, and its outcome is unknown; a raw query is `busy`."""
    query = action == "send_query"
    if query:
        busy.controller.faults.on("busy")
        busy.clock.speed = 100
    with failure("busy" if query else "outcome_unknown"):
        name = "aux_names" if query else "set_time"
        await busy.act_on_device(action, name=name, payload="00", answers=True)
    assert busy.actions == ([] if query else ["set_time"])


# L8: requests that never arrived


@pytest.mark.parametrize(
    "dialect", [Dialect.SOMETIMES_408, Dialect.SOMETIMES_SHORT_BODY]
)
async def test_requests_that_got_lost(small: Home, dialect: Dialect) -> None:
    small.controller.dialects.add(dialect)
    for number in range(6):
        small.controller.trouble_with_next(1 + number % 2)
        await click(small, 2)
    assert not small.cloud_writes and small.source == "lan"


async def test_a_port_that_is_closed_for_some_seconds(
    small: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user's command waits until the port is open again."""
    monkeypatch.setattr(lan_delivery, "_AGAIN", (0.05, 0.15, 0.3, 0.4))
    small.cloud.faults.on("refuse")
    small.clock.speed = 10
    small.controller.dialects.add(Dialect.SOMETIMES_CLOSED)
    small.controller.trouble_with_next()
    await small.refresh()
    await click(small, 2)
