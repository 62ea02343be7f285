"""Prices and forecasts of other integrations, read by their shape.

Their names do not matter. Whatever holds a list (attributes, the response of an action,
a text of a template) is read in the order of this file: (1) each object or list in it
that has a known shape becomes rows of cells; (2) each number of the rows, with their
times, is a list of prices; (3) the best of these lists are those of the source. Where two
values may be meant for the same time, none is chosen.
"""

from ast import literal_eval
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import chain, islice, pairwise
from operator import attrgetter
import re
from statistics import mode
from typing import Final, NamedTuple

from homeassistant.util import dt as dt_util
from homeassistant.util.json import json_loads

from ..client.wire.exceptions import InvalidCommandError

_PAID: Final = (
    "total(_?(price|cost|rate|inc|per).*)?$",
    "_inc(l|_|$)",
    "(?<![a-z])per_",
    "price",
    "cost",
    "rate",
    "value",
)
_POWER: Final = "estimate", "forecast", "watts"
_BEST: Final = *_PAID, *_POWER
"""What names have, best first: what is paid in all, or for a unit; then power."""
_ENERGY: Final = re.compile("(?i)(?<!per_)(?<![a-z])k?wh(?![a-z])|watt_hours")
_END: Final = re.compile("(^|_)end|End|until|till")
_DURATION: Final = re.compile(r"PT(\d\d?H)?(\d{1,4}M)?|\d?\d:\d\d:\d\d")
_DAYS: Final = {
    "day_after_tomorrow": 2,
    "tomorrow": 1,
    "next_day": 1,
    "today": 0,
    "yesterday": -1,
}
_DATE: Final = r"\d{4}-\d\d-\d\d"
_DAY: Final = re.compile("|".join((*_DAYS, _DATE)))
_NEVER: Final = date(1970, 1, 1)
"""For a date that does not exist: no list is for that day."""
_HOUR_KEY: Final = re.compile(r"(.*?)([01]?\d|2[0-3])(?:[h:]([0-5]\d)?)?(?:_d)?")
"""`price_07h`, `7`, `07:15`; PVPC adds `_d` to an hour that comes twice."""
_HOURS: Final = 23
"""Minimum hours of a day in keys: one is left out once a year."""
_HOUR: Final = timedelta(hours=1)
_STEPS: Final = _HOUR / 4, _HOUR / 2, _HOUR
_FIRST_TIME: Final = 1e9
"""Numbers from here on are times in s or ms since 1970: from 2001."""
_DEPTH: Final = 10
_MOST: Final = 2000
"""Maximum entries of a list: a week of quarter-hours, three times."""

type _Path = tuple[str, ...]
"""Names of what holds a value; the first one is the date on which it was today."""
type _Row = Mapping[str, object]
type _Entries = Sequence[tuple[object, object]]


@dataclass(frozen=True, slots=True)
class Price:
    """Price during a period, in any unit; constant within the period."""

    start: datetime
    end: datetime
    value: float


class PriceList(NamedTuple):
    """Prices in the order of their times; none overlap."""

    path: _Path
    """Keys of the objects that hold them, and the name of their values."""
    prices: Sequence[Price]

    @property
    def field(self) -> str:
        """Name of their values; those with another name may have another unit."""
        return self.path[-1]

    @property
    def title(self) -> str:
        """All their names, for a person."""
        return " ".join(dict.fromkeys(self.path)).strip()


def price_at(prices: Sequence[Price], moment: datetime) -> float | None:
    """Return the price at a time, of prices in the order of time."""
    place = bisect_right(prices, moment, key=lambda price: price.start)
    price = prices[place - 1] if place else None
    return price.value if price and moment < price.end else None


# 1. Each object or list of a known shape becomes rows of cells by name.


def _found(data: object, path: _Path) -> Sequence[PriceList]:
    """Return the lists within an object or a list, or else those that it is."""
    data = _parsed(data)
    entries = _entries(data)
    if not entries or len(path) > _DEPTH:
        return []
    path = (*path, *_date_beside(entries))
    inner = [one for key, each in entries for one in _found(each, (*path, str(key)))]
    if named := list(filter(attrgetter("field"), inner)):
        return named  # Numbers without times count only where nothing has times.
    rows_of = _rows_of_object if isinstance(data, Mapping) else _rows_of_list
    return [
        one for rows in rows_of(entries, path) for one in _lists(rows, path)
    ] or inner


def _date_beside(entries: _Entries) -> _Path:
    found = str(dict(entries).get("date"))
    return (found,) if re.fullmatch(_DATE, found) else ()


def _entries(data: object) -> _Entries:
    if isinstance(data, Mapping):
        return list(islice(data.items(), _MOST))
    return list(enumerate(data[:_MOST])) if isinstance(data, list | tuple) else []


def _parsed(data: object) -> object:
    """Return a value, or what a text has: JSON, or Python from a template."""
    if isinstance(data, str) and data.lstrip()[:1] in ("[", "{"):
        for parse in (json_loads, literal_eval):
            with suppress(
                ValueError, SyntaxError, TypeError, MemoryError, RecursionError
            ):
                return parse(data.strip())
    return data


