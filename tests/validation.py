"""Checks of texts, icons and versions that neither hassfest nor the HACS action makes.

The workflow *Validation* runs those two, which do not work offline. `python -m
tests.validation [REPOSITORY]` lists all problems, as `scripts/lint` does. With `--write`,
it first updates the table of problems in the documentation. With `--translated KEY ...`
(and `--languages CODE ...`), it first notes that the translations of these texts were
compared with their present English text.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib import resources
import json
from pathlib import Path
import re
from string import Formatter
import sys
import tomllib
from typing import Any, Final

from homeassistant import const
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.yaml import load_yaml_dict

from custom_components.poolctl.status.account import ACCOUNT_PROBLEMS
from custom_components.poolctl.status.rows import Problem as Row
from custom_components.poolctl.status.table import PROBLEMS

type Json = dict[str, Any]

OURS: Final = "custom_components/poolctl"
ENGLISH: Final = f"{OURS}/translations/en.json"
ICONS: Final = f"{OURS}/icons.json"
PAGE: Final = "docs/troubleshooting.md"


class Repository:
    """The files of a repository; one that is missing or invalid is empty."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.invalid: set[str] = set()

    def load(self, name: str) -> Json:
        """Return a JSON or YAML file."""
        path = self.root / name
        try:
            if path.suffix == ".yaml":
                return load_yaml_dict(str(path))
            found: Json = json.loads(path.read_text(), object_pairs_hook=_once)
        except FileNotFoundError:
            return {}
        except (ValueError, HomeAssistantError) as err:
            self.invalid.add(f"{name}: cannot be read: {err}")
            return {}
        return found


def _once(pairs: list[tuple[str, Any]]) -> Json:
    """Return an object of a JSON file; raises ValueError if a key is repeated."""
    keys = [key for key, _ in pairs]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise ValueError(f"{', '.join(twice)} is there more than once")
    return dict(pairs)


# Every language has the texts and the placeholders of English


def texts(tree: Json, path: str = "") -> dict[str, str]:
    """Return all texts by their path."""
    found: dict[str, str] = {}
    for name, branch in tree.items():
        here = f"{path}.{name}" if path else name
        found |= (
            texts(branch, here) if isinstance(branch, dict) else {here: str(branch)}
        )
    return found


def languages(repository: Repository) -> Iterator[str]:
    """Compare every language with English."""
    english = texts(repository.load(ENGLISH))
    for path in sorted((repository.root / ENGLISH).parent.glob("*.json")):
        name = f"{OURS}/translations/{path.name}"
        other = texts(repository.load(name))
        for missing in sorted(english.keys() - other.keys()):
            yield f"{name}: {missing} is missing"
        for extra in sorted(other.keys() - english.keys()):
            yield f"{name}: {extra} is not in en.json"
        for each in sorted(english.keys() & other.keys()):
            try:
                wanted, found = placeholders(english[each]), placeholders(other[each])
            except ValueError as err:
                yield f"{name}: {each}: a brace is alone: {err}"
                continue
            if wanted != found:
                yield f"{name}: {each} has the placeholders {found}, English has {wanted}"


def placeholders(text: str) -> list[str]:
    """Return the placeholders of a text, each once; ValueError for a lone brace."""
    return sorted({name for _, name, *_ in Formatter().parse(text) if name is not None})


# Every translation was compared with the present English text

TRANSLATED: Final = "tests/fixtures/translated.json"
"""For each key and language the digest of the English text that was translated."""


def stale(repository: Repository) -> Iterator[str]:
    """Yield the texts whose English was changed after they had been translated."""
    noted = repository.load(TRANSLATED)
    english = texts(repository.load(ENGLISH))
    for key in sorted(english.keys() | noted.keys()):
        digests, now = noted.get(key, {}), _digest(english.get(key, ""))
        old = [code for code in codes(repository) if digests.get(code) != now]
        if old or key not in english:
            yield (
                f"{key}: the English text was changed. Compare its translations"
                f" ({', '.join(old)}), then python -m tests.validation --translated {key}"
            )


def codes(repository: Repository) -> list[str]:
    """Return the codes of the languages that English is translated to."""
    folder = (repository.root / ENGLISH).parent
    return sorted(path.stem for path in folder.glob("*.json") if path.stem != "en")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]


def note_translated(
    repository: Repository, keys: Iterable[str], languages: Iterable[str]
) -> None:
    """Note that translations were compared with the present English texts."""
    english = texts(repository.load(ENGLISH))
    noted = {k: v for k, v in repository.load(TRANSLATED).items() if k in english}
    for key in english.keys() & {*keys}:
        noted[key] = noted.get(key, {}) | dict.fromkeys(
            languages, _digest(english[key])
        )
    lines = [
        f"{json.dumps(key)}: {json.dumps(noted[key], sort_keys=True)}"
        for key in sorted(noted)
    ]
    (repository.root / TRANSLATED).write_text("{\n" + ",\n".join(lines) + "\n}\n")


# The frontend has every icon


@cache
def known_icons() -> frozenset[str]:
    """Return the names of the icons in the installed frontend."""
    path = resources.files("hass_frontend") / "static" / "mdi" / "iconList.json"
    return frozenset(f"mdi:{icon['name']}" for icon in json.loads(path.read_text()))


def icons(repository: Repository) -> Iterator[str]:
    """Check the icons."""
    for where, icon in texts(repository.load(ICONS)).items():
        if icon not in known_icons():
            yield f"{ICONS}: {where}: {icon!r} is no icon of Material Design Icons"


