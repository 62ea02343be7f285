"""Staying signed in, what a log tells and what it never tells, devices by hand."""

import asyncio
from collections.abc import AsyncGenerator
import logging
from typing import Any
from unittest.mock import patch

from aiohttp_asyncmdnsresolver.api import AsyncDualMDNSResolver
from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.aiohttp_client import HassAsyncDNSResolver
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)
from pytest_homeassistant_custom_component.typing import WebSocketGenerator
from zeroconf.asyncio import AsyncZeroconf

from custom_components.poolctl import api
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.upkeep import recovery
from tests.simulator.mdns import Announcer

from .conftest import (
    CLIENT_SECRET,
    Service,
    advance,
    entity_id,
    pass_time,
    record,
    restart,
    set_up,
)
from .test_survival import lines, lost, source


def asked(service: Service, name: str) -> list[int]:
    """Return the statuses of the requests of a name."""
    return [r.status for r in service.cloud.requests if r.name == name]


def by_cloud(service: Service, **data: Any) -> MockConfigEntry:
    """Return an entry that knows no way to the small pool but the cloud."""
    service.account.sites = service.account.sites[:1]
    stored = record(service.small, host=None)
    return service.entry(controllers={service.small.device_id: stored}, **data)


@pytest.mark.usefixtures("freezer")
class TestSignIn:
    """Over time, which stands still."""

    @pytest.mark.parametrize("how", ["by the clock", "at the service"])
    async def test_the_token_expires_between_two_polls(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        credentials: None,
        caplog: pytest.LogCaptureFixture,
        how: str,
    ) -> None:
        """Renewed once, the rotated refresh token kept; no one notices.

        interface.md 3.3 rule 1, 5.1 rule 3, 8 rows 10 and 11.
        """
        entry = await set_up(hass, service, by_cloud(service))
        events = async_capture_events(hass, "state_changed")
        caplog.clear()
        for _ in range(2):  # the second time by the refresh token of the first
            before, renewals = entry.data["token"], len(asked(service, "token"))
            service.cloud.expire_tokens()
            if how == "by the clock":
                token = {**before, "expires_at": before["expires_at"] - 86400}
                hass.config_entries.async_update_entry(
                    entry, data={**entry.data, "token": token}
                )
            denied = sum(r.status == 401 for r in service.cloud.requests)
            await advance(hass, service, freezer, 30)
            assert asked(service, "token")[renewals:] == [200]
            denied = sum(r.status == 401 for r in service.cloud.requests) - denied
            assert denied == (how == "at the service")
            for part in ("access_token", "refresh_token"):
                assert entry.data["token"][part] != before[part]
            assert source(hass, service) == "cloud"
        assert not lost(events)
        assert not lines(caplog)
        assert not hass.config_entries.flow.async_progress()

    @pytest.mark.parametrize(
        ("fault", "at"),
        [("token_5xx", ()), ("hang", ("token",)), ("html", ("token",))],
    )
    async def test_a_renewal_that_fails_asks_nobody_to_sign_in(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        credentials: None,
        fault: str,
        at: tuple[str, ...],
    ) -> None:
        """Only a refusal is a sign-in; anything else is "not ready", and is over some day."""
        await set_up(hass, service, by_cloud(service))
        service.cloud.expire_tokens()
        service.cloud.faults.on(fault, *at)
        await pass_time(hass, service, freezer, 60)
        assert source(hass, service) == "cloud"
        await pass_time(hass, service, freezer, 120, step=2)
        assert source(hass, service) == "unavailable"
        assert not hass.config_entries.flow.async_progress()
        service.cloud.faults.clear()
        await pass_time(hass, service, freezer, 60, step=2)
        assert source(hass, service) == "cloud"
        assert not hass.config_entries.flow.async_progress()

    @pytest.mark.parametrize(("fault", "at"), [("token_5xx", ()), ("hang", ("token",))])
    async def test_a_renewal_that_fails_in_the_first_set_up(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        credentials: None,
        fault: str,
        at: tuple[str, ...],
    ) -> None:
        """With nothing remembered it is not ready, and tried again."""
        token = {**service.token(), "expires_at": 0}
        entry = service.entry(token=token)
        entry.add_to_hass(hass)
        service.cloud.faults.on(fault, *at)
        hass.async_create_task(hass.config_entries.async_setup(entry.entry_id))
        # Longer than a renewal may take, shorter than until the next attempt.
        await pass_time(hass, service, freezer, 23)
        assert [entry.state] == [ConfigEntryState.SETUP_RETRY]
        assert not hass.config_entries.flow.async_progress()
        service.cloud.faults.clear()
        await pass_time(hass, service, freezer, 90, step=5)
        assert [entry.state] == [ConfigEntryState.LOADED]

    async def test_refused_twice_is_a_sign_in(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        credentials: None,
    ) -> None:
        """401 after a forced renewal; one flow, however long.

        interface.md 7.1 rule 4.
        """
        await set_up(hass, service, by_cloud(service))
        service.cloud.faults.on("unauthorized")
        reads = len(asked(service, "deviceOnlineStatuses"))
        await advance(hass, service, freezer, 30)
        assert asked(service, "deviceOnlineStatuses")[reads:] == [401, 401]
        assert asked(service, "token") == [200]
        for _ in range(10):
            await advance(hass, service, freezer, 30)
        (flow,) = hass.config_entries.flow.async_progress()
        assert flow["context"]["source"] == "reauth"

    async def test_revoked_while_the_lan_works(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        small: MockConfigEntry,
    ) -> None:
        """The hourly inventory finds out; the LAN goes on, commands and all.

        interface.md 8 row 11.
        """
        events = async_capture_events(hass, "state_changed")
        service.cloud.revoke(service.account)
        await advance(hass, service, freezer, 3600, step=300)
        await advance(hass, service, freezer, 300, step=15)
        (flow,) = hass.config_entries.flow.async_progress()
        assert flow["context"]["source"] == "reauth"
        assert small.state is ConfigEntryState.LOADED
        assert source(hass, service) == "lan"
        switch = {"entity_id": entity_id(hass, "switch", service.small, "slot_2")}
        await hass.services.async_call("switch", "turn_on", switch, blocking=True)
        assert service.small.pool.slots[2].on
        assert not lost(events)

    async def test_the_log_of_a_bad_day(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        small: MockConfigEntry,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """One line when it is lost, one when it is back, twice; nothing between."""
        caplog.clear()
        for _ in range(2):
            service.small.faults.on("refuse")
            service.cloud.faults.on("refuse")
            await advance(hass, service, freezer, 1800, step=15)
            assert source(hass, service) == "unavailable"
            service.small.faults.clear()
            service.cloud.faults.clear()
            await advance(hass, service, freezer, 300, step=15)
        told = [line for line in lines(caplog) if "pool controller 1" in line]
        assert len(told) == 4
        assert len(lines(caplog)) <= 6  # the account may have one of each, too

    async def test_no_secret_is_logged_at_any_level(
        self,
        freezer: FrozenDateTimeFactory,
        hass: HomeAssistant,
        service: Service,
        credentials: None,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """Every fault of both sides, and everything there is to log."""
        caplog.set_level(logging.DEBUG)
        key = bytes.fromhex("5ec2e70123456789abcdef5ec2e75ec2")
        service.small.rotate_key(key)
        service.account.email = "planted.owner@example.com"
        service.account.password = "planted-password"
        service.account.sites = service.account.sites[:1]
        secrets = _Secrets(service, key)
        entry = await set_up(hass, service, service.entry(service.small))
        for faults in (service.small.faults, service.cloud.faults):
            for name in faults.known:
                faults.on(name)
                tried = _try_everything(hass, service, entry)
                await pass_time(hass, service, freezer, 60, step=3)
                faults.clear()
                await pass_time(hass, service, freezer, 30, step=3)
                await asyncio.gather(*tried, return_exceptions=True)
        service.cloud.expire_tokens()
        await restart(hass, service, entry)
        service.small.rotate_key(key[::-1])
        await advance(hass, service, freezer, 3700, step=3700)
        assert len(secrets.found) > 10
        assert "poolctl" in caplog.text
        log = caplog.text.lower()
        assert not [secret for secret in secrets.found if secret in log]


class _Secrets:
    """Everything that must not be told: keys, tokens, and who signed in."""

    def __init__(self, service: Service, key: bytes) -> None:
        self.found = {
            service.account.email,
            service.account.password,
            CLIENT_SECRET,
            key.hex(),
            key[::-1].hex(),
            repr(key)[2:-1].lower(),
        }
        sign_ins = service.cloud.sign_ins
        issue = sign_ins._issue

        def issued(*args: Any) -> dict[str, Any]:
            answer = issue(*args)
            self.found |= {
                answer[f"{kind}_token"].lower() for kind in ("access", "refresh")
            }
            return answer

        sign_ins._issue = issued  # type: ignore[assignment]


def _try_everything(
    hass: HomeAssistant, service: Service, entry: MockConfigEntry
) -> list[asyncio.Task[Any]]:
    """Let a person press things, whatever comes of it, and an hour be over."""
    calls = [
        hass.services.async_call(
            domain,
            action,
            {"entity_id": entity_id(hass, domain, service.small, key)},
            blocking=True,
        )
        for domain, action, key in (
            ("switch", "turn_on", "slot_2"),
            ("switch", "turn_off", "pump"),
            ("button", "press", "refresh"),
        )
    ]
    calls.append(entry.runtime_data.async_refresh())
    return [hass.async_create_background_task(call, "try") for call in calls]


async def test_tasks_that_need_a_token_at_once_renew_it_once(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """By one lock, whether it expired here or there.

    interface.md 5.1 rule 6.
    """
    entry = await set_up(hass, service, by_cloud(service))
    cloud = entry.runtime_data.cloud
    for there in (True, False):
        service.cloud.expire_tokens()
        if not there:
            token = {**entry.data["token"], "expires_at": 0}
            hass.config_entries.async_update_entry(
                entry, data={**entry.data, "token": token}
            )
        renewals = len(asked(service, "token"))
        await asyncio.gather(*(cloud.inventory() for _ in range(5)))
        assert asked(service, "token")[renewals:] == [200]


async def test_a_renewal_has_an_end(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody waits for ever for a token, and the next one who asks gets one."""
    entry = await set_up(hass, service, by_cloud(service))
    monkeypatch.setattr(api, "_TIMEOUT", 0.1)
    service.cloud.expire_tokens()
    service.cloud.faults.on("hang", "token")
    await entry.runtime_data.async_refresh()
    assert not entry.runtime_data.last_update_success
    assert not hass.config_entries.flow.async_progress()
    service.cloud.faults.clear()
    await entry.runtime_data.async_refresh()
    assert entry.runtime_data.last_update_success


async def test_devices_deleted_by_hand(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    hass_ws_client: WebSocketGenerator,
) -> None:
    """A controller of the account stays; one that is gone may go."""
    assert await async_setup_component(hass, "config", {})
    registry = dr.async_get(hass)
    known = registry.async_get_device_by_identifier(
        (DOMAIN, service.small.device_id), small.entry_id
    )
    stale = registry.async_get_or_create(
        config_entry_id=small.entry_id, identifiers={(DOMAIN, "AA_BB_CC_99_99_99")}
    )
    assert known is not None
    client = await hass_ws_client(hass)
    answer = await client.remove_device(known.id)
    assert not answer["success"]
    assert registry.async_get(known.id) is not None
    answer = await client.remove_device(stale.id)
    assert answer["success"]
    assert registry.async_get(stale.id) is None


@pytest.fixture
async def real_names(socket_enabled: None) -> AsyncGenerator[AsyncDualMDNSResolver]:
    """Home Assistant's own resolver, by multicast on loopback only."""
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"])
    resolver = HassAsyncDNSResolver(async_zeroconf=zeroconf)
    with patch(
        "homeassistant.helpers.aiohttp_client._async_make_resolver",
        return_value=resolver,
    ):
        yield resolver
    await resolver.real_close()
    await zeroconf.async_close()


@pytest.fixture
async def announced(service: Service) -> AsyncGenerator[Announcer]:
    """Announce the small pool on loopback."""
    announcer = Announcer([service.small], interfaces=["127.0.0.1"])
    await announcer.start()
    yield announcer
    await announcer.stop()


# "localhost" is ::1, too, which the test harness does not allow.
@pytest.mark.filterwarnings("ignore:A test tried to use:UserWarning")
async def test_found_by_real_multicast(
    hass: HomeAssistant,
    service: Service,
    announced: Announcer,
    names: Any,
    real_names: AsyncDualMDNSResolver,
    credentials: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`ctrl-xxxxxx.local` of interface.md 2.8, asked of the network by Home Assistant."""
    service.account.sites = service.account.sites[:1]
    monkeypatch.setattr(recovery, "PORT", service.small.port)
    stored = record(service.small, host="localhost", port=service.full.port)
    entry = service.entry(controllers={service.small.device_id: stored})
    await set_up(hass, service, entry)
    await hass.async_block_till_done(wait_background_tasks=True)
    found = entry.data["controllers"][service.small.device_id]
    assert (found["host"], found["port"]) == ("127.0.0.1", service.small.port)
