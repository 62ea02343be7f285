"""What was promised is undone, whatever is lost: answers, power, or the local network.

Each case is tried for outputs, dosers and heat sources (protocol.md L30, W12, W18).
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
import json
from typing import Any, override

import pytest

from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.controller import Stored
from custom_components.poolctl.client.holds.claims import Claims
from custom_components.poolctl.client.holds.heat import HeatClaim
from custom_components.poolctl.client.holds.hold import Hold
from custom_components.poolctl.client.holds.pauses import Pause
from custom_components.poolctl.client.pool.dosing import ACID
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import PoolctlError
from tests.client.conftest import Rig
from tests.client.holds.test_holds import SLOT, hold, start
from tests.world.simulator.pool import SOLAR

MINUTES = 60
LASTS = timedelta(minutes=MINUTES)
YEAR = 366 * 86400.0


@dataclass
class Kind:
    """One kind of what is undone later, on the fully equipped pool."""

    name: str
    action: str
    """Name of the LAN's action that carries it."""

    def claims(self, rig: Rig) -> Claims[Any]:
        """Return the claims of this kind."""
        owner: Claims[Any] = getattr(rig.controller, self.name)
        return owner

    async def promise(self, rig: Rig) -> None:
        """Change something for an hour."""
        raise NotImplementedError

    def changed(self, rig: Rig) -> bool:
        """Return whether the simulated pool shows the change."""
        raise NotImplementedError

    def change(self, rig: Rig, changed: bool) -> None:
        """Change it as the vendor's app does."""
        raise NotImplementedError


class _Outputs(Kind):
    @override
    async def promise(self, rig: Rig) -> None:
        await hold(rig, True, MINUTES, 3)

    @override
    def changed(self, rig: Rig) -> bool:
        return rig.pool.pool.relays[3]

    @override
    def change(self, rig: Rig, changed: bool) -> None:
        rig.pool.pool.switch(3, changed, hold=changed)


class _Dosers(Kind):
    @override
    async def promise(self, rig: Rig) -> None:
        await rig.controller.pauses.begin([ACID], LASTS)

    @override
    def changed(self, rig: Rig) -> bool:
        return not rig.settings["ph_dosing"]

    @override
    def change(self, rig: Rig, changed: bool) -> None:
        rig.settings["ph_dosing"] = int(not changed)


class _Heat(Kind):
    @override
    async def promise(self, rig: Rig) -> None:
        until = rig.controller.clock.now() + LASTS
        await rig.controller.heat.claim(HeatSource.SOLAR, "somebody", until)

    @override
    def changed(self, rig: Rig) -> bool:
        return bool(int(rig.settings["heating"]) & SOLAR)

    @override
    def change(self, rig: Rig, changed: bool) -> None:
        others = int(rig.settings["heating"]) & ~SOLAR
        rig.settings["heating"] = others | SOLAR * changed


OUTPUTS, DOSERS = _Outputs("holds", "aux"), _Dosers("pauses", "cmd")
KINDS = [OUTPUTS, DOSERS, _Heat("heat", "cmd")]


@dataclass
class Disk:
    """What a power cut leaves of the promises."""

    rig: Rig | None = None
    saved: str = "{}"

    async def save(self) -> None:
        """Store all promises, as Home Assistant does when it is asked to."""
        assert self.rig is not None
        control = self.rig.controller
        self.saved = json.dumps(
            {
                "holds": to_stored(control.holds.all, tuple[Hold, ...]),
                "pauses": to_stored(control.pauses.all, tuple[Pause, ...]),
                "heat": to_stored(control.heat.all, tuple[HeatClaim, ...]),
            }
        )

    def read(self, *without: str) -> Stored:
        """Return the promises as a start reads them, without some fields."""

        def stored[T](name: str, form: type[T]) -> T:
            items = json.loads(self.saved).get(name, ())
            return from_stored(
                form, [{k: v for k, v in i.items() if k not in without} for i in items]
            )

        return Stored(
            holds=stored("holds", tuple[Hold, ...]),
            pauses=stored("pauses", tuple[Pause, ...]),
            heat=stored("heat", tuple[HeatClaim, ...]),
        )


