"""The polling table of design.md 3, seen from Home Assistant."""

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from .conftest import Service, advance, set_up, value

# Time stands still from the very beginning: a clock must not change under a timer.
pytestmark = pytest.mark.usefixtures("freezer")


def source(hass: HomeAssistant, service: Service) -> str:
    return value(hass, "sensor", service.small, "connection")


def ph(hass: HomeAssistant, service: Service) -> str:
    return value(hass, "sensor", service.small, "ph")


async def test_lan_lost_and_found(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """One miss changes nothing, the second brings the cloud, one answer the LAN."""
    assert source(hass, service) == "lan"
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 15)
    assert source(hass, service) == "lan"
    await advance(hass, service, freezer, 15)
    assert source(hass, service) == "cloud"
    assert 6 < float(ph(hass, service)) < 9
    # What the cloud does not tell is unknown, not remembered.
    assert value(hass, "sensor", service.small, "pump_power") == "unknown"

    service.small.faults.off("refuse")
    await advance(hass, service, freezer, 30)
    assert source(hass, service) == "lan"
    assert value(hass, "sensor", service.small, "pump_power") != "unknown"


async def test_both_gone_and_both_back(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The last state holds for 90 s; one line says it is gone, one that it is back."""
    service.small.faults.on("refuse")
    service.cloud.faults.on("refuse")
    caplog.clear()
    for _ in range(89):
        await advance(hass, service, freezer, 1)
        assert ph(hass, service) != "unavailable"
    await advance(hass, service, freezer, 2)
    assert ph(hass, service) == "unavailable"
    await advance(hass, service, freezer, 300, step=15)
    assert small.state is ConfigEntryState.LOADED

    service.small.faults.clear()
    service.cloud.faults.clear()
    await advance(hass, service, freezer, 30)
    assert source(hass, service) == "lan"
    assert 6 < float(ph(hass, service)) < 9
    lines = [
        (record.levelname, record.message)
        for record in caplog.records
        if record.name.startswith("custom_components")
        and "pool controller 1" in record.message
        and record.levelname != "DEBUG"
    ]
    assert [level for level, _ in lines] == ["ERROR", "INFO"], lines


async def test_a_poll_that_changes_nothing_writes_nothing(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    before = {state.entity_id: state.last_reported for state in hass.states.async_all()}
    seen = len(service.small.requests)
    await advance(hass, service, freezer, 15)
    assert len(service.small.requests) == seen + 1
    after = {state.entity_id: state.last_reported for state in hass.states.async_all()}
    assert after == before


async def test_the_lan_alone_needs_no_cloud(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    seen = len(service.cloud.requests)
    await advance(hass, service, freezer, 600, step=15)
    assert source(hass, service) == "lan"
    assert len(service.cloud.requests) == seen


async def test_start_without_the_cloud(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    service.cloud.faults.on("refuse")
    entry = await set_up(hass, service, service.entry(service.small))
    assert entry.state is ConfigEntryState.LOADED
    assert source(hass, service) == "lan"


async def test_start_while_everything_is_down(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    service.cloud.faults.on("refuse")
    service.small.faults.on("refuse")
    entry = await set_up(hass, service, service.entry(service.small))
    assert [entry.state] == [ConfigEntryState.SETUP_RETRY]
    service.small.faults.off("refuse")
    await advance(hass, service, freezer, 90, step=10)
    assert [entry.state] == [ConfigEntryState.LOADED]
    assert source(hass, service) == "lan"


async def test_signing_in_is_asked_for_and_the_lan_goes_on(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    service.cloud.revoke(service.account)
    entry = await set_up(
        hass, service, service.entry(service.small, token=_void_token(service))
    )
    assert entry.state is ConfigEntryState.LOADED
    (flow,) = hass.config_entries.flow.async_progress()
    assert flow["context"]["source"] == "reauth"
    await advance(hass, service, freezer, 60, step=15)
    assert source(hass, service) == "lan"


def _void_token(service: Service) -> dict[str, object]:
    token = service.token()
    service.cloud.revoke(service.account)
    return token
