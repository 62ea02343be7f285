"""Planning pump hours: in schedules of their own, with as few writes as possible."""

from collections.abc import Sequence
from dataclasses import asdict
from math import inf, nan
from pathlib import Path
import re
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import Platform
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest

from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.simulator.schedules import UNUSED_SLOT, Schedule

pytestmark = pytest.mark.usefixtures("quick", "hurried")
few_platforms = only(Platform.CALENDAR)

FILTER, FIRST, SECOND = 0, 3, 4
"""Indexes of the pump's own schedule, and of those that a plan uses first."""
PRICES = [10, 9, 8, 1, 1, 7, 7, 8, 9, 10, 9, 8, 2, 1, 3, 6, 7, 8, 10, 12, 11, 9, 8, 8]
"""Price of each hour of the day."""


@pytest.fixture(autouse=True)
def midnight(freezer: FrozenDateTimeFactory) -> None:
    """Begin just after local midnight, on a Wednesday."""
    freezer.move_to("2026-07-01 00:02:00-07:00")


@pytest.fixture
async def beach(home: Home) -> Home:
    """Set up the fully equipped pool; its own schedule of the pump is switched off."""
    home.service.full.pool.schedules[FILTER].enabled = False
    home.own(home.service.full)
    await home.set_up(home.service.full)
    return home


@pytest.fixture
async def owner(hass: HomeAssistant) -> str:
    """Return the ID of a user, who may plan again on the same day."""
    user = await hass.auth.async_create_user("me", group_ids=["system-admin"])
    return user.id


def hourly(values: Sequence[float | None] = PRICES) -> list[dict[str, Any]]:
    return [
        {"start": f"2026-07-01T{hour:02}:00:00-07:00", "value": value}
        for hour, value in enumerate(values)
    ]


def blocks(*hours: tuple[int, int]) -> list[dict[str, str]]:
    """Return blocks of whole hours of the day."""
    return [
        {"start": f"{start:02}:00:00", "end": f"{end:02}:00:00"} for start, end in hours
    ]


async def plan(home: Home, *, by: str | None = None, **data: Any) -> dict[str, Any]:
    """Run the action as an automation, or as the user `by`."""
    found: dict[str, Any] = {}

    async def act() -> None:
        context = Context(user_id=by)
        answer = await home.act_on_calendar(
            "plan_hours", answers=True, context=context, **data
        )
        found.update(answer)

    await home.finish(act())
    await home.settle()
    return found


def record(home: Home, index: int) -> Schedule:
    return home.pool.schedules[index]


def times(home: Home) -> list[tuple[int, int]]:
    """Return the plan as the controller has it, in minutes after midnight."""
    return [
        (each.start, each.end)
        for each in home.pool.schedules
        if each.used and each.enabled and each.name.startswith("HA plan")
    ]


def writes(home: Home) -> int:
    """Return how many changes of schedules were sent."""
    return sum(each.name == "schedule" for each in home.controller.requests)


async def test_the_cheapest_hours(beach: Home) -> None:
    """They are written for every day; all other schedules stay unchanged."""
    before = [asdict(each) for each in beach.pool.schedules]
    expected = {
        "blocks": blocks((3, 5), (12, 14)),
        "planned_hours": 4.0,
        "scheduled_hours": 0.0,
        "missing_hours": 0.0,
    }
    for dry_run in (True, False):
        assert writes(beach) == 0 and not times(beach)
        answer = await plan(
            beach, hours=4, prices=hourly(), pump_speed=60, dry_run=dry_run
        )
        assert answer == expected | {"changes": 2, "written": not dry_run}
    for index, name, start in ((FIRST, "HA plan 1", 180), (SECOND, "HA plan 2", 720)):
        one = record(beach, index)
        assert (one.name, one.start, one.end) == (name, start, start + 120)
        assert (one.slot, one.aux_type, one.speed, one.weekdays) == (0, 31, 60, 127)
        assert one.enabled
    after = [asdict(each) for each in beach.pool.schedules]
    assert after[:FIRST] + after[SECOND + 1 :] == before[:FIRST] + before[SECOND + 1 :]
    # Only what differs is written.
    answer = await plan(beach, hours=4, prices=hourly(), pump_speed=60)
    assert answer == expected | {"changes": 0, "written": False}
    assert writes(beach) == 2
    # The afternoon is cheap an hour later the next day.
    await beach.live(86400, step=86400)
    later = [
        {**each, "start": each["start"].replace("-01T", "-02T")}
        for each in hourly([*PRICES[:12], 9, *PRICES[12:23]])
    ]
    sent = writes(beach)
    answer = await plan(beach, hours=4, prices=later, pump_speed=60)
    assert (answer["changes"], writes(beach)) == (1, sent + 1)
    assert times(beach) == [(180, 300), (780, 900)]


