"""When priming and run-on end: a time that stays the same while the count runs down."""

from datetime import datetime, timedelta

from homeassistant.util import dt as dt_util
import pytest

from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick")


KEY = "pump_priming_remaining"


async def test_priming(full: Home) -> None:
    full.pool.pump.priming = 180.0
    states = full.follow("sensor", KEY)
    begun = dt_util.utcnow()
    await full.live(60)
    ends = datetime.fromisoformat(full.value("sensor", KEY))
    assert abs(ends - begun - timedelta(seconds=180)) < timedelta(seconds=20)
    # A count that runs down as time passes is one end: one state, not one each poll.
    assert len(states) == 1
    status = full.state("sensor", "pump_status")
    assert (status.state, status.attributes["ends"]) == ("priming", ends.isoformat())
    await full.live(180)
    assert [state.state for state in states[1:]] == ["unknown"]
    assert "ends" not in full.state("sensor", "pump_status").attributes


async def test_a_longer_count(full: Home) -> None:
    ends = []
    for count in (60.0, 240.0):
        full.pool.pump.priming = count
        await full.live(15)
        ends.append(datetime.fromisoformat(full.value("sensor", KEY)))
    assert ends[1] - ends[0] > timedelta(seconds=120)
