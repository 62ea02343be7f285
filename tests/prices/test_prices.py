"""Price lists of other integrations, each in its own format."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
import json
from pathlib import Path
import re
import time
from typing import Any
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.client.wire.exceptions import InvalidCommandError
from custom_components.poolctl.prices.given import Lists
from custom_components.poolctl.prices.reader import Price, price_at, read
from custom_components.poolctl.prices.sources import KNOWN, Kind

FILES = Path(__file__).parents[1] / "fixtures" / "prices"
"""Answers of actions and services, and attributes of entities, as of 2026-07-01."""
NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
ONE, TWO = NOON.isoformat(), (NOON + HOUR).isoformat()
THREE = (NOON + 2 * HOUR).isoformat()
BOTH = [(NOON, NOON + HOUR, 0.3), (NOON + HOUR, NOON + 2 * HOUR, -0.1)]


def prices(data: object, *, highest: bool = False) -> Sequence[Price]:
    found = read(data, highest=highest)
    return found.prices if found else []


def values(data: object) -> list[float]:
    return [each.value for each in prices(data)]


ENTRIES = [{"start": ONE, "end": TWO, "price": 0.3}, {"start": TWO, "price": -0.1}]
STAMPS = [NOON.timestamp(), (NOON + HOUR).timestamp()]
UPDATED = {"updated_at": "2026-06-30T13:00:00Z"}
SMALL: dict[str, object] = {
    "a list": ENTRIES,
    "numbers as texts": [
        {"start": ONE, "end": TWO, "price": "0.3"},
        {"start": TWO, "price": -0.1},
    ],
    "in no order": [{"start": TWO, "price": -0.1}, {"start": ONE, "price": 0.3}],
    "beside other numbers": {"prices": ENTRIES, "hours_requested": 2},
    "beside nothing": {"hours": {ONE: 0.3, TWO: -0.1}, "empty": {}, "none": None},
    "an object in an object": {"a": {"b": ENTRIES}},
    "pairs": [[ONE, 0.3], [TWO, -0.1]],
    "seconds and milliseconds": [[STAMPS[0], "0.3"], [STAMPS[1] * 1000, -0.1]],
    "columns": {"unix_seconds": STAMPS, "price": [0.3, -0.1], "unit": "EUR / MWh"},
    "columns in an object": {"hourly": {"start": [ONE, TWO], "price": [0.3, -0.1]}},
    # The plain name counts.
    "two lists of one entity": {
        "rates": ENTRIES,
        "original_rates": [{"start": ONE, "value": 9.0}, {"start": THREE, "value": 9}],
    },
    # It is that of an update, and no part of the period.
    "a time that all entries share": [each | UPDATED for each in ENTRIES],
    "Amber, whose periods begin and end with a second": [
        {"start": NOON + SECOND, "end": NOON + HOUR, "per_kwh": 0.3},
        {
            "start": NOON + HOUR + SECOND,
            "end": NOON + 2 * HOUR - SECOND,
            "per_kwh": -0.1,
        },
    ],
}


@pytest.mark.parametrize("data", SMALL.values(), ids=SMALL)
def test_two_prices(data: object) -> None:
    assert [(each.start, each.end, each.value) for each in prices(data)] == BOTH


SHAPES: dict[str, tuple[str, int, str]] = {
    "amber.sensor": ("Australia/Sydney", 30, "per_kwh"),
    "amberelectric.get_forecasts": ("Australia/Sydney", 30, "per_kwh"),
    "awattar.api": ("Europe/Berlin", 60, "marketprice"),
    "cz_spot.sensor": ("Europe/Prague", 60, "value"),
    "energi_data_service.sensor": ("Europe/Copenhagen", 60, "price"),
    "energyzero.get_energy_prices": ("Europe/Amsterdam", 60, "price"),
    "entsoe.sensor": ("Europe/Amsterdam", 60, "price"),
    "epex_spot.sensor": ("Europe/Berlin", 60, "price_per_kwh"),
    "epex_spot_1.sensor": ("Europe/Berlin", 60, "price_ct_per_kwh"),
    "forecast_solar.api": ("Europe/Berlin", 60, "watts"),
    "forecast_solar.get_forecast": ("Europe/Berlin", 60, "watts"),
    "frank_energie.sensor": ("Europe/Amsterdam", 60, "price"),
    "nordpool.get_prices_for_date": ("Europe/Stockholm", 15, "price"),
    "nordpool_92.get_prices_for_date": ("Europe/Stockholm", 15, "price"),
    "nordpool_100.get_prices_for_date": ("Europe/Stockholm", 15, "price"),
    "nordpool_custom.sensor": ("Europe/Berlin", 15, "value"),
    "numbers.sensor": ("Europe/Berlin", 60, ""),
    "octopus.api": ("Europe/London", 30, "value_inc_vat"),
    "octopus.event": ("Europe/London", 30, "value_inc_vat"),
    "omie.get_prices_for_date": ("Europe/Madrid", 15, "price"),
    "omie.sensor": ("Europe/Madrid", 60, "today_hours"),
    "open_meteo.sensor": ("Europe/Berlin", 15, "watts"),
    "pse_rce.sensor": ("Europe/Warsaw", 15, "rce_pln"),
    "pvpc.sensor": ("Europe/Madrid", 60, "price_"),
    "solcast.api": ("Europe/Berlin", 30, "pv_estimate"),
    "solcast.sensor": ("Europe/Berlin", 30, "pv_estimate"),
    "stromligning.api": ("Europe/Copenhagen", 60, "price_total"),
    "stromligning.sensor": ("Europe/Copenhagen", 15, "price"),
    "tibber.get_prices": ("Europe/Oslo", 15, "price"),
    "tibber.graphql": ("Europe/Berlin", 60, "total"),
    "zonneplan.sensor": ("Europe/Amsterdam", 60, "electricity_price"),
}
"""Time zone, minutes of each value and name of the values, by file."""
FORECASTS = "watts", "pv_estimate"
TWO_DAYS = ("numbers.sensor", "pvpc.sensor")


def load(name: str) -> Any:
    return json.loads((FILES / f"{name}.json").read_text())


def numbers(data: object) -> set[float]:
    """Return all numbers in an answer."""
    if isinstance(data, dict | list):
        inner = data.values() if isinstance(data, dict) else data
        return {number for each in inner for number in numbers(each)}
    return {data} if isinstance(data, int | float) else set()


@pytest.fixture
async def zone(hass: HomeAssistant) -> AsyncGenerator[Callable[[str], Awaitable[None]]]:
    """Let the local time be that of a zone."""
    previous = dt_util.get_default_time_zone()

    async def choose(name: str) -> None:
        dt_util.set_default_time_zone(await dt_util.async_get_time_zone(name) or UTC)

    yield choose
    dt_util.set_default_time_zone(previous)


@pytest.fixture
async def berlin(
    zone: Callable[[str], Awaitable[None]], freezer: FrozenDateTimeFactory
) -> None:
    """Let it be noon in Berlin."""
    await zone("Europe/Berlin")
    freezer.move_to("2026-07-01 10:00:00+00:00")


def test_every_file_is_tested() -> None:
    assert {each.stem for each in FILES.glob("*.json")} == SHAPES.keys()


@pytest.mark.parametrize("name", SHAPES)
async def test_real_shapes(
    zone: Callable[[str], Awaitable[None]], freezer: FrozenDateTimeFactory, name: str
) -> None:
    """Each value counts for its own time, without a gap, for the whole day."""
    place, minutes, field = SHAPES[name]
    await zone(place)
    freezer.move_to("2026-07-01 10:00:00+00:00")
    data = load(name)
    sun = field in FORECASTS
    found = read(data, highest=sun)
    assert found is not None
    for text in (json.dumps(data), str(data)):
        assert read(text, highest=sun) == found
    named = name not in ("cz_spot.sensor", "numbers.sensor")
    assert (read(data, highest=not sun) is None) is named
    prices = found.prices
    assert all(one.end == later.start for one, later in pairwise(prices))
    step = timedelta(minutes=minutes)
    assert {one.end - one.start for one in prices[:-1]} == {step}
    assert {one.value for one in prices} <= numbers(data)
    start, end = (
        each.astimezone(ZoneInfo(place))
        for each in (prices[0].start, prices[-1].start + step)
    )
    if field != "watts" or minutes == 15:
        assert (start.hour, start.minute, end.hour, end.minute) == (0, 0, 0, 0)
        assert (end.date() - start.date()).days == 1 + (name in TWO_DAYS)
    best = min(
        prices,
        key=lambda one: (
            one.value if field != "watts" and "pv" not in field else -one.value
        ),
    )
    if name not in ("nordpool.get_prices_for_date", "tibber.get_prices"):
        assert 9 <= best.start.astimezone(ZoneInfo(place)).hour <= 14


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("two_homes", "prices Home price", "prices Home 2 price"),
        ("two_areas", "SE3 price", "SE4 price"),
        ("two_areas_in_a_list", "290", "291"),
    ],
)
def test_two_readings(name: str, first: str, second: str) -> None:
    """They are refused, with the names of both."""
    with pytest.raises(InvalidCommandError) as refused:
        read(load(f"refused/{name}"))
    assert refused.value.reason == "prices_ambiguous"
    assert refused.value.placeholders == {"first": first, "second": second}


DAY = datetime(2026, 6, 30, 22, tzinfo=UTC)
"""Midnight in Berlin."""
HOURS = [DAY + at * HOUR for at in range(24)]
ENDS = [each + HOUR for each in HOURS]
COURSE = [abs(13 - at) / 40 - 0.05 for at in range(24)]


def local(moment: datetime) -> str:
    return moment.astimezone(ZoneInfo("Europe/Berlin")).strftime("%FT%H:%M")


def rows(**cells: Callable[[int], object]) -> list[dict[str, object]]:
    """Return a row of cells for each hour of the day."""
    return [{name: cell(at) for name, cell in cells.items()} for at in range(24)]


def iso(moments: list[datetime]) -> Callable[[int], str]:
    return lambda at: moments[at].isoformat()


CLOCK = {f"{at:02}:00": each for at, each in enumerate(COURSE)}
"""Hours of a day as keys."""
DATED: dict[str, tuple[object, int]] = {
    "a date as key": ({"prices": {"2026-07-02": CLOCK}}, 1),
    "a date above a day": ({"2026-06-30": {"tomorrow": COURSE}}, 0),
    "a day above a date": ({"tomorrow": {"2026-07-02": CLOCK}}, 1),
    "a date beside": ({"date": "2026-06-30", "prices": CLOCK}, -1),
    "a date beside two days": (
        {"date": "2026-06-30", "today": COURSE[::-1], "tomorrow": COURSE},
        0,
    ),
    "yesterday": ({"prices_yesterday": CLOCK}, -1),
    "the day after tomorrow": ({"day_after_tomorrow": CLOCK}, 2),
}


@pytest.mark.parametrize(("data", "days"), DATED.values(), ids=DATED)
@pytest.mark.usefixtures("berlin")
def test_the_day_of_hours_without_a_date(data: object, days: int) -> None:
    """It is the day that is named nearest to them, not always today."""
    begin = DAY + days * 24 * HOUR
    found = [each for each in prices(data) if each.start >= begin]
    assert [(each.start, each.value) for each in found] == [
        (begin + at * HOUR, each) for at, each in enumerate(COURSE)
    ]


@pytest.mark.usefixtures("berlin")
async def test_the_list_of_an_entity_after_midnight(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> None:
    """What was today when an entity was written is yesterday now."""
    freezer.move_to("2026-06-30 21:30:00+00:00")
    hass.states.async_set("sensor.prices", "1", {"today": [9] * 24, "tomorrow": COURSE})
    freezer.move_to("2026-06-30 22:00:05+00:00")
    given = await Lists(hass, {}).given(
        "", {"price_entities": ["sensor.prices"]}, later=False
    )
    found = [each for each in given or () if each.end > DAY]
    assert [each.start for each in found] == HOURS
    assert [each.value for each in found] == COURSE


@pytest.mark.parametrize(
    ("attribute", "begin", "value"),
    [("Prices today", "Start", "Unit Price"), ("Price list", "from", "Price per kWh")],
)
@pytest.mark.usefixtures("berlin")
async def test_fields_whose_names_have_spaces(
    hass: HomeAssistant, attribute: str, begin: str, value: str
) -> None:
    """Each is one name: its words are other ones."""
    entries: Any = rows(
        **{begin: iso(HOURS), "Price": lambda _: 7, value: COURSE.__getitem__}
    )
    attributes = {attribute: entries, "Price": [7] * 24, "today": [7] * 24}
    hass.states.async_set("sensor.prices", "1", attributes)
    given = await Lists(hass, {}).given(
        "",
        {
            "price_entities": ["sensor.prices"],
            "fields": {"attribute": attribute, "begin": begin, "value": value},
        },
        later=False,
    )
    assert [each.value for each in given or ()] == COURSE


WEEK: dict[str, object] = {
    "weekend": {"weekday": {"00:00": 0.1, "08:00": 0.3}, "weekend": {"00:00": 0.1}},
    "seasons": {"summer": {"22:00": 0.1, "06:00": 0.3}, "winter": {"21:00": 0.2}},
    "days": {"monday": {"07:00": 0.3, "23:00": 0.1}, "sunday": {"12:00": 0.2}},
}


@pytest.mark.parametrize("data", WEEK.values(), ids=WEEK)
@pytest.mark.usefixtures("berlin")
def test_two_tariffs(data: object) -> None:
    """No hour of one is a price of the other: both count all day."""
    with pytest.raises(InvalidCommandError) as refused:
        prices(data)
    assert refused.value.reason == "prices_ambiguous"


@pytest.mark.usefixtures("berlin")
async def test_the_name_of_a_refused_list(hass: HomeAssistant) -> None:
    """It is that of the entity, whatever is wrong with what it has."""
    names = ["sensor.one", "sensor.two"]
    two = {"today_se3": COURSE, "today_\ud800": COURSE[::-1]}
    for unit, attributes in (("EUR/kWh", {"today": COURSE}), ("NOK/kWh", two)):
        entity_id = names[unit == "NOK/kWh"]
        hass.states.async_set(
            entity_id, "1", attributes | {"unit_of_measurement": unit}
        )
    lists = Lists(hass, {})
    for given, name in ((names[1:], names[1]), (names, names[0])):
        with pytest.raises(InvalidCommandError):
            await lists.given("spa", {"price_entities": given}, later=True)
        assert lists.refused_name("spa") == name
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(InvalidCommandError):
        await lists.given("spa", {"prices": deep}, later=True)
    assert lists.refused_name("spa") == "prices"


def with_price(name: str, cell: Callable[[int], object]) -> Any:
    """Return the prices of a day beside other numbers."""
    return rows(**{"start": iso(HOURS), name: cell, "price": COURSE.__getitem__})


NUMBERS: dict[str, tuple[object, list[float]]] = {
    # A part of a word is no word.
    "consumption": (with_price("total_consumption", lambda at: at * 7 % 24), COURSE),
    "an upper price": (with_price("upper_price", lambda at: at * 7 % 24), COURSE),
    "an increase": (with_price("price_increase", lambda at: at * 7 % 24), COURSE),
    "a price that never changes": (
        rows(start=iso(HOURS), price=lambda _: 0.3, rank=lambda at: at),
        [0.3] * 24,
    ),
    "a price of energy, the same in an hour and a quarter": (
        [
            {"start": ONE, "duration": "PT1H", "price": 0.2},
            {"start": TWO, "duration": "PT15M", "price": 0.2},
        ],
        [0.2, 0.2],
    ),
    "energy, read as power": (
        [
            {"start": ONE, "duration": "PT30M", "energy": 500},
            {"start": TWO, "duration": "PT1H", "energy": 500},
        ],
        [1000, 500],
    ),
}


@pytest.mark.parametrize(("data", "numbers"), NUMBERS.values(), ids=NUMBERS)
def test_which_numbers_are_prices(data: Any, numbers: list[float]) -> None:
    sun = data[0].get("energy")
    assert [each.value for each in prices(data, highest=bool(sun))] == numbers


@pytest.mark.parametrize("keys", ["{:02}:00", "2026-03-29 {:02}:00:00"])
async def test_an_hour_that_does_not_exist(
    zone: Callable[[str], Awaitable[None]], freezer: FrozenDateTimeFactory, keys: str
) -> None:
    """The clock skips it, and so does its price."""
    await zone("Europe/Berlin")
    freezer.move_to("2026-03-29 10:00:00+00:00")
    found = prices({"today": {keys.format(at): at for at in range(24)}})
    assert [each.value for each in found] == [at for at in range(24) if at != 2]
    assert all(one.end == later.start for one, later in pairwise(found))


@pytest.mark.parametrize("factors", [[10], [100, 100, 90], [11] * 24])
@pytest.mark.usefixtures("berlin")
def test_what_is_no_other_unit(factors: list[float]) -> None:
    more = [one * two for one, two in zip(COURSE, factors, strict=False)]
    hours = [hour.isoformat() for hour in HOURS]
    with pytest.raises(InvalidCommandError) as refused:
        prices({"today": COURSE, "other": list(zip(hours, more, strict=False))})
    assert refused.value.reason == "prices_ambiguous"


async def test_the_hour_that_comes_twice(
    zone: Callable[[str], Awaitable[None]],
) -> None:
    """Local times without a zone are those of both hours, in their order."""
    await zone("Europe/Stockholm")
    begin = datetime(2026, 10, 24, 22, tzinfo=UTC)
    local = [dt_util.as_local(begin + at * HOUR / 4) for at in range(100)]
    found = prices(
        [
            {"start": each.strftime("%F %T"), "value": at}
            for at, each in enumerate(local)
        ]
    )
    assert [each.start for each in found] == [
        begin + at * HOUR / 4 for at in range(100)
    ]
    assert [each.value for each in found] == list(range(100))


@pytest.mark.parametrize(("day", "hours"), [("03-29", 23), ("10-25", 25)])
@pytest.mark.parametrize("parts", [1, 4])
async def test_numbers_of_a_day_of_another_length(
    zone: Callable[[str], Awaitable[None]],
    freezer: FrozenDateTimeFactory,
    day: str,
    hours: int,
    parts: int,
) -> None:
    """As many numbers as the day has hours or quarters are those of the day."""
    await zone("Europe/Stockholm")
    freezer.move_to(f"2026-{day} 10:00:00+00:00")
    found = prices({"today": list(range(hours * parts)), "tomorrow": [None] * 24})
    assert len(found) == hours * parts
    assert found[-1].end - found[0].start == hours * HOUR
    assert prices({"today": list(range(24 * parts))}) == []


@pytest.mark.parametrize("price", [None, "unknown"])
@pytest.mark.parametrize("minutes", [15, 30, 60])
def test_a_time_without_a_price(minutes: int, price: object) -> None:
    """It is not planned at the price of another time."""
    step = timedelta(minutes=minutes)
    entries = [{"start": NOON + step * at, "price": at} for at in range(8)]
    for gap in (3, 4):
        entries[gap]["price"] = price
    found = prices(entries)
    assert [one.end - one.start for one in found] == [step] * 6
    assert prices([each for each in entries if each["price"] != price]) == found


@pytest.mark.parametrize(
    "at", ["9999-12-31T23:30:00+00:00", "9999-12-31T23:30:00-12:00", "2026-02-30T12:00"]
)
def test_times_out_of_range(at: str) -> None:
    """An entry at the end of time, or on a day that does not exist, hides no other."""
    found = prices([{"start": ONE, "end": TWO, "value": 1}, {"start": at, "value": 2}])
    assert [each.value for each in found if each.start < NOON + HOUR] == [1]


@pytest.mark.parametrize(
    "entries",
    [
        None,
        7,
        "a text",
        {},
        [1, "two", None, []],
        [{"start": "noon", "value": 1}],
        [{"start": ONE, "value": "cheap"}, {"start": ONE, "value": None}],
        [{"start": ONE, "value": float("nan")}, {"start": ONE, "value": "inf"}],
        [{"start": ONE}, {"value": 1}, {"start": ONE, "value": [1]}],
        [
            {
                "start": "9999-12-31T23:30:00Z",
                "duration": "PT99999999999999H",
                "value": 1,
            }
        ],
        {"state": "12:00", "value": 4},
        {"2026-07-01": 3, "2026-07-02": 4},
        {1: 2, None: 3},
    ],
)
def test_what_is_no_price(entries: object) -> None:
    assert prices(entries) == []
    assert prices({"prices": entries}) == []


def of_day(**cells: Callable[[int], object]) -> list[dict[str, object]]:
    return rows(start=iso(HOURS), end=iso(ENDS), **cells)


MORE: dict[str, object] = {
    "start, end and value of a sensor": {
        "raw_today": rows(
            start=HOURS.__getitem__, end=ENDS.__getitem__, value=COURSE.__getitem__
        ),
        "raw_tomorrow": [],
    },
    "nodes of GraphQL": {
        "data": {
            "supply": {
                "edges": [
                    {"node": each, "cursor": "a"}
                    for each in rows(
                        validFrom=iso(HOURS),
                        validTo=iso(ENDS),
                        unitRate=COURSE.__getitem__,
                    )
                ]
            }
        }
    },
    "pairs": [[h.isoformat(), each] for h, each in zip(HOURS, COURSE, strict=True)],
    "local times as keys": {
        "prices": {local(h): each for h, each in zip(HOURS, COURSE, strict=True)}
    },
    "hours as keys": {"today": {f"{at:02}:00": COURSE[at] for at in range(24)}},
    "numbers of today": {"today": COURSE, "tomorrow": [None] * 24},
    "a list of times and one of numbers": {
        "unix_seconds": [h.timestamp() for h in HOURS],
        "price": COURSE,
        "unit": "EUR / MWh",
    },
    "a period in an object": rows(
        period=lambda at: {"start": iso(HOURS)(at), "end": iso(ENDS)(at)},
        price=lambda at: {"amount": COURSE[at], "currency": "EUR"},
    ),
    "one hour in two zones, without a zone": rows(
        HourUTC=lambda at: HOURS[at].strftime("%FT%T"),
        HourDK=lambda at: local(HOURS[at]),
        SpotPriceEUR=COURSE.__getitem__,
        SpotPriceDKK=lambda at: COURSE[at] * 7.46,
    ),
    "with and without tax, and a rank": rows(
        DateTime=iso(HOURS),
        Rank=lambda at: sorted(COURSE).index(COURSE[at]) + 1,
        PriceNoTax=lambda at: COURSE[at] / 1.255,
        PriceWithTax=COURSE.__getitem__,
    ),
    "two currencies and their rate": rows(
        SEK_per_kWh=COURSE.__getitem__,
        EUR_per_kWh=lambda at: round(COURSE[at] / 11.3, 5),
        EXR=lambda at: 11.3,
        time_start=iso(HOURS),
        time_end=iso(ENDS),
    ),
    "a home with the price of now": {
        "homes": [
            {
                "id": 7,
                "updated": "2026-07-01T10:00:00Z",
                "current": {"price": 9, "start": "2026-07-01T10:00:00Z"},
                "today": rows(start=iso(HOURS), price=COURSE.__getitem__),
            }
        ]
    },
    "a sum": of_day(energy=lambda at: at % 5, all_in=COURSE.__getitem__),
    "Amber's API": rows(
        startTime=iso(HOURS),
        endTime=iso(ENDS),
        perKwh=COURSE.__getitem__,
        spotPerKwh=lambda at: at % 5,
    ),
    "amounts in a list": {
        "prices": rows(
            start_timestamp=iso(HOURS),
            end_timestamp=iso(ENDS),
            grid=lambda at: [{"unit": "CHF_kWh", "value": 0.1}],
            integrated=lambda at: [
                {"unit": "CHF_m", "value": 5.4},
                {"unit": "CHF_kWh", "value": COURSE[at]},
            ],
        )
    },
    "twice in two units": rows(
        start_time=iso(HOURS),
        end_time=iso(ENDS),
        price_eur_per_mwh=lambda at: COURSE[at] * 1000,
        price_ct_per_kwh=COURSE.__getitem__,
    ),
    "twice in two units, as two lists": {
        "ct_per_kwh": with_price("spot", lambda at: at),
        "today": COURSE,
        "today_mwh": [round(each * 1000, 1) for each in COURSE],
    },
    "of the Swiss standard, with a fee of a month and the unit of Swisspower": {
        "publication_timestamp": "",
        "prices": rows(
            start_timestamp=lambda at: f"{local(HOURS[at])}+02:00",
            end_timestamp=lambda at: f"{local(ENDS[at])}+02:00",
            integrated=lambda at: [
                {"unit": "CHF_m", "value": 5},
                {"unit": "CHF/kWh", "value": COURSE[at], "component": "work"},
            ],
            feed_in=lambda at: [{"unit": "CHF_kWh", "value": 0.138}],
        ),
    },
    "a list of tariffs beside": {
        "raw_today": rows(hour=iso(HOURS), price=COURSE.__getitem__),
        "today": COURSE,
        "tariffs": {"tariffs": {str(at): 0.04 for at in range(24)}},
    },
    "milliseconds as texts": [
        [str(round(hour.timestamp() * 1000)), each]
        for hour, each in zip(HOURS, COURSE, strict=True)
    ],
    "beside a forecast": rows(
        start_time=iso(HOURS),
        end_time=iso(ENDS),
        price_eur_per_kwh=COURSE.__getitem__,
        p_pv_forecast=lambda at: at * 7 % 24,
    ),
}


@pytest.mark.parametrize("data", MORE.values(), ids=MORE)
@pytest.mark.usefixtures("berlin")
def test_more_shapes(data: object) -> None:
    """A shape is read whatever its names are."""
    assert prices(data) == [
        Price(*each) for each in zip(HOURS, ENDS, COURSE, strict=True)
    ]


POWER = [max(0.0, 8 - abs(13 - at)) for at in range(24)]
FORECASTS_OF_A_DAY: dict[str, object] = {
    "hours as numbers": rows(hour=lambda at: at, kwh=POWER.__getitem__),
    "beside a price": rows(
        start_time=iso(HOURS),
        end_time=iso(ENDS),
        price_eur_per_kwh=lambda at: at * 7 % 24,
        p_pv_forecast=POWER.__getitem__,
    ),
    "the common form": of_day(power=POWER.__getitem__),
    "an energy that adds up": {
        "watt_hours": {
            hour.isoformat(): sum(POWER[:at])
            for at, hour in enumerate([*HOURS, ENDS[-1]])
        }
    },
}


@pytest.mark.parametrize("data", FORECASTS_OF_A_DAY.values(), ids=FORECASTS_OF_A_DAY)
@pytest.mark.usefixtures("berlin")
def test_forecasts(data: object) -> None:
    found = prices(data, highest=True)
    assert [each.start for each in found] == HOURS
    assert [each.value for each in found] == pytest.approx(POWER)


@pytest.mark.usefixtures("berlin")
def test_a_tariff_repeats_daily() -> None:
    for data in (
        {"22:00": 0.18, "06:00": 0.32},
        [{"start": "22:00", "price": 0.18}, {"start": "06:00", "price": 0.32}],
    ):
        found = prices(data)
        assert {one.value: one.end - one.start for one in found[:2]} == {
            0.18: 8 * HOUR,
            0.32: 16 * HOUR,
        }
        assert price_at(found, DAY + 3 * HOUR) == price_at(found, DAY + 99 * HOUR)
        assert price_at(found, DAY + 22 * HOUR) == 0.18
        assert found[-1].end - DAY > timedelta(days=8)


@pytest.mark.usefixtures("berlin")
def test_a_month_of_quarters() -> None:
    """The newest count, in either order."""
    first = DAY - 31 * 24 * HOUR
    entries = [
        {"start": (first + at * HOUR / 4).isoformat(), "price": at}
        for at in range(33 * 96)
    ]
    for data in (entries, entries[::-1], entries * 9):
        assert price_at(prices(data), DAY + 23 * HOUR) == 31 * 96 + 92


LONG: dict[str, object] = {
    "the last day": {"date": "9999-12-31", "tomorrow": COURSE, "prices": CLOCK},
    "no date": {"date": "2026-02-30", "today": COURSE},
    "many numbers": [{"start": ONE, "price": [*range(200_000)]}],
    "many columns": {f"at_{at}": COURSE * 100 for at in range(300)},
    "many columns of times": {f"t{at}": [ONE] * 2000 for at in range(300)},
    "many objects": [{"a": {"b": {"c": at}}} for at in range(50_000)],
    "a long text": "[" * 100_000,
    "a long broken text": "{'a': " + "'b', " * 500_000,
    "huge numbers": [{"start": ONE, "price": 10**400}, {"start": 10**400, "price": 1}],
}


@pytest.mark.row("W27")
@pytest.mark.parametrize("data", LONG.values(), ids=LONG)
@pytest.mark.usefixtures("berlin")
def test_broken_lists(data: object) -> None:
    begun = time.thread_time()
    assert prices(data) == []
    assert time.thread_time() - begun < 2


def test_the_page_has_every_known_list() -> None:
    page = (Path(__file__).parents[2] / "docs" / "schedules.md").read_text()
    rows = re.findall(
        r"^\| (.+?) \| (`.+`) \| a (price|forecast) \|$", page, re.MULTILINE
    )
    listed = {
        (title, name, kind == "price")
        for title, names, kind in rows
        for name in re.findall(r"`(\w[\w./]*)`", names)
    }
    assert listed == {
        (one.title, name, one.kind is Kind.PRICE)
        for one in KNOWN
        for name in str(one.value or one.at).split()
    }
