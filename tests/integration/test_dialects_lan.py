"""A controller that is otherwise than was bet on (unknowns.md), seen by a person."""

from collections.abc import Iterator
from ipaddress import IPv4Address
from types import SimpleNamespace
from typing import Any

from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
import pytest

from custom_components.poolctl.client import envelope
from custom_components.poolctl.client.control import (
    queries as queries_module,
    sender as sender_module,
)
from custom_components.poolctl.upkeep import memory
from custom_components.poolctl.upkeep.sightings import Sighting
from tests.simulator.dialects import Dialect

from .home import Home, failure
from .service import Service
from .test_repairs import shown

pytestmark = pytest.mark.usefixtures("quick", "clocks")

WATERFALL = 2
SLOT = f"slot_{WATERFALL}"
NEAR = [
    Dialect.COUNTER_AHEAD_1_S,
    Dialect.COUNTER_AHEAD_3_S,
    Dialect.COUNTER_AHEAD_30_S,
]
DAY = 24 * 60 * 60


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch, service: Service) -> SimpleNamespace:
    """Sign by the clock of the simulated world, plus `wrong` seconds."""
    found = SimpleNamespace(wrong=0.0)
    clock = SimpleNamespace(time=lambda: service.clock.time() + found.wrong)
    monkeypatch.setattr(envelope, "time", clock)
    monkeypatch.setattr(memory, "time", clock)
    return found


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch, service: Service) -> Iterator[None]:
    """Let a second pass in a hundredth of one."""
    monkeypatch.setattr(queries_module, "SOON", queries_module.SOON / 100)
    monkeypatch.setattr(queries_module, "SPACING", queries_module.SPACING / 100)
    service.clock.speed = 100
    yield
    service.clock.speed = 1


async def click(home: Home, times: int) -> None:
    """Switch on and off; every click is shown and done."""
    for number in range(times):
        wanted = "off" if number % 2 else "on"
        await home.act(f"switch.turn_{wanted}", SLOT)
        assert home.value("switch", SLOT) == wanted
        assert home.pool.relays[WATERFALL] is (wanted == "on")


# L1: the counter that all clients share


@pytest.mark.parametrize("dialect", [*NEAR, Dialect.COUNTER_AHEAD_5_MIN])
async def test_another_client_is_ahead(small: Home, dialect: Dialect) -> None:
    """Nothing is refused, and nothing goes by the cloud."""
    small.controller.dialects.add(dialect)
    await click(small, 4)
    assert small.cloud_writes == []
    assert len([r for r in small.controller.requests if r.op == "a" and r.ok]) == 4


async def test_a_cloud_that_signs_all(small: Home) -> None:
    """40 clicks, and none is refused."""
    small.controller.dialects.add(Dialect.CLOUD_SIGNS_ALL)
    for _ in range(20):
        for _ in range(3):
            small.controller.sign_elsewhere()
        await click(small, 2)
        small.clock.advance(0.6)
    assert small.cloud_writes == []


@pytest.mark.usefixtures("freezer")
async def test_another_client_is_a_day_ahead(small: Home) -> None:
    """The cloud takes it, and a repair says why until that time has come."""
    small.controller.dialects.add(Dialect.COUNTER_AHEAD_1_DAY)
    await small.act("switch.turn_on", SLOT)
    small.clock.advance(5)
    assert small.pool.relays[WATERFALL] and small.cloud_writes == ["manualSet"]
    assert small.source == "lan"
    await small.live(540)
    assert not shown(small)
    await small.live(120)
    assert set(shown(small)) == {"clock_ahead"}
    small.clock.advance(DAY)
    await small.live(360)
    assert not shown(small)
    await click(small, 2)
    assert small.cloud_writes == ["manualSet"]


@pytest.mark.usefixtures("freezer")
async def test_nothing_was_switched_a_day_ahead(small: Home) -> None:
    """The queries of every five minutes tell, too."""
    small.controller.dialects.add(Dialect.COUNTER_AHEAD_1_DAY)
    await small.live(960)
    assert set(shown(small)) == {"clock_ahead"}


@pytest.mark.usefixtures("freezer")
@pytest.mark.parametrize("dialect", [*NEAR, Dialect.COUNTER_AHEAD_5_MIN])
async def test_what_time_heals_is_no_repair(small: Home, dialect: Dialect) -> None:
    small.controller.dialects.add(dialect)
    for _ in range(4):
        await small.live(300)
        assert not shown(small)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("dialect", [*NEAR, Dialect.COUNTER_AHEAD_5_MIN])
async def test_names_that_are_refused_first(home: Home, dialect: Dialect) -> None:
    """Entities wait for them: an identifier stays for good."""
    home.own(home.service.small)
    home.cloud.not_offered.add("auxInfo")
    home.controller.dialects.add(dialect)
    await home.set_up(home.controller)
    while home.registered("switch", SLOT) is None:
        await home.moment(0.1)
        await home.settle()
    assert home.entity_id("switch", SLOT).endswith("_pool_waterfall")
    await click(home, 2)


@pytest.mark.usefixtures("soon")
async def test_names_by_the_cloud(home: Home) -> None:
    """They come from there while somebody is a day ahead on the LAN."""
    home.own(home.service.small)
    home.controller.dialects.add(Dialect.COUNTER_AHEAD_1_DAY)
    await home.set_up(home.controller)
    while home.registered("switch", SLOT) is None:
        await home.moment(0.1)
        await home.settle()
    assert home.entity_id("switch", SLOT).endswith("_pool_waterfall")
    assert home.source == "lan"


