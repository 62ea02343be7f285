"""Lists of prices and forecasts of other integrations, known by their names.

Whatever holds a list (attributes, the response of an action, a text of a template)
becomes entries below the names above them, so that rows, columns and pairs look the
same. A source takes the entries that have its names; what has none of them is no list.
A long list takes longer than the event loop has.
"""

from ast import literal_eval
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain, groupby, pairwise, product
from math import inf, isclose
from operator import itemgetter
import re
from statistics import mode
from string import ascii_letters
from typing import Any, Final, NamedTuple

from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads

from ..client import InvalidCommandError
from .sources import TABLE, Kind, ListSource, Names

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
_HOUR: Final = timedelta(hours=1)
_STEPS: Final = _HOUR / 4, _HOUR / 2, _HOUR
_FIRST_TIME: Final = 1e9
"""Numbers from here on are times in s or ms since 1970: from 2001."""
_LAST_TIME: Final = 1e11
_PRICE: Final = Kind.ASKED, Kind.PRICE
_FORECAST: Final = Kind.ASKED, Kind.POWER, Kind.ENERGY, Kind.RISING
_UNITS: Final = 1000, 100, 10, 0.1, 0.01, 0.001
"""How units differ: € and ct, kWh and MWh, W and kW."""
_MOST: Final = 4000
"""Maximum entries of a list, more than a month of quarter-hours; the newest count."""
_MOST_VALUES, _DEEPEST = 200_000, 20
"""Maximum values that are looked at, and names and places above one."""
_LONGEST: Final = 1_000_000
"""Maximum characters of a text."""

type _Row = tuple[str | int, ...]
"""Names above an entry and its places in lists, from the outermost."""
type _Names = tuple[str, ...]
"""Names above a value in its entry, and its own."""
type _Inner = Iterator[tuple[_Row, _Names, object]]
type _Entry = Mapping[str, object]
"""Values by their names, with dots between them; a time may have an empty one."""
type _Known = dict[datetime, tuple[Price, PriceList]]
"""Prices by their begin."""


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
    daily: bool = False
    """Whether they are those of each day."""


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
    written: datetime | None = None,
) -> PriceList | None:
    """Return prices or, for the highest values, a forecast; `None` without such a list.

    What it calls today is the day on which it was written: today by default.
    Raises ListError if two values may be meant for the same time, such as those of two
    homes, or if a forecast only rises.
    """
    today = dt_util.as_local(written or dt_util.utcnow()).date()
    try:
        found = list(_found(_lists(data, today), table, today))
    except ArithmeticError, LookupError, TypeError, ValueError:
        return None  # whatever it raises, it is no list
    known = [one for one in found if one.source.title] or found
    return _asked(known, _FORECAST if highest else _PRICE)


def _asked(lists: Iterable[PriceList], kinds: Container[Kind]) -> PriceList | None:
    """Return the prices of some kinds: of each title, those of its first source."""
    first: dict[str, ListSource] = {}
    known: _Known = {}
    for each in lists:
        source = each.source
        if source.kind in kinds and first.setdefault(source.title, source) is source:
            known |= _news(each, known)
    if not known:
        return None
    prices = [known[start][0] for start in sorted(known)]
    one = known[prices[0].start][1]
    if Kind.POWER in kinds and one.source.kind is Kind.ASKED and _rise(prices):
        raise ListError("prices_rise", one.title)
    cut = [replace(a, end=min(a.end, b.start)) for a, b in pairwise(prices)]
    return one._replace(prices=[*cut, prices[-1]])


def _news(one: PriceList, known: _Known) -> _Known:
    """Return the prices of a list, none if they are those in another unit."""
    _refuse_another_tariff(one, known)
    new: _Known = {}
    clashes = []
    for price in one.prices:
        other, its = known.get(price.start) or new.setdefault(price.start, (price, one))
        if other.value != price.value:
            clashes.append((other.value, price.value, its.title))
    if not clashes:
        return new
    if _in_other_unit([(a, b) for a, b, _ in clashes]):
        return {}
    a, b, title = clashes[0]
    names = (f"{a:g}", f"{b:g}") if title == one.title else (title, one.title)
    raise ListError("prices_ambiguous", *names)


def _refuse_another_tariff(one: PriceList, known: _Known) -> None:
    """Raise ListError for two tariffs of a day, as of the week and the weekend."""
    tariff = next((its for _, its in known.values() if its.daily), None)
    if tariff and one.daily and known.keys() != {each.start for each in one.prices}:
        raise ListError("prices_ambiguous", tariff.title, one.title)


def _in_other_unit(pairs: Sequence[tuple[float, float]]) -> bool:
    """Return whether values are others in another unit.

    One value that is ten times another one says nothing about their units.
    """
    return len(pairs) > 2 and any(
        all(
            isclose(a * by, b, rel_tol=0.01, abs_tol=0.01 * max(by, 1))
            for a, b in pairs
        )
        for by in _UNITS
    )


