"""How a controller is polled, as Home Assistant shows it."""

from datetime import datetime, timedelta
import gc
import logging
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import EVENT_STATE_REPORTED, Platform
from homeassistant.core import EventStateReportedData, callback
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.client.wire.exceptions import PoolctlError
from tests.network.test_survival import log_lines
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

# Time is frozen from the start, because a clock must not change under a timer.
pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.SENSOR)


async def test_a_silent_controller_has_the_time_of_its_last_answer(small: Home) -> None:
    """The second missed poll shows it, unless the cloud answers; the next answer ends it."""

    def last_answer() -> Any:
        return small.state("sensor", "connection").attributes.get("last_answer")

    answered = dt_util.utcnow()
    small.disconnect()
    await small.advance(15)
    assert (small.source, last_answer()) == ("lan", None)
    await small.advance(15)
    before = last_answer()
    assert small.source == "lan"
    assert abs(datetime.fromisoformat(before) - answered) <= timedelta(seconds=2)
    await small.advance(120, step=15)
    assert (small.source, last_answer()) == ("lost", before)
    small.cloud.faults.clear()
    await small.advance(60, step=15)
    assert (small.source, last_answer()) == ("cloud", None)


async def test_both_gone_and_both_back(
    small: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """The last state holds for 90 s; one log line reports the loss, one the return."""
    small.disconnect()
    caplog.clear()
    for _ in range(89):
        await small.advance(1)
        assert small.value("sensor", "ph") != "unavailable"
    await small.advance(2)
    assert small.value("sensor", "ph") == "unavailable"
    await small.advance(300, step=15)
    assert small.entry.state is ConfigEntryState.LOADED
    small.controller.faults.off("refuse")
    await small.advance(15)
    assert small.source == "lan"
    assert 6 < float(small.value("sensor", "ph")) < 9
    assert [line.levelname for line in log_lines(caplog)] == ["ERROR", "INFO"]


async def test_a_poll_by_lan_shows_each_value_once(small: Home) -> None:
    """Home Assistant works out all states each time that values are shown."""
    sensor = small.registered("sensor", "connection")
    shown: list[object] = []

    @callback
    def same(data: EventStateReportedData) -> bool:
        return sensor is not None and data["entity_id"] == sensor.entity_id

    small.hass.bus.async_listen(EVENT_STATE_REPORTED, shown.append, event_filter=same)
    await small.advance(60, step=15)
    assert len(shown) == 4


@pytest.mark.usefixtures("freezer", "quick")
async def test_failures_keep_no_exceptions(
    full: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """Half an hour of failed polls leaves as many as ten minutes do.

    pytest keeps each line of a log, and what it names: there are none here.
    """
    for logger in ("custom_components", "homeassistant"):
        caplog.set_level(logging.CRITICAL, logger)

    def kept() -> int:
        gc.collect()
        return sum(isinstance(each, PoolctlError) for each in gc.get_objects())

    full.disconnect()
    await full.live(600)
    at_first = kept()
    await full.live(1200)
    assert 0 < kept() <= at_first + 2  # of the account: its newest error
