"""Evenings by physics: a simulated pool that is warmed over real sockets, and its bill.

Volume, heater, losses and sun are true values that the product does not know. What the
cheapest possible plan would cost is worked out here, by other means than the product's.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import exp, inf
from typing import Any, override
from zoneinfo import ZoneInfo

from aiohttp import ClientSession
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.client.controller import Controller
from custom_components.poolctl.client.pool.heating import POOL, SPA, Body
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import PoolctlError
from custom_components.poolctl.client.wire.http import ClosingRequest
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.warming import LearnedRate, SunHour
from custom_components.poolctl.prices.reader import Price
from custom_components.poolctl.status.heating import WARM_BY_CAUSES
from custom_components.poolctl.status.rows import explain
from custom_components.poolctl.warm_by import warm_by as warm_by_module
from custom_components.poolctl.warm_by.outlook import Daylight
from custom_components.poolctl.warm_by.request import Wish
from custom_components.poolctl.warm_by.warm_by import WarmBy
from tests.client.conftest import Service, replace_time
from tests.warm_by.test_undone_later import World
from tests.world import simulator as sim
from tests.world.simulator import pool as simulated_pool, water as simulated_water
from tests.world.simulator.pool import POOL_HEATER, SPA_HEATER

HOUR, QUARTER, MINUTE = timedelta(hours=1), timedelta(minutes=15), timedelta(minutes=1)
BERLIN = ZoneInfo("Europe/Berlin")
BIT = {POOL: POOL_HEATER, SPA: SPA_HEATER}
HEATER = {POOL: HeatSource.POOL_HEATER, SPA: HeatSource.SPA_HEATER}
NAME = {POOL: "pool", SPA: "spa"}
TARGET_NAME = {POOL: "pool_target", SPA: "spa_target"}
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
NEVER = datetime(2027, 1, 1, tzinfo=UTC)

type Tariff = Callable[[datetime], float]
"""Price at a local time."""
type Happening = Callable[[Evening], Any]


def local(text: str) -> datetime:
    """Return a time in UTC of a local one."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


