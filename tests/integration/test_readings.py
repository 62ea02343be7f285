"""What probes in still water show: over a stop of the pump and a restart."""

from datetime import datetime

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.client.pool.state import WithoutFlow

from .conftest import Service, advance, entity_id, restart, set_up, settle, value

pytestmark = pytest.mark.usefixtures("all_enabled")

PROBES = ("ph", "orp", "water_temperature")
FLOWING = {"ph": 7.4, "orp": 655, "water_temperature": 26.4}
STILL = {"ph": 8.2, "orp": 310, "water_temperature": 14.5}
NOTHING = dict.fromkeys(PROBES)


def probes(hass: HomeAssistant, service: Service) -> dict[str, float | None]:
    """Return what the probes show, `None` where that is unknown."""
    shown = {key: value(hass, "sensor", service.small, key) for key in PROBES}
    return {
        key: None if state == "unknown" else float(state)
        for key, state in shown.items()
    }


def valid(hass: HomeAssistant, service: Service) -> str:
    """Return whether that is said to be valid."""
    return value(hass, "binary_sensor", service.small, "chemistry_stable")


def taken(hass: HomeAssistant, service: Service) -> datetime:
    """Return when the last valid reading was taken."""
    found = value(hass, "sensor", service.small, "last_valid_reading")
    when = dt_util.parse_datetime(found)
    assert when is not None
    return when


@pytest.mark.parametrize(
    ("choice", "shown"),
    [
        (WithoutFlow.HOLD, FLOWING),
        (WithoutFlow.UNKNOWN, NOTHING),
        (WithoutFlow.RAW, STILL),
    ],
)
async def test_still_water(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
    choice: WithoutFlow,
    shown: dict[str, float | None],
) -> None:
    service.account.sites = service.account.sites[:1]
    entry: MockConfigEntry = service.entry(service.small)
    entry.add_to_hass(hass)
    hass.config_entries.async_update_entry(
        entry, options={"connection": "automatic", "readings_without_flow": choice}
    )
    water = service.small.pool.water
    water.drift, water.ph, water.orp, water.temperature = 0.0, 7.45, 655.5, 26.45
    hass.async_create_task(hass.config_entries.async_setup(entry.entry_id))
    await settle(hass, service)
    assert (probes(hass, service), valid(hass, service)) == (FLOWING, "on")

    await advance(hass, service, freezer, 60, step=15)
    service.small.pool.switch(0, False)
    service.clock.advance(300)
    last = dt_util.utcnow().replace(microsecond=0)
    water = service.small.pool.water
    water.ph, water.orp, water.temperature = 8.25, 310.5, 14.55
    await advance(hass, service, freezer, 600, step=15)
    assert (probes(hass, service), valid(hass, service)) == (shown, "off")
    assert taken(hass, service) == last

    await restart(hass, service, entry)
    assert (probes(hass, service), valid(hass, service)) == (shown, "off")
    assert taken(hass, service) == last

    service.small.pool.switch(0, True)
    service.clock.advance(60)
    await advance(hass, service, freezer, 15)
    # It flows, but not for long enough to trust the probes.
    assert value(hass, "binary_sensor", service.small, "flow") == "on"
    assert (probes(hass, service), valid(hass, service)) == (shown, "off")
    service.clock.advance(120)
    await advance(hass, service, freezer, 15)
    assert (probes(hass, service), valid(hass, service)) == (STILL, "on")
    assert taken(hass, service) > last


async def test_what_says_that_the_reading_is_valid(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """Its name says so to a person."""
    state = hass.states.get(
        entity_id(hass, "binary_sensor", service.small, "chemistry_stable")
    )
    assert state is not None
    assert state.name == "Home pool Water reading valid"


async def test_nothing_valid_was_ever_read(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """There is nothing to hold, and no time of it."""
    service.small.pool.switch(0, False)
    service.clock.advance(300)
    await set_up(hass, service, service.entry(service.small))
    assert (probes(hass, service), valid(hass, service)) == (NOTHING, "off")
    assert value(hass, "sensor", service.small, "last_valid_reading") == "unknown"
