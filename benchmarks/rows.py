"""The table: one row a figure, beside its goal."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A figure; `reason` says why it misses its goal, where that is known."""

    name: str
    figure: str
    goal: str
    ok: bool
    reason: str = ""

    @property
    def explained(self) -> bool:
        """Whether it is as it should be, or it is known why not."""
        return self.ok or bool(self.reason)

    @property
    def cells(self) -> tuple[str, ...]:
        return self.name, self.figure, self.goal, "ok" if self.ok else "MISSED"


def table(rows: Sequence[Row]) -> str:
    """Return the rows in columns, and under them the reasons of those that miss."""
    cells = [("", "figure", "goal", ""), *(row.cells for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [
        f"{row.name}: {row.reason or 'no reason known'}" for row in rows if not row.ok
    ]
    return "\n".join([line.rstrip() for line in lines] + ["", *notes][: len(notes) + 1])
