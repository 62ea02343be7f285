"""Queries: slow data that is read from the LAN at intervals."""

from collections.abc import Callable

import pytest

from custom_components.poolctl.client.wire.commands import PumpIdentity
from tests.client.conftest import Rig
from tests.world.simulator import settings as sim_settings

SMALL = ["aux_names", "pump_id", "schedules", "get_pool_light_switch_mode"]
"""Queries to a pool that neither doses nor chlorinates."""
FULL = [
    *SMALL[:3],
    "get_ph_settings",
    "get_chlorine_settings",
    "get_pool_light_switch_mode",
]


def due(rig: Rig) -> bool:
    return rig.controller.queries.due


async def test_what_the_lan_is_asked(rig: Rig) -> None:
    assert not due(rig)  # the LAN has not answered yet
    await rig.controller.poller.poll()
    assert due(rig)
    await rig.controller.queries.refresh()
    assert rig.names("q") == SMALL
    assert rig.time.slept == [1, 1, 1]  # queries are signed, hence 1 s apart
    state = rig.controller.store.state
    assert state.outputs.names[2] == "Waterfall"
    assert state.pump == PumpIdentity("Variable Speed", "Acme", "VSX-2")
    assert state.pool_lights == (99, 99)
    assert [one.name for one in state.schedules.used.values()] == ["Filter"]
    assert not due(rig)
    await rig.controller.queries.refresh()
    assert rig.names("q") == SMALL


async def test_what_the_lan_is_asked_of_a_pool_that_has_everything(
    make_rig: Callable[..., Rig],
) -> None:
    rig = make_rig(full=True)
    rig.pool.pool.acid.doses = 2
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    assert rig.names("q") == FULL
    state = rig.controller.store.state
    assert state.acid.enabled is True
    assert state.chlorinator.enabled is True
    assert state.chlorine.enabled is True
    assert state.acid.doses == 2
    assert state.chlorine.doses == rig.pool.pool.chlorine.doses


async def test_one_query_at_a_time(rig: Rig) -> None:
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh(first_only=True)
    assert rig.names("q") == ["aux_names"]
    assert due(rig)
    await rig.controller.queries.refresh(first_only=True)
    assert rig.names("q") == SMALL[:2]
    assert due(rig) and rig.time.slept == []


async def test_queries_every_5_minutes(rig: Rig) -> None:
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    rig.time.advance(296.5)  # the first one was sent three seconds earlier
    assert not due(rig)
    rig.time.advance(0.5)
    assert due(rig)


async def test_a_pump_is_asked_who_it_is_until_it_says_so(rig: Rig) -> None:
    """The identity is queried every 5 minutes until reported, then hourly."""
    rig.pool.restart()
    await rig.controller.poller.poll()
    asked = []
    for _ in range(4):
        await rig.controller.queries.refresh()
        asked.append(rig.names("q").count("pump_id"))
        await rig.polls(300)
    assert rig.controller.store.state.variable_speed
    assert asked == [1, 2, 2, 2]
    await rig.polls(3600)
    await rig.controller.queries.refresh()
    assert rig.names("q").count("pump_id") == 3


async def test_queries_after_a_change_of_the_equipment(rig: Rig) -> None:
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    await rig.polls(15)
    assert not due(rig)
    rig.pool.pool.slots[4].aux_type, rig.pool.pool.slots[4].name = 1, "Fountain"
    await rig.polls(15)
    await rig.polls(15)
    assert due(rig)
    await rig.controller.queries.refresh()
    assert rig.controller.store.state.outputs.names[4] == "Fountain"


async def test_replies_that_disagree_with_the_frames_are_no_news(
    make_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queries do not become more frequent, however often the two disagree."""
    rig = make_rig(full=True)
    rig.pool.pool.acid.doses = rig.pool.pool.chlorine.doses = 99  # no dose meanwhile
    rig.pool.pool.settings["other_acid"] = rig.pool.pool.settings["acid_remaining"] + 9
    other = sim_settings.Key("other_acid")
    monkeypatch.setitem(sim_settings.PH, "remain_acid_volume", other)
    monkeypatch.setitem(sim_settings.PH, "acid_drum_volume", other)
    await rig.controller.poller.poll()
    for _ in range(20):
        await rig.controller.queries.refresh()
        await rig.polls(1)
    assert rig.names("q") == FULL


async def test_queries_wait_for_the_lan(rig: Rig) -> None:
    await rig.controller.poller.poll()
    rig.pool.faults.on("refuse")
    await rig.polls(15)
    assert not due(rig)


async def test_a_query_that_fails_is_no_drama(rig: Rig) -> None:
    await rig.controller.poller.poll()
    rig.pool.faults.once("garbage", 1, "aux_names")
    await rig.controller.queries.refresh()
    assert rig.controller.store.state.outputs.names == ()
    assert rig.controller.store.state.pump is not None


async def test_the_lan_goes_between_two_queries(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    await rig.controller.poller.poll()

    async def sleep(seconds: float) -> None:
        if seconds:
            rig.controller.paths.set_lan(None)

    monkeypatch.setattr(rig.time, "sleep", sleep)
    await rig.controller.queries.refresh()
