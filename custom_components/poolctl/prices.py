"""Prices and forecasts of other integrations, read by their shape.

A list has times and a number for each: objects or pairs, columns, an object of values by
time or by hour (`price_00h`), or the numbers of a whole day (`today`, `tomorrow`). It may
be within other objects and lists, or a text. The names of integrations do not matter.
"""

from ast import literal_eval
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from itertools import chain, pairwise
import json
from math import isfinite
import re
from statistics import StatisticsError, correlation, multimode
from typing import Any, Final, NamedTuple, TypeIs

from homeassistant.const import ATTR_UNIT_OF_MEASUREMENT
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import VolDictType
from homeassistant.util import dt as dt_util
import probatio as vol

from .client.wire.exceptions import InvalidCommandError

ATTR_PRICES: Final = "prices"
ATTR_PRICE_ENTITIES: Final = "price_entities"
ATTR_PREFER: Final = "prefer"
HIGHEST: Final = "highest"
PRICE_FIELDS: Final[VolDictType] = {
    vol.Optional(ATTR_PRICES): vol.Any(list, dict, str),
    vol.Optional(ATTR_PRICE_ENTITIES): cv.entity_ids,
    vol.Optional(ATTR_PREFER, default="lowest"): vol.In(("lowest", HIGHEST)),
}
"""Fields of the actions that choose times by prices or forecasts."""

_BEST: Final = (
    *("total", "_inc", "per_", "price", "cost", "rate", "value"),
    *("estimate", "forecast", "watts"),
)
"""Parts of names, best first: what is paid in all, or for a unit; then power."""
_END: Final = re.compile(r"(?:^|_)(?:ends?|till|until|to)(?:$|_)|^endsAt$|[a-z]End$")
_ENERGY: Final = re.compile(r"(?<!per_)(?<![a-z])k?wh(?![a-z])|_hours", re.IGNORECASE)
_TIME: Final = re.compile(r"\d{4}-?\d\d-?\d\d[T ]\d\d.*")
_DURATION: Final = re.compile(r"PT(?:\d\d?H)?(?:\d{1,4}M)?|\d?\d:\d\d:\d\d")
_AT_HOUR: Final = re.compile(r"(.*?)([01]?\d|2[0-3])(?:[h:]([0-5]\d)?)?(_d)?")
_DAY: Final = re.compile("(tomorrow|next_day)|today", re.IGNORECASE)
_HOURS: Final = 23
"""Minimum hours of a day in keys: one is left out once a year."""
_HOUR: Final = timedelta(hours=1)
_STEPS: Final = tuple(timedelta(minutes=minutes) for minutes in (15, 30, 60))
_SAME_COURSE: Final = 0.999
_DEPTH: Final = 8
_MOST: Final = 2000
"""Maximum entries of a list: a week of quarter-hours, three times."""

type _Path = tuple[str, ...]
type _Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Price:
    """Price during a period, in any unit; constant within the period."""

    start: datetime
    end: datetime
    value: float


class PriceList(NamedTuple):
    """Prices in the order of their times; none overlap."""

    path: _Path
    """Keys of the objects that hold them."""
    field: str
    """Name of their values; those with another name may have another unit."""
    prices: Sequence[Price]


def given_prices(hass: HomeAssistant, data: Mapping[str, Any]) -> list[Price] | None:
    """Return the prices that a call of an action gives, `None` if it gives none.

    Of prices that several entities have for the same time, the last one counts; their
    forecasts are added. Raises InvalidCommandError as `read` does, and for two units.
    """
    if ATTR_PRICES in data:
        found = read(data[ATTR_PRICES])
        return list(found.prices) if found else []
    if ATTR_PRICE_ENTITIES not in data:
        return None
    return prices_of(hass, data[ATTR_PRICE_ENTITIES], add=data[ATTR_PREFER] == HIGHEST)


