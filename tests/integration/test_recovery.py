"""Found again by itself: new addresses, new keys, counters that go on."""

import asyncio
from datetime import timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.api import AccountToken
from custom_components.poolctl.upkeep import recovery
from custom_components.poolctl.upkeep.memory import Memory

from .conftest import Names, Service, advance, entity_id, restart, set_up, settle, value
from .test_config_flow import discover

pytestmark = pytest.mark.usefixtures("freezer")


def source(hass: HomeAssistant, service: Service) -> str:
    return value(hass, "sensor", service.small, "connection")


async def test_found_by_its_name(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    names: Names,
    freezer: FrozenDateTimeFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another controller got its address; the name leads to the true one."""
    service.account.sites = service.account.sites[:1]
    stored = {
        **service.entry(service.small).data["controllers"][service.small.device_id],
        "host": "localhost",
        "port": service.full.port,
    }
    entry = service.entry(controllers={service.small.device_id: stored})
    monkeypatch.setattr(recovery, "PORT", service.small.port)
    await set_up(hass, service, entry)
    assert source(hass, service) == "cloud"
    assert names.asked.count(service.small.hostname) == 1

    # Asked again only after a while, and then found.
    names.addresses[service.small.hostname] = "127.0.0.1"
    await advance(hass, service, freezer, 240, step=30)
    assert names.asked.count(service.small.hostname) == 1
    await advance(hass, service, freezer, 90, step=30)
    assert source(hass, service) == "lan"
    stored = entry.data["controllers"][service.small.device_id]
    assert (stored["host"], stored["port"]) == ("127.0.0.1", service.small.port)


async def test_a_rotated_key_is_fetched_again(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Every five minutes while the cloud does not answer."""
    service.cloud.faults.on("error_500", "envelope-key")
    service.small.rotate_key(b"\xee" * 16)
    await advance(hass, service, freezer, 600, step=15)
    assert source(hass, service) == "cloud"
    assert len(keys_asked(service)) == 2
    service.cloud.faults.clear()
    await advance(hass, service, freezer, 360, step=15)
    assert source(hass, service) == "lan"
    stored = small.data["controllers"][service.small.device_id]
    assert stored["key"] == "ee" * 16


async def test_a_key_that_stays_the_same_is_asked_for_once_an_hour(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The wrong key first, then the right one."""
    service.small.faults.on("wrong_key")
    await advance(hass, service, freezer, 3570, step=30)
    assert len(keys_asked(service)) == 1
    await advance(hass, service, freezer, 120, step=30)
    assert len(keys_asked(service)) == 2
    service.small.faults.clear()
    await advance(hass, service, freezer, 60, step=30)
    assert source(hass, service) == "lan"


def keys_asked(service: Service) -> list[Any]:
    """Return the requests for an envelope key."""
    return [r for r in service.cloud.requests if r.name == "envelope-key"]


async def test_a_controller_that_restarts_is_not_taken_for_a_replay(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    service.small.restart(counter=0)
    await advance(hass, service, freezer, 15)
    assert source(hass, service) == "lan"
    await advance(hass, service, freezer, 60, step=15)
    assert source(hass, service) == "lan"


async def test_a_clock_that_jumps_back_an_hour(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Also over a restart of Home Assistant: the controller takes every command."""
    switch = {"entity_id": entity_id(hass, "switch", service.small, "slot_2")}
    await hass.services.async_call("switch", "turn_on", switch, blocking=True)
    freezer.tick(timedelta(hours=-1))
    await restart(hass, service, small)
    await hass.services.async_call("switch", "turn_off", switch, blocking=True)
    assert not service.small.pool.slots[2].on
    assert all(request.ok for request in service.small.requests)


async def test_memory_survives_a_restart(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
) -> None:
    """Written lazily, once; read back as it was."""
    await advance(hass, service, freezer, 61)
    kept = hass_storage["poolctl"]["data"][service.full.device_id]
    assert kept["counter"] == service.full.accepted_counter
    assert len(kept["aux_types"]) == 37
    assert kept["names"][3] == "Waterfall"

    again = Memory(hass)
    await again.async_load()
    coordinator = full.runtime_data.controllers[service.full.device_id]
    known, remembered = (
        coordinator.controller.known,
        again.state(service.full.device_id),
    )
    assert remembered.slots
    assert [slot.name for slot in remembered.slots] == [s.name for s in known.slots]
    assert remembered.pump == known.pump
    assert remembered.valid_chemistry == known.valid_chemistry
    assert again.counter(service.full.device_id).next() > kept["counter"]


async def test_a_new_key_and_a_new_address_at_once(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    service.small.rotate_key(b"\xee" * 16)
    await service.small.move("127.0.0.1")
    await advance(hass, service, freezer, 45, step=15)
    assert source(hass, service) == "cloud"
    await discover(hass, service.small)
    await settle(hass, service)
    assert source(hass, service) == "lan"
    stored = small.data["controllers"][service.small.device_id]
    assert (stored["port"], stored["key"]) == (service.small.port, "ee" * 16)


async def test_an_announcement_that_came_at_a_bad_time(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Where it was announced is tried again, also where its name leads nowhere."""
    await service.small.move("127.0.0.1")
    service.small.faults.on("garbage")
    await discover(hass, service.small)
    await advance(hass, service, freezer, 45, step=15)
    assert source(hass, service) == "cloud"
    service.small.faults.clear()
    await advance(hass, service, freezer, 330, step=30)
    assert source(hass, service) == "lan"


@pytest.mark.parametrize("announced", [True, False])
async def test_a_start_with_a_stale_address_and_no_cloud(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    names: Names,
    monkeypatch: pytest.MonkeyPatch,
    announced: bool,
) -> None:
    """Found by its name, or when it is announced; tried again without a word."""
    service.cloud.faults.on("refuse")
    stored = {
        **service.entry(service.small).data["controllers"][service.small.device_id],
        "port": 1,
    }
    entry = service.entry(controllers={service.small.device_id: stored})
    if not announced:
        monkeypatch.setattr(recovery, "PORT", service.small.port)
        names.addresses[service.small.hostname] = "127.0.0.1"
    await set_up(hass, service, entry)
    # The poll that failed and the start that waits share one look-up.
    assert names.asked.count(service.small.hostname) == 1
    if announced:
        assert entry.state is ConfigEntryState.SETUP_RETRY
        await discover(hass, service.small)
        await settle(hass, service)
    assert source(hass, service) == "lan"


async def test_a_renewal_of_the_sign_in_is_never_cut_short(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """Its refresh token is used up by then; the answer has the only new one."""
    token = {**small.data["token"], "expires_at": 0}
    hass.config_entries.async_update_entry(small, data={**small.data, "token": token})
    account = AccountToken(hass, small)
    waiting = asyncio.create_task(account())
    while token["refresh_token"] in service.cloud.sign_ins._refresh:  # noqa: ASYNC110
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    await settle(hass, service)
    assert service.cloud.sign_ins.account(await account())
    assert small.data["token"]["refresh_token"] in service.cloud.sign_ins._refresh
