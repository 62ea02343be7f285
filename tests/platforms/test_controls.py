"""Off, auto and on of an output as one select, and the extra runs of the pump."""

from datetime import timedelta
import re

from homeassistant.const import Platform
from homeassistant.exceptions import HomeAssistantError
import pytest

from tests.platforms.test_holds import KEY, WATERFALL, begin, sent
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick")
few_platforms = only(Platform.LIGHT, Platform.SELECT, Platform.SENSOR, Platform.SWITCH)

CONTROL = f"{KEY}_control"


async def choose(home: Home, option: str, key: str = CONTROL) -> None:
    await home.act("select.select_option", key, option=option)
    await home.live(30)
    assert home.value("select", key) == option


async def test_off_lasts_until_it_is_given_back(home: Home) -> None:
    """Unlike at the switch, it lasts beyond the schedule that runs, and restarts."""
    await begin(home)
    state = home.state("select", CONTROL)
    assert (state.state, state.name) == ("auto", "Outputs Waterfall control")
    await choose(home, "off")
    assert not home.pool.relays[WATERFALL]
    assert "held_until" not in home.state("switch", KEY).attributes
    await home.restart()
    await home.live(24 * 3600, step=1800)
    assert (home.value("select", CONTROL), home.value("switch", KEY)) == ("off", "off")
    assert len(sent(home)) == 1
    await choose(home, "auto")
    assert home.pool.relays[WATERFALL]
    assert not home.pool.slots[WATERFALL].held


@pytest.mark.row("L15")
@pytest.mark.parametrize("by_app", [False, True])
async def test_the_pulses_of_a_light_show(home: Home, by_app: bool) -> None:
    """Its relay goes off and on for a while, but it is held on all the time."""
    await begin(home)
    light, key = 1, "slot_1_control"
    if by_app:
        home.pool.switch(light, True)
        await home.live(60)
    else:
        await choose(home, "on", key)
    seen = home.follow("select", key)
    for on in (False, True, False, False, True):
        home.pool.switch(light, on)
        await home.live(17)
    assert {each.state for each in seen} <= {"on"}
    assert home.value("select", key) == "on"


async def test_what_the_app_does_is_shown(home: Home) -> None:
    await begin(home, window=(22 * 60, 23 * 60))
    home.pool.switch(WATERFALL, True)
    await home.live(60)
    assert home.value("select", CONTROL) == "on"
    home.pool.switch(WATERFALL, False, hold=False)
    await home.live(60)
    assert home.value("select", CONTROL) == "auto"


async def test_by_the_cloud_alone(home: Home) -> None:
    """It does not report what is held, and cannot give back: both are said."""
    await begin(home, connection="cloud")
    assert home.value("select", CONTROL) == "unknown"
    with pytest.raises(HomeAssistantError, match="cloud"):
        await home.finish(home.act("select.select_option", CONTROL, option="auto"))
    await home.finish(home.act("select.select_option", CONTROL, option="on"))
    assert home.value("switch", KEY) == "on"


EXTRA = "pump_extra_run"


async def test_an_extra_run_by_the_cloud_alone(home: Home) -> None:
    """It is switched off as in the vendor's app."""
    await begin(home, connection="cloud")
    for state in ("on", "off"):
        await home.finish(home.act(f"switch.turn_{state}", EXTRA))
        await home.live(360, step=30)  # a copy may be minutes old
        assert (home.value("switch", EXTRA), home.value("switch", "pump")) == (
            state,
            state,
        )


async def test_an_extra_run_holds_the_pump_on(full: Home) -> None:
    pump = full.pool.pump
    await full.act("switch.turn_on", EXTRA)
    await full.live(30)
    assert (full.value("switch", EXTRA), pump.mode) == ("on", 99)
    shown = full.state("switch", "pump").attributes
    assert "held_until" not in shown
    assert not re.search(r"\b20\d\d\b", shown["explanation"])
    await full.restart()
    await full.live(3 * 3600, step=600)
    assert (full.value("switch", EXTRA), pump.mode) == ("on", 99)
    await full.act("switch.turn_off", EXTRA)
    await full.live(30)
    assert full.value("switch", EXTRA) == "off"
    assert full.value("select", "pump_control") == "auto"


@pytest.mark.parametrize(
    ("seconds", "error"),
    [(0, "undone_later"), (30, "not_reached")],
    ids=["lan", "cloud"],
)
async def test_its_off_that_fails_is_an_error(
    full: Home, seconds: float, error: str
) -> None:
    """The timer of the holds tries at the same time, and is told of it, too."""
    await full.finish(full.act("switch.turn_on", EXTRA))
    full.controller.faults.on("refuse")
    full.cloud.faults.on("error_500")
    await full.live(seconds)
    with failure(error):
        await full.finish(full.act("switch.turn_off", EXTRA))
    full.controller.faults.clear()
    await full.live(180)
    assert full.value("select", "pump_control") == "auto"


@pytest.mark.parametrize("state", [True, False])
async def test_its_off_is_no_persons(full: Home, state: bool) -> None:
    """What somebody else asked of the pump stays, and so do its schedules."""
    duration = timedelta(hours=2)
    await full.act(
        "poolctl.hold", "pump", domain="switch", state=state, duration=duration
    )
    await full.live(30)
    commands = len(full.actions)
    await full.act("switch.turn_off", EXTRA)  # nothing was switched on here
    await full.live(60)
    assert len(full.actions) == commands
    assert full.value("select", "pump_control") == ("on" if state else "off")
    if state:
        await full.act("switch.turn_on", EXTRA)
        await full.act("switch.turn_off", EXTRA)
        await full.live(60)
        assert full.value("select", "pump_control") == "on"
        await full.live(2 * 3600, step=600)
        assert full.value("select", "pump_control") == "auto"