def _rows_of_list(entries: _Entries, path: _Path) -> Iterator[Sequence[_Row]]:
    yield [_cells(entry, path) for _, entry in entries]
    # A number for each part of today or tomorrow.
    start, end = _midnight(path), _midnight(path, 1)
    step = (end - start) / max(len(entries), 1)
    if step in _STEPS and _DAY.search(" ".join(path[1:]).lower()):
        yield [
            {"at": start + at * step, "": each} for at, (_, each) in enumerate(entries)
        ]


def _rows_of_object(entries: _Entries, path: _Path) -> Iterator[Sequence[_Row]]:
    # Times as keys.
    yield [{"": key, **_cells(each, path)} for key, each in entries if _moment(key)]
    # Lists of the same length: one of times, and one of numbers.
    lists = {str(key): each for key, each in entries if isinstance(each, list | tuple)}
    if len({len(each) for each in lists.values()}) == 1:
        columns = islice(zip(*lists.values(), strict=True), _MOST)
        yield [dict(zip(lists, cells, strict=True)) for cells in columns]
    yield from _hours_as_keys(entries, path)


def _hours_as_keys(entries: _Entries, path: _Path) -> Iterator[Sequence[_Row]]:
    days: dict[str, list[_Row]] = {}
    for key, each in entries:
        if match := _HOUR_KEY.fullmatch(str(key)):
            name, hour, minute = match.groups("0")
            names = (*path, name) if name else path
            day = dt_util.as_local(_midnight(names)).replace(tzinfo=None)
            at = day.replace(hour=int(hour), minute=int(minute))
            days.setdefault(name, []).append({"": at, **_cells(each, names)})
    yield from (day for day in days.values() if len(day) >= _HOURS)


def _cells(entry: object, path: _Path) -> _Row:
    """Return the cells of an object and of those in it, of a list, or of one value."""
    if isinstance(entry, list | tuple):
        return {str(at): cell for at, cell in enumerate(entry)}
    if not isinstance(entry, Mapping):
        return {path[-1] if path[1:] else "value": entry}
    cells = {str(key): cell for key, cell in entry.items()}
    for key, cell in entry.items():
        if isinstance(cell, Mapping):
            cells |= {f"{key}_{name}": each for name, each in cell.items()}
    return cells


def _midnight(path: _Path, days: int = 0) -> datetime:
    """Return the start in UTC of the day that names mean, or some days after it.

    A name such as tomorrow counts from the date above it.
    """
    day, later = _NEVER, 0
    for name in _DAY.findall(" ".join(path).lower()):
        if name in _DAYS:
            later = _DAYS[name]
        else:
            day, later = dt_util.parse_date(name) or _NEVER, 0
    day += timedelta(days=days + later)
    return dt_util.as_utc(dt_util.start_of_local_day(day))


# 2. Each number of the rows, with their times, is a list of prices.


def _lists(rows: Sequence[_Row], path: _Path) -> Iterator[PriceList]:
    times, numbers = _columns(rows, _moment), _columns(rows, _number)
    periods = list(_periods(rows, times)) if times and numbers else []
    for name, column in numbers.items():
        # The energy of a period is its mean power.
        energy = _ENERGY.search(name) and _place(name) >= len(_PAID)
        prices = [
            Price(start, end, number / ((end - start) / _HOUR) if energy else number)
            for start, end, at in periods
            if (number := column[at]) is not None
        ]
        if prices:
            yield PriceList((*path, name), prices)


def _columns[T](
    rows: Sequence[_Row], convert: Callable[[object, str], T | None]
) -> dict[str, list[T | None]]:
    """Return the columns that have values of a kind."""
    names = dict.fromkeys(chain.from_iterable(rows))
    columns = {name: [convert(row.get(name), name) for row in rows] for name in names}
    return {n: c for n, c in columns.items() if any(each is not None for each in c)}


def _moment(value: object, name: str = "") -> datetime | None:
    """Return a time in UTC; without a zone, it is local, or UTC if its name says so."""
    with suppress(ValueError):
        if isinstance(value, str) and len(value) > len("2026-07-01"):
            value = dt_util.parse_datetime(value)
        elif isinstance(value, int | float) and _FIRST_TIME <= value < 1e13:
            value = dt_util.utc_from_timestamp(value if value < 1e11 else value / 1000)
        if isinstance(value, datetime) and 2000 < value.year < 3000:
            return _whole_minute(value, UTC if "utc" in name.lower() else None)
    return None


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


def _number(value: object, _: str = "") -> float | None:
    with suppress(ValueError, OverflowError):
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            number = float(value)
            return number if abs(number) < _FIRST_TIME else None
    return None


def _periods(
    rows: Sequence[_Row], times: Mapping[str, Sequence[datetime | None]]
) -> Iterator[tuple[datetime, datetime, int]]:
    """Return the start and the end of each row that has a time, and its place."""
    # A time that all rows share is that of an update.
    names = [name for name in times if len(set(times[name])) > 1] or list(times)
    names.sort(key=lambda name: min(filter(None, times[name])))
    starts, ends = list(_in_turn(times[names[0]])), times[names[-1]]
    ends_only = _are_ends(rows, names, starts)
    for at, (start, length) in enumerate(
        zip(starts, _lengths(rows, starts), strict=True)
    ):
        end = ends[at]
        if start and ends_only:
            yield start - length, start, at
        elif start:
            yield start, end if end and end > start else start + length, at


