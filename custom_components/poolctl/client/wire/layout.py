"""Tables of binary sections: the position, unit and bounds of each value."""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, fields
from operator import attrgetter
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class Between:
    """The values that a quantity can have, both ends included."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        """Return whether a number is possible."""
        return isinstance(value, int | float) and self.low <= value <= self.high


# 0xFF and 0xFFFF mean that the value is unknown (chosen).
BYTE, WORD = Between(0, 0xFE), Between(0, 0xFFFE)


class _Anything:
    """A container of every value, for rows without bounds."""

    def __contains__(self, value: object) -> bool:
        return True


ANYTHING: Final = _Anything()


class Row(NamedTuple):
    """A value of a section; the rows of a section are in wire order."""

    name: str
    """Field of the section's dataclass; empty for bytes that are skipped."""
    code: str
    """Format of the value in `struct`."""
    divisor: int = 1
    """Divisor that turns the value on the wire into that of the field."""
    possible: Container[object] = ANYTHING


def skip(size: int) -> Row:
    """Return the row of bytes that are not used."""
    return Row("", f"{size}x")


class Layout:
    """Rows in wire order, unpacked in one go.

    One `Struct` per possible end of the section is made ahead, longest first.
    """

    def __init__(self, *rows: Row) -> None:
        """Prepare for every length that a section may have."""
        self.rows = [row for row in rows if row.name]
        self._prefixes: list[tuple[struct.Struct, tuple[None, ...]]] = []
        for end in range(len(rows), -1, -1):
            prefix = struct.Struct("<" + "".join(row.code for row in rows[:end]))
            missing = sum(bool(row.name) for row in rows[end:])
            self._prefixes.append((prefix, (None,) * missing))
        self._whole = self._prefixes[0][0]
        self.size = self._whole.size
        self._scaled = [
            (place, row.divisor)
            for place, row in enumerate(self.rows)
            if row.divisor != 1
        ]

    def unpack(self, data: bytes) -> list[Any]:
        """Return the values of all rows, `None` for those past the end of `data`."""
        if len(data) >= self.size:
            values = list(self._whole.unpack_from(data))
            for place, divisor in self._scaled:
                values[place] /= divisor
            return values
        prefix, missing = next(
            row for row in self._prefixes if len(data) >= row[0].size
        )
        values = [*prefix.unpack_from(data), *missing]
        for place, divisor in self._scaled:
            if (value := values[place]) is not None:
                values[place] = value / divisor
        return values


class Section[T: DataclassInstance]:
    """A dataclass and the rows that fill it.

    Raises TypeError unless `names` are the fields of the dataclass, in their order: it
    is built by position, because keyword arguments take three times as long.
    """

    def __init__(self, of: type[T], names: list[str], *layouts: Layout) -> None:
        """Check the table against the dataclass."""
        if names != (wanted := [field.name for field in fields(of)]):
            raise TypeError(f"the table of {of.__name__} is not {wanted}")
        rows = {row.name: row for layout in layouts for row in layout.rows}
        self.make: Callable[..., T] = of
        """Creates the dataclass from values in the order of its fields."""
        self._read = attrgetter(*names)
        self._possible = [
            rows[name].possible if name in rows else ANYTHING for name in names
        ]

    def plausible(self, reported: T) -> T:
        """Return a copy with `None` in place of impossible values."""
        return self.make(
            *(
                value if value in possible else None
                for value, possible in zip(
                    self._read(reported), self._possible, strict=True
                )
            )
        )


def flagged(flags: int | None, places: Iterable[int]) -> Iterable[bool | None]:
    """Return whether the bits at some places are set, `None` if `flags` is unknown."""
    return (None if flags is None else bool(flags >> place & 1) for place in places)


def bits(value: int) -> tuple[int, ...]:
    """Return the positions of the bits that are set."""
    found = []
    while value:
        lowest = value & -value
        found.append(lowest.bit_length() - 1)
        value ^= lowest
    return tuple(found)
