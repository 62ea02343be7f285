"""Energy and running hours of the pump: what is counted, and what is not."""

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from homeassistant.const import Platform
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.learned.totals import PERIOD
from custom_components.poolctl.store.memory import DATA_MEMORY
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.water import pump_watts

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer")
few_platforms = only(
    Platform.BINARY_SENSOR, Platform.NUMBER, Platform.SENSOR, Platform.SWITCH
)

WATTS = pump_watts(75)
"""Watts that the pump of the small pool draws all day."""
POLL = 15
KEYS = ("pump_energy", "pump_running_today")
WATER = ("water_filtered_today",)


async def polls(home: Home, count: int = 1) -> None:
    """Let some polls go by."""
    await home.advance(count * POLL, step=POLL)


async def minutes(home: Home, count: int) -> None:
    """Let some minutes go by, with as few polls as totals need."""
    await home.advance(count * 60, step=60)


def exact(home: Home, key: str) -> float:
    """Return a total as it is stored, not rounded."""
    account = home.entry.runtime_data
    known = account.controllers[home.controller.device_id].learned.totals
    (total,) = (total for kind, total in known.of.items() if kind.key == key)
    return float(total.exact)


def totals(home: Home) -> tuple[float, float]:
    """Return energy and running time, not rounded."""
    return exact(home, "pump_energy"), exact(home, "pump_running_today")


def registered(home: Home, key: str) -> str:
    """Register a sensor before its account is set up; return its entity id."""
    unique_id = f"{home.controller.device_id}_{key}"
    entry = er.async_get(home.hass).async_get_or_create("sensor", DOMAIN, unique_id)
    return entry.entity_id


def kwh(seconds: float, watts: float = WATTS) -> Any:
    """Return the energy to expect."""
    return pytest.approx(watts * seconds / 3.6e6, rel=1e-9, abs=1e-12)


def hours(seconds: float) -> Any:
    """Return the hours to expect."""
    return pytest.approx(seconds / 3600, rel=1e-9, abs=1e-12)


def stop_pump(home: Home) -> None:
    """Stop the pump of the small pool behind Home Assistant's back."""
    home.pool.switch(0, False)
    home.clock.advance(1)


async def test_a_running_pump_adds_up(small: Home) -> None:
    await polls(small)  # counting begins with a read
    begun = totals(small)
    await minutes(small, 20)
    assert exact(small, "pump_energy") - begun[0] == kwh(1200)
    assert exact(small, "pump_running_today") - begun[1] == hours(1200)
    # While the pump runs, the shown value is a few minutes old.
    shown = [float(small.value("sensor", key)) for key in KEYS]
    for value, now, hour in zip(shown, totals(small), (WATTS / 1000, 1), strict=True):
        assert 0 < now - hour * PERIOD / 3600 - 0.005 <= value <= now + 0.005
    state = small.state("sensor", "pump_energy")
    assert state.attributes["unit_of_measurement"] == "kWh"
    assert state.attributes["device_class"] == "energy"
    assert state.attributes["state_class"] == "total_increasing"


# Polls are a minute apart: from another second on, an hour may have 59 of them.
@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_few_states_and_right_hours(small: Home) -> None:
    """Few states are written, and those that hourly statistics use are right."""
    states = [small.follow("sensor", key) for key in KEYS]
    await minutes(small, 15)
    at_the_hour: list[tuple[float, ...]] = []
    for _ in range(2):
        while dt_util.utcnow().timestamp() % 3600 >= 60:
            await minutes(small, 1)
        # The latest states date from before the full hour.
        at_the_hour.append(tuple(float(small.value("sensor", key)) for key in KEYS))
        for each in states:
            each.clear()
        await minutes(small, 58)
    for each in states:
        assert 1 < len(each) <= 3600 / PERIOD + 1
    # Energy alone: running hours restart at midnight.
    (before, _), (after, _) = at_the_hour
    assert after - before == pytest.approx(WATTS / 1000, abs=0.01)


async def test_what_a_pump_that_stopped_added_is_shown_within_five_minutes(
    small: Home,
) -> None:
    await minutes(small, 7)
    stop_pump(small)
    await minutes(small, 5)
    energy, time = totals(small)
    assert float(small.value("sensor", "pump_energy")) == round(energy, 2)
    assert float(small.value("sensor", "pump_running_today")) == round(time, 2)


async def test_a_stop_between_two_polls_is_taken_in_the_middle(small: Home) -> None:
    await polls(small, 2)
    energy, time = totals(small)
    stop_pump(small)
    await polls(small)
    assert exact(small, "pump_energy") - energy == kwh(POLL / 2)
    assert exact(small, "pump_running_today") - time == hours(POLL / 2)
    energy = exact(small, "pump_energy")
    await polls(small, 4)
    assert exact(small, "pump_energy") == energy


