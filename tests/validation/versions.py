"""Check that versions agree, and that HACS requires the tested Home Assistant."""

from collections.abc import Iterator
import re
import tomllib

from homeassistant import const

from .report import Problem, Repository


def check(repository: Repository) -> Iterator[Problem]:
    """Compare the versions."""
    version = repository.manifest.get("version", "")
    project = tomllib.loads((repository.root / "pyproject.toml").read_text())
    if project["project"]["version"] != version:
        yield Problem("pyproject.toml", f"the version is not {version}")
    changelog = repository.root / "CHANGELOG.md"
    text = changelog.read_text() if changelog.is_file() else ""
    if not re.search(rf"^## \[{re.escape(version)}\] - \S", text, re.MULTILINE):
        yield Problem("CHANGELOG.md", f"has no section ## [{version}] - date")
    hacs = repository.load(repository.root / "hacs.json")[0] or {}
    if hacs.get("homeassistant") != const.__version__:
        yield Problem(
            "hacs.json",
            f"homeassistant is not {const.__version__}, the version that is tested",
        )
