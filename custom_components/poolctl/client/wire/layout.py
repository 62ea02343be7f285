"""Tables of binary sections: the position, unit and bounds of each value."""

from collections.abc import Container
from dataclasses import dataclass
from itertools import accumulate
import struct
from typing import Any, Final, NamedTuple


@dataclass(frozen=True, slots=True)
class Between:
    """The values that a quantity can have, both ends included."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
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
    """Rows in wire order."""

    def __init__(self, *rows: Row) -> None:
        ends = accumulate(struct.calcsize(f"<{row.code}") for row in rows)
        self._rows = [
            (row, end) for row, end in zip(rows, ends, strict=True) if row.name
        ]
        self._whole = struct.Struct("<" + "".join(row.code for row in rows))
        self.size = self._whole.size
        self.possible = {row.name: row.possible for row, _ in self._rows}
        """The bounds of each value by its name."""

    def unpack(self, data: bytes) -> dict[str, Any]:
        """Return the values by their names, `None` for those past the end of `data`."""
        values = self._whole.unpack_from(data.ljust(self.size, b"\0"))
        return {
            row.name: None
            if end > len(data)
            else value
            if row.divisor == 1
            else value / row.divisor
            for (row, end), value in zip(self._rows, values, strict=True)
        }


def bit(flags: int | None, place: int) -> bool | None:
    """Return whether a bit is set, `None` if the flags are unknown."""
    return None if flags is None else bool(flags >> place & 1)


def bits(value: int) -> tuple[int, ...]:
    """Return the positions of the bits that are set."""
    return tuple(place for place in range(value.bit_length()) if value >> place & 1)
