"""Lists of prices and forecasts of other integrations, known by their names.

Whatever holds a list (attributes, the response of an action, a text of a template) is
searched for the names of `sources`, and what has none of them is no list. Sizes are cut
before anything is compared, but a long list takes longer than the event loop has.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain, groupby, pairwise
import re
from statistics import mode
from string import ascii_letters
from typing import Final, NamedTuple

from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads

from ..client import InvalidCommandError
from .sources import TABLE, Kind, ListSource

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS: Final = {
    "day_after_tomorrow": 2,
    "tomorrow": 1,
    "next_day": 1,
    "today": 0,
    "yesterday": -1,
}
_DAY: Final = re.compile("|".join((*_DAYS, _DATE.pattern)))
_DAILY: Final = (0, -1, *range(1, 9))
"""Days from today for which a tariff counts: requests lie a week ahead."""
_CLOCK: Final = re.compile(r"([01]?\d|2[0-3])(?::([0-5]\d)(?::00)?|h(?:_d)?)")
"""`07:00`, or `07h`; PVPC adds `_d` to an hour that comes twice."""
_PYTHON: Final = {"'": '"', "None": "null", "True": "true", "False": "false"}
"""How a template shows a value, and what JSON has for it."""
_HOUR: Final = timedelta(hours=1)
_STEPS: Final = _HOUR / 4, _HOUR / 2, _HOUR
_FIRST_TIME: Final = 1e9
"""Numbers from here on are times in s or ms since 1970: from 2001."""
_FORECAST: Final = Kind.ASKED, Kind.POWER, Kind.ENERGY, Kind.RISING
_MOST: Final = 4000
"""Maximum entries of a list, more than a month of quarter-hours; the newest count."""
_LONGEST: Final = 1_000_000
"""Maximum characters of a text."""

type _Path = tuple[str, ...]
"""Names of what holds a list."""
type _Entry = Mapping[str, object]
"""Cells by name; those of a time as key or of a pair are "" and "value"."""
type _Lists = Iterator[tuple[str, Sequence[_Entry]]]
"""Entries, and what is added to the names of what holds them."""


class ListError(InvalidCommandError):
    """A list that cannot be used: its name and what was found, or two names."""

    def __init__(self, reason: str, first: str = "", second: str = "") -> None:
        super().__init__(reason=reason, first=first, second=second)
        self.first = first


@dataclass(frozen=True, slots=True)
class Price:
    """Price during a period, in any unit; constant within the period."""

    start: datetime
    end: datetime
    value: float


class PriceList(NamedTuple):
    """Prices in the order of their times; none overlap."""

    source: ListSource
    title: str
    """All its names, for a person."""
    prices: Sequence[Price]


def price_at(prices: Sequence[Price], moment: datetime) -> float | None:
    """Return the price at a time, of prices in the order of time."""
    place = bisect_right(prices, moment, key=lambda price: price.start)
    price = prices[place - 1] if place else None
    return price.value if price and moment < price.end else None


def read(
    data: object,
    table: Sequence[ListSource] = TABLE,
    *,
    highest: bool = False,
    integration: str = "",
    written: datetime | None = None,
) -> PriceList | None:
    """Return prices or, for the highest values, a forecast; `None` without such a list.

    What it calls today is the day on which it was written: today by default.
    Raises ListError if two values may be meant for the same time, such as those of two
    homes, or if a forecast only rises.
    """
    today = dt_util.as_local(written or dt_util.utcnow()).date()
    try:
        every = _found(data, table, today)
        found = sorted(every, key=lambda one: table.index(one.source))
    except ArithmeticError, LookupError, TypeError, ValueError:
        return None  # whatever it raises, it is no list
    own = [one for one in found if one.source.integration == integration != ""]
    known = own or [one for one in found if one.source.title] or found
    kinds = _FORECAST if highest else (Kind.ASKED, Kind.PRICE)
    asked = [one for one in known if one.source.kind in kinds]
    rows = {one.source.title: one.source for one in reversed(asked)}.values()
    return _together([one for one in asked if one.source in rows], highest)


def _together(lists: Sequence[PriceList], highest: bool) -> PriceList | None:
    every = [(price, each.title) for each in lists for price in each.prices]
    every.sort(key=lambda pair: pair[0].start)
    for (one, name), (two, other) in pairwise(every):
        if one.start == two.start and one.value != two.value:
            values = f"{one.value:g}", f"{two.value:g}"
            raise ListError(
                "prices_ambiguous", *(values if name == other else (name, other))
            )
    prices = list({price.start: price for price, _ in every}.values())
    by_day = groupby(prices, lambda price: dt_util.as_local(price.start).date())
    days = [[price.value for price in day] for _, day in by_day]
    # Values that never fall before midnight are an energy that adds up.
    rising = all(day == sorted(day) for day in days) and len({*chain(*days)}) > 2
    if rising and highest and lists[0].source.kind is Kind.ASKED:
        raise ListError("prices_rise", lists[0].title)
    for at, (price, later) in enumerate(pairwise(prices)):
        prices[at] = replace(price, end=min(price.end, later.start))
    return lists[0]._replace(prices=prices) if prices else None


# Each object or list becomes entries, and those with the names of a source a list.


def _found(
    data: object, table: Sequence[ListSource], today: date
) -> Iterator[PriceList]:
    holders: list[tuple[_Path, object]] = [((), data)]
    for names, each in holders:  # it grows as it is searched
        path, holder, fitting = names, _parsed(each), False
        if isinstance(holder, Mapping):
            lists, keys = _in_object, list(holder)
        elif isinstance(holder, list | tuple):
            lists, keys = _in_list, list(range(len(holder)))
        else:
            continue
        cells = {str(key): holder[key] for key in (*keys[:_MOST], *keys[-_MOST:])}
        if _DATE.fullmatch(beside := str(cells.get("date"))):
            path = (*path, beside)
        for name, entries in lists(cells, _days(path, today)):
            place = (*path, name) if name else path
            days = _days(place, today)
            sources = [one for one in table if _fits(one, place, entries)]
            # Only the names around a list say that it is at its place.
            placed = [one for one in sources if bool(one.at) is bool(place)]
            for source in placed or sources:
                fitting, value = True, _cell(entries[-1], source.value)[1]
                title = " ".join((*place, value)).strip()
                yield PriceList(source, title, _prices(source, days, entries))
        if not fitting and len(holders) < _MOST:
            holders += [((*path, key), cell) for key, cell in cells.items()]


def _parsed(data: object) -> object:
    """Return a value, or what a text has: JSON, or Python from a template."""
    if isinstance(data, str) and data.lstrip()[:1] in ("[", "{"):
        text = data[:_LONGEST]
        json = re.sub("|".join(_PYTHON), lambda found: _PYTHON[found[0]], text)
        for each in (text, json):
            with suppress(ValueError):
                return json_loads(each)
    return data


def _in_object(cells: _Entry, days: Sequence[date]) -> _Lists:
    """Return the entries of times as keys, by what else the keys have, and of columns."""
    keys = defaultdict[str, list[_Entry]](list)
    for key, each in cells.items():
        clock = key.lstrip(f"{ascii_letters}_")
        if _time(clock, "", days[0]):
            keys[key.removesuffix(clock)].append({"": clock, "value": each})
    yield from ((name, each) for name, each in keys.items() if len(each) > 1)
    lists = [(key, each) for key, each in cells.items() if isinstance(each, list)]
    columns = {key: each[-_MOST:] for key, each in lists}
    if len({len(each) for each in columns.values()}) == 1:
        rows = zip(*columns.values(), strict=True)
        yield "", [dict(zip(columns, row, strict=True)) for row in rows]


def _in_list(cells: _Entry, days: Sequence[date]) -> _Lists:
    """Return the entries of objects, of pairs, or of numbers for each part of a day."""
    values = list(cells.values())
    pairs = [each for each in values if isinstance(each, list | tuple)]
    pairs = [each for each in pairs if len(each) == 2]
    if rows := [each for each in values if isinstance(each, Mapping)]:
        yield "", rows
    elif pairs:
        yield "", [{"": at, "value": value} for at, value in pairs]
    elif values and len(days) == 1:
        midnights = days[0], days[0] + timedelta(days=1)
        start, end = map(dt_util.as_utc, map(dt_util.start_of_local_day, midnights))
        if (step := (end - start) / len(values)) in _STEPS:
            numbers = enumerate(values)
            yield "", [{"": start + at * step, "value": each} for at, each in numbers]


def _days(path: _Path, today: date) -> Sequence[date]:
    """Return the day that names mean; without any, all for which a tariff counts.

    Names such as tomorrow count from the date above them.
    """
    names, later = _DAY.findall(" ".join(path).lower()), 0
    for name in names:
        if name in _DAYS:
            later = _DAYS[name]
        else:
            today, later = date.fromisoformat(name), 0
    return [today + timedelta(days=each) for each in ([later] if names else _DAILY)]


def _fits(source: ListSource, path: _Path, entries: Sequence[_Entry]) -> bool:
    if source.at and path and path[-1] not in source.at.split():
        return False
    ends, names = (entries[0], entries[-1]), (source.begin, source.value or "value")
    return all(any(_cell(one, name)[1] for one in ends) for name in names)


def _cell(entry: _Entry, names: str) -> tuple[object, str]:
    """Return the value of the first of some names, and that name."""
    for name in names.split() or [""]:
        value: object = entry
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is not None:
            return value, name or " "
    return None, ""


# Rows become prices.


def _prices(
    source: ListSource, days: Sequence[date], entries: Sequence[_Entry]
) -> Sequence[Price]:
    clock = _CLOCK.fullmatch(str(_cell(entries[0], source.begin)[0]))
    days = days if clock and not source.title else days[:1]
    rows = [row for day in days for each in entries if (row := _row(source, day, each))]
    starts = list(_in_turn(start for start, _, _ in rows))
    later = dict(pairwise(sorted({*starts})))
    usual = mode([end - start for start, end in later.items()] or [_HOUR])
    # Hours and parts of an hour are not longer than most of them; tariffs are.
    longest = timedelta.max if usual > _HOUR or days[1:] else usual
    prices = []
    for at, (_, given, number) in zip(starts, rows, strict=True):
        length = min(later[at] - at, longest) if at in later else usual
        start = at if source.start or not source.end else at - length
        end = given if given and given > start else start + length
        if number is not None:
            mean = (end - start) / _HOUR if source.kind is Kind.ENERGY else 1
            prices.append(Price(start, end, number / mean))
    prices.sort(key=lambda price: price.start)
    return (_rises(prices) if source.kind is Kind.RISING else prices)[-_MOST:]


def _rises(prices: Sequence[Price]) -> list[Price]:
    """Return the mean power between values of an energy that adds up over the day."""
    return [
        Price(a.start, b.start, (b.value - a.value) / ((b.start - a.start) / _HOUR))
        for a, b in pairwise(prices)
        if a.start < b.start and a.value <= b.value
    ]


def _row(
    source: ListSource, day: date, entry: _Entry
) -> tuple[datetime, datetime | None, float | None] | None:
    """Return begin, end and value of an entry."""
    number = _number(_cell(entry, source.value or "value")[0])
    cell, name = _cell(entry, source.end) if source.start else (None, "")
    end = _time(cell, name, day)
    if (start := _time(*_cell(entry, source.begin), day)) is None:
        return None
    if name == "duration":
        end = start + (dt_util.parse_duration(str(cell)) or timedelta())
    elif end and end <= start:  # as a time of day, it is on the next one
        end = _time(cell, name, day + timedelta(days=1))
    return start, end, number


def _in_turn(starts: Iterable[datetime]) -> Iterator[datetime]:
    """Return starts; a local time that comes twice is that of both hours, in turn."""
    begun: set[datetime] = set()
    for start in starts:
        again = dt_util.as_utc(dt_util.as_local(start).replace(fold=1))
        yield again if start in begun else start
        begun.add(start)


def _time(value: object, name: str, day: date) -> datetime | None:
    """Return a time in UTC. Without a zone, it is local, and without a date of a day.

    It is UTC if its name says so. A whole number is an hour if that is its name.
    """
    with suppress(ValueError):
        if isinstance(value, str):
            if clock := _CLOCK.fullmatch(value):
                value = datetime.combine(day, time(int(clock[1]), int(clock[2] or 0)))
            elif value.isdecimal():
                value = float(value)
            elif len(value) > len("2026-07-01"):
                value = dt_util.parse_datetime(value)
        if isinstance(value, int | float):
            if name == "hour" and value in range(24):
                value = datetime.combine(day, time(int(value)))
            elif _FIRST_TIME <= value < 1e13:
                seconds = value if value < 1e11 else value / 1000
                value = dt_util.utc_from_timestamp(seconds)
        if isinstance(value, datetime) and 2000 < value.year < 3000:
            zone = UTC if "utc" in name.lower() else None
            return _minute(value.replace(tzinfo=value.tzinfo or zone))
    return None


def _minute(value: datetime) -> datetime | None:
    """Return the nearest minute, `None` for a local time that the clock skips.

    Periods may begin a second late (Amber), or end one early.
    """
    moment = dt_util.as_utc(value)
    if value.tzinfo is None and dt_util.as_local(moment).replace(tzinfo=None) != value:
        return None
    return (moment + timedelta(seconds=30)).replace(second=0, microsecond=0)


def _number(value: object) -> float | None:
    """Return a finite number, or the only amount for a kWh in a list of amounts."""
    if isinstance(value, list):
        amounts = [
            each.get("value")
            for each in value
            if isinstance(each, Mapping) and "kwh" in str(each.get("unit")).lower()
        ]
        value = amounts[0] if len(amounts) == 1 else None
    with suppress(ValueError, OverflowError):
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            number = float(value)
            return number if abs(number) < _FIRST_TIME else None
    return None
