"""Messages of errors: sentences, the same that users of Home Assistant read."""

import json
from pathlib import Path
import re

from custom_components.poolctl import client
from custom_components.poolctl.client.wire.exceptions import (
    SENTENCES,
    InvalidCommandError,
    UnreachableError,
)

CLIENT = Path(client.__file__).parent
OWN = {"clock", "not_stored", "stopped"}
"""They name Home Assistant there."""


def test_each_reason_has_the_sentence_of_home_assistant() -> None:
    texts = json.loads((CLIENT.parent / "translations/en.json").read_text())
    shown = {key: text["message"] for key, text in texts["exceptions"].items()}
    assert all(shown[key] == SENTENCES[key] for key in {*SENTENCES} - OWN)
    sources = (file for file in CLIENT.rglob("*.py") if file.stem != "plan")
    source = "".join(file.read_text() for file in sources)
    assert {*re.findall(r'\breason="(\w+)"', source)} <= {*SENTENCES}


def test_an_error_says_what_is_wrong() -> None:
    conflict = InvalidCommandError(reason="schedule_conflict", name="Night", number="2")
    assert "overlaps with the schedule “Night”" in str(conflict)
    assert str(UnreachableError(reason="not_done")).endswith("Try again.")
    assert "does not accept this value" in str(InvalidCommandError())