async def prepared(make_rig: Callable[..., Rig], **options: Any) -> Rig:
    rig = make_rig(full=True, **options)
    rig.settings["heating"] = 0
    await start(rig)
    rig.time.advance(60)
    await rig.polls()
    return rig


async def lost(asked: Awaitable[object]) -> None:
    """Make a request whose answer is lost."""
    with pytest.raises(PoolctlError) as caught:
        await asked
    assert caught.value.ran is not False


async def work(rig: Rig) -> None:
    for each in (rig.controller.heat, rig.controller.pauses, rig.controller.holds):
        await each.work()


@pytest.mark.row("L30", "W18")
async def test_a_power_cut_before_the_answer(
    make_rig: Callable[..., Rig], kind: Kind
) -> None:
    """The command ran, the power failed: it is undone after the hour."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    rig.pool.faults.on("close_mid_body", "a")
    rig.service.cloud.faults.on("refuse")
    await lost(kind.promise(rig))
    assert kind.changed(rig)
    await rig.controller.close()
    rig.pool.faults.clear()
    rig.service.cloud.faults.clear()
    rig.time.advance(120)
    rig = make_rig(full=True, stored=disk.read())
    await rig.live(MINUTES - 10, 60)
    assert kind.changed(rig)
    await rig.live(12, 60)
    assert not kind.changed(rig) and kind.claims(rig).shown == ()


@pytest.mark.row("W18")
async def test_the_promise_is_stored_before_the_command(
    make_rig: Callable[..., Rig], kind: Kind
) -> None:
    found: list[list[str]] = []

    async def save() -> None:
        found.append(rig.names("a"))

    rig = await prepared(make_rig, save=save)
    await kind.promise(rig)
    assert found[0] == [] and rig.names("a") == [kind.action]


@pytest.mark.row("W17")
async def test_an_update_adds_fields(make_rig: Callable[..., Rig], kind: Kind) -> None:
    """Only what makes a promise has to be stored."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    await kind.promise(rig)
    (made,) = json.loads(disk.saved)[kind.name]
    makes_it = {"on", "until", "slot", "kind", "source"}
    await rig.controller.close()
    rig = make_rig(full=True, stored=disk.read(*(made.keys() - makes_it)))
    await rig.live(MINUTES - 5, 60)
    assert kind.changed(rig)
    await rig.live(10, 60)
    assert not kind.changed(rig)


@pytest.mark.row("L30")
async def test_a_lost_release_and_then_the_app(full: Rig, kind: Kind) -> None:
    """The release ran, a read showed it: what the app then changes, stays."""
    await kind.promise(full)
    full.service.cloud.faults.on("refuse")
    full.time.advance(MINUTES * 60)
    await full.polls()
    full.pool.faults.on("close_mid_body", "a")
    await work(full)
    assert not kind.changed(full)
    full.pool.faults.clear()
    await full.read()
    await full.polls(15)
    kind.change(full, True)
    await full.live(30)
    assert kind.changed(full)


async def test_a_request_while_another_output_is_released(rig: Rig) -> None:
    """Both are due: what a user asks meanwhile for the second one stays."""
    await start(rig)
    for slot in (SLOT, 3):
        await hold(rig, True, 1, slot)
    rig.time.advance(61)
    rig.forget()
    working = asyncio.create_task(rig.controller.holds.work())
    while not rig.asked("a"):  # noqa: ASYNC110
        await asyncio.sleep(0)
    await hold(rig, True, MINUTES, 3)
    await working
    await rig.live(2)
    assert [each.slot for each in rig.controller.holds.shown] == [3]
    held = [rig.pool.pool.slots[slot].held for slot in (SLOT, 3)]
    assert held == [False, True]


