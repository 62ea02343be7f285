"""manifest.json: the keys of Home Assistant, their order, and what HACS wants of it."""

from collections.abc import Iterator
from typing import Any, Final, get_args, get_type_hints

from awesomeversion import (
    AwesomeVersion,
    AwesomeVersionException,
    AwesomeVersionStrategy,
)
from homeassistant.loader import Manifest
import probatio as vol

from .quality_scale import TIERS
from .report import Problem, Repository, violations
from .texts import https, lower, upper

_CORE_DOCUMENTATION: Final = "https://www.home-assistant.io/integrations"
_VERSIONS: Final = [
    AwesomeVersionStrategy.CALVER,
    AwesomeVersionStrategy.SEMVER,
    AwesomeVersionStrategy.SIMPLEVER,
    AwesomeVersionStrategy.BUILDVER,
    AwesomeVersionStrategy.PEP440,
]
IOT_CLASSES: Final = (
    "assumed_state",
    "calculated",
    "cloud_polling",
    "cloud_push",
    "local_polling",
    "local_push",
)
# A virtual integration has no code; it cannot be a custom one.
INTEGRATION_TYPES: Final = tuple(
    name
    for name in get_args(get_type_hints(Manifest)["integration_type"])
    if name != "virtual"
)
UNSCALED: Final = ("custom", "internal", "legacy", "no_score")


def _version(value: str) -> str:
    try:
        AwesomeVersion(value, ensure_strategy=_VERSIONS)
    except AwesomeVersionException as err:
        raise vol.Invalid(f"{value!r} is no version") from err
    return value


def _documentation(value: str) -> str:
    if https(value).startswith(_CORE_DOCUMENTATION):
        raise vol.Invalid("has to be the integration's own page")
    return value


def _wildcard(value: str) -> str:
    if "*" not in value:
        raise vol.Invalid("has to have a * in it")
    return value


def _library(value: str) -> str:
    if value.startswith("custom_components"):
        raise vol.Invalid("is no library, and its own logger is not needed")
    return value


_LOWER: Final = vol.All(str, lower)
_UPPER: Final = vol.All(str, upper)
_MAC: Final = vol.All(str, upper, _wildcard)

# Everything hassfest knows for a custom integration.
SCHEMA: Final = {
    vol.Required("domain"): str,
    vol.Required("name"): str,
    vol.Optional("after_dependencies"): [str],
    vol.Optional("bluetooth"): [
        {
            vol.Optional("connectable"): bool,
            vol.Optional("local_name"): str,
            vol.Optional("manufacturer_data_start"): [int],
            vol.Optional("manufacturer_id"): int,
            vol.Optional("service_data_uuid"): _LOWER,
            vol.Optional("service_uuid"): _LOWER,
        }
    ],
    vol.Required("codeowners"): vol.All([str], vol.Length(min=1)),
    vol.Optional("config_flow"): bool,
    vol.Optional("dependencies"): [str],
    vol.Optional("dhcp"): [
        {
            vol.Optional("hostname"): _LOWER,
            vol.Optional("macaddress"): _MAC,
            vol.Optional("registered_devices"): bool,
        }
    ],
    vol.Optional("disabled"): str,
    vol.Required("documentation"): _documentation,
    vol.Optional("homekit"): {vol.Optional("models"): [str]},
    vol.Optional("import_executor"): bool,
    vol.Required("integration_type"): vol.In(INTEGRATION_TYPES),
    vol.Required("iot_class"): vol.In(IOT_CLASSES),
    vol.Required("issue_tracker"): https,
    # Of libraries. The integration's own logger is set to debug with them anyway.
    vol.Optional("loggers"): vol.All([_library], vol.Length(min=1)),
    vol.Optional("mqtt"): [str],
    vol.Optional("preview_features"): {
        str: {
            vol.Optional("feedback_url"): https,
            vol.Optional("learn_more_url"): https,
            vol.Optional("report_issue_url"): https,
        }
    },
    vol.Optional("quality_scale"): vol.In((*TIERS, *UNSCALED)),
    # Home Assistant has everything that this integration needs.
    vol.Optional("requirements"): [],
    vol.Optional("single_config_entry"): bool,
    vol.Optional("ssdp"): [vol.All({str: str}, vol.Length(min=1))],
    vol.Optional("usb"): [
        {
            vol.Optional("description"): _LOWER,
            vol.Optional("known_devices"): [str],
            vol.Optional("manufacturer"): _LOWER,
            vol.Optional("pid"): _UPPER,
            vol.Optional("serial_number"): _LOWER,
            vol.Optional("vid"): _UPPER,
        }
    ],
    vol.Required("version"): vol.All(str, _version),
    vol.Optional("zeroconf"): [
        vol.Any(
            str,
            {
                vol.Required("type"): str,
                vol.Optional("name"): _LOWER,
                vol.Optional("properties"): {str: _LOWER},
            },
        )
    ],
}


def in_order(keys: list[str]) -> list[str]:
    """Return keys as hassfest wants them: domain, name, then by the alphabet."""
    return sorted(keys, key=lambda key: (key not in ("domain", "name"), key))


def check(repository: Repository) -> Iterator[Problem]:
    """Check the manifest."""
    path = repository.integration / "manifest.json"
    file = repository.name(path)
    manifest, problems = repository.load(path)
    yield from problems
    if manifest is None:
        if not problems:
            yield Problem(file, "is missing")
        return
    yield from violations(SCHEMA, manifest, file)
    for wrong, text in _findings(repository, manifest):
        if wrong:
            yield Problem(file, text)


def _findings(
    repository: Repository, manifest: dict[str, Any]
) -> Iterator[tuple[bool, str]]:
    keys = list(manifest)
    yield (
        keys != in_order(keys),
        f"the keys are out of order: {', '.join(in_order(keys))}",
    )
    yield (
        manifest.get("domain") != repository.domain,
        f"the domain is not the name of the folder, {repository.domain}",
    )
    has_flow = (repository.integration / "config_flow.py").is_file()
    yield (
        bool(manifest.get("config_flow")) != has_flow,
        "config_flow and config_flow.py go together",
    )
    yield (
        manifest.get("issue_tracker") != f"{manifest.get('documentation')}/issues",
        "issue_tracker is not that of the repository in documentation",
    )
    both = set(manifest.get("dependencies", ())) & set(
        manifest.get("after_dependencies", ())
    )
    yield bool(both), f"{sorted(both)} cannot be a dependency of both kinds"
