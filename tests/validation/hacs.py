"""hacs.json and what the HACS action looks for in the repository."""

from collections.abc import Iterator
from typing import Final

from homeassistant.generated.countries import COUNTRIES
import probatio as vol

from .report import Problem, Repository, violations

# Every key of HACS 2.0.
SCHEMA: Final = {
    vol.Required("name"): str,
    vol.Optional("content_in_root"): bool,
    vol.Optional("country"): vol.Any(
        vol.In(COUNTRIES), vol.All([vol.In(COUNTRIES)], vol.Length(min=1))
    ),
    vol.Optional("filename"): str,
    vol.Optional("hacs"): str,
    vol.Optional("hide_default_branch"): bool,
    vol.Optional("homeassistant"): str,
    vol.Optional("persistent_directory"): str,
    vol.Optional("render_readme"): bool,
    vol.Optional("zip_release"): bool,
}


def check(repository: Repository) -> Iterator[Problem]:
    """Check what HACS reads."""
    path = repository.root / "hacs.json"
    hacs, problems = repository.load(path)
    yield from problems
    if hacs is None:
        if not problems:
            yield Problem("hacs.json", "is missing")
        return
    yield from violations(SCHEMA, hacs, "hacs.json")
    if hacs.get("zip_release") and not hacs.get("filename"):
        yield Problem("hacs.json", "zip_release needs filename")
    if hacs.get("zip_release") and not hacs.get("hide_default_branch"):
        yield Problem("hacs.json", "a branch is offered, but only releases have a zip")
    if hacs.get("name") != repository.manifest.get("name"):
        yield Problem("hacs.json", "the name is not that of the manifest")
    if len(repository.folders) != 1:
        yield Problem("custom_components", "HACS wants exactly one integration")
    for name in ("README.md", "LICENSE"):
        file = repository.root / name
        if not file.is_file() or not file.read_text().strip():
            yield Problem(name, "is missing")
