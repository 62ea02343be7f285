"""Whether a report agrees with the assumptions of docs/protocol.md."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
import re
from typing import Final

from custom_components.poolctl.observed.evidence import Assumption, Evidence
from custom_components.poolctl.observed.frame_checks import check_frame
from custom_components.poolctl.observed.reply_checks import check_reply

from .report import Part

PAGE: Final = Path(__file__).parents[2] / "docs" / "protocol.md"
_IDS: Final = re.compile(r"`(\w+)`")
MASKED: Final = b"xxx"
"""Bytes that the recorder writes in place of text (observed/masks.py)."""


class Outcome(StrEnum):
    """Whether a report agrees with an assumption."""

    AGREES = "agrees"
    CONTRADICTS = "contradicts"
    NOT_OBSERVED = "not observed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one assumption, the observed values, and its row of the page."""

    assumption: Assumption
    outcome: Outcome
    observed: tuple[str, ...]
    row: str


def rows() -> list[list[str]]:
    """Return the rows of the page's table: part, mark, evidence."""
    found = []
    for line in _sections()[0].splitlines():
        if line.startswith("| ") and not line.startswith(("| Part", "| ---")):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            found.append([cells[0], cells[1], cells[-1]])
    return found


def assumptions_of_commands() -> set[str]:
    """Return the evidence that the page names for commands."""
    return set(re.findall(r"evidence: `(\w+)`", _sections()[1]))


def ids(evidence: str) -> list[str]:
    """Return the assumptions that a cell names."""
    return _IDS.findall(evidence)


def _sections() -> list[str]:
    heads = "^## (?:How a command is confirmed|Row by row).*$"
    return re.split(heads, PAGE.read_text(), flags=re.MULTILINE)


def verdicts(part: Part) -> list[Verdict]:
    """Return the verdict of each assumption, those of the LAN first.

    Home Assistant's counts and the current check of the recording weigh the same,
    so a file of an older version is checked for newer assumptions, too.
    """
    parts = {name: part for part, _, evidence in rows() for name in ids(evidence)}
    again = checked_again(part)
    found = []
    for assumption in Assumption:
        stored, tally = part.evidence.get(assumption, {}), again.tallies.get(assumption)
        contradicted = stored.get("contradicted", 0) or (tally and tally.contradicted)
        confirmed = stored.get("confirmed", 0) or (tally and tally.confirmed)
        observed = {**stored.get("observed", {}), **(tally.observed if tally else {})}
        outcome = (
            Outcome.CONTRADICTS
            if contradicted
            else Outcome.AGREES
            if confirmed
            else Outcome.NOT_OBSERVED
        )
        row = parts.get(assumption, "how a command is confirmed")
        found.append(Verdict(assumption, outcome, (*observed,), row))
    return found


def checked_again(part: Part) -> Evidence:
    """Return the evidence that the current code finds in recorded frames and replies.

    Frames with masked text are skipped: their bytes mean nothing. Modes are not checked
    against numbers of schedules, which may have changed since.
    """
    evidence = Evidence()
    for name, payload in part.replies.items():
        check_reply(evidence, name, payload)
    for payload in part.frames:
        if MASKED not in payload:
            for assumption, instead in check_frame(payload, ()):
                evidence.check(assumption, *instead)
    return evidence
