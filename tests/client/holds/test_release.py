"""Holds: which are released, by which path, and what is left if that fails."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from custom_components.poolctl.client.backoff import Failures
from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.control.pump import UntilDone
from custom_components.poolctl.client.controller_clock import ControllerClock, Times
from custom_components.poolctl.client.holds import claims
from custom_components.poolctl.client.holds.claims import (
    OVERDUE,
    REFUSED_AGAIN,
    UNDO_AGAIN,
)
from custom_components.poolctl.client.holds.hold import Hold
from custom_components.poolctl.client.holds.holds import Holds
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import Slot
from custom_components.poolctl.client.wire.exceptions import (
    BusyError,
    CannotReleaseError,
    PoolctlError,
    RefusedError,
    UnreachableError,
)

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
SLOT = 2
AT = 10_000.0
"""Monotonic time in seconds."""
HOLD = Hold(
    slot=SLOT,
    on=False,
    since=NOW - timedelta(hours=1),
    until=NOW + timedelta(hours=1),
)
DUE = replace(HOLD, until=NOW)
LOOKED, RELEASED = ("look",), ("release", SLOT)
SWITCHED_OFF = [("send", SLOT, False, False)]
CLOUD = {"on_lan": False}
ALONE = CLOUD | {"has_lan": False}


@dataclass
class Paths:
    """The paths to a controller; records the calls."""

    on_lan: bool = True
    has_lan: bool = True
    has_cloud: bool = True
    answers: bool = True
    error: PoolctlError | None = None
    takes: float = 0.0
    """Duration of a release in seconds."""
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    state: PoolState = field(
        default_factory=lambda: PoolState(outputs=Outputs(types=(31, 13, 1)))
    )

    @property
    def lan(self) -> object | None:
        return self if self.has_lan else None

    @property
    def cloud(self) -> object | None:
        return self if self.has_cloud else None

    def publish(self) -> None:
        """Nobody listens."""

    async def read_lan(self) -> bool:
        self.asked.append(LOOKED)
        return self.answers

    async def send(
        self, slot: Slot, on: bool, *, held: bool, speed: int | None = None
    ) -> UntilDone:
        self.asked.append(("send", slot.index, on, held))
        return AsyncMock(return_value=False)

    async def resume_schedule(self, slot: int) -> None:
        self.asked.append(("release", slot))
        await asyncio.sleep(self.takes)
        if self.error:
            raise self.error


def holds(paths: Any, *found: Hold) -> Holds:
    """Return holds that only know these paths."""
    clock = Clock(wall=NOW.timestamp, steady=lambda: AT)
    times = Times(clock, lambda: UTC, ControllerClock())
    reads = claims.Reads(poller=paths, paths=paths, live=paths)
    control = Holds(reads, paths, times, found, end_by_themselves=True)
    control._last_read = paths.state  # from the LAN, without a word about overrides
    return control


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Mock:
    clock = Mock(monotonic=Mock(return_value=AT))
    monkeypatch.setattr(claims, "time", clock)
    return clock


LATE = {"until": NOW - OVERDUE}


@pytest.mark.parametrize(
    ("changes", "has_lan", "overdue"),
    [
        (LATE, True, True),
        ({"until": NOW - OVERDUE + timedelta(seconds=1)}, True, False),
        ({}, True, False),
        ({}, False, True),
        ({"on": True}, False, False),
        ({"by_cloud": True}, False, False),
        ({"until": None}, False, False),
        (LATE | {"needs_undoing": False, "confirmed": False}, True, False),
        (LATE | {"needs_undoing": False}, True, True),
    ],
)
def test_overdue(
    clock: Mock, changes: dict[str, Any], has_lan: bool, overdue: bool
) -> None:
    """A user has to release a hold that is an hour late, or that we cannot release.

    What ended during a stop is released first.
    """
    hold = replace(HOLD, **changes)
    found = holds(Paths(on_lan=has_lan, has_lan=has_lan), hold)
    assert found.overdue == ((hold,) if overdue and not has_lan else ())
    clock.monotonic.return_value = AT + 60
    assert found.overdue == ((hold,) if overdue else ())


@pytest.mark.parametrize(
    ("paths", "changes", "due"),
    [
        ({}, {}, True),
        ({}, {"until": NOW + timedelta(hours=1)}, False),
        ({}, {"failures": Failures(retry_at=AT)}, True),
        ({}, {"failures": Failures(retry_at=AT + 1)}, False),
        (CLOUD, {}, False),
        (CLOUD, {"on": True}, True),
        (CLOUD, {"by_cloud": True}, False),
        (ALONE, {}, False),
        (ALONE, {"by_cloud": True}, True),
        (ALONE | {"has_cloud": False}, {"on": True}, False),
    ],
)
def test_due(paths: dict[str, Any], changes: dict[str, Any], due: bool) -> None:
    hold = replace(HOLD, **{"until": NOW} | changes)
    found = holds(Paths(**paths), hold)
    assert found.due() == [hold] * due
    with found._switching(SLOT):
        assert found.due() == []


@pytest.mark.parametrize(
    ("paths", "changes", "wait"),
    [
        ({}, {}, 3600.0),
        ({}, {"until": None}, None),
        ({}, {"confirmed": False}, 3600.0),
        ({}, {"until": NOW, "failures": Failures(retry_at=AT + 60)}, 60.0),
        (CLOUD, {"until": NOW}, None),
        (CLOUD, {"on": True}, 3600.0),
        (CLOUD, {}, 3600.0),
        # Our clock was ahead when it was switched off, and a read shows it held.
        ({}, {"needs_undoing": False}, 0.0),
    ],
)
def test_when_there_is_work(
    paths: dict[str, Any], changes: dict[str, Any], wait: float | None
) -> None:
    found = holds(Paths(**paths), replace(HOLD, **changes))
    assert found.wait == wait


@pytest.mark.parametrize("ended", [DUE, replace(HOLD, until=NOW)])
async def test_no_work_on_what_a_user_releases(ended: Hold) -> None:
    """The end of a hold is no reason to look for work while its release is under way."""
    found = holds(Paths(takes=5), ended)
    running = asyncio.create_task(found.resume(Slot(index=SLOT, type_code=1)))
    await asyncio.sleep(1)
    await found.work()
    assert found.wait is None
    await running
    assert found.all == ()


@pytest.mark.parametrize(
    ("error", "refused", "left", "wait"),
    [
        (UnreachableError(""), 0, 3, 240.0),
        (BusyError(""), 0, 3, 240.0),
        (RefusedError(""), 0, 3, 240.0),
        # Attempts without an answer do not count: only refusals in a row make the
        # waits that long.
        (CannotReleaseError(""), 0, 1, 900.0),
        (CannotReleaseError(""), 3, 4, 2 * 3600.0),
        (UnreachableError(""), 3, 1, 60.0),
    ],
)
async def test_a_release_that_fails(
    error: PoolctlError, refused: int, left: int, wait: float
) -> None:
    failures = Failures(REFUSED_AGAIN, refused) if refused else Failures(UNDO_AGAIN, 2)
    found = holds(Paths(error=error), replace(DUE, failures=failures))
    await found.work()
    (hold,) = found.all
    assert (hold.failures.count, hold.failures.retry_at) == (left, AT + wait)
    # A user requested something else meanwhile.
    for other in (None, replace(HOLD, failures=Failures(UNDO_AGAIN, 5))):
        found = holds(Paths(error=error, takes=5), DUE)
        running = asyncio.create_task(found.work())
        await asyncio.sleep(1)
        found._put(SLOT, other)
        await running
        assert [each.failures.count for each in found.all] == ([5] if other else [])


async def test_a_release_that_nobody_answers() -> None:
    """The state is read first: without an answer, no release is sent."""
    paths = Paths(answers=False)
    found = holds(paths, DUE)
    await found.work()
    (hold,) = found.all
    assert (paths.asked, hold.end_has_come(NOW)) == ([LOOKED], True)
    assert hold.failures == Failures(UNDO_AGAIN, 1, AT + 60)


LEFT = (SLOT, False, False, False, NOW, NOW)


@pytest.mark.parametrize(
    ("paths", "on", "asked", "left"),
    [
        ({}, True, [LOOKED, RELEASED], []),
        (CLOUD, True, SWITCHED_OFF, [LEFT]),
        (ALONE, True, SWITCHED_OFF, [LEFT]),
        (ALONE, False, [], [LEFT]),
    ],
)
async def test_a_release(
    paths: dict[str, Any], on: bool, asked: list[Any], left: list[Any]
) -> None:
    """The cloud only switches off; a LAN shows later whether that holds it."""
    way = Paths(**paths)
    found = holds(way, replace(DUE, on=on, by_cloud=True))
    await found.work()
    assert way.asked == asked
    shown = [
        (h.slot, h.on, h.needs_undoing, h.confirmed, h.since, h.until)
        for h in found.all
    ]
    assert shown == left


@pytest.mark.row("W3")
@pytest.mark.parametrize(
    ("paths", "changes", "only_lan", "asked", "left"),
    [
        ({}, {}, False, [LOOKED, RELEASED], []),
        ({}, {}, True, [LOOKED, RELEASED], []),
        ({}, {"on": True}, False, [LOOKED, RELEASED], []),
        ({}, {"on": True}, True, [], None),
        ({}, {"until": None}, False, [], None),
        ({}, {"doubted_at": AT}, False, [LOOKED], [True]),
        ({"answers": False}, {}, False, [LOOKED], [True]),
        ({"error": RefusedError("")}, {}, False, [LOOKED, RELEASED], [True]),
        ({"takes": 60.0}, {}, False, [LOOKED, RELEASED], [True]),
        (CLOUD, {}, False, [], [True]),
        (ALONE, {"on": True}, False, SWITCHED_OFF, [False]),
        (CLOUD, {"on": True}, False, SWITCHED_OFF, [False]),
    ],
)
async def test_leaving(
    paths: dict[str, Any],
    changes: dict[str, Any],
    only_lan: bool,
    asked: list[Any],
    left: list[bool] | None,
) -> None:
    """Holds that cannot be released later are released now, or returned."""
    way = Paths(**paths)
    found = holds(way, replace(HOLD, **changes))
    shown = await found.leave(only_lan=only_lan)
    assert way.asked == asked
    assert [each.confirmed for each in shown] == (left or [])
    by_cloud = asked == SWITCHED_OFF
    lasts = left != [] or by_cloud
    assert [each.needs_undoing for each in found.all] == [not by_cloud] * lasts