# Actions, conditions and triggers have their texts and icons

KINDS: Final = {"services": "service", "conditions": "condition", "triggers": "trigger"}
"""Name of the file and of its section in texts and icons, and the key of an icon."""


def descriptions(repository: Repository) -> Iterator[str]:
    """Yield what would be shown to the user without a text or an icon."""
    english, known = repository.load(ENGLISH), repository.load(ICONS)
    for kind, key in KINDS.items():
        file, shown = f"{OURS}/{kind}.yaml", english.get(kind, {})
        # Keys that begin with a dot only hold YAML anchors.
        items = {k: v or {} for k, v in repository.load(file).items() if k[:1] != "."}
        for name in sorted(shown.keys() - items.keys()):
            yield f"{file}: {name} has texts, but is not here"
        for name, item in items.items():
            if name not in shown:
                yield f"{file}: {name} has no texts in translations/en.json"
                continue
            if key not in known.get(kind, {}).get(name, {}):
                yield f"{file}: {name} has no icon in icons.json"
            for missing in _missing(item, shown[name], english):
                yield f"{file}: {name}: {missing} is not in translations/en.json"
            fields = {
                each
                for outer, field in item.get("fields", {}).items()
                for each in (field or {}).get("fields", [outer])
            }
            for extra in sorted(shown[name].get("fields", {}).keys() - fields):
                yield f"{file}: {name}: the field {extra} has texts, but is not here"


def _missing(item: Json, text: Json, english: Json) -> Iterator[str]:
    for name, field in item.get("fields", {}).items():
        inner = (field or {}).get("fields")
        if inner is not None and name not in text.get("sections", {}):
            yield f"the section {name}"
        for key, value in (inner or {name: field}).items():
            if key not in text.get("fields", {}):
                yield f"the field {key}"
            select = ((value or {}).get("selector") or {}).get("select") or {}
            asked = select.get("translation_key")
            if asked and asked not in english.get("selector", {}):
                yield f"the selector {asked}"


# Versions agree, and HACS requires the tested Home Assistant


def versions(repository: Repository) -> Iterator[str]:
    """Compare the versions."""
    version = repository.load(f"{OURS}/manifest.json").get("version", "")
    project = tomllib.loads((repository.root / "pyproject.toml").read_text())
    if project["project"]["version"] != version:
        yield f"pyproject.toml: the version is not {version}"
    text = (repository.root / "CHANGELOG.md").read_text()
    if not re.search(rf"^## \[{re.escape(version)}\] - \S", text, re.MULTILINE):
        yield f"CHANGELOG.md: has no section ## [{version}] - date"
    if repository.load("hacs.json").get("homeassistant") != const.__version__:
        yield f"hacs.json: homeassistant is not {const.__version__}, which is tested"


# The table of problems in the documentation is that of the code and its texts

_TABLE: Final = re.compile(
    r"(?<=<!-- problems -->\n).*?(?=<!-- /problems -->)", re.DOTALL
)
_HEAD: Final = """\
| Key | What *Status* shows | What you can do | |
| --- | --- | --- | --- |
"""


def tables(repository: Repository) -> Iterator[str]:
    """Check that the table of the page is up to date."""
    page = repository.root / PAGE
    english = repository.load(ENGLISH)
    if page.is_file() and page.read_text() != written(page.read_text(), english):
        yield f"{PAGE}: its table is old: python -m tests.validation --write"


def written(page: str, english: Json) -> str:
    """Return a page with the current table."""
    rows: tuple[Row[Any], ...] = (*PROBLEMS, *ACCOUNT_PROBLEMS)
    shown = english.get("common", {})
    table = _HEAD + "".join(line for row in rows for line in _lines(row, shown))
    return _TABLE.sub(lambda match: table, page)


def _lines(row: Row[Any], shown: Json) -> Iterator[str]:
    """Yield the lines of a problem, one for each of its forms that has a sentence."""
    for form in (row, *row.variants):
        if (sentence := shown.get(form.key)) is not None:
            step = shown.get(f"{form.key}_next") or shown.get(f"{row.key}_next", "")
            cells = f"`{row.key}`", sentence, step, form.severity.capitalize()
            line = re.sub(r"\{\w+\}", "…", " | ".join(cells))
            yield f"| {line} |\n"


type Check = Callable[[Repository], Iterable[str]]
CHECKS: Final[tuple[Check, ...]] = (
    languages,
    stale,
    icons,
    descriptions,
    versions,
    tables,
)


def validate(root: Path, *checks: Check) -> set[str]:
    """Return all problems of a repository, or those that some checks find."""
    repository = Repository(root)
    found = {problem for check in checks or CHECKS for problem in check(repository)}
    return found | repository.invalid


def main(arguments: list[str]) -> int:
    """Print the problems; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.validation")
    parser.add_argument("root", nargs="?", type=Path, default=Path())
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--translated", nargs="+", default=(), metavar="KEY")
    parser.add_argument("--languages", nargs="+", metavar="CODE")
    chosen = parser.parse_args(arguments)
    if chosen.translated:
        repository = Repository(chosen.root)
        compared = chosen.languages or codes(repository)
        note_translated(repository, chosen.translated, compared)
    if chosen.write:
        page = chosen.root / PAGE
        english = Repository(chosen.root).load(ENGLISH)
        page.write_text(written(page.read_text(), english))
    problems = sorted(validate(chosen.root))
    count = f"validation: {len(problems) or 'no'} problems"
    sys.stdout.write("\n".join([*problems, count, ""]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
