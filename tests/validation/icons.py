"""Check that the frontend has every icon of icons.json."""

from collections.abc import Iterator
from functools import cache
from importlib import resources
import json
from typing import Final

from .languages import texts
from .report import Problem, Repository

FILE: Final = "icons.json"
_PREFIX: Final = "mdi:"


@cache
def known() -> frozenset[str]:
    """Return the names of the icons in the installed frontend."""
    path = resources.files("hass_frontend") / "static" / "mdi" / "iconList.json"
    return frozenset(_PREFIX + icon["name"] for icon in json.loads(path.read_text()))


def check(repository: Repository) -> Iterator[Problem]:
    """Check the icons."""
    path = repository.integration / FILE
    icons, problems = repository.load(path)
    yield from problems
    for where, icon in texts(icons or {}).items():
        if icon not in known():
            yield Problem(
                repository.name(path),
                f"{where}: {icon!r} is no icon of Material Design Icons",
            )
