"""Stored form of values: annotated fields become JSON, and are read back one by one.

A store may be of another version, edited by hand, or damaged. So two rules apply:

- A field that does not fit its annotation has its default, alone.
- An item of a list or a mapping fits with all that it contains, or is left out: a hold
  without its end would last for good.

Annotations are `bool`, `int`, `float`, `str`, `date`, `datetime` (with a zone),
`timedelta` (stored in seconds), enums, dataclasses, `NamedTuple`s, tuples, mappings, and
each of them or `None`. `Annotated` adds `Within`, `OneOf`, `WHOLE` and `UNSTORED`.
Fields whose name begins with `_` are not stored.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta
from enum import Enum, auto
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NamedTuple,
    TypeAliasType,
    get_args,
    get_origin,
    get_type_hints,
)

ODD: Final = (KeyError, OverflowError, TypeError, ValueError)
"""Errors of a value that does not fit."""


@dataclass(frozen=True, slots=True)
class Within:
    """Bounds of a number, or of a `timedelta` in seconds; both are included."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


class OneOf:
    """Objects that are stored as their keys."""

    def __init__(self, objects: Mapping[str, object]) -> None:
        self.objects = objects
        self.keys = {value: key for key, value in objects.items()}


class _Mark(Enum):
    WHOLE = auto()
    UNSTORED = auto()


WHOLE: Final = _Mark.WHOLE
"""Marks a list in which places count: if one item does not fit, the list does not."""
UNSTORED: Final = _Mark.UNSTORED
"""Marks a field that is not stored."""
_EXACT: Final = Within(-(2.0**53), 2.0**53)
"""Bounds of a number without others: JSON keeps whole numbers exactly up to here."""


type _Marks = list[object]


class _Form(NamedTuple):
    read: Callable[[Any, bool], Any]
    """Reads a value; the second argument is whether all of it must fit."""
    write: Callable[[Any], Any]


def from_stored[T](kind: type[T], stored: object) -> T:
    """Return a value from its stored form; raises one of `ODD` if it does not fit."""
    hint: Any = kind
    found: T = _form(hint).read(stored, False)
    return found


def to_stored(value: object, kind: object = None) -> object:
    """Return the stored form of a dataclass, or of a value of another kind."""
    return _form(kind or type(value)).write(value)


@cache
def _form(hint: Any) -> _Form:
    """Return the form of an annotation; raises one of `ODD` if there is none."""
    hint, marks = _stripped(hint)
    if chosen := [each for each in marks if isinstance(each, OneOf)]:
        (one,) = chosen
        return _Form(lambda value, _: one.objects[value], one.keys.__getitem__)
    if is_dataclass(hint):
        return _object(hint)
    of = get_origin(hint) or hint
    return next(make for kind, make in _FORMS if issubclass(of, kind))(hint, marks)


def _stripped(hint: Any) -> tuple[Any, _Marks]:
    """Return an annotation without its alias and marks, and the marks."""
    marks: _Marks = []
    while isinstance(hint, TypeAliasType) or get_origin(hint) is Annotated:
        if isinstance(hint, TypeAliasType):
            hint = hint.__value__
        else:
            marks = [*hint.__metadata__, *marks]
            hint = hint.__origin__
    return hint, marks


def _object(kind: Any) -> _Form:
    @cache
    def forms() -> dict[str, _Form]:
        # Not before it is used: a dataclass may contain itself.
        hints = get_type_hints(kind, include_extras=True)
        named = {each.name: hints[each.name] for each in fields(kind)}
        return {
            name: _form(hint)
            for name, hint in named.items()
            if not name.startswith("_") and UNSTORED not in _stripped(hint)[1]
        }

    def read(stored: Any, whole: bool) -> object:
        values = {}
        for name, form in forms().items():
            try:
                values[name] = form.read(stored[name], whole)
            except ODD:
                if whole:
                    raise
        return kind(**values)

    return _Form(
        read, lambda value: {n: f.write(getattr(value, n)) for n, f in forms().items()}
    )


