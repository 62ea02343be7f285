"""Energy and running hours of the pump: what is counted, and what is not."""

from datetime import UTC, datetime, timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er, restore_state
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    mock_restore_cache_with_extra_data,
)

from custom_components.poolctl.const import DOMAIN
from tests.simulator.water import pump_watts

from .conftest import Service, advance, entity_id, restart, set_up, settle, value

pytestmark = pytest.mark.usefixtures("freezer")

WATTS = pump_watts(75)
"""What the pump of the small pool draws all day."""
POLL = 15


async def polls(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    count: int = 1,
) -> None:
    """Let some polls go by."""
    await advance(hass, service, freezer, count * POLL, step=POLL)


def exact(hass: HomeAssistant, service: Service, key: str) -> float:
    """Return a total as it is kept, that is, not rounded."""
    name = entity_id(hass, "sensor", service.small, key)
    kept = restore_state.async_get(hass).entities[name].extra_restore_state_data
    assert kept is not None
    total: float = kept.as_dict()["native_value"]
    return total


def registered(hass: HomeAssistant, service: Service, key: str) -> str:
    """Have a sensor in the registry before its account is set up; return it."""
    unique_id = f"{service.small.device_id}_{key}"
    entry = er.async_get(hass).async_get_or_create("sensor", DOMAIN, unique_id)
    return entry.entity_id


def kwh(seconds: float, watts: float = WATTS) -> Any:
    """Return what an energy should be."""
    return pytest.approx(watts * seconds / 3.6e6, rel=1e-9, abs=1e-12)


def hours(seconds: float) -> Any:
    """Return what a time should be."""
    return pytest.approx(seconds / 3600, rel=1e-9, abs=1e-12)


def stop_pump(service: Service) -> None:
    """Stop the pump of the small pool behind Home Assistant's back."""
    service.small.pool.switch(0, False)
    service.clock.advance(1)


