"""Faults of a controller's LAN, and events such as restarts, moves and new keys."""

import asyncio
from collections.abc import AsyncGenerator
import json

import pytest

from tests.world.simulator import Clock, Controller, Pool, wire
from tests.world.simulator.lan import FAULTS
from tests.world.simulator.raw import Reply, Signer, exchange, request, until

pytestmark = pytest.mark.usefixtures("socket_enabled")

KEY = bytes(range(16, 32))
STATE = b'{"op":"state","name":"","env":""}'
AUX = wire.encode_aux(3, True)
NO = {"ok": False}


@pytest.fixture
async def controller() -> AsyncGenerator[Controller]:
    controller = Controller(key=KEY, pool=Pool.full(), clock=Clock())
    await controller.start()
    yield controller
    await controller.stop()
    assert controller.clock.waiting == 0


# --- Faults -----------------------------------------------------------------------


async def test_refuse_closes_the_port_and_opens_it_again(
    controller: Controller,
) -> None:
    """protocol.md 4.2 rule 9."""
    port = controller.port
    for _ in range(3):
        controller.faults.on("refuse")
        with pytest.raises(ConnectionRefusedError):
            await exchange(controller, request(STATE))
        controller.faults.off("refuse")
        assert (await exchange(controller, request(STATE))).status == 200
    controller.faults.on("refuse")
    controller.faults.off("refuse")
    controller.faults.on("refuse")
    controller.faults.clear()
    assert (await exchange(controller, request(STATE))).status == 200
    assert controller.port == port


async def test_reset_and_hang(controller: Controller) -> None:
    controller.faults.once("reset")
    with pytest.raises(ConnectionResetError):
        await exchange(controller, request(STATE))
    controller.faults.once("hang")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await exchange(controller, request(STATE))
    assert (await exchange(controller, request(STATE))).status == 200
    assert [item.ok for item in controller.requests] == [False, True]


@pytest.mark.parametrize(
    ("fault", "seconds", "status", "err"),
    [("busy", 2, 200, "busy"), ("slow_headers", 3, 408, "slow headers")],
)
async def test_slow_faults(
    controller: Controller, fault: str, seconds: float, status: int, err: str
) -> None:
    """The error comes after these seconds (protocol.md 7.2 row 8, 8 row 14)."""
    controller.faults.once(fault)
    task = asyncio.create_task(exchange(controller, request(STATE)))
    await until(lambda: controller.clock.waiting == 1)
    await asyncio.sleep(0.02)  # until the controller has read the headers
    controller.clock.advance(seconds - 0.5)
    await asyncio.sleep(0.01)
    assert not task.done()
    controller.clock.advance(0.5)
    reply = await task
    assert (reply.status, reply.json) == (status, {"ok": False, "err": err})


def verified(reply: Reply, key: bytes = KEY) -> tuple[int, bytes]:
    return wire.unwrap(key, wire.from_hex(reply.json["env"]))


async def test_faults_instead_of_an_answer(controller: Controller) -> None:
    before = controller.pool.relays
    client = Signer(controller)
    replies = {}
    for fault in ("redirect", "html", "garbage", "oversized"):
        controller.faults.once(fault)
        replies[fault] = await client.action("aux", AUX)
    assert replies["redirect"].status == 302 and replies["redirect"].headers["location"]
    assert replies["html"].headers["content-type"] == "text/html"
    assert len(replies["oversized"].body) > 16 * 1024
    with pytest.raises(ValueError, match="Expecting"):
        _ = replies["garbage"].json
    assert controller.pool.relays == before


async def test_faults_of_the_envelope(controller: Controller) -> None:
    client = Signer(controller)
    first = await client.state()
    for fault in ("bad_tag", "wrong_key"):
        controller.faults.once(fault)
        with pytest.raises(wire.WireError):
            verified(await client.state())
    controller.faults.once("replay", 2)
    assert [(await client.state()).body for _ in range(2)] == [first.body] * 2
    controller.faults.once("truncated_frame")
    with pytest.raises(wire.WireError):
        client.frame(await client.state())
    controller.faults.once("no_config")
    assert client.frame(await client.state()).configuration is None
    counter, _ = verified(await client.state())
    assert counter == 1008


