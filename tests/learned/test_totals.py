"""Energy and running hours of the pump: what is counted, and what is not."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

from homeassistant.const import Platform
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.store.memory import DATA_MEMORY, PERIOD
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.water import pump_watts

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer")
few_platforms = only(
    Platform.BINARY_SENSOR, Platform.NUMBER, Platform.SENSOR, Platform.SWITCH
)

WATTS = pump_watts(75)
"""Watts that the pump of the small pool draws all day; it moves 300 L a minute."""
POLL = 15
KEYS = ("pump_energy", "pump_runtime_today")
WATER = "water_filtered_today"


async def polls(home: Home, count: int = 1) -> None:
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


def shown(home: Home) -> list[float]:
    return [float(home.value("sensor", key)) for key in (*KEYS, WATER)]


def kwh(seconds: float, watts: float = WATTS) -> Any:
    return pytest.approx(watts * seconds / 3.6e6, rel=1e-9, abs=1e-12)


def hours(seconds: float) -> Any:
    return pytest.approx(seconds / 3600, rel=1e-9, abs=1e-12)


def stop_pump(home: Home) -> None:
    """Stop the pump of the small pool behind Home Assistant's back."""
    home.pool.switch(0, False)
    home.clock.advance(1)


@pytest.fixture
async def in_utc(home: Home) -> Home:
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.small)
    await home.set_up(home.controller)
    assert home.pool.water.flow == 300
    return home


@pytest.mark.freeze_time("2026-07-01 23:30:00+00:00")
async def test_an_evening(in_utc: Home) -> None:
    followed = in_utc.follow("sensor", WATER)
    await polls(in_utc)  # counting begins with a read
    energy, time = totals(in_utc)
    water = exact(in_utc, WATER)
    await minutes(in_utc, 20)
    added = totals(in_utc)[0] - energy, totals(in_utc)[1] - time
    assert added == (kwh(1200), hours(1200))
    assert exact(in_utc, WATER) - water == pytest.approx(6)
    # While the pump runs, the shown value is a few minutes old.
    for value, now, hour in zip(
        shown(in_utc), totals(in_utc), (WATTS / 1000, 1), strict=False
    ):
        assert 0 < now - hour * PERIOD / 3600 - 0.005 <= value <= now + 0.005
    assert shown(in_utc)[2] > 4
    assert len(followed) <= 6
    reset = in_utc.state("sensor", WATER).attributes["last_reset"]
    assert reset == "2026-07-01T00:00:00+00:00"

    # A stop between two polls is taken in the middle.
    energy, time = totals(in_utc)
    stop_pump(in_utc)
    await polls(in_utc)
    added = totals(in_utc)[0] - energy, totals(in_utc)[1] - time
    assert added == (kwh(POLL / 2), hours(POLL / 2))
    energy, time = totals(in_utc)
    # What it added is shown within ten minutes, and no more is added.
    await minutes(in_utc, 9)
    assert totals(in_utc) == (energy, time)
    assert shown(in_utc)[:2] == [round(energy, 2), round(time, 2)]

    # The totals of a day restart although only the date changes.
    in_utc.freezer.move_to(datetime(2026, 7, 2, tzinfo=UTC) - timedelta(seconds=5))
    await polls(in_utc)
    assert shown(in_utc) == [round(energy, 2), 0, 0]
    reset = in_utc.state("sensor", WATER).attributes["last_reset"]
    assert reset == "2026-07-02T00:00:00+00:00"


# Polls are a minute apart: from another second on, an hour may have 59 of them.


