"""State frames (layouts.md 2)."""

from contextlib import suppress
from dataclasses import fields, replace
import struct
from typing import Any

from hypothesis import example, given, settings, strategies as st
import pytest

from custom_components.poolctl.client.exceptions import FrameError
from custom_components.poolctl.client.frame import (
    Configuration,
    StateFrame,
    Telemetry,
    decode_frame,
)
from tests import simulator as sim

from .conftest import FRAMES

PAYLOADS = [bytes.fromhex(row["payload"]) for row in FRAMES]


def section_a(slots: int = 12) -> bytes:
    """Build a telemetry section in which every byte but the slot count is 1."""
    bitmap = (slots + 7) // 8
    return b"\x01" * 44 + bytes((slots,)) + b"\x63" * slots + b"\x01" * (bitmap + 4)


def section_b(slots: int = 12) -> bytes:
    """Build a configuration section, likewise."""
    return b"\x01" * 89 + bytes((slots,)) + b"\x1f" * slots


def frame(
    a: bytes | None = None, b: bytes | None = None, tail: bytes | None = None
) -> bytes:
    """Put a frame together from its sections."""
    mask, data = 0, b""
    for bit, layout, section in ((1, "<B", a), (2, "<H", b), (4, "<B", tail)):
        if section is not None:
            mask |= bit
            data += struct.pack(layout, len(section)) + section
    return bytes((1, mask)) + data


def known(section: Telemetry | Configuration) -> list[str]:
    """Name the attributes that are known."""
    names = (field.name for field in fields(section))
    return [name for name in names if getattr(section, name) is not None]


# Vectors


@pytest.mark.parametrize("row", FRAMES, ids=lambda row: row["counter"])
def test_vectors(row: dict[str, Any]) -> None:
    decoded = decode_frame(bytes.fromhex(row["payload"]))
    expect = row["expect"]
    for name in ("telemetry", "configuration"):
        section = getattr(decoded, name)
        if name not in expect:
            assert section is None
            continue
        for attribute, value in expect[name].items():
            found = getattr(section, attribute)
            assert (list(found) if isinstance(found, tuple) else found) == value, (
                attribute
            )
    timers = expect.get("timers")
    if timers is not None:
        timers = tuple(tuple(timer) for timer in timers)
    assert decoded.timers == timers


def test_sanitiser_output_is_read() -> None:
    """The one attribute that the vectors leave out."""
    telemetry = decode_frame(frame(b"\0" * 24 + b"\x34\x12" + b"\0" * 19)).telemetry
    assert telemetry is not None
    assert telemetry.sanitiser_output == 0x1234


@pytest.mark.parametrize("pool", [sim.Pool.small, sim.Pool.full])
def test_frames_of_the_simulator(pool: Any) -> None:
    """Two readings of the same tables agree."""
    controller = sim.Controller(pool=pool(), firmware="3.1.4")
    controller.pool.start_timer(3, 600)
    decoded = decode_frame(controller.signed_state()[5:-4])
    assert decoded.telemetry and decoded.configuration and decoded.timers
    slots = controller.pool.slots
    assert decoded.telemetry.aux_modes == tuple(slot.mode for slot in slots)
    assert decoded.telemetry.held_slots == (3,)
    assert decoded.configuration.aux_types == tuple(slot.aux_type for slot in slots)
    assert decoded.configuration.firmware == "3.1.4"
    assert decoded.configuration.pool_target == 28
    assert decoded.configuration.desired_ph == 7.4
    assert decoded.timers[0].slot == 3 and decoded.timers[0].duration == 600


# Nothing but FrameError


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.binary(max_size=300).map(lambda rest: b"\x01" + rest),
        st.tuples(st.integers(0, 255), st.binary(max_size=300)).map(
            lambda parts: bytes((1, parts[0])) + parts[1]
        ),
    )
)
@example(b"")
@example(b"\x01\x07")
def test_nothing_but_frame_error(payload: bytes) -> None:
    with suppress(FrameError):
        assert isinstance(decode_frame(payload), StateFrame)


@given(
    st.none() | st.binary(max_size=255),
    st.none() | st.binary(max_size=600),
    st.none() | st.binary(max_size=255),
)
def test_any_sections_decode(
    a: bytes | None, b: bytes | None, tail: bytes | None
) -> None:
    decoded = decode_frame(frame(a, b, tail))
    assert (decoded.telemetry is None) == (a is None)
    assert (decoded.configuration is None) == (b is None)


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_every_prefix_of_a_frame(payload: bytes) -> None:
    for end in range(len(payload)):
        with pytest.raises(FrameError):  # no vector has bytes past its last section
            decode_frame(payload[:end])


