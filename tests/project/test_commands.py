"""The commands that the pages name exist, with their options, variables and tests."""

from functools import cache
from pathlib import Path
import re
import shlex
import subprocess
import sys
from typing import Final

import pytest

from tests.project.pages import PAGES, README

ROOT: Final = README.parent
NAMED: Final = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "tests/README.md"]
PROGRAM: Final = re.compile(
    r"(?:POOLCTL_\w+=\S+ )*(?:scripts/\w+|\.ci/run|\.venv/bin/python -m \S+)(?: .*)?"
)
OF_PYTEST: Final = ("scripts/test", "scripts/e2e", "scripts/hours", "scripts/client")
"""Programs whose arguments go to pytest."""
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


@cache
def help_of(module: str) -> str:
    """Return what a Python program prints about its options."""
    return subprocess.run(
        [sys.executable, "-m", module, "--help"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def has(program: str, option: str) -> bool:
    """Return whether a script, or the Python program that it starts, has an option."""
    if not program.startswith(("scripts/", ".ci/")):
        return option in help_of(program)
    text = (ROOT / program).read_text()
    modules = re.findall(r"python -m (tests\.\S+|pytest)", text)
    return option in text or any(option in help_of(module) for module in modules)


@cache
def collected(arguments: str) -> int:
    """Return how many tests a selection of pytest has."""
    answer = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--collect-only",
            "-q",
            *shlex.split(arguments),
        ],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    ).stdout
    return len(re.findall(r"^tests/.*::", answer, re.MULTILINE))


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
    if program in OF_PYTEST and "-k" in arguments:
        folder = ["tests/e2e"] if program == "scripts/e2e" else []
        assert collected(shlex.join(folder + arguments)), f"{page}: {command}: no test"


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
