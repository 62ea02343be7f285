"""What a person does while something goes wrong: it happens once, or is told."""

import asyncio
from datetime import timedelta
import re
import time
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.poolctl.client import cloud as cloud_module, envelope
from custom_components.poolctl.upkeep.memory import DATA_MEMORY, Memory
from tests.simulator.raw import until

from .conftest import Service, advance, entity_id, pass_time, record, set_up, value
from .test_commands import WATERFALL, call

SLOT = f"slot_{WATERFALL}"


@pytest.fixture
async def cloud_only(
    hass: HomeAssistant, service: Service, credentials: None
) -> MockConfigEntry:
    """Set up the small pool without any way to it but the cloud."""
    service.account.sites = service.account.sites[:1]
    stored = record(service.small, host=None)
    entry = service.entry(controllers={service.small.device_id: stored})
    return await set_up(hass, service, entry)


async def test_ten_slider_moves_in_a_second(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """The last one wins, all callers get the result, and few of them are sent."""
    seen = len(service.small.requests)

    async def move(number: int) -> None:
        await asyncio.sleep(number / 20)
        await call(
            hass,
            "number",
            "set_value",
            service.small,
            "pump_speed",
            value=45 + 5 * number,
        )

    moves = asyncio.gather(*(move(number) for number in range(10)))
    while not moves.done():
        service.clock.advance(0.5)
        await asyncio.sleep(0.02)
    await moves
    sent = [r for r in service.small.requests[seen:] if r.op == "a"]
    assert 1 <= len(sent) <= 3
    assert b'"pump_speed":90' in (sent[-1].payload or b"").replace(b" ", b"")
    service.clock.advance(5)
    assert service.small.pool.pump.speed == 90
    assert value(hass, "number", service.small, "pump_speed") == "90"


async def test_a_switch_while_a_poll_is_under_way(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """The poll's answer is older than the command, and does not undo it."""
    switch = entity_id(hass, "switch", service.small, SLOT)
    events = async_capture_events(hass, "state_changed")
    seen = len(service.small.requests)
    # Somebody else keeps the controller busy: it serves one request at a time.
    _, other = await asyncio.open_connection(service.small.host, service.small.port)
    await until(lambda: service.clock.waiting > 0)
    coordinator = small.runtime_data.controllers[service.small.device_id]
    poll = hass.async_create_task(coordinator.async_refresh())
    await asyncio.sleep(0.05)
    command = hass.async_create_task(
        call(hass, "switch", "turn_on", service.small, SLOT)
    )
    await asyncio.sleep(0.05)
    assert not poll.done() and not command.done()
    other.close()
    await asyncio.gather(poll, command)
    ops = [r.op for r in service.small.requests[seen:] if r.op]
    assert ops == ["state", "a"]
    await coordinator.async_refresh()
    shown = [
        event.data["new_state"].state
        for event in events
        if event.data["entity_id"] == switch
    ]
    assert shown == ["on"]
    assert service.small.pool.slots[WATERFALL].on


@pytest.mark.parametrize(
    ("message", "header", "seconds"),
    [
        ("device busy: device is cooling down after timeouts, retry after 1m0s", None, 60),
        ("device busy: device is cooling down after timeouts, retry after 45 s", None, 45),
        ("Too many requests, please try again later", "60", 60),
    ],
)  # fmt: skip
async def test_a_command_while_the_account_is_at_its_limit(
    hass: HomeAssistant,
    service: Service,
    cloud_only: MockConfigEntry,
    message: str,
    header: str | None,
    seconds: int,
) -> None:
    """Longer than a person waits, so it is told when.

    interface.md 7.1 rows 2 and 4.
    """
    limit = service.cloud.rate_limited
    limit.message, limit.retry_after = message, header
    limit.text = header is not None
    service.cloud.faults.on("rate_limited")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, "switch", "turn_on", service.small, SLOT)
    assert caught.value.translation_key == "busy"
    assert f"{seconds} seconds" in str(caught.value)
    sent = [r for r in service.cloud.requests if r.name == "manualSet"]
    assert [r.status for r in sent] == [429]
    assert value(hass, "switch", service.small, SLOT) == "off"
    assert cloud_only.state is ConfigEntryState.LOADED


async def test_a_short_limit_is_waited_out(
    hass: HomeAssistant, service: Service, cloud_only: MockConfigEntry
) -> None:
    """The person notices nothing but the wait (interface.md 7.1 rule 2)."""
    limit = service.cloud.rate_limited
    limit.message = "device busy: device is cooling down, retry after 1s"
    service.cloud.faults.once("rate_limited", 1, "manualSet")
    service.clock.speed = 50
    before = time.monotonic()
    await call(hass, "switch", "turn_on", service.small, SLOT)
    assert time.monotonic() - before > 0.9
    sent = [r for r in service.cloud.requests if r.name == "manualSet"]
    assert [r.status for r in sent] == [429, 200]
    assert value(hass, "switch", service.small, SLOT) == "on"


async def test_patience_has_an_end(
    hass: HomeAssistant,
    service: Service,
    cloud_only: MockConfigEntry,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """5 s where the message does not say; here 0.05 s.

    interface.md 7.1 row 3, 7.1 rule 2, 8 row 6.
    """
    monkeypatch.setattr(cloud_module, "DEFAULT_RETRY_AFTER", 0.05)
    monkeypatch.setattr(cloud_module, "PATIENCE", 0.2)
    limit = service.cloud.rate_limited
    limit.message = "device busy: too many pending commands for device X"
    service.cloud.faults.on("rate_limited")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, "switch", "turn_on", service.small, SLOT)
    assert caught.value.translation_key == "busy"
    assert re.search(r"\d+ seconds", str(caught.value))
    sent = [r for r in service.cloud.requests if r.name == "manualSet"]
    assert 3 <= len(sent) <= 5


@pytest.mark.parametrize(
    "key",
    [
        "desired_ph",
        "slot_3",
        "pump",
    ],
)
async def test_home_assistant_stops_in_the_middle_of_a_command(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    key: str,
) -> None:
    """It ends, no task of ours lingers, and nothing is sent twice."""
    service.full.faults.on("ignore_writes")
    seen = len(service.full.requests)
    number = key == "desired_ph"
    command = hass.async_create_background_task(  # as a click on a dashboard
        call(
            hass,
            "number" if number else "switch",
            "set_value" if number else "turn_off" if key == "pump" else "turn_on",
            service.full,
            key,
            **({"value": 7.0} if number else {}),
        ),
        "click",
    )
    await until(lambda: any(r.op == "a" for r in service.full.requests[seen:]))
    async with asyncio.timeout(10):
        await hass.async_stop(force=True)
    assert hass.state is CoreState.stopped
    asked = len(service.full.requests)
    left = [running.get_name() for running in asyncio.all_tasks() if _ours(running)]
    await asyncio.wait([command], timeout=0.5)
    assert command.done()
    await asyncio.sleep(3)  # past the moment at which its effect is looked for
    assert [r.op for r in service.full.requests[seen:]].count("a") == 1
    assert len(service.full.requests) == asked
    assert not left


def _ours(task: asyncio.Task[Any]) -> bool:
    code = getattr(task.get_coro(), "cr_code", None)
    return "custom_components/poolctl" in getattr(code, "co_filename", "")


async def test_a_person_who_leaves_in_the_middle_of_a_command(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A closed tab ends the wait, not the command, and its error is no trouble."""
    service.full.faults.on("decline")
    command = asyncio.create_task(
        call(hass, "number", "set_value", service.full, "desired_ph", value=7.0)
    )
    seen = len(service.full.requests)
    await until(lambda: len(service.full.requests) > seen)
    command.cancel()
    with pytest.raises(asyncio.CancelledError):
        await command
    await until(lambda: any(not r.ok for r in service.full.requests[seen:]))
    await asyncio.sleep(0.05)
    assert not [r for r in caplog.records if r.levelname == "ERROR"]


async def test_two_controllers_with_the_same_names(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """Each keeps its entities and its own relays."""
    service.full.name = service.small.name
    for slots in (service.small.pool.slots, service.full.pool.slots):
        slots[3].name = "Waterfall"
    await set_up(hass, service, service.entry(*service.controllers))
    for controller in service.controllers:
        assert value(hass, "sensor", controller, "ph") not in ("unavailable", "unknown")
    names = {entity_id(hass, "switch", c, "slot_3") for c in service.controllers}
    assert len(names) == 2
    await call(hass, "switch", "turn_on", service.full, "slot_3")
    assert service.full.pool.slots[3].on and not service.small.pool.slots[3].on
    assert value(hass, "switch", service.small, "slot_3") == "off"


@pytest.mark.parametrize("restarted", [False, True], ids=["running", "restarted"])
async def test_a_clock_an_hour_back(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    hass_storage: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    restarted: bool,
) -> None:
    """Only the wall clock jumps; every command is taken, also after a restart.

    interface.md 5.2 rule 2.
    """

    class Back:
        @staticmethod
        def time() -> float:
            return time.time() - 3600

    await call(hass, "switch", "turn_on", service.small, SLOT)
    monkeypatch.setattr(envelope, "time", Back)
    if restarted:
        # The store as a stopped Home Assistant leaves it, read by the next one.
        memory = hass.data[DATA_MEMORY]
        await memory._store.async_save(memory._data())
        assert await hass.config_entries.async_unload(small.entry_id)
        hass.data[DATA_MEMORY] = Memory(hass)
        await hass.data[DATA_MEMORY].async_load()
        assert await hass.config_entries.async_setup(small.entry_id)
        await hass.async_block_till_done(wait_background_tasks=True)
    for action in ("turn_off", "turn_on", "turn_off"):
        await call(hass, "switch", action, service.small, SLOT)
    assert not service.small.pool.slots[WATERFALL].on
    assert all(request.ok for request in service.small.requests)


class TestFrozen:
    """With time standing still."""

    async def test_a_cloud_write_and_an_older_copy(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        cloud_only: MockConfigEntry,
    ) -> None:
        """The copy that is read back is older than the command, and does not undo it.

        interface.md 8 rule 2.
        """
        switch = entity_id(hass, "switch", service.small, SLOT)
        events = async_capture_events(hass, "state_changed")
        command = hass.async_create_task(
            call(hass, "switch", "turn_on", service.small, SLOT)
        )
        await pass_time(hass, service, freezer, 10)
        await command
        assert service.small.pool.slots[WATERFALL].on
        await pass_time(hass, service, freezer, 90)
        shown = [
            event.data["new_state"].state
            for event in events
            if event.data["entity_id"] == switch
        ]
        assert set(shown) == {"on"}
        assert [r.name for r in service.cloud.requests if r.method == "POST"] == [
            "manualSet"
        ]

    async def test_a_write_that_is_never_done(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        small: MockConfigEntry,
    ) -> None:
        """Shown for 20 s at most, then taken back with an error; sent once."""
        service.small.faults.on("ignore_writes")
        seen = len(service.small.requests)
        command = hass.async_create_task(
            call(hass, "switch", "turn_off", service.small, "pump")
        )
        await pass_time(hass, service, freezer, 18)
        assert value(hass, "switch", service.small, "pump") == "off"
        await pass_time(hass, service, freezer, 4)
        with pytest.raises(HomeAssistantError) as caught:
            await command
        assert caught.value.translation_key == "not_applied"
        assert value(hass, "switch", service.small, "pump") == "on"
        assert [r.op for r in service.small.requests[seen:]].count("a") == 1

    async def test_unused_time_is_no_trouble(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        small: MockConfigEntry,
    ) -> None:
        """A day with the lid closed: the next poll is as good as any."""
        await advance(hass, service, freezer, timedelta(days=1).total_seconds())
        await advance(hass, service, freezer, 15)
        assert value(hass, "sensor", service.small, "connection") == "lan"
