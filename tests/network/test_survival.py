"""Faults of networks, controllers and the cloud, which a pool owner must not notice."""

from logging import LogRecord
from typing import Any

from homeassistant.core import Event
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from tests.world.assistant.home import Home

# Frozen from the very beginning: a clock must not change under a timer.
pytestmark = pytest.mark.usefixtures("freezer")


def lost(events: list[Event[Any]]) -> list[str]:
    """Return the entities that were unavailable or removed, however briefly."""
    return [
        event.data["entity_id"]
        for event in events
        if event.data["new_state"] is None
        or event.data["new_state"].state == "unavailable"
    ]


def log_lines(caplog: pytest.LogCaptureFixture) -> list[LogRecord]:
    """Return what the integration logged, without debug."""
    return [
        entry
        for entry in caplog.records
        if entry.name.startswith("custom_components") and entry.levelname != "DEBUG"
    ]


@pytest.mark.row("4.2 rule 9")
async def test_polls_that_fail(small: Home, caplog: pytest.LogCaptureFixture) -> None:
    """From the second on, the cloud is read; nothing is ever unavailable, or logged."""
    events = async_capture_events(small.hass, "state_changed")
    caplog.clear()
    for times, sources in (
        (1, ["lan"] * 3),
        (2, ["lan", "cloud", "lan", "lan"]),
        (3, ["lan", "cloud", "cloud", "lan", "lan"]),
    ):
        # with the quick retry of each poll
        small.controller.faults.once("reset", 2 * times)
        for source in sources:
            await small.advance(15)
            assert small.source == source
            # Values that the cloud does not report are unknown, not the last ones.
            power = small.value("sensor", "pump_power")
            assert (power == "unknown") is (source == "cloud")
    assert not lost(events)
    assert not log_lines(caplog)


@pytest.mark.row("8 row 13", "8 row 14")
@pytest.mark.parametrize(
    "fault",
    [
        "hang",  # a half-open socket: it connects, and never answers
        "close_mid_body",
        "no_state",  # `{ok:false}` for each `state` (protocol.md 4.2)
        *("slow_headers", "busy", "html", "garbage", "oversized", "redirect"),
        "truncated_frame",
    ],
)
async def test_ways_to_lose_the_lan(
    small: Home, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    """The cloud steps in, the LAN comes back, and nothing is ever unavailable."""
    events = async_capture_events(small.hass, "state_changed")
    caplog.clear()
    small.controller.faults.on(fault)
    await small.pass_time(14, step=2)
    assert small.source == "lan"
    await small.pass_time(70, step=2)
    assert small.source == "cloud"
    small.controller.faults.clear()
    await small.pass_time(46, step=2)
    assert small.source == "lan"
    assert not lost(events)
    # Only a frame that does not decode is logged, once, so that it is reported.
    logged = [line.getMessage() for line in log_lines(caplog)]
    assert len(logged) == (fault == "truncated_frame")
    assert all("not understood" in line for line in logged)


@pytest.mark.parametrize(
    "fault",
    [
        *("refuse", "hang", "error_500", "error_503", "rate_limited", "html"),
        *("truncated_json", "failed", "no_body", "wrong_types", "empty"),
    ],
)
async def test_the_cloud_is_gone_and_the_lan_is_there(small: Home, fault: str) -> None:
    """A failed hourly inventory removes no pool, and asks for no sign-in."""
    events = async_capture_events(small.hass, "state_changed")
    before = dict(small.entry.data["controllers"])
    small.cloud.faults.on(fault)
    small.cloud.requests.clear()
    await small.pass_time(3700, step=3700)
    await small.pass_time(45, step=5)
    names = {request.name for request in small.cloud.requests}
    assert "sites" in names or fault == "refuse"
    assert small.entry.data["controllers"] == before
    assert small.source == "lan"
    assert not lost(events)
    assert not small.flows
