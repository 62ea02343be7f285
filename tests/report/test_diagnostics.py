"""Diagnostics and log lines, which a user attaches to a bug report."""

from collections import Counter
import logging
from typing import Any

from homeassistant.const import Platform
import pytest
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
    get_diagnostics_for_device,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.poolctl.client.wire.frame import decode_frame
from tests.flow.test_config_flow import discover
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

few_platforms = only(Platform.SENSOR)

PACKAGE = "custom_components.poolctl"


async def dump(home: Home, hass_client: ClientSessionGenerator) -> dict[str, Any]:
    """Return the diagnostics of an account."""
    found: dict[str, Any] = await get_diagnostics_for_config_entry(
        home.hass, hass_client, home.entry
    )
    return found


async def test_a_pool_on_the_lan(
    home: Home, hass_client: ClientSessionGenerator
) -> None:
    home.own(home.service.full)
    home.pool.settings |= {"water_offset": -12, "backwash_pressure": 0xFFFF}
    await home.set_up(home.controller)
    found = await dump(home, hass_client)
    assert found["versions"]["minimum_firmware"] == "2.5.46"
    assert found["entry"] == {"state": "loaded", "source": "user"}
    assert found["account"]["inventory_read"] is True
    assert found["account"]["cloud"]["misses"] == 0
    (controller,) = found["controllers"]
    assert controller["record"] == {
        "firmware": "2.5.46",
        "address_known": True,
        "address_by_hand": False,
        "port": home.controller.port,
        "key_known": True,
    }
    expected: dict[str, Any] = {
        "number": 1,
        "available": True,
        "announced": None,
        "issues": [],
        "undecoded_frame": None,
    }
    assert expected.items() <= controller.items()
    lan = controller["lan"]
    assert (lan["polls"], lan["misses"], lan["last_error"]) == (1, 0, None)
    assert 0 < lan["latency_average_ms"] == lan["latency_worst_ms"] < 5000
    assert lan["last_answer_at"] is not None
    cloud = controller["cloud"]
    assert (cloud["polls"], cloud["latency_average_ms"]) == (0, None)

    # The frame has its counter but not its tag; the decoded state is beside it.
    # Replies to queries came after it.
    frame, state = controller["last_frame"], controller["state"]
    assert 1000 < frame["counter"] < home.controller.counter
    decoded = decode_frame(bytes.fromhex(frame["payload"]))
    assert decoded.telemetry is not None
    assert state["source"] == "lan"
    assert state["readings"]["orp"] == decoded.telemetry.orp
    assert len(state["outputs"]["types"]) == 37
    assert state["slots"]["0"] == {"kind": "main_pump", "role": "pump", "on": True}
    assert state["pump"]["brand"] == home.pool.pump_identity[1]
    assert state["preset_speeds"] == [80, 50, 65, 80, 100, 85]

    # What people typed is replaced, so that slots with a name stay distinct.
    assert state["outputs"]["names"] == [
        "**REDACTED**" if slot.name else "" for slot in home.pool.slots
    ]
    used = [s for s in state["schedules"]["records"] if s["slot"] != 99]
    assert [s["name"] for s in used] == ["**REDACTED**"] * 3
    assert used[1]["start"] == 600


@pytest.mark.usefixtures("freezer")
async def test_a_bad_day(small: Home, hass_client: ClientSessionGenerator) -> None:
    """Misses are counted, the newest errors named, and missing endpoints listed."""
    small.cloud.not_offered.add("auxInfo")
    small.controller.faults.on("truncated_frame")
    await small.advance(400, step=30)
    small.controller.faults.clear()
    small.controller.faults.on("refuse")
    await small.advance(60, step=30)
    small.cloud.faults.on("error_500")
    await small.advance(30, step=30)
    await discover(small, small.controller)
    await small.settle()
    found = await dump(small, hass_client)
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
    assert controller["issues"] == []
    bad = controller["undecoded_frame"]
    assert controller["last_frame"] == bad
    with pytest.raises(ValueError, match="hex"):
        bytes.fromhex(bad["payload"] + "0")
    assert bad["counter"] <= small.controller.counter
    assert len(bad["payload"]) < len(small.controller.signed_state().hex())


async def test_one_of_two_controllers(
    home: Home, hass_client: ClientSessionGenerator
) -> None:
    """The diagnostics of a device are about that device only."""
    entry = await home.set_up(*home.service.controllers)
    found = await dump(home, hass_client)
    assert [c["number"] for c in found["controllers"]] == [1, 2]
    for number, controller in enumerate(home.service.controllers, 1):
        device = home.device(controller)
        found = await get_diagnostics_for_device(home.hass, hass_client, entry, device)
        (one,) = found["controllers"]
        assert one["number"] == number
        slots = len(one["state"]["outputs"]["types"])
        assert slots == len(controller.pool.slots)


async def test_an_account_that_is_not_loaded(
    home: Home, hass_client: ClientSessionGenerator
) -> None:
    """An account that failed to load has diagnostics, too."""
    home.own(home.service.small)
    await home.set_up(home.controller)
    await home.unload()
    found = await dump(home, hass_client)
    assert found["entry"]["state"] == "not_loaded"

    home.disconnect()
    await home.start()
    found = await dump(home, hass_client)
    assert found["entry"]["state"] == "setup_retry"
    (controller,) = found["controllers"]
    assert controller["lan_error"] == "UnreachableError"
    assert controller["last_exception"] == "UpdateFailed"
    failed = [each for each in controller["recording"] if each.get("error")]
    assert [(each["op"], each["of"], each["error"]) for each in failed] == [
        ("state", "", "UnreachableError"),
        ("GET", "dashboardInfo", "UnreachableError"),
    ]

    home.entry = home.service.entry(home.service.full)
    home.entry.add_to_hass(home.hass)
    found = await dump(home, hass_client)
    assert "controllers" not in found


@pytest.mark.parametrize("side", ["lan", "cloud"])
@pytest.mark.usefixtures("freezer")
async def test_a_fault_that_lasts_is_logged_once(
    small: Home, caplog: pytest.LogCaptureFixture, side: str
) -> None:
    """No line is logged twice; while another path works, nothing is logged."""
    faults = small.controller.faults if side == "lan" else small.cloud.faults
    slow = {"hang", "slow_headers", "busy"}  # they take time, which stands still
    for fault in sorted(faults.known.keys() - slow):
        caplog.clear()
        if side == "cloud":
            small.controller.faults.on("refuse")
        faults.on(fault)
        await small.advance(180, step=30)
        lines = Counter(
            line.getMessage()
            for line in caplog.records
            if line.name.startswith(PACKAGE) and line.levelno > logging.DEBUG
        )
        # A frame that cannot be decoded is worth a report.
        most = int(side == "cloud" or fault == "truncated_frame")
        assert max(lines.values(), default=0) <= most, (fault, lines)
        small.reconnect()
        await small.advance(60, step=30)
        assert small.source == "lan", fault
