"""Sentences with their values, and the rows of the tables that choose them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple


class Celsius(float):
    """A temperature in °C, shown in Home Assistant's unit."""


class Litres(float):
    """A volume in L, shown in Home Assistant's unit."""


type Value = str | float | datetime
"""Placeholder of a text, shown in Home Assistant's language and time zone."""
type Values = Mapping[str, Value]


class Sentence(NamedTuple):
    """One sentence, by the key of its text."""

    key: str
    values: Values = MappingProxyType({})


type Explanation = tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Row[*S]:
    """A row of a table over a situation: the first that applies gives the sentence."""

    key: str
    applies: Callable[[*S], object]
    values: Callable[[*S], Values] = lambda *situation: {}
    more: Callable[[*S], Explanation] = lambda *situation: ()
    """The sentences that follow."""


def explain[*S](rows: Iterable[Row[*S]], *situation: *S) -> Explanation:
    """Return the sentences of the first row that applies; the last always does."""
    row = next(each for each in rows if each.applies(*situation))
    return Sentence(row.key, row.values(*situation)), *row.more(*situation)


def rounded(at: datetime, step: timedelta = timedelta(minutes=1)) -> datetime:
    """Return a time rounded to a step."""
    rest = timedelta(seconds=at.timestamp() % step.total_seconds())
    return at - rest + (step if rest * 2 >= step else timedelta())
