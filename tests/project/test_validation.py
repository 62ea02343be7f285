"""The checks of tests/validation fail on one broken value, line or file."""

from pathlib import Path
from typing import Final

import pytest

from tests.project.broken import (
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
from tests.validation import descriptions, icons, translations, versions
from tests.validation.__main__ import main
from tests.validation.report import Check


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the repository that may be broken."""
    return copied(tmp_path / "copy")


# Check, file, place in it, value that is put there, expected finding.
BROKEN_JSON: Final[tuple[tuple[Check, str, str, object, str], ...]] = (
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


# Check, file, old text, new text, expected finding.
BROKEN_TEXT: Final[tuple[tuple[Check, str, str, str, str], ...]] = (
    (icons.check, ICONS, "{", "", "cannot be read"),
    (
        versions.check,
        "pyproject.toml",
        'version = "0.2.0"',
        'version = "0.3.0"',
        "the version is not 0.2.0",
    ),
    (versions.check, "CHANGELOG.md", "## [0.2.0]", "## 0.2.0", "has no section"),
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
        (translations.check, ENGLISH),
        (descriptions.check, SERVICES),
        (versions.check, "CHANGELOG.md"),
    ],
)
def test_a_missing_file_is_found(copy: Path, check: Check, file: str) -> None:
    texts = found(check, copy, (copy / file).unlink)
    assert any(text.startswith(file) for text in texts), texts


def test_the_command_names_every_problem(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(copy / ICONS, "platforms", {})
    (copy / SERVICES).unlink()
    assert main([str(copy)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert f"{ICONS}: platforms: not a valid option" in lines
    assert any(line.startswith(SERVICES) for line in lines)
    problems = [line for line in lines if not line.startswith("validation: ")]
    assert lines[-1] == f"validation: {len(problems)} problems"
