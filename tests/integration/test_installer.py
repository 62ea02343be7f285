"""The installer's settings: read-only, and from the frames of the LAN alone."""

import pytest

from .home import Home

SPEEDS = tuple(f"preset_speed_{number}" for number in range(1, 7))
ACID = ("acid_dosing_time", "acid_dose_interval", "acid_dose_rate")
CHLORINE = ("liquid_dose_time", "liquid_dose_rate")
SOLAR = ("solar_hysteresis", "solar_hysteresis_time")


def shown(home: Home, *keys: str) -> list[str | None]:
    """Return the states of sensors, `None` for one that does not exist."""
    present = {entity.unique_id for entity in home.entities()}
    device = home.controller.device_id
    return [
        home.value("sensor", key) if f"{device}_{key}" in present else None
        for key in keys
    ]


@pytest.mark.usefixtures("all_enabled", "freezer")
async def test_what_the_app_shows(full: Home) -> None:
    """All settings are shown; a change in the app is shown with the next frame."""
    assert shown(full, *SPEEDS) == ["80", "50", "65", "80", "100", "85"]
    assert shown(full, *ACID, *CHLORINE, *SOLAR) == [
        "20", "30", "90", "30", "120", "2", "300",
    ]  # fmt: skip
    assert shown(full, "heater_cooldown", "spa_heater_cooldown") == ["120", "120"]
    state = full.state("sensor", "pool_size")
    assert (state.state, state.attributes.get("unit_of_measurement")) == ("50", None)
    full.pool.settings |= {"water_offset": -12, "backwash_pressure": 0xFFFF}
    await full.advance(15)
    assert shown(full, "water_offset", "backwash_pressure") == ["-12", "unknown"]
    assert shown(full, "min_flow", "min_pressure", "ambient_offset") == ["60", "5", "0"]


@pytest.mark.usefixtures("all_enabled", "freezer")
async def test_what_is_not_fitted(small: Home) -> None:
    keys = *ACID, *CHLORINE, *SOLAR, "heater_cooldown", "spa_heater_cooldown"
    assert set(shown(small, *keys)) == {None}
    assert shown(small, "prime_time", "pump_model") == ["30", "Acme VSX-2"]


@pytest.mark.usefixtures("all_enabled", "freezer")
async def test_only_the_lan_has_it(home: Home) -> None:
    """The cloud reports only the model of the pump."""
    home.own(home.service.full)
    await home.set_up()
    assert set(shown(home, "prime_time", *SPEEDS, *ACID)) == {None}
    assert shown(home, "pump_model") == ["Acme VSX-2"]
    assert not [each for each in home.entities() if each.unique_id.endswith("_wifi")]


@pytest.mark.usefixtures("all_enabled", "freezer")
async def test_the_links(small: Home) -> None:
    links = [small.value("binary_sensor", key) for key in ("wifi", "ethernet")]
    assert links == ["on", "off"]


@pytest.mark.usefixtures("all_enabled", "freezer")
async def test_a_pump_that_is_not_identified(home: Home) -> None:
    """The controller reports no model for a while after a restart (layouts.md 2.4)."""
    home.pool.pump_identity = ("Single Speed", "Single Speed", "")
    await home.set_up(home.controller)
    assert shown(home, "pump_model") == [None]


@pytest.mark.usefixtures("freezer")
async def test_the_prime_time_ends_a_start(small: Home) -> None:
    """After the prime time, a pump that reports no speed counts as running."""
    small.pool.schedules[0].speed = small.pool.pump.asked = 0
    await small.advance(30, step=15)
    assert small.value("sensor", "pump_status") == "starting"
    await small.advance(30, step=15)
    assert small.value("sensor", "pump_status") == "running"