# L14: our own clock


@pytest.mark.usefixtures("freezer")
@pytest.mark.parametrize("years", [14, 81], ids=["2040", "2107"])
async def test_our_clock_jumps(
    small: Home, clocks: SimpleNamespace, years: int
) -> None:
    """Nothing is signed; the cloud takes it; a repair says why; all heals."""
    clocks.wrong = years * 365 * DAY
    asked = [r for r in small.controller.requests if r.op != "state"]
    await small.act("switch.turn_on", SLOT)
    small.clock.advance(5)
    assert small.cloud_writes == ["manualSet"] and small.pool.relays[WATERFALL]
    await small.live(960)
    assert set(shown(small)) == {"clock_wrong"}
    assert [r for r in small.controller.requests if r.op != "state"] == asked
    small.cloud.faults.on("refuse")
    with failure("clock", ServiceValidationError):
        await small.act("switch.turn_off", SLOT)
    small.cloud.faults.clear()
    clocks.wrong = 0
    await small.live(60)
    assert not shown(small)
    await click(small, 2)
    assert small.cloud_writes == ["manualSet"]


@pytest.mark.usefixtures("freezer")
@pytest.mark.parametrize("wrong", [-DAY * 365 * 56, -DAY * 365 * 30, -2 * DAY])
async def test_a_start_with_a_clock_that_is_not_set(
    small: Home, hass_storage: dict[str, Any], clocks: SimpleNamespace, wrong: float
) -> None:
    """It is set some time after the start; nothing is lost for good."""
    await click(small, 2)
    await small.shut_down()
    clocks.wrong = wrong
    await small.boot()
    await small.act("switch.turn_on", SLOT)
    small.clock.advance(5)
    assert small.pool.relays[WATERFALL]
    clocks.wrong = 0
    await small.live(360)
    seen = len(small.cloud_writes)
    await click(small, 4)
    await small.shut_down()
    await small.boot()
    await click(small, 4)
    assert len(small.cloud_writes) == seen


# Counters are stored ahead


@pytest.mark.usefixtures("freezer")
async def test_a_sudden_end_after_80_presses(
    small: Home, hass_storage: dict[str, Any]
) -> None:
    """None of the counters is used again, and nothing is refused."""
    await click(small, 80)
    await small.unload()  # and nothing is written as a stopped Home Assistant would
    seen = len(small.controller.requests)
    await small.boot()
    await click(small, 2)
    asked = small.controller.requests[seen:]
    assert all(r.ok for r in asked if r.op != "state")
    assert not small.cloud_writes


# L3, L4, L9 to L11: other bytes than those we know


@pytest.mark.parametrize(
    "dialect",
    [Dialect.FRAME_VERSION_0, Dialect.FRAME_VERSION_2, Dialect.FRAME_VERSION_3],
)
async def test_another_frame_version(
    home: Home, dialect: Dialect, caplog: pytest.LogCaptureFixture
) -> None:
    """The LAN works, and the version is named once."""
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
    """Names are read; schedules are kept or read, and never wrong."""
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
    """It has a thermostat that works."""
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
    """What a controller says is shown as words, and can be stored."""
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
    seen = Sighting.from_zeroconf(info)
    assert seen is not None
    assert (seen.name, seen.firmware) == (
        "\u2039b\u203aPool\u2039/b\u203a",
        "(2)(http: //evil.example)",
    )


# L7: `busy` after it ran


@pytest.fixture
async def busy(home: Home) -> Home:
    home.own(home.service.full)
    await home.set_up(home.controller)
    home.controller.dialects.add(Dialect.BUSY_AFTER)
    return home


async def test_one_schedule_from_one_click(busy: Home) -> None:
    """It was made, and shows."""
    target = busy.entity_id("switch", "slot_3")
    await busy.act_on_device(
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
    """Nothing tells what a light shows: it is not sent again, and the sentence says so."""
    with failure("outcome_unknown"):
        await busy.act("light.turn_on", "slot_1", effect="red")
    assert busy.actions == ["cmd"] and busy.cloud_writes == []


async def test_a_switch_whose_reply_found_no_room(busy: Home) -> None:
    """It is on, and that is shown."""
    await busy.act("switch.turn_on", "slot_3")
    assert busy.value("switch", "slot_3") == "on"
    assert busy.cloud_writes == []


@pytest.mark.parametrize("action", ["send_action", "send_query"])
async def test_what_a_person_composed(busy: Home, action: str) -> None:
    """It is sent once; whether an action ran is not known."""
    query = action == "send_query"
    if query:
        busy.controller.faults.on("busy")
        busy.clock.speed = 100
    with failure("busy" if query else "outcome_unknown"):
        name = "aux_names" if query else "set_time"
        await busy.act_on_device(action, name=name, payload="00", answers=True)
    assert busy.actions == ([] if query else ["set_time"])


# L8: what never arrived


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
    """A person's command waits until it is open again."""
    monkeypatch.setattr(sender_module, "_AGAIN", (0.05, 0.15, 0.3, 0.4))
    small.cloud.faults.on("refuse")
    small.clock.speed = 10
    small.controller.dialects.add(Dialect.SOMETIMES_CLOSED)
    small.controller.trouble_with_next()
    await small.refresh()
    await click(small, 2)