EXAMPLES = [
    example
    for block in re.findall(
        r"```yaml\n(.*?)```",
        (Path(__file__).parents[2] / "docs" / "schedules.md").read_text(),
        re.DOTALL,
    )
    if isinstance(example := parse_yaml(block), dict)
    and example.get("action") == "poolctl.plan_hours"
]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, [(180, 360), (720, 1020)]),
        (1, [(180, 360), (720, 1020)]),
        (2, [(660, 930), (1320, 1439)]),
    ],
)
async def test_the_examples_of_the_page(
    beach: Home, number: int, expected: list[tuple[int, int]]
) -> None:
    er.async_get(beach.hass).async_update_entity(
        beach.entity_id("calendar", "schedules"),
        new_entity_id="calendar.home_pool_schedules",
    )
    beach.hass.states.async_set(
        "sensor.electricity_price", "9", {"raw_today": hourly()}
    )
    rows = [{"from_time": one["start"], "cents": one["value"]} for one in hourly()]
    beach.hass.states.async_set("sensor.my_supplier", "9", {"tariffs": rows})
    script = {"plan": {"sequence": [EXAMPLES[number]]}}
    assert await async_setup_component(beach.hass, "script", {"script": script})
    await beach.finish(beach.hass.services.async_call("script", "plan", blocking=True))
    assert times(beach) == expected


async def test_a_plan_that_goes_on_over_a_restart(beach: Home, owner: str) -> None:
    """It is recognised by what was written; one that was renamed is the owner's."""
    await plan(beach, hours=4, prices=hourly())
    await beach.restart()
    record(beach, FIRST).name = "Night"
    answer = await plan(beach, by=owner, hours=3, prices=hourly())
    assert (answer["changes"], times(beach)) == (1, [(780, 840)])
    assert (record(beach, FIRST).start, record(beach, FIRST).end) == (180, 300)
    assert sum(each.used for each in beach.pool.schedules) == 5


async def test_schedules_of_others(beach: Home, owner: str) -> None:
    """What a plan did not write is not its own, whatever its name and its times."""
    await plan(beach, hours=4, prices=hourly())
    plants, lookalike, moved = (record(beach, at) for at in (5, 6, FIRST))
    for one, slot, aux_type in ((plants, 3, 1), (lookalike, 0, 31)):
        one.slot, one.aux_type, one.weekdays, one.enabled = slot, aux_type, 127, True
    plants.name, plants.start, plants.end = "HA plants", 180, 300
    lookalike.name, lookalike.start, lookalike.end = "HA plan 3", 1080, 1140
    # A person who moves a schedule in the app wants it at that time.
    moved.start, moved.end = 240, 300
    before = [asdict(each) for each in (plants, lookalike, moved)]
    for hours in (3, 5, 0):
        answer = await plan(beach, by=owner, hours=hours, prices=hourly())
        assert [asdict(each) for each in (plants, lookalike, moved)] == before
        assert answer["scheduled_hours"] == 2.0
    await beach.restart()
    await plan(beach, by=owner, hours=3, prices=hourly())
    assert [asdict(each) for each in (plants, lookalike, moved)] == before
    names = [each.name for each in beach.pool.schedules if each.used]
    assert len({*names}) == len(names) == 8


@pytest.mark.row("L33")
@pytest.mark.parametrize("name", ["Filter", "HA plans"])
async def test_the_owner_uses_its_place(beach: Home, owner: str, name: str) -> None:
    """A schedule with the same times at that place is not the plan's."""
    await plan(beach, hours=4, prices=hourly())
    for each in beach.pool.schedules[SECOND + 1 :]:
        each.slot, each.aux_type, each.start, each.end = 1, 26, 60, 120
        each.weekdays, each.name = 1, "Light"
    own = record(beach, FIRST)
    own.name = name
    before = [asdict(each) for each in beach.pool.schedules if each.name != "HA plan 2"]
    for hours in (3, 6, 0):
        await plan(beach, by=owner, hours=hours, prices=hourly())
        after = [
            asdict(each) for each in beach.pool.schedules if each.name != "HA plan 2"
        ]
        assert after == before


