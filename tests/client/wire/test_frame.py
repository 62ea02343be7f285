"""State frames (protocol.md O2)."""

from collections.abc import Callable
from dataclasses import asdict
import struct
from typing import Any

import pytest

from custom_components.poolctl.client.wire.exceptions import FrameError
from custom_components.poolctl.client.wire.frame import (
    FRAME_VERSIONS,
    Configuration,
    Signals,
    Telemetry,
    decode_frame,
    decode_signals,
)
from custom_components.poolctl.client.wire.spans import documented_spans
from tests.client.conftest import FRAMES
from tests.world.simulator import wire


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


def known(section: Telemetry | Configuration | None) -> set[str]:
    """Return the names of the values that were decoded."""
    assert section is not None
    values = asdict(section)
    return {name for name, value in values.items() if value is not None}


# Vectors


@pytest.mark.parametrize("row", FRAMES, ids=lambda row: row["counter"])
def test_vectors(row: dict[str, Any]) -> None:
    decoded = decode_frame(bytes.fromhex(row["payload"]))
    expect = row["expect"]
    for section, name in (
        (decoded.telemetry, "telemetry"),
        (decoded.configuration, "configuration"),
    ):
        assert (section is None) is (name not in expect)
        found = {} if section is None else asdict(section)
        for attribute, value in expect.get(name, {}).items():
            assert found[attribute] == (
                tuple(value) if isinstance(value, list) else value
            ), attribute
    timers = expect.get("timers")
    assert decoded.timers == (timers if timers is None else tuple(map(tuple, timers)))


SPEEDS = ["start", "low", "medium", "high", "backwash", "cleaner"]


@pytest.mark.parametrize("row", FRAMES, ids=lambda row: row["counter"])
def test_what_the_installer_set(row: dict[str, Any]) -> None:
    """Our decoder and the simulator's agree on values that the vectors leave out."""
    payload = bytes.fromhex(row["payload"])
    fields = wire.decode_frame(payload).configuration
    ours = decode_frame(payload).configuration
    assert (ours is not None) is bool(fields)
    if ours is not None:
        assert ours.prime_time == fields.get("pump_prime_time")
        speeds = tuple(fields.get(f"speed_{name}") for name in SPEEDS)
        assert (ours.preset_speeds or (None,) * 6) == speeds


def test_values_that_the_vectors_leave_out() -> None:
    telemetry = decode_frame(frame(b"\0" * 24 + b"\x34\x12" + b"\0" * 19)).telemetry
    assert telemetry is not None and telemetry.sanitiser_output == 0x1234


# Short sections, and bytes past them

TELEMETRY_ENDS = """
flags 2, water_temperature 4, ambient_temperature 6, ph 7, orp 9, flow_rate 13,
pressure 15, pump_speed 18, pump_power 20, drive_temperature 23, main_pump_mode 24,
sanitiser_output 26, flags2 44, aux_modes 57, held_slots 59,
pump_cooldown_remaining 61, pump_priming_remaining 63
"""
CONFIGURATION_ENDS = """
prime_time 6, preset_speeds 12, pool_target 21, spa_target 22, solar_selected 23,
pool_heater_selected 23, spa_heater_selected 23, desired_ph 38, acid_drum_ml 42,
acid_remaining_ml 46, max_ph_doses 47, desired_orp_mineral 54, desired_orp_liquid 60,
chlorine_drum_ml 66, chlorine_remaining_ml 70, schedules_enabled 86, firmware 89,
aux_types 102
"""
"""Names of the values, and the length of a section of 12 slots that has them."""


@pytest.mark.parametrize("is_telemetry", [True, False])
def test_short_sections(is_telemetry: bool) -> None:
    ends = TELEMETRY_ENDS if is_telemetry else CONFIGURATION_ENDS
    needed = {name: int(end) for name, end in map(str.split, ends.split(","))}
    whole = section_a() if is_telemetry else section_b()
    for end in range(len(whole) + 1):
        wanted = {name for name, need in needed.items() if end >= need}
        if is_telemetry:
            assert known(decode_frame(frame(whole[:end])).telemetry) == wanted, end
        else:
            found = decode_frame(frame(b=whole[:end])).configuration
            assert known(found) == wanted, end


# The tail