async def test_gaps_and_the_cloud(small: Home) -> None:
    """A gap of more than a minute between two reads is not counted."""
    await polls(small, 2)
    for missed, counted in ((1, 2 * POLL), (8, 0)):
        energy, time = totals(small)
        small.disconnect()
        await polls(small, missed)
        assert totals(small) == (energy, time)
        small.reconnect()
        requests = len(small.controller.requests)
        while len(small.controller.requests) == requests:
            await polls(small)
        added = totals(small)[0] - energy, totals(small)[1] - time
        assert added == (kwh(counted), hours(counted))
        energy = exact(small, "pump_energy")
        await polls(small)
        assert exact(small, "pump_energy") - energy == kwh(POLL)

    # The cloud reports that the pump runs, but not its power: only time counts.
    small.controller.faults.on("refuse")
    await polls(small, 4)
    assert small.source == "cloud"
    energy, time = totals(small)
    await minutes(small, 10)
    assert exact(small, "pump_energy") == energy
    assert exact(small, "pump_running_today") - time == hours(600)
    assert shown(small)[0] == round(energy, 2)


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_an_hour_of_statistics_is_complete(small: Home) -> None:
    """Few values are shown, and the last one of an hour includes all of it."""
    followed = small.follow("sensor", "pump_energy")
    await small.advance(3570, step=30)
    energy = exact(small, "pump_energy")
    assert energy - WATTS * 60 / 3.6e6 <= float(small.value("sensor", "pump_energy"))
    assert len(followed) <= 6


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_over_a_restart(small: Home) -> None:
    """Unrounded totals are kept, and the time in between is not counted."""
    await polls(small, 7)
    before = totals(small)
    assert before[0] != round(before[0], 2)
    await small.unload()
    small.freezer.tick(1800)
    await small.restart()
    assert totals(small) == before
    assert shown(small)[0] == round(before[0], 2)
    await polls(small)
    energy = exact(small, "pump_energy")
    await polls(small)
    assert exact(small, "pump_energy") - energy == kwh(POLL)


@pytest.mark.row("W8")
@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_a_power_cut(small: Home, hass_storage: dict[str, Any]) -> None:
    """No total decreases, because shown values are stored."""
    await polls(small)
    for gone in (11, 13, 16):
        await minutes(small, gone)
        if gone == 13:
            await small.restart()
        before = shown(small)
        on_disk = deepcopy(hass_storage[DOMAIN])
        await small.unload()
        await small.hass.async_block_till_done()
        hass_storage[DOMAIN] = on_disk  # as if nothing had been written at the end
        await small.boot()
        assert all(now >= was for now, was in zip(shown(small), before, strict=True))
    assert all(before)


TODAY = ("acid_doses_today", "acid_used_today", *KEYS, WATER)


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_a_clock_that_is_a_day_ahead(home: Home) -> None:
    """A clock that is wrong for a minute begins no new day."""

    def limit_reached() -> bool:
        problems = home.state("sensor", "status").attributes["problems"]
        return "acid_limit" in {each["key"] for each in problems}

    home.own(home.service.full)
    water = home.pool.water
    water.ph, water.orp, water.drift = 7.2, 800, 0.0
    home.pool.acid.doses = 6
    await home.set_up(home.controller)
    home.pool.settings["acid_remaining"] -= 60
    await home.live(11 * 60)
    clock = home.hass.data[DATA_MEMORY].clock
    right, before = clock._wall, {key: home.state("sensor", key) for key in TODAY}
    assert all(float(state.state) > 0 for state in before.values())
    assert limit_reached()
    clock._wall = lambda: right() + 86_400
    for _ in range(4):
        await home.live(POLL)
        for key, was in before.items():
            state = home.state("sensor", key)
            assert float(state.state) >= float(was.state)
            resets = {each.attributes.get("last_reset") for each in (state, was)}
            assert len(resets) == 1
        assert limit_reached()
    clock._wall = right
    running = exact(home, "pump_running_today")
    await home.live(60)
    assert exact(home, "pump_running_today") - running == hours(60)
    for key in ("acid_doses_today", "acid_used_today"):
        assert home.value("sensor", key) == before[key].state


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_volume_and_turnovers(in_utc: Home) -> None:
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

    # The volume is entered in Home Assistant's unit system.
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
    assert coordinator.view.preferences.volume == 56_785
