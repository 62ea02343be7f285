"""Two Home Assistants on one controller: one counter, one list of schedules."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    NotAppliedError,
)
from tests.client.conftest import FakeTime, Rig, UnixTime
from tests.client.control.schedule_changes import EVENING
from tests.world.simulator.dialects import Dialect

WATERFALL, SLIDE, GARDEN = 3, 21, 27
FALL = 1
"""Index of the waterfall's schedule."""

type Homes = tuple[Rig, Rig]


@pytest.fixture
async def homes(
    make_rig: Callable[..., Rig], unix_time: UnixTime, monkeypatch: pytest.MonkeyPatch
) -> Homes:
    """Return two homes without the cloud, whose clocks are right.

    Both have signed the same counters in the same second, and read everything.
    """
    one, two = make_rig(full=True, cloud=False), make_rig(full=True, cloud=False)
    monkeypatch.setattr(UnixTime, "time", lambda self: one.pool.clock.time())
    await asyncio.gather(one.read(), two.read())
    for home in (one, two):
        assert home.reported.outputs.names[WATERFALL] == "Waterfall"
        assert home.reported.schedules.used and home.reported.pump is not None
    one.forget()
    return one, two


def is_ahead(home: Rig) -> bool:
    """Return whether another client would look replayed for long."""
    lan = home.controller.paths.lan
    return lan is None or lan.counters.ahead >= 300


# Commands


async def test_an_hour_of_both(homes: Homes, fake_time: FakeTime) -> None:
    """Background queries of one home do not drive the other's counter far ahead."""
    homes[0].pool.dialects.add(Dialect.CLOUD_SIGNS_ALL)
    for _ in range(120):
        fake_time.advance(30)
        await asyncio.gather(*(home.polls() for home in homes))
        await asyncio.gather(*(home.controller.queries.refresh() for home in homes))
    for home, on in zip(homes, (True, False), strict=True):
        assert not is_ahead(home)
        await home.controller.outputs.switch(WATERFALL, on)
        assert home.pool.pool.slots[WATERFALL].on is on


# Schedules


async def test_changes_in_the_same_moment(homes: Homes) -> None:
    """Both schedules are created, each once."""
    wanted = [
        replace(EVENING, name=name, slot=slot, start=start, end=start + 30)
        for name, slot, start in (("One", SLIDE, 780), ("Two", GARDEN, 840))
    ]
    made = await asyncio.gather(
        *(
            home.controller.schedules.create(each)
            for home, each in zip(homes, wanted, strict=True)
        )
    )
    names = [each.name for each in homes[0].pool.pool.schedules]
    assert len(set(made)) == 2
    assert (names.count("One"), names.count("Two")) == (1, 1)
    # One edit of the same schedule is applied completely, the other one is an error.
    seen = homes[1].reported.schedules.used[FALL]
    wanted = [replace(seen, start=630), replace(seen, end=800)]
    results = await asyncio.gather(
        *(
            home.controller.schedules.update(FALL, each, observed=seen)
            for home, each in zip(homes, wanted, strict=True)
        ),
        return_exceptions=True,
    )
    kept = homes[0].pool.pool.schedules[FALL]
    there = [(each.start, each.end) for each in wanted].index((kept.start, kept.end))
    assert results[there] is None
    assert isinstance(results[1 - there], InvalidCommandError | NotAppliedError)
