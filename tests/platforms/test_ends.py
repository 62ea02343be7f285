"""When priming and run-on end: a time that stays the same while the count runs down."""

from datetime import datetime, timedelta

from homeassistant.util import dt as dt_util
import pytest

from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick")


def end(home: Home, key: str) -> datetime | None:
    """Return the time that a sensor shows, `None` if it is unknown."""
    value = home.value("sensor", key)
    return None if value == "unknown" else dt_util.parse_datetime(value)


async def test_priming(full: Home) -> None:
    full.pool.pump.priming = 180.0
    states = full.follow("sensor", "pump_priming_remaining")
    begun = dt_util.utcnow()
    await full.live(60)
    ends = end(full, "pump_priming_remaining")
    assert ends is not None
    assert abs(ends - begun - timedelta(seconds=180)) < timedelta(seconds=20)
    # A count that runs down as time passes is one end: one state, not one each poll.
    assert len(states) == 1
    status = full.state("sensor", "pump_status")
    assert (status.state, status.attributes["ends"]) == ("priming", ends.isoformat())
    await full.live(180)
    assert end(full, "pump_priming_remaining") is None
    assert [state.state for state in states[1:]] == ["unknown"]
    assert "ends" not in full.state("sensor", "pump_status").attributes


async def test_a_longer_count(full: Home) -> None:
    full.pool.pump.priming = 60.0
    await full.live(15)
    first = end(full, "pump_priming_remaining")
    full.pool.pump.priming = 240.0
    await full.live(15)
    second = end(full, "pump_priming_remaining")
    assert first is not None
    assert second is not None
    assert second - first > timedelta(seconds=120)