async def test_until_midnight(beach: Home, owner: str) -> None:
    """A plan ends at 24:00 on a controller that has such an end, else at 23:59."""
    night = blocks((22, 0))
    await plan(beach, by=owner, blocks=night)
    assert times(beach) == [(1320, 1439)]
    await plan(beach, by=owner, blocks=blocks((10, 11)))
    record(beach, 2).end = 1440
    for _ in range(2):
        await plan(beach, by=owner, blocks=night)
        assert times(beach) == [(1320, 1440)]


async def test_once_a_day(beach: Home, owner: str) -> None:
    """A faulty automation cannot wear out the memory; a user may plan again."""
    await plan(beach, hours=4, prices=hourly())
    for _ in range(2):
        with failure("plan_written_today", ServiceValidationError):
            await plan(beach, hours=3, prices=hourly())
        await beach.restart()
    assert times(beach) == [(180, 300), (720, 840)]
    await plan(beach, by=owner, hours=2, prices=hourly())
    assert times(beach) == [(180, 300)]
    assert not record(beach, SECOND).enabled
    # Yesterday's plan stays without prices, so that the pump gets its hours.
    await beach.live(86400, step=86400)
    with failure("prices_past", ServiceValidationError):
        await plan(beach, hours=4, prices=hourly())
    assert times(beach) == [(180, 300)]
    await plan(beach, hours=1, around="12:00:00")
    assert times(beach) == [(690, 750)]


type Way = tuple[dict[str, Any], list[tuple[int, int]], float]
WAYS: tuple[Way, ...] = (
    ({"hours": 6, "around": "13:00:00"}, [(600, 960)], 0),
    ({"hours": 6, "earliest": "08:00:00", "latest": "20:00:00"}, [(480, 840)], 0),
    ({"hours": 6, "earliest": "16:00:00", "latest": "20:00:00"}, [(960, 1200)], 2),
    ({"hours": 3, "earliest": "22:00:00", "latest": "06:00:00"}, [(5, 185)], 0),
    ({"hours": 2, "prices": hourly(), "prefer": "highest"}, [(1140, 1260)], 0),
    ({"hours": 4, "prices": str(hourly())}, [(180, 300), (720, 840)], 0),
    ({"hours": 24}, [(5, 1439)], 0.1),
    ({"blocks": blocks((22, 2))}, [(1320, 120)], 0),
    ({"blocks": blocks((22, 0))}, [(1320, 1439)], 0),
    (
        {"blocks": [*blocks((10, 11)), {"start": "12:00:00", "end": "13:30:00"}]},
        [(600, 660), (720, 810)],
        0,
    ),
)
SPARSE: tuple[Way, ...] = (
    ({"prices": hourly()[3:4]}, [(180, 240), (510, 930)], 7),
    ({"prices": hourly()[:12]}, [(120, 480), (600, 720)], 0),
    ({"prices": hourly()[8:17], "prefer": "highest"}, [(480, 780), (840, 1020)], 0),
    ({"prices": hourly()[9:12], "prefer": "highest"}, [(480, 960)], 5),
)
"""Ways to place 8 hours around noon, some of them without a price."""


async def test_ways_to_say_which_hours(
    beach: Home, owner: str, subtests: pytest.Subtests
) -> None:
    """Hours that do not fit are reported as missing."""
    for data, expected, missing in WAYS:
        with subtests.test(str(data)):
            answer = await plan(beach, by=owner, **data)
            assert sorted(times(beach)) == expected
            minutes = sum((end - start) % 1440 for start, end in expected)
            assert answer["planned_hours"] == pytest.approx(minutes / 60, abs=0.03)
            assert answer["missing_hours"] == pytest.approx(missing, abs=0.03)
    # Hours without a price come last, and the answer counts them.
    for data, expected, unpriced in SPARSE:
        with subtests.test(str(data)):
            answer = await plan(beach, by=owner, hours=8, around="12:00:00", **data)
            assert sorted(times(beach)) == expected
            assert answer["missing_hours"] == 0
            assert answer.get("unpriced_hours", 0) == unpriced


