"""The simulator's codec against the known answers (protocol.md O1 to O4)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.world.simulator import wire
from tests.world.simulator.schedules import Schedule

FIXTURES = Path(__file__).parents[2] / "fixtures"
COMMANDS: dict[str, Any] = json.loads((FIXTURES / "commands.json").read_text())
FRAMES: list[dict[str, Any]] = json.loads((FIXTURES / "state_frames.json").read_text())
KEY = bytes.fromhex(COMMANDS["key"])


@pytest.mark.row("4.2 rule 6", "4.2 rule 7", "5.2 rule 5")
@pytest.mark.parametrize(
    "case", COMMANDS["envelopes"]["valid"], ids=lambda case: case["why"]
)
def test_valid_envelope(case: dict[str, Any]) -> None:
    data, payload = wire.from_hex(case["envelope"]), bytes.fromhex(case["payload"])
    assert wire.unwrap(KEY, data) == (case["counter"], payload)
    assert wire.wrap(KEY, case["counter"], payload) == data


@pytest.mark.row("5.2 rule 5")
@pytest.mark.parametrize(
    "case", COMMANDS["envelopes"]["invalid"], ids=lambda case: case["why"]
)
def test_invalid_envelope(case: dict[str, Any]) -> None:
    with pytest.raises(wire.WireError):
        wire.unwrap(KEY, wire.from_hex(case["envelope"]))


def encoded_action(name: str, args: dict[str, Any]) -> bytes:
    if name == "aux":
        return wire.encode_aux(args["slot"], args["on"], args["precedence"])
    if name == "cmd":
        return wire.encode_cmd(args["command"], args["body"])
    verb = ("create", "update", "delete", "enable").index(args["verb"])
    payload = bytes([verb])
    payload += bytes(
        args[part] for part in ("index", "enabled") if args.get(part) is not None
    )
    if "record" in args:
        payload += wire.encode_record(Schedule(*args["record"]))
    return payload


@pytest.mark.row("4.2 rule 3", "4.2 rule 4", "4.2 rule 5")
@pytest.mark.parametrize("case", COMMANDS["actions"], ids=lambda case: case["payload"])
def test_action(case: dict[str, Any]) -> None:
    args, payload = case["args"], bytes.fromhex(case["payload"])
    assert encoded_action(case["name"], args) == payload
    env = wire.from_hex(case["request"]["env"])
    assert wire.unwrap(KEY, env) == (case["counter"], payload)
    if case["name"] == "aux":
        assert wire.decode_aux(payload) == tuple(args.values())
    elif case["name"] == "cmd":
        assert wire.decode_cmd(payload) == (args["command"], args["body"])
    elif "record" in args:
        skip = 2 if "index" in args else 1
        record, rest = wire.decode_record(payload[skip:])
        assert (record, rest) == (Schedule(*args["record"]), b"")


def encoded_reply(query: str, expect: Any) -> bytes:
    if query == "aux_names":
        return wire.encode_names(expect)
    if query == "pump_id":
        return wire.encode_texts(expect)
    if query == "schedules":
        rows = [{**row, "enabled": bool(row["enabled"])} for row in expect]
        return wire.encode_schedules([Schedule(**row) for row in rows])
    return wire.encode_json(expect, wrapped=query == "get_ph_settings")


@pytest.mark.parametrize("case", COMMANDS["replies"], ids=lambda case: case["query"])
def test_reply(case: dict[str, Any]) -> None:
    payload = encoded_reply(case["query"], case["expect"])
    assert payload.hex() == case["payload"]
    assert wire.wrap(KEY, case["counter"], payload).hex() == case["envelope"]


UNITS = {
    "water_temperature": 10,
    "ambient_temperature": 100,
    "ph": 10,
    "desired_ph": 10,
}
"""Factors of the fields on the wire that are not whole units."""


def on_the_wire(expect: dict[str, Any], table: wire.Table) -> dict[str, int | None]:
    """Return known answers with the names and units of a table; `None` if cut off."""
    answers = {name.removesuffix("_ml"): value for name, value in expect.items()}
    return {
        name: None if value is None else round(value * UNITS.get(name, 1))
        for name, value in answers.items()
        if name in dict(table) and not isinstance(value, list)
    }


@pytest.mark.parametrize("case", FRAMES, ids=lambda case: case["envelope"][:10])
def test_state_frame(case: dict[str, Any]) -> None:
    envelope = wire.from_hex(case["envelope"])
    counter, payload = wire.unwrap(bytes.fromhex(case["key"]), envelope)
    assert (counter, payload.hex()) == (case["counter"], case["payload"])
    frame, expect = wire.decode_frame(payload), case["expect"]
    telemetry, configuration = expect.get("telemetry"), expect.get("configuration")
    for fields, section, table in (
        (frame.telemetry, telemetry, wire.TELEMETRY + wire.RUNS),
        (frame.configuration, configuration, wire.CONFIGURATION),
    ):
        wanted = on_the_wire(section or {}, table)
        assert bool(fields) is bool(wanted)
        assert {name: fields.get(name) for name in wanted} == wanted
    if telemetry:
        assert frame.aux_modes == telemetry["aux_modes"]
        assert frame.held_slots == telemetry["held_slots"]
        assert [list(timer) for timer in frame.timers] == expect["timers"]
    if configuration:
        assert frame.aux_types == configuration["aux_types"]
