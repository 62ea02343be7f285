"""The cloud service ends: the LAN goes on, and one repair issue explains it."""

from datetime import timedelta, timezone

from homeassistant.const import Platform
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from tests.flow.test_config_flow import discover
from tests.network.test_survival import log_lines, lost
from tests.status.test_repairs import shown
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.SENSOR, Platform.SWITCH)

HOUR, DAY = 3600, 86400
KEY = "service_silent"


async def days(home: Home, number: float) -> None:
    """Let days pass, one at a time, and a few polls at the end."""
    await home.advance(number * DAY, step=DAY)
    await home.advance(60, step=15)


async def works(home: Home) -> None:
    """Assert that the pool works: values are current, and a switch switches."""
    assert home.source == "lan"
    home.pool.water.ambient += 1
    await home.advance(15)
    ambient = float(home.value("sensor", "air_temperature"))
    assert ambient == pytest.approx(home.pool.water.ambient, abs=0.1)
    on = home.pool.relays[2]
    await home.act("switch.turn_off" if on else "switch.turn_on", "slot_2")
    assert home.pool.relays[2] is not on


async def test_sixty_days_without_the_service(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """The LAN survives expired tokens, restarts, a new port, and clocks set back."""
    home.own(home.service.small)
    await home.set_up(home.service.small)
    home.pool.tz = timezone(timedelta(hours=2))
    await days(home, 1)
    assert not shown(home)
    stored = {**home.stored}

    home.cloud.faults.on("refuse")
    caplog.clear()
    await days(home, 6)
    assert set(shown(home)) == {KEY}
    events = async_capture_events(home.hass, "state_changed")
    await home.advance(600, step=15)
    await works(home)
    assert not lost(events)

    await home.shut_down()
    await home.boot()
    assert set(shown(home)) == {KEY}  # stored over the restart
    await days(home, 24)
    await works(home)

    await home.controller.move("127.0.0.1")
    await home.advance(60, step=15)
    await discover(home, home.controller)
    await home.settle()
    await home.advance(60, step=15)
    assert home.stored["port"] == home.controller.port != stored["port"]
    await works(home)

    home.pool.tz = timezone(timedelta(hours=1))
    home.clock.set_back(HOUR)
    await days(home, 5)
    await works(home)
    home.pool.tz = timezone(timedelta(hours=2))
    home.clock.set_back(-HOUR)

    await home.restart()
    await days(home, 25)  # the refresh token expired long ago
    await works(home)
    assert set(shown(home)) == {KEY}
    assert not home.flows
    assert {**home.stored, "port": 0} == {**stored, "port": 0}
    errors = [line for line in log_lines(caplog) if line.levelname == "ERROR"]
    assert ["pool account" in line.getMessage() for line in errors] == [True] * 3


async def test_it_wants_a_new_sign_in(small: Home) -> None:
    """The issue goes, because the service answers; a sign-in is requested instead."""
    small.cloud.faults.on("refuse")
    await small.advance(HOUR)
    await small.advance(25 * HOUR, step=5 * HOUR)
    assert set(shown(small)) == {KEY}
    small.cloud.revoke(small.account)
    small.cloud.faults.clear()
    for hours in (2, 30):
        await small.advance(hours * HOUR, step=hours * HOUR / 4)
        assert not shown(small)
        assert [flow["context"]["source"] for flow in small.flows] == ["reauth"]