async def test_own_schedules(beach: Home, owner: str) -> None:
    """Hours of other schedules count, and only the rest is planned."""
    own = record(beach, FILTER)
    own.enabled, own.start, own.end = True, 720, 840
    answer = await plan(beach, by=owner, hours=4, prices=hourly())
    assert answer["scheduled_hours"] == 2.0
    assert times(beach) == [(180, 300)]
    assert (own.start, own.end, own.enabled) == (720, 840, True)
    # A plan never overlaps another schedule of the pump, whatever its weekdays.
    own.start, own.end, own.weekdays = 180, 300, 1 << 6
    await plan(beach, by=owner, hours=4, prices=hourly())
    assert times(beach) == [(720, 960)]
    with failure("plan_overlap", ServiceValidationError):
        await plan(beach, by=owner, blocks=blocks((4, 6)))


async def test_a_full_table(beach: Home) -> None:
    """A plan that does not fit is refused before anything is written."""
    for each in beach.pool.schedules[FIRST:-1]:
        each.slot, each.aux_type, each.start, each.end = 1, 26, 60, 120
        each.weekdays, each.name = 1, "Light"
    with failure("schedule_limit", ServiceValidationError):
        await plan(beach, hours=4, prices=hourly())
    assert beach.pool.schedules[-1].slot == UNUSED_SLOT
    await plan(beach, hours=2, prices=hourly())
    assert times(beach) == [(180, 300)]


async def test_no_time_is_left(beach: Home, freezer: FrozenDateTimeFactory) -> None:
    """Nothing can be placed: the hours are missing, and no error asks to try again."""
    rows: tuple[tuple[str, dict[str, Any]], ...] = (
        ("20:00:00", {"latest": "19:00:00"}),
        ("20:02:00", {"latest": "19:00:00", "prices": hourly()}),
        ("23:57:00", {"prices": hourly()}),
        ("23:58:00", {"around": "12:00:00"}),
    )
    await plan(beach, hours=4, prices=hourly())
    before, sent = times(beach), writes(beach)
    for time, more in rows:
        freezer.move_to(f"2026-07-01 {time}-07:00")
        await beach.live(30)
        answer = await plan(beach, hours=4, **more)
        assert (answer["blocks"], answer["missing_hours"]) == ([], 4)
    assert (times(beach), writes(beach)) == (before, sent)


async def test_a_week_without_need(beach: Home) -> None:
    """The schedules last: only the day that needs nothing is left out."""
    await plan(beach, hours=4, prices=hourly())
    for day in range(8):
        await plan(beach, hours=0, again=True)
        for index in (FIRST, SECOND):
            assert record(beach, index).enabled
            assert record(beach, index).weekdays == 127 - (1 << (2 + day) % 7)
        await beach.live(86400, step=86400)


async def test_a_week_with_another_schedule(beach: Home) -> None:
    """A day comes back only if no other schedule has its time by then."""
    await plan(beach, hours=2, prices=hourly())
    await plan(beach, hours=0, again=True)
    own = record(beach, FILTER)
    own.enabled, own.start, own.end, own.weekdays = True, 200, 220, 1 << 2
    await beach.live(86400, step=86400)
    await plan(beach, hours=0, again=True)
    assert record(beach, FIRST).weekdays == 0b111_0011


def shape(peak: float, hours: range = range(5, 21)) -> dict[str, Any]:
    """Return the forecast of a roof, highest in an hour."""
    watts = {
        f"2026-07-01T{hour:02}:00:00-07:00": max(
            0, 1000 - 40 * (hour + 0.5 - peak) ** 2
        )
        for hour in hours
    }
    return {"watts": watts, "unit_of_measurement": "kWh"}


