"""Lists of prices and forecasts of other integrations, known by their names.

Whatever holds a list (attributes, the response of an action, a text of a template) is
searched for the names of `sources`, and what has none of them is no list. Sizes are cut
before anything is compared, but a long list takes longer than the event loop has.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice, pairwise
import re
from statistics import mode
from typing import Final, NamedTuple

from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads

from ..client.wire.exceptions import InvalidCommandError
from .sources import TABLE, Kind, Source

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS: Final = {"day_after_tomorrow": 2, "tomorrow": 1, "next_day": 1, "yesterday": -1}
_DAY: Final = re.compile("|".join((*_DAYS, "today", _DATE.pattern)))
_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::00)?")
_HOUR_KEY: Final = re.compile(r"(\D+)([01]\d|2[0-3])h(?:_d)?")
"""`price_07h`; PVPC adds `_d` to an hour that comes twice."""
_PYTHON: Final = {"'": '"', "None": "null", "True": "true", "False": "false"}
"""How a template shows a value, and what JSON has for it."""
_DAILY: Final = range(-1, 9)
"""Days for which times of day without a date count: requests lie a week ahead."""
_HOUR: Final = timedelta(hours=1)
_STEPS: Final = _HOUR / 4, _HOUR / 2, _HOUR
_FIRST_TIME: Final = 1e9
"""Numbers from here on are times in s or ms since 1970: from 2001."""
_FORECAST: Final = Kind.ASKED, Kind.POWER, Kind.ENERGY, Kind.RISING
_HOLDERS: Final = (Mapping, list, tuple)
_DEPTH, _COLUMNS = 10, 30
_MOST: Final = 4000
"""Maximum entries of a list, more than a month of quarter-hours; the newest count."""
_LONGEST: Final = 1_000_000
"""Maximum characters of a text."""

type _Path = tuple[str, ...]
"""Names of what holds a list; the first one is the date on which it was today."""
type _Entry = Mapping[str, object]
"""Cells by name; those of a time as key or of a pair are "" and "value"."""
type _Row = tuple[datetime, datetime | None, float | None]


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

    source: Source
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
    table: Sequence[Source] = TABLE,
    *,
    highest: bool = False,
    integration: str = "",
    written: datetime | None = None,
) -> PriceList | None:
    """Return prices or, for the highest values, a forecast; `None` without such a list.

    What it calls today is the day on which it was written: today by default.
    Raises InvalidCommandError if two values may be meant for the same time, such as
    those of two homes.
    """
    today = (dt_util.as_local(written) if written else dt_util.now()).date()
    try:
        every = islice(_found(data, (today.isoformat(),), table), _MOST)
        found = sorted(every, key=lambda one: table.index(one.source))
    except ArithmeticError, LookupError, RecursionError, TypeError, ValueError:
        return None  # whatever it raises, it is no list
    own = [one for one in found if one.source.integration == integration != ""]
    known = own or [one for one in found if one.source.title] or found
    kinds = _FORECAST if highest else (Kind.ASKED, Kind.PRICE)
    asked = [one for one in known if one.source.kind in kinds]
    rows = {one.source.title: one.source for one in reversed(asked)}.values()
    return _together([one for one in asked if one.source in rows], highest)


def _together(lists: Sequence[PriceList], highest: bool) -> PriceList | None:
    found: dict[datetime, Price] = {}
    for each in lists:
        for price in each.prices:
            first = found.setdefault(price.start, price)
            if first.value != price.value:
                names = lists[0].title, each.title
                values = f"{first.value:g}", f"{price.value:g}"
                raise ListError(
                    "prices_ambiguous", *(values if len({*names}) == 1 else names)
                )
    prices = [found[start] for start in sorted(found)]
    pairs = list(pairwise(prices))
    for at, (price, later) in enumerate(pairs):
        prices[at] = replace(price, end=min(price.end, later.start))
    # Values that never fall before midnight are an energy that adds up.
    day = [
        (one.value, later.value)
        for one, later in pairs
        if dt_util.as_local(one.start).date() == dt_util.as_local(later.start).date()
    ]
    asked = bool(lists) and lists[0].source.kind is Kind.ASKED
    if highest and asked and len({*day}) > 2 and all(a <= b for a, b in day):
        raise ListError("prices_rise", lists[0].title)
    return lists[0]._replace(prices=prices) if lists else None


# Each object or list becomes entries, and those that have the names of a source rows.


def _found(data: object, path: _Path, table: Iterable[Source]) -> Iterator[PriceList]:
    data = _parsed(data)
    keyed = isinstance(data, Mapping)
    if not isinstance(data, _HOLDERS) or len(path) > _DEPTH:
        return
    pairs = list(data.items() if isinstance(data, Mapping) else enumerate(data))
    if len(pairs) > 2 * _MOST:
        pairs = [*pairs[:_MOST], *pairs[-_MOST:]]
    cells = {str(key): each for key, each in pairs}
    if _DATE.fullmatch(beside := str(cells.get("date"))):
        path = (*path, beside)
    fitting = False
    of = _in_object(cells) if isinstance(data, Mapping) else _in_list(cells, path)
    for name, entries in of:
        place = (*path, name) if name else path
        sources = [one for one in table if _fits(one, place, entries)]
        # Only the names around a list say that it is at its place.
        placed = [one for one in sources if bool(one.at) is bool(place[1:])]
        for source in placed or sources:
            fitting, found = True, _cell(entries[-1], source.value)[1]
            title = " ".join((*place[1:], found)).strip()
            yield PriceList(source, title, _prices(source, place, entries))
    if not fitting:
        for key, each in cells.items():
            if isinstance(each, _HOLDERS) or (keyed and isinstance(each, str)):
                yield from _found(each, (*path, key), table)


def _parsed(data: object) -> object:
    """Return a value, or what a text has: JSON, or Python from a template."""
    if isinstance(data, str) and data.lstrip()[:1] in ("[", "{"):
        text = data[:_LONGEST]
        json = re.sub("|".join(_PYTHON), lambda found: _PYTHON[found[0]], text)
        for each in (text, json):
            with suppress(ValueError):
                return json_loads(each)
    return data


def _in_object(cells: _Entry) -> Iterator[tuple[str, Sequence[_Entry]]]:
    """Return the entries of times as keys, by what else the keys have, and of columns."""
    keys: dict[str, list[_Entry]] = {}
    for key, each in cells.items():
        hour = _HOUR_KEY.fullmatch(key)
        at = time(int(hour[2])) if hour else _time(key)
        if at is not None:
            inner = each if isinstance(each, Mapping) else {"value": each}
            keys.setdefault(hour[1] if hour else "", []).append({**inner, "": at})
    yield from ((name, each) for name, each in keys.items() if len(each) > 1)
    lists = [(key, each) for key, each in cells.items() if isinstance(each, list)]
    columns = dict(lists[:_COLUMNS])
    if len({len(each) for each in columns.values()}) == 1:
        rows = islice(zip(*columns.values(), strict=True), _MOST)
        yield "", [dict(zip(columns, row, strict=True)) for row in rows]


def _in_list(cells: _Entry, path: _Path) -> Iterator[tuple[str, Sequence[_Entry]]]:
    """Return the entries of objects, of pairs, or of numbers for each part of a day."""
    values = cells.values()
    pairs = [
        each for each in values if isinstance(each, list | tuple) and len(each) == 2
    ]
    if rows := [each for each in values if isinstance(each, Mapping)]:
        yield "", rows
    elif pairs:
        yield "", [{"": at, "value": value} for at, value in pairs]
    elif _DAY.search(" ".join(path[1:]).lower()):
        start, end = _midnight(path), _midnight(path, 1)
        if values and (step := (end - start) / len(values)) in _STEPS:
            numbers = enumerate(values)
            yield "", [{"": start + at * step, "value": each} for at, each in numbers]


def _fits(source: Source, path: _Path, entries: Sequence[_Entry]) -> bool:
    if source.at and path[1:] and path[-1] not in source.at.split():
        return False
    names = source.start or source.end, source.value or "value"
    ends = entries[0], entries[-1]
    return all(any(_cell(one, each)[1] for one in ends) for each in names)


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


def _prices(source: Source, path: _Path, entries: Sequence[_Entry]) -> Sequence[Price]:
    rows = [row for entry in entries for row in _rows(source, path, entry)]
    starts = list(_in_turn(start for start, _, _ in rows))
    later = dict(pairwise(sorted({*starts})))
    usual = mode([end - start for start, end in later.items()] or [_HOUR])
    # Hours and parts of an hour are not longer than most of them; tariffs are.
    longest = timedelta.max if usual > _HOUR or len(rows) > len(entries) else usual
    prices = []
    for at, (_, given, number) in zip(starts, rows, strict=True):
        length = min(later[at] - at, longest) if at in later else usual
        before = bool(source.end) and not source.start  # only the end is known
        start, end = (at - length, at) if before else (at, given or at + length)
        end = end if end > start else start + length
        if number is not None:
            mean = (end - start) / _HOUR if source.kind is Kind.ENERGY else 1
            prices.append(Price(start, end, number / mean))
    prices.sort(key=lambda price: price.start)
    if source.kind is Kind.RISING:
        prices = [
            Price(a.start, b.start, (b.value - a.value) / ((b.start - a.start) / _HOUR))
            for a, b in pairwise(prices)
            if a.start < b.start and a.value <= b.value
        ]
    return prices[-_MOST:]


def _rows(source: Source, path: _Path, entry: _Entry) -> Iterator[_Row]:
    """Return begin, end and value of an entry; a time of day counts for each day."""
    cell, name = _cell(entry, source.start or source.end)
    start, number = _time(cell, name), _number(_cell(entry, source.value or "value")[0])
    cell, name = _cell(entry, source.end) if source.start else (None, "")
    end = _time(cell, name)
    if isinstance(start, datetime):
        lasts = dt_util.parse_duration(str(cell)) if name == "duration" else None
        end = start + lasts if lasts else end
        yield start, end if isinstance(end, datetime) else None, number
    elif start is not None:
        named = source.title or _DAY.search(" ".join(path[1:]).lower())
        for days in (0,) if named else _DAILY:
            day = _day(path) + timedelta(days=days)
            last = None
            if isinstance(end, time):
                until = day + timedelta(days=end <= start)
                last = _whole_minute(datetime.combine(until, end), None)
            if first := _whole_minute(datetime.combine(day, start), None):
                yield first, last, number


def _day(path: _Path) -> date:
    """Return the day that names mean: such as tomorrow counts from the date above it."""
    day, later = date.min, 0
    for name in _DAY.findall(" ".join(path).lower()):
        if _DATE.fullmatch(name):
            day, later = date.fromisoformat(name), 0
        else:
            later = _DAYS.get(name, 0)
    return day + timedelta(days=later)


def _midnight(path: _Path, days: int = 0) -> datetime:
    day = _day(path) + timedelta(days=days)
    return dt_util.as_utc(dt_util.start_of_local_day(day))


def _time(value: object, name: str = "") -> datetime | time | None:
    """Return a time of day, or a time in UTC: without a zone, it is local.

    It is UTC if its name says so. A whole number is an hour if that is its name.
    """
    with suppress(ValueError):
        if isinstance(value, str):
            if clock := _CLOCK.fullmatch(value):
                return time(int(clock[1]), int(clock[2]))
            long = len(value) > len("2026-07-01")
            parsed = dt_util.parse_datetime(value) if long else None
            value = float(value) if value.isdecimal() else parsed
        if isinstance(value, int | float) and name == "hour" and value in range(24):
            return time(int(value))
        if isinstance(value, int | float) and _FIRST_TIME <= value < 1e13:
            value = dt_util.utc_from_timestamp(value if value < 1e11 else value / 1000)
        if isinstance(value, datetime) and 2000 < value.year < 3000:
            return _whole_minute(value, UTC if "utc" in name.lower() else None)
    return value if isinstance(value, time) else None


def _whole_minute(value: datetime, zone: tzinfo | None) -> datetime | None:
    """Return the nearest minute, `None` for a time that the clock skips.

    Periods may begin a second late (Amber), or end one early.
    """
    zone = value.tzinfo or zone or dt_util.get_default_time_zone()
    value = value.replace(tzinfo=zone)
    moment = dt_util.as_utc(value)
    if moment.astimezone(zone) != value:
        return None
    return (moment + timedelta(seconds=30)).replace(second=0, microsecond=0)


def _in_turn(starts: Iterable[datetime]) -> Iterator[datetime]:
    """Return starts; a local time that comes twice is that of both hours, in turn."""
    begun: set[datetime] = set()
    for start in starts:
        again = start in begun
        begun.add(start)
        yield (
            dt_util.as_utc(dt_util.as_local(start).replace(fold=1)) if again else start
        )


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