def prices_of(
    hass: HomeAssistant, entity_ids: Iterable[str], *, add: bool
) -> list[Price]:
    """Return the prices that entities have now, or the sum of their forecasts."""
    lists: list[PriceList] = []
    units: list[str | None] = []
    for state in map(hass.states.get, entity_ids):
        attributes = state.attributes if state else {}
        if found := read(attributes):
            lists.append(found)
            units.append(attributes.get(ATTR_UNIT_OF_MEASUREMENT))
        elif add:
            return []  # a roof without its forecast
    _check_kinds(units)
    _check_kinds(found.field if add else None for found in lists)
    return _together([found.prices for found in lists], add=add)


def _check_kinds(kinds: Iterable[str | None]) -> None:
    first, *others = dict.fromkeys(filter(None, kinds)) or [""]
    if others:
        raise _refused("prices_units", first, others[0])


def _together(lists: Sequence[Sequence[Price]], *, add: bool) -> list[Price]:
    """Return one list of several: the last one counts, or all are added.

    A price is that of one place, and a forecast that of one roof.
    """
    every = [price for prices in lists for price in prices]
    edges = sorted({price.start for price in every} | {price.end for price in every})
    found = []
    for start, end in pairwise(edges):
        values = [
            value for each in lists if (value := price_at(each, start)) is not None
        ]
        if values:
            found.append(Price(start, end, sum(values) if add else values[-1]))
    return found


def price_at(prices: Sequence[Price], moment: datetime) -> float | None:
    """Return the price at a time, of prices in the order of time."""
    place = bisect_right(prices, moment, key=lambda price: price.start)
    price = prices[place - 1] if place else None
    return price.value if price and moment < price.end else None


def read(data: object) -> PriceList | None:
    """Return the prices that an answer or attributes hold, `None` if there are none.

    A value without an end lasts until the next one starts; in a list of hours or parts
    of an hour, not longer than most of them. Raises InvalidCommandError if two values
    may be meant for the same time, such as those of two homes.
    """
    found: dict[datetime, tuple[PriceList, Price]] = {}
    for each in sorted(_lists(data, (), _DEPTH), key=_rank):
        own = {price.start: (each, price) for price in each.prices}
        both = own.keys() & found.keys()
        clash = [at for at in both if own[at][1].value != found[at][1].value]
        if not clash:
            found = own | found
        elif each.field and not _outranks(found[clash[0]][0].path, each.path):
            paths = (found[clash[0]][0].path, each.path)
            raise _refused("prices_ambiguous", *map(" ".join, paths))
    return _without_overlaps([found[at] for at in sorted(found)]) if found else None


def _without_overlaps(found: Sequence[tuple[PriceList, Price]]) -> PriceList:
    ends = [price.start for _, price in found[1:]]
    prices = [
        replace(price, end=min(price.end, end))
        for (_, price), end in zip(found, [*ends, found[-1][1].end], strict=True)
    ]
    return found[0][0]._replace(prices=prices)


def _rank(each: PriceList) -> tuple[bool, int, int]:
    name = "".join(each.path[-1:])
    places = [at for at, part in enumerate(_BEST) if part in name.lower()]
    return not each.field, min(places, default=len(_BEST)), len(name)


def _outranks(path: _Path, other: _Path) -> bool:
    """Return whether one of two values in the same object is known to be the better."""
    return path[:-1] == other[:-1] and len(_plainest([path[-1], other[-1]])) == 1


def _plainest(names: Sequence[str]) -> Sequence[str]:
    """Return the names that may be meant, without those that only add to another."""
    for part in _BEST:
        if fitting := [name for name in names if part in name.lower()]:
            first = min(fitting, key=len)
            return [first, *(name for name in fitting if first not in name)]
    return names


def _refused(reason: str, first: str, second: str) -> InvalidCommandError:
    return InvalidCommandError(
        f"{first} or {second}", reason=reason, first=first, second=second
    )


def _lists(data: object, path: _Path, depth: int) -> Iterator[PriceList]:
    """Return the lists of an object, or else those of the objects in it."""
    data = _parsed(data)
    lists = [each for rows in _tables(data, path) if (each := _price_list(rows, path))]
    yield from lists
    if lists or not depth:
        return
    if isinstance(data, Mapping):
        for key, child in data.items():
            yield from _lists(child, (*path, str(key)), depth - 1)
    elif _is_list(data):
        for at, child in enumerate(data[:_MOST]):
            yield from _lists(child, (*path, str(at)), depth - 1)