def _rise(prices: Sequence[Price]) -> bool:
    """Return whether values never fall before midnight: an energy that adds up."""
    by_day = groupby(prices, lambda price: dt_util.as_local(price.start).date())
    days = [[price.value for price in day] for _, day in by_day]
    return all(day == sorted(day) for day in days) and len({*chain(*days)}) > 2


# Whatever holds values becomes lists of entries.


def _lists(data: object, today: date) -> Mapping[_Names, Sequence[_Entry]]:
    """Return the lists in an object, a list or a text, by the names above them."""
    entries = defaultdict[_Row, dict[str, object]](dict)
    holders: list[tuple[_Row, _Names, object]] = [((), (), data)]
    for row, names, each in holders:  # it grows as it is read
        value = _parsed(each)
        if isinstance(value, Mapping | list | tuple):
            inner = _of_object if isinstance(value, Mapping) else _of_list
            if len(holders) < _MOST_VALUES and len(row) + len(names) < _DEEPEST:
                holders += inner(value, row, names, _days((*row, *names), today))
        elif row:
            # Two amounts in one unit are none.
            entry, name = entries[row], ".".join(names)
            entry[name] = value if entry.get(name, value) == value else None
    lists = defaultdict[_Names, list[_Entry]](list)
    for row, entry in entries.items():
        lists[_names_in(row)].append(entry)
    return lists


def _names_in(row: _Row) -> _Names:
    return tuple(each for each in row if each and isinstance(each, str))


def _parsed(data: object) -> object:
    """Return a value, or what a text has: JSON, or Python from a template."""
    if isinstance(data, str) and data.lstrip()[:1] in ("[", "{"):
        for parse in (json_loads, literal_eval):
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return parse(data[:_LONGEST])
    return data


def _of_object(holder: Any, row: _Row, names: _Names, days: Sequence[date]) -> _Inner:
    """Return values by their names; a time as key becomes an entry with a time."""
    beside = str(holder.get("date"))
    if _DATE.fullmatch(beside) and (names or not row):
        names = *names, beside
    keys = list(holder)
    for at, key in enumerate(dict.fromkeys((*keys[:_MOST], *keys[-_MOST:]))):
        name, each = str(key), holder[key]
        clock = name.lstrip(f"{ascii_letters}_")
        if clock and _time(clock, "", days[0]):
            cells = each if isinstance(each, Mapping) else {"value": each}
            above = name.removesuffix(clock)
            yield (*row, *names, above, at), (), {"": clock, **cells}
        else:
            yield row, (*names, name), each


def _of_list(holder: Any, row: _Row, names: _Names, days: Sequence[date]) -> _Inner:
    """Return values by their places, and amounts by their units.

    A pair, or the number for a part of a day, becomes an entry with a time. A list in
    an object is a column: its numbers are in the rows of the others.
    """
    nights = days[0], days[0] + timedelta(days=1)
    start, end = map(dt_util.as_utc, map(dt_util.start_of_local_day, nights))
    step = (end - start) / max(len(holder), 1)
    parts = step in _STEPS and not days[1:]
    for at, each in enumerate((*holder[:_MOST], *holder[_MOST:][-_MOST:])):
        below, pair = (*row, *names, at), None
        match each:
            case [begin, value]:
                pair = {"": begin, "value": value}
            case {"unit": unit, "value": value, **more} if more.keys() <= {"component"}:
                yield row, (*names, str(unit)), value
            case dict() | list() | tuple():
                yield below, (), each
            case _:
                yield (*row, *names[:-1], at), names[-1:], each
                pair = {"": start + at * step, "value": each} if parts else None
        if pair:
            yield below, (), pair


def _days(names: Sequence[str | int], today: date) -> Sequence[date]:
    """Return the day that names mean; without any, all for which a tariff counts.

    Names such as tomorrow count from the date above them.
    """
    found, later = _DAY.findall(" ".join(map(str, names)).lower()), 0
    for name in found:
        if name in _DAYS:
            later = _DAYS[name]
        else:
            today, later = date.fromisoformat(name), 0
    return [today + timedelta(days=each) for each in ([later] if found else _DAILY)]


# The entries of a source become prices.


def _found(
    lists: Mapping[_Names, Sequence[_Entry]], table: Sequence[ListSource], today: date
) -> Iterator[PriceList]:
    """Return the lists that have the names of a source, at its place."""
    for source, (place, entries) in product(table, lists.items()):
        ends, names = (entries[0], entries[-1]), (source.begin, source.value or "value")
        fits = all(any(_cell(one, name)[1] for one in ends) for name in names)
        if fits and (not source.at or {*_each(source.at)} & {*place}):
            name = [_cell(entries[-1], source.value)[1]] if source.value else []
            prices = _prices(source, _days(place, today), entries)
            title, daily = " ".join((*place, *name)), len(prices) > len(entries)
            yield PriceList(source, title, prices, daily)


