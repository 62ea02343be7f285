"""The comparison of the newest Home Assistant with the pinned one (tests/newest)."""

from pathlib import Path
import re

from tests.newest.__main__ import complaints
from tests.newest.picture import Picture, differences
from tests.project.broken import ROOT
from tests.world.home.settings import Settings

COMPLAINT = """\
2026-11-22 02:49:13.017+00:00 WARNING (MainThread) [homeassistant.helpers.frame] \
Detected that custom integration 'poolctl' sets _attr_temperature_unit
"""
TRACEBACK = """\
2026-11-22 02:49:14.017+00:00 ERROR (MainThread) [homeassistant.core] Error doing job
Traceback (most recent call last):
  File "/config/custom_components/poolctl/sensor.py", line 1, in <module>
ValueError: no
"""
OTHER = """\
2026-11-22 02:49:12.017+00:00 WARNING (MainThread) [homeassistant.loader] \
We found a custom integration poolctl which has not been tested by Home Assistant
"""


def test_complaints_are_whole_records_of_the_log(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    settings.config.mkdir()
    log = settings.config / "home-assistant.log"
    log.write_text(OTHER + COMPLAINT + OTHER + TRACEBACK + COMPLAINT + OTHER)
    found = complaints(settings)
    assert [line.partition(" ")[0] for line in found] == ["WARNING", "ERROR"]
    assert "Detected that" in found[0]
    assert found[1].endswith("ValueError: no")


def test_what_differs_is_reported() -> None:
    before: Picture = {"sensor ph: state": "a number", "sensor orp: state": "on"}
    after: Picture = {"sensor ph: state": "unknown", "sensor flow: state": "on"}
    assert differences(before, after) == [
        "sensor flow: state: 'nothing', now 'on'",
        "sensor orp: state: 'on', now 'nothing'",
        "sensor ph: state: 'a number', now 'unknown'",
    ]


def test_what_happened_meanwhile_is_no_difference() -> None:
    button = "button resume_schedules: state"
    assert not differences({button: "unknown"}, {button: "a time"})
    assert differences({button: "a time"}, {button: "unknown"})
    switch = "switch pump: explanation"
    said = "Nothing runs it.", "Switched off by Demo at 20:12. Nothing runs it."
    assert not differences({switch: said[0]}, {switch: said[1]})
    assert differences({switch: said[1]}, {switch: said[0]})
    assert not differences({switch: [["why"]]}, {switch: [["off"], ["why"]]})
    assert differences({switch: [["off"], ["why"]]}, {switch: [["why"]]})


def test_every_package_is_pinned_and_no_place_is_named() -> None:
    lines = (ROOT / "tests/newest/requirements.txt").read_text().splitlines()
    assert not [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)]
    assert any(line.startswith("homeassistant==") for line in lines)
