"""Sign-ins over time, the log and its secrets, deleted devices, and real multicast."""

import asyncio
from typing import Any
from unittest.mock import patch

from homeassistant.config_entries import ConfigEntryState
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.aiohttp_client import HassAsyncDNSResolver
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from zeroconf.asyncio import AsyncZeroconf

from custom_components.poolctl.account import sign_in
from custom_components.poolctl.network import addresses
from tests.network.test_survival import log_lines, lost
from tests.world.assistant.home import Home
from tests.world.simulator.mdns import Announcer


def statuses(home: Home, name: str) -> list[int]:
    return [r.status for r in home.cloud.requests if r.name == name]


# Sign-ins over time


@pytest.mark.row("3.3 rule 1", "5.1 rule 3", "8 row 10", "8 row 11")
@pytest.mark.parametrize("how", ["by the clock", "at the service"])
@pytest.mark.usefixtures("freezer")
async def test_the_token_expires_between_two_polls(
    in_cloud: Home, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    """It is renewed once, the rotated refresh token is kept, and nothing is logged."""
    entry = in_cloud.entry
    events = async_capture_events(in_cloud.hass, "state_changed")
    caplog.clear()
    for _ in range(2):  # the second time by the refresh token of the first
        before = entry.data["token"]
        in_cloud.cloud.requests.clear()
        in_cloud.cloud.expire_tokens()
        if how == "by the clock":
            token = {**before, "expires_at": before["expires_at"] - 86400}
            in_cloud.hass.config_entries.async_update_entry(
                entry, data={**entry.data, "token": token}
            )
        await in_cloud.advance(60, step=30)
        assert statuses(in_cloud, "token") == [200]
        denied = sum(r.status == 401 for r in in_cloud.cloud.requests)
        assert denied == (how == "at the service")
        for part in ("access_token", "refresh_token"):
            assert entry.data["token"][part] != before[part]
        assert in_cloud.source == "cloud"
    assert not lost(events)
    assert not log_lines(caplog)
    assert not in_cloud.flows


@pytest.mark.usefixtures("freezer")
async def test_a_renewal_without_an_answer_asks_nobody_to_sign_in(
    in_cloud: Home,
) -> None:
    """Only a refusal asks for a sign-in; other errors are retried."""
    in_cloud.cloud.expire_tokens()
    in_cloud.cloud.faults.on("hang", "token")
    await in_cloud.pass_time(60)
    assert in_cloud.source == "cloud"
    await in_cloud.pass_time(120, step=2)
    assert in_cloud.source == "lost"
    assert not in_cloud.flows
    in_cloud.cloud.faults.clear()
    await in_cloud.pass_time(60, step=2)
    assert in_cloud.source == "cloud"
    assert not in_cloud.flows


@pytest.mark.parametrize("fault", [("token_5xx",), ("hang", "token")], ids=str)
@pytest.mark.usefixtures("freezer")
async def test_a_renewal_that_fails_in_the_first_set_up(
    home: Home, fault: tuple[str, ...]
) -> None:
    """Without stored data, setup is not ready and is retried."""
    token = {**home.service.token(), "expires_at": 0}
    entry = home.service.entry(token=token)
    entry.add_to_hass(home.hass)
    home.cloud.faults.on(*fault)
    home.hass.async_create_task(home.hass.config_entries.async_setup(entry.entry_id))
    # Longer than a renewal may take, shorter than until the next attempt.
    await home.pass_time(23)
    assert [entry.state] == [ConfigEntryState.SETUP_RETRY]
    assert not home.flows
    home.cloud.faults.clear()
    await home.pass_time(90, step=5)
    assert [entry.state] == [ConfigEntryState.LOADED]


@pytest.mark.row("7.1 rule 4")
@pytest.mark.usefixtures("freezer")
async def test_refused_twice_is_a_sign_in(in_cloud: Home) -> None:
    """A 401 after a forced renewal starts one flow, however long it lasts."""
    in_cloud.cloud.faults.on("unauthorized")
    reads = len(statuses(in_cloud, "dashboardInfo"))
    await in_cloud.advance(30)
    assert statuses(in_cloud, "dashboardInfo")[reads:] == [401, 401]
    assert statuses(in_cloud, "token") == [200]
    for _ in range(10):
        await in_cloud.advance(30)
    (flow,) = in_cloud.flows
    assert flow["context"]["source"] == "reauth"


@pytest.mark.row("8 row 11")
@pytest.mark.usefixtures("freezer")
async def test_refused_while_the_lan_works(small: Home) -> None:
    """The hourly inventory asks for a sign-in; the LAN goes on, with commands.

    After a refusal by mistake, a renewal removes the flow and the issue.
    protocol.md 8 row 11.
    """
    events = async_capture_events(small.hass, "state_changed")
    small.cloud.expire_tokens()
    small.cloud.faults.on("unauthorized", "token")
    await small.advance(3600, step=300)
    await small.advance(300, step=60)
    (flow,) = small.flows
    assert flow["context"]["source"] == "reauth"
    assert ir.async_get(small.hass).issues
    assert small.entry.state is ConfigEntryState.LOADED
    assert small.source == "lan"
    await small.act_on_device("send_action", name="aux", payload="020101")
    assert small.pool.slots[2].on
    small.cloud.faults.clear()
    await small.advance(3700, step=370)
    assert not small.flows
    assert not ir.async_get(small.hass).issues
    assert not lost(events)


@pytest.mark.row("5.1 rule 6")
async def test_tasks_that_need_a_token_at_once_renew_it_once(
    in_cloud: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock allows one renewal, whether the client or the service finds it expired."""
    monkeypatch.setattr(sign_in, "_RENEWAL_SPACING", 0)
    entry = in_cloud.entry
    cloud = entry.runtime_data.cloud
    for there in (True, False):
        in_cloud.cloud.expire_tokens()
        if not there:
            token = {**entry.data["token"], "expires_at": 0}
            in_cloud.hass.config_entries.async_update_entry(
                entry, data={**entry.data, "token": token}
            )
        renewals = len(statuses(in_cloud, "token"))
        await asyncio.gather(*(cloud.inventory() for _ in range(5)))
        assert statuses(in_cloud, "token")[renewals:] == [200]


# "localhost" is ::1, too, which the test harness does not allow.
@pytest.mark.filterwarnings("ignore:A test tried to use:UserWarning")
async def test_found_by_real_multicast(
    home: Home, names: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home Assistant resolves `ctrl-xxxxxx.local` of protocol.md 2.8 by multicast.

    With its own resolver, and on loopback only.
    """
    home.own(home.service.small)
    announcer = Announcer([home.controller], interfaces=["127.0.0.1"])
    await announcer.start()
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"])
    resolver = HassAsyncDNSResolver(async_zeroconf=zeroconf)
    monkeypatch.setattr(addresses, "PORT", home.controller.port)
    with patch(
        "homeassistant.helpers.aiohttp_client._async_make_resolver",
        return_value=resolver,
    ):
        await home.set_up_with(host="localhost", port=home.service.full.port)
        await home.hass.async_block_till_done(wait_background_tasks=True)
    assert home.stored["host"] == "127.0.0.1"
    assert home.stored["port"] == home.controller.port
    await resolver.real_close()
    await zeroconf.async_close()
    await announcer.stop()
