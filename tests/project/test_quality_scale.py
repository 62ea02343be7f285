"""Rules of the quality scale that a program can check; the rest is for readers."""

import ast
from collections.abc import Callable
import json
from pathlib import Path
import re
from typing import Any, Final

from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.poolctl import PLATFORMS, account, async_setup, config_flow

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "custom_components/poolctl"
README: Final = (ROOT / "README.md").read_text()
PAGES: Final = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
RULES: Final[dict[str, Any]] = load_yaml_dict(str(FOLDER / "quality_scale.yaml"))[
    "rules"
]
MANIFEST: Final = json.loads((FOLDER / "manifest.json").read_text())


def source(name: str) -> str:
    """Return the text of a file of the integration."""
    return (FOLDER / name).read_text()


def has_section(*headings: str) -> Callable[[], bool]:
    """Return a check that the pages have sections with some text."""
    sections = dict(
        re.findall(
            r"^#+ (.+)\n((?:(?!#).*\n)*)",
            "\n".join(page.read_text() for page in PAGES),
            re.MULTILINE,
        )
    )
    return lambda: all(sections.get(heading, "").strip() for heading in headings)


def has_files(*names: str) -> Callable[[], bool]:
    """Return a check that the integration has these files."""
    return lambda: all((FOLDER / name).is_file() for name in names)


def has_steps(*names: str) -> Callable[[], bool]:
    """Return a check that the flow has these steps."""
    return lambda: all(
        f"async_step_{name}" in vars(config_flow.PoolctlFlow) for name in names
    )


def _parallel_updates() -> bool:
    return all(
        any(
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "PARALLEL_UPDATES"
            for node in ast.parse(source(f"{platform}.py")).body
        )
        for platform in PLATFORMS
    )


def _actions_are_set_up_without_an_entry() -> bool:
    return "async_setup_services(hass)" in source("__init__.py") and callable(
        async_setup
    )


def _errors_are_translated() -> bool:
    """Check that no exception of Home Assistant has a text in the code."""
    raised = re.compile(
        r"raise (HomeAssistant|ServiceValidation|UpdateFailed)\w*\(\s*f?\""
    )
    return not any(raised.search(path.read_text()) for path in FOLDER.rglob("*.py"))


def _nothing_in_hass_data_by_entry() -> bool:
    return not any(
        re.search(r"hass\.data\[DOMAIN\]", path.read_text())
        for path in FOLDER.rglob("*.py")
    )


CHECKS: Final[dict[str, Callable[[], bool]]] = {
    "action-setup": _actions_are_set_up_without_an_entry,
    "brands": has_files("brand/icon.png", "brand/logo.png"),
    "common-modules": has_files("coordinator.py", "entity.py"),
    "config-flow": lambda: MANIFEST["config_flow"] is True,
    "config-flow-test-coverage": lambda: (
        "config_flow.py" in (ROOT / "scripts/test").read_text()
    ),
    "dependency-transparency": lambda: MANIFEST["requirements"] == [],
    "diagnostics": has_files("diagnostics.py"),
    "discovery": has_steps("zeroconf", "dhcp"),
    "docs-actions": has_section("Actions"),
    "docs-conditions": has_section("Conditions"),
    "docs-configuration-parameters": has_section("Options"),
    "docs-data-update": has_section("How data is updated"),
    "docs-examples": has_section("Examples", "Blueprints"),
    "docs-high-level-description": lambda: "Your pool in Home Assistant" in README,
    "docs-installation-instructions": has_section("Installation", "Setup"),
    "docs-installation-parameters": has_section("Fields of the setup"),
    "docs-known-limitations": has_section("Known limitations"),
    "docs-removal-instructions": has_section("Removing"),
    "docs-supported-devices": has_section("Supported devices"),
    "docs-supported-functions": has_section("Entities", "Actions"),
    "docs-triggers": has_section("Triggers"),
    "docs-troubleshooting": has_section("Troubleshooting"),
    "docs-use-cases": has_section("What you can do with it"),
    "exception-translations": _errors_are_translated,
    "has-entity-name": lambda: "_attr_has_entity_name = True" in source("entity.py"),
    "icon-translations": has_files("icons.json"),
    "inject-websession": lambda: (
        not any(
            "ClientSession(" in path.read_text()
            for path in FOLDER.glob("client/**/*.py")
        )
    ),
    "parallel-updates": _parallel_updates,
    "reauthentication-flow": has_steps("reauth", "reauth_confirm"),
    "reconfiguration-flow": has_steps("reconfigure"),
    "repair-issues": has_files("repairs.py"),
    "runtime-data": lambda: (
        _nothing_in_hass_data_by_entry()
        and not re.search(r": ConfigEntry\b", source("config_flow.py"))
    ),
    "stale-devices": lambda: (
        "async_remove_config_entry_device" in source("__init__.py")
        and hasattr(account.AccountCoordinator, "_remove")
    ),
    "strict-typing": lambda: "strict = true" in (ROOT / "pyproject.toml").read_text(),
}


def test_the_manifest_claims_no_level() -> None:
    """Only Home Assistant awards one, and a custom integration has none."""
    assert "quality_scale" not in MANIFEST


def test_every_rule_but_the_owner_is_done_or_exempt() -> None:
    """The 54 rules of the quality scale of Home Assistant 2026.10."""
    assert len(RULES) == 54
    for rule, value in RULES.items():
        status, comment = (
            (value, "")
            if isinstance(value, str)
            else (value["status"], value["comment"])
        )
        assert status == "done" or comment, rule
        assert status in {"done", "exempt"} or rule == "integration-owner", rule


@pytest.mark.parametrize("rule", sorted(CHECKS))
def test_rule(rule: str) -> None:
    assert rule in RULES
    assert CHECKS[rule](), rule
