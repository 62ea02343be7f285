"""One time for promises: stops, jumps of the clock, and small corrections of it."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from custom_components.poolctl.client.wire.equipment import HeatSource
from tests.client.conftest import Rig, Service
from tests.client.holds.test_holds import switch, window
from tests.client.holds.test_promises import Disk, Kind, prepared
from tests.client.holds.test_seams import OUTPUT, Wall, started_again

DAY = 24.0


@pytest.mark.row("W25")
@pytest.mark.parametrize("days", [2, 20])
async def test_a_long_stop_without_internet(
    make_rig: Callable[..., Rig], service: Service, kind: Kind, days: float
) -> None:
    """What ended meanwhile is undone as soon as the controller answers."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    await kind.promise(rig)
    await disk.save()
    stopped = service.clock.time()
    await rig.controller.close()
    rig.time.advance(days * 86400)
    rig.pool.pool.update(step=3600)
    rig = started_again(
        make_rig, rig, disk, cloud=False, clock=Wall(service, 0, stopped).clock
    )
    await rig.live(2)
    assert not kind.changed(rig) and kind.claims(rig).all == ()


@pytest.mark.parametrize("hours", [-DAY, -8 * DAY, -400 * DAY - 2, 30 * DAY])
async def test_a_clock_that_jumps_while_a_schedule_is_held_off(
    make_rig: Callable[..., Rig], service: Service, hours: float
) -> None:
    """The end of its window follows the new time, once that has not jumped again."""
    wall = Wall(service, 0)
    rig = await prepared(make_rig, cloud=False, clock=wall.clock)
    window(rig.pool.pool, 90, OUTPUT, begun=30)
    await rig.read()
    await switch(rig, False, OUTPUT)
    wall.error = hours * 3600
    await rig.live(60, 60)
    assert rig.pool.pool.slots[OUTPUT].held
    (held,) = rig.controller.holds.all
    assert held.until is not None
    assert held.until - wall.clock.now() < timedelta(hours=3)
    await rig.live(150, 60)
    assert not rig.pool.pool.slots[OUTPUT].held


@pytest.mark.parametrize("step", [-0.2, -20.0])
async def test_a_small_correction_at_the_end(
    make_rig: Callable[..., Rig],
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    step: float,
) -> None:
    """Its end has come: nobody ended it."""
    wall, ended = Wall(service, 0), list[str]()
    rig = await prepared(make_rig, cloud=False, clock=wall.clock)
    heat = rig.controller.heat
    heat.on_ended = lambda claimant, index: ended.append(claimant)
    until = wall.clock.now() + timedelta(minutes=10)
    await heat.claim(HeatSource.SOLAR, "somebody", until)
    deselect = rig.controller.heating.select

    async def corrected(source: HeatSource, selected: bool) -> None:
        wall.error += step
        await deselect(source, selected)

    monkeypatch.setattr(rig.controller.heating, "select", corrected)
    await rig.live(9, 60)
    while heat.wait:
        rig.time.advance(heat.wait)
    await heat.work()
    assert heat.all == () and ended == []
