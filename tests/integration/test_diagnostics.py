"""What a person attaches to a bug report: files, and what was logged."""

from collections import Counter
import logging
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
    get_diagnostics_for_device,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.poolctl.client.frame import decode_frame

from .conftest import Service, advance, set_up, settle, value
from .test_config_flow import discover
from .test_device import device as device_of

PACKAGE = "custom_components.poolctl"


async def dump(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, entry: MockConfigEntry
) -> dict[str, Any]:
    """Return the diagnostics of an account."""
    return await get_diagnostics_for_config_entry(hass, hass_client, entry)  # type: ignore[no-any-return]


# --- What it tells ---


async def test_a_pool_on_the_lan(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    hass_client: ClientSessionGenerator,
) -> None:
    found = await dump(hass, hass_client, full)
    assert found["versions"]["minimum_firmware"] == "2.5.46"
    assert found["entry"] == {"state": "loaded", "source": "user"}
    assert found["account"]["inventory_read"] is True
    assert found["account"]["cloud"]["misses"] == 0
    (controller,) = found["controllers"]
    assert controller["number"] == 1
    assert controller["available"] is True
    assert controller["record"] == {
        "firmware": "2.5.46",
        "address_known": True,
        "address_by_hand": False,
        "port": service.full.port,
        "key_known": True,
    }
    assert controller["announced"] is None
    lan = controller["lan"]
    assert (lan["polls"], lan["misses"], lan["last_error"]) == (1, 0, None)
    assert 0 < lan["latency_average_ms"] == lan["latency_worst_ms"] < 5000
    assert lan["last_answer_at"] is not None
    assert controller["cloud"]["polls"] == 0
    assert controller["cloud"]["latency_average_ms"] is None
    assert controller["issues"] == []


async def test_the_frame_as_it_came(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    hass_client: ClientSessionGenerator,
) -> None:
    """With its counter and without its tag; the decoded state is beside it."""
    (controller,) = (await dump(hass, hass_client, full))["controllers"]
    frame = controller["last_frame"]
    # Queries were answered after it.
    assert 1000 < frame["counter"] < service.full.counter
    decoded = decode_frame(bytes.fromhex(frame["payload"]))
    assert decoded.telemetry is not None
    state = controller["state"]
    assert state["source"] == "lan"
    assert state["readings"]["orp"] == decoded.telemetry.orp
    assert len(state["configuration"]["aux_types"]) == 37
    assert state["slots"]["0"] == {"kind": "main_pump", "role": "pump", "on": True}
    assert state["pump"]["brand"] == service.full.pool.pump_identity[1]
    assert controller["undecoded_frame"] is None


async def test_what_people_typed_is_replaced(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    hass_client: ClientSessionGenerator,
) -> None:
    """That there is a name is told, and which slot has none."""
    (controller,) = (await dump(hass, hass_client, full))["controllers"]
    state = controller["state"]
    names = [slot.name for slot in service.full.pool.slots]
    assert state["names"] == ["**REDACTED**" if name else "" for name in names]
    used = [s for s in state["schedules"] if s["slot"] != 99]
    assert [s["name"] for s in used] == ["**REDACTED**"] * 3
    assert used[1]["start"] == 600


