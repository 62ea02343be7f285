"""Every row of docs/protocol.md that can be checked has its evidence, and the reverse."""

from pathlib import Path
import re

from custom_components.poolctl.observed.evidence import Assumption

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
KNOWN, COMMANDS, _ = re.split(
    "^## (?:How a command is confirmed|Row by row).*$", PAGE, flags=re.MULTILINE
)[:3]
IDS = re.compile(r"`(\w+)`")


def rows() -> list[list[str]]:
    """Return the cells of what is known: its first one, its mark, its evidence."""
    found = []
    for line in KNOWN.splitlines():
        if line.startswith("| ") and not line.startswith(("| Part", "| ---")):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            found.append([cells[0], cells[1], cells[-1]])
    return found


def test_every_row_has_evidence_or_a_reason() -> None:
    for part, mark, evidence in rows():
        reason = re.fullmatch(r"- .{8,}", evidence)
        assert reason or IDS.sub("", evidence).strip(" ,") == "", part
        published = mark.startswith("published") and "chosen" not in mark
        assert published is (evidence == "- published"), part


def test_every_assumption_has_a_row() -> None:
    named = (evidence for *_, evidence in rows() if not evidence.startswith("- "))
    listed = {name for evidence in named for name in IDS.findall(evidence)}
    listed |= set(re.findall(r"evidence: `(\w+)`", COMMANDS))
    assert listed == set(Assumption)


def test_the_page_was_understood() -> None:
    assert len(rows()) > 60
