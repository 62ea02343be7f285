"""Pauses of dosing: shown, ended in time, kept over restarts, ended before removal."""

from math import inf, nan
from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import (
    HomeAssistantError,
    ServiceNotSupported,
    ServiceValidationError,
)
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.simulator import Controller, Pool

pytestmark = pytest.mark.usefixtures("quick", "hurried", "freezer")
few_platforms = only(Platform.SWITCH)
HALF_AN_HOUR = {"minutes": 30}
ACID = ["automatic_ph"]
CHLORINE = ["automatic_chlorination", "automatic_liquid_chlorine"]
KEYS = {"acid": ACID, "chlorine": CHLORINE, "both": ACID + CHLORINE}
"""Keys of the switches of dosers."""


NO_TIMES = (0, {"hours": 24, "seconds": 1}, -5, inf, nan, {"hours": inf}, "a while")


@pytest.fixture(autouse=True)
def still_water(home: Home) -> None:
    """Keep the water from drifting, so that nothing is dosed."""
    home.service.full.pool.water.drift = 0.0


def dosing(home: Home) -> tuple[float, float]:
    """Return the setting of acid dosing and the flags of chlorine dosing."""
    settings = home.pool.settings
    return settings["ph_dosing"], settings["orp_flags"]


def paused(home: Home) -> tuple[bool, bool]:
    """Return whether the switches of acid and of chlorine show a pause."""
    keys = ("automatic_ph", "automatic_chlorination")
    states = [home.state("switch", key) for key in keys]
    acid, chlorine = ("paused_until" in state.attributes for state in states)
    return acid, chlorine


async def pause(home: Home, what: str = "both", **fields: Any) -> None:
    """Pause what doses acid, chlorine or both."""
    data: dict[str, Any] = {"duration": HALF_AN_HOUR} | fields
    if "device_id" not in data:
        switches = [home.entity_id("switch", key) for key in KEYS[what]]
        data = {"entity_id": switches} | data
    services = home.hass.services
    await home.finish(services.async_call(DOMAIN, "pause_dosing", data, blocking=True))


async def test_for_a_time(full: Home, subtests: pytest.Subtests) -> None:
    rows = {"acid": (0.0, 3.0), "chlorine": (1.0, 0.0), "both": (0.0, 0.0)}
    for what, left in rows.items():
        with subtests.test(what):
            assert dosing(full) == (1, 3)
            await pause(full, what)
            assert dosing(full) == left
            await full.refresh()
            assert paused(full) == (left[0] == 0, left[1] == 0)
            await full.live(29 * 60, step=290)
            assert dosing(full) == left
            await full.live(2 * 60, step=60)
            assert dosing(full) == (1, 3)
            assert paused(full) == (False, False)


async def test_over_a_restart(full: Home) -> None:
    """A pause is kept; dosing that was off before it stays off."""
    await full.finish(full.act("switch.turn_off", "automatic_chlorination"))
    off = dosing(full)[1]
    await pause(full)
    await full.live(600, step=300)
    await full.restart()
    assert paused(full) == (True, False)
    await full.live(19 * 60, step=190)
    assert dosing(full) == (0, 0)
    await full.live(2 * 60, step=60)
    assert dosing(full) == (1, off)


async def test_refused(full: Home, subtests: pytest.Subtests) -> None:
    """Neither another switch nor a whole part is taken in place of a doser."""
    pump = full.registered("switch", "pump")
    assert pump is not None
    rows: list[tuple[dict[str, Any], str | type[Exception]]] = [
        ({"entity_id": pump.entity_id}, ServiceNotSupported),
        ({"device_id": pump.device_id}, "entities_only"),
        *(({"duration": each}, "pause_too_long") for each in NO_TIMES),
    ]
    for fields, error in rows:
        refused = (
            failure(error, ServiceValidationError)
            if isinstance(error, str)
            else pytest.raises(error)
        )
        with subtests.test(str(fields)), refused:
            await pause(full, **fields)
    assert full.actions == [] and dosing(full) == (1, 3)
    # There is nothing to pause.
    await full.finish(full.act("switch.turn_off", "automatic_ph"))
    written = len(full.actions)
    with failure("dosing_is_off", ServiceValidationError):
        await pause(full, "acid")
    assert len(full.actions) == written


@pytest.mark.parametrize("fails", [0, 1])
async def test_one_controller_that_fails(home: Home, fails: int) -> None:
    """It keeps no other from its pause."""
    service = home.service
    other = Controller(
        device_id="AA_BB_CC_00_00_03", pool=Pool.full(), clock=service.clock
    )
    service.account.sites[0].controllers.append(other)
    await other.start()
    controllers = service.full, other
    await home.set_up(*controllers)
    switches = [home.entity_id("switch", "automatic_ph", each) for each in controllers]
    controllers[fails].faults.on("decline", "a")
    data = {"entity_id": switches, "duration": HALF_AN_HOUR}
    action = home.hass.services.async_call(DOMAIN, "pause_dosing", data, blocking=True)
    with pytest.raises(HomeAssistantError):
        await home.finish(action)
    settings = [each.pool.settings["ph_dosing"] for each in controllers]
    assert settings == [fails == 0, fails == 1]
    await other.stop()


async def test_shown_after_a_start(full: Home) -> None:
    """What was stored is shown until it is read, so nothing seems to be turned on.

    A pause is compared only with what is read: the app may have ended it meanwhile.
    """
    keys = "automatic_ph", "automatic_chlorination", "automatic_liquid_chlorine"
    settings = full.pool.settings
    await full.live(60)
    await pause(full, "acid")
    for changes in (
        {},
        {"ph_dosing": 1, "orp_flags": 2},
        {"orp_flags": 0},
        {"orp_flags": 3},
    ):
        await full.shut_down()
        settings.update(changes)
        expected = dict(settings)
        followed = {key: full.follow("switch", key) for key in keys}
        await full.boot()
        await full.live(60)
        for key, states in followed.items():
            values = [each.state for each in states if each.state != "unavailable"]
            assert "unknown" not in values, key
            assert any(each.attributes.get("assumed_state") for each in states)
            assert "assumed_state" not in states[-1].attributes
        is_on = [followed[key][-1].state == "on" for key in keys]
        flags = int(expected["orp_flags"])
        assert is_on == [bool(expected["ph_dosing"]), bool(flags & 1), bool(flags & 2)]
        assert dict(settings) == expected
