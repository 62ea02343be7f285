"""The flight recorder: bounded, sufficient for a report, and without private data."""

from contextlib import suppress
from dataclasses import replace
import json
import random
from typing import Any

from aiohttp import ClientSession
from freezegun.api import FrozenDateTimeFactory
import pytest

from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.endpoints import READS, WRITES
from custom_components.poolctl.client.facts import Change, Facts, Frame, LanRequest
from custom_components.poolctl.client.wire.commands import (
    encode_aux,
    encode_cmd,
    encode_schedule_create,
    encode_schedule_update,
)
from custom_components.poolctl.client.wire.envelope import unwrap
from custom_components.poolctl.client.wire.exceptions import PoolctlError
from custom_components.poolctl.report.masks import (
    masked_answer,
    masked_frame,
    masked_reply,
)
from custom_components.poolctl.report.recorder import (
    MAX_BYTES,
    MAX_EVENTS,
    REPEATED_AFTER,
    Recorder,
)
from custom_components.poolctl.report.statistics import Observers
from tests.client.conftest import RawServer, Rig, Service, some_token
from tests.client.control.schedule_changes import EVENING
from tests.world import simulator as sim
from tests.world.simulator import actions, wire
from tests.world.simulator.dialects import Dialect as L


class Secrets:
    """Secret texts, which can be searched for in recordings."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def new(self, form: str = "Zq{}Räuber") -> str:
        self.made.append(form.format(len(self.made)))
        return self.made[-1]

    def found_in(self, *recordings: object) -> list[str]:
        """Return the secrets in recordings: as text, as escaped JSON or as hex."""
        recorded = json.dumps(recordings, ensure_ascii=False).lower()
        return [
            text
            for text in self.made
            if text.lower() in recorded
            or json.dumps(text)[1:-1].lower() in recorded
            or text.encode().hex() in recorded
        ]


def events(recorder: Recorder, kind: str) -> list[Any]:
    """Return the events of a kind."""
    recorded: list[Any] = recorder.as_list()
    return [each for each in recorded if each["event"] == kind]


async def attempt(doing: Any) -> None:
    with suppress(PoolctlError):
        await doing


@pytest.mark.parametrize(
    "dialect",
    [None, L.LONGER_REPLIES, L.LONGER_RECORDS, L.FRAME_VERSION_2, L.SCHEDULES_ODD],
)
async def test_nothing_private_of_a_controller(
    pool: Rig,
    observers: Observers,
    monkeypatch: pytest.MonkeyPatch,
    dialect: L | None,
) -> None:
    """No text of a controller is recorded, wherever a reply or command has it."""
    secrets, controller = Secrets(), pool.pool
    if dialect is not None:
        controller.dialects.add(dialect)
    for slot in controller.pool.slots:
        slot.name = secrets.new()
    for schedule in controller.pool.schedules:
        schedule.name = secrets.new()
    controller.pool.pump_identity = (secrets.new(), secrets.new(), secrets.new())
    body: dict[str, Any] = {"owner": secrets.new(), "ph_dosing": True}
    body["nested"] = [{"phone": int(secrets.new("49151234{:04}"))}, secrets.new()]
    body["place"] = {"lat": float(secrets.new("47.37{:04}")), secrets.new(): 1}
    monkeypatch.setitem(
        actions.QUERIES, "get_ph_settings", lambda pool: wire.encode_json(body, True)
    )
    secrets.made += [controller.key.hex(), controller.device_id, controller.hostname]
    assert len(secrets.made) > 45
    lan = pool.controller.paths.lan
    assert lan is not None
    for name in actions.QUERIES:
        await attempt(lan.query(name))
    for fault in ("bad_tag", "truncated_frame", "replay", "html", "garbage", "refuse"):
        controller.faults.on(fault)
        await attempt(lan.state())
        await attempt(lan.query("aux_names"))
        controller.faults.clear()
    named = replace(EVENING, name=secrets.new())
    for command, payload in (
        ("aux", encode_aux(3, True, True)),
        ("schedule", encode_schedule_create(named)),
        ("schedule", encode_schedule_update(1, replace(named, name=secrets.new()))),
        ("cmd", encode_cmd("set_name", {"name": secrets.new(), "a": [secrets.new()]})),
        ("cmd", encode_cmd(secrets.new(), {secrets.new(): 1})),
        (secrets.new(), secrets.new().encode()),
        ("schedule", secrets.new().encode()),
    ):
        await attempt(lan.raw_action(command, payload))
    recorder = observers.recorders[controller.device_id]
    assert len(events(recorder, "command")) == 7
    assert len(events(recorder, "request")) > 5 and events(recorder, "frame")
    assert not secrets.found_in(recorder.as_list())


async def test_nothing_private_of_a_service(
    raw: RawServer, session: ClientSession, observers: Observers
) -> None:
    """No text of an answer is recorded: of JSON, damaged JSON, pages or errors."""
    secrets = Secrets()
    device_id = secrets.new("AA_BB_CC_DD_EE_{:02}")
    address = f"http://127.0.0.1:{raw.port}"
    for number in range(24):
        # A new client, as it does not request again what is not offered.
        cloud = CloudClient(session, address, some_token, observers.facts)
        note = {"words": secrets.new(), "id": [secrets.new("{:011}")], "actual_ph": 72}
        note[secrets.new()] = {"key_hex": secrets.new(), "at": device_id}
        answer: Any = {"data": {"dashboard": note, "scheduleInfo": note}}
        answer |= {"status": "SUCCESS", "message": secrets.new()}
        body = json.dumps(answer, ensure_ascii=number % 2 > 0)
        if number % 5 == 4:
            body = body[: -random.Random(number).randrange(1, 60)] + secrets.new()
        if number % 7 == 6:
            body = f"<html>{secrets.new()} {body}"
        raw.say((200, 200, 403, 404, 500, 429)[number % 6], body)
        for doing in (
            cloud.dashboard(device_id),
            cloud.read(device_id, [*READS][number % len(READS)]),
            cloud.write(device_id, WRITES[number % len(WRITES)], {"a": secrets.new()}),
            cloud.envelope_key(device_id),
            cloud.inventory(),
            cloud.user_id(),
        ):
            await attempt(doing)
    secrets.made += [str(raw.port), "token"]
    assert len(secrets.made) > 120
    recordings = [each.as_list() for each in observers.recorders.values()]
    assert len(events(observers.recorders[device_id], "command")) > 6
    assert not secrets.found_in(*recordings)


def test_it_is_bounded() -> None:
    draw, facts = random.Random(3), Facts()
    recorder = Recorder(facts)
    for number in range(600):
        payload = draw.randbytes(draw.choice((2, 223, 16_000)))
        facts.emit(Frame(number, payload, float(number), False))
        facts.emit(Change("a" * draw.randrange(100), number))
        if number % 20 == 0:
            assert len(recorder.as_list()) <= MAX_EVENTS
    recorded = recorder.as_list()
    assert len(recorded) <= MAX_EVENTS
    size = len(json.dumps(recorded, separators=(",", ":")))
    assert size <= MAX_BYTES + MAX_EVENTS + 2
    recorder = Recorder(facts := Facts())
    for number in range(1000):
        facts.emit(Frame(number, bytes((1, number % 7)), 0.0, False))
    counters = [each["counter"] for each in events(recorder, "frame")]
    assert counters == [*range(1000 - MAX_EVENTS, 1000)]


async def test_frames_that_changed(pool: Rig, observers: Observers) -> None:
    """A changed output or setting is recorded at once, readings every five minutes."""
    recorder = observers.recorders[pool.pool.device_id]
    facts = pool.service.facts(pool.pool.device_id)
    *_, before = frames = events(recorder, "frame")
    warmer = bytearray.fromhex(before["payload"])
    warmer[5] ^= 1
    for number, seconds in enumerate((-5, 5)):
        at = before["at"] + REPEATED_AFTER + seconds
        facts.emit(Frame(number, bytes(warmer), at, False))
        assert len(events(recorder, "frame")) == len(frames) + number
    assert events(recorder, "frame")[-1]["payload"] == warmer.hex()
    await pool.controller.outputs.switch(3, True)
    assert len(events(recorder, "frame")) > len(frames) + 1
    (command,) = events(recorder, "command")
    assert command["of"] == "aux" and command["payload"] == "030101"
    assert (command["route"], command["error"]) == ("lan", None)
    assert bytes.fromhex(command["reply"])[:1] == b"\x01"


async def test_errors_are_recorded_once(small: Rig, observers: Observers) -> None:
    """An error is recorded once, and so is its end: a day without LAN is two events."""
    recorder = observers.recorders[small.pool.device_id]
    small.pool.faults.on("refuse")
    for _ in range(5):
        await small.polls(30)
    small.pool.faults.clear()
    await small.polls(30)
    requests = [each for each in events(recorder, "request") if each["op"] == "state"]
    assert [each["error"] for each in requests] == ["UnreachableError", None]
    changes = [each for each in events(recorder, "change") if each["what"] == "source"]
    assert [each["to"] for each in changes] == ["lan", "cloud", "lan"]


@pytest.mark.parametrize(
    ("name", "reply", "masked"),
    [
        ("aux_names", b"\x02\x04Pump\x00", b"\x02\x04xxxx\x00"),
        ("aux_names", b"\x02\x04Pump\x00Villa", b"\x02\x04xxxx\x00xxxxx"),
        ("aux_names", b"\x03\x04Pump\x09Villa", b"\x03\x04xxxx\x09xxxxx"),
        ("aux_names", b"Villa \x00\x01\x02Rosa", b"xxxxxx\x00\x01\x02xxxx"),
        ("pump_id", b"\x01A\x02BC\x00", b"\x01x\x02xx\x00"),
        ("pump_id", b"\x0cSingle Speed\x03Spa\x00", b"\x0cSingle Speed\x03xxx\x00"),
        ("cmd", b'\x03set{"d": "b"}', b'\x03xxx{"d": "x"}'),
        ("cmd", b'\x0dv2_manual_set{"slot": 1}', b'\x0dv2_manual_set{"slot": 1}'),
        ("aux", b"\x01\x01\x01", b"\x01\x01\x01"),
        ("x", b"Villa \x00\x01\x02Rosa", b"x" * 13),
        ("x", b"\x12\x34", b"xx"),
    ],
)
def test_masks(name: str, reply: bytes, masked: bytes) -> None:
    assert masked_reply(name, reply) == masked
    assert len(masked) == len(reply)


JSON_AND_ITS_MASK = """
{"d": {"actual_ph": 7.25, "category": "Villa"}}
{"d": {"actual_ph": 7.25, "category": "xxxxx"}}
{"d": "Vil\\"la", "b
{"d": "xxxxxxx", "x
{"AA_BB_01_02": true, n: null}
{"xxxxxxxxxxx": true, x: null}
{"lat": 47.38, "lng": -8.5, "b": 7}
{"xxx": 99.99, "xxx": -9.9, "x": 9}
{"Villa": {"zip": 8005}}
{"xxxxx": {"xxx": 9999}}
{"d_ph": [8005, "Villa"], "d_ph":74}
{"d_ph": [9999, "xxxxx"], "d_ph":74}
{"slot": 49151234, "slot": 4.1234}
{"slot": 99999999, "slot": 9.9999}
{"deviceId": 123, "sub": 42}
{"deviceId": 999, "sub": 99}
[8005, -8.5, 1e5, 007]
[9999, -9.9, 9e9, 999]
{"message":"Villa is busy, retry after 5s"}
{"message":"xxxxxxxxxxxxxxxretry after 5s"}
{"category": "spa"}
{"category": "spa"}
"""


def test_masks_of_json() -> None:
    lines = iter(JSON_AND_ITS_MASK.strip().encode().split(b"\n"))
    for reply, masked in zip(lines, lines, strict=True):
        assert masked_reply("x", reply) == masked


def test_masks_of_frames() -> None:
    """Documented parts are kept byte for byte; texts anywhere else are masked."""
    controller = sim.Controller(pool=sim.Pool.full())
    payload = unwrap(controller.key, controller.signed_state("state").hex()).payload
    assert len(payload) > 200 and masked_frame(payload) == payload
    for more in (b"", b"\0\0", b"\x07", b"\x0c\xff\x63\x25"):  # of a newer firmware
        head = bytes((*payload[:2], payload[2] + len(more))) + payload[3:47]
        longer = head + more + payload[47:] + b"Villa Rosa"
        assert masked_frame(longer) == longer[:-10] + b"x" * 10
    for names in (b"\x25\x08", b"\x01\x01\x20", b"\x01\x04\x02"):
        assert b"Rosa" not in masked_frame(names + b"Villa Rosa, the owner's pool pump")
    assert masked_answer(b"") == b"" == masked_frame(b"")


async def test_an_hour_leaves_room_for_a_day(
    freezer: FrozenDateTimeFactory, service: Service, observers: Observers
) -> None:
    lan = service.lan_client(service.full)
    recorder = observers.recorders[service.full.device_id]
    for _ in range(120):
        freezer.tick(30)
        service.clock.advance(30)
        await lan.state()
    assert len(recorder.as_list()) <= 20


def test_the_newest_reply_stays() -> None:
    """Reports need it (such as schedules), and it is recorded only when it changes."""
    facts = Facts()
    recorder = Recorder(facts)
    for reply in (b"\x00\x00\x00", b"\x01A\x02BC\x00"):
        facts.emit(LanRequest("q", "pump_id", b"", None, reply, 0.1, None))
    for seconds in range(MAX_EVENTS + 1):
        facts.emit(Change("source", seconds))
    assert len(recorder.as_list()) == MAX_EVENTS + 1
    first: Any = recorder.as_list()[0]
    assert (first["of"], first["reply"]) == ("pump_id", "017802787800")
