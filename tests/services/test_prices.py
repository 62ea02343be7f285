"""Price lists of other integrations, each in its own format."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
import json
from pathlib import Path
from typing import Any

from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.services.prices import listed, prices

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ONE, TWO = NOON.isoformat(), (NOON + HOUR).isoformat()
THREE = (NOON + 2 * HOUR).isoformat()
BOTH = [(NOON, NOON + HOUR, 0.3), (NOON + HOUR, NOON + 2 * HOUR, -0.1)]


FORMS: dict[str, dict[str, Any]] = {
    "Nord Pool": {
        "raw_today": [{"start": NOON, "end": NOON + HOUR, "value": 0.3}],
        "raw_tomorrow": [{"start": NOON + HOUR, "end": THREE, "value": -0.1}],
    },
    "Energi Data Service": {
        "raw_today": [{"hour": NOON, "price": 0.3}, {"hour": TWO, "price": -0.1}]
    },
    "ENTSO-e": {"prices": [{"time": ONE, "price": 0.3}, {"time": TWO, "price": -0.1}]},
    "EPEX Spot": {
        "data": [
            {"start_time": ONE, "end_time": TWO, "price_per_kwh": 0.3},
            {"start_time": TWO, "end_time": THREE, "price_per_kwh": -0.1},
        ]
    },
    "Octopus Energy": {
        "rates": [
            {"start": NOON, "end": TWO, "value_inc_vat": 0.3},
            {"start": TWO, "end": THREE, "value_inc_vat": -0.1},
        ]
    },
    "Solcast": {
        "detailedForecast": [
            {"period_start": NOON, "pv_estimate": 0.3},
            {"period_start": NOON + HOUR, "pv_estimate": -0.1},
        ]
    },
    "Open-Meteo": {"watts": {ONE: 0.3, TWO: -0.1}},
    "Amber, whose periods begin a second late": {
        "forecasts": [
            {
                "start_time": f"2026-07-01T{start}+00:00",
                "end_time": f"2026-07-01T{end}+00:00",
                "per_kwh": price,
            }
            for start, end, price in (
                ("12:00:01", "13:00:00", 0.3),
                ("13:00:01", "13:59:59", -0.1),
            )
        ]
    },
}


@pytest.mark.parametrize("attributes", FORMS.values(), ids=FORMS)
def test_forms(attributes: dict[str, Any]) -> None:
    found = listed(attributes | {"unit_of_measurement": "EUR/kWh", "currency": "EUR"})
    assert [(each.start, each.end, each.value) for each in found] == BOTH


ENTRIES = [{"start": ONE, "end": TWO, "price": 0.3}, {"start": TWO, "price": -0.1}]


@pytest.mark.parametrize(
    "answer",
    [
        # Nord Pool's and Tibber's own actions answer with texts.
        [{"start": ONE, "end": TWO, "price": "0.3"}, {"start": TWO, "price": -0.1}],
        [{"start_time": TWO, "price": -0.1}, {"start_time": ONE, "price": 0.3}],
        {"prices": ENTRIES, "hours_requested": 2},
        {"watts": {ONE: 0.3, TWO: -0.1}, "empty": {}, "none": None},
        {"a": {"b": ENTRIES}},
    ],
)
def test_answers_of_actions(answer: object) -> None:
    assert [(each.start, each.end, each.value) for each in prices(answer)] == BOTH


def test_an_object_in_itself() -> None:
    endless: dict[str, object] = {}
    endless["again"] = endless
    assert prices(endless) == []


RESPONSES = Path(__file__).parents[1] / "fixtures" / "prices"
"""Whole responses of actions, in the form of Home Assistant 2026.10."""


@pytest.mark.parametrize("name", ["nordpool.get_prices_for_date", "tibber.get_prices"])
def test_the_response_of_an_action(name: str) -> None:
    """It is given as it is: the prices of a day by area or home."""
    found = prices(json.loads((RESPONSES / f"{name}.json").read_text()))
    assert len(found) == 96
    assert found[0].start == datetime(2026, 6, 30, 22, tzinfo=UTC)
    assert found[-1].end == datetime(2026, 7, 1, 22, tzinfo=UTC)
    assert all(one.end == after.start for one, after in pairwise(found))


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


def test_the_times_of_a_tariff() -> None:
    """Without an end and without equal hours, each price lasts until the next one."""
    entries = {(NOON + HOUR * at).isoformat(): at for at in (0, 7, 23)}
    found = prices(entries)
    assert [one.end for one in found[:2]] == [one.start for one in found[1:]]


@pytest.mark.parametrize(
    "at", ["9999-12-31T23:30:00+00:00", "9999-12-31T23:30:00-12:00", "2026-02-30T12:00"]
)
def test_times_out_of_range(at: str) -> None:
    """An entry at the end of time, or on a day that does not exist, hides no other."""
    found = prices([{"start": ONE, "end": TWO, "value": 1}, {"start": at, "value": 2}])
    assert [each.value for each in found if each.start < NOON + HOUR] == [1]


def test_a_time_without_a_zone() -> None:
    """A time without a zone is local time."""
    (found,) = prices([{"start": "2026-07-01T12:00:00", "value": 1}])
    zone = dt_util.get_default_time_zone()
    assert found.start == datetime(2026, 7, 1, 12, tzinfo=zone)
    assert found.end - found.start == HOUR


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
        {"state": "12:00", "value": 4},
        {1: 2, None: 3},
    ],
)
def test_what_is_no_price(entries: object) -> None:
    assert prices(entries) == []
    assert listed({"prices": entries}) == []
