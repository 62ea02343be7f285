"""Raw access: what a person composed reaches the controller as it is, once."""

from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import (
    HomeAssistantError,
    ServiceValidationError,
    Unauthorized,
)
from homeassistant.helpers import device_registry as dr
import probatio as vol
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller, wire
from tests.simulator.schedules import Schedule

from .conftest import Service, entity_id, set_up, value

pytestmark = pytest.mark.usefixtures("quick")

WATERFALL = 2


def device(hass: HomeAssistant, entry: MockConfigEntry, controller: Controller) -> str:
    """Return the device of a controller."""
    found = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, controller.device_id), entry.entry_id
    )
    assert found is not None
    return found.id


async def send(
    hass: HomeAssistant,
    action: str,
    device_id: str,
    name: str,
    payload: str | None = None,
    *,
    response: bool = True,
    context: Context | None = None,
) -> Any:
    """Call one of the actions; return its response."""
    data = {"device_id": device_id, "name": name}
    if payload is not None:
        data["payload"] = payload
    answer = await hass.services.async_call(
        DOMAIN, action, data, blocking=True, return_response=response, context=context
    )
    return answer["response"] if answer else None


async def test_an_action_and_the_state_in_its_reply(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """It is one request, and its reply is shown like that of any other command."""
    device_id = device(hass, small, service.small)
    seen = len(service.small.requests)
    response = await send(hass, "send_action", device_id, "aux", "02 01\n01")
    (request,) = service.small.requests[seen:]
    assert (request.op, request.name, request.payload) == ("a", "aux", b"\x02\x01\x01")
    assert service.small.pool.relays[WATERFALL]
    assert value(hass, "switch", service.small, f"slot_{WATERFALL}") == "on"
    frame = wire.decode_frame(bytes.fromhex(response))
    assert frame.telemetry is not None
    assert frame.telemetry.aux_modes[WATERFALL] == 99


async def test_an_action_without_a_wish_for_a_response(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    device_id = device(hass, small, service.small)
    nothing = await send(
        hass, "send_action", device_id, "aux", "020101", response=False
    )
    assert nothing is None
    assert service.small.pool.relays[WATERFALL]


@pytest.mark.parametrize("name", ["set_time", "evt_rewind"])
@pytest.mark.parametrize("payload", [None, "", "  ", "00ff"])
async def test_actions_that_nobody_has_described(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    name: str,
    payload: str | None,
) -> None:
    device_id = device(hass, small, service.small)
    assert await send(hass, "send_action", device_id, name, payload)
    request = service.small.requests[-1]
    assert (request.op, request.name, request.ok) == ("a", name, True)
    assert request.payload == bytes.fromhex(payload or "")


async def test_a_query(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    device_id = device(hass, small, service.small)
    seen = len(service.small.requests)
    response = await send(hass, "send_query", device_id, "pump_id")
    assert bytes.fromhex(response) == b"\x0eVariable Speed\x04Acme\x05VSX-2"
    (request,) = service.small.requests[seen:]
    assert (request.op, request.name, request.payload) == ("q", "pump_id", b"")


async def test_what_a_raw_action_changed_is_asked_for_anew(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """Names, schedules and settings may be others than they were."""
    device_id = device(hass, small, service.small)
    record = wire.encode_record(Schedule(WATERFALL, 1, 0, 0, 600, 720, 127, "Splash"))
    await send(hass, "send_action", device_id, "schedule", (b"\x00" + record).hex())
    assert service.small.pool.schedules[1].name == "Splash"
    seen = len(service.small.requests)
    await hass.services.async_call(
        "button",
        "press",
        {"entity_id": entity_id(hass, "button", service.small, "refresh")},
        blocking=True,
    )
    await hass.async_block_till_done(wait_background_tasks=True)
    asked = {request.name for request in service.small.requests[seen:]}
    assert {"aux_names", "schedules"} <= asked


# Refusals


@pytest.mark.parametrize(
    ("action", "name", "payload"),
    [
        ("send_action", "no_such_action", "00"),
        ("send_action", "factory_reset", ""),
        ("send_action", "aux", "63 01 01"),
        ("send_action", "aux", "02"),
        ("send_query", "no_such_query", ""),
    ],
)
async def test_a_refusal_is_told(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    action: str,
    name: str,
    payload: str,
) -> None:
    device_id = device(hass, small, service.small)
    seen = len(service.small.requests)
    with pytest.raises(HomeAssistantError) as caught:
        await send(hass, action, device_id, name, payload)
    assert caught.value.translation_key == "refused"
    assert len(service.small.requests) == seen + 1


@pytest.mark.parametrize("payload", ["0", "0x00", "zz", "00,01", "ä0", "0 0"])
async def test_what_is_not_hex(
    hass: HomeAssistant, service: Service, small: MockConfigEntry, payload: str
) -> None:
    device_id = device(hass, small, service.small)
    seen = len(service.small.requests)
    with pytest.raises(ServiceValidationError) as caught:
        await send(hass, "send_action", device_id, "set_time", payload)
    assert caught.value.translation_key == "payload_not_hex"
    assert "two digits" in str(caught.value)
    assert len(service.small.requests) == seen


async def test_what_is_too_large(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """The longest that fits is sent, one byte more is not (interface.md 8)."""
    device_id = device(hass, small, service.small)
    frame = len(b'{"op": "a", "name": "set_time", "env": ""}')
    longest = (1024 - frame) // 2 - 9
    await send(hass, "send_action", device_id, "set_time", "00" * longest)
    assert len(service.small.requests[-1].payload or b"") == longest
    seen = len(service.small.requests)
    with pytest.raises(ServiceValidationError) as caught:
        await send(hass, "send_action", device_id, "set_time", "00" * (longest + 1))
    assert caught.value.translation_key == "request_too_large"
    assert caught.value.translation_placeholders is not None
    assert caught.value.translation_placeholders["limit"] == "1024"
    assert len(service.small.requests) == seen


@pytest.mark.parametrize("data", [{"payload": 20101}, {"name": ""}, {"name": 1}])
async def test_what_is_no_text(
    hass: HomeAssistant, service: Service, small: MockConfigEntry, data: dict[str, Any]
) -> None:
    """YAML makes numbers of some payloads: their leading zeros would be lost."""
    data = {
        "device_id": device(hass, small, service.small),
        "name": "set_time",
        **data,
    }
    with pytest.raises(vol.Invalid):
        await hass.services.async_call(DOMAIN, "send_action", data, blocking=True)


@pytest.mark.parametrize("action", ["send_action", "send_query"])
@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ("close_mid_body", "not_reached"),
        ("refuse", "not_reached"),
        ("busy", "busy"),
        ("bad_tag", "unexpected_answer"),
        ("garbage", "unexpected_answer"),
    ],
)
async def test_nothing_is_ever_sent_twice(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    action: str,
    fault: str,
    key: str,
) -> None:
    """Not even where it was certainly not run: nobody knows what it does."""
    service.clock.speed = 100  # `busy` is answered after 2 s
    device_id = device(hass, small, service.small)
    name = "set_time" if action == "send_action" else "aux_names"
    service.small.faults.on(fault)
    seen, asked = len(service.small.requests), len(service.cloud.requests)
    with pytest.raises(HomeAssistantError) as caught:
        await send(hass, action, device_id, name, "00")
    assert caught.value.translation_key == key
    sent = [r for r in service.small.requests[seen:] if r.name == name]
    assert len(sent) == (0 if fault == "refuse" else 1)
    assert not [r for r in service.cloud.requests[asked:] if r.method == "POST"]


async def test_an_action_whose_reply_is_old_has_run(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """Its effect just cannot be read: there is no response worth showing."""
    device_id = device(hass, small, service.small)
    service.small.faults.on("replay")
    assert await send(hass, "send_action", device_id, "aux", "020101") == ""
    assert service.small.pool.relays[WATERFALL]


async def test_a_controller_without_lan(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    entry = service.entry()
    await set_up(hass, service, entry)
    for action in ("send_action", "send_query"):
        with pytest.raises(ServiceValidationError) as caught:
            await send(hass, action, device(hass, entry, service.small), "aux_names")
        assert caught.value.translation_key == "not_supported"


async def test_devices_that_are_none_of_ours(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    with pytest.raises(ServiceValidationError) as caught:
        await send(hass, "send_query", "no such device", "aux_names")
    assert caught.value.translation_key == "service_device_not_found"
    left_behind = dr.async_get(hass).async_get_or_create(
        config_entry_id=small.entry_id, identifiers={(DOMAIN, "AA_BB_CC_00_00_09")}
    )
    with pytest.raises(ServiceValidationError) as caught:
        await send(hass, "send_query", left_behind.id, "aux_names")
    assert caught.value.translation_key == "controller_gone"


@pytest.mark.parametrize("action", ["send_action", "send_query"])
async def test_only_administrators(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    hass_read_only_user: User,
    hass_admin_user: MockUser,
    action: str,
) -> None:
    device_id = device(hass, small, service.small)
    name = "set_time" if action == "send_action" else "aux_names"
    seen = len(service.small.requests)
    with pytest.raises(Unauthorized):
        await send(
            hass, action, device_id, name, context=Context(hass_read_only_user.id)
        )
    assert len(service.small.requests) == seen
    await send(hass, action, device_id, name, context=Context(hass_admin_user.id))
    assert len(service.small.requests) == seen + 1
