"""The table of results: one row for each figure and its goal."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A figure and its goal."""

    name: str
    figure: str
    goal: str
    ok: bool

    @property
    def cells(self) -> tuple[str, ...]:
        return self.name, self.figure, self.goal, "ok" if self.ok else "MISSED"


def at_most(name: str, value: float, most: float, unit: str, figure: str) -> Row:
    """Return the row of a figure that should not be more than a number of a unit."""
    return Row(name, figure, f"<= {most:g}{unit}", value <= most)


def only_a_figure(name: str, figure: str) -> Row:
    """Return the row of a figure without a goal."""
    return Row(name, figure, "none: a figure", True)


def table(rows: Sequence[Row]) -> str:
    """Return the rows in columns."""
    cells = [("", "figure", "goal", ""), *(row.cells for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)
