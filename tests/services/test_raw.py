"""Raw access: a user's request reaches the controller unchanged and only once."""

from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import device_registry as dr
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.assistant.unchanged import unchanged
from tests.world.simulator import wire
from tests.world.simulator.schedules import Schedule

pytestmark = pytest.mark.usefixtures("quick")
few_platforms = only(Platform.SWITCH)

WATERFALL = 2


async def send(
    home: Home, action: str, name: str, payload: str | None = None, **how: Any
) -> Any:
    """Call one of the actions; return its response."""
    data: dict[str, Any] = {"name": name}
    if payload is not None:
        data["payload"] = payload
    answer = await home.act_on_device(action, **{"answers": True} | how, **data)
    return answer["response"] if answer else None


def only_request(home: Home, seen: int) -> tuple[str, str, bytes]:
    """Return what was sent after the first `seen` requests: one that succeeded."""
    (request,) = home.controller.requests[seen:]
    assert request.ok
    return request.op, request.name, request.payload or b""


async def test_an_action_and_the_state_in_its_reply(small: Home) -> None:
    """It is one request, and its reply is shown like that of any other command."""
    seen = len(small.controller.requests)
    response = await send(small, "send_action", "aux", "02 01\n01")
    assert only_request(small, seen) == ("a", "aux", b"\x02\x01\x01")
    assert small.pool.relays[WATERFALL]
    assert small.value("switch", f"slot_{WATERFALL}") == "on"
    frame = wire.decode_frame(bytes.fromhex(response))
    assert frame.aux_modes[WATERFALL] == 99
    # Without a wish for a response, there is none.
    assert await send(small, "send_action", "aux", "020001", answers=False) is None
    assert not small.pool.relays[WATERFALL]
    # A query has only its answer.
    seen = len(small.controller.requests)
    response = await send(small, "send_query", "pump_id")
    assert bytes.fromhex(response) == b"\x0eVariable Speed\x04Acme\x05VSX-2"
    assert only_request(small, seen) == ("q", "pump_id", b"")


async def test_actions_that_nobody_has_described(
    small: Home, subtests: pytest.Subtests
) -> None:
    for name in ("set_time", "evt_rewind"):
        for payload in (None, "", "  ", "00ff"):
            with subtests.test(name, payload=payload):
                seen = len(small.controller.requests)
                assert await send(small, "send_action", name, payload)
                sent = bytes.fromhex(payload or "")
                assert only_request(small, seen) == ("a", name, sent)


async def test_what_a_raw_action_changed_is_asked_for_anew(small: Home) -> None:
    """Names and schedules are queried again, because they may have changed."""
    record = wire.encode_record(Schedule(WATERFALL, 1, 0, 0, 600, 720, 127, "Splash"))
    await send(small, "send_action", "schedule", (b"\x00" + record).hex())
    assert small.pool.schedules[1].name == "Splash"
    seen = len(small.controller.requests)
    await small.refresh()
    await small.hass.async_block_till_done(wait_background_tasks=True)
    asked = {request.name for request in small.controller.requests[seen:]}
    assert {"aux_names", "schedules"} <= asked


async def test_a_refusal_is_an_error(small: Home, subtests: pytest.Subtests) -> None:
    for action, name, payload in (
        ("send_action", "no_such_action", "00"),
        ("send_action", "factory_reset", ""),
        ("send_action", "aux", "63 01 01"),
        ("send_action", "aux", "02"),
        ("send_query", "no_such_query", ""),
    ):
        with subtests.test(name, payload=payload):
            seen = len(small.controller.requests)
            with unchanged(small), failure("refused"):
                await send(small, action, name, payload)
            assert len(small.controller.requests) == seen + 1


async def test_what_is_not_sent(small: Home, subtests: pytest.Subtests) -> None:
    """Numbers are refused, because YAML drops the leading zeros of a payload."""
    for payload in ("0", "0x00", "zz", "00,01", "ä0", "0 0"):
        with subtests.test(payload):
            with failure("payload_not_hex", ServiceValidationError) as caught:
                await send(small, "send_action", "set_time", payload)
            assert "two digits" in str(caught.value)
    for data in ({"payload": 20101}, {"name": ""}, {"name": 1}):
        with subtests.test(str(data)), pytest.raises(ServiceValidationError):
            await small.act_on_device("send_action", **({"name": "set_time"} | data))
    assert small.actions == []


FAULTS = (
    # An action may have run: perhaps only its reply found no room.
    (("send_action",), "busy", "outcome_unknown"),
    (("send_query",), "busy", "busy"),
    (("send_action", "send_query"), "close_mid_body", "not_reached"),
    (("send_action", "send_query"), "bad_tag", "unexpected_answer"),
    (("send_action", "send_query"), "garbage", "unexpected_answer"),
    (("send_action", "send_query"), "refuse", "not_run"),
)


async def test_nothing_is_ever_sent_twice(
    small: Home, subtests: pytest.Subtests
) -> None:
    """Not even a request that certainly did not run: its effect is not documented."""
    small.clock.speed = 100  # `busy` is answered after 2 s
    rows = [(each, fault, key) for actions, fault, key in FAULTS for each in actions]
    for action, fault, key in rows:
        with subtests.test(action, fault=fault):
            name = "set_time" if action == "send_action" else "aux_names"
            small.controller.faults.on(fault)
            seen, asked = len(small.controller.requests), len(small.cloud.requests)
            with failure(key):
                await send(small, action, name, "00")
            sent = [r for r in small.controller.requests[seen:] if r.name == name]
            assert len(sent) == (0 if fault == "refuse" else 1)
            since = small.cloud.requests[asked:]
            assert not [r for r in since if r.method == "POST"]
        small.controller.faults.clear()


async def test_an_action_whose_reply_is_old_has_run(small: Home) -> None:
    """The action has run, but its old reply is not shown."""
    await small.refresh()  # so that there is an older frame
    small.controller.faults.on("replay")
    assert await send(small, "send_action", "aux", "020101") == ""
    assert small.pool.relays[WATERFALL]
    assert small.actions == ["aux"]


async def test_a_controller_without_lan(home: Home) -> None:
    await home.set_up()
    for action in ("send_action", "send_query"):
        with failure("not_supported", ServiceValidationError):
            await send(home, action, "aux_names")


async def test_devices_that_are_none_of_ours(small: Home) -> None:
    async def query(device_id: str) -> None:
        data = {"device_id": device_id, "name": "aux_names"}
        await small.hass.services.async_call(
            DOMAIN, "send_query", data, blocking=True, return_response=True
        )

    with failure("service_device_not_found", ServiceValidationError):
        await query("no such device")
    left_behind = dr.async_get(small.hass).async_get_or_create(
        config_entry_id=small.entry.entry_id,
        identifiers={(DOMAIN, "AA_BB_CC_00_00_09")},
    )
    with failure("controller_gone", ServiceValidationError):
        await query(left_behind.id)
