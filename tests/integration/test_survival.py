"""What a pool owner must never notice: everything that networks and controllers do."""

import asyncio
from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import Event, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from .conftest import (
    Service,
    advance,
    entity_id,
    pass_time,
    restart,
    set_up,
    settle,
    value,
)
from .test_config_flow import discover

# Time stands still from the very beginning: a clock must not change under a timer.
pytestmark = pytest.mark.usefixtures("freezer")


def source(hass: HomeAssistant, service: Service) -> str:
    return value(hass, "sensor", service.small, "connection")


def lost(events: list[Event[Any]]) -> list[str]:
    """Name the entities that went away meanwhile, however shortly."""
    return [
        event.data["entity_id"]
        for event in events
        if event.data["new_state"] is None
        or event.data["new_state"].state == "unavailable"
    ]


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what a person finds in the log."""
    return [
        entry.getMessage()
        for entry in caplog.records
        if entry.name.startswith("custom_components") and entry.levelname != "DEBUG"
    ]


@pytest.mark.parametrize(
    ("times", "seen"),
    [
        (1, ["lan"] * 8),
        (2, ["lan", "cloud", "cloud", "lan", "lan", "lan", "lan", "lan"]),
        (3, ["lan", "cloud", "cloud", "cloud", "cloud", "lan", "lan", "lan"]),
    ],
    ids=["once", "twice", "three times"],
)
async def test_polls_that_fail(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    caplog: pytest.LogCaptureFixture,
    times: int,
    seen: list[str],
) -> None:
    """The source every 15 s; nothing is ever unavailable, and nobody is told.

    interface.md 4.2 rule 9.
    """
    events = async_capture_events(hass, "state_changed")
    caplog.clear()
    service.small.faults.once("reset", 2 * times)  # with the quick retry of each poll
    found = []
    for _ in seen:
        await advance(hass, service, freezer, 15)
        found.append(source(hass, service))
    assert found == seen
    assert not lost(events)
    assert not lines(caplog)


@pytest.mark.parametrize(
    "fault",
    [
        "hang",  # a half-open socket: taken, and silent for ever
        "close_mid_body",
        "slow_headers",
        "busy",
        "html",
        "garbage",
        "oversized",
        "redirect",
        "truncated_frame",
    ],
)
async def test_ways_to_lose_the_lan(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    caplog: pytest.LogCaptureFixture,
    fault: str,
) -> None:
    """The cloud steps in, the LAN comes back, and nothing is ever unavailable.

    interface.md 8 rows 13 and 14.
    """
    events = async_capture_events(hass, "state_changed")
    caplog.clear()
    service.small.faults.on(fault)
    await pass_time(hass, service, freezer, 14)
    assert source(hass, service) == "lan"
    await pass_time(hass, service, freezer, 70)
    assert source(hass, service) == "cloud"
    service.small.faults.clear()
    await pass_time(hass, service, freezer, 45)
    assert source(hass, service) == "lan"
    assert not lost(events)
    assert not lines(caplog)


@pytest.mark.parametrize(
    "fault",
    [
        "refuse",
        "hang",
        "error_500",
        "error_503",
        "rate_limited",
        "html",
        "truncated_json",
        "failed",
        "no_body",
        "wrong_types",
        "empty",
    ],
)
async def test_the_cloud_is_gone_and_the_lan_is_there(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    fault: str,
) -> None:
    """Over an hourly inventory: no pool goes away, and nobody is asked to sign in."""
    events = async_capture_events(hass, "state_changed")
    before = dict(small.data["controllers"])
    service.cloud.faults.on(fault)
    await pass_time(hass, service, freezer, 3700, step=3700)
    await pass_time(hass, service, freezer, 45)
    assert any(request.name == "sites" for request in service.cloud.requests) or (
        fault == "refuse"
    )
    assert small.data["controllers"] == before
    assert source(hass, service) == "lan"
    assert not lost(events)
    assert not hass.config_entries.flow.async_progress()


async def test_the_lan_flaps_with_every_poll(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One miss is no loss: no other source, no cloud request, no line in the log."""
    events = async_capture_events(hass, "state_changed")
    caplog.clear()
    asked = len(service.cloud.requests)
    for _ in range(10):
        service.small.faults.on("refuse")
        await advance(hass, service, freezer, 15)
        assert source(hass, service) == "lan"
        service.small.faults.off("refuse")
        await advance(hass, service, freezer, 15)
        assert source(hass, service) == "lan"
    assert not lost(events)
    assert not [e for e in events if e.data["entity_id"].endswith("_connection")]
    assert len(service.cloud.requests) == asked
    assert not lines(caplog)