def _parsed(data: object) -> object:
    """Return a value, or what a text of a template has."""
    if isinstance(data, str) and data.lstrip()[:1] in ("[", "{"):
        for parse in (json.loads, literal_eval):
            with suppress(
                ValueError, SyntaxError, TypeError, MemoryError, RecursionError
            ):
                return parse(data.strip())
    return data


def _is_list(data: object) -> TypeIs[Sequence[object]]:
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _tables(data: object, path: _Path) -> Iterator[Sequence[_Row]]:
    """Return rows with a time and other cells, for each form that the data may have."""
    name = path[-1] if path else "value"
    if isinstance(data, Mapping):
        yield [
            {"": at, **_cells(each, name)} for at, each in data.items() if _moment(at)
        ]
        yield _of_columns(data)
        yield from _by_hour(data, path)
    elif _is_list(data):
        yield [_cells(each, name) for each in data[:_MOST]]
        if _DAY.search(" ".join(path)):
            yield _of_day(data, path)


def _of_columns(data: Mapping[object, object]) -> Sequence[_Row]:
    """Return the rows of lists that are equally long."""
    columns = {str(key): each for key, each in data.items() if _is_list(each)}
    if len({len(each) for each in columns.values()}) != 1:
        return []
    rows = [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]
    return rows[:_MOST]


def _of_day(data: Sequence[object], path: _Path) -> Sequence[_Row]:
    """Return the rows of a list with a number for each hour or quarter of a day."""
    start, end = (_midnight(path, days) for days in (0, 1))
    step = (end - start) / (len(data) or 1)
    cells = enumerate(data if step in _STEPS else ())
    return [{"at": start + at * step, "": each} for at, each in cells]


def _by_hour(data: Mapping[object, object], path: _Path) -> Iterator[Sequence[_Row]]:
    """Return the rows of days whose hours are in the keys, with or without minutes."""
    days: dict[str, dict[time, object]] = {}
    for key, each in data.items():
        if match := _AT_HOUR.fullmatch(str(key)):
            prefix, hour, minute, again = match.groups()
            at = time(int(hour), int(minute or 0), fold=int(bool(again)))
            days.setdefault(prefix, {})[at] = each
    zone = dt_util.get_default_time_zone()
    for prefix, day in days.items():
        if len({at.hour for at in day}) >= _HOURS:
            date = _midnight((*path, prefix)).astimezone(zone)
            starts = [datetime.combine(date, at, zone) for at in day]
            cells = [_cells(each, prefix) for each in day.values()]
            yield [{"": at, **c} for at, c in zip(starts, cells, strict=True)]


def _midnight(path: _Path, days: int = 0) -> datetime:
    """Return the start in UTC of the day that the names of a list mean, or a later one."""
    days += any(match[1] for match in _DAY.finditer(" ".join(path)))
    day = dt_util.now().date() + timedelta(days=days)
    return dt_util.as_utc(dt_util.start_of_local_day(day))


def _cells(entry: object, name: str) -> _Row:
    """Return the values of an entry by their names, with the numbers of its objects."""
    if isinstance(entry, Mapping):
        return {str(key): each for key, each in entry.items()} | {
            f"{key}_{sub}": each
            for key, inner in entry.items()
            if isinstance(inner, Mapping)
            for sub, each in inner.items()
            if _number(each) is not None
        }
    if _is_list(entry):
        return {str(at): each for at, each in enumerate(entry)}
    return {name: entry}


def _price_list(rows: Sequence[_Row], path: _Path) -> PriceList | None:
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    times = _columns(rows, names, _moment)
    numbers = _columns(rows, [n for n in names if "duration" not in n], _number)
    if not times or not numbers:
        return None
    field = _field(numbers)
    prices: dict[datetime, Price] = {}
    for span, value in zip(_spans(rows, times), numbers[field], strict=True):
        if span and value is not None:
            new = _price(span, value, field)
            price = prices.setdefault(new.start, new)
            if price.value != new.value:
                raise _refused("prices_ambiguous", f"{price.value:g}", f"{new.value:g}")
    return PriceList(path, field, list(prices.values())) if prices else None