async def test_two_roofs(beach: Home, owner: str) -> None:
    """Their forecasts are added, also where only one has a value."""
    states, roofs = beach.hass.states, ["sensor.east", "sensor.west"]
    states.async_set(roofs[0], "5", shape(9.5, range(5, 16)))
    states.async_set(roofs[1], "5", shape(15.5, range(9, 21)))
    data: dict[str, Any] = {"hours": 3, "price_entities": roofs, "prefer": "highest"}
    await plan(beach, by=owner, **data)
    assert times(beach) == [(660, 840)]
    # A roof without a forecast: the other one alone is another plan.
    states.async_set(roofs[1], "unavailable")
    with failure("prices_missing", ServiceValidationError):
        await plan(beach, by=owner, **data)
    west = shape(15.5, range(9, 21))["watts"]
    # The same forecast in another unit, and as energy.
    for other in (
        {"wh_period": west},
        {"forecast": {at: each / 1000 for at, each in west.items()}}
        | {"unit_of_measurement": "kW"},
    ):
        states.async_set(roofs[1], "5", other)
        await plan(beach, by=owner, **data)
        assert times(beach) == [(660, 840)]
    states.async_set(roofs[1], "5", {"f": west, "unit_of_measurement": "W/m²"})
    with failure("prices_units", ServiceValidationError):
        await plan(beach, by=owner, **data)


async def test_prices_of_two_entities(beach: Home, owner: str) -> None:
    """They are not added: the last one that has a price counts."""
    states = beach.hass.states
    unit = {"unit_of_measurement": "EUR/kWh"}
    states.async_set("sensor.a", "5", {"prices": hourly(), **unit})
    states.async_set("event.b", "5", {"prices": hourly([0.5] * 3)})
    entities = ["sensor.a", "event.b", "sensor.c"]
    await plan(beach, by=owner, hours=5, price_entities=entities)
    assert times(beach) == [(5, 245), (780, 840)]
    states.async_set("event.b", "5", {"prices": [], "unit_of_measurement": "EUR/MWh"})
    await plan(beach, by=owner, hours=4, price_entities=entities)
    assert times(beach) == [(180, 300), (720, 840)]
    wrong = {"prices": hourly(), "unit_of_measurement": "EUR/MWh"}
    states.async_set("event.b", "5", wrong)
    with failure("prices_units", ServiceValidationError):
        await plan(beach, by=owner, hours=4, price_entities=entities)


async def test_what_may_work_later(beach: Home) -> None:
    """A caller that tries again asks for an answer; errors that stay are raised."""
    answer = await plan(beach, hours=4, prices=[], later=True)
    assert answer["later"] and answer["missing_hours"] == 4
    beach.controller.faults.on("refuse")
    beach.cloud.faults.on("refuse")
    answer = await plan(beach, hours=4, prices=hourly(), later=True)
    assert answer["later"] and not answer["written"]
    beach.controller.faults.clear()
    beach.cloud.faults.clear()
    await beach.live(120)
    assert "later" not in await plan(beach, hours=4, prices=hourly(), later=True)
    with failure("plan_written_today", ServiceValidationError):
        await plan(beach, hours=3, prices=hourly(), later=True)


async def through_the_cloud(home: Home) -> None:
    home.controller.faults.on("refuse")
    home.cloud.not_offered.discard("scheduleInfo")
    await home.live(120)


async def test_through_the_cloud(beach: Home) -> None:
    await through_the_cloud(beach)
    await plan(beach, hours=4, prices=hourly())
    assert times(beach) == [(180, 300), (720, 840)]


async def test_a_cloud_without_such_writes(beach: Home) -> None:
    beach.cloud.not_offered |= {"createSchedule"}
    await through_the_cloud(beach)
    with failure("not_supported", ServiceValidationError):
        await plan(beach, hours=4, prices=hourly())
    # Nothing was written, so it does not count as the plan of the day.
    beach.controller.faults.clear()
    await beach.live(120)
    assert (await plan(beach, hours=4, prices=hourly()))["written"]


REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "one_of"),
    ({"hours": 4, "blocks": []}, "one_of"),
    *(({"hours": odd}, "out_of_range") for odd in (nan, inf, 10**400, "four")),
    ({"hours": -1}, "out_of_range"),
    ({"hours": 25}, "out_of_range"),
    ({"hours": 4, "prices": [], "price_entities": []}, "one_of"),
    ({"blocks": blocks((10, 11)), "around": "12:00:00"}, "only_with"),
    ({"blocks": blocks((1, 2), (3, 4), (5, 6))}, "plan_blocks"),
    ({"hours": 4, "pump_speed": 50.5}, "schedule_speed"),
    (
        {"hours": 4, "prices": {"Home": hourly(), "Cabin": hourly([5.0] * 24)}},
        "prices_ambiguous",
    ),
    ({"blocks": blocks((10, 12), (11, 13))}, "plan_blocks"),
    ({"blocks": blocks((10, 10))}, "schedule_same_times"),
    ({"blocks": blocks((10, 12)), "pump_speed": 42}, "schedule_speed"),
)