async def test_a_pump_that_cools_a_heater_down_runs(small: Home) -> None:
    """It is switched off, but its motor still turns, and that time counts."""
    stop_pump(small)
    small.pool.pump.run_on = 60000
    await polls(small)
    begun = exact(small, "pump_running_today")
    await polls(small, 4)
    assert small.value("switch", "pump") == "off"
    assert exact(small, "pump_running_today") - begun == hours(60)


@pytest.mark.parametrize(
    ("missed", "counted"),
    [(1, 2 * POLL), (8, 0)],
    ids=["half a minute", "more than a minute"],
)
async def test_gaps(small: Home, missed: int, counted: float) -> None:
    """A gap of more than a minute between two reads is not counted."""
    await polls(small, 2)
    energy, time = totals(small)
    small.disconnect()
    await polls(small, missed)
    assert exact(small, "pump_energy") == energy
    small.controller.faults.clear()
    seen = len(small.controller.requests)
    while len(small.controller.requests) == seen:
        await polls(small)
    assert exact(small, "pump_energy") - energy == kwh(counted)
    assert exact(small, "pump_running_today") - time == hours(counted)
    energy = exact(small, "pump_energy")
    await polls(small)
    assert exact(small, "pump_energy") - energy == kwh(POLL)


async def test_power_that_is_not_known(small: Home) -> None:
    """The cloud reports that the pump runs, but not its power: only time counts."""
    await polls(small, 2)
    small.controller.faults.on("refuse")
    await polls(small, 4)
    assert small.source == "cloud"
    energy, time = totals(small)
    await minutes(small, 5)
    assert exact(small, "pump_energy") == energy
    assert exact(small, "pump_running_today") - time == hours(300)
    # The total itself keeps its value.
    assert float(small.value("sensor", "pump_energy")) == round(energy, 2)


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_over_a_restart(small: Home) -> None:
    """Unrounded totals are kept, and the time in between is not counted."""
    await polls(small, 7)
    energy, time = totals(small)
    assert energy != round(energy, 2)
    await small.unload()
    small.freezer.tick(1800)
    await small.restart()
    assert exact(small, "pump_energy") == energy
    assert exact(small, "pump_running_today") == time
    assert float(small.value("sensor", "pump_energy")) == round(energy, 2)
    await polls(small)
    energy = exact(small, "pump_energy")
    await polls(small)
    assert exact(small, "pump_energy") - energy == kwh(POLL)


@pytest.mark.parametrize(
    ("kept", "shown"),
    [
        ({"day": "2026-06-30"}, ("1234.57", "0.0")),
        ({"day": "2026-07-01"}, ("1234.57", "5.68")),
        ({"day": "2026-07-01", "pump_energy": "x"}, ("0.0", "5.68")),
        ({"day": "today", "pump_energy": -1}, ("0.0", "0.0")),
    ],
)
@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_from_what_a_stopped_home_assistant_kept(
    home: Home,
    hass_storage: dict[str, Any],
    kept: dict[str, Any],
    shown: tuple[str, str],
) -> None:
    """Hours count for their day only, energy for ever; only invalid values are lost."""
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.small)
    amounts = {"pump_energy": 1234.567, "pump_running_today": 5.678} | kept
    day, of = amounts.pop("day"), [[key, {"exact": n}] for key, n in amounts.items()]
    totals = {"day": day, "of": of}
    data = {home.controller.device_id: {"learned": {"totals": totals}}}
    hass_storage[DOMAIN] = {"version": 1, "minor_version": 1, "data": data}
    await home.set_up(home.controller)
    assert tuple(home.value("sensor", key) for key in KEYS) == shown


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_a_power_cut(small: Home, hass_storage: dict[str, Any]) -> None:
    """No total decreases, because shown values are stored (protocol.md W8)."""
    await polls(small)
    for gone in (7, 13, 16):
        await minutes(small, gone)
        shown = [float(small.value("sensor", key)) for key in (*KEYS, *WATER)]
        on_disk = deepcopy(hass_storage[DOMAIN])
        await small.unload()
        await small.hass.async_block_till_done()
        hass_storage[DOMAIN] = on_disk  # as if nothing had been written at the end
        await small.boot()
        again = [float(small.value("sensor", key)) for key in (*KEYS, *WATER)]
        assert all(now >= was for now, was in zip(again, shown, strict=True))
    assert all(shown)


