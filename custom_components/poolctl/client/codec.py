"""Stored form of values: annotated fields become JSON, and are read back one by one.

A store may be of another version, edited by hand, or damaged. So two rules apply:

- A field that is missing or does not fit its annotation has its default, alone, wherever
  it stands. A field that another version added is ignored.
- A record in a list, or an entry of a mapping, is left out without a field that makes it:
  one that has no default, or that is `REQUIRED`. A hold without its end would last for
  good. A list of plain values fits as a whole: their places have a meaning.

Annotations are `bool`, `int`, `float`, `str`, `date`, `datetime` (with a zone),
`timedelta` (stored in seconds), enums, dataclasses, `NamedTuple`s, tuples of one kind,
mappings, and each of them or `None`, as `Self | None`. `Annotated` adds `Within`,
`OneOf`, `REQUIRED`, `UNSTORED` and `Private`.
Fields whose name begins with `_` are not stored.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    NamedTuple,
    Self,
    TypeAliasType,
    get_args,
    get_origin,
    get_type_hints,
)

from .bounds import REQUIRED, UNSTORED, OneOf, Private, Within

__all__ = [
    "ODD",
    "from_stored",
    "to_stored",
]

ODD: Final = (KeyError, OverflowError, TypeError, ValueError)
"""Errors of a value that does not fit."""
_EXACT: Final = Within(-(2.0**53), 2.0**53)
"""Bounds of a number without others: JSON keeps whole numbers exactly up to here."""
_ITSELF: Final = Self | None
_YEARS: Final = range(1900, 3000)
"""Years of which any may be calculated with any other."""


class _Form(NamedTuple):
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


def from_stored[T](kind: type[T], stored: object) -> T:
    """Return a value from its stored form; raises one of `ODD` if it does not fit.

    A dataclass is read from any value: one that is not a mapping stores no field.
    """
    if is_dataclass(kind):
        stored = dict(stored) if isinstance(stored, Mapping) else {}
    hint: Any = kind
    found: T = _form(hint).read(stored)
    return found


def to_stored(value: object, kind: object = None) -> object:
    """Return the stored form of a dataclass, or of a value of another kind."""
    return _form(kind or type(value)).write(value)


@cache
def _form(hint: Any) -> _Form:
    """Return the form of an annotation."""
    hint, marks = _stripped(hint)
    for one in marks:
        if isinstance(one, OneOf):
            return _Form(one.objects.__getitem__, one.keys.__getitem__)
    if is_dataclass(hint):
        return _object(hint)
    of = get_origin(hint) or hint
    return next(make for kind, make in _FORMS if issubclass(of, kind))(hint, marks)


def _stripped(hint: Any) -> tuple[Any, list[object]]:
    """Return an annotation without its alias and marks, and the marks."""
    marks: list[object] = []
    while isinstance(hint, TypeAliasType) or get_origin(hint) is Annotated:
        if isinstance(hint, TypeAliasType):
            hint = hint.__value__
        else:
            marks = [*hint.__metadata__, *marks]
            hint = hint.__origin__
    return hint, marks


def _object(kind: Any) -> _Form:
    @cache
    def forms() -> dict[str, tuple[_Form, bool]]:
        """Return the form of each stored field, and whether it is required."""
        # Not before it is used: a dataclass may contain itself.
        hints = get_type_hints(kind, include_extras=True)
        names = [each.name for each in fields(kind) if not each.name.startswith("_")]
        marks = {name: _stripped(hints[name])[1] for name in names}
        return {
            name: (
                _form(kind | None if hints[name] == _ITSELF else hints[name]),
                REQUIRED in marks[name],
            )
            for name in names
            if UNSTORED not in marks[name]
        }

    def read(stored: Any) -> object:
        _checked(stored, dict)
        values = {}
        for name, (form, required) in forms().items():
            try:
                values[name] = form.read(stored[name])
            except ODD:
                if required:
                    raise
        return kind(**values)

    return _Form(
        read,
        lambda value: {
            name: form.write(getattr(value, name))
            for name, (form, _) in forms().items()
        },
    )


def _optional(kind: Any, marks: list[object]) -> _Form:
    (hint,) = (each for each in get_args(kind) if each is not NoneType)
    known = _form(Annotated[hint, *marks] if marks else hint)
    return _Form(
        lambda value: None if value is None else known.read(value),
        lambda value: None if value is None else known.write(value),
    )


def _tuple(kind: Any, marks: list[object]) -> _Form:
    if not (args := get_args(kind)):
        return _places(get_type_hints(kind, include_extras=True).values(), kind)
    of, _ = _stripped(args[0])
    is_record = is_dataclass(of) or hasattr(of, "_fields")
    return _items(_form(args[0]), whole=not is_record)


def _items(item: _Form, *, whole: bool) -> _Form:
    def read(stored: object) -> tuple[object, ...]:
        found = []
        for each in _checked(stored, list, tuple):
            try:
                found.append(item.read(each))
            except ODD:
                if whole:
                    raise
        return tuple(found)

    return _Form(read, lambda values: [item.write(each) for each in values])


def _places(hints: Iterable[Any], make: Callable[..., object]) -> _Form:
    forms = [_form(hint) for hint in hints]

    def read(stored: object) -> object:
        pairs = zip(forms, _checked(stored, list, tuple), strict=True)
        return make(*[form.read(each) for form, each in pairs])

    def write(values: Iterable[object]) -> list[object]:
        return [form.write(each) for form, each in zip(forms, values, strict=True)]

    return _Form(read, write)


def _mapping(kind: Any, marks: list[object]) -> _Form:
    """Return the form of a mapping: pairs, because the keys of JSON are texts."""
    pairs = _items(_places(get_args(kind), lambda *pair: pair), whole=False)
    if get_args(kind)[0] is not str:
        return _Form(
            lambda stored: dict(pairs.read(stored)),
            lambda values: pairs.write(values.items()),
        )
    return _Form(
        lambda stored: dict(pairs.read([*dict(stored).items()])),
        lambda values: dict(pairs.write(values.items())),
    )


def _enum(kind: Any, marks: list[object]) -> _Form:
    members = {(type(each.value), each.value): each for each in kind}
    members |= {(kind, each): each for each in kind}
    return _Form(lambda value: members[type(value), value], attrgetter("value"))


def _time(kind: Any, marks: list[object]) -> _Form:
    def read(value: object) -> date:
        time: date = kind.fromisoformat(_checked(value, str))
        if time.year not in _YEARS:
            raise ValueError("no calculation with it would be possible")
        if isinstance(time, datetime) and time.tzinfo is None:
            raise ValueError("a time without a zone")
        return time

    return _Form(read, lambda time: time.isoformat())


def _duration(kind: Any, marks: list[object]) -> _Form:
    seconds = _number(float, marks)
    return _Form(
        lambda value: timedelta(seconds=seconds.read(value)),
        lambda value: value.total_seconds(),
    )


def _number(kind: Any, marks: list[object]) -> _Form:
    bounds = next((each for each in marks if isinstance(each, Within)), _EXACT)
    kinds = {int: (int,), float: (int, float)}[kind]

    def read(value: Any) -> object:
        if _checked(value, *kinds) not in bounds:  # as NaN never is
            raise ValueError("not possible")
        return kind(value)

    return _Form(read, lambda value: value)


def _plain(kind: Any, marks: list[object]) -> _Form:
    if kind is bool:
        return _Form(lambda value: _checked(value, bool), bool)
    make = Private if Private in marks else str
    return _Form(
        lambda value: str(_checked(value, str, make)),
        # With a lone surrogate, as of a user's name, nothing at all could be stored.
        lambda value: make(value.encode(errors="replace").decode()),
    )


_FORMS: Final[tuple[tuple[Any, Callable[[Any, list[object]], _Form]], ...]] = (
    (UnionType, _optional),
    (Mapping, _mapping),
    (tuple, _tuple),
    (Enum, _enum),
    ((bool, str), _plain),
    (date, _time),
    (timedelta, _duration),
    (object, _number),
)
"""Forms by class: the first one that a class belongs to."""


def _checked(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise TypeError(f"{type(value).__name__} is not the right kind of value")
    return value
