"""Readings of probes that are noisy or in still water, over a stop and a restart."""

from datetime import datetime

from homeassistant.const import Platform
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.client.pool import ACID
from custom_components.poolctl.learned.preferences import WithoutFlow
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator import wire

few_platforms = only(Platform.BINARY_SENSOR, Platform.CLIMATE, Platform.SENSOR)

PROBES = ("ph", "orp", "water_temperature")
FLOWING = {"ph": 7.4, "orp": 655, "water_temperature": 26.4}
STILL = {"ph": 8.2, "orp": 310, "water_temperature": 14.5}
NOTHING = dict.fromkeys(PROBES)


def probes(home: Home) -> dict[str, float | None]:
    """Return the readings of the probes, `None` for an unknown one."""
    states = {key: home.value("sensor", key) for key in PROBES}
    return {
        key: None if state == "unknown" else float(state)
        for key, state in states.items()
    }


def shown(home: Home) -> tuple[dict[str, float | None], str]:
    """Return the readings, and the sensor that shows whether they are valid."""
    return probes(home), home.value("binary_sensor", "water_reading_valid")


def taken(home: Home) -> datetime:
    """Return when the last valid reading was taken."""
    return datetime.fromisoformat(home.value("sensor", "last_valid_reading"))


def measured_at(home: Home) -> set[object]:
    """Return when the shown readings were measured, `None` for current ones."""
    states = [home.state("sensor", key) for key in PROBES]
    return {state.attributes.get("measured_at") for state in states}


def flow(home: Home) -> None:
    """Let the water of the small pool flow, and not change by itself."""
    home.own(home.service.small)
    water = home.pool.water
    water.drift, water.ph, water.orp, water.temperature = 0.0, 7.45, 655.5, 26.45


@pytest.mark.parametrize(
    ("choice", "without_flow"),
    [
        (WithoutFlow.HOLD, FLOWING),
        (WithoutFlow.UNKNOWN, NOTHING),
        (WithoutFlow.RAW, STILL),
    ],
)
@pytest.mark.usefixtures("freezer")
async def test_still_water(
    home: Home, choice: WithoutFlow, without_flow: dict[str, float | None]
) -> None:
    flow(home)
    options = {"connection": "automatic", "readings_without_flow": choice}
    await home.set_up(home.controller, options=options)
    await home.enable_all()
    assert shown(home) == (FLOWING, "on")
    assert measured_at(home) == {None}
    good = home.state("sensor", "orp").attributes
    assert (good["good_from"], good["good_to"]) == (600, 850)

    await home.advance(60, step=15)
    home.pool.switch(0, False)
    home.clock.advance(300)
    last = dt_util.utcnow().replace(microsecond=0)
    water = home.pool.water
    water.ph, water.orp, water.temperature = 8.25, 310.5, 14.55
    await home.advance(600, step=15)
    assert shown(home) == (without_flow, "off")
    assert taken(home) == last
    assert measured_at(home) == {last.isoformat()}

    await home.restart()
    assert shown(home) == (without_flow, "off")
    assert taken(home) == last

    home.pool.switch(0, True)
    home.clock.advance(60)
    await home.advance(15)
    # It flows, but not for long enough to trust the probes.
    assert home.value("binary_sensor", "flow") == "on"
    assert shown(home) == (without_flow, "off")
    home.clock.advance(120)
    await home.advance(15)
    assert shown(home) == (STILL, "on")
    assert taken(home) > last


async def test_nothing_valid_was_ever_read(home: Home) -> None:
    """Without a valid reading, neither a value nor a time is shown."""
    home.pool.switch(0, False)
    home.clock.advance(300)
    await home.set_up(home.controller)
    await home.enable_all()
    assert shown(home) == (NOTHING, "off")
    assert home.value("sensor", "last_valid_reading") == "unknown"


@pytest.mark.row("L25")
@pytest.mark.parametrize(
    "odd", [{"temperature": 60.05}, {"temperature": 14.55}, {"ph": 3.05}, {"orp": 310}]
)
@pytest.mark.usefixtures("freezer", "quick")
async def test_an_odd_reading_before_the_pump_stops_does_not_last(
    home: Home, odd: dict[str, float]
) -> None:
    flow(home)
    await home.set_up(home.controller)
    await home.live(60)
    for probe, value in odd.items():
        setattr(home.pool.water, probe, value)
    await home.live(15)
    home.pool.switch(0, False)
    await home.live(120)
    assert (probes(home), home.value("sensor", "status")) == (FLOWING, "notice")


ODD_FRAMES: tuple[dict[str, int], ...] = (
    {"water_temperature": 600},
    {"water_temperature": 100},
    {"flow_rate": 65_000},
    {"flow_rate": 1_900, "pressure": 900},
    {"acid_remaining": 0},
)


@pytest.mark.parametrize("first", [(), *((odd,) for odd in ODD_FRAMES)], ids=str)
@pytest.mark.usefixtures("freezer", "quick")
async def test_nothing_is_learned_from_one_odd_frame(
    home: Home, first: tuple[dict[str, int], ...], subtests: pytest.Subtests
) -> None:
    """Nor does a maximum of the day last that only the first frame of a run has."""
    flow(home)

    def spoil(odd: dict[str, int]) -> None:
        def change(frame: wire.Frame) -> None:
            for section in (frame.telemetry, frame.configuration):
                section.update({k: v for k, v in odd.items() if k in section})

        home.controller.odd.append(change)

    for odd in first:
        spoil(odd)
    await home.set_up(home.controller)
    await home.live(300)
    for odd in first or ODD_FRAMES:
        with subtests.test(str(odd)):
            if not first:
                spoil(odd)
            await home.live(300)
            assert not home.controller.odd
            coordinators = home.entry.runtime_data.controllers
            learned = coordinators[home.controller.device_id].learned
            today, used = learned.pump_days.today, learned.dosers[ACID].used_today
            assert today and today.water == FLOWING["water_temperature"]
            assert learned.filter.load in (None, 0) and (used(learned.now) or 0) < 250
            usual = pytest.approx(home.pool.water.flow * 60, rel=0.1)
            assert learned.pump_days.flow in (None, usual) or first


# Noisy probes: what sensors and thermostats show


def steady(home: Home) -> tuple[object, ...]:
    """Return the readings of the sensors and of the pool's thermostat."""
    sensors = ("ph", "orp", "water_temperature", "air_temperature")
    values = [float(home.value("sensor", key)) for key in sensors]
    return *values, home.state("climate", "pool_heating").attributes[
        "current_temperature"
    ]


@pytest.mark.usefixtures("freezer", "quick")
async def test_small_changes_are_shown_once_they_last(full: Home) -> None:
    water = full.pool.water
    water.drift, water.ph, water.orp = 0.0, 7.45, 700
    water.temperature, water.ambient = 25.05, 20.0
    await full.advance(15)
    first = steady(full)
    assert first == (7.4, 700, 25.0, 20.0, 25.0)
    # One impossible temperature is not shown.
    full.controller.odd.append(
        lambda frame: frame.telemetry.update(water_temperature=600)
    )
    await full.advance(15)
    assert steady(full) == first and not full.controller.odd
    water.ph, water.orp, water.temperature, water.ambient = 7.55, 704, 25.15, 20.1
    await full.advance(285, step=15)
    assert steady(full) == first
    # The readings do not change from here on.
    await full.advance(30, step=15)
    assert steady(full) == (7.5, 704, 25.1, 20.1, 25.1)
    water.orp, water.temperature = 709, 25.35
    await full.advance(15)
    assert steady(full) == (7.5, 709, 25.3, 20.1, 25.3)
