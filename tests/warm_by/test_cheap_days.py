"""Simulated days: water is warm in time, and heated in the hours that cost least.

The water warms up and cools down by physics that the plan has only learned. What
`WarmBy` does with an outlook is done here with a heater instead of a controller;
`test_cheap_hours.py` does the same to a whole home.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import exp, sin
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.heating import POOL, SPA, Body
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.cooling import Cooling
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.pool import Pool
from custom_components.poolctl.learned.preferences import Preferences
from custom_components.poolctl.learned.warming import LearnedRate, SunHour, Warming
from custom_components.poolctl.prices.reader import Price, price_at
from custom_components.poolctl.warm_by import blocks as planner
from custom_components.poolctl.warm_by.blocks import Block, Physics, cheapest_blocks
from custom_components.poolctl.warm_by.outlook import Daylight, Outlook, outlook
from custom_components.poolctl.warm_by.request import Request, Wish

POOL_HEATER, SOLAR, SPA_HEATER = HeatSource
HOUR, QUARTER, MINUTE = timedelta(hours=1), timedelta(minutes=15), timedelta(minutes=1)
BERLIN = ZoneInfo("Europe/Berlin")
TYPES = {POOL: (2, 20), SPA: (19, 20)}


def nord_pool(begin: datetime, hours: int = 48) -> tuple[Price, ...]:
    """Return prices of quarters: low at night and at midday, high in the evening."""
    cells = [begin + QUARTER * at for at in range(hours * 4)]

    def value(at: datetime) -> float:
        hour = at.astimezone(BERLIN).hour + at.minute / 60
        shape = 0.25 + 0.12 * sin((hour - 3) / 12 * 6.283) + 0.05 * sin(hour * 2.3)
        return round(shape - (0.1 if 11 <= hour < 15 else 0.0), 4)

    return tuple(Price(at, at + QUARTER, value(at)) for at in cells)


def as_prices(begin: datetime, values: Callable[[int], float], hours: int = 48) -> Any:
    cells = [(begin + HOUR * at, values(at)) for at in range(hours)]
    return tuple(Price(at, at + HOUR, value) for at, value in cells)


@dataclass
class Day:
    """Water that is to be warm by a time, with a heater that follows the outlook."""

    body: Body = POOL
    begin: datetime = datetime(2026, 5, 1, 20, tzinfo=UTC)
    by: datetime = datetime(2026, 5, 2, 16, tzinfo=UTC)
    water: float = 24.0
    target: int = 28
    air: float = 15.0
    gross: float = 0.62
    """°C an hour by which the heater warms the water, losses aside."""
    cooling: float = 0.005
    wish: Wish = field(default_factory=Wish)
    prices_later: tuple[datetime, tuple[Price, ...]] | None = None
    sun: tuple[SunHour, ...] = ()
    daylight: Daylight | None = None
    windy: Callable[[datetime], bool] = lambda at: False
    learned: bool = True
    rate_error: float = 1.0
    heater_since: datetime | None = None
    heater_until: datetime | None = None
    starts: int = 0
    cost: float = 0.0
    unplanned: float = 0.0
    """Minutes of heating that no plan names."""
    heated: list[datetime] = field(default_factory=list)
    request: Request = field(init=False)

    def __post_init__(self) -> None:
        self.request = Request(body=self.body, by=self.by, wish=self.wish)

    def outlook(self, now: datetime) -> Outlook:
        heater = POOL_HEATER if self.body is POOL else SPA_HEATER
        types = TYPES[self.body] if not self.sun else (2, 17, 20)
        signals: dict[str, Any] = {"chemistry_stable": True}
        state = PoolState(
            source=Source.LAN,
            readings=Readings(
                water_temperature=round(self.water, 1), ambient_temperature=self.air
            ),
            signals=Signals(**signals),
            pool_target=self.target,
            spa_target=self.target,
            heat=dict.fromkeys(HeatSource, True),
            outputs=Outputs(
                types=types, modes=(0, 0) if self.body is POOL else (0, 99)
            ),
        )
        learned = Learned()
        middle = (self.water + self.target) / 2
        net = (self.gross - self.cooling * (middle - self.air)) * self.rate_error
        rates = (LearnedRate((heater,), net),) if self.learned else ()
        learned.warming[self.body] = Warming(rates, self.sun)
        learned.cooling[self.body] = Cooling(rate=self.cooling)
        begun = self.heater_since
        pool = Pool(state, Choices(), Preferences(), learned)
        found = outlook(
            pool, self.request, now, self.daylight, begun, heater_begun=begun
        )
        assert found is not None
        return found

    def follow(self, now: datetime) -> None:
        """Do what `WarmBy` does at a check."""
        if self.prices_later and now >= self.prices_later[0]:
            wish = replace(self.wish, prices=self.prices_later[1])
            self.request = replace(self.request, wish=wish)
        if self.heater_until and now >= self.heater_until:
            self.heater_since = self.heater_until = None
        plan = self.outlook(now).plan
        if plan.due and set(plan.sources) - {SOLAR}:
            if self.heater_since is None:
                self.heater_since = now
                self.starts += now < self.by - 11 * MINUTE
                done = (*self.request.done, Block(now, self.by))[-4:]
                self.request = replace(self.request, done=done)
            until = plan.until or self.by + 3 * HOUR
            self.heater_until = max(self.heater_until or until, until)
        elif self.heater_since and self.request.wish and not plan.due:
            self.heater_since = self.heater_until = None

    def run(self) -> None:
        now = self.begin
        while now < self.by:
            if now.minute % 5 == 0:
                self.follow(now)
            loss = self.cooling * (3 if self.windy(now) else 1)
            self.water += loss / 60 * (self.air - self.water)
            if self.sun and self.daylight and self.water < self.target:
                gain = next((e.per_hour for e in self.sun if e.hour == now.hour), 0.0)
                self.water += gain / 60
            if self.heater_since and self.water < self.target:
                self.water += self.gross / 60
                self.heated.append(now)
                price = next(
                    (p for p in self.wish.prices if p.start <= now < p.end), None
                )
                self.cost += (price.value if price else 0.0) / 60
            now += MINUTE

    def best(self, monkeypatch: pytest.MonkeyPatch) -> float:
        """Return the cost of the cheapest possible blocks, if all is known."""
        for name, value in (("_LEVELS", 400), ("_START", 0.0), ("_RUNS", 1e-6)):
            monkeypatch.setattr(planner, name, value)
        cheapest_blocks.cache_clear()
        cells = int((self.by - self.begin) / QUARTER)
        costs = tuple(
            price_at(self.wish.prices, self.begin + QUARTER * at + QUARTER / 2) or 0
            for at in range(cells)
        )
        keeps = exp(-self.cooling / 4)
        physics = Physics(self.water, self.target, self.air, self.gross / 4, keeps)
        found = cheapest_blocks(costs, physics)
        monkeypatch.undo()
        cheapest_blocks.cache_clear()
        assert found is not None
        water, cost = physics.water, 0.0
        for at, price in enumerate(costs):
            water = physics.air + (water - physics.air) * keeps
            if any(first <= at < end for first, end in found):
                rise = max(min(physics.rise, physics.target - water), 0.0)
                water, cost = water + rise, cost + price / 4 * rise / physics.rise
        return cost


BEGIN = datetime(2026, 5, 1, 20, tzinfo=UTC)
DAYS: dict[str, dict[str, Any]] = {
    "Nord Pool": {"prices": nord_pool(BEGIN)},
    "flat": {"prices": as_prices(BEGIN, lambda at: 0.3)},
    "negative": {
        "prices": as_prices(BEGIN, lambda at: -0.05 if 15 <= at < 18 else 0.2)
    },
    "little loss": {"prices": nord_pool(BEGIN), "cooling": 0.001},
    "a large pool": {"prices": nord_pool(BEGIN), "gross": 0.4, "water": 25.0},
    "a spa": {
        "prices": nord_pool(BEGIN),
        "body": SPA,
        "water": 22.0,
        "target": 37,
        "gross": 3.5,
        "cooling": 0.03,
    },
    "a day of 23 hours": {
        "begin": datetime(2026, 3, 28, 20, tzinfo=UTC),
        "by": datetime(2026, 3, 29, 15, tzinfo=UTC),
        "prices": nord_pool(datetime(2026, 3, 28, 20, tzinfo=UTC)),
    },
    "a day of 25 hours": {
        "begin": datetime(2026, 10, 24, 20, tzinfo=UTC),
        "by": datetime(2026, 10, 25, 17, tzinfo=UTC),
        "prices": nord_pool(datetime(2026, 10, 24, 20, tzinfo=UTC)),
    },
}


@pytest.mark.parametrize("name", DAYS)
def test_the_cheapest_hours(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs at most a tenth more than the cheapest possible blocks."""
    more = dict(DAYS[name])
    day = Day(wish=Wish(prices=more.pop("prices")), **more)
    best = day.best(monkeypatch)
    day.run()
    assert day.water == pytest.approx(day.target, abs=0.5)
    assert day.starts <= 4
    assert day.cost <= best + 0.1 * abs(best)


