"""Check the texts and icons of actions, conditions and triggers."""

from collections.abc import Iterator
from typing import Final

from homeassistant.const import CONF_SELECTOR

from .report import Json, Problem, Repository

KINDS: Final = {"services": "service", "conditions": "condition", "triggers": "trigger"}
"""Name of the file and of its section in texts and icons, and the key of an icon."""


def check(repository: Repository) -> Iterator[Problem]:
    """Yield what would be shown to the user without a text or an icon."""
    icons = repository.load(repository.integration / "icons.json")[0] or {}
    for kind, key in KINDS.items():
        path = repository.integration / f"{kind}.yaml"
        file = repository.name(path)
        data, problems = repository.load(path)
        yield from problems
        texts = repository.english.get(kind, {})
        # Keys that begin with a dot only hold YAML anchors.
        items = {name: item for name, item in (data or {}).items() if name[:1] != "."}
        for name in sorted(texts.keys() - items.keys()):
            yield Problem(file, f"{name} has texts, but is not here")
        for name, item in items.items():
            if name not in texts:
                yield Problem(file, f"{name} has no texts in translations/en.json")
                continue
            if key not in icons.get(kind, {}).get(name, {}):
                yield Problem(file, f"{name} has no icon in icons.json")
            for missing in _missing(item or {}, texts[name], repository.english):
                yield Problem(file, f"{name}: {missing} is not in translations/en.json")
            for extra in sorted(
                set(texts[name].get("fields", {})) - _fields(item or {})
            ):
                yield Problem(
                    file, f"{name}: the field {extra} has texts, but is not here"
                )


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