TODAY = ("acid_doses_today", "acid_used_today", *KEYS, *WATER)


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
@pytest.mark.usefixtures("all_enabled")
async def test_a_clock_that_is_a_day_ahead(home: Home) -> None:
    """A clock that is wrong for a minute begins no new day."""
    home.own(home.service.full)
    water = home.pool.water
    water.ph, water.orp, water.drift = 7.2, 800, 0.0
    home.pool.acid.doses = 6
    await home.set_up(home.controller)
    home.pool.settings["acid_remaining"] -= 60
    await home.live(6 * 60)
    clock = home.hass.data[DATA_MEMORY].clock
    right, shown = clock._wall, {key: home.state("sensor", key) for key in TODAY}
    assert not {key for key in TODAY if float(shown[key].state) <= 0}
    limit = home.value("binary_sensor", "acid_limit_reached")
    assert limit == "on"
    clock._wall = lambda: right() + 86_400
    for _ in range(4):
        await home.live(POLL)
        for key, before in shown.items():
            state = home.state("sensor", key)
            assert float(state.state) >= float(before.state)
            reset = "last_reset"
            assert state.attributes.get(reset) == before.attributes.get(reset)
        assert home.value("binary_sensor", "acid_limit_reached") == limit
    clock._wall = right
    running = exact(home, "pump_running_today")
    await home.live(60)
    assert exact(home, "pump_running_today") - running == hours(60)
    for key in ("acid_doses_today", "acid_used_today"):
        assert home.value("sensor", key) == shown[key].state


@pytest.mark.freeze_time("2026-07-01 23:30:00+00:00")
async def test_a_new_day_is_seen_while_the_pump_stands_still(small: Home) -> None:
    """The total restarts although only the date changes."""
    await small.hass.config.async_set_time_zone("UTC")
    await polls(small, 10)
    stop_pump(small)
    small.clock.advance(600)
    await minutes(small, 5)
    assert float(small.value("sensor", "pump_running_today")) > 0.02
    small.freezer.move_to(datetime(2026, 7, 1, 23, 59, 55, tzinfo=UTC))
    await polls(small)
    assert small.value("sensor", "pump_running_today") == "0.0"


# Water


@pytest.fixture
async def in_utc(home: Home) -> Home:
    """Set up the small pool, whose pump moves 300 L a minute all day."""
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.small)
    await home.set_up(home.controller)
    assert home.pool.water.flow == 300
    return home


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_water_filtered(in_utc: Home) -> None:
    """20 minutes at 300 L/min are 6 m³, and a new day restarts at zero."""
    followed = in_utc.follow("sensor", "water_filtered_today")
    await polls(in_utc)
    begun = exact(in_utc, "water_filtered_today")
    await minutes(in_utc, 20)
    assert exact(in_utc, "water_filtered_today") - begun == pytest.approx(6)
    assert float(in_utc.value("sensor", "water_filtered_today")) > 4
    assert len(followed) <= 6
    attributes = in_utc.state("sensor", "water_filtered_today").attributes
    assert {
        "device_class": "volume",
        "state_class": "total",
        "unit_of_measurement": "m³",
        "last_reset": "2026-07-01T00:00:00+00:00",
    }.items() <= attributes.items()
    in_utc.freezer.move_to(datetime(2026, 7, 2, 0, 0, 5, tzinfo=UTC))
    await polls(in_utc)
    state = in_utc.state("sensor", "water_filtered_today")
    assert state.state == "0.0"
    assert state.attributes["last_reset"] == "2026-07-02T00:00:00+00:00"


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_turnovers(in_utc: Home) -> None:
    """The sensor appears with the volume, and counts the water of the whole day."""
    volume = in_utc.state("number", "volume")
    assert (volume.state, volume.attributes["next_step"]) == ("unknown", "enter")
    await minutes(in_utc, 20)
    assert in_utc.registered("sensor", "turnovers_today") is None
    await in_utc.act("number.set_value", "volume", value=12.5)
    assert in_utc.value("number", "volume") == "12.5"
    assert "next_step" not in in_utc.state("number", "volume").attributes
    assert 0.36 <= float(in_utc.value("sensor", "turnovers_today")) <= 0.49
    await minutes(in_utc, 20)
    after = in_utc.value("sensor", "turnovers_today")
    # 300 L/min: the shown value covers at least 35 of 40 minutes.
    assert 0.84 <= float(after) <= 0.97
    # The controller is sent nothing.
    assert in_utc.actions == []
    await in_utc.shut_down()
    await in_utc.boot()
    assert in_utc.value("number", "volume") == "12.5"
    assert float(in_utc.value("sensor", "turnovers_today")) >= float(after)


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_gallons(in_utc: Home) -> None:
    """The volume is entered in Home Assistant's unit system."""
    number = in_utc.state("number", "volume").attributes
    assert (number["unit_of_measurement"], number["step"]) == ("m³", 0.1)
    await in_utc.unload()
    in_utc.hass.config.units = US_CUSTOMARY_SYSTEM
    await in_utc.start()
    number = in_utc.state("number", "volume").attributes
    assert (number["unit_of_measurement"], number["step"]) == ("gal", 1)
    await in_utc.act("number.set_value", "volume", value=15_001)
    assert in_utc.value("number", "volume") == "15001.0"
    coordinator = in_utc.entry.runtime_data.controllers[in_utc.controller.device_id]
    assert coordinator.view.choices.volume == 56_785