def _optional(kind: Any, marks: _Marks) -> _Form:
    (hint,) = (each for each in get_args(kind) if each is not NoneType)
    known = _form(Annotated[hint, *marks] if marks else hint)
    return _Form(
        lambda value, whole: None if value is None else known.read(value, whole),
        lambda value: None if value is None else known.write(value),
    )


def _tuple(kind: Any, marks: _Marks) -> _Form:
    args = get_args(kind)
    if args[1:] == (...,):
        return _items(_form(args[0]), WHOLE in marks)
    if args:
        return _places([*map(_form, args)], lambda *values: values)
    hints = get_type_hints(kind, include_extras=True)
    return _places([*map(_form, hints.values())], kind)


def _items(item: _Form, all_or_none: bool) -> _Form:
    def read(stored: object, whole: bool) -> tuple[object, ...]:
        found = []
        for each in _checked(stored, list, tuple):
            try:
                found.append(item.read(each, True))
            except ODD:
                if whole or all_or_none:
                    raise
        return tuple(found)

    return _Form(read, lambda values: [item.write(each) for each in values])


def _places(places: list[_Form], make: Callable[..., object]) -> _Form:
    def read(stored: object, _: bool) -> object:
        pairs = zip(places, _checked(stored, list, tuple), strict=True)
        return make(*[form.read(each, True) for form, each in pairs])

    def write(values: Iterable[object]) -> list[object]:
        return [form.write(each) for form, each in zip(places, values, strict=True)]

    return _Form(read, write)


def _mapping(kind: Any, marks: _Marks) -> _Form:
    """Return the form of a mapping: pairs, because the keys of JSON are texts."""
    key, value = get_args(kind)
    pairs = _items(_places([_form(key), _form(value)], lambda *pair: pair), False)
    if key is not str:
        return _Form(
            lambda stored, whole: dict(pairs.read(stored, whole)),
            lambda values: pairs.write(values.items()),
        )
    return _Form(
        lambda stored, whole: dict(pairs.read([*dict(stored).items()], whole)),
        lambda values: dict(pairs.write(values.items())),
    )


def _enum(kind: Any, marks: _Marks) -> _Form:
    members = {(type(each.value), each.value): each for each in kind}
    members |= {(kind, each): each for each in kind}
    return _Form(
        lambda value, _: members[type(value), value], lambda member: member.value
    )


def _time(kind: Any, marks: _Marks) -> _Form:
    def read(value: object, _: bool) -> date:
        time: date = kind.fromisoformat(_checked(value, str))
        if not MINYEAR < time.year < MAXYEAR:
            raise ValueError("no calculation with it would be possible")
        if isinstance(time, datetime) and time.tzinfo is None:
            raise ValueError("a time without a zone")
        return time

    return _Form(read, lambda time: time.isoformat())


def _duration(kind: Any, marks: _Marks) -> _Form:
    seconds = _number(float, marks)
    return _Form(
        lambda value, whole: timedelta(seconds=seconds.read(value, whole)),
        lambda value: value.total_seconds(),
    )


def _number(kind: Any, marks: _Marks) -> _Form:
    bounds = next((each for each in marks if isinstance(each, Within)), _EXACT)
    kinds = {int: (int,), float: (int, float)}[kind]

    def read(value: Any, _: bool) -> object:
        if _checked(value, *kinds) not in bounds:  # as NaN never is
            raise ValueError("not possible")
        return kind(value)

    return _Form(read, lambda value: value)


_FORMS: Final[tuple[tuple[Any, Callable[[Any, _Marks], _Form]], ...]] = (
    (UnionType, _optional),
    (Mapping, _mapping),
    (tuple, _tuple),
    (Enum, _enum),
    (
        (bool, str),
        lambda kind, marks: _Form(lambda value, _: _checked(value, kind), lambda v: v),
    ),
    (date, _time),
    (timedelta, _duration),
    (object, _number),
)
"""Forms by class: the first one that a class belongs to."""


def _checked(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise TypeError(f"{type(value).__name__} is not the right kind of value")
    return value