@pytest.mark.parametrize(
    ("payload", "timers"),
    [
        (frame(), None),
        (frame(b=section_b()), None),  # timers are not reported
        (frame(section_a()), ()),  # telemetry without a tail: no timer runs
        (frame(section_a(), section_b()), ()),
        (frame(section_a(), tail=b"\x00"), ()),
        (frame(tail=b"\x00"), ()),
        (frame(section_a(), tail=b""), None),  # cut off: unknown
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


# Flags


SIGNALS: list[tuple[int, int, Callable[[Signals], bool | None]]] = [
    (0, 0, lambda signals: signals.pool_heater),
    (0, 1, lambda signals: signals.solar),
    (0, 2, lambda signals: signals.spa_heater),
    (0, 3, lambda signals: signals.ph_dosing),
    (0, 4, lambda signals: signals.chlorine_dosing),
    (0, 5, lambda signals: signals.chemistry_stable),
    (0, 10, lambda signals: signals.expanders[0]),
    (0, 11, lambda signals: signals.expanders[1]),
    (0, 15, lambda signals: signals.flow),
    (1, 0, lambda signals: signals.pump_cooling_down),
    (1, 1, lambda signals: signals.pump_priming),
    (1, 2, lambda signals: signals.wifi),
    (1, 3, lambda signals: signals.ethernet),
    (1, 4, lambda signals: signals.mqtt),
    (1, 5, lambda signals: signals.internet),
    (1, 7, lambda signals: signals.expanders[2]),
    (1, 8, lambda signals: signals.expanders[3]),
]
"""Word, bit and signal (protocol.md O2.1)."""


def signals_of(*words: int | None) -> list[bool | None]:
    """Return the signals of two words of flags, in the order of SIGNALS."""
    signals = decode_signals(*words)
    assert len(signals.expanders) == 4
    return [read(signals) for _, _, read in SIGNALS]


def test_each_bit_of_the_flags() -> None:
    for word in (0, 1):
        for bit in range(16):
            words = [0, 0]
            words[word] = 1 << bit
            meant = [(word, bit) == (place, at) for place, at, _ in SIGNALS]
            assert signals_of(*words) == meant
            inverse = [0xFFFF & ~word for word in words]
            assert signals_of(*inverse) == [not each for each in meant]


def test_flags_that_are_not_reported() -> None:
    assert decode_signals(None, None) == Signals()
    assert signals_of(0, None) == [None if word else False for word, _, _ in SIGNALS]


@pytest.mark.row("L20")
@pytest.mark.parametrize(
    ("bits", "problem"), [(3, False), (0, True), (1, True), (2, True)]
)
def test_dry_run(bits: int, problem: bool) -> None:
    """Both bits set means normal, whatever the other bits are."""
    for others in (0, 0x9FFF):
        signals = decode_signals(bits << 13 | others, 0)
        assert signals.dry_run is problem
        assert signals.retries_exceeded is (bits == 1)
    assert decode_signals(None, 0xFFFF).dry_run is None


# Newer firmware (L3, L29)


@pytest.mark.row("L3")
def test_another_version() -> None:
    """It is decoded if its lengths are known, and refused if it is another in both."""
    a, b = section_a(), section_b()
    for sections in ((a, b), (a, None), (None, b), (None, None)):
        whole = frame(*sections)
        for version in (0, 2, 255):
            assert decode_frame(bytes((version,)) + whole[1:]) == decode_frame(whole)
    for sections in ((a + b"\0", b), (a, b + b"\0"), (a[:-1], b), (a[:9], None)):
        whole = frame(*sections)
        assert decode_frame(whole)
        for version in (0, 2, 255):
            with pytest.raises(FrameError):
                decode_frame(bytes((version,)) + whole[1:])


@pytest.mark.row("L3")
def test_a_second_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version in which pH and ORP have changed places, and is longer."""
    monkeypatch.setitem(FRAME_VERSIONS, 200, {"ph": 8, "orp": 6, "prime_time": 0})
    a = bytearray(section_a() + b"\0")
    a[6:9] = (700).to_bytes(2, "little") + b"\x48"
    decoded = decode_frame(b"\xc8" + frame(bytes(a), b"\x05\0" + section_b()[2:])[1:])
    assert decoded.telemetry is not None and decoded.configuration is not None
    assert (decoded.telemetry.ph, decoded.telemetry.orp) == (7.2, 700)
    assert decoded.configuration.prime_time == 5
    assert decoded.telemetry.flow_rate == 0x0101


@pytest.mark.row("L29")
@pytest.mark.parametrize("slots", [1, 12, 37])
@pytest.mark.parametrize("before", [b"", b"\0\0", b"\x07", b"\x0c\xff\x63\x25"])
@pytest.mark.parametrize("after", [b"", b"\0\0", b"Villa Rosa"])
def test_a_longer_telemetry(slots: int, before: bytes, after: bytes) -> None:
    """More bytes before the slots or after the times; only they are not documented."""
    a, b, tail = section_a(slots), section_b(slots), b"\x01\x03\x0a\x00\x14\x00"
    longer = frame(a[:44] + before + a[44:] + after, b, tail)
    assert decode_frame(longer) == decode_frame(frame(a, b, tail))
    documented = sum(end - start for start, end in documented_spans(longer))
    assert (documented == len(longer)) is not (before + after != b"")


@pytest.mark.row("L29")
def test_a_longer_telemetry_alone() -> None:
    """Without section B, where its slots are is not clear, and so not reported."""
    longer = frame(section_a()[:44] + b"\0\0" + section_a()[44:])
    telemetry = decode_frame(longer).telemetry
    assert telemetry is not None and telemetry.flow_rate is not None
    assert telemetry.aux_modes is telemetry.held_slots is None
    # Another frame has reported the number of slots.
    assert decode_frame(longer, 12) == decode_frame(frame(section_a()))