@pytest.mark.usefixtures("freezer")
async def test_a_bad_day(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    hass_client: ClientSessionGenerator,
) -> None:
    """Misses are counted, the newest errors named, and what is not offered listed."""
    service.cloud.not_offered.add("auxInfo")
    service.small.faults.on("truncated_frame")
    await advance(hass, service, freezer, 400, step=30)
    service.small.faults.clear()
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=30)
    service.cloud.faults.on("error_500")
    await advance(hass, service, freezer, 30, step=30)
    await discover(hass, service.small)
    await settle(hass, service)
    found = await dump(hass, hass_client, small)
    assert found["account"]["not_offered"] == ["auxInfo"]
    assert found["account"]["cloud"]["last_error"] == "ServiceError"
    (controller,) = found["controllers"]
    lan, cloud = controller["lan"], controller["cloud"]
    assert lan["misses"] == lan["polls"] - 1 == lan["misses_in_a_row"] > 10
    assert lan["last_error"] == controller["lan_error"] == "UnreachableError"
    assert cloud["polls"] > 10
    assert cloud["last_error"] == controller["cloud_error"] == "ServiceError"
    assert cloud["misses"] == 1
    assert cloud["last_error_at"] > cloud["last_answer_at"]
    assert controller["announced"]["at_the_known_address"] is True
    assert controller["paths"]["on_lan"] is False
    assert controller["issues"] == ["frame_not_understood"]
    bad = controller["undecoded_frame"]
    assert controller["last_frame"] == bad
    with pytest.raises(ValueError):
        bytes.fromhex(bad["payload"] + "0")
    assert bad["counter"] <= service.small.counter
    assert len(bad["payload"]) < len(service.small.signed_state().hex())


async def test_one_of_two_controllers(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    hass_client: ClientSessionGenerator,
) -> None:
    """The diagnostics of a device are about that one."""
    entry = await set_up(hass, service, service.entry(*service.controllers))
    found = await dump(hass, hass_client, entry)
    assert [c["number"] for c in found["controllers"]] == [1, 2]
    for number, controller in enumerate(service.controllers, 1):
        device = device_of(hass, entry, controller)
        found = await get_diagnostics_for_device(hass, hass_client, entry, device)
        (one,) = found["controllers"]
        assert one["number"] == number
        slots = len(one["state"]["configuration"]["aux_types"])
        assert slots == len(controller.pool.slots)


async def test_an_account_that_is_not_loaded(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    hass_client: ClientSessionGenerator,
) -> None:
    """Just then somebody wants to know."""
    entry = service.entry(service.small)
    entry.add_to_hass(hass)
    service.account.sites = service.account.sites[:1]
    assert await async_setup_component(hass, "poolctl", {})
    await settle(hass, service)
    await hass.config_entries.async_unload(entry.entry_id)
    found = await dump(hass, hass_client, entry)
    assert found["entry"]["state"] == "not_loaded"

    service.small.faults.on("refuse")
    service.cloud.faults.on("refuse")
    hass.async_create_task(hass.config_entries.async_setup(entry.entry_id))
    await settle(hass, service)
    found = await dump(hass, hass_client, entry)
    assert found["entry"]["state"] == "setup_retry"
    (controller,) = found["controllers"]
    assert controller["lan_error"] == "UnreachableError"
    assert controller["last_exception"] == "UpdateFailed"

    fresh = service.entry(service.full)
    fresh.add_to_hass(hass)
    found = await dump(hass, hass_client, fresh)
    assert "controllers" not in found


# --- What it is not told again and again ---


@pytest.mark.usefixtures("freezer")
@pytest.mark.parametrize("side", ["lan", "cloud"])
async def test_a_fault_that_lasts_is_told_once(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    caplog: pytest.LogCaptureFixture,
    side: str,
) -> None:
    """Whatever it is; while another way works, nothing is said at all."""
    faults = service.small.faults if side == "lan" else service.cloud.faults
    slow = {"hang", "slow_headers", "busy"}  # time stands still for them
    for fault in sorted(faults.known.keys() - slow):
        caplog.clear()
        if side == "cloud":
            service.small.faults.on("refuse")
        faults.on(fault)
        await advance(hass, service, freezer, 600, step=30)
        lines = Counter(
            line.getMessage()
            for line in caplog.records
            if line.name.startswith(PACKAGE) and line.levelno > logging.DEBUG
        )
        most = 0 if side == "lan" else 1
        assert max(lines.values(), default=0) <= most, (fault, lines)
        service.small.faults.clear()
        service.cloud.faults.clear()
        await advance(hass, service, freezer, 360, step=30)
        assert value(hass, "sensor", service.small, "connection") == "lan", fault
