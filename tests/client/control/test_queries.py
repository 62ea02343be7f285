"""Queries: slow data that is read from the LAN at intervals."""

from collections.abc import Callable

import pytest

from custom_components.poolctl.client.wire.commands import PumpIdentity
from tests.client.conftest import Rig
from tests.world.simulator import settings as sim_settings

LIGHTS = "get_pool_light_switch_mode"
SMALL = ["aux_names", "pump_id", "schedules", LIGHTS]
"""Queries to a pool that neither doses nor chlorinates."""
FULL = [*SMALL[:3], "get_ph_settings", "get_chlorine_settings", LIGHTS]


def due(rig: Rig) -> bool:
    return rig.controller.queries.due


async def test_what_the_lan_is_asked(rig: Rig) -> None:
    refresh = rig.controller.queries.refresh
    assert not due(rig)  # the LAN has not answered yet
    await rig.polls()
    assert due(rig)
    await refresh()
    assert (rig.names("q"), due(rig)) == (SMALL, False)
    assert rig.time.slept == [1, 1, 1]  # queries are signed, hence 1 s apart
    assert rig.shown.outputs.names[2] == "Waterfall"
    assert rig.shown.pump == PumpIdentity("Variable Speed", "Acme", "VSX-2")
    assert rig.shown.pool_lights == (99, 99)
    assert [one.name for one in rig.shown.schedules.used.values()] == ["Filter"]
    await refresh()
    assert rig.names("q") == SMALL
    # Again after five minutes; the first one was sent three seconds earlier.
    for seconds, again in ((296.5, False), (0.5, True)):
        rig.time.advance(seconds)
        assert due(rig) is again
    await rig.read()
    # After a change of the equipment, too.
    await rig.polls(15)
    assert not due(rig)
    rig.pool.pool.slots[4].aux_type, rig.pool.pool.slots[4].name = 1, "Fountain"
    await rig.polls(15, times=2)
    assert due(rig)
    await refresh()
    assert rig.shown.outputs.names[4] == "Fountain"


async def test_replies_that_disagree_with_the_frames_are_no_news(
    make_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queries do not become more frequent, however often the two disagree."""
    rig = make_rig(full=True)
    rig.pool.pool.acid.doses = rig.pool.pool.chlorine.doses = 99  # no dose meanwhile
    rig.settings["other_acid"] = rig.settings["acid_remaining"] + 9
    for key in ("remain_acid_volume", "acid_drum_volume"):
        monkeypatch.setitem(sim_settings.PH, key, sim_settings.Key("other_acid"))
    await rig.polls()
    for _ in range(20):
        await rig.controller.queries.refresh()
        await rig.polls(1)
    assert rig.names("q") == FULL
    dosing = (rig.shown.acid, rig.shown.chlorine)
    assert [(each.enabled, each.doses) for each in dosing] == [(True, 99)] * 2
    assert rig.shown.chlorinator.enabled is True


async def test_a_reply_without_news_is_not_published(rig: Rig) -> None:
    await rig.polls()
    await rig.controller.queries.refresh()
    for name, times in (("Filter", 0), ("Another", 1)):
        rig.pool.pool.schedules[0].name = name
        rig.time.advance(300)
        rig.forget()
        await rig.controller.queries.refresh()
        assert ("schedules" in rig.names("q"), len(rig.published)) == (True, times)


async def test_one_query_at_a_time(small: Rig) -> None:
    for count in (1, 2):
        await small.controller.queries.refresh(first_only=True)
        assert (small.names("q"), due(small)) == (SMALL[:count], True)
    assert small.time.slept == []


async def test_a_pump_is_asked_who_it_is_until_it_says_so(rig: Rig) -> None:
    """The identity is queried every 5 minutes until reported, then hourly."""
    rig.pool.restart()
    await rig.polls()
    asked = []
    for seconds in (300, 300, 300, 3900, 0):
        await rig.controller.queries.refresh()
        asked.append(rig.names("q").count("pump_id"))
        await rig.polls(seconds)
    assert rig.shown.variable_speed
    assert asked == [1, 2, 2, 2, 3]


async def test_queries_that_fail(small: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = small.controller.queries
    small.pool.faults.once("garbage", 1, "aux_names")
    await queries.refresh()
    assert small.shown.outputs.names == () and small.shown.pump is not None
    queries.expire()
    small.pool.faults.on("refuse")
    await small.polls(15)
    assert not due(small)  # they wait for the LAN
    small.pool.faults.clear()
    await small.polls(15)

    async def sleep(seconds: float) -> None:
        if seconds:
            small.controller.paths.set_lan(None)

    monkeypatch.setattr(small.time, "sleep", sleep)
    small.forget()
    await queries.refresh()  # the LAN goes between two of them
    assert small.names("q") == SMALL[:1]
