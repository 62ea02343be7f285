"""A family at its pool: it switches outputs by hand, and forgets most of them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError

from ..engine import MINUTE
from .home import Home
from .pool import (
    CLEANER,
    GARDEN,
    POOL_LIGHT,
    PUMP,
    SPA,
    SPA_JETS,
    SPA_LIGHT,
    UV,
    WATERFALL,
    entity,
    is_linked,
)

type _Deed = Callable[[Family], Awaitable[None]]


class Family:
    """A family that lives by its habits, drawn from a seed."""

    def __init__(self, home: Home, seed: int) -> None:
        self.home, self.seed = home, seed
        self.chance = Random(f"{seed} whims")
        self._one_at_a_time = asyncio.Lock()

    async def live(self, begin: datetime, days: int) -> None:
        """Do what the habits say, for some days that begin at midnight."""
        self._end = begin + timedelta(days=days)
        async with asyncio.TaskGroup() as self._tasks:
            for number in range(days):
                day = begin + timedelta(days=number)
                chance = Random(f"{self.seed} day {number}")
                for habit in HABITS:
                    hour = chance.uniform(habit.earliest, habit.latest)
                    if chance.random() < habit.often or number in habit.days:
                        self._plan(day + timedelta(hours=hour), habit.what, habit.do)

    def soon(self, minutes: float, what: str, deed: _Deed) -> None:
        """Plan something for later today."""
        self._plan(self.home.after(minutes), what, deed)

    def _plan(self, at: datetime, what: str, deed: _Deed) -> None:
        if at < self._end:
            self._tasks.create_task(self._do(at, what, deed))

    async def _do(self, at: datetime, what: str, deed: _Deed) -> None:
        await self.home.until(at)
        async with self._one_at_a_time:
            self.home.counts[what] += 1
            try:
                await deed(self)
            except HomeAssistantError as err:
                self.home.note(f"{what}: {err!r}")

    # --- Single actions ---

    async def switch(self, slot: int, on: bool) -> None:
        """Switch an output through its entity."""
        home, at = self.home, self.home.now
        if not self._in_vain(slot):
            domain, key = entity(slot)
            await home.use(f"{domain}.turn_{'on' if on else 'off'}", domain, key)
            home.diary.switched(slot, on, at)

    async def hold(
        self, slot: int, on: bool, minutes: int, speed: int | None = None
    ) -> None:
        """Hold an output for a time."""
        home, until = self.home, self.home.after(minutes)
        if not self._in_vain(slot):
            data: dict[str, Any] = {"state": on, "duration": {"minutes": minutes}}
            if speed is not None:
                data["speed"] = speed
            await home.use("poolctl.hold", *entity(slot), **data)
            home.diary.held(slot, on, until)

    def _in_vain(self, slot: int) -> bool:
        """Return whether an output cannot run now, because the pump is off."""
        pool = self.home.pool
        return is_linked(pool, slot) and pool.pump.mode == 0

    async def speed(self, percent: int) -> None:
        """Set the speed of a running pump; while schedules run it, that is a hold."""
        home = self.home
        if home.pool.pump.mode != 0:
            await home.use(
                "number.set_value", "number", "pump_target_speed", value=percent
            )
            if PUMP not in home.diary.claims:
                home.diary.sped(PUMP, home.now)

    async def give_back(self) -> None:
        """Release all outputs to their schedules."""
        await self.home.use("button.press", "button", "resume_schedules")
        self.home.diary.forget(*range(len(self.home.pool.slots)))

    async def refill(self, drum: str) -> None:
        """Report that a drum was refilled."""
        await self.home.use("button.press", "button", f"mark_{drum}_drum_full")

    # --- Longer activities ---

    async def spa_evening(self) -> None:
        """Use the spa; sometimes it is switched off only hours later."""
        await self.switch(SPA, True)
        await self.hold(PUMP, True, 180, 90)
        await self.switch(SPA_LIGHT, True)
        self.soon(70, "jets", _hold(SPA_JETS, True, 40))
        forgotten = self.chance.random() < 0.4
        self.soon(720 if forgotten else 150, "spa over", Family.spa_over)

    async def spa_over(self) -> None:
        await self.switch(SPA, False)
        await self.switch(SPA_LIGHT, False)

    async def holds_over_a_restart(self) -> None:
        """Hold two outputs, and update Home Assistant while these holds end."""
        await self.hold(PUMP, False, 20)
        await self.hold(WATERFALL, self.chance.random() < 0.5, 25)
        self.soon(12, "holds that end while it is down", _restart(14, 20))


@dataclass(frozen=True, slots=True)
class Habit:
    """Something that the family does on some days."""

    what: str
    often: float
    """Probability per day."""
    earliest: float
    latest: float
    """Hours of the day."""
    do: _Deed
    days: tuple[int, ...] = ()
    """Days, from 0, on which it is certainly done."""


def _switch(slot: int, on: bool) -> _Deed:
    return lambda it: it.switch(slot, on)


def _hold(slot: int, on: bool, *minutes: int, speed: int | None = None) -> _Deed:
    """Hold an output for one of these times."""
    return lambda it: it.hold(slot, on, it.chance.choice(minutes), speed)


def _restart(shortest: float, longest: float) -> _Deed:
    """Restart Home Assistant, which is down for some minutes."""
    return lambda it: it.home.restart(it.chance.uniform(shortest, longest))


_ON, _OFF = True, False
_LONG, _SHORT = (45, 90, 150, 240), (10, 20, 35)

HABITS: Final = (
    Habit("pump off in the night", 0.1, 1.2, 1.6, _switch(PUMP, _OFF), (1,)),
    Habit("breakfast in quiet", 0.3, 7.5, 9.5, _switch(PUMP, _OFF), (0,)),
    Habit("quiet call", 0.4, 9.5, 14, _hold(PUMP, _OFF, *_SHORT), (1,)),
    Habit("vacuuming", 0.3, 10, 15, _hold(PUMP, _ON, 90, speed=100)),
    Habit("party", 0.25, 22.5, 23.8, _hold(PUMP, _ON, *_LONG, speed=60)),
    Habit("slower", 0.3, 11, 16, lambda it: it.speed(55)),
    Habit("pump on", 0.3, 12, 20, _switch(PUMP, _ON)),
    Habit("pump off", 0.6, 20.5, 22.4, _switch(PUMP, _OFF), (1,)),
    Habit("cleaner off", 0.4, 9.1, 9.8, _switch(CLEANER, _OFF)),
    Habit("UV off", 0.2, 10.1, 13.8, _switch(UV, _OFF)),
    Habit("waterfall off", 0.4, 16.1, 17.8, _switch(WATERFALL, _OFF), (0,)),
    Habit("waterfall for guests", 0.4, 14, 17.5, _hold(WATERFALL, _ON, *_LONG)),
    Habit("no waterfall", 0.3, 14.5, 17.5, _hold(WATERFALL, _OFF, *_LONG)),
    Habit("garden lights off", 0.3, 18.2, 21.8, _switch(GARDEN, _OFF)),
    Habit("garden lights on", 0.3, 15, 17.5, _switch(GARDEN, _ON)),
    Habit("pool light on", 0.4, 18, 21, _switch(POOL_LIGHT, _ON)),
    Habit("pool light off", 0.5, 21.5, 23.5, _switch(POOL_LIGHT, _OFF)),
    Habit("spa evening", 0.35, 18.5, 20, Family.spa_evening, (0,)),
    Habit("everything back", 0.3, 6, 8, Family.give_back),
    Habit("holds over a restart", 0.2, 13, 17, Family.holds_over_a_restart, (1, 6, 11)),
    Habit("restart", 0.15, 6, 22, _restart(1, 4), (0,)),
    Habit("new acid", 0.1, 8, 20, lambda it: it.refill("acid")),
    Habit("new chlorine", 0.1, 8, 20, lambda it: it.refill("chlorine")),
)


async def weather(home: Home, seed: int, end: datetime) -> None:
    """Change the water by air and rain, and add noise to its readings."""
    chance, ph, orp, minute = Random(f"{seed} weather"), 0.0, 0.0, 0
    rain = chance.uniform(600, 840)
    while home.now < end:
        await asyncio.sleep(MINUTE)
        water, now, minute = home.pool.water, home.now, minute + 1
        before, ph, orp = (ph, orp), chance.gauss(0, 0.03), chance.gauss(0, 4)
        water.ph, water.orp = water.ph - before[0] + ph, water.orp - before[1] + orp
        if minute % 10 == 0:
            warmest = 1 - abs(now.hour + now.minute / 60 - 15) / 9
            water.ambient = round(18 + 12 * warmest + chance.gauss(0, 0.5), 1)
        if minute >= rain:
            minute, rain = 0, chance.uniform(1200, 1440)
            water.temperature = chance.uniform(20, 28)
