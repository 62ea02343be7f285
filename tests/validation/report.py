"""The repository that is validated, and the problems that are found."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
import json
from pathlib import Path
from typing import Any, override

from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.yaml import load_yaml_dict

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong."""

    file: str
    text: str

    @override
    def __str__(self) -> str:
        """Return the line that is printed."""
        return f"{self.file}: {self.text}"


class Repository:
    """The files of a repository with one integration."""

    def __init__(self, root: Path) -> None:
        """Find the integration: the first folder, as in HACS."""
        self.root = root
        folders = sorted(
            path
            for path in (root / "custom_components").glob("*")
            if path.is_dir() and path.name != "__pycache__"
        )
        self.folders = folders
        self.integration = folders[0] if folders else root / "custom_components"

    def name(self, path: Path) -> str:
        """Return a path relative to the repository."""
        return str(path.relative_to(self.root))

    def load(self, path: Path) -> tuple[Json | None, list[Problem]]:
        """Return a JSON or YAML file, `None` if missing or invalid, and problems."""
        try:
            if path.suffix == ".json":
                return json.loads(path.read_text(), object_pairs_hook=_once), []
            return load_yaml_dict(str(path)), []
        except FileNotFoundError:
            return None, []
        except (ValueError, HomeAssistantError) as err:
            return None, [Problem(self.name(path), f"cannot be read: {err}")]

    @cached_property
    def manifest(self) -> Json:
        """The manifest, empty if it cannot be read, in which case `versions` fails."""
        return self.load(self.integration / "manifest.json")[0] or {}

    @cached_property
    def english(self) -> Json:
        """The English texts."""
        return self.load(self.integration / "translations" / "en.json")[0] or {}

    @property
    def domain(self) -> str:
        """The integration's domain: the name of its folder."""
        return self.integration.name


type Check = Callable[[Repository], Iterable[Problem]]


def _once(pairs: list[tuple[str, Any]]) -> Json:
    """Return an object of a JSON file; raises ValueError if a key is repeated."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        raise ValueError(f"{', '.join(twice)} is there more than once")
    return found
