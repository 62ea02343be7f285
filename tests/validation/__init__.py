"""Checks of texts, translations, icons and versions: those of hassfest, and our own.

The rules are tables as in hassfest of Home Assistant 2026.10, with Home Assistant's own
validators where it has them. The workflow *Validation* runs hassfest and the HACS action
themselves, as neither works offline; checks that only they make are not repeated here.

`python -m tests.validation [REPOSITORY]` lists all problems; `scripts/lint` runs it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from . import descriptions, icons, languages, tables, translations, versions
from .report import Check, Problem, Repository

CHECKS: Final[tuple[Check, ...]] = (
    translations.check,
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
