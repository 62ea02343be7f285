"""Holds: their storage, evidence, states and ends, case by case."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.holds.claim import End, Known
from custom_components.poolctl.client.holds.decide import Seen
from custom_components.poolctl.client.holds.evidence import seen
from custom_components.poolctl.client.holds.hold import Hold
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.schedule import BLANK

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
YEAR = 366 * 24 * 3600
LIGHT, WATERFALL = 1, 2
AT = 10_000.0
HOLD = Hold(slot=WATERFALL, on=True, since=NOW, sent_at=97.0, state=Known.REQUESTED)

# Storage

LEAST: dict[str, object] = {
    "slot": 0,
    "on": True,
    "since": "2026-11-22T09:00:00+00:00",
    "until": None,
    "end": "never",
    "needed": True,
    "by_cloud": False,
    "lasts": None,
    "schedules": [],
    "maybe_undone": False,
    "state": "active",
    "previous": None,
    "asked": "elsewhere",
    "requester": "",
    "claims": {},
    "requesters": {},
}
NOON = "2026-11-22T12:00:00+00:00"
MOST = LEAST | {
    "slot": 36,
    "on": False,
    "until": NOON,
    "end": "schedule",
    "needed": False,
    "by_cloud": True,
    "lasts": 0.5,
    "schedules": [[0, None], [19, to_stored(BLANK)]],
    "maybe_undone": True,
    "state": "requested",
    "previous": LEAST,
    "asked": "here",
    "requester": "Anna",
    "claims": {"": None, "warm_by spa": NOON},
    "requesters": {"": "Anna", "warm_by spa": "Warm spa by"},
}


def stored(*holds: object) -> tuple[Hold, ...]:
    return from_stored(tuple[Hold, ...], holds)


def test_what_is_stored() -> None:
    kept = stored(MOST, LEAST)
    assert to_stored(kept, tuple[Hold, ...]) == [MOST, LEAST]
    assert (kept[0].end, kept[0].confirmed) == (End.SCHEDULE, False)


@pytest.mark.parametrize("name", ["slot", "on", "until", "end"])
@pytest.mark.parametrize("odd", [None, {}, [5], -1, 37, "soon"])
def test_a_hold_without_what_makes_it(name: str, odd: object) -> None:
    """It is left out: it might never end, or release another output."""
    stays = {key: value for key, value in MOST.items() if key != name}
    assert stored(stays, LEAST) == stored(LEAST)
    if (name, odd) != ("until", None):
        assert stored(MOST | {name: odd}, LEAST) == stored(LEAST)


@pytest.mark.parametrize("name", sorted({*LEAST} - {"slot", "on", "until", "end"}))
@pytest.mark.parametrize("odd", [{"": 5}, [-1], [20], -1.0, YEAR + 1.0, "soon"])
def test_a_hold_with_an_odd_value(name: str, odd: object) -> None:
    """Any other value that does not fit, or is missing, has its default alone."""
    (kept,) = stored({key: value for key, value in MOST.items() if key != name})
    assert (kept, kept.end) == (
        replace(stored(MOST)[0], **{name: getattr(kept, name)}),
        End.SCHEDULE,
    )
    if odd != "soon" or name != "requester":
        assert (
            getattr(stored(MOST | {name: odd})[0], name) == getattr(kept, name)
            or name == "since"
        )


def test_what_a_later_version_adds() -> None:
    assert stored(MOST | {"weather": "fine"}) == stored(MOST)


# Reads


def read(
    on: bool | None, *, held: bool | None = False, cloud: bool = False
) -> dict[str, Any]:
    """Return the fields of a state in which all outputs are alike."""
    mode = None if on is None else 99 * on
    outputs = Outputs(
        types=(31, 13, 1),
        modes=(mode,) * 3,
        held=None if held is None else (0, 1, 2) * held,
    )
    return {"outputs": outputs, "source": Source.CLOUD if cloud else Source.LAN}


ON, OFF = read(True, held=True), read(False)
COPY_ON, COPY_OFF = read(True, held=None, cloud=True), read(False, cloud=True)


@pytest.mark.parametrize(
    ("state", "shows"),
    [
        (ON, Seen(AT, True)),
        (OFF, Seen(AT, False)),
        (read(True), Seen(AT, False)),
        (read(False, held=True), Seen(AT, False)),
        (read(True, held=None), Seen(AT)),
        (COPY_ON, Seen(AT, True, True, 300.0, 600.0)),
        (COPY_OFF, Seen(AT, False, True, 300.0, 600.0)),
        (read(None, held=None, cloud=True), Seen(AT, None, True, 300.0, 600.0)),
    ],
)
def test_what_a_read_shows(state: dict[str, Any], shows: Seen) -> None:
    """Values that are not reported prove nothing; a copy of the cloud may be old."""
    assert seen(PoolState(**state), HOLD, AT) == shows


@pytest.mark.parametrize(
    ("slot", "held", "maybe_undone", "agreeing"),
    [
        (LIGHT, True, False, 120.0),
        (LIGHT, True, True, 120.0),
        (LIGHT, False, False, 10.0),
        (LIGHT, False, True, 0.0),
        (WATERFALL, True, False, 10.0),
        (3, True, False, 10.0),  # there is no such output
    ],
)
def test_how_long_reads_have_to_agree(
    slot: int, held: bool, maybe_undone: bool, agreeing: float
) -> None:
    """A show makes the relay flap: a light that is still held gets more time."""
    hold = replace(HOLD, slot=slot, maybe_undone=maybe_undone)
    shows = seen(PoolState(**read(False, held=held)), hold, AT)
    assert (shows.ours, shows.agreeing) == (False, agreeing)


def in_s(seconds: float | None) -> datetime | None:
    return None if seconds is None else NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("until", "lasts", "expected"),
    [
        (1800, 3600, 1800),
        (1800, 1200, 1200),  # our clock was ahead: never longer than requested
        (1800, None, 1800),
        (7 * YEAR, None, YEAR),
        (None, None, None),
        (None, 1200, None),
    ],
)
def test_a_restart(until: int | None, lasts: int | None, expected: int | None) -> None:
    hold = replace(HOLD, until=in_s(until), lasts=lasts).restored(NOW, 7.0)
    assert (hold.until, hold.sent_at) == (in_s(expected), 4.0)