@dataclass(kw_only=True)
class Evening:
    """What is true of an evening, what is asked for, and what happens meanwhile."""

    begin: str = "2026-05-01T20:00"
    by: str = "2026-05-02T18:00"
    body: Body = POOL
    water: float = 24.0
    target: int = 28
    air: float = 15.0
    gross: float = 1.2
    """°C an hour by which the heater warms the water, losses aside."""
    cooling: float = 0.006
    """Share of its difference to the air that it loses in an hour."""
    usual_cooling: float = 0.0
    """The same as far as it was learned; 0 is the true one."""
    rate_error: float = 1.0
    """How much too fast the learned rate is; 0 is not learned."""
    sun: dict[int, float] = field(default_factory=dict)
    """°C by which the sun warms the pool in each hour (UTC)."""
    tariff: Tariff = lambda at: 0.3
    wrong: tuple[str, Tariff] | None = None
    """Until when a list has other prices, and which."""
    resolution: timedelta = HOUR
    known_until: Callable[[datetime], datetime] = lambda now: NEVER
    """Until when prices are known at a time."""
    known_from: datetime = LONG_AGO
    priced: bool = True
    informed: bool = True
    """Whether the cheapest plan could be known in time."""
    lasts: timedelta = HOUR
    happens: Sequence[tuple[str, str]] = ()
    """Times, and names of methods of `Night`."""
    spa_by: str = ""
    """When the spa is to be warm, too: its water is another."""
    pump_runs: bool = False
    """Whether the water circulates all the time, so that its loss is measured."""
    cancelled: bool = False
    """Whether somebody ends it meanwhile."""
    step: int = 600
    """Seconds between two reads."""
    learns: bool = False
    """Whether they are short enough while it heats to learn from."""

    @property
    def start(self) -> datetime:
        return local(self.begin)

    @property
    def time(self) -> datetime:
        return local(self.by)

    def price(self, at: datetime) -> float:
        return self.tariff(at.astimezone(BERLIN))

    def air_at(self, at: datetime) -> float:
        """Return °C of the air: solar heating runs only if that is warmer."""
        return self.target + 1 if at.hour in self.sun else self.air

    def prices(self, now: datetime) -> tuple[Price, ...]:
        """Return the list as it is at a time: that of today, and what is known then."""
        day = now.astimezone(BERLIN).replace(hour=0, minute=0, second=0, microsecond=0)
        at, found = max(day.astimezone(UTC), self.known_from), []
        until = min(self.known_until(now), at + 4 * 24 * HOUR)
        while at < until:
            price = self.price(at)
            if self.wrong and now < local(self.wrong[0]):
                price = self.wrong[1](at.astimezone(BERLIN))
            found.append(Price(at, at + self.resolution, price))
            at += self.resolution
        return tuple(found)

    # The cheapest plan

    def cheapest(self, starts: int = 4, close: float = 0.1) -> float:
        """Return what the cheapest possible heating costs, if all is known before.

        By temperatures in steps, backwards from the requested time.
        """
        cells = int((self.time - self.start) / QUARTER)
        keeps, rise, step = exp(-self.cooling / 4), self.gross / 4, self.gross / 4 / 12
        low = min(self.water, self.air + (self.water - self.air) * keeps**cells) - step
        levels = int((self.target - low) / step) + 2
        prices = [
            self.price(self.start + QUARTER * (at + 0.5)) / 4 for at in range(cells)
        ]
        gains = [
            self.sun.get((self.start + QUARTER * at).hour, 0.0) / 4
            for at in range(cells)
        ]
        # Cost to go, by phase (rests, heats) and starts left.
        best = [
            [[0.0 if low + step * n >= self.target - close else inf for n in range(levels)]
             for _ in range(starts + 1)]
            for _ in range(2)
        ]  # fmt: skip
        airs = [self.air_at(self.start + QUARTER * at) for at in range(cells)]
        for price, gain, air in zip(prices[::-1], gains[::-1], airs[::-1], strict=True):
            cooled = [
                min(air + (low + step * n - air) * keeps + gain, self.target)
                for n in range(levels)
            ]
            heated = [min(each + rise, self.target) for each in cooled]
            paid = [price * (b - a) / rise for a, b in zip(cooled, heated, strict=True)]
            down = [(each - low) / step for each in cooled]
            up = [(each - low) / step for each in heated]
            now = [[[inf] * levels for _ in range(starts + 1)] for _ in range(2)]
            for left in range(starts + 1):
                off, on = best[0][left], best[1][left]
                begun = best[1][left - 1] if left else None
                for n in range(levels):
                    rest = _between(off, down[n])
                    now[0][left][n] = min(
                        rest, paid[n] + _between(begun, up[n]) if begun else inf
                    )
                    now[1][left][n] = min(rest, paid[n] + _between(on, up[n]))
            best = now
        return _between(best[0][starts], (self.water - low) / step)

    def latest(self, close: float = 0.1) -> float:
        """Return what it costs to heat as late as possible."""
        minutes = int((self.time - self.start) / MINUTE)
        for lead in range(0, minutes, 5):
            water, cost = self.water, 0.0
            for minute in range(minutes):
                at = self.start + minute * MINUTE
                water += self.cooling / 60 * (self.air_at(at) - water)
                water += self.sun.get(at.hour, 0.0) / 60 * (water < self.target)
                if minute >= minutes - lead and water < self.target:
                    water, cost = water + self.gross / 60, cost + self.price(at) / 60
            if water >= self.target - close:
                return cost
        return cost


def _between(values: list[float], at: float) -> float:
    """Return a value between two steps."""
    low = min(int(max(at, 0.0)), len(values) - 1)
    high, share = min(low + 1, len(values) - 1), max(at, 0.0) - low
    if values[high] == inf or values[low] == inf:
        return values[high] if share > 0.5 else values[low]
    return values[low] + (values[high] - values[low]) * share