async def test_an_answer_cut_in_the_middle_is_an_action_done(
    controller: Controller,
) -> None:
    controller.faults.once("close_mid_body")
    reply = await Signer(controller).action("aux", AUX)
    assert len(reply.body) < int(reply.headers["content-length"])
    assert controller.pool.slots[3].on


async def test_decline_and_ignore(controller: Controller) -> None:
    client = Signer(controller)
    controller.faults.once("decline")
    assert (await client.action("aux", AUX)).json == NO
    controller.faults.once("ignore_writes")
    assert (await client.action("aux", AUX)).json["ok"] is True
    assert not controller.pool.slots[3].on
    assert (await client.action("aux", AUX)).json["ok"] is True
    assert controller.pool.slots[3].on


async def test_a_fault_at_one_name_only(controller: Controller) -> None:
    client = Signer(controller)
    controller.faults.on("garbage", "get_ph_settings")
    assert (await client.state()).json
    assert (await client.query("schedules")).json
    with pytest.raises(json.JSONDecodeError):
        _ = (await client.query("get_ph_settings")).json


def test_every_fault_is_told_of() -> None:
    assert all(FAULTS.values())


# --- Life -------------------------------------------------------------------------


@pytest.mark.parametrize("times", [1, 2])
async def test_restart(controller: Controller, times: int) -> None:
    client = Signer(controller)
    await client.state()
    for _ in range(times):
        controller.restart(counter=7)
    assert verified(await client.state())[0] == 8
    texts = wire.encode_texts(("Variable Speed", "Single Speed", ""))
    assert client.payload(await client.query("pump_id")) == texts
    controller.clock.advance(61)
    assert client.payload(await client.query("pump_id")) != texts


@pytest.mark.parametrize("forgets", [True, False])
async def test_doses_and_a_restart(controller: Controller, forgets: bool) -> None:
    client = Signer(controller)
    controller.pool.acid.doses = controller.pool.chlorine.doses = 3
    controller.restart(forget_doses=forgets)
    for query in ("get_ph_settings", "get_chlorine_settings"):
        told = client.payload(await client.query(query))
        assert b'"current_dose_today":%d' % (0 if forgets else 3) in told


async def test_rotate_key(controller: Controller) -> None:
    old = Signer(controller)
    env = old.envelope(AUX)
    controller.rotate_key(bytes(16))
    assert (await old.call("a", "aux", env)).json == NO
    assert verified(await old.state(), bytes(16))
    assert (await old.action("aux", AUX)).json["ok"] is True


async def test_move(controller: Controller) -> None:
    old, told = controller.port, []

    async def hook(moved: Controller) -> None:
        told.append(moved.port)

    controller.moved.append(hook)
    await controller.move("127.0.0.1")
    assert told == [controller.port] != [old]
    assert (await exchange(controller, request(STATE))).status == 200
    other = Controller(device_id="AA_BB_CC_00_00_02", port=old)
    await other.start()
    assert (await exchange(other, request(STATE))).status == 200
    await other.stop()


async def test_old_firmware_does_not_serve_the_lan(controller: Controller) -> None:
    old = Controller(firmware="2.5.45", port=controller.port)
    assert not old.serves_lan
    await old.start()  # although the port is taken
    await old.stop()


async def test_the_cloud_shares_the_counter(controller: Controller) -> None:
    """Another client's command makes this client look replayed (protocol.md O1)."""
    client = Signer(controller, counter=100)
    await client.action("aux", AUX)
    await controller.tell(lambda pool: None, "setPumpInfo")
    assert (await client.action("aux", AUX)).json == NO
    assert (await client.action("aux", AUX)).json["ok"] is True


def test_identity() -> None:
    controller = Controller(device_id="AA_BB_CC_0A_0B_0C")
    assert controller.mac == "aabbcc0a0b0c"
    assert controller.hostname == "ctrl-0a0b0c.local"
    with pytest.raises(ValueError, match="device id"):
        Controller(device_id="aa:bb:cc:0a:0b:0c")
