"""Automatic recovery: new addresses, new keys, and counters that go on."""

import asyncio
from dataclasses import replace
import time
from typing import Any

from homeassistant.config_entries import ConfigEntryState
import pytest

from custom_components.poolctl.account.sign_in import AccountToken
from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.endpoints import Gate
from custom_components.poolctl.network import addresses
from tests.flow.test_config_flow import discover, hear
from tests.world.assistant.home import Home
from tests.world.names import Names
from tests.world.simulator.visitors import Announcement

pytestmark = pytest.mark.usefixtures("freezer")


async def test_found_by_its_name(
    home: Home, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If another controller got its address, the host name leads to the right one."""
    home.own(home.service.small)
    monkeypatch.setattr(addresses, "PORT", home.controller.port)
    await home.set_up_with(host="localhost", port=home.service.full.port)
    assert home.source == "cloud"
    assert names.asked.count(home.controller.hostname) == 1

    # The name is resolved again only after a while.
    names.addresses[home.controller.hostname] = "127.0.0.1"
    await home.advance(240, step=30)
    assert names.asked.count(home.controller.hostname) == 1
    await home.advance(90, step=30)
    assert home.source == "lan"
    assert (home.stored["host"], home.stored["port"]) == (
        "127.0.0.1",
        home.controller.port,
    )


async def test_announced_before_the_account_was_added(
    home: Home, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first read waits for the search, though the cloud would answer sooner."""
    home.own(home.service.small)
    await discover(home, home.controller)
    asked, answers, resolve = asyncio.Event(), asyncio.Event(), names.resolve

    async def slowly(*args: Any, **more: Any) -> Any:
        asked.set()
        await answers.wait()
        return await resolve(*args, **more)

    monkeypatch.setattr(names, "resolve", slowly)
    shown = home.follow_entity("sensor.home_pool_connection")
    start = asyncio.create_task(home.set_up())
    await asked.wait()
    await asyncio.to_thread(time.sleep, 0.1)  # the cloud could have answered by then
    answers.set()
    await start
    assert {state.state for state in shown} == {"lan"}


async def test_a_rotated_key_is_fetched_again(small: Home) -> None:
    """The key is requested less and less often while the cloud fails."""
    small.cloud.faults.on("error_500", "envelope-key")
    small.controller.rotate_key(b"\xee" * 16)
    await small.advance(600, step=30)
    assert small.source == "cloud"
    assert len(key_requests(small)) == 3
    small.cloud.faults.clear()
    await small.advance(360, step=30)
    assert small.source == "lan"
    assert small.stored["key"] == "ee" * 16


async def test_a_key_that_stays_the_same_is_requested_once_an_hour(small: Home) -> None:
    """The LAN works again as soon as the controller uses the stored key."""
    small.controller.faults.on("wrong_key")
    await small.advance(60, step=30)
    await small.advance(3510, step=195)
    assert len(key_requests(small)) == 1
    await small.advance(120, step=30)
    assert len(key_requests(small)) == 2
    small.controller.faults.clear()
    await small.advance(60, step=30)
    assert small.source == "lan"


def key_requests(home: Home) -> list[Any]:
    return [r for r in home.cloud.requests if r.name == "envelope-key"]


@pytest.mark.parametrize("other_first", [False, True])
async def test_a_new_key_and_a_new_address_at_once(
    small: Home, other_first: bool
) -> None:
    """The new key is not lost if another controller is announced first."""
    small.controller.rotate_key(b"\xee" * 16)
    await small.controller.move("127.0.0.1")
    await small.advance(45, step=15)
    assert small.source == "cloud"
    if other_first:
        other = Announcement.of(small.service.full)
        await hear(small, replace(Announcement.of(small.controller), port=other.port))
        await small.settle()
    await discover(small, small.controller)
    if other_first:
        await small.advance(300, step=30)
    await small.settle()
    assert small.source == "lan"
    assert small.stored["port"] == small.controller.port
    assert small.stored["key"] == "ee" * 16
    assert len(key_requests(small)) <= 2


async def test_a_search_while_the_cloud_hangs(small: Home) -> None:
    """The key of the device at a wrong address delays no search for the right one."""
    small.cloud.faults.on("hang", "envelope-key")
    await small.controller.move("127.0.0.1")
    await small.advance(45, step=15)
    wrong = replace(Announcement.of(small.controller), port=small.service.full.port)
    await hear(small, wrong)
    await small.pass_time(5)
    await hear(small, Announcement.of(small.controller))
    (coordinator,) = small.entry.runtime_data.controllers.values()
    search = asyncio.create_task(coordinator.recovery.async_search())
    await small.pass_time(5)
    assert search.done()
    assert small.stored["port"] == small.controller.port


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("old_heard", [True, False])
async def test_a_start_with_a_stale_address_and_no_cloud(
    home: Home,
    names: Names,
    monkeypatch: pytest.MonkeyPatch,
    announced: bool,
    old_heard: bool,
) -> None:
    """The controller is found by its host name, or as soon as it is announced.

    That its old address was announced before makes no difference.
    """
    home.cloud.faults.on("refuse")
    if old_heard:
        await hear(home, replace(Announcement.of(home.controller), port=1))
    if not announced:
        monkeypatch.setattr(addresses, "PORT", home.controller.port)
        names.addresses[home.controller.hostname] = "127.0.0.1"
    entry = await home.set_up_with(port=1)
    # The poll that failed and the start that waits share one look-up.
    assert names.asked.count(home.controller.hostname) == 1
    if announced:
        assert entry.state is ConfigEntryState.SETUP_RETRY
        await discover(home, home.controller)
        await home.settle()
    assert home.source == "lan"


async def test_a_renewal_of_the_sign_in_is_never_cut_short(small: Home) -> None:
    """The old refresh token is used up, and only the answer has the new one."""
    token = {**small.entry.data["token"], "expires_at": 0}
    small.hass.config_entries.async_update_entry(
        small.entry, data={**small.entry.data, "token": token}
    )
    account = AccountToken(small.hass, small.entry, Gate(), Clock())
    waiting = asyncio.create_task(account())
    while not small.cloud.sign_ins.used(token["refresh_token"]):  # noqa: ASYNC110
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    await small.settle()
    assert small.cloud.sign_ins.account(await account())
    assert not small.cloud.sign_ins.used(small.entry.data["token"]["refresh_token"])
