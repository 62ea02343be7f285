"""Prices and forecasts in attributes of other integrations, each with its own format.

The names are those of common integrations, from their documentation or code. If
entries overlap, the last one counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from math import isfinite
from typing import Any, Final

from homeassistant.util import dt as dt_util

from ..client.planning import Price

LISTS: Final = (
    "raw_today",  # Nord Pool, Energi Data Service
    "raw_tomorrow",
    "prices_today",  # ENTSO-e
    "prices_tomorrow",
    "prices",  # ENTSO-e, Tibber's data of an action
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
    *("hour", "datetime"),
)
_ENDS: Final = ("end", "end_time", "endsAt", "ends_at", "till", "to", "period_end")
_VALUES: Final = (
    *("value", "price", "price_per_kwh", "price_ct_per_kwh", "price_eur_per_mwh"),
    *("value_inc_vat", "per_kwh", "total", "pv_estimate", "watts", "wh_period"),
)
_USUAL: Final = timedelta(hours=1)
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


def prices(entries: object) -> list[Price]:
    """Return the prices of a list of objects, or of an object of values by time.

    An entry without an end lasts until the next one starts, the last one as long as its
    predecessor. Other entries are ignored: no time without a price is planned.
    """
    found = sorted(
        (
            (start, _end(entry), value)
            for entry in _entries(entries)
            if (start := _moment(_first(entry, _STARTS))) is not None
            and (value := _number(_first(entry, _VALUES))) is not None
        ),
        key=lambda each: each[0],
    )
    lengths = [later[0] - earlier[0] for earlier, later in pairwise(found)]
    lengths += lengths[-1:] or [_USUAL]
    return [
        Price(start, end or start + length, value)
        for (start, end, value), length in zip(found, lengths, strict=False)
    ]


def _entries(entries: object) -> Iterable[Mapping[str, Any]]:
    if isinstance(entries, Mapping):
        entries = [{"start": at, "value": value} for at, value in entries.items()]
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return ()
    return (entry for entry in entries[:_MOST] if isinstance(entry, Mapping))


def _first(entry: Mapping[str, Any], names: Iterable[str]) -> object:
    return next((entry[name] for name in names if entry.get(name) is not None), None)


def _end(entry: Mapping[str, Any]) -> datetime | None:
    return _moment(_first(entry, _ENDS))


def _moment(value: object) -> datetime | None:
    """Return a time, in Home Assistant's time zone if it has none."""
    at = dt_util.parse_datetime(value) if isinstance(value, str) else value
    if not isinstance(at, datetime):
        return None
    return at if at.tzinfo else at.replace(tzinfo=dt_util.get_default_time_zone())


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except ValueError, OverflowError:
        return None
    return number if number is not None and isfinite(number) else None
