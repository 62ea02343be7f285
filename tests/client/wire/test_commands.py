"""Action payloads and query replies (protocol.md O3 and O4)."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.poolctl.client.wire.commands import (
    PumpIdentity,
    decode_aux_names,
    decode_json,
    decode_pump_id,
    decode_schedules,
    encode_aux,
    encode_cmd,
    encode_record,
    encode_schedule_create,
    encode_schedule_delete,
    encode_schedule_enable,
    encode_schedule_update,
)
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    ReplyError,
)
from custom_components.poolctl.client.wire.json_values import clean_text
from custom_components.poolctl.client.wire.schedule import Schedule
from tests.client.conftest import COMMANDS, FRAMES
from tests.world.simulator import schedules as sim_schedules, wire

REPLIES = {row["query"]: bytes.fromhex(row["payload"]) for row in COMMANDS["replies"]}
FIELDS = ("slot", "aux_type", "turnover", "speed", "start", "end", "weekdays", "name")
GOOD = Schedule(slot=7, aux_type=31, start=480, end=1080, weekdays=31, name="Früh")


def on_the_wire(schedule: Schedule) -> dict[str, Any]:
    """Return the fields of a record."""
    return {k: v for k, v in asdict(schedule).items() if k != "received_name"}


def record(values: list[Any]) -> Schedule:
    """Make a schedule of a vector's record."""
    return Schedule(**dict(zip(FIELDS, values, strict=True)))


DECODERS: dict[str, Callable[[bytes], Any]] = {
    "aux_names": lambda data: [*decode_aux_names(data)],
    "pump_id": lambda data: [*asdict(decode_pump_id(data)).values()],
    "schedules": lambda data: [on_the_wire(one) for one in decode_schedules(data)],
    "get_ph_settings": decode_json,
    "get_chlorine_settings": decode_json,
}
ENCODERS: dict[str, Callable[[Any], bytes]] = {
    "aux": lambda it: encode_aux(it["slot"], it["on"], it["precedence"]),
    "cmd": lambda it: encode_cmd(it["command"], it["body"]),
    "create": lambda it: encode_schedule_create(record(it["record"])),
    "update": lambda it: encode_schedule_update(it["index"], record(it["record"])),
    "delete": lambda it: encode_schedule_delete(it["index"]),
    "enable": lambda it: encode_schedule_enable(it["index"], it["enabled"]),
}


# Actions


@pytest.mark.row("4.2 rule 4", "4.2 rule 5")
@pytest.mark.parametrize("row", COMMANDS["actions"], ids=lambda row: row["payload"][:8])
def test_actions(row: dict[str, Any]) -> None:
    encode = ENCODERS[row["args"].get("verb", row["name"])]
    assert encode(row["args"]).hex() == row["payload"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: encode_aux(-1, True, True),
        lambda: encode_aux(256, True, True),
        lambda: encode_schedule_delete(-1),
        lambda: encode_schedule_delete(256),
        lambda: encode_schedule_enable(256, True),
        lambda: encode_schedule_update(256, GOOD),
        lambda: encode_schedule_update(0, replace(GOOD, name="é" * 128)),
        lambda: encode_cmd("x" * 256, {}),
    ],
)
def test_values_out_of_range(call: Callable[[], bytes]) -> None:
    with pytest.raises(InvalidCommandError):
        call()


# Replies


@pytest.mark.parametrize("row", COMMANDS["replies"], ids=lambda row: row["query"])
def test_replies(row: dict[str, Any]) -> None:
    assert DECODERS[row["query"]](REPLIES[row["query"]]) == row["expect"]


@pytest.mark.parametrize("query", REPLIES)
def test_only_a_whole_reply_decodes(query: str) -> None:
    """Bytes past a list are no reply, those past an identity are ignored."""
    decode, payload = DECODERS[query], REPLIES[query]
    for end in range(len(payload)):
        with pytest.raises(ReplyError):
            decode(payload[:end])
    if query in ("aux_names", "schedules"):
        with pytest.raises(ReplyError):
            decode(payload + b"abcde")
    elif query == "pump_id":
        assert decode(payload) == decode(payload + b"abc")


DIRTY = "![x](http://evil.example)\x00\u202e<b>"
CLEAN = "!(x)(http: //evil.example) \u2039b\u203a"


def test_names_are_clean() -> None:
    """No text of a controller reaches a dialog as a link or as Markdown."""
    assert decode_aux_names(b"\x01\x03a\xffb") == ("a\ufffdb",)  # not UTF-8
    assert decode_aux_names(wire.encode_names([DIRTY])) == (CLEAN,)
    assert decode_pump_id(wire.encode_texts([DIRTY] * 3)) == PumpIdentity(*[CLEAN] * 3)
    record = sim_schedules.Schedule(1, 1, 0, 0, 600, 720, 127, DIRTY)
    (schedule,) = decode_schedules(wire.encode_schedules([record]))
    assert schedule.name == CLEAN


# Round trips with the simulator's own encoder

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
byte, minute = st.integers(0, 255), st.integers(0, 0xFFFF)


@given(st.lists(names, max_size=37))
def test_aux_names_round_trip(texts: list[str]) -> None:
    expected = tuple(map(clean_text, texts))
    assert decode_aux_names(wire.encode_names(texts)) == expected


@given(
    st.lists(
        st.builds(
            Schedule,
            **dict.fromkeys(("slot", "aux_type", "turnover", "speed"), byte),
            **dict.fromkeys(("start", "end"), minute),
            weekdays=byte,
            name=names,
            enabled=st.booleans(),
        ),
        max_size=20,
    )
)
def test_schedules_round_trip(wanted: list[Schedule]) -> None:
    records = [sim_schedules.Schedule(**on_the_wire(one)) for one in wanted]
    decoded = decode_schedules(wire.encode_schedules(records))
    cleaned = [replace(one, name=clean_text(one.name)) for one in wanted]
    assert [*map(on_the_wire, decoded)] == [*map(on_the_wire, cleaned)]
    assert [one.written_name for one in decoded] == [one.name for one in wanted]
    for one, other in zip(wanted, records, strict=True):
        assert encode_record(one) == wire.encode_record(other)


@pytest.mark.parametrize("decode", [decode_aux_names, decode_schedules])
@pytest.mark.parametrize("frame", [bytes.fromhex(row["payload"]) for row in FRAMES])
def test_a_state_frame_is_no_reply(
    decode: Callable[[bytes], object], frame: bytes
) -> None:
    """A state frame that is replayed as a reply does not remove names or schedules."""
    with pytest.raises(ReplyError):
        decode(frame)


RECORD = replace(record([36, 2, 0, 60, 0, 24 * 60, 127, "Filter"]), enabled=True)


@pytest.mark.parametrize(
    ("changes", "possible"),
    [
        ({}, True),
        ({"start": 24 * 60 + 1}, False),
        ({"end": 24 * 60 + 1}, False),
        ({"slot": 37}, False),
        ({"weekdays": 128}, False),
        ({"slot": 99, "start": 0xFFFF, "weekdays": 255}, True),
    ],
)
def test_records_before_bytes_that_nobody_knows(
    changes: dict[str, Any], possible: bool
) -> None:
    """Bytes after the last record are accepted only if every record is plausible."""
    one = replace(RECORD, **changes)
    reply = wire.encode_schedules([sim_schedules.Schedule(**on_the_wire(one))])
    assert decode_schedules(reply) == (one,)
    with nullcontext() if possible else pytest.raises(ReplyError):
        assert decode_schedules(reply + b"\1") == (one,)
