"""The LAN endpoint over raw sockets: protocol.md 4.2, 7.2 and 8, rule by rule."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
import json
from pathlib import Path
from typing import Any

import pytest

from tests.world.simulator import Clock, Controller, Pool, wire
from tests.world.simulator.lan import ERRORS, PATH
from tests.world.simulator.mdns import SERVICE, announced
from tests.world.simulator.raw import Reply, Signer, exchange, request, until
from tests.world.simulator.visitors import Announcement

pytestmark = pytest.mark.usefixtures("socket_enabled")

KEY = bytes(range(16, 32))
STATE = b'{"op":"state","name":"","env":""}'
NO: dict[str, Any] = {"ok": False}


@pytest.fixture
async def controller() -> AsyncGenerator[Controller]:
    controller = Controller(key=KEY, pool=Pool.full(), clock=Clock())
    await controller.start()
    yield controller
    await controller.stop()
    assert controller.clock.waiting == 0


def body(size: int) -> bytes:
    """Build a state request of an exact size."""
    return STATE + b" " * (size - len(STATE))


@dataclass(frozen=True)
class Rule:
    """A request, and its outcome according to protocol.md 7.2."""

    id: str
    data: bytes
    status: int = 200
    err: str | None = None  # None: a good answer
    eof: bool = False
    wait: float = 0  # seconds until the controller answers
    fault: str = ""


RULES = [
    Rule("a state read", request(STATE)),
    Rule("path: a v1 command", request(STATE, path="/ctrl/1/state"), 403,
         "not served on LAN"),
    Rule("path: the root", request(STATE, path="/"), 403, "not served on LAN"),
    Rule("path: with a query", request(STATE, path=PATH + "?a"), 403,
         "not served on LAN"),
    Rule("path before method", request(method="GET", path="/"), 403,
         "not served on LAN"),
    Rule("method: GET", request(method="GET", length=None), 405, "POST only"),
    Rule("method: PUT", request(STATE, method="PUT"), 405, "POST only"),
    Rule("length: missing", request(STATE, length=None), 400, "invalid Content-Length"),
    Rule("length: 0", request(length=0), 400, "invalid Content-Length"),
    Rule("length: negative", request(STATE, length=-5), 400, "invalid Content-Length"),
    Rule("length: no number", request(STATE, length="x"), 400, "invalid Content-Length"),
    Rule("length: 1025", request(body(1025)), 400, "invalid Content-Length"),
    Rule("length: 1024", request(body(1024))),
    Rule("length: 1", request(b"{"), 200, "bad json"),
    Rule("length: twice", request(STATE).replace(b"Host: pool", b"Content-Length: 9"), 400,
         "invalid Content-Length"),
    Rule("json: NaN", request(b'{"op":"state","name":"","env":NaN}'), 200, "bad json"),
    Rule("json: infinity", request(b'{"op":"state","x":-Infinity}'), 200, "bad json"),
    Rule("body: short", request(STATE, length=100), 400, "short body", eof=True),
    Rule("body: stalled", request(STATE, length=100), 400, "short body", wait=3),
    Rule("headers: slow", b"POST /ctrl/2/lan/pv2 HTTP/1.1\r\n", 408, "slow headers",
         wait=3),
    Rule("headers: nothing at all", b"", 408, "slow headers", wait=3),
    Rule("json: none", request(b"hello"), 200, "bad json"),
    Rule("json: no object", request(b"[1]"), 200, "bad json"),
    Rule("json: cut", request(STATE[:-1]), 200, "bad json"),
    Rule("json: deep", request(b"[" * 1024), 200, "bad json"),
    Rule("json: not UTF-8", request(b'{"op":"\xff"}'), 200, "bad json"),
    Rule("op: unknown", request(b'{"op":"x","name":"","env":""}'), 200, "bad op"),
    Rule("op: missing", request(b'{"name":"","env":""}'), 200, "bad op"),
    Rule("op: no text", request(b'{"op":["state"]}'), 200, "bad op"),
    Rule("no buffer", request(STATE), 200, "busy", wait=2, fault="busy"),
    Rule("slow", request(STATE), 408, "slow headers", wait=3, fault="slow_headers"),
]  # fmt: skip


async def wait(
    controller: Controller, answer: asyncio.Task[Reply], seconds: float
) -> None:
    """Let some seconds pass, in which no answer comes."""
    await until(lambda: controller.clock.waiting == 1)
    await asyncio.sleep(0.02)  # until the controller has read the headers
    controller.clock.advance(seconds - 0.5)
    await asyncio.sleep(0.01)
    assert not answer.done()
    controller.clock.advance(0.5)


@pytest.mark.row(
    "4.2 row 1",
    "7.2 row 1",
    "7.2 row 2",
    "7.2 row 3",
    "7.2 row 4",
    "7.2 row 5",
    "7.2 row 6",
    "7.2 row 7",
    "7.2 row 8",
    "8 row 12",
    "8 row 13",
    "8 row 14",
)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
async def test_rule(controller: Controller, rule: Rule) -> None:
    """Every request gets its status and error."""
    if rule.fault:
        controller.faults.once(rule.fault)
    task = asyncio.create_task(exchange(controller, rule.data, eof=rule.eof))
    if rule.wait:
        await wait(controller, task, rule.wait)
    leapt = Clock.leapt
    reply = await task
    # The test loop leaps to the next timer, so a busy machine does not count here.
    assert Clock.leapt - leapt < 0.4
    assert reply.status == rule.status
    assert reply.headers["connection"] == "close"
    assert int(reply.headers["content-length"]) == len(reply.body)
    if rule.err is None:
        assert reply.json.keys() == {"env"}
    else:
        assert reply.json == {"ok": False, "err": rule.err}
        assert ERRORS[rule.err] == rule.status
    recorded = controller.requests[-1]
    assert (recorded.ok, recorded.err) == (rule.err is None, rule.err)


def test_announcements(controller: Controller) -> None:
    """The manifest names the service; both interfaces are in one (protocol.md 2.8)."""
    assert SERVICE == "_ctrl._tcp.local."
    text = Path("custom_components/poolctl/manifest.json").read_text()
    assert [each["type"] for each in json.loads(text)["zeroconf"]] == [SERVICE]
    one = Announcement.of(controller)
    both = replace(one, host="127.0.0.2", other_hosts=("127.0.0.3",))
    assert announced(both).parsed_addresses() == ["127.0.0.2", "127.0.0.3"]


def test_every_error_has_a_rule() -> None:
    assert {rule.err for rule in RULES} >= {*ERRORS}


@pytest.mark.row("4.2 row 2", "5.2 rule 1", "5.2 rule 4")
async def test_state_needs_no_credential_and_is_signed(controller: Controller) -> None:
    client = Signer(controller)
    replies = [await client.state() for _ in range(2)]
    envelopes = [
        wire.unwrap(KEY, wire.from_hex(reply.json["env"])) for reply in replies
    ]
    assert [counter for counter, _ in envelopes] == [1001, 1002]
    frame = client.frame(replies[0])
    assert frame.telemetry and frame.configuration
    assert frame.aux_types[0] == 31


@pytest.mark.row("4.2 row 3")
async def test_aux_answers_with_the_state_after_it(controller: Controller) -> None:
    client = Signer(controller)
    for on in (True, False):
        reply = await client.action("aux", wire.encode_aux(3, on))
        assert reply.json["ok"] is True
        frame = client.frame(reply)
        assert frame.configuration
        assert frame.aux_modes[3] == (99 if on else 0)
        assert frame.held_slots == [3]
        assert controller.pool.slots[3].on is on


def envelope(counter: int = 1, payload: bytes = b"", key: bytes = KEY) -> str:
    return wire.wrap(key, counter, payload).hex()


AUX = wire.encode_aux(3, True)
REFUSED = {
    "no envelope": ("a", "aux", ""),
    "not hex": ("a", "aux", "xyz"),
    "odd hex": ("a", "aux", envelope(payload=AUX)[:-1]),
    "bad tag": ("a", "aux", envelope(payload=AUX)[:-2] + "00"),
    "another key": ("a", "aux", envelope(payload=AUX, key=bytes(16))),
    "replayed counter": ("a", "aux", envelope(0, AUX)),
    "unknown action": ("a", "dance", envelope()),
    "unknown query": ("q", "dance", envelope()),
    "reserved action": ("a", "factory_reset", envelope()),
    "reserved query": ("q", "service_mode", envelope()),
    "reserved command": ("a", "cmd", envelope(1, wire.encode_cmd("set_key", {}))),
    "unknown command": ("a", "cmd", envelope(1, wire.encode_cmd("dance", {}))),
    "command without a body": ("a", "cmd", envelope(1, b"\x0dv2_manual_set")),
    "an action asked as a query": ("q", "aux", envelope(payload=AUX)),
    "a declined slot": ("a", "aux", envelope(1, wire.encode_aux(4, True))),
    "a payload too short": ("a", "aux", envelope(1, AUX[:2])),
}


@pytest.mark.row("4.2 rule 1", "4.2 rule 2", "4.2 rule 10", "7.2 row 9")
@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
async def test_refusals_look_all_the_same(
    controller: Controller, case: tuple[str, str, str]
) -> None:
    """Every refusal is `{ok:false}` and nothing else, with status 200."""
    before = controller.pool.relays
    reply = await Signer(controller).call(*case)
    assert (reply.status, reply.json) == (200, NO)
    assert controller.pool.relays == before
    assert not controller.requests[-1].ok


@pytest.mark.row("4.2 rule 4", "5.2 rule 2")
async def test_strict_counter(controller: Controller) -> None:
    """Actions and queries share one strict counter."""
    client = Signer(controller)
    oks = []
    for counter, op, name in (
        (50, "a", "set_time"), (50, "a", "set_time"), (49, "q", "aux_names"),
        (51, "q", "aux_names"), (51, "a", "set_time"), (9000, "a", "evt_rewind"),
        (52, "q", "aux_names"),
    ):  # fmt: skip
        reply = await client.call(op, name, envelope(counter))
        oks.append(reply.json != NO)
    assert oks == [True, False, False, True, False, True, False]


@pytest.mark.row("4.2 row 4")
async def test_query(controller: Controller) -> None:
    client = Signer(controller)
    for name, first in (
        *(("aux_names", 37), ("pump_id", len("Variable Speed")), ("schedules", 20)),
        *((f"get_{part}_settings", ord("{")) for part in ("ph", "chlorine")),
        *(("v2_temp_get", ord("{")), ("get_pool_light_switch_mode", ord("{"))),
    ):
        reply = await client.query(name)
        assert reply.json.keys() == {"env"}
        payload = client.payload(reply)
        assert payload[0] == first
        if first == ord("{"):
            answer = json.loads(payload)
            assert answer.get("d", answer)
        assert len(reply.body) < 16 * 1024


@pytest.mark.row("4.2 rule 8", "8 row 15")
async def test_one_request_at_a_time(controller: Controller) -> None:
    first = asyncio.create_task(exchange(controller, b""))
    await until(lambda: controller.clock.waiting == 1)
    second = asyncio.create_task(exchange(controller, request(STATE)))
    await asyncio.sleep(0.02)
    assert not second.done()
    controller.clock.advance(3)
    assert (await first).status == 408
    assert (await second).status == 200


@pytest.mark.row("4.2 rule 9")
async def test_refuse_closes_the_port_and_opens_it_again(
    controller: Controller,
) -> None:
    port, faults = controller.port, controller.faults
    for _ in range(3):
        faults.on("refuse")
        with pytest.raises(ConnectionRefusedError):
            await exchange(controller, request(STATE))
        faults.off("refuse")
        assert (await exchange(controller, request(STATE))).status == 200
    faults.on("refuse")
    faults.off("refuse")
    faults.on("refuse")
    faults.clear()
    assert (await exchange(controller, request(STATE))).status == 200
    assert controller.port == port