def _price(span: tuple[datetime, datetime], value: float, field: str) -> Price:
    """Return a price; the energy of a period is its mean power."""
    hours = (span[1] - span[0]) / _HOUR if _ENERGY.search(field) else 1.0
    return Price(*span, value / hours)


def _field(numbers: Mapping[str, Sequence[float | None]]) -> str:
    """Return the name of the price among those of all numbers of an entry."""
    field, *others = _plainest(list(numbers))
    for other in others:
        if not _alike(numbers[field], numbers[other]):
            raise _refused("prices_ambiguous", field, other)
    return field


def _columns[T](
    rows: Sequence[_Row], names: Sequence[str], convert: Callable[[object], T | None]
) -> dict[str, list[T | None]]:
    """Return the columns of a kind; one that never changes only if all are like that."""
    columns = {name: [convert(row.get(name)) for row in rows] for name in names}
    found = {n: c for n, c in columns.items() if any(each is not None for each in c)}
    return {n: c for n, c in found.items() if len(set(c)) > 1} or found


def _alike(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    """Return whether two values make the same plan: in two units, with and without tax."""
    pairs = zip(one, other, strict=True)
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    with suppress(StatisticsError):
        return correlation([a for a, _ in both], [b for _, b in both]) > _SAME_COURSE
    return len(both) > 1  # neither changes


def _spans(
    rows: Sequence[_Row], names: Iterable[str]
) -> Iterator[tuple[datetime, datetime] | None]:
    """Return the start and the end of each row, `None` for one without a time."""
    points: list[list[datetime]] = []
    begun: set[datetime] = set()
    for row in rows:
        first, second = (_times(row, names, fold) for fold in (0, 1))
        # A local time that a list has twice is that of both hours.
        points.append(second if begun.intersection(first[:1]) else first)
        begun.update(first[:1])
    later = dict(pairwise(sorted({times[0] for times in points if times})))
    usual = min(multimode(end - start for start, end in later.items()), default=_HOUR)
    by_end = all(_END.search(name) for name in names)
    for row, times in zip(rows, points, strict=True):
        yield _span(times, later, usual, _length(row), by_end) if times else None


def _span(
    times: Sequence[datetime],
    later: Mapping[datetime, datetime],
    usual: timedelta,
    length: timedelta | None,
    by_end: bool,
) -> tuple[datetime, datetime]:
    start, end = times[0], times[-1]
    if by_end:
        return start - (length or usual), start
    if end > start:
        return start, end
    gap = later.get(start, start + usual) - start
    return start, start + (length or (min(gap, usual) if usual <= _HOUR else gap))


def _times(row: _Row, names: Iterable[str], fold: int) -> list[datetime]:
    moments = (_moment(row.get(name), fold) for name in names)
    return sorted(moment for moment in moments if moment is not None)


def _length(row: _Row) -> timedelta | None:
    texts = (each for each in row.values() if isinstance(each, str))
    found = (
        dt_util.parse_duration(text) for text in texts if _DURATION.fullmatch(text)
    )
    return next(filter(None, found), None)


def _moment(value: object, fold: int = 0) -> datetime | None:
    """Return a time in UTC; without a zone, it is Home Assistant's local time.

    A number is a time in s or ms since 1970. The time is a whole minute: periods may
    begin a second late (Amber), or end one early.
    """
    try:
        if isinstance(value, str) and _TIME.fullmatch(value):
            value = dt_util.parse_datetime(value)
        elif isinstance(value, int | float) and 1e9 <= value < 1e13:
            value = dt_util.utc_from_timestamp(value if value < 1e11 else value / 1000)
        if not isinstance(value, datetime) or not 2000 < value.year < 3000:
            return None
        nearest = dt_util.as_utc(value.replace(fold=fold)) + timedelta(seconds=30)
        return nearest.replace(second=0, microsecond=0)
    except ValueError:
        return None


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except ValueError, OverflowError:
        return None
    usable = number is not None and isfinite(number) and not isinstance(value, bool)
    return number if usable and _moment(value) is None else None
