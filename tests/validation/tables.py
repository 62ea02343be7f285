"""The table of problems in the documentation, made from the code and its texts.

`python -m tests.validation --write` updates it; `scripts/lint` fails if it is outdated.
"""

from collections.abc import Iterator
from pathlib import Path
import re
from typing import Any, Final

from custom_components.poolctl.status.account import ACCOUNT_PROBLEMS
from custom_components.poolctl.status.rows import Problem as Row
from custom_components.poolctl.status.table import PROBLEMS

from .report import Json, Problem, Repository

PAGE: Final = "docs/troubleshooting.md"
_TABLE: Final = re.compile(
    r"(?<=<!-- problems -->\n).*?(?=<!-- /problems -->)", re.DOTALL
)
_HEAD: Final = """\
| Key | What *Status* says | What you can do | |
| --- | --- | --- | --- |
"""


def check(repository: Repository) -> Iterator[Problem]:
    """Check that the table of the page is up to date."""
    page = repository.root / PAGE
    if page.is_file() and page.read_text() != written(page.read_text(), repository):
        yield Problem(PAGE, "its table is old: python -m tests.validation --write")


def written(page: str, repository: Repository) -> str:
    """Return a page with the current table."""
    texts: Json = repository.english.get("common", {})
    rows: tuple[Row[Any], ...] = (*PROBLEMS, *ACCOUNT_PROBLEMS)
    table = _HEAD + "".join(line for row in rows for line in _lines(row, texts))
    return _TABLE.sub(lambda match: table, page)


def _lines(row: Row[Any], texts: Json) -> Iterator[str]:
    """Yield the lines of a problem, one for each of its forms that has a sentence."""
    for form in (row, *row.variants):
        if (sentence := texts.get(form.key)) is not None:
            step = texts.get(f"{form.key}_next") or texts.get(f"{row.key}_next", "")
            cells = f"`{row.key}`", sentence, step, form.severity.capitalize()
            line = re.sub(r"\{\w+\}", "…", " | ".join(cells))
            yield f"| {line} |\n"


def write(root: Path) -> None:
    """Update the table of the page."""
    page = root / PAGE
    page.write_text(written(page.read_text(), Repository(root)))
