"""Texts, translations and icons: what hassfest checks of them, and our own agreements.

The rules are tables (hassfest of Home Assistant 2026.10), with Home Assistant's own validators
wherever there are some. The workflow *Validation* runs hassfest and the HACS action themselves:
neither can be had offline, and what only they check is not repeated here.

`python -m tests.validation [REPOSITORY]` names everything that is wrong; `scripts/lint` runs it.
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
    """Yield everything that is wrong with a repository."""
    repository = Repository(root)
    for check in CHECKS:
        yield from check(repository)
