"""The checks of tests/validation fail on one broken value, line or file."""

from pathlib import Path
import re
import shutil
from typing import Final

import pytest

from custom_components.poolctl.client.pool import lights
from custom_components.poolctl.client.wire import frame
from tests.project.broken import (
    ENGLISH,
    ICONS,
    MANIFEST,
    REMOVED,
    ROOT,
    SERVICES,
    copied,
    found,
    put,
    replace,
)
from tests.validation import (
    TRANSLATED,
    Check,
    descriptions,
    icons,
    languages,
    main,
    stale,
    validate,
    versions,
)

GERMAN: Final = "custom_components/poolctl/translations/de.json"
RESUME: Final = "services.resume_schedule"
ORP: Final = "entity.sensor.orp.name"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copied(tmp_path / "copy")


# Check, file, place in it, value that is put there, expected finding.
BROKEN: Final[tuple[tuple[Check, str, str, object, str], ...]] = (
    (languages, ENGLISH, ORP, "ORP {", "a brace is alone"),
    (languages, GERMAN, ORP, REMOVED, f"{ORP} is missing"),
    (languages, GERMAN, "common.odd", "Odd", "common.odd is not in en.json"),
    (
        languages,
        GERMAN,
        "config.flow_title",
        "{nome}",
        "the placeholders ['nome'], English has",
    ),
    (icons, ICONS, "entity.sensor.orp.default", "mdi:no-such-icon", "no icon"),
    (icons, ICONS, "entity.sensor.orp.default", "hass:pump", "no icon"),
    (descriptions, ENGLISH, RESUME, REMOVED, "resume_schedule has no texts"),
    (descriptions, ICONS, RESUME, REMOVED, "resume_schedule has no icon"),
    (
        descriptions,
        ENGLISH,
        f"{RESUME}.fields.odd",
        {"name": "Odd", "description": "Odd."},
        "the field odd has texts",
    ),
    (versions, "hacs.json", "homeassistant", "2026.9.0", "which is tested"),
    (versions, MANIFEST, "version", "9.9.9", "CHANGELOG.md: has no section"),
    (versions, MANIFEST, "version", "9.9.9", "pyproject.toml: the version"),
)


@pytest.mark.parametrize(("check", "file", "keys", "value", "finding"), BROKEN)
def test_a_broken_value_is_found(
    copy: Path, check: Check, file: str, keys: str, value: object, finding: str
) -> None:
    if file == GERMAN:
        shutil.copy(ROOT / GERMAN, copy / GERMAN)
    texts = found(check, copy, lambda: put(copy / file, keys, value))
    assert any(finding in text for text in texts), texts


def test_a_changed_english_text_is_found(copy: Path) -> None:
    """Until each language was compared with it, and no longer."""
    for name in (GERMAN, GERMAN.replace("de", "fr"), TRANSLATED):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    assert validate(copy, stale) == set()
    put(copy / ENGLISH, ORP, "Redox")
    (problem,) = validate(copy, stale)
    assert problem.startswith(f"{ORP}: ") and "(de, fr)" in problem
    main([str(copy), "--translated", ORP, "--languages", "de"])
    (problem,) = validate(copy, stale)
    assert "(fr)" in problem
    main([str(copy), "--translated", ORP])
    assert validate(copy, stale) == set()


# An action in services.yaml, and the expected finding.
BROKEN_ACTIONS: Final = (
    ("odd: {}", "odd has no texts"),
    ("odd: [", "cannot be read"),
    ("odd: {}", "resume_schedule has texts, but is not here"),
    ("resume_schedule: {fields: {name: {}}}", "the field name is not in"),
    (
        "resume_schedule: {fields: {more: {fields: {name: {}}}}}",
        "the section more is not in",
    ),
    (
        "resume_schedule: {fields: {name: {selector: {select: {options: [a], translation_key: odd}}}}}",
        "the selector odd is not in",
    ),
)


@pytest.mark.parametrize(("action", "finding"), BROKEN_ACTIONS)
def test_a_broken_action_is_found(copy: Path, action: str, finding: str) -> None:
    texts = found(
        descriptions, copy, lambda: (copy / SERVICES).write_text(f"{action}\n")
    )
    assert any(finding in text for text in texts), texts


def test_the_command_names_every_problem(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replace(copy / ICONS, "{", "")
    (copy / SERVICES).unlink()
    assert main([str(copy)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{ICONS}: cannot be read") for line in lines)
    assert any(line.startswith(SERVICES) for line in lines)
    problems = [line for line in lines if not line.startswith("validation: ")]
    assert lines[-1] == f"validation: {len(problems)} problems"


def test_the_example_in_contributing_is_real() -> None:
    """Its rows are those of the code, and its expressions can be evaluated."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (light,) = re.findall(r"`(LightType\(.*?\))`", text)
    example = eval(light, vars(lights))  # noqa: S307
    assert example.code == max(lights.LIGHT_TYPES) + 1
    assert [*example.effects] == ["blue", "green"]
    (field,) = re.findall(r"`(\w+: Annotated.*?)`", text)
    assert field in Path(frame.__file__).read_text()
    blocks = text.split("```")[1::2]
    row, name, icon = (block.partition("\n")[2] for block in blocks)
    assert row in (ROOT / "custom_components/poolctl/sensor.py").read_text()
    assert name in (ROOT / ENGLISH).read_text()
    assert icon in (ROOT / ICONS).read_text()
