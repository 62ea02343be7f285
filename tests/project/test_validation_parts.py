"""The validation finds broken actions and languages, and accepts real integrations."""

from collections.abc import Iterator
import json
from pathlib import Path
import shutil
from typing import Final

from homeassistant import components
from homeassistant.util.yaml import load_yaml_dict
import pytest

from tests.project.broken import (
    ENGLISH,
    ICONS,
    REMOVED,
    ROOT,
    SERVICES,
    copied,
    found,
    problems,
    put,
)
from tests.validation import descriptions, icons, languages, translations
from tests.validation.report import violations

GERMAN: Final = "custom_components/poolctl/translations/de.json"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the repository that may be broken."""
    return copied(tmp_path / "copy")


# An action in services.yaml, and the expected finding.
BROKEN_ACTIONS: Final = (
    ("Odd: {}", "invalid slug Odd"),
    ("odd: {}", "odd has no texts"),
    ("odd: [", "cannot be read"),
    ("odd: {color: red}", "odd.color: not a valid option"),
    ("odd: {target: {entities: {}}}", "odd.target"),
    ("odd: {fields: {name: {selector: {words: {}}}}}", "odd.fields.name.selector"),
    ("odd: {fields: {name: {required: maybe}}}", "odd.fields.name.required"),
    ("odd: {fields: {name: {example: null}}}", "odd.fields.name.example"),
    ("odd: {fields: {more: {fields: {name: {}}, open: true}}}", "more.open"),
    (
        "odd: {fields: {name: {filter: {supported_features: [light.Nothing.ON]}}}}",
        "'light.Nothing.ON' is not known",
    ),
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
        descriptions.check, copy, lambda: (copy / SERVICES).write_text(f"{action}\n")
    )
    assert any(finding in text for text in texts), texts


@pytest.mark.parametrize(
    ("module", "code"),
    [("trigger", "async_get_triggers"), ("condition", "async_get_conditions")],
)
def test_what_is_registered_is_described(copy: Path, module: str, code: str) -> None:
    folder = copy / "custom_components" / "poolctl"
    (folder / f"{module}s.yaml").unlink(missing_ok=True)
    (folder / f"{module}.py").write_text("")
    texts = found(
        descriptions.check,
        copy,
        lambda: (folder / f"{module}.py").write_text(f"def {code}(): ...\n"),
    )
    assert any("though the code registers some" in text for text in texts), texts


@pytest.mark.parametrize(
    ("keys", "value", "finding"),
    [
        ("entity.sensor.orp", REMOVED, "entity.sensor.orp.name is missing"),
        ("entity.sensor.odd.name", "Odd", "entity.sensor.odd.name is not in en.json"),
        ("config.flow_title", "{nome}", "the placeholders ['nome'], English has"),
        ("config.flow_title", "{name", "the placeholders [], English has ['name']"),
    ],
)
def test_a_language_that_differs_is_found(
    copy: Path, keys: str, value: object, finding: str
) -> None:
    shutil.copy(copy / ENGLISH, copy / GERMAN)
    assert not {
        text
        for text in map(str, problems(languages.check, copy))
        if text.startswith(GERMAN)
    }
    texts = found(languages.check, copy, lambda: put(copy / GERMAN, keys, value))
    assert any(finding in text for text in texts), texts


def test_a_language_that_is_none_is_found(copy: Path) -> None:
    other = copy / "custom_components/poolctl/translations/xx.json"
    texts = found(translations.check, copy, lambda: other.write_text("{}"))
    assert any("no language" in text for text in texts), texts


def platinum() -> Iterator[Path]:
    """Yield the folders of Home Assistant's platinum integrations."""
    for path in sorted(Path(components.__path__[0]).glob("*/manifest.json")):
        if json.loads(path.read_text()).get("quality_scale") == "platinum":
            yield path.parent


def test_nothing_of_the_best_integrations_is_refused() -> None:
    """Otherwise a table would be stricter than Home Assistant, or outdated."""
    seen = 0
    for folder in platinum():
        for name, schema in (
            ("icons.json", icons.SCHEMA),
            ("translations/en.json", translations.SCHEMA),
            *((kind.file, kind.schema) for kind in descriptions.KINDS),
        ):
            path = folder / name
            if not path.is_file():
                continue
            data = (
                json.loads(path.read_text())
                if path.suffix == ".json"
                else load_yaml_dict(str(path))
            )
            data = {key: data[key] for key in data if key[:1] != "."}
            # The requirements of cameras are not installed here.
            assert not [
                problem
                for problem in violations(schema, data, f"{folder.name}/{name}")
                if "camera.CameraEntityFeature" not in problem.text
            ]
            seen += 1
    assert seen > 200


def test_the_example_in_contributing_is_real() -> None:
    blocks = (ROOT / "CONTRIBUTING.md").read_text().split("```")[1::2]
    row, name, icon = (block.partition("\n")[2] for block in blocks)
    assert row in (ROOT / "custom_components/poolctl/sensor.py").read_text()
    assert name in (ROOT / ENGLISH).read_text()
    assert icon in (ROOT / ICONS).read_text()