async def test_a_request_while_another_source_is_deselected(full: Rig) -> None:
    """Both are due: the second one, which a user selects meanwhile, stays selected."""
    heat, heating = full.controller.heat, full.controller.heating
    first, second = HeatSource.POOL_HEATER, HeatSource.SOLAR
    until = full.controller.clock.now() + timedelta(minutes=1)
    for source in (first, second):
        await heat.claim(source, "somebody", until)
    assert [each.source for each in heat.all] == [first, second]
    full.time.advance(61)
    full.forget()
    working = asyncio.create_task(heat.work())
    while not full.asked("a"):  # noqa: ASYNC110
        await asyncio.sleep(0)
    with heat.following([second], True):
        await heating.choose(second, True)
    await working
    await full.live(2)
    assert int(full.settings["heating"]) == SOLAR


@pytest.mark.parametrize("fault", ["refuse", "decline"])
async def test_asked_again_after_a_lost_answer(
    full: Rig, kind: Kind, fault: str
) -> None:
    """The first command ran, the second certainly did not: the first has its end."""
    full.service.cloud.faults.on("refuse")
    full.pool.faults.on("close_mid_body", "a")
    await lost(kind.promise(full))
    full.pool.faults.off("close_mid_body")
    full.pool.faults.on(fault, "a")
    with suppress(PoolctlError):  # that a doser is off is read: nothing is sent
        await kind.promise(full)
    assert kind.changed(full)
    full.pool.faults.clear()
    await full.live(MINUTES + 5, 30)
    assert not kind.changed(full)


@pytest.mark.row("L15")
async def test_one_relay_pulse_of_a_light_show(make_rig: Callable[..., Rig]) -> None:
    """It is not a hold; two reads that agree are."""
    rig = make_rig(full=True)
    await start(rig)
    light = rig.pool.pool.slots[1]
    light.held, light.on = True, False
    await rig.polls(15)
    light.held = False
    for _ in range(4):
        assert rig.controller.holds.all == ()
        await rig.polls(15)
    rig.pool.pool.switch(3, True)
    await rig.polls(15)
    assert rig.controller.holds.all == ()
    await rig.polls(15)
    assert [(each.slot, each.on) for each in rig.controller.holds.shown] == [(3, True)]


@pytest.mark.row("W19")
@pytest.mark.parametrize("reached", [False, True])
async def test_a_start_with_a_clock_years_ahead(
    make_rig: Callable[..., Rig], kind: Kind, reached: bool
) -> None:
    """Without internet, only what has been measured since the start counts."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    await kind.promise(rig)
    await rig.live(5, 60)
    await disk.save()
    trusted, pool = rig.controller.clock.time(), rig.pool.pool
    await rig.controller.close()
    rig.time.advance(300)

    def steady() -> float:
        return pool.local_time().timestamp()

    clock = Clock(since=trusted, wall=lambda: steady() + 4 * YEAR, steady=steady)
    rig = make_rig(full=True, stored=disk.read(), clock=clock)
    if reached:
        # The service knows the time: the five minutes of the stop count, too.
        clock.confirm(format_datetime(datetime.fromtimestamp(steady(), UTC)))
    await rig.live(45, 60)
    assert kind.changed(rig) and kind.claims(rig).overdue == ()
    await rig.live(7 if reached else 12, 60)
    assert not kind.changed(rig)


@pytest.mark.row("W16")
async def test_an_old_backup_and_a_clock_that_is_not_confirmed(
    make_rig: Callable[..., Rig], kind: Kind
) -> None:
    """Once the service reports the time, what ended months ago is only shown."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    await kind.promise(rig)
    await disk.save()
    trusted, pool = rig.controller.clock.time(), rig.pool.pool
    await rig.controller.close()
    rig.time.advance(YEAR / 4)
    pool.update(step=3600)  # its water does not matter

    def steady() -> float:
        return pool.local_time().timestamp()

    clock = Clock(since=trusted, wall=steady, steady=steady)
    rig = make_rig(full=True, stored=disk.read(), clock=clock)
    await rig.polls()
    clock.confirm(format_datetime(datetime.fromtimestamp(steady(), UTC)))
    await rig.live(120, 120)
    assert kind.changed(rig) and len(kind.claims(rig).overdue) == 1
