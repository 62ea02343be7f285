"""Rules of the quality scale that a program can check; the rest is for readers."""

from collections.abc import Callable
import json
import re
from typing import Any, Final

from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.poolctl import PLATFORMS
from tests.project.pages import INTEGRATION as FOLDER, PAGES

RULES: Final[dict[str, Any]] = load_yaml_dict(str(FOLDER / "quality_scale.yaml"))[
    "rules"
]
MANIFEST: Final = json.loads((FOLDER / "manifest.json").read_text())


def source(pattern: str) -> str:
    return "\n".join(path.read_text() for path in sorted(FOLDER.glob(pattern)))


SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "docs-actions": ("Actions",),
    "docs-conditions": ("Conditions",),
    "docs-configuration-parameters": ("Options",),
    "docs-data-update": ("How data is updated",),
    "docs-examples": ("Triggers in YAML", "Blueprints"),
    "docs-installation-instructions": ("Installation", "Setup"),
    "docs-installation-parameters": ("Fields of the setup",),
    "docs-known-limitations": ("Known limitations",),
    "docs-removal-instructions": ("Removing",),
    "docs-supported-devices": ("Supported devices",),
    "docs-supported-functions": ("Entities", "Actions"),
    "docs-triggers": ("Triggers",),
    "docs-troubleshooting": ("Troubleshooting",),
    "docs-use-cases": ("What you can do with it",),
}
"""Sections of the pages that a rule asks for."""
CHECKS: Final[dict[str, Callable[[], bool]]] = {
    "action-setup": lambda: "async_setup_services(hass)" in source("__init__.py"),
    "dependency-transparency": lambda: MANIFEST["requirements"] == [],
    # No exception of Home Assistant has a text in the code.
    "exception-translations": lambda: (
        not re.search(
            r"raise (HomeAssistant|ServiceValidation|UpdateFailed)\w*\(\s*f?\"",
            source("**/*.py"),
        )
    ),
    "inject-websession": lambda: "ClientSession(" not in source("client/**/*.py"),
    "parallel-updates": lambda: all(
        re.search(r"^PARALLEL_UPDATES\b.* = ", source(f"{platform}.py"), re.MULTILINE)
        for platform in PLATFORMS
    ),
    "runtime-data": lambda: (
        "hass.data[DOMAIN]" not in source("**/*.py")
        and not re.search(r": ConfigEntry\b", source("config_flow.py"))
    ),
}
"""Rules that no other test sees broken."""


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


def test_the_pages_have_the_sections() -> None:
    pages = "\n".join(page.read_text() for page in PAGES)
    texts = dict(re.findall(r"^#+ (.+)\n((?:(?!#).*\n)*)", pages, re.MULTILINE))
    for rule, headings in SECTIONS.items():
        assert rule in RULES
        for heading in headings:
            assert texts.get(heading, "").strip(), f"{rule}: {heading}"


@pytest.mark.parametrize("rule", sorted(CHECKS))
def test_rule(rule: str) -> None:
    assert rule in RULES
    assert CHECKS[rule](), rule
