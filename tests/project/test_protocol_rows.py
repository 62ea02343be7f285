"""Each row of docs/protocol.md has tests, which carry it: `@pytest.mark.row("L15")`.

So an owner's report that refutes a row names the tests that go: `scripts/test --row L15`.
"""

from collections import defaultdict
from functools import cache
from pathlib import Path
import re
from typing import Final

from tests.project.protocol import headings
from tests.world.simulator.cloud_dialects import CloudDialect
from tests.world.simulator.dialects import Dialect

TESTS = Path(__file__).parents[1]
_MARK = re.compile(r"mark\.row\((.*?)\)", re.DOTALL)
NOTHING_TO_TEST: Final = {"3.4 rule 1", "4.1 rule 7", "5.2 rule 6"}
"""The interface does not show it, or it is advice to an owner."""
OF_THE_SERVICE: Final = {
    *("3.2 rule 1", "8 rule 1"),  # a copy looks like any other answer
    *("4.1 row 3", "4.1 row 5", "4.1 rule 3", "4.1 rule 4", "8 row 2"),  # not requested
    "8 row 3",  # no limit to keep
}
OF_THE_CLIENT: Final = {"4.1 rule 1", "7.1 rule 2", "8 rule 3"}


@cache
def marked() -> dict[str, set[str]]:
    """Return the files whose tests carry a row, by row; paths are below tests/."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in {*TESTS.rglob("test_*.py")} - {Path(__file__)}:
        for mark in _MARK.findall(path.read_text("utf-8")):
            for row in re.findall(r'"(.+?)"', mark):
                found[row].add(path.relative_to(TESTS).as_posix())
    return found


def rows() -> list[str]:
    """Return all rows and rules of the page."""
    return [each for each in headings() if " " in each or each[0] in "LCHW"]


def test_every_mark_is_a_row() -> None:
    assert marked().keys() <= {*rows()}
    assert len(rows()) == len({*rows()})


def test_every_row_is_tested() -> None:
    """A published one by a test of the simulator, and each by one of the product."""
    published = {row for row in rows() if row[0].isdigit()}
    simulated = {"world/tests/" + path.name for path in TESTS.glob("world/tests/*.py")}
    by_product = {row for row, files in marked().items() if files - simulated}
    by_service = {row for row, files in marked().items() if files & simulated}
    assert {*rows()} - by_product == NOTHING_TO_TEST | OF_THE_SERVICE
    assert published - by_service == NOTHING_TO_TEST | OF_THE_CLIENT


def test_every_dialect_has_a_row() -> None:
    """A dialect of the simulator is a way in which a row may be."""
    simulated = {dialect.meaning.partition(":")[0] for dialect in Dialect}
    simulated |= {dialect.partition("_")[0] for dialect in CloudDialect}
    assert simulated <= {*rows()}
