"""Each row of docs/protocol.md that can be checked has evidence, and vice versa."""

from collections.abc import Iterator
from pathlib import Path
import re

import pytest

from tests.controllers.report import FOLDER, PAGES, read, verified, write_verified
from tests.controllers.verdicts import ASSUMPTIONS, Outcome, ids, rows, verdicts


def test_every_row_has_evidence_or_a_reason() -> None:
    for part, _, evidence in rows():
        reason = re.fullmatch(r"- .{8,}", evidence)
        assert reason or re.sub(r"`\w+`", "", evidence).strip(" ,") == "", part


def test_every_assumption_has_a_row() -> None:
    listed = {name for *_, evidence in rows() for name in ids(evidence)}
    assert listed == ASSUMPTIONS.keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_number_of_owners(page: Path, tmp_path: Path) -> None:
    """Only owners whose file is in the folder are counted."""
    copy = tmp_path / page.name
    copy.write_text(page.read_text())
    assert not write_verified([copy])
    (tmp_path / "2.5.46-1.json").touch()
    assert write_verified([copy], tmp_path)
    assert "-->**1** (firmware 2.5.46: 1)<!--" in copy.read_text()


def test_owners_by_firmware() -> None:
    names = ["2.5.46-1", "2.6.0-1", "2.5.46-2"]
    assert verified(names) == "**3** (firmware 2.5.46: 2, 2.6.0: 1)"
    assert verified([]) == "**0**"


def test_a_mark_that_names_a_report_is_proven_by_it() -> None:
    assert [*unproven(rows())] == []


@pytest.mark.parametrize(
    ("mark", "evidence"),
    [
        ("observed: full", "`busy`"),
        ("observed: full", "- a rule of ours"),
        ("observed: nobody", "`flags`"),
    ],
)
def test_what_no_report_proves(mark: str, evidence: str) -> None:
    assert [*unproven([["a part", mark, evidence]], FOLDER / "simulated")] == ["a part"]
    assert not [*unproven([["", "observed: full", "`flags`"]], FOLDER / "simulated")]


def unproven(found: list[list[str]], folder: Path = FOLDER) -> Iterator[str]:
    """Name the parts whose mark names a report that does not prove them."""
    for part, mark, evidence in found:
        for name in re.findall(r"observed: ([\w.-]+)", mark):
            path = folder / f"{name}.json"
            agrees = {
                verdict.assumption
                for controller in (read(path).parts if path.exists() else [])
                for verdict in verdicts(controller)
                if verdict.outcome is Outcome.AGREES
            }
            if not ids(evidence) or not agrees.issuperset(ids(evidence)):
                yield part
