"""Commands while something goes wrong: each is done once, or reported as failed."""

import asyncio
from datetime import timedelta
import re
import time
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import CoreState
import pytest

from tests.platforms.test_commands import SLOT, WATERFALL
from tests.world.assistant.home import Home, failure
from tests.world.simulator.raw import until


@pytest.fixture
async def cloud_only(home: Home) -> Home:
    """Set up the small pool without an address on the LAN."""
    home.own(home.service.small)
    await home.set_up_with(host=None)
    return home


@pytest.mark.parametrize(
    ("message", "header", "seconds"),
    [
        ("device busy: device is cooling down after timeouts, retry after 2m0s", None, 120),
        ("device busy: device is cooling down after timeouts, retry after 90 s", None, 90),
        ("Too many requests, please try again later", "90", 90),
    ],
)  # fmt: skip
async def test_a_command_while_the_account_is_at_its_limit(
    cloud_only: Home,
    message: str,
    header: str | None,
    seconds: int,
) -> None:
    """The limit is too long to wait for, so the error says how long it is.

    protocol.md 7.1 rows 2 and 4.
    """
    limit = cloud_only.cloud.rate_limited
    limit.message, limit.retry_after = message, header
    limit.text = header is not None
    cloud_only.cloud.faults.on("rate_limited")
    with failure("busy") as caught:
        await cloud_only.act("switch.turn_on", SLOT)
    assert f"{seconds} seconds" in str(caught.value)
    sent = [r for r in cloud_only.cloud.requests if r.name == "manualSet"]
    assert [r.status for r in sent] == [429]
    assert cloud_only.value("switch", SLOT) == "off"
    assert cloud_only.entry.state is ConfigEntryState.LOADED


async def test_a_short_limit_is_waited_out(cloud_only: Home) -> None:
    """The command succeeds after the wait (protocol.md 7.1 rule 2)."""
    limit = cloud_only.cloud.rate_limited
    limit.message = "device busy: device is cooling down, retry after 1s"
    cloud_only.cloud.faults.once("rate_limited", 1, "manualSet")
    cloud_only.clock.speed = 50
    before = time.monotonic()
    await cloud_only.act("switch.turn_on", SLOT)
    assert time.monotonic() - before > 0.9
    sent = [r for r in cloud_only.cloud.requests if r.name == "manualSet"]
    assert [r.status for r in sent] == [429, 200]
    assert cloud_only.value("switch", SLOT) == "on"


@pytest.mark.usefixtures("freezer")
async def test_patience_has_an_end(cloud_only: Home) -> None:
    """A command fails after 65 s; it is tried every 5 s if the message gives no time.

    protocol.md 7.1 row 3, 7.1 rule 2, 8 row 6.
    """
    limit = cloud_only.cloud.rate_limited
    limit.message = "device busy: too many pending commands for device X"
    cloud_only.cloud.faults.on("rate_limited")
    command = cloud_only.hass.async_create_task(cloud_only.act("switch.turn_on", SLOT))
    await cloud_only.pass_time(80)
    assert command.done()
    with failure("busy") as caught:
        await command
    assert re.search(r"\d+ seconds", str(caught.value))
    sent = [r for r in cloud_only.cloud.requests if r.name == "manualSet"]
    assert 12 <= len(sent) <= 15


@pytest.mark.parametrize(
    ("action", "key", "data"),
    [
        ("number.set_value", "desired_ph", {"value": 7.0}),
        ("switch.turn_on", "slot_3", {}),
        ("switch.turn_off", "pump", {}),
    ],
    ids=["desired_ph", "slot_3", "pump"],
)
async def test_home_assistant_stops_in_the_middle_of_a_command(
    full: Home, action: str, key: str, data: dict[str, Any]
) -> None:
    """The command ends, no task of ours is left, and nothing is sent twice."""
    full.controller.faults.on("ignore_writes")
    seen = len(full.controller.requests)
    command = full.hass.async_create_background_task(  # as a click on a dashboard
        full.act(action, key, **data), "click"
    )
    await until(lambda: any(r.op == "a" for r in full.controller.requests[seen:]))
    async with asyncio.timeout(10):
        await full.hass.async_stop(force=True)
    assert full.hass.state is CoreState.stopped
    asked = len(full.controller.requests)
    left = [running.get_name() for running in asyncio.all_tasks() if _ours(running)]
    await asyncio.wait([command], timeout=0.5)
    assert command.done()
    await asyncio.sleep(3)  # past the check of its effect
    assert [r.op for r in full.controller.requests[seen:]].count("a") == 1
    assert len(full.controller.requests) == asked
    assert not left


def _ours(task: asyncio.Task[Any]) -> bool:
    code = getattr(task.get_coro(), "cr_code", None)
    return "custom_components/poolctl" in getattr(code, "co_filename", "")


async def test_a_person_who_leaves_in_the_middle_of_a_command(
    full: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """A closed tab ends the wait, not the command, and its failure is not logged."""
    full.controller.faults.on("decline")
    command = asyncio.create_task(full.act("number.set_value", "desired_ph", value=7.0))
    seen = len(full.controller.requests)
    await until(lambda: len(full.controller.requests) > seen)
    command.cancel()
    with pytest.raises(asyncio.CancelledError):
        await command
    await until(lambda: any(not r.ok for r in full.controller.requests[seen:]))
    await asyncio.sleep(0.05)
    assert not [r for r in caplog.records if r.levelname == "ERROR"]


async def test_two_controllers_with_the_same_names(home: Home) -> None:
    """Each keeps its entities and its own relays."""
    home.service.full.name = home.controller.name
    for slots in (home.pool.slots, home.service.full.pool.slots):
        slots[3].name = "Waterfall"
    await home.set_up(*home.service.controllers)
    for controller in home.service.controllers:
        assert home.value("sensor", "ph", of=controller) not in (
            "unavailable",
            "unknown",
        )
    names = {home.entity_id("switch", "slot_3", of=c) for c in home.service.controllers}
    assert len(names) == 2
    await home.act("switch.turn_on", "slot_3", of=home.service.full)
    assert home.service.full.pool.slots[3].on and not home.pool.slots[3].on
    assert home.value("switch", "slot_3") == "off"


@pytest.mark.usefixtures("freezer")
class TestFrozen:
    """Tests with a frozen clock."""

    async def test_a_cloud_write_and_an_older_copy(self, cloud_only: Home) -> None:
        """The copy that is read back is older than the command, and does not undo it.

        protocol.md 8 rule 2.
        """
        states = cloud_only.follow("switch", SLOT)
        command = cloud_only.hass.async_create_task(
            cloud_only.act("switch.turn_on", SLOT)
        )
        await cloud_only.pass_time(10)
        await command
        assert cloud_only.pool.slots[WATERFALL].on
        await cloud_only.pass_time(90)
        assert {state.state for state in states} == {"on"}
        assert cloud_only.cloud_writes == ["manualSet"]

    async def test_unused_time_is_no_trouble(self, small: Home) -> None:
        """After a day with the lid closed, the next poll works as usual."""
        await small.advance(timedelta(days=1).total_seconds())
        await small.advance(15)
        assert small.source == "lan"
