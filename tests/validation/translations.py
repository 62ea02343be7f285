"""Check translations/*.json: the sections, their shapes, and the form of texts."""

from collections.abc import Iterator
from typing import Any, Final

from homeassistant.generated.languages import LANGUAGES
from homeassistant.helpers import config_validation as cv
import probatio as vol

from .report import Problem, Repository, violations
from .texts import key, keyed, plain, text

_TEXTS: Final = {str: text}
_STEP: Final = {
    vol.Optional("title"): text,
    vol.Optional("description"): text,
    vol.Optional("data"): _TEXTS,
    vol.Optional("data_description"): _TEXTS,
    vol.Optional("menu_options"): _TEXTS,
    vol.Optional("menu_option_descriptions"): _TEXTS,
    vol.Optional("submit"): text,
    vol.Optional("sections"): {
        str: {
            vol.Optional("name"): text,
            vol.Optional("description"): text,
            vol.Optional("data"): _TEXTS,
            vol.Optional("data_description"): _TEXTS,
        }
    },
}


def _described(step: dict[str, Any]) -> dict[str, Any]:
    """Accept a step that only describes fields that it has."""
    for part in (step, *step.get("sections", {}).values()):
        fields, described = part.get("data", {}), part.get("data_description", {})
        if extra := sorted(set(described) - set(fields)):
            raise vol.Invalid(f"{', '.join(extra)} is described, but is no field")
    return step


_FLOW: Final = {
    vol.Optional("flow_title"): text,
    vol.Required("step"): {str: vol.All(_STEP, _described)},
    vol.Optional("error"): _TEXTS,
    vol.Optional("abort"): _TEXTS,
    vol.Optional("progress"): _TEXTS,
    vol.Optional("create_entry"): _TEXTS,
    vol.Optional("initiate_flow"): {vol.Required("user"): text},
}
_SUBENTRY_FLOW: Final = _FLOW | {
    vol.Required("entry_type"): text,
    vol.Required("initiate_flow"): {vol.Required("user"): text, str: text},
}
_TITLED: Final = {vol.Required("title"): text, vol.Optional("short_title"): text}


def _issue(value: Any) -> Any:
    """Accept a repair: with the steps that fix it, or with a description."""
    fixable = isinstance(value, dict) and "fix_flow" in value
    rest: Any = (
        {vol.Required("fix_flow"): _FLOW}
        if fixable
        else {vol.Required("description"): text}
    )
    return vol.Schema(_TITLED | rest)(value)


_STATES: Final = keyed(plain)
_ENTITY: Final = {
    vol.Optional("name"): text,
    vol.Optional("state"): _STATES,
    vol.Optional("state_attributes"): keyed(
        {vol.Optional("name"): plain, vol.Optional("state"): _STATES}
    ),
    vol.Optional("unit_of_measurement"): plain,
}
# An action, a condition or a trigger in the automation editor.
_DESCRIBED: Final = {vol.Required("name"): text, vol.Required("description"): text}
_FIELDS: Final = keyed(_DESCRIBED | {vol.Optional("example"): text})
_ACTION: Final = _DESCRIBED | {
    vol.Optional("fields"): _FIELDS,
    vol.Optional("sections"): keyed(
        {vol.Required("name"): text, vol.Optional("description"): text}
    ),
}
# Fields that all conditions and triggers have, such as `for`, need no description.
_RULE: Final = _DESCRIBED | {
    vol.Optional("fields"): keyed(
        {
            vol.Required("name"): text,
            vol.Optional("description"): text,
            vol.Optional("example"): text,
        }
    )
}
_SELECTOR: Final = {
    vol.Optional("choices"): keyed(text),
    vol.Optional("fields"): keyed(
        {vol.Required("name"): text, vol.Optional("description"): text}
    ),
    vol.Optional("options"): keyed(text),
    vol.Optional("unit_of_measurement"): keyed(text),
}


def _branch(value: str) -> str:
    return value if value == "_" else key(value)


def _tree(value: Any) -> Any:
    """Accept texts at any depth, for a panel of the integration."""
    return keyed(_tree, _branch)(value) if isinstance(value, dict) else text(value)


# Everything that Home Assistant reads from a custom integration's file.
SCHEMA: Final = {
    vol.Optional("title"): text,
    vol.Optional("application_credentials"): {vol.Optional("description"): text},
    vol.Optional("common"): keyed(text, cv.slug),
    vol.Optional("conditions"): keyed(_RULE, cv.underscore_slug),
    vol.Optional("config"): _FLOW,
    vol.Optional("config_panel"): _tree,
    vol.Optional("config_subentries"): keyed(_SUBENTRY_FLOW, cv.slug),
    vol.Optional("device"): keyed({vol.Optional("name"): text}),
    vol.Optional("device_automation"): {
        vol.Optional("action_type"): _TEXTS,
        vol.Optional("condition_type"): _TEXTS,
        vol.Optional("extra_fields"): _TEXTS,
        vol.Optional("extra_fields_descriptions"): _TEXTS,
        vol.Optional("trigger_subtype"): _TEXTS,
        vol.Optional("trigger_type"): _TEXTS,
    },
    vol.Optional("entity"): keyed(keyed(_ENTITY), cv.slug),
    vol.Optional("exceptions"): keyed({vol.Required("message"): text}, cv.slug),
    vol.Optional("issues"): keyed(_issue),
    vol.Optional("options"): _FLOW,
    vol.Optional("selector"): keyed(_SELECTOR, cv.slug),
    vol.Optional("services"): keyed(_ACTION),
    vol.Optional("system_health"): {vol.Optional("info"): keyed(text, key)},
    vol.Optional("triggers"): keyed(_RULE, cv.underscore_slug),
}


def check(repository: Repository) -> Iterator[Problem]:
    """Check the file of every language."""
    folder = repository.integration / "translations"
    if not (folder / "en.json").is_file():
        yield Problem(repository.name(folder / "en.json"), "is missing")
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        file = repository.name(path)
        if path.suffix != ".json" or path.stem not in LANGUAGES:
            yield Problem(file, "is no language of Home Assistant")
            continue
        data, problems = repository.load(path)
        yield from problems
        if data is not None:
            yield from violations(SCHEMA, data, file)
