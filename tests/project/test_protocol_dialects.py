"""Every row that is not documented has its dialects, and tests that exist."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path
import re

import pytest

from tests.project.protocol import PAGE, headings
from tests.world.simulator.cloud_dialects import CloudDialect
from tests.world.simulator.dialects import Dialect

ROOT = Path(__file__).parents[2]
_LINE = re.compile(r"^\| ([LCHW]\d+) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
_TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
TABLE = {row: (dialects, tests) for row, _, dialects, tests in _LINE.findall(PAGE)}
ROWS = [*TABLE]


@cache
def functions(path: str) -> set[str]:
    """Return the names of all functions and classes of a file."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    tree = ast.parse((ROOT / "tests" / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def simulated() -> dict[str, set[str]]:
    """Return the dialects of the simulator, by row."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for dialect in Dialect:
        found[dialect.meaning.partition(":")[0]].add(str(dialect))
    for cloud in CloudDialect:
        found[cloud.partition("_")[0]].add(str(cloud))
    return found


def test_every_row_is_in_the_table() -> None:
    """Rows are in the order of the page, each once, as is every row with a dialect."""
    assert len(_LINE.findall(PAGE)) == len(ROWS)
    assert [row for row in headings() if row[0] in "LCHW"] == ROWS
    assert simulated().keys() <= TABLE.keys()


@pytest.mark.parametrize("row", ROWS)
def test_its_dialects_exist(row: str) -> None:
    cell, _ = TABLE[row]
    named = set(re.findall(r"`(\w+)`", cell))
    if row.startswith("H"):
        assert named
        assert named <= functions("world/simulator/visitors.py")
        return
    assert named == simulated().get(row, set())
    assert named or re.fullmatch(r"- \w.+", cell)


@pytest.mark.parametrize("row", ROWS)
def test_its_tests_exist(row: str) -> None:
    tests = _TEST.findall(TABLE[row][1])
    assert tests
    for path, name in tests:
        assert name.startswith("test_") and name in functions(path), name
