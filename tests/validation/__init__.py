"""Checks of texts, icons and versions that neither hassfest nor the HACS action makes.

The workflow *Validation* runs those two, which do not work offline.

`python -m tests.validation [REPOSITORY]` lists all problems; `scripts/lint` runs it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from . import descriptions, icons, languages, tables, versions
from .report import Check, Problem, Repository

CHECKS: Final[tuple[Check, ...]] = (
    languages.check,
    icons.check,
    descriptions.check,
    versions.check,
    tables.check,
)


def validate(root: Path) -> Iterator[Problem]:
    """Yield all problems of a repository."""
    repository = Repository(root)
    for check in CHECKS:
        yield from check(repository)
