"""Check services.yaml, conditions.yaml, triggers.yaml, and their texts and icons."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
import re
from typing import Any, Final

from homeassistant.const import CONF_SELECTOR
from homeassistant.helpers import config_validation as cv, selector
import probatio as vol

from .report import Json, Problem, Repository, violations


def _something(value: Any) -> Any:
    if value is None:
        raise vol.Invalid("is empty")
    return value


def _member(value: Any) -> str:
    """Accept a feature or attribute option, such as light.LightEntityFeature.EFFECT.

    Home Assistant's own validator imports all platforms for this.
    """
    try:
        domain, enum, member = str(value).split(".")
        known = import_module(f"homeassistant.components.{domain}")
        getattr(getattr(known, enum), member)
    except (ValueError, ImportError, AttributeError) as err:
        raise vol.Invalid(f"{value!r} is not known: {err}") from err
    return str(value)


_FIELD: Final = {
    vol.Optional("advanced"): bool,
    vol.Optional("default"): _something,
    vol.Optional("example"): _something,
    vol.Optional("filter"): vol.Any(
        {vol.Required("attribute"): {str: [_member]}},
        {vol.Required("supported_features"): [_member]},
    ),
    vol.Optional("required"): bool,
    vol.Optional(CONF_SELECTOR): selector.validate_selector,
}
_SECTION: Final = {
    vol.Optional("collapsed"): bool,
    vol.Required("fields"): {str: _FIELD},
}


def _field(value: Any) -> Any:
    """Accept a field or a section of fields, so that errors are about the right one."""
    is_section = isinstance(value, dict) and "fields" in value
    return vol.Schema(_SECTION if is_section else _FIELD)(value)


_TARGET: Final = vol.Any(None, selector.TargetSelector.CONFIG_SCHEMA)
_ACTION: Final = {
    vol.Optional("target"): _TARGET,
    vol.Optional("fields"): {cv.slug: _field},
}
_RULE: Final = {
    vol.Optional("target"): _TARGET,
    vol.Optional("fields"): {
        cv.slug: {
            vol.Optional("context"): {str: str},
            vol.Optional("default"): _something,
            vol.Optional("example"): _something,
            vol.Optional("required"): bool,
            vol.Optional(CONF_SELECTOR): selector.validate_selector,
        }
    },
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """A file of descriptions; `name` is also its section in the texts and icons."""

    name: str
    item: str
    schema: Any
    # Pattern of code that needs such a file, and the files in which it is searched.
    code: str
    files: str

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.name}.yaml"


KINDS: Final = (
    Kind(
        name="services",
        item="service",
        schema={cv.slug: vol.Any(None, _ACTION)},
        code=r"services\.async_register|async_register_\w*(?:entity|admin)_service",
        files="**/*.py",
    ),
    Kind(
        name="conditions",
        item="condition",
        schema={cv.underscore_slug: vol.Any(None, _RULE)},
        code=r"async_get_conditions",
        files="**/condition.py",
    ),
    Kind(
        name="triggers",
        item="trigger",
        schema={cv.underscore_slug: vol.Any(None, _RULE)},
        code=r"async_get_triggers",
        files="**/trigger.py",
    ),
)


def check(repository: Repository) -> Iterator[Problem]:
    """Check every kind of description."""
    for kind in KINDS:
        path = repository.integration / kind.file
        file = repository.name(path)
        data, problems = repository.load(path)
        yield from problems
        if data is not None:
            # Keys that begin with a dot only hold YAML anchors.
            data = {key: item for key, item in data.items() if key[:1] != "."}
            yield from violations(kind.schema, data, file)
            yield from _shown(repository, kind, data)
        elif not problems and _used(repository, kind):
            yield Problem(file, "is missing, though the code registers some")


def _used(repository: Repository, kind: Kind) -> bool:
    return any(
        re.search(kind.code, path.read_text())
        for path in repository.integration.glob(kind.files)
    )


def _shown(repository: Repository, kind: Kind, data: Json) -> Iterator[Problem]:
    """Yield what would be shown to the user without a text or an icon."""
    file = repository.name(repository.integration / kind.file)
    icons = repository.load(repository.integration / "icons.json")[0] or {}
    for name, item in data.items():
        text = repository.english.get(kind.name, {}).get(name)
        if text is None:
            yield Problem(file, f"{name} has no texts in translations/en.json")
            continue
        if kind.item not in icons.get(kind.name, {}).get(name, {}):
            yield Problem(file, f"{name} has no icon in icons.json")
        for missing in _missing(item or {}, text, repository.english):
            yield Problem(file, f"{name}: {missing} is not in translations/en.json")
        for extra in sorted(set(text.get("fields", {})) - _fields(item or {})):
            yield Problem(file, f"{name}: the field {extra} has texts, but is not here")


def _fields(item: Json) -> set[str]:
    """Return the names of all fields, in sections or not."""
    return {
        key
        for name, field in item.get("fields", {}).items()
        for key in (field or {}).get("fields", [name])
    }


def _missing(item: Json, text: Json, english: Json) -> Iterator[str]:
    for name, field in item.get("fields", {}).items():
        inner = (field or {}).get("fields")
        if inner is not None and name not in text.get("sections", {}):
            yield f"the section {name}"
        for key, value in (inner or {name: field}).items():
            if key not in text.get("fields", {}):
                yield f"the field {key}"
            options = ((value or {}).get(CONF_SELECTOR) or {}).get("select") or {}
            asked = options.get("translation_key")
            if asked and asked not in english.get("selector", {}):
                yield f"the selector {asked}"