@pytest.mark.parametrize("price", [0.3, 30.0, 300.0])
def test_even_prices_are_no_reason_to_stop(price: float) -> None:
    """In any currency: a block goes on, as a break saves next to nothing."""
    day = Day(wish=Wish(prices=as_prices(BEGIN, lambda at: price)))
    day.run()
    assert day.water == pytest.approx(day.target, abs=0.5)
    assert day.starts == 1


@pytest.mark.parametrize("error", [0.8, 1.2])
@pytest.mark.parametrize("windy", [False, True])
def test_a_rate_that_is_not_exact(error: float, windy: bool) -> None:
    """The time is a promise: what the water lacks is heated before it, at any price."""
    day = Day(
        wish=Wish(prices=nord_pool(BEGIN)),
        rate_error=error,
        windy=lambda at: windy and at.hour >= 10,
    )
    day.run()
    assert day.water == pytest.approx(day.target, abs=0.5)
    assert day.starts <= 4


def test_prices_that_arrive_later() -> None:
    """The hours without a price are the dearest; new prices are planned with at once."""
    begin = datetime(2026, 5, 1, 8, tzinfo=UTC)
    by = datetime(2026, 5, 2, 16, tzinfo=UTC)
    night = begin + 17 * HOUR
    prices = as_prices(begin, lambda at: 0.02 if 17 <= at < 23 else 0.3)
    day = Day(
        begin=begin,
        by=by,
        wish=Wish(
            prices=tuple(each for each in prices if each.end <= begin + 14 * HOUR)
        ),
        prices_later=(begin + 4 * HOUR, prices),
    )
    assert day.outlook(begin).plan.blocks[0].start >= begin + 4 * HOUR
    day.run()
    assert day.water == pytest.approx(day.target, abs=0.5)
    cheap = [at for at in day.heated if night <= at < night + 6 * HOUR]
    assert len(cheap) >= 350  # all of them


