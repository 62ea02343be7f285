"""Commands while something goes wrong: each is done once, or reported as failed."""

import asyncio
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import Platform
from homeassistant.core import CoreState
import pytest

from tests.platforms.test_commands import SLOT
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.simulator.raw import until

few_platforms = only(Platform.NUMBER, Platform.SWITCH)


def statuses(home: Home) -> list[int]:
    return [r.status for r in home.cloud.requests if r.name == "manualSet"]


@pytest.mark.row("7.1 row 2", "7.1 row 4")
@pytest.mark.parametrize(
    ("message", "header", "seconds"),
    [
        ("device busy: cooling down after timeouts, retry after 2m0s", None, 120),
        ("device busy: cooling down after timeouts, retry after 90 s", None, 90),
        ("Too many requests, please try again later", "90", 90),
    ],
)
async def test_a_command_while_the_account_is_at_its_limit(
    in_cloud: Home, message: str, header: str | None, seconds: int
) -> None:
    """The limit is too long to wait for, so the error says how long it is."""
    limit = in_cloud.cloud.rate_limited
    limit.message, limit.retry_after = message, header
    limit.text = header is not None
    in_cloud.cloud.faults.on("rate_limited")
    with failure("busy") as caught:
        await in_cloud.act("switch.turn_on", SLOT)
    assert f"{seconds} seconds" in str(caught.value)
    assert statuses(in_cloud) == [429]
    assert in_cloud.value("switch", SLOT) == "off"
    assert in_cloud.entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize(
    ("action", "key", "data"),
    [
        ("number.set_value", "ph_target", {"value": 7.0}),
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
    full.controller.requests.clear()
    command = full.hass.async_create_background_task(  # as a click on a dashboard
        full.act(action, key, **data), "click"
    )
    await until(lambda: any(r.op == "a" for r in full.controller.requests))
    async with asyncio.timeout(10):
        await full.hass.async_stop(force=True)
    assert full.hass.state is CoreState.stopped
    requests = len(full.controller.requests)
    left = [running.get_name() for running in asyncio.all_tasks() if _ours(running)]
    await asyncio.wait([command], timeout=0.5)
    assert command.done()
    await asyncio.sleep(3)  # past the check of its effect
    assert [r.op for r in full.controller.requests].count("a") == 1
    assert len(full.controller.requests) == requests
    assert not left


def _ours(task: asyncio.Task[Any]) -> bool:
    code = getattr(task.get_coro(), "cr_code", None)
    return "custom_components/poolctl" in getattr(code, "co_filename", "")


async def test_a_person_who_leaves_in_the_middle_of_a_command(
    full: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """A closed tab ends the wait, not the command, and its failure is not logged."""
    full.controller.faults.on("decline")
    full.controller.requests.clear()
    command = asyncio.create_task(full.act("number.set_value", "ph_target", value=7.0))
    await until(lambda: bool(full.controller.requests))
    command.cancel()
    with pytest.raises(asyncio.CancelledError):
        await command
    await until(lambda: any(not r.ok for r in full.controller.requests))
    await asyncio.sleep(0.05)
    assert not [r for r in caplog.records if r.levelname == "ERROR"]
