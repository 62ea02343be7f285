"""Tables of binary sections: decoding at every length, and checks at import."""

from dataclasses import dataclass

import pytest

from custom_components.poolctl.client.wire.layout import (
    ANYTHING,
    Between,
    Layout,
    Row,
    Section,
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
ENDS = ((1, 7), (3, 30.0), (7, -1), (9, b"\x02\x03"))
"""The end of each value in DATA, and the value."""


@dataclass(frozen=True)
class Part:
    """The fields that LAYOUT fills, and one more."""

    mode: int | None
    count: int | None
    warmth: float | None
    version: bytes | None = None
    extra: str | None = None


NAMES = ["mode", "count", "warmth", "version", "extra"]
OTHER = Layout(Row("extra", "B", possible=frozenset({"x"})))
SECTION = Section(Part, NAMES, LAYOUT)


def test_a_section_that_ends_early() -> None:
    """At every length, complete values are decoded, and half a value is unknown."""
    assert len(DATA) == LAYOUT.size == 10
    for length in range(len(DATA) + 1):
        told = [value if end <= length else None for end, value in ENDS]
        assert LAYOUT.unpack(DATA[:length]) == told, length


def test_bytes_past_a_section() -> None:
    assert LAYOUT.unpack(DATA + b"more") == [value for _, value in ENDS]


def test_only_a_divisor_makes_a_fraction() -> None:
    count, warmth, *_ = LAYOUT.unpack(DATA)
    assert (type(count), type(warmth)) == (int, float)
    assert LAYOUT.unpack(b"\x00\x00\x00")[:2] == [0, 0.0]


def test_little_endian_without_gaps() -> None:
    assert Layout(Row("a", "B"), Row("b", "I")).unpack(b"\x01\x02\0\0\0") == [1, 2]


def test_a_layout_without_rows() -> None:
    assert Layout().unpack(b"") == Layout(skip(2)).unpack(b"") == []
    assert (Layout().size, Layout(skip(2)).size) == (0, 2)


def test_what_is_skipped_has_no_name() -> None:
    assert [row.name for row in LAYOUT.rows] == ["count", "warmth", "mode", "version"]


# A section and its dataclass


@pytest.mark.parametrize(
    "names",
    [
        [],
        NAMES[:-1],  # one field is missing, even where it has a default
        [*NAMES, "more"],
        [*NAMES[:-1], "extras"],
        [*NAMES, "extra"],
        ["count", "mode", *NAMES[2:]],  # it is built by position
        [name.upper() for name in NAMES],
    ],
    ids=str,
)
def test_a_table_that_does_not_fit_its_dataclass(names: list[str]) -> None:
    with pytest.raises(TypeError, match="Part"):
        Section(Part, names, LAYOUT)


def test_a_part_is_made_by_position() -> None:
    part = SECTION.make(1, 2, 30.0, b"v", "x")
    assert part == Part(mode=1, count=2, warmth=30.0, version=b"v", extra="x")


def test_what_cannot_be_is_unknown() -> None:
    possible = Part(mode=-1, count=20, warmth=0.0, version=b"", extra="anything")
    assert SECTION.plausible(possible) == possible
    odd = Part(mode=0, count=21, warmth=40.6, version=b"\xff", extra="")
    assert SECTION.plausible(odd) == Part(None, None, None, b"\xff", "")
    unknown = Part(None, None, None)
    assert SECTION.plausible(unknown) == unknown


def test_each_value_has_its_own_bounds() -> None:
    good = Part(mode=1, count=1, warmth=1)
    assert SECTION.plausible(Part(mode=2, count=1, warmth=1)) == Part(None, 1, 1)
    assert SECTION.plausible(Part(mode=1, count=0, warmth=1)) == Part(1, None, 1)
    assert SECTION.plausible(Part(mode=1, count=1, warmth=-1)) == Part(1, 1, None)
    assert SECTION.plausible(good) == good


def test_the_bounds_of_several_layouts() -> None:
    section = Section(Part, NAMES, LAYOUT, OTHER)
    odd = Part(mode=1, count=0, warmth=1, extra="y")
    assert section.plausible(odd) == Part(1, None, 1)
    good = Part(mode=1, count=1, warmth=1, extra="x")
    assert section.plausible(good) == good


def test_plausible_takes_what_has_more_fields() -> None:
    """Further fields are left out, as those of telemetry are from the readings."""

    @dataclass(frozen=True)
    class More(Part):
        more: int = 7

    told = SECTION.plausible(More(mode=1, count=0, warmth=1))
    assert type(told) is Part
    assert told == Part(1, None, 1)


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