async def test_a_running_pump_adds_up(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    await polls(hass, service, freezer)  # from here on it is known
    begun = (
        exact(hass, service, "pump_energy"),
        exact(hass, service, "pump_running_today"),
    )
    await polls(hass, service, freezer, 80)
    assert exact(hass, service, "pump_energy") - begun[0] == kwh(1200)
    assert exact(hass, service, "pump_running_today") - begun[1] == hours(1200)
    assert value(hass, "sensor", service.small, "pump_energy") == "0.2"
    assert float(value(hass, "sensor", service.small, "pump_running_today")) == (
        pytest.approx(0.33, abs=0.011)
    )
    state = hass.states.get(entity_id(hass, "sensor", service.small, "pump_energy"))
    assert state is not None
    assert state.attributes["unit_of_measurement"] == "kWh"
    assert state.attributes["device_class"] == "energy"
    assert state.attributes["state_class"] == "total_increasing"


async def test_a_stop_between_two_polls_is_taken_in_the_middle(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    await polls(hass, service, freezer, 2)
    energy, time = exact(hass, service, "pump_energy"), exact(
        hass, service, "pump_running_today"
    )  # fmt: skip
    stop_pump(service)
    await polls(hass, service, freezer)
    assert exact(hass, service, "pump_energy") - energy == kwh(POLL / 2)
    assert exact(hass, service, "pump_running_today") - time == hours(POLL / 2)
    energy = exact(hass, service, "pump_energy")
    await polls(hass, service, freezer, 4)
    assert exact(hass, service, "pump_energy") == energy


async def test_a_pump_that_cools_a_heater_down_runs(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Nobody asks for it any more, and its motor turns all the same."""
    stop_pump(service)
    service.small.pool.pump.run_on = 60000
    await polls(hass, service, freezer)
    begun = exact(hass, service, "pump_running_today")
    await polls(hass, service, freezer, 4)
    assert value(hass, "switch", service.small, "pump") == "off"
    assert exact(hass, service, "pump_running_today") - begun == hours(60)


@pytest.mark.parametrize(
    ("missed", "counted"),
    [(1, 2 * POLL), (8, 0)],
    ids=["half a minute", "more than a minute"],
)
async def test_gaps(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    missed: int,
    counted: float,
) -> None:
    """What nobody saw for more than a minute is not made up."""
    await polls(hass, service, freezer, 2)
    energy, time = exact(hass, service, "pump_energy"), exact(
        hass, service, "pump_running_today"
    )  # fmt: skip
    service.small.faults.on("refuse")
    service.cloud.faults.on("refuse")
    await polls(hass, service, freezer, missed)
    assert exact(hass, service, "pump_energy") == energy
    service.small.faults.clear()
    seen = len(service.small.requests)
    while len(service.small.requests) == seen:
        await polls(hass, service, freezer)
    assert exact(hass, service, "pump_energy") - energy == kwh(counted)
    assert exact(hass, service, "pump_running_today") - time == hours(counted)
    energy = exact(hass, service, "pump_energy")
    await polls(hass, service, freezer)
    assert exact(hass, service, "pump_energy") - energy == kwh(POLL)


async def test_power_that_is_not_known(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The cloud tells that the pump runs, but not what it draws."""
    await polls(hass, service, freezer, 2)
    service.small.faults.on("refuse")
    await polls(hass, service, freezer, 4)
    assert value(hass, "sensor", service.small, "connection") == "cloud"
    energy, time = exact(hass, service, "pump_energy"), exact(
        hass, service, "pump_running_today"
    )  # fmt: skip
    await polls(hass, service, freezer, 20)
    assert exact(hass, service, "pump_energy") == energy
    assert exact(hass, service, "pump_running_today") - time == hours(300)
    # The total itself is known all the same.
    assert float(value(hass, "sensor", service.small, "pump_energy")) == round(
        energy, 2
    )


async def test_a_controller_without_lan_has_no_energy(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    await set_up(hass, service, service.entry())
    registry = er.async_get(hass)
    for key, exists in (("pump_energy", False), ("pump_running_today", True)):
        unique_id = f"{service.small.device_id}_{key}"
        found = registry.async_get_entity_id("sensor", DOMAIN, unique_id)
        assert (found is not None) is exists


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_over_a_restart(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Nothing is lost, not even what rounding hides, and nothing is made up."""
    await polls(hass, service, freezer, 7)
    energy, time = exact(hass, service, "pump_energy"), exact(
        hass, service, "pump_running_today"
    )  # fmt: skip
    assert energy != round(energy, 2)
    hass.async_create_task(hass.config_entries.async_unload(small.entry_id))
    await settle(hass, service)
    freezer.tick(1800)
    await restart(hass, service, small)
    assert exact(hass, service, "pump_energy") == energy
    assert exact(hass, service, "pump_running_today") == time
    assert float(value(hass, "sensor", service.small, "pump_energy")) == round(
        energy, 2
    )
    await polls(hass, service, freezer)
    energy = exact(hass, service, "pump_energy")
    await polls(hass, service, freezer)
    assert exact(hass, service, "pump_energy") - energy == kwh(POLL)


@pytest.mark.parametrize(
    ("day", "shown"), [("2026-06-30", "0.0"), ("2026-07-01", "5.68")]
)
@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_from_what_a_stopped_home_assistant_kept(
    hass: HomeAssistant, service: Service, credentials: None, day: str, shown: str
) -> None:
    """Hours belong to a day, energy to the pump."""
    await hass.config.async_set_time_zone("UTC")
    service.account.sites = service.account.sites[:1]
    mock_restore_cache_with_extra_data(
        hass,
        [
            (
                State(registered(hass, service, key), str(total)),
                {"native_value": total, "native_unit_of_measurement": unit, "day": day},
            )
            for key, total, unit in (
                ("pump_energy", 1234.567, "kWh"),
                ("pump_running_today", 5.678, "h"),
            )
        ],
    )
    await set_up(hass, service, service.entry(service.small))
    assert value(hass, "sensor", service.small, "pump_energy") == "1234.57"
    assert value(hass, "sensor", service.small, "pump_running_today") == shown


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
@pytest.mark.parametrize("kept", [{}, {"native_value": None}, {"native_value": "x"}])
async def test_from_nonsense(
    hass: HomeAssistant, service: Service, credentials: None, kept: dict[str, Any]
) -> None:
    state = State(registered(hass, service, "pump_energy"), "unavailable")
    mock_restore_cache_with_extra_data(hass, [(state, kept)])
    await set_up(hass, service, service.entry(service.small))
    assert value(hass, "sensor", service.small, "pump_energy") == "0.0"


@pytest.mark.freeze_time("2026-06-30 13:55:05+00:00")  # 23:55:05 in Sydney
async def test_the_day_ends_at_midnight_of_the_house(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Of the read that sees the new day first only what is after midnight counts."""
    await hass.config.async_set_time_zone("Australia/Sydney")
    await polls(hass, service, freezer)
    begun = exact(hass, service, "pump_running_today")
    energy = exact(hass, service, "pump_energy")
    now = datetime.now(UTC)
    last = datetime(2026, 6, 30, 14, tzinfo=UTC) - now
    await polls(hass, service, freezer, int(last / timedelta(seconds=POLL)))
    before = exact(hass, service, "pump_running_today")
    assert before - begun == hours(int(last.total_seconds() / POLL) * POLL)
    await polls(hass, service, freezer)
    over = POLL - last.total_seconds() % POLL
    assert 0 < over < POLL
    assert exact(hass, service, "pump_running_today") == hours(over)
    assert value(hass, "sensor", service.small, "pump_running_today") == "0.0"
    # Energy has no days.
    assert exact(hass, service, "pump_energy") > energy


@pytest.mark.freeze_time("2026-07-01 23:30:00+00:00")
async def test_a_new_day_is_seen_while_the_pump_stands_still(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """No value but the day changes, and the total shows it."""
    await hass.config.async_set_time_zone("UTC")
    await polls(hass, service, freezer, 10)
    stop_pump(service)
    service.clock.advance(600)
    await polls(hass, service, freezer, 4)
    assert float(value(hass, "sensor", service.small, "pump_running_today")) > 0.02
    freezer.move_to(datetime(2026, 7, 1, 23, 59, 55, tzinfo=UTC))
    await polls(hass, service, freezer)
    assert value(hass, "sensor", service.small, "pump_running_today") == "0.0"