def _each(names: Names) -> Sequence[str]:
    return names.split() if isinstance(names, str) else names


def _cell(entry: _Entry, names: Names) -> tuple[object, str]:
    """Return the value of the first of some names, and that name."""
    for name in _each(names) or [""]:
        if entry.get(name) is not None:
            return entry[name], name or " "
    return None, ""


def _prices(
    source: ListSource, days: Sequence[date], entries: Sequence[_Entry]
) -> Sequence[Price]:
    """Return the prices of entries in the order of time, the newest ones."""
    rows = sorted(_rows(source, days, entries), key=itemgetter(0))
    later = dict(pairwise(sorted({start for start, _, _ in rows})))
    usual = mode([end - start for start, end in later.items()] or [_HOUR])
    # Hours and parts of an hour are not longer than most of them; tariffs are.
    hourly = usual <= _HOUR and len(rows) <= len(entries)
    longest = usual if hourly else timedelta.max
    prices = []
    for start, end, number in rows:
        lasts = min(later.get(start, start + usual) - start, longest)
        at = start - lasts if source.begin != source.start else start
        if number is not None:
            prices.append(Price(at, end or at + lasts, number))
    return _as_power(source.kind, prices)[-_MOST:]


def _as_power(kind: Kind, prices: Sequence[Price]) -> Sequence[Price]:
    """Return the mean power of an energy, and what is none as it is."""
    if kind is Kind.RISING:
        both = [(one, two) for one, two in pairwise(prices) if one.value <= two.value]
        prices = [Price(a.start, b.start, b.value - a.value) for a, b in both]
    elif kind is not Kind.ENERGY:
        return prices
    hours = [(each, (each.end - each.start) / _HOUR) for each in prices]
    return [replace(each, value=each.value / lasts) for each, lasts in hours if lasts]


def _rows(
    source: ListSource, days: Sequence[date], entries: Sequence[_Entry]
) -> Iterator[tuple[datetime, datetime | None, float | None]]:
    """Return begin, end and value of entries, for each day if they repeat daily."""
    begin, begun = _cell(entries[0], source.begin), set[datetime]()
    daily = not source.title and len({_time(*begin, day) for day in days}) > 1
    for day, entry in product(days if daily else days[:1], entries):
        if start := _time(*_cell(entry, source.begin), day):
            # A local time that comes twice is that of both hours, in turn.
            again = dt_util.as_utc(dt_util.as_local(start).replace(fold=1))
            moment = again if start in begun else start
            begun.add(start)
            value, _ = _cell(entry, source.value or "value")
            end = _cell(entry, source.end) if source.start else (None, "")
            yield moment, _end(*end, moment, day), _number(value, _FIRST_TIME)


def _end(value: object, name: str, start: datetime, day: date) -> datetime | None:
    """Return the end of an entry; as a time of day, it may be on the next one."""
    if name == "duration" and (lasts := dt_util.parse_duration(str(value))):
        return start + lasts
    ends = (_time(value, name, each) for each in (day, day + timedelta(days=1)))
    return next((each for each in ends if each and each > start), None)


def _time(value: object, name: str, day: date) -> datetime | None:
    """Return a time in UTC, to the minute: periods may begin a second late (Amber).

    Without a zone, it is local unless its name says that it is UTC. It is `None` for a
    local time that the clock skips.
    """
    at = None
    with suppress(ValueError):
        at = _moment(value, name, day)
    if at is None or not 2000 < at.year < 3000:
        return None
    if at.tzinfo is None and "utc" in name.lower():
        at = at.replace(tzinfo=UTC)
    moment = dt_util.as_utc(at)
    if at.tzinfo is None and dt_util.as_local(moment).replace(tzinfo=None) != at:
        return None
    return (moment + timedelta(seconds=30)).replace(second=0, microsecond=0)


def _moment(value: object, name: str, day: date) -> datetime | None:
    """Return a time, as s or ms since 1970, too; a time of day is one of that day."""
    if (number := _number(value)) is not None:
        if name == "hour" and number in range(24):
            return datetime.combine(day, time(int(number)))
        number /= 1000 if number > _LAST_TIME else 1
        in_range = _FIRST_TIME <= number <= _LAST_TIME
        return dt_util.utc_from_timestamp(number) if in_range else None
    # PVPC has hours as 07h, and adds _d to one that comes twice.
    text = re.sub("h(_d)?$", ":00", str(value))
    if clock := dt_util.parse_time(text):
        return datetime.combine(day, clock)
    return dt_util.parse_datetime(text) if len(text) > len("2026-07-01") else None


def _number(value: object, limit: float = inf) -> float | None:
    """Return a number below a limit, of a text as well."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return number if abs(number := float(value)) < limit else None
    return None
