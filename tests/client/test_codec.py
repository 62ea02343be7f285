"""Stored values: what fits is read as it was written, and only what is odd is lost."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from enum import IntEnum, StrEnum
import json
import math
from typing import Annotated, NamedTuple

import pytest

from custom_components.poolctl.client.bounds import (
    REQUIRED,
    UNSTORED,
    OneOf,
    PrivateText,
    Within,
)
from custom_components.poolctl.client.codec import from_stored, to_stored


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Body:
    """An object of a table, known by its key."""


POOL, SPA = Body(), Body()

type Percent = Annotated[int, Within(0, 100)]


class Point(NamedTuple):
    share: Percent
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    ph: Annotated[float | None, Within(0, 14)] = None
    orp: Annotated[float | None, Within(-2000, 2000)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    slot: Annotated[int, Within(0, 63)]
    until: Annotated[datetime | None, REQUIRED] = None
    tries: Annotated[int, UNSTORED] = 0
    previous: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    share: Percent = 7
    amount: Annotated[float, Within(0, 1e9)] = 1.5
    plain: float = 0.0
    name: str = "none"
    on: bool = False
    day: date | None = None
    since: datetime | None = None
    lasts: Annotated[timedelta, Within(0, 86_400)] = timedelta(hours=3)
    colour: Colour | None = None
    level: Level = Level.HIGH
    body: Annotated[Body, OneOf({"pool": POOL, "spa": SPA})] = SPA
    inner: Inner = Inner()
    names: tuple[str, ...] | None = None
    colours: tuple[Colour, ...] = ()
    points: tuple[Point, ...] = ()
    claims: tuple[Claim, ...] = ()
    by_day: Mapping[date, Percent] = field(default_factory=dict)
    by_name: Mapping[str, Colour] = field(default_factory=dict)
    retry_at: Annotated[float, UNSTORED] = 0.0


NOON = datetime(2026, 11, 25, 12, 0, 0, 250_000, UTC)
FULL = Everything(
    share=100,
    amount=0.25,
    plain=-12.5,
    name="Wasserfall 💡",
    on=True,
    day=date(2026, 11, 25),
    since=NOON,
    lasts=timedelta(minutes=90),
    colour=Colour.BLUE,
    level=Level.LOW,
    body=POOL,
    inner=Inner(ph=7.2, orp=650.0),
    names=("a", "", "b"),
    colours=(Colour.RED, Colour.BLUE),
    points=(Point(40, NOON),),
    claims=(Claim(slot=1, until=NOON, previous=Claim(slot=1)), Claim(slot=2)),
    by_day={date(2026, 11, 24): 12, date(2026, 11, 25): 13},
    by_name={"lamp": Colour.RED},
)


def through_json(value: object) -> object:
    """Return a stored form as it is after it was written to a file and read again."""
    return json.loads(json.dumps(to_stored(value), allow_nan=False))


@pytest.mark.parametrize("value", [FULL, Everything()])
def test_what_was_stored_is_read_again(value: Everything) -> None:
    assert from_stored(Everything, through_json(value)) == value
    stored = json.loads(json.dumps(to_stored(value.claims, tuple[Claim, ...])))
    assert from_stored(tuple[Claim, ...], stored) == value.claims
    times = {"ph": NOON}
    stored = json.loads(json.dumps(to_stored(times, dict[str, datetime])))
    assert from_stored(dict[str, datetime], stored) == times


def test_what_is_not_stored_has_its_default_again() -> None:
    used = replace(FULL, retry_at=12.0, claims=(Claim(slot=1, tries=4),))
    read = from_stored(Everything, through_json(used))
    assert (read.retry_at, read.claims) == (0.0, (Claim(slot=1),))


MISSING = object()
ODD_FIELDS: dict[str, list[object]] = {
    "share": ["12", 1.0, True, None, -1, 101, 10**400, math.nan, [], {}],
    "amount": ["1", True, None, math.nan, math.inf, -1, 2e9, 10**400, [0.5]],
    "plain": [math.nan, math.inf, -math.inf, 1e300, 10**400],
    "name": [5, None, True, ["a"], {"a": 1}],
    "on": [1, 0, "true", None, []],
    "day": [5, "", "2026-13-01", "9999-12-31", "0001-01-01"],
    "since": [
        *(1795253415, "yesterday", "2026-11-25T12:00:00"),
        *("9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00"),
    ],
    "lasts": ["60", True, -1, 86_401, math.nan, 10**400],
    "colour": ["green", "", 0, [], {"red": 1}],
    "level": [True, 1.0, "1", 3, None],
    "body": ["lake", None, 0, ["pool"], {}],
    "inner": [None, 7, "text", []],
    "names": ["abc", ["a", 1], ["a", None], {"0": "a"}, 3],
    "colours": ["red", None, 5, {"red": "red"}, ["red", "green"], ["red", None]],
    "points": [None, 5, "text", {"share": 3}],
    "by_day": [None, 5, "text"],
    "by_name": [None, 5, "text", ["lamp", "red"]],
}


@pytest.mark.parametrize("name", ODD_FIELDS)
def test_an_odd_or_missing_field_is_lost_alone(name: str) -> None:
    default = replace(FULL, **{name: getattr(Everything(), name)})
    for odd in (*ODD_FIELDS[name], MISSING):
        stored = to_stored(FULL)
        assert isinstance(stored, dict)
        changed = {key: value for key, value in stored.items() if key != name}
        if odd is not MISSING:
            changed[name] = odd
        assert from_stored(Everything, changed) == default, odd


@pytest.mark.parametrize("odd", [None, 5, "text", [], True, {"another": 1}])
def test_an_object_is_read_from_anything(odd: object) -> None:
    assert from_stored(Everything, odd) == Everything()


CLAIM = {"slot": 3, "until": NOON.isoformat(), "previous": None}


@pytest.mark.parametrize(
    "odd",
    [
        {**CLAIM, "until": "soon"},
        {"slot": 3, "previous": None},
        {**CLAIM, "slot": None},
        {**CLAIM, "slot": 64},
        [3, NOON.isoformat(), None],
        "claim",
        None,
    ],
)
def test_a_record_in_a_list_without_what_makes_it_is_left_out(odd: object) -> None:
    read = from_stored(Everything, {"claims": [odd, CLAIM, odd]})
    assert read.claims == (Claim(slot=3, until=NOON),)


def test_records_and_entries_that_do_not_fit_are_left_out() -> None:
    day, at = NOON.date().isoformat(), NOON.isoformat()
    stored = {
        "points": [[40, at], [101, at], [40], [40, at, 1], {"share": 40, "at": at}],
        "by_name": {"lamp": "red", "other": "green", "third": None},
        "by_day": [[day, 12], ["2026-11-26", 101], [5, 5], "ab", [day]],
    }
    assert from_stored(Everything, stored) == Everything(
        points=(Point(40, NOON),),
        by_day={NOON.date(): 12},
        by_name={"lamp": Colour.RED},
    )


def test_what_is_as_good_as_its_stored_form() -> None:
    """What was put into an entry's options is there as it is until the next start."""
    read = from_stored(Everything, {"colour": Colour.RED, "level": Level.LOW})
    assert (read.colour, read.level) == (Colour.RED, Level.LOW)
    assert from_stored(Inner, {"ph": 7}) == Inner(ph=7.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    name: str = ""
    private: PrivateText = ""
    several: tuple[PrivateText, ...] = ()
    by_name: Mapping[str, PrivateText] = field(default_factory=dict)


@pytest.mark.parametrize("odd", ["\ud800", "A\udfffnna", "Straße \U0001f600 \udcff"])
def test_a_text_that_no_file_can_hold(odd: str) -> None:
    """It loses what is odd; before, nothing at all was stored with it."""
    stored = to_stored(
        Texts(name=odd, private=odd, several=(odd,), by_name={odd: odd, "a": "ü"})
    )
    assert json.dumps(stored, ensure_ascii=False).encode()
    clean = odd.encode(errors="replace").decode()
    assert from_stored(Texts, stored) == Texts(
        name=clean, private=clean, several=(clean,), by_name={clean: clean, "a": "ü"}
    )
