"""Prices and forecasts in attributes of other integrations, each with its own format.

The names are those of common integrations, from their documentation or code. If
entries overlap, the last one counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import isfinite
from statistics import multimode
from typing import Any, Final

from homeassistant.util import dt as dt_util

from ..schedules.planning import Price

LISTS: Final = (
    "raw_today",  # Nord Pool, Energi Data Service
    "raw_tomorrow",
    "prices_today",  # ENTSO-e
    "prices_tomorrow",
    "prices",  # ENTSO-e
    "data",  # EPEX Spot
    "rates",  # Octopus Energy
    "forecasts",  # Amber
    "forecast",
    "detailedForecast",  # Solcast
    "detailedHourly",
    "watts",  # Open-Meteo Solar Forecast: {time: W}
    "wh_period",
)
"""Attributes that hold the entries; all that exist are used."""
_STARTS: Final = (
    *("start", "start_time", "startsAt", "starts_at", "from", "period_start", "time"),
    *("hour", "datetime", "timestamp"),
)
_ENDS: Final = ("end", "end_time", "endsAt", "ends_at", "till", "to", "period_end")
_VALUES: Final = (
    *("value", "price", "price_per_kwh", "price_ct_per_kwh", "price_eur_per_mwh"),
    *("value_inc_vat", "per_kwh", "total", "pv_estimate", "watts", "wh_period"),
)
_HOUR: Final = timedelta(hours=1)
_LATEST: Final = datetime.max.replace(tzinfo=UTC)
_DEPTH: Final = 3
"""Levels of objects in objects: Tibber's response has `prices`, then a home."""
_MOST: Final = 2000
"""Maximum entries of a list: a week of quarter-hours, three times."""


def listed(attributes: Mapping[str, Any]) -> list[Price]:
    """Return every price that the attributes of an entity hold."""
    return [
        price
        for name in LISTS
        if name in attributes
        for price in prices(attributes[name])
    ]


def prices(entries: object, depth: int = _DEPTH) -> list[Price]:
    """Return the prices of a list of objects, or of an object of values by time.

    An object may also hold such lists or objects, as the response of an action does. An
    entry without an end lasts until the next one starts, but in a list of hours or
    parts of an hour not longer than most of them: no time without a price is planned.
    """
    if isinstance(entries, Mapping):
        inner = [
            price
            for value in entries.values()
            if depth and not isinstance(value, str)
            for price in prices(value, depth - 1)
        ]
        by_time = [{"start": at, "value": value} for at, value in entries.items()]
        return inner + _prices(by_time)
    if isinstance(entries, Sequence) and not isinstance(entries, str):
        return _prices(entries)
    return []


def _prices(entries: Sequence[object]) -> list[Price]:
    found = sorted(
        (
            (start, _moment(_first(entry, _ENDS)), _number(_first(entry, _VALUES)))
            for entry in entries[:_MOST]
            if isinstance(entry, Mapping)
            and (start := _moment(_first(entry, _STARTS))) is not None
        ),
        key=lambda each: each[0],
    )
    lengths = [later[0] - earlier[0] for earlier, later in pairwise(found)]
    usual = min(multimode(filter(None, lengths)), default=_HOUR)
    if usual <= _HOUR:
        lengths = [min(length, usual) for length in lengths]
    return [
        Price(start, end or start + min(length, _LATEST - start), value)
        for (start, end, value), length in zip(found, [*lengths, usual], strict=False)
        if value is not None
    ]


def _first(entry: Mapping[str, Any], names: Iterable[str]) -> object:
    return next((entry[name] for name in names if entry.get(name) is not None), None)


def _moment(value: object) -> datetime | None:
    """Return a time in UTC; without a zone, it is Home Assistant's local time.

    It is a whole minute: periods may begin a second late (Amber), or end one early.
    """
    try:
        at = dt_util.parse_datetime(value) if isinstance(value, str) else value
        if not isinstance(at, datetime):
            return None
        nearest = dt_util.as_utc(at) + timedelta(seconds=30)
        return nearest.replace(second=0, microsecond=0)
    except ValueError, OverflowError:
        return None


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except ValueError, OverflowError:
        return None
    return number if number is not None and isfinite(number) else None
