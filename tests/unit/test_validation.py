"""Every check of scripts/lint can fail: one value, one line or one file is broken."""

from pathlib import Path
from typing import Final

import pytest

from tests.validation import (
    brand,
    dependencies,
    descriptions,
    github,
    hacs,
    hassfest,
    icons,
    manifest,
    translations,
    versions,
)
from tests.validation.__main__ import main
from tests.validation.report import Check

from .broken import (
    BRAND,
    ENGLISH,
    ICONS,
    MANIFEST,
    REMOVED,
    SERVICES,
    copied,
    found,
    put,
    replace,
)

BUG: Final = ".github/ISSUE_TEMPLATE/bug.yml"
TESTS: Final = ".github/workflows/tests.yml"
FLOW: Final = "custom_components/poolctl/config_flow.py"
RELEASE: Final = ".github/workflows/release.yml"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the repository that may be broken."""
    return copied(tmp_path / "copy")


# Check, file, where in it, the value that it gets there, what is found.
BROKEN_JSON: Final[tuple[tuple[Check, str, str, object, str], ...]] = (
    (manifest.check, MANIFEST, "version", REMOVED, "version: required key"),
    (manifest.check, MANIFEST, "version", "one", "'one' is no version"),
    (manifest.check, MANIFEST, "requirements", ["x==1"], "requirements"),
    (manifest.check, MANIFEST, "loggers", ["custom_components.x"], "is no library"),
    (manifest.check, MANIFEST, "colour", "blue", "colour: not a valid option"),
    (manifest.check, MANIFEST, "homeassistant", "2026.10.4", "not a valid option"),
    (manifest.check, MANIFEST, "iot_class", "local", "iot_class: value must be"),
    (manifest.check, MANIFEST, "integration_type", "virtual", "value must be"),
    (manifest.check, MANIFEST, "quality_scale", "diamond", "value must be"),
    (manifest.check, MANIFEST, "documentation", "http://example.com", "https://"),
    (
        manifest.check,
        MANIFEST,
        "documentation",
        "https://www.home-assistant.io/integrations/poolctl",
        "the integration's own page",
    ),
    (manifest.check, MANIFEST, "issue_tracker", REMOVED, "issue_tracker: required"),
    (
        manifest.check,
        MANIFEST,
        "issue_tracker",
        "https://github.com/me/x/issues",
        "not that of the repository",
    ),
    (manifest.check, MANIFEST, "codeowners", [], "codeowners: length"),
    (manifest.check, MANIFEST, "domain", "pool", "not the name of the folder"),
    (manifest.check, MANIFEST, "config_flow", False, "config_flow.py go together"),
    (
        manifest.check,
        MANIFEST,
        "zeroconf",
        [{"type": "_ctrl._tcp.local.", "name": "Ctrl*"}],
        "lower case",
    ),
    (manifest.check, MANIFEST, "dhcp", [{"macaddress": "aabbcc*"}], "upper case"),
    (manifest.check, MANIFEST, "dhcp", [{"macaddress": "AABBCC"}], "a * in it"),
    (
        manifest.check,
        MANIFEST,
        "after_dependencies",
        ["application_credentials"],
        "of both kinds",
    ),
    (translations.check, ENGLISH, "titles", {}, "titles: not a valid option"),
    (translations.check, ENGLISH, "entity.sensor.orp.titel", "x", "not a valid"),
    (translations.check, ENGLISH, "entity.sensor.orp.name", 7, "orp.name"),
    (translations.check, ENGLISH, "entity.sensor.orp.name", "", "is empty"),
    (translations.check, ENGLISH, "entity.sensor.orp.name", " ORP", "a space"),
    (translations.check, ENGLISH, "entity.sensor.orp.name", "<b>ORP</b>", "HTML"),
    (translations.check, ENGLISH, "entity.sensor.orp.name", "ORP {", "a brace"),
    (translations.check, ENGLISH, "entity.sensor.orp.name", "ORP }", "a brace"),
    (translations.check, ENGLISH, "entity.sensor.orp.name", "ORP {0}", "identifier"),
    (translations.check, ENGLISH, "entity.sensor.orp.name", "'{name}'", "quotes"),
    (
        translations.check,
        ENGLISH,
        "entity.sensor.orp.name",
        "[%key:common::orp%]",
        "the core only",
    ),
    (
        translations.check,
        ENGLISH,
        "config.step.user.description",
        "See https://example.com.",
        "an address",
    ),
    (
        translations.check,
        ENGLISH,
        "entity.sensor.pump_mode.state.manual",
        "{name}",
        "not filled here",
    ),
    (translations.check, ENGLISH, "entity.sensor.Orp", {}, "'Orp' is no key"),
    (translations.check, ENGLISH, "entity.sensor.a__b", {}, "'a__b' is no key"),
    (
        translations.check,
        ENGLISH,
        "config.step.user.data_description.nothing",
        "x",
        "nothing is described",
    ),
    (translations.check, ENGLISH, "config_panel.Title", "x", "'Title' is no key"),
    (translations.check, ENGLISH, "config.step", REMOVED, "step: required key"),
    (
        translations.check,
        ENGLISH,
        "services.resume_schedule.description",
        REMOVED,
        "resume_schedule.description: required key",
    ),
    (translations.check, ENGLISH, "exceptions.odd", {"text": "x"}, "not a valid"),
    (
        translations.check,
        ENGLISH,
        "issues.odd",
        {"title": "x"},
        "odd.description: required key",
    ),
    (
        translations.check,
        ENGLISH,
        "issues.odd",
        {"title": "x", "fix_flow": {}},
        "odd.fix_flow.step: required key",
    ),
    (icons.check, ICONS, "entity.sensor.orp.default", "mdi:no-such-icon", "no icon"),
    (icons.check, ICONS, "entity.sensor.orp.default", "hass:pump", "no icon"),
    (icons.check, ICONS, "entity.sensor.orp.states", {}, "not a valid option"),
    (icons.check, ICONS, "services.odd", {"icon": "mdi:pump"}, "service: required"),
    (icons.check, ICONS, "platforms", {}, "platforms: not a valid option"),
    (
        icons.check,
        ICONS,
        "entity.light.x.state_attributes.effect",
        {"default": "mdi:pump", "state": {"off": "mdi:pump"}},
        "the icon of off is the default anyway",
    ),
    (
        icons.check,
        ICONS,
        "entity.sensor.orp.range",
        {"700": "mdi:pump", "0": "mdi:pump-off"},
        "rising order",
    ),
    (
        descriptions.check,
        ENGLISH,
        "services.resume_schedule",
        REMOVED,
        "resume_schedule has no texts",
    ),
    (
        descriptions.check,
        ICONS,
        "services.resume_schedule",
        REMOVED,
        "resume_schedule has no icon",
    ),
    (
        descriptions.check,
        ENGLISH,
        "services.resume_schedule.fields.odd",
        {"name": "Odd", "description": "Odd."},
        "the field odd has texts",
    ),
    (hacs.check, "hacs.json", "domains", ["switch"], "domains: not a valid option"),
    (hacs.check, "hacs.json", "name", REMOVED, "name: required key"),
    (hacs.check, "hacs.json", "name", "Pool", "not that of the manifest"),
    (hacs.check, "hacs.json", "filename", REMOVED, "zip_release needs filename"),
    (hacs.check, "hacs.json", "hide_default_branch", REMOVED, "a branch is offered"),
    (hacs.check, "hacs.json", "country", "XX", "country: "),
    (versions.check, "hacs.json", "homeassistant", "2026.9.0", "that is tested"),
    (versions.check, MANIFEST, "version", "9.9.9", "CHANGELOG.md: has no section"),
    (versions.check, MANIFEST, "version", "9.9.9", "pyproject.toml: the version"),
)


@pytest.mark.parametrize(("check", "file", "keys", "value", "finding"), BROKEN_JSON)
def test_a_broken_value_is_found(
    copy: Path, check: Check, file: str, keys: str, value: object, finding: str
) -> None:
    texts = found(check, copy, lambda: put(copy / file, keys, value))
    assert any(finding in text for text in texts), texts


# Check, file, what stands there, what stands there instead, what is found.
BROKEN_TEXT: Final[tuple[tuple[Check, str, str, str, str], ...]] = (
    (manifest.check, MANIFEST, "{", "[", "cannot be read"),
    (
        manifest.check,
        MANIFEST,
        '"domain": "poolctl",\n  "name": "Pool Controller",',
        '"name": "Pool Controller",\n  "domain": "poolctl",',
        "out of order: domain, name, ",
    ),
    (
        manifest.check,
        MANIFEST,
        '"name"',
        '"name": "Pool",\n  "name"',
        "name is there more than once",
    ),
    (icons.check, ICONS, "{", "", "cannot be read"),
    (
        dependencies.check,
        "custom_components/poolctl/const.py",
        "",
        "from homeassistant.components import mqtt\n",
        "mqtt is neither in",
    ),
    (
        dependencies.check,
        "custom_components/poolctl/client/lan.py",
        "",
        "import homeassistant.components.mqtt.client\n",
        "mqtt is neither in",
    ),
    (
        dependencies.check,
        "custom_components/poolctl/const.py",
        "",
        "(\n",
        "cannot be read",
    ),
    (
        hassfest.check,
        "custom_components/poolctl/__init__.py",
        "CONFIG_SCHEMA =",
        "OTHER =",
        "no CONFIG_SCHEMA",
    ),
    (github.check, TESTS, "checkout@de0fac2", "checkout@v6 #", "a step either runs"),
    (github.check, RELEASE, "./.github", "poolctl/poolctl/.github", "jobs.tests"),
    (github.check, TESTS, "permissions:\n  contents: read\n", "", "permissions: req"),
    (github.check, TESTS, "contents: read", "contents: all", "permissions.contents"),
    (github.check, TESTS, "  contents", "\tcontents", "cannot be read"),
    (github.check, BUG, "    id: firmware\n", "", "an input with an id"),
    (github.check, BUG, "type: dropdown", "type: list", "an input with an id"),
    (github.check, BUG, "description:", "about:", "about: not a valid option"),
    (
        github.check,
        ".github/ISSUE_TEMPLATE/config.yml",
        "https://community",
        "community",
        "contact_links",
    ),
    (
        versions.check,
        "pyproject.toml",
        'version = "0.2.0"',
        'version = "0.3.0"',
        "the version is not 0.2.0",
    ),
    (versions.check, "CHANGELOG.md", "## [0.2.0]", "## 0.2.0", "has no section"),
    (hacs.check, "hacs.json", "{", "", "cannot be read"),
)


@pytest.mark.parametrize(("check", "file", "old", "new", "finding"), BROKEN_TEXT)
def test_a_broken_file_is_found(
    copy: Path, check: Check, file: str, old: str, new: str, finding: str
) -> None:
    texts = found(check, copy, lambda: replace(copy / file, old, new))
    assert any(finding in text for text in texts), texts


@pytest.mark.parametrize(
    ("check", "file"),
    [
        (manifest.check, MANIFEST),
        (translations.check, ENGLISH),
        (descriptions.check, SERVICES),
        (brand.check, f"{BRAND}/dark_logo.png"),
        (hacs.check, "hacs.json"),
        (hacs.check, "README.md"),
        (hacs.check, "LICENSE"),
        (versions.check, "CHANGELOG.md"),
    ],
)
def test_a_missing_file_is_found(copy: Path, check: Check, file: str) -> None:
    texts = found(check, copy, (copy / file).unlink)
    assert any(text.startswith(file) for text in texts), texts


def test_a_second_integration_is_found(copy: Path) -> None:
    other = copy / "custom_components" / "spa"
    assert found(hacs.check, copy, other.mkdir) == {
        "custom_components: HACS wants exactly one integration"
    }


def test_the_command_names_every_problem(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(copy / MANIFEST, "colour", "blue")
    (copy / "LICENSE").unlink()
    assert main(copy) == 1
    lines = capsys.readouterr().out.splitlines()
    assert f"{MANIFEST}: colour: not a valid option" in lines
    assert "LICENSE: is missing" in lines
    problems = [line for line in lines if not line.startswith("validation: ")]
    assert lines[-1] == f"validation: {len(problems)} problems"


def test_discovery_without_a_unique_id_is_found(copy: Path) -> None:
    flow = copy / FLOW
    code = flow.read_text()
    assert found(
        hassfest.check, copy, lambda: flow.write_text(code.replace("_unique_id(", "("))
    ) == {
        f"{FLOW}: dhcp finds devices without a unique id",
        f"{FLOW}: zeroconf finds devices without a unique id",
    }


def test_what_is_not_checked_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    main(Path())
    said = capsys.readouterr().out
    assert "hassfest is not in the package" in said
    for name in hassfest.UNCHECKED:
        assert f"not checked here: {name} (" in said
    assert not hassfest.CHECKED.keys() & hassfest.UNCHECKED.keys()