async def test_the_cloud_is_older_than_the_lan(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Both answer in the same poll, and the cloud with an old copy: the LAN counts."""
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 30, step=15)
    assert source(hass, service) == "cloud"
    old = value(hass, "sensor", service.small, "pump_speed")
    service.small.cloud_link = False  # its copies stay what they are
    service.small.pool.switch(0, True)
    service.small.pool.set_speed(45)
    service.small.faults.clear()
    await advance(hass, service, freezer, 30)
    assert source(hass, service) == "lan"
    events = async_capture_events(hass, "state_changed")
    for _ in range(4):
        assert value(hass, "sensor", service.small, "pump_speed") == "45" != old
        await advance(hass, service, freezer, 15)
    assert not [e for e in events if e.data["new_state"].state == old]


async def test_another_controller_on_the_old_address(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Its frames do not verify: nothing of it is shown, and the new address is found."""
    events = async_capture_events(hass, "state_changed")
    old = service.small.port
    service.full.pool.water.ph = 6.1
    await service.small.move("127.0.0.1")
    await service.full.move("127.0.0.1", old)
    await advance(hass, service, freezer, 60, step=15)
    assert source(hass, service) == "cloud"
    assert service.full.requests
    stored = small.data["controllers"][service.small.device_id]
    assert stored["port"] == old
    # Heard of by multicast: the stranger under our name, then the true one.
    await discover(hass, service.full, mac=service.small.mac)
    await settle(hass, service)
    assert source(hass, service) == "cloud"
    await discover(hass, service.small)
    await settle(hass, service)
    await advance(hass, service, freezer, 15)
    assert source(hass, service) == "lan"
    stored = small.data["controllers"][service.small.device_id]
    assert stored["port"] == service.small.port != old
    shown = {e.data["new_state"].state for e in events if e.data["new_state"]}
    assert "6.1" not in shown
    assert not lost(events)


async def test_first_set_up_while_everything_is_down(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    """With nothing remembered it is tried again, by itself."""
    service.account.sites = service.account.sites[:1]
    service.cloud.faults.on("refuse")
    entry = await set_up(hass, service, service.entry())
    assert [entry.state] == [ConfigEntryState.SETUP_RETRY]
    service.cloud.faults.off("refuse")
    await advance(hass, service, freezer, 90, step=10)
    assert [entry.state] == [ConfigEntryState.LOADED]
    assert source(hass, service) == "cloud"
    assert not hass.config_entries.flow.async_progress()


def _sockets() -> int:
    links = Path("/proc/self/fd").iterdir()
    return sum("socket:" in str(_target(link)) for link in links)


def _target(link: Path) -> Path | None:
    try:
        return link.readlink()
    except OSError:  # closed meanwhile
        return None


async def test_twenty_reloads_in_a_row(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    """No task and no socket more than after the first, and both pools are there."""
    entry = await set_up(hass, service, service.entry(*service.controllers))
    await restart(hass, service, entry)
    tasks, sockets = len(asyncio.all_tasks()), _sockets()
    for _ in range(20):
        await restart(hass, service, entry)
    assert entry.state is ConfigEntryState.LOADED
    assert len(asyncio.all_tasks()) <= tasks
    assert _sockets() <= sockets
    for controller in service.controllers:
        assert value(hass, "sensor", controller, "connection") == "lan"


async def test_a_restarted_controller_counts_from_zero(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Told once; its values and its switches work on."""
    events = async_capture_events(hass, "state_changed")
    caplog.clear()
    service.small.restart(counter=0)
    for _ in range(8):
        await advance(hass, service, freezer, 15)
        assert source(hass, service) == "lan"
    assert len(lines(caplog)) == 1
    assert not lost(events)
    switch = {"entity_id": entity_id(hass, "switch", service.small, "slot_2")}
    await hass.services.async_call("switch", "turn_on", switch, blocking=True)
    assert service.small.pool.slots[2].on
