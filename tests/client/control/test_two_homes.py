"""Two Home Assistants on one controller: one counter, one list of schedules."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    NotAppliedError,
)
from custom_components.poolctl.client.wire.schedule import Schedule
from tests.client.conftest import FakeTime, Rig, UnixTime
from tests.client.control.schedule_changes import EVENING
from tests.world.simulator.dialects import Dialect

WATERFALL, SLIDE, GARDEN = 3, 21, 27
FALL = 1
"""Index of the waterfall's schedule."""

type Homes = tuple[Rig, Rig]


@pytest.fixture
def homes(
    make_rig: Callable[..., Rig], unix_time: UnixTime, monkeypatch: pytest.MonkeyPatch
) -> Homes:
    """Return two homes without the cloud, whose clocks are right."""
    one, two = make_rig(full=True, cloud=False), make_rig(full=True, cloud=False)
    monkeypatch.setattr(UnixTime, "time", lambda self: one.pool.clock.time())
    return one, two


async def read(rig: Rig) -> None:
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()


def record(name: str, start: int, slot: int = SLIDE) -> Schedule:
    return replace(EVENING, name=name, slot=slot, start=start, end=start + 30)


# Commands


async def test_both_start_at_once(homes: Homes) -> None:
    """Both sign the same counters in the same second, and both read everything."""
    await asyncio.gather(*(read(home) for home in homes))
    for home in homes:
        known = home.controller.store.reported
        assert known.outputs.names[WATERFALL] == "Waterfall"
        assert known.schedules.used and known.pump is not None


async def test_both_command(homes: Homes, fake_time: FakeTime) -> None:
    """Of 40 clicks in turns, several in a second, each runs exactly once."""
    one, two = homes
    await asyncio.gather(read(one), read(two))
    one.forget()
    for click in range(40):
        home, slot = (one, WATERFALL) if click % 2 else (two, GARDEN)
        await home.controller.outputs.switch(slot, click % 4 < 2)
        assert one.pool.pool.slots[slot].on is (click % 4 < 2)
        fake_time.advance(0.4)
    assert len([r for r in one.asked("a") if r.ok]) == 40
    for home in homes:
        lan = home.controller.paths.lan
        # Another client would not look replayed for long.
        assert lan is not None and lan.counters.ahead < 300


async def test_both_command_at_the_same_time(homes: Homes, fake_time: FakeTime) -> None:
    one, two = homes
    await asyncio.gather(read(one), read(two))
    for click in range(20):
        on = click % 2 == 0
        await asyncio.gather(
            one.controller.outputs.switch(WATERFALL, on),
            two.controller.outputs.switch(GARDEN, on),
        )
        slots = one.pool.pool.slots
        assert slots[WATERFALL].on is slots[GARDEN].on is on
        fake_time.advance(3)


async def test_an_hour_of_both(homes: Homes, fake_time: FakeTime) -> None:
    """Background queries of one home do not drive the other's counter far ahead."""
    one, two = homes
    one.pool.dialects.add(Dialect.CLOUD_SIGNS_ALL)
    for _ in range(240):
        fake_time.advance(15)
        await asyncio.gather(read(one), read(two))
    for home in homes:
        lan = home.controller.paths.lan
        assert lan is not None and lan.counters.ahead < 300
        await home.controller.outputs.switch(WATERFALL, home is one)
        assert one.pool.pool.slots[WATERFALL].on is (home is one)


# Schedules


async def test_two_edits_in_the_same_moment(homes: Homes) -> None:
    """One edit is applied completely, and the other one raises an error."""
    one, two = homes
    await asyncio.gather(read(one), read(two))
    seen = two.controller.store.reported.schedules.used[FALL]
    wanted = [replace(seen, start=630), replace(seen, end=800)]
    results = await asyncio.gather(
        *(
            home.controller.schedules.update(FALL, each, observed=seen)
            for home, each in zip(homes, wanted, strict=True)
        ),
        return_exceptions=True,
    )
    kept = one.pool.pool.schedules[FALL]
    there = [(each.start, each.end) for each in wanted].index((kept.start, kept.end))
    assert results[there] is None
    assert isinstance(results[1 - there], InvalidCommandError | NotAppliedError)


async def test_two_additions_in_the_same_moment(homes: Homes) -> None:
    """Both schedules are created, each once."""
    await asyncio.gather(*(read(home) for home in homes))
    names = ("One", "Two")
    made = await asyncio.gather(
        *(
            home.controller.schedules.create(record(name, 60 * hour, slot))
            for home, name, hour, slot in zip(
                homes, names, (13, 14), (SLIDE, GARDEN), strict=True
            )
        )
    )
    schedules = homes[0].pool.pool.schedules
    assert len(set(made)) == 2
    for name in names:
        assert sum(each.name == name for each in schedules) == 1