async def test_what_it_does_not_take(beach: Home, subtests: pytest.Subtests) -> None:
    for data, key in REFUSED:
        with subtests.test(str(data)), failure(key, ServiceValidationError):
            await plan(beach, **data)
    assert writes(beach) == 0


async def test_a_controller_that_keeps_no_names(
    beach: Home, owner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next plan recognises its schedules by their times."""
    act = beach.controller.act

    def act_and_cut(name: str, payload: bytes) -> None:
        act(name, payload)
        for each in beach.pool.schedules[FIRST:]:
            each.name = each.name[:3]

    monkeypatch.setattr(beach.controller, "act", act_and_cut)
    for hours in (2, 3, 4):
        await plan(beach, by=owner, hours=hours, prices=hourly())
        assert sum(each.used for each in beach.pool.schedules[FIRST:]) <= 2
    assert record(beach, FIRST).name == "HA "


LISTS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("prices_missing", {}, {"price_entities": ["sensor.none"]}),
    ("prices_unknown", {}, {"price_entities": ["sensor.ph"]}),
    ("prices_unknown", {}, {"prices": "0.3, 0.4"}),
    ("prices_unknown", {"rows": [{"from_time": 1, "cents": 2}]}, {}),
    ("prices_unknown", {"watts": {"2026-07-01T10:00:00Z": 3, "2026-07-01T11:00:00Z": 4}}, {}),
    ("forecast_unknown", {"raw_today": hourly()}, {"prefer": "highest"}),
    ("prices_unit", {"prices": hourly(), "unit_of_measurement": "kWh"}, {}),
    ("forecast_unit", {"f": hourly(), "unit_of_measurement": "°C"}, {"prefer": "highest"}),
    ("forecast_unit", {"today": PRICES, "unit_of_measurement": "EUR/kWh"}, {"prefer": "highest"}),
    ("prices_rise", {"06:00": 120, "07:00": 700, "08:00": 900, "09:00": 950}, {"prefer": "highest"}),
    ("prices_past", {"prices": [{"start": "2026-06-01T10:00:00Z", "price": 3}]}, {}),
    ("prices_unknown", {"date": "9999-12-31", "tomorrow": PRICES}, {}),
)  # fmt: skip


async def test_lists_that_cannot_be_used(
    beach: Home, subtests: pytest.Subtests
) -> None:
    """They are refused at the call, with what was found."""
    states = beach.hass.states
    states.async_set("sensor.ph", "7.4", {"unit_of_measurement": "pH"})
    for key, attributes, data in LISTS:
        states.async_set("sensor.list", "5", attributes)
        given = {"price_entities": ["sensor.list"], **data}
        if "prices" in data:
            del given["price_entities"]
        with subtests.test(f"{key} {data}"), failure(key, ServiceValidationError):
            await plan(beach, hours=4, **given)
    assert writes(beach) == 0


def notices(home: Home) -> list[str]:
    (coordinator, *_) = home.entry.runtime_data.controllers.values()
    return [each.key for each in coordinator.problems.active]


async def test_a_list_of_an_automation_that_cannot_be_used(beach: Home) -> None:
    """*Status* names it until the automation gives one that can, or asks no more."""
    for data in ({"prices": "cheap"}, {"price_entities": ["sensor.none"]}):
        assert (await plan(beach, hours=4, later=True, **data))["later"]
        await beach.live(30)
        assert "list_refused" in notices(beach)
        await plan(beach, hours=4, around="12:00:00", dry_run=True)
        await beach.restart()
        await beach.live(30)
        assert "list_refused" in notices(beach)
        await plan(beach, hours=4, later=True, dry_run=True, prices=hourly())
        await beach.live(30)
        assert "list_refused" not in notices(beach)
    await plan(beach, hours=4, later=True, prices="cheap")
    for days, there in ((1, True), (2, False)):
        await beach.live(days * 86_400, step=7200)
        assert ("list_refused" in notices(beach)) is there
