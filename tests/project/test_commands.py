"""The commands that the pages name exist, with their options, variables and tests."""

from functools import cache
from pathlib import Path
import re
import shlex
from typing import Final

import pytest

from tests.project.pages import PAGES, README

ROOT: Final = README.parent
NAMED: Final = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "tests/README.md"]
PROGRAM: Final = re.compile(
    r"(?:POOLCTL_\w+=\S+ )*(?:scripts/\w+|\.ci/run|\.venv/bin/python -m \S+)(?: .*)?"
)
OF_OTHERS: Final = ("-k", "--help", "--hypothesis-profile", "--snapshot-update")
"""Options of pytest and its plugins."""
GIVEN: Final = {"ROOM": "status", "OWNER/REPOSITORY": "poolctl/poolctl"}
"""What a reader replaces, and an example of it."""


def commands() -> list[tuple[str, str]]:
    """Return each page and command, from its quoted words and its blocks of code."""
    found = []
    for page in NAMED:
        text = page.read_text()
        blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        lines = [
            line.partition("#")[0] for block in blocks for line in block.split("\n")
        ]
        quoted = re.findall(r"`([^`\n]+)`", text)
        found += [
            (page.relative_to(ROOT).as_posix(), command)
            for command in dict.fromkeys(map(str.strip, (*lines, *quoted)))
            if PROGRAM.fullmatch(command)
        ]
    return found


@cache
def sources() -> str:
    """Return all code of the project, for the names of variables."""
    files = (
        path
        for folder in ("scripts", "tests", "benchmarks", ".ci")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in ("", ".py", ".mjs", ".sh")
    )
    return "\n".join(
        path.read_text("utf-8") for path in files if path != Path(__file__)
    )


def has(program: str, option: str) -> bool:
    """Return whether the text of a program, or of what it starts, names an option."""
    path = ROOT / program
    text = path.read_text() if path.is_file() else f"python -m {program}"
    modules = re.findall(r"python -m (tests[.\w]*|pytest)", text)
    if "pytest" in modules:
        text += (ROOT / "tests/conftest.py").read_text() + " ".join(OF_OTHERS)
    for module in modules:
        place = ROOT / module.replace(".", "/")
        files = place.glob("*.py") if place.is_dir() else [place.with_suffix(".py")]
        text += "".join(file.read_text() for file in files if file.is_file())
    return re.search(rf"\b{option.strip('-')}\b", text) is not None


def is_test(folder: str, words: str) -> bool:
    """Return whether a file of tests or a test in a folder has these words."""
    place = ROOT / folder
    files = place.rglob("test_*.py") if place.is_dir() else [place]
    return any(
        words in file.stem or re.search(rf"def test_\w*{words}", file.read_text())
        for file in files
    )


@pytest.mark.parametrize(("page", "command"), commands())
def test_a_command(page: str, command: str) -> None:
    """A reader who copies it does not get an error, nor a run without a test."""
    for placeholder, example in GIVEN.items():
        command = command.replace(placeholder, example)
    for name in re.findall(r"POOLCTL_\w+", command):
        assert re.search(rf"\b{name}\b", sources()), f"{page}: nothing reads {name}"
    *_, after = re.split(r"^(?:POOLCTL_\w+=\S+ )+", command)
    program, *arguments = shlex.split(after.replace(".venv/bin/python -m ", ""))
    check_options(page, program, [each for each in arguments if each[0] == "-"])
    for path in (each for each in arguments if each.startswith("tests/")):
        assert (ROOT / path).exists(), f"{page}: no {path}"
    if "-k" in arguments:
        folder = "tests/e2e" if program == "scripts/e2e" else arguments[0]
        assert is_test(folder, arguments[-1]), f"{page}: {command}: no test"


def check_options(page: str, program: str, names: list[str]) -> None:
    if program.startswith(("scripts/", ".ci/")):
        assert (ROOT / program).is_file(), f"{page}: no {program}"
    for name in (each.partition("=")[0] for each in names):
        assert has(program, name), f"{page}: {program} has no {name}"


def rows_of_programs() -> list[tuple[str, str]]:
    """Return each program that has a row in a table, and the whole row."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return re.findall(r"^\| `(scripts/\w+)` \|(.*)\|$", text, re.MULTILINE)


@pytest.mark.parametrize(("program", "row"), rows_of_programs())
def test_the_options_of_a_row(program: str, row: str) -> None:
    """The table of programs names options that they have."""
    check_options("CONTRIBUTING.md", program, re.findall(r"`(--[\w-]+)", row))


def test_there_are_commands() -> None:
    """The pages name many: a change of their form does not empty this file."""
    assert len(commands()) > 40 and len(rows_of_programs()) > 8
