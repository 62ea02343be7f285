"""Times of schedules, and records that differ from the documented ones."""

from collections.abc import Callable
from typing import Any

from homeassistant.const import Platform
import pytest

from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.schedule_actions import (
    FALL,
    FILTER,
    LAMP,
    WATERFALL,
    act,
    events,
    look,
    switches,
)
from tests.world.simulator.schedules import Schedule

pytestmark = pytest.mark.usefixtures("quick")
few_platforms = only(Platform.CALENDAR, Platform.SWITCH)


async def times(home: Home, index: int) -> tuple[str, str]:
    """Return the start and end that are shown for a schedule."""
    found = (await act(home, "get_schedules"))["schedules"]
    ours = next(each for each in found if each["schedule"] == index + 1)
    return ours["start"], ours["end"]


async def change(home: Home, index: int, **changes: Any) -> None:
    await act(home, "update_schedule", schedule=index + 1, **changes)


def queries(home: Home) -> int:
    """Return how often the schedules were queried."""
    return sum(request.name == "schedules" for request in home.controller.requests)


def odd_end(home: Home) -> None:
    home.pool.schedules[FILTER].end = 24 * 60


def odd_slot(home: Home) -> None:
    home.pool.schedules[4] = Schedule(25, 1, 0, 0, 60, 120, 1, "Not fitted", True)


def odd_times(home: Home) -> None:
    home.pool.schedules[4] = Schedule(FALL, 1, 0, 0, 60, 60, 1, "Never", True)


@pytest.mark.row("L16")
@pytest.mark.parametrize(
    ("dialects", "odd", "more"),
    [
        ({"schedules_to_24"}, None, set()),
        ({"schedules_erased", "longer_replies"}, None, set()),
        ({"schedules_more", "schedules_odd", "schedules_erased"}, None, {18, 19}),
        (set(), odd_end, set()),
        (set(), odd_slot, {4}),
        (set(), odd_times, {4}),
    ],
)
async def test_odd_records(
    home: Home,
    caplog: pytest.LogCaptureFixture,
    dialects: set[str],
    odd: Callable[[Home], None] | None,
    more: set[int],
) -> None:
    """An odd record is shown or left out, and never breaks another one."""
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.full)
    home.controller.dialects.update(dialects)
    if odd is not None:
        odd(home)
    await home.set_up(home.controller)
    await home.settle()
    indexes = sorted({FILTER, WATERFALL, LAMP} | more)
    assert set(switches(home)) == {str(index) for index in indexes}
    to_24 = dialects == {"schedules_to_24"} or odd is odd_end
    end, minutes = ("00:00:00", 1440) if to_24 else ("23:59:00", 1439)
    assert await times(home, FILTER) == ("00:00:00", end)
    found = (await act(home, "get_schedules"))["schedules"]
    assert [each["schedule"] - 1 for each in found] == indexes
    assert found[FILTER]["end"] == end
    planned = await events(home, duration={"days": 7})
    assert {event["summary"] for event in planned} == {
        one["name"] for one in found if one["enabled"] and one["name"] != "Never"
    }
    before = queries(home)
    await look(home)
    assert queries(home) == before, "nothing changed"
    # A change leaves the rest of the record as it was.
    await change(home, FILTER, start="10:00:00")
    record = home.pool.schedules[FILTER]
    assert (record.start, record.end) == (10 * 60, minutes)
    await change(home, FILTER, end=end)
    assert home.pool.schedules[FILTER].end == minutes
    assert [r for r in caplog.records if r.levelname in ("WARNING", "ERROR")] == []
