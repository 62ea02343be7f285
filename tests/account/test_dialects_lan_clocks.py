"""A controller that differs from the assumptions (protocol.md), as a user sees it."""

from types import SimpleNamespace
from typing import Any

from homeassistant.const import Platform
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from custom_components.poolctl.client import clock
from tests.status.test_repairs import shown
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.dialects import Dialect

pytestmark = pytest.mark.usefixtures("freezer", "quick", "clocks")
few_platforms = only(Platform.SWITCH)

WATERFALL = 2
SLOT = f"slot_{WATERFALL}"
DAY = 24 * 60 * 60


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch, service: Service) -> SimpleNamespace:
    """Use the simulated service's time; the wall clock is `wrong` seconds ahead."""
    found, world = SimpleNamespace(wrong=0.0), service.clock
    monkeypatch.setattr(clock, "wall_clock", lambda: world.time() + found.wrong)
    monkeypatch.setattr(clock, "steady_clock", world.monotonic)
    service.cloud.date = world.time
    return found


async def click(home: Home, times: int) -> None:
    """Switch on and off in turn; every click must be shown and done."""
    for number in range(times):
        wanted = "off" if number % 2 else "on"
        await home.act(f"switch.turn_{wanted}", SLOT)
        assert home.value("switch", SLOT) == wanted
        assert home.pool.relays[WATERFALL] is (wanted == "on")


# L1: the counter that all clients share


@pytest.mark.row("L1")
async def test_another_client_is_a_day_ahead(small: Home) -> None:
    """The cloud takes the command, and a repair explains it until that time."""
    small.controller.dialects.add(Dialect.COUNTER_AHEAD_1_DAY)
    await small.act("switch.turn_on", SLOT)
    small.clock.advance(5)
    assert small.pool.relays[WATERFALL] and small.cloud_writes == ["manualSet"]
    (coordinator,) = small.entry.runtime_data.controllers.values()
    assert coordinator.controller.paths.on_lan
    await small.live(540, step=60)
    assert not shown(small)
    await small.live(120)
    assert set(shown(small)) == {"clock_ahead"}
    small.clock.advance(DAY)
    await small.live(360, step=60)
    assert not shown(small)
    await click(small, 2)
    assert small.cloud_writes == ["manualSet"]


@pytest.mark.parametrize(
    ("dialect", "repairs"),
    [
        (Dialect.COUNTER_AHEAD_1_S, set[str]()),
        (Dialect.COUNTER_AHEAD_5_MIN, set()),
        (Dialect.COUNTER_AHEAD_1_DAY, {"clock_ahead"}),
    ],
)
async def test_nothing_was_switched(
    small: Home, dialect: Dialect, repairs: set[str]
) -> None:
    """The queries every five minutes show it; what time heals is not a repair."""
    small.controller.dialects.add(dialect)
    reported = set[str]()
    for _ in range(4):
        await small.live(300, step=60)
        reported |= shown(small).keys()
    assert reported == repairs


# L14: our own clock


def others_are_accepted(home: Home) -> bool:
    """Return whether another client that signs Unix seconds is accepted."""
    return home.controller.accepted_counter < home.clock.time()


@pytest.mark.row("5.2 rule 2", "L14", "W1")
@pytest.mark.parametrize(
    ("days", "online", "restarted"),
    [
        (30, False, "never"),
        (400, True, "meanwhile"),
        (81 * 365, True, "after"),
        (-1 / 24, False, "after"),
    ],
)
async def test_our_clock_is_wrong_for_ten_minutes(
    small: Home,
    hass_storage: dict[str, Any],
    clocks: SimpleNamespace,
    days: float,
    online: bool,
    restarted: str,
) -> None:
    """Nothing is signed with it, and every client keeps working."""
    await small.live(60)
    if not online:
        small.cloud.faults.on("refuse")
    clocks.wrong = days * DAY
    if restarted == "meanwhile":
        await small.shut_down()
        await small.boot()
    await small.live(330, step=30)
    await click(small, 2)
    await small.live(240, step=30)
    clocks.wrong = 0
    assert others_are_accepted(small)
    if restarted == "after":
        await small.shut_down()
        await small.boot()
    await click(small, 2)
    assert small.cloud_writes == [] and not shown(small)
    assert all(r.ok for r in small.controller.requests)
    small.cloud.faults.clear()


@pytest.mark.row("L14")
async def test_our_clock_stays_in_2040(small: Home, clocks: SimpleNamespace) -> None:
    """After ten minutes it counts, but nothing is signed with it."""
    small.cloud.faults.on("refuse")
    clocks.wrong = 14 * 365 * DAY
    await small.live(2100, step=60)
    assert set(shown(small)) == {"clock_wrong"}
    await click(small, 2)
    small.clock.advance(10)
    assert others_are_accepted(small)
    small.cloud.faults.clear()
    clocks.wrong = 0
    await small.live(60)
    assert not shown(small)
    await click(small, 2)
    assert small.cloud_writes == []


@pytest.mark.row("L14")
@pytest.mark.parametrize("wrong", [-DAY * 365 * 56, -DAY * 365 * 30, -2 * DAY])
async def test_a_start_with_a_clock_that_is_not_set(
    small: Home, hass_storage: dict[str, Any], clocks: SimpleNamespace, wrong: float
) -> None:
    """Once the clock is set, after the start, the LAN takes commands again."""
    await click(small, 2)
    await small.shut_down()
    clocks.wrong = wrong
    await small.boot()
    await small.act("switch.turn_on", SLOT)
    small.clock.advance(5)
    assert small.pool.relays[WATERFALL]
    clocks.wrong = 0
    await small.live(360, step=60)
    writes = len(small.cloud_writes)
    await click(small, 4)
    await small.shut_down()
    await small.boot()
    await click(small, 4)
    assert len(small.cloud_writes) == writes


# Odd frames


@pytest.mark.row("L15")
async def test_a_frame_without_types_removes_nothing(full: Home) -> None:
    """Entities and devices stay if all types are 0 in one frame."""
    entities, devices = (
        er.async_get(full.hass).entities,
        dr.async_get(full.hass).devices,
    )
    before = set(entities), {device.id for device in devices}
    full.controller.dialects.add("odd_no_types")
    full.controller.frames = 0
    await full.advance(15)
    assert full.controller.frames == 2  # it was read again
    for _ in range(3):
        assert (set(entities), {device.id for device in devices}) == before
        await full.advance(15)