def test_the_list_ends_before_the_time() -> None:
    day = Day(wish=Wish(prices=as_prices(BEGIN, lambda at: 0.1 + at / 100, hours=8)))
    day.run()
    assert day.water == pytest.approx(day.target, abs=0.5)
    assert day.heated[0] < BEGIN + 8 * HOUR


def test_a_solar_forecast() -> None:
    """With the highest values, heating follows the sun."""
    sunny = as_prices(BEGIN, lambda at: max(0.0, 5 - (at - 16) ** 2 / 5))
    day = Day(wish=Wish(prices=sunny, highest=True), by=BEGIN + 22 * HOUR)
    day.run()
    assert day.water == pytest.approx(day.target, abs=0.5)
    assert day.heated[0] >= BEGIN + 10 * HOUR and day.starts <= 2


def test_the_sun_first() -> None:
    """The sun costs nothing: the heater does only what it leaves."""
    sun = tuple(SunHour(hour, 0.4) for hour in range(8, 15))
    daylight = Daylight(datetime(2026, 5, 2, 5, tzinfo=UTC), BEGIN + 22 * HOUR)
    wish = Wish(prices=nord_pool(BEGIN))
    with_sun = Day(wish=wish, sun=sun, daylight=daylight)
    without = Day(wish=wish)
    for day in (with_sun, without):
        day.run()
        assert day.water == pytest.approx(day.target, abs=0.5)
    assert len(with_sun.heated) < 0.6 * len(without.heated)


def test_without_a_learned_rate() -> None:
    """As without prices: heating begins as late as possible."""
    wishes = (Wish(), Wish(prices=nord_pool(BEGIN)))
    days = [Day(wish=wish, learned=False) for wish in wishes]
    for day in days:
        assert day.outlook(BEGIN).plan.blocks == ()
    assert days[0].outlook(BEGIN).plan == days[1].outlook(BEGIN).plan


def test_no_time_is_left() -> None:
    """What cannot be reached in time is heated at once, with everything."""
    day = Day(wish=Wish(prices=nord_pool(BEGIN)), water=15.0)
    plan = day.outlook(BEGIN).plan
    assert plan.due and plan.until in (None, day.by)
    assert set(plan.sources) == {POOL_HEATER}


def test_a_block_lasts_for_half_an_hour() -> None:
    """Also if its hours became dear meanwhile."""
    day = Day(wish=Wish(prices=as_prices(BEGIN, lambda at: 0.1 if at < 2 else 0.3)))
    assert day.outlook(BEGIN).plan.due
    dear = as_prices(BEGIN, lambda at: 0.5 if at < 2 else 0.1)
    day.request = replace(
        day.request, wish=Wish(prices=dear), done=(Block(BEGIN, BEGIN),)
    )
    assert not day.outlook(BEGIN).plan.due
    day.heater_since = BEGIN
    assert day.outlook(BEGIN + 29 * MINUTE).plan.due
    assert not day.outlook(BEGIN + 30 * MINUTE).plan.due
