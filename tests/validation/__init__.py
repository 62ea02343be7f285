"""What hassfest and the HACS action check, as far as it can be checked without a network.

Neither is part of the installed Home Assistant, so their rules are written down here again,
as tables (hassfest of Home Assistant 2026.10, HACS 2.0), with Home Assistant's own validators
wherever there are some; `hassfest.py` says which is which, and what is not checked. Beside them stand the agreements that this project keeps with itself:
versions, languages, images, workflows.

`python -m tests.validation [REPOSITORY]` names everything that is wrong; `scripts/lint` runs it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from . import (
    brand,
    dependencies,
    descriptions,
    github,
    hacs,
    hassfest,
    icons,
    languages,
    manifest,
    quality_scale,
    translations,
    versions,
)
from .report import Check, Problem, Repository

CHECKS: Final[tuple[Check, ...]] = (
    manifest.check,
    hassfest.check,
    dependencies.check,
    translations.check,
    languages.check,
    icons.check,
    descriptions.check,
    quality_scale.check,
    brand.check,
    hacs.check,
    versions.check,
    github.check,
)


def validate(root: Path) -> Iterator[Problem]:
    """Yield everything that is wrong with a repository."""
    repository = Repository(root)
    for check in CHECKS:
        yield from check(repository)
