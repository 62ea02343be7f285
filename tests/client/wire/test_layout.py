"""Tables of binary sections: decoding at every length, and bounds."""

import pytest

from custom_components.poolctl.client.wire.frame import (
    Configuration,
    Readings,
    Telemetry,
    plausible,
)
from custom_components.poolctl.client.wire.layout import (
    ANYTHING,
    Between,
    Layout,
    Row,
    skip,
)

LAYOUT = Layout(
    Row("count", "B", possible=Between(1, 20)),
    Row("warmth", "H", 10, Between(0, 40.5)),
    skip(3),
    Row("mode", "b", possible=frozenset({-1, 1})),
    Row("version", "2s"),
    skip(1),
)
DATA = b"\x07\x2c\x01\xee\xee\xee\xff\x02\x03\xee"
ENDS = {
    "count": (1, 7),
    "warmth": (3, 30.0),
    "mode": (7, -1),
    "version": (9, b"\x02\x03"),
}
"""The end of each value in DATA, and the value."""


def test_a_section_that_ends_early() -> None:
    """At every length, complete values are decoded, and half a value is unknown."""
    assert len(DATA) == LAYOUT.size == 10
    for length in range(len(DATA) + 1):
        expected = {
            name: value if end <= length else None
            for name, (end, value) in ENDS.items()
        }
        assert LAYOUT.unpack(DATA[:length]) == expected, length


def test_bytes_past_a_section() -> None:
    assert LAYOUT.unpack(DATA + b"more") == LAYOUT.unpack(DATA)


def test_only_a_divisor_makes_a_fraction() -> None:
    values = LAYOUT.unpack(DATA)
    assert (type(values["count"]), type(values["warmth"])) == (int, float)
    assert LAYOUT.unpack(b"\0\0\0")["warmth"] == 0.0


def test_little_endian_without_gaps() -> None:
    layout = Layout(Row("a", "B"), Row("b", "I"))
    assert layout.unpack(b"\x01\x02\0\0\0") == {"a": 1, "b": 2}


# What is plausible


def test_impossible_values_are_unknown() -> None:
    possible = Readings(ph=7.4, orp=0, water_temperature=100, main_pump_mode=99)
    assert plausible(Readings, possible) == possible
    odd = Readings(ph=14.1, orp=0xFFFF, water_temperature=100.1, main_pump_mode=21)
    assert plausible(Readings, odd) == Readings()


def test_each_value_has_its_own_bounds() -> None:
    odd = Configuration(pool_target=0, desired_ph=7.2, acid_drum_ml=0xFFFF_FFFF)
    assert plausible(Configuration, odd) == Configuration(desired_ph=7.2)


def test_plausible_leaves_out_other_fields() -> None:
    """As those of telemetry are from the readings."""
    readings = plausible(Readings, Telemetry(ph=7.4, orp=0xFFFF, aux_modes=(1, 2)))
    assert type(readings) is Readings
    assert readings == Readings(ph=7.4)


# Bounds


@pytest.mark.parametrize(
    ("value", "possible"),
    [
        (0.1, True),
        (14, True),
        (7, True),
        (0.0999, False),
        (0, False),
        (14.0001, False),
        (-7, False),
        (float("nan"), False),
        (float("inf"), False),
        (None, False),
        ("7", False),
        ([7], False),
    ],
)
def test_between(value: object, possible: bool) -> None:
    assert (value in Between(0.1, 14)) is possible


@pytest.mark.parametrize("value", [None, 0, -1, float("nan"), "", [], False])
def test_anything(value: object) -> None:
    assert value in ANYTHING
    assert value in Row("free", "B").possible
