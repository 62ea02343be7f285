"""Overrides of the pump that are otherwise than was bet on (unknowns.md L5 and L6)."""

from collections.abc import Callable

import pytest

from custom_components.poolctl.client.exceptions import NotAppliedError

from .conftest import Rig


def speaking(make_rig: Callable[..., Rig], *dialects: str) -> Rig:
    rig = make_rig()
    for dialect in dialects:
        rig.pool.dialects.add(dialect)
    return rig


async def test_off_stays_off(make_rig: Callable[..., Rig]) -> None:
    """L5: no schedule starts it again, although one is in its window."""
    rig = speaking(make_rig, "pump_off_clears")
    await rig.controller.poller.poll()
    await rig.controller.pump.switch(False)
    for _ in range(4):
        await rig.polls(15)
        assert rig.controller.store.state.pump_on is False
    assert not rig.pool.pool.pump.running and rig.pool.pool.slots[0].held
    await rig.controller.pump.switch(True)
    await rig.polls(15)
    assert rig.controller.store.state.pump_on is True


@pytest.mark.parametrize("times", [1, 3])
async def test_aux_is_declined(make_rig: Callable[..., Rig], times: int) -> None:
    """L6: the other way is used, and from then on alone."""
    rig = speaking(make_rig, "pump_aux_declined")
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    for _ in range(times):
        await rig.controller.pump.switch(True)
        rig.forget()
        await rig.controller.pump.switch(False)
        await rig.polls(15)
        assert rig.controller.store.state.pump_on is False
        assert rig.written() == []
    assert rig.names("a") == (["aux"] * 2 if times == 1 else []) + ["cmd"]


async def test_both_at_once(make_rig: Callable[..., Rig]) -> None:
    """L5 and L6: nothing can hold it off, and a person is told so."""
    rig = speaking(make_rig, "pump_off_clears", "pump_aux_declined")
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    with pytest.raises(NotAppliedError):
        await rig.controller.pump.switch(False)
    assert rig.controller.store.state.pump_on is True
