"""Reads docs/protocol.md: its sections, numbered rows and rules."""

from functools import cache
from pathlib import Path
import re
from typing import Final

PAGE: Final = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
_HEADING: Final = re.compile(r"#+ (O?\d(?:\.\d)?) |#+ ")
_NUMBERED: Final = re.compile(r"\| (\d+) \||(\d+)\. ")
_OPEN: Final = re.compile(r"\| ([LCHW]\d+) \| [^|]+ \| [^|]+ \|$")


@cache
def headings() -> tuple[str, ...]:
    """Return what code may refer to: `4.2`, `4.2 rule 9`, `O2.1` or `L5`, in order."""
    found: list[str] = []
    section: str | None = None
    for line in PAGE.splitlines():
        if heading := _HEADING.match(line):
            section = heading[1]
            found += [section] if section else []
        elif open_row := _OPEN.match(line):
            found.append(open_row[1])
        elif section and section[0] != "O" and (match := _NUMBERED.match(line)):
            kind, number = ("row", match[1]) if match[1] else ("rule", match[2])
            found.append(f"{section} {kind} {number}")
    return tuple(found)
