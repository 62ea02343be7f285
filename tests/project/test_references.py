"""What the project refers to in docs/protocol.md is there."""

from collections.abc import Iterator
from pathlib import Path
import re

import pytest

from custom_components.poolctl import PLATFORMS
from tests.project.protocol import headings

ROOT = Path(__file__).parents[2]
FOLDERS = ("custom_components", "tests", "benchmarks", "scripts", "blueprints", "docs")
NO_TEXT = (".png", ".pyc", ".gz", ".mp3", ".whl")
_NUMBER = r"(?:O?\d(?:\.\d)?|[LCHW]\d+)(?![\w.]\d)"
_KIND = r"(?: (?:row|rule)s? \d+(?:(?:, | and | to )\d+(?! rows? | rules? |\.\d))*)?"
_PART = _NUMBER + _KIND
_SPACE = re.compile(r"\s*\n\s*(?:# )?|\s+")
_REFERENCE = re.compile(rf"protocol\.md`? ({_PART}(?:(?:,| and| to| or) {_PART})*)")
_EACH = re.compile(rf"({_NUMBER})({_KIND})")


def references(text: str) -> Iterator[str]:
    """Yield each section, row and rule that a text refers to."""
    for found in _REFERENCE.findall(_SPACE.sub(" ", text)):
        for section, rest in _EACH.findall(found):
            yield section
            kind = "rule" if "rule" in rest else "row"
            for first, last in re.findall(r"(\d+)(?: to (\d+))?", rest):
                for number in range(int(first), int(last or first) + 1):
                    yield f"{section} {kind} {number}"


def files() -> Iterator[Path]:
    """Yield the files of the project that may refer to the page."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix not in NO_TEXT:
                yield path


def test_each_is_there() -> None:
    """A reference to nothing: correct its number, or add the section to the page."""
    count = 0
    for path in files():
        found = [*references(path.read_text("utf-8"))]
        lost = set(found) - {*headings()}
        assert not lost, f"{path.relative_to(ROOT)}: docs/protocol.md has no {lost}"
        count += len(found)
    assert count > 300, "the form of references is no longer known"


def test_each_file_is_there() -> None:
    """A page names a file that is gone: name the one that has its content now."""
    names = {path.relative_to(ROOT).as_posix() for path in files()}
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "tests/README.md"):
        for name in re.findall(r"`([\w/]+\.(?:py|js))\b", page.read_text("utf-8")):
            there = any(f"/{each}".endswith(f"/{name}") for each in names)
            assert there, f"{page.relative_to(ROOT)}: there is no {name}"


@pytest.mark.parametrize("folder", ["", "client"])
def test_where_things_live(folder: str) -> None:
    """A room or a file of the top level is on the page, platforms as one."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.split("## Where things live")[1].split("\n## ")[0]
    place = ROOT / "custom_components/poolctl" / folder
    rooms = {f"{path.name}/" for path in place.iterdir() if any(path.glob("*.py"))}
    files = {path.name for path in place.glob("*.py")} - {"__init__.py"}
    files -= {f"{platform}.py" for platform in PLATFORMS}
    lost = sorted(name for name in rooms | files if f"`{name}`" not in section)
    assert not lost, f"CONTRIBUTING.md, Where things live: describe {lost}"