@pytest.mark.parametrize("version", [0, 2, 255])
def test_unknown_version(version: int) -> None:
    """Its lengths say what it holds, and the version goes along."""
    frame = decode_frame(bytes((version,)) + PAYLOADS[0][1:])
    assert frame == replace(decode_frame(PAYLOADS[0]), version=version)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\x01",
        b"\x01\x01",  # no length
        b"\x01\x01\x05abcd",
        b"\x01\x02\x01",  # half a length
        b"\x01\x02\x05\x00abcd",
        b"\x01\x02\x00\x01" + b"a" * 255,  # the length is two bytes
        b"\x01\x04",
        b"\x01\x04\x02\x00",
        frame(section_a(), section_b())[:-1],
        frame(section_a(), section_b(), b"\x00")[:-1],
    ],
)
def test_lengths_past_the_end(payload: bytes) -> None:
    with pytest.raises(FrameError):
        decode_frame(payload)


# Short sections, and bytes past them

TELEMETRY_ENDS = {
    "flags": 2,
    "water_temperature": 4,
    "ambient_temperature": 6,
    "ph": 7,
    "orp": 9,
    "flow_rate": 13,
    "pressure": 15,
    "pump_speed": 18,
    "pump_power": 20,
    "drive_temperature": 23,
    "main_pump_mode": 24,
    "sanitiser_output": 26,
    "flags2": 44,
    "aux_modes": 45 + 12,
    "held_slots": 45 + 12 + 2,
    "pump_cooldown_remaining": 45 + 12 + 4,
    "pump_priming_remaining": 45 + 12 + 6,
}
CONFIGURATION_ENDS = {
    "pool_target": 21,
    "spa_target": 22,
    "solar_selected": 23,
    "pool_heater_selected": 23,
    "spa_heater_selected": 23,
    "desired_ph": 38,
    "acid_drum_ml": 42,
    "acid_remaining_ml": 46,
    "desired_orp_mineral": 54,
    "desired_orp_liquid": 60,
    "chlorine_drum_ml": 66,
    "chlorine_remaining_ml": 70,
    "schedules_enabled": 86,
    "firmware": 89,
    "aux_types": 90 + 12,
}


def test_short_telemetry() -> None:
    whole = section_a()
    for end in range(len(whole) + 1):
        telemetry = decode_frame(frame(whole[:end])).telemetry
        assert telemetry is not None
        expected = [name for name, needed in TELEMETRY_ENDS.items() if end >= needed]
        assert known(telemetry) == expected, end


def test_short_configuration() -> None:
    whole = section_b()
    for end in range(len(whole) + 1):
        configuration = decode_frame(frame(b=whole[:end])).configuration
        assert configuration is not None
        wanted = [name for name, need in CONFIGURATION_ENDS.items() if end >= need]
        assert known(configuration) == wanted, end


def test_bytes_past_the_tables_are_ignored() -> None:
    plain = frame(section_a(), section_b(), b"\x01\x03\x0a\x00\x14\x00")
    more = frame(
        section_a() + b"abc", section_b() + b"abc", b"\x01\x03\x0a\x00\x14\x00abc"
    )
    assert decode_frame(plain) == decode_frame(more) == decode_frame(plain + b"abc")
    assert decode_frame(plain).timers == ((3, 10, 20),)


def test_unknown_sections_are_ignored() -> None:
    payload = bytearray(frame(section_a()))
    payload[1] |= 0xF8
    assert decode_frame(bytes(payload)) == decode_frame(frame(section_a()))


@pytest.mark.parametrize(("slots", "held"), [(8, 0xFF), (12, 0xFFFF), (37, 0)])
def test_the_bitmap_ends_with_the_slots(slots: int, held: int) -> None:
    section = bytearray(section_a(slots))
    bitmap = slice(45 + slots, 45 + slots + (slots + 7) // 8)
    section[bitmap] = held.to_bytes((slots + 7) // 8, "little")
    telemetry = decode_frame(frame(bytes(section))).telemetry
    assert telemetry is not None
    assert telemetry.held_slots == (tuple(range(slots)) if held else ())


def test_no_slots() -> None:
    telemetry = decode_frame(frame(section_a(0))).telemetry
    assert telemetry is not None
    assert (telemetry.aux_modes, telemetry.held_slots) == ((), ())
    assert telemetry.pump_priming_remaining == 0x0101


# The tail


@pytest.mark.parametrize(
    ("payload", "timers"),
    [
        (frame(), None),
        (frame(b=section_b()), None),  # nothing is said of timers
        (frame(section_a()), ()),  # telemetry without a tail: none runs
        (frame(section_a(), section_b()), ()),
        (frame(section_a(), tail=b"\x00"), ()),
        (frame(tail=b"\x00"), ()),
        (frame(section_a(), tail=b""), None),  # cut: unknown, not none
        (frame(section_a(), tail=b"\x01\x03\x0a\x00\x14"), None),
        (frame(tail=b"\x01\x03\x0a\x00\x14\x01"), ((3, 10, 276),)),
        (
            frame(section_a(), None, b"\x02\x03\x0a\x00\x14\x00\x24\xff\xff\xfe\xff"),
            ((3, 10, 20), (36, 0xFFFF, 0xFFFE)),
        ),
    ],
)
def test_timers(payload: bytes, timers: tuple[Any, ...] | None) -> None:
    assert decode_frame(payload).timers == timers