def _are_ends(
    rows: Sequence[_Row], names: Iterable[str], times: Iterable[datetime | None]
) -> bool:
    """Return whether times are ends: by their names, or a text as `23:45 - 00:00` (PSE)."""
    row, moment = next((row, at) for row, at in zip(rows, times, strict=True) if at)
    texts = (cell for cell in row.values() if isinstance(cell, str))
    end = f"- {dt_util.as_local(moment):%H:%M}"
    return all(map(_END.search, names)) or any(text.endswith(end) for text in texts)


def _in_turn(starts: Iterable[datetime | None]) -> Iterator[datetime | None]:
    """Return starts; a local time that comes twice is that of both hours, in turn."""
    begun: set[datetime | None] = set()
    for start in starts:
        again = start in begun
        begun.add(start)
        later = start and dt_util.as_utc(dt_util.as_local(start).replace(fold=1))
        yield later if again else start


def _lengths(
    rows: Sequence[_Row], starts: Sequence[datetime | None]
) -> Iterator[timedelta]:
    """Return how long the price of each row lasts: its duration, or until the next one.

    Hours and parts of an hour are not longer than most of them.
    """
    later = dict(pairwise(sorted(filter(None, set(starts)))))
    usual = mode([end - start for start, end in later.items()] or [_HOUR])
    for row, start in zip(rows, starts, strict=True):
        gap = later[start] - start if start in later else usual
        yield _duration(row) or (gap if usual > _HOUR else min(gap, usual))


def _duration(row: _Row) -> timedelta | None:
    texts = (each for each in row.values() if isinstance(each, str))
    found = (dt_util.parse_duration(t) for t in texts if _DURATION.fullmatch(t))
    return next(filter(None, found), None)


# 3. The lists of a source become one: the best ones, and others for other times.


def read(data: object, written: datetime | None = None) -> PriceList | None:
    """Return the prices that an answer or attributes hold, `None` if there are none.

    What they call today is the day on which they were written: today by default.
    Raises InvalidCommandError if two values may be meant for the same time, such as
    those of two homes.
    """
    today = (dt_util.as_local(written) if written else dt_util.now()).date()
    lists = _found(data, (today.isoformat(),))
    kept = _best([each._replace(path=each.path[1:]) for each in lists])
    found: dict[datetime, Price] = {}
    for price in chain.from_iterable(each.prices for each in kept):
        first = found.setdefault(price.start, price)
        if first.value != price.value:
            raise refused("prices_ambiguous", f"{first.value:g}", f"{price.value:g}")
    prices = [found[start] for start in sorted(found)]
    for at, (price, later) in enumerate(pairwise(prices)):
        prices[at] = replace(price, end=min(price.end, later.start))
    return PriceList(kept[0].path, prices) if kept else None


def _best(lists: Sequence[PriceList]) -> Sequence[PriceList]:
    kept: list[PriceList] = []
    for each in sorted(lists, key=_rank):
        if not any(_instead(one, each) for one in kept):
            kept.append(each)
    return kept


def _rank(one: PriceList) -> tuple[list[tuple[int, int]], int, bool, int]:
    """Return the order of lists: by their names; one that never changes later."""
    *above, name = one.path
    flat = len({price.value for price in one.prices}) == 1
    return [(_place(each), len(each)) for each in above], _place(name), flat, len(name)


def _place(name: str) -> int:
    places = (at for at, part in enumerate(_BEST) if re.search(part, name.lower()))
    return min(places, default=len(_BEST))


def _instead(one: PriceList, other: PriceList) -> bool:
    """Return whether a list counts instead of another one; raise if that is not known."""
    values = {price.start: price.value for price in other.prices}
    both = [(p.value, values[p.start]) for p in one.prices if p.start in values]
    if all(value == another for value, another in both):
        return False
    # Two numbers in one row make one plan: in two units, with and without tax.
    one_plan = one.path[:-1] == other.path[:-1] and all(
        low[1] <= high[1] for low, high in pairwise(sorted(both))
    )
    if not one_plan and not _better(one.path, other.path):
        raise refused("prices_ambiguous", one.title, other.title)
    return True


def _better(path: _Path, other: _Path) -> bool:
    """Return whether one of two lists in an object has the better name.

    That is known if the other name only adds to it, too.
    """
    names = [pair for pair in zip(path, other, strict=False) if len({*pair}) > 1]
    if path[:-2] != other[:-2] or not names:
        return False
    name, longer = names[0]
    adds = _place(name) == _place(longer) < len(_BEST) and name in longer
    return adds or _place(name) < _place(longer)


def refused(reason: str, first: str, second: str) -> InvalidCommandError:
    """Return the error of a list that can be read in two ways, with the names of both."""
    return InvalidCommandError(
        f"{first} or {second}", reason=reason, first=first, second=second
    )
