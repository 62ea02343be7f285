"""Complaints of Home Assistant about the integration fail a test."""

from contextlib import nullcontext
import logging

import pytest

from tests.world.home.complaints import is_complaint, no_complaints

LOGGER = logging.getLogger("homeassistant.helpers.frame")


@pytest.mark.parametrize(
    ("text", "complains"),
    [
        (
            "Detected that custom integration 'poolctl' sets _attr_temperature_unit",
            True,
        ),
        ("TEMPERATURE was used from poolctl, this is a deprecated enum member", True),
        ("poolctl calls what will be removed in Home Assistant 2027.11", True),
        ("poolctl does what will stop working in Home Assistant 2027.11", True),
        ("Detected that custom integration 'other' sets _attr_temperature_unit", False),
        ("We found a custom integration poolctl which has not been tested", False),
    ],
)
def test_a_complaint_fails_a_test(text: str, complains: bool) -> None:
    fails = pytest.raises(AssertionError, match="poolctl")
    with fails if complains else nullcontext(), no_complaints():
        LOGGER.warning(text)


def test_a_traceback_of_ours_is_one() -> None:
    traceback = "Traceback (most recent call last):\n  File {}\nValueError"
    assert is_complaint(traceback.format("custom_components/poolctl/sensor.py"))
    assert not is_complaint(traceback.format("/home/me/poolctl/.venv/core.py"))
    assert not is_complaint(traceback.format("/var/poolctl-x/core.py"))