class Night(World):
    """One evening as it passes."""

    evening: Evening
    learned: Learned
    cost = 0.0
    starts = 0
    selected_at: datetime | None = None
    """When a heater was first selected."""
    at_time: float | None = None
    """°C at the requested time."""
    bad: list[str]
    """What was said, and is not true."""
    warned: datetime | None = None
    """When it was first said that it will be late."""
    other = 0.0
    """°C of the water that does not circulate."""
    was_spa = False

    @override
    def started(self, stored: dict[str, Any]) -> tuple[Controller, WarmBy]:
        controller, found = super().started(stored)
        if not hasattr(self, "evening"):
            return controller, found
        requests = found.all
        controller.live.read_listeners.append(self._learn)
        daylight = Daylight(local("2026-05-02T06:00"), local("2026-05-02T20:30"))
        return controller, WarmBy(
            controller,
            self.learned,
            requests,
            prices=self._prices,
            daylight=lambda by: daylight,
        )

    @override
    async def poll(self, seconds: float) -> None:
        """Let time pass, read, and do what is due; names and the like do not matter."""
        self.time.advance(seconds)
        with suppress(PoolctlError):
            await self.controller.poller.poll()
        if any(owner.wait is not None and owner.wait <= 0 for owner in self.owners):
            for owner in self.owners:
                await owner.work()

    async def _prices(self, body: Body, wish: Wish) -> Sequence[Price]:
        return self.evening.prices(self.clock_now)

    @property
    def clock_now(self) -> datetime:
        return datetime.fromtimestamp(self.service.clock.time(), UTC)

    def _learn(self, state: Any, at: float) -> None:
        self.learned.add_read(state, at, self.clock_now.astimezone(BERLIN))

    # The true pool

    def begin(self, evening: Evening, patch: pytest.MonkeyPatch) -> None:
        self.evening, self.learned, self.bad = evening, Learned(), []
        self.burns = self.selects = False
        self.patch, self.other = patch, 30.0
        self.simulated = pool = self.pool
        body, water = evening.body, pool.water
        water.temperature, water.ambient, water.sunshine = (
            evening.water,
            evening.air,
            0.0,
        )
        pool.settings[TARGET_NAME[body]] = evening.target
        if not evening.sun:
            pool.slots[5].aux_type = 0
        rises = {"pool": evening.gross, "spa": max(evening.gross, 5.0), "solar": 1.0}
        patch.setattr(simulated_water, "HEATER_RISE", rises)
        patch.setattr(simulated_water, "COOLING", evening.cooling)
        pool.watchers.append(self._passes)
        middle = (evening.water + evening.target) / 2
        usual = evening.usual_cooling or evening.cooling
        net = (evening.gross - usual * (middle - evening.air)) * evening.rate_error
        if net:
            rates = (LearnedRate((HEATER[body],), net),)
            self.learned.warming[body].rates = rates
        self.learned.warming[body].sun = tuple(
            SunHour(hour, rate) for hour, rate in evening.sun.items()
        )
        self.learned.cooling[body].rate = usual
        self.controller, self.warm_by = self.started({})

    def _passes(self, seconds: float) -> None:
        """Count what heating costs, how often it begins, and how warm the water is."""
        evening, pool, clock = self.evening, self.simulated, self.service.clock
        behind = timedelta(seconds=clock.monotonic() - pool.now)
        now = self.clock_now - behind
        if pool.spa_mode is not self.was_spa and evening.spa_by:
            self.was_spa, self.other, pool.water.temperature = (
                *(pool.spa_mode, pool.water.temperature),
                self.other,
            )
        self.other += evening.cooling * (evening.air - self.other) * seconds / 3600
        pool.water.sunshine = evening.sun.get(now.hour, 0.0)
        pool.water.ambient = evening.air_at(now)
        self.burns = pool.heaters[NAME[evening.body]]
        selects = bool(int(pool.settings["heating"]) & BIT[evening.body])
        if selects and not self.selects:
            self.starts, self.selected_at = self.starts + 1, self.selected_at or now
        self.selects = selects
        if self.burns and now < evening.time:
            self.cost += evening.price(now) * seconds / 3600
        if now >= evening.time and self.at_time is None:
            here = pool.spa_mode is (evening.body is SPA) or not evening.spa_by
            self.at_time = pool.water.temperature if here else self.other

    # What happens

    async def restarts(self) -> None:
        await self.restart(1)

    @override
    async def restart(self, minutes: float) -> None:
        self.learned = Learned(self.learned.as_dict())
        await super().restart(minutes)

    async def breaks(self) -> None:
        """Have no heater start any more."""
        self.simulated.heaters.update(dict.fromkeys(self.simulated.heaters, False))
        self.patch.setattr(self.simulated, "_heat", lambda: None)

    async def gets_colder(self) -> None:
        self.pool.water.temperature -= 1.5

    async def gets_warmer(self) -> None:
        self.pool.water.temperature += 1.5

    async def loses_lan(self) -> None:
        self.trouble("nothing")

    async def finds_lan(self) -> None:
        self.trouble("")

    async def off(self) -> None:
        source, body = HEATER[self.evening.body], self.evening.body
        with self.controller.heat.following([source], False):
            await self.controller.heating.choose(source, False)
        await self.warm_by.give_up(body)

    async def asks_again(self) -> None:
        await self.ask()

    async def ask(self) -> None:
        evening = self.evening
        wish = Wish(prices=evening.prices(self.clock_now), entities=("sensor.prices",))
        await self.warm_by.want(
            evening.body, evening.time, evening.lasts, wish if evening.priced else None
        )
        if evening.spa_by:
            self.pool.settings["spa_target"] = 36
            await self.warm_by.want(SPA, local(evening.spa_by), HOUR)

    # What is said

    def listen(self) -> None:
        """Compare what is said with what is, and note it for later."""
        request = self.warm_by.of(self.evening.body)
        expected = request and self.warm_by.outlook(request)
        if not expected:
            return
        (key, values), *more = explain(WARM_BY_CAUSES, expected)
        now, past = self.clock_now, self.clock_now - 10 * MINUTE
        named: list[Any] = [each.values for each in more if each.key == "warm_by_block"]
        waits = key == "warm_by_waits" or (
            key == "warm_by_planned"
            and not any(each["time"] <= now <= each["end"] + MINUTE for each in named)
        )
        if waits and self.burns and now < self.evening.time:
            self.bad.append(f"{now:%H:%M}: it burns, but {key} {named}")
        begins: Any = values.get("time")
        if key == "warm_by_waits" and begins < past:
            self.bad.append(f"{now:%H:%M}: it should have begun at {begins}")
        if key == "warm_by_late":
            self.warned = self.warned or now

    async def live(self) -> None:
        """Live through it, and look at what is left."""
        evening = self.evening
        for seconds in (15, 15, 15):
            await self.poll(seconds)
        await self.ask()
        happens = [(local(at), name) for at, name in evening.happens]
        while (now := self.clock_now) < evening.time + evening.lasts + 10 * MINUTE:
            while happens and happens[0][0] <= now:
                await getattr(self, happens.pop(0)[1])()
            await self.poll(self._quiet(now))
            self.pool.update()
            self.listen()
        for seconds in (60, 60):
            await self.poll(seconds)

    def _quiet(self, now: datetime) -> float:
        """Return the seconds until the next read: at each begin and end there is one."""
        request = self.warm_by.of(self.evening.body)
        expected = request and self.warm_by.outlook(request)
        if not expected:
            return 900
        blocks = [at for block in expected.blocks for at in block]
        times = [expected.plan.begins, self.evening.time, *blocks]
        later = [(at - now).total_seconds() for at in times if at > now + MINUTE]
        learns = 60 if self.selects and self.evening.learns else self.evening.step
        return min(learns, max(min(later, default=60), 30))

    @property
    def left(self) -> list[str]:
        """What it has left behind."""
        pool = self.pool
        pool.update()
        found = [f"slot {n}" for n in (0, 10) if pool.slots[n].held]
        found += ["heating"] * bool(pool.settings["heating"])
        found += ["spa mode"] * pool.spa_mode
        claims = *self.controller.heat.all, *self.controller.holds.all
        return found + [str(each) for each in (*self.warm_by.all, *claims)]


@asynccontextmanager
async def a_night(evening: Evening, patch: pytest.MonkeyPatch) -> AsyncGenerator[Night]:
    """Yield a pool on an evening, whose time passes ten times as fast."""
    clock = sim.Clock(speed=10, start=evening.start.timestamp())
    time = replace_time(clock, patch)
    patch.setattr(warm_by_module, "time", time)
    patch.setattr(simulated_pool, "STEP", 60.0)
    patch.setattr(dt_util, "DEFAULT_TIME_ZONE", BERLIN)
    async with (
        ClientSession(request_class=ClosingRequest) as session,
        Service(session, clock).running() as service,
    ):
        pool = service.full.pool
        pool.settings["heating"] = 0
        night = Night(service, time)
        await night.window(0, 0, 23 * 60 if evening.pump_runs else 0)
        await night.controller.close()
        night.begin(evening, patch)
        try:
            yield night
        finally:
            await night.controller.close()
