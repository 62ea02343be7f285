"""Slow data, asked of the LAN now and then (design.md 3)."""

import pytest

from custom_components.poolctl.client.commands import PumpIdentity

from .conftest import Rig


def due(rig: Rig) -> bool:
    return rig.controller.details_due


async def test_details(rig: Rig) -> None:
    assert not due(rig)  # nobody answered yet
    await rig.controller.poll()
    assert due(rig)
    await rig.controller.refresh_details()
    assert [request.name for request in rig.asked("q")] == ["aux_names", "pump_id"]
    assert rig.time.slept == [1]  # queries are signed, and keep apart
    assert rig.controller.state.names[2] == "Waterfall"
    assert rig.controller.state.pump == PumpIdentity("Variable Speed", "Acme", "VSX-2")
    assert not due(rig)
    await rig.controller.refresh_details()
    assert len(rig.asked("q")) == 2


async def test_details_one_at_a_time(rig: Rig) -> None:
    await rig.controller.poll()
    await rig.controller.refresh_details(first_only=True)
    assert [request.name for request in rig.asked("q")] == ["aux_names"]
    assert due(rig)
    await rig.controller.refresh_details(first_only=True)
    assert [request.name for request in rig.asked("q")] == ["aux_names", "pump_id"]
    assert not due(rig) and rig.time.slept == []


async def test_details_every_5_minutes(rig: Rig) -> None:
    await rig.controller.poll()
    await rig.controller.refresh_details()
    rig.time.advance(298.5)  # the second one was asked a second later
    assert not due(rig)
    rig.time.advance(0.5)
    assert due(rig)


async def test_details_after_a_change_of_the_equipment(rig: Rig) -> None:
    await rig.controller.poll()
    await rig.controller.refresh_details()
    await rig.polls(15)
    assert not due(rig)
    rig.pool.pool.slots[4].aux_type, rig.pool.pool.slots[4].name = 1, "Fountain"
    await rig.polls(15)
    assert due(rig)
    await rig.controller.refresh_details()
    assert rig.controller.state.names[4] == "Fountain"


async def test_details_wait_for_the_lan(rig: Rig) -> None:
    await rig.controller.poll()
    rig.pool.faults.on("refuse")
    await rig.polls(15)
    assert not due(rig)


async def test_a_query_that_fails_is_no_drama(rig: Rig) -> None:
    await rig.controller.poll()
    rig.pool.faults.once("garbage", 1, "aux_names")
    await rig.controller.refresh_details()
    assert rig.controller.state.names == ()
    assert rig.controller.state.pump is not None


async def test_the_lan_goes_between_two_queries(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    await rig.controller.poll()

    async def sleep(seconds: float) -> None:
        if seconds:
            rig.controller.set_lan(None)

    monkeypatch.setattr(rig.time, "sleep", sleep)
    await rig.controller.refresh_details()
