"""Broken copies of the repository, and the problems that the validation finds there."""

from collections.abc import Callable
from functools import cache, partial
import json
from pathlib import Path
import shutil
from typing import Final

from tests.validation import Check, validate

ROOT: Final = Path(__file__).parents[2]
PARTS: Final = (
    ".github",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "blueprints",
    "custom_components",
    "hacs.json",
    "pyproject.toml",
    "scripts",
)
REMOVED: Final = object()

MANIFEST: Final = "custom_components/poolctl/manifest.json"
ENGLISH: Final = "custom_components/poolctl/translations/en.json"
ICONS: Final = "custom_components/poolctl/icons.json"
SERVICES: Final = "custom_components/poolctl/services.yaml"


def copied(root: Path) -> Path:
    """Copy the repository with English as its only language; return the copy's path."""
    root.mkdir()
    languages = {path.name for path in (ROOT / ENGLISH).parent.iterdir()}
    others = languages - {Path(ENGLISH).name}
    leave = shutil.ignore_patterns("__pycache__", *others)
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=leave)
        else:
            shutil.copy(ROOT / name, root / name)
    return root


usual = cache(partial(validate, ROOT))
"""Returns the problems that a check finds in the unchanged repository."""


def found(check: Check, root: Path, change: Callable[[], object]) -> set[str]:
    """Return the problems that a check finds in a copy only after a change."""
    change()
    return validate(root, check) - usual(check)


def put(path: Path, keys: str, value: object) -> None:
    """Change one value of a JSON file, or remove it."""
    data = inner = json.loads(path.read_text())
    *parents, last = keys.split(".")
    for name in parents:
        inner = inner.setdefault(name, {})
    if value is REMOVED:
        del inner[last]
    else:
        inner[last] = value
    path.write_text(json.dumps(data))


def replace(path: Path, old: str, new: str) -> None:
    """Replace the first occurrence of a text in a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
