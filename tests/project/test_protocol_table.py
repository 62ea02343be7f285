"""Every numbered row of the published interface has tests, and they name that row.

A test that the table names must name the row in its docstring, like `7.2 row 3` or `4.2
rules 2 and 10`, or in the docstring of its parameter if that is a function.
"""

from functools import cache
import importlib
import inspect
import re
from typing import Any, NamedTuple

import pytest

from tests.project.protocol import PAGE, headings

_NUMBER = r"\d+\b(?!\.\d| rows? | rules? )"  # not the next section
_NAMED = re.compile(
    rf"(\d(?:\.\d)?) (row|rule)s? ({_NUMBER}(?:(?:, | and | to ){_NUMBER})*)"
)
_LINE = re.compile(r"^\| (\d(?:\.\d)? (?:row|rule) \d+) \|(.*)\|$", re.MULTILINE)
_TEST = re.compile(r"`([\w/]+\.py)::([\w:]+?)(?:\[(.+?)\])?`")


class Named(NamedTuple):
    """A test as the table names it; `parameter` is empty if there is none."""

    path: str
    name: str
    parameter: str = ""


def rows() -> list[str]:
    """Return the numbered rows and rules of the page, in its order."""
    return [row for row in headings() if " " in row]


@cache
def table() -> dict[str, tuple[str, str]]:
    """Return the cells of the service and of the client, by row."""
    found: dict[str, tuple[str, str]] = {}
    for row, rest in _LINE.findall(PAGE):
        assert row not in found, f"{row} twice"
        _, service, client = (cell.strip() for cell in rest.split(" | "))
        found[row] = (service, client)
    return found


def named_tests() -> list[tuple[str, Named]]:
    return [
        (row, Named(*found))
        for row, cells in table().items()
        for cell in cells
        for found in _TEST.findall(cell)
    ]


def find(test: Named) -> Any:
    """Return the function of a test; raises if there is none."""
    module = "tests." + test.path.removesuffix(".py").replace("/", ".")
    found: Any = importlib.import_module(module)
    for part in test.name.split("::"):
        found = getattr(found, part)
    return found


def parameters(function: Any) -> dict[str, Any]:
    """Return the parameters of a test by the identifier that pytest gives them."""
    found: dict[str, Any] = {}
    for mark in getattr(function, "pytestmark", []):
        if mark.name != "parametrize":
            continue
        values = list(mark.args[1])
        ids = mark.kwargs.get("ids", str)
        names = [ids(value) for value in values] if callable(ids) else list(ids)
        found |= dict(zip(names, values, strict=True))
    return found


def named(text: str) -> set[str]:
    """Return the rows that a docstring names."""
    found = set()
    for section, kind, numbers in _NAMED.findall(text):
        for part in re.split(", | and ", numbers):
            first, _, last = part.partition(" to ")
            for number in range(int(first), int(last or first) + 1):
                found.add(f"{section} {kind} {number}")
    return found


def test_every_row_is_in_the_table() -> None:
    assert list(table()) == rows()
    assert len(rows()) == 86


@pytest.mark.parametrize("side", [0, 1], ids=["service", "client"])
def test_every_row_has_tests_or_a_reason(side: int) -> None:
    for row, cells in table().items():
        cell = cells[side]
        left = _TEST.sub("", cell).replace("<br>", "").strip()
        if _TEST.search(cell):
            assert not left, f"{row}: what is {left!r}?"
        else:
            assert re.fullmatch(r"- \w.+", cell), f"{row}: neither a test nor a reason"


def test_the_sides_are_what_they_say() -> None:
    """The service is tested by tests of the simulator, the client by all others."""
    for row, cells in table().items():
        for side, cell in enumerate(cells):
            for path, *_ in _TEST.findall(cell):
                assert path.startswith("world/tests/") is (side == 0), f"{row}: {path}"


def said(test: Named) -> set[str]:
    """Return the rows that a test, or its parameter, names."""
    function = find(test)
    if not test.parameter:
        return named(inspect.getdoc(function) or "")
    known = parameters(function)
    assert test.parameter in known, f"{test.path} has no [{test.parameter}]"
    value = known[test.parameter]
    docstring = inspect.getdoc(value) if callable(value) else None
    return named(f"{inspect.getdoc(function)} {docstring}")


@pytest.mark.parametrize(
    ("row", "test"),
    named_tests(),
    ids=lambda part: "-".join(filter(None, part)) if isinstance(part, tuple) else part,
)
def test_the_test_names_its_row(row: str, test: Named) -> None:
    assert test.name.rpartition("::")[2].startswith("test_")
    assert row in said(test)


def test_no_test_names_a_row_in_vain() -> None:
    """Every row that a test of the table names lists that test."""
    listed: dict[tuple[str, str], set[str]] = {}
    for row, test in named_tests():
        listed.setdefault((test.path, test.name), set()).add(row)
    for _, test in named_tests():
        assert said(test) <= listed[test.path, test.name], test
