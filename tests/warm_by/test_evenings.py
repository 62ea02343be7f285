"""Evenings by physics: warm in time, at about the least cost, with few starts.

`POOLCTL_EVENINGS` adds those that are like another one, with other figures.
"""

import asyncio
from datetime import UTC, datetime, timedelta
import os
from statistics import median
from typing import Any

import pytest

from custom_components.poolctl.client.pool.heating import SPA
from tests.world.loops import LeapingLoop

from .evenings import BERLIN, MINUTE, QUARTER, Evening, Night, a_night, local


def nord_pool(at: datetime) -> float:
    """Return a price: low at night and at midday, high in the morning and evening."""
    by_hour = (
        *(0.21, 0.19, 0.18, 0.18, 0.19, 0.23, 0.30, 0.36, 0.33, 0.26, 0.20, 0.16),
        *(0.14, 0.13, 0.15, 0.19, 0.24, 0.32, 0.40, 0.43, 0.38, 0.31, 0.27, 0.24),
    )
    return by_hour[at.hour] + 0.01 * (at.day % 3)


def day_and_night(at: datetime) -> float:
    return 0.18 if at.hour < 6 or at.hour >= 22 else 0.34


def half_days(now: datetime) -> datetime:
    """Return until when prices are known: of tomorrow from 13:00."""
    at = now.astimezone(BERLIN)
    days = 2 if at.hour >= 13 else 1
    return (
        at.replace(hour=0, minute=0, second=0, microsecond=0) + days * DAY
    ).astimezone(UTC)


def dearer_tomorrow(at: datetime) -> float:
    return nord_pool(at) + (0.06 if at.day % 2 == 0 else 0.0)


def dear_day(at: datetime) -> float:
    return nord_pool(at) + (0.3 if 6 <= at.hour < 16 else 0.0)


def sunny_noon(at: datetime) -> float:
    return -0.06 if 11 <= at.hour < 15 else nord_pool(at)


def quarters(at: datetime) -> float:
    return nord_pool(at) + 0.04 * ((at.minute // 15) % 2)


DAY = timedelta(days=1)
AT_13: dict[str, Any] = {"tariff": nord_pool, "known_until": half_days}
WARM_SPA: dict[str, Any] = {
    "body": SPA,
    "water": 25,
    "target": 36,
    "gross": 6,
    "cooling": 0.03,
    "tariff": nord_pool,
}
WIND: dict[str, Any] = {
    **WARM_SPA,
    "water": 36,
    "target": 37,
    "cooling": 0.12,
    "usual_cooling": 0.015,
    "step": 300,
}
del WIND["gross"]
SUN = dict.fromkeys(range(8, 16), 0.35)
EVENINGS = {
    "all is known": Evening(tariff=nord_pool),
    "no prices": Evening(priced=False, gross=0.7, tariff=nord_pool),
    "even prices": Evening(),
    "a large pool": Evening(tariff=nord_pool, gross=0.45, water=25.5, cooling=0.003),
    "day and night tariff": Evening(tariff=day_and_night, begin="2026-05-01T14:00"),
    "spa": Evening(**WARM_SPA),
    "spa in the cold": Evening(**WARM_SPA | {"air": 2.0, "gross": 5, "cooling": 0.05}),
    "spa without prices": Evening(**WARM_SPA | {"priced": False}),
    "list at 13:00": Evening(**AT_13, begin="2026-05-01T09:00", by="2026-05-02T18:00"),
    "list at 13:00, asked at 8:00 for the next noon": Evening(
        **AT_13, begin="2026-05-01T08:00", by="2026-05-02T12:00"
    ),
    "spa, list at 13:00": Evening(
        **WARM_SPA | AT_13, begin="2026-05-01T09:00", by="2026-05-02T08:00"
    ),
    "tomorrow is dearer": Evening(
        **AT_13 | {"tariff": dearer_tomorrow}, begin="2026-05-01T10:00"
    ),
    "no list until 13:00": Evening(
        **AT_13, known_from=local("2026-05-02T00:00"), begin="2026-05-01T09:00"
    ),
    "quarter-hours": Evening(tariff=quarters, resolution=QUARTER),
    "negative": Evening(tariff=sunny_noon),
    "23 hours": Evening(
        tariff=nord_pool, begin="2026-03-28T20:00", by="2026-03-29T17:00"
    ),
    "25 hours": Evening(
        tariff=nord_pool, begin="2026-10-24T20:00", by="2026-10-25T17:00"
    ),
    "half a list": Evening(
        tariff=nord_pool, known_until=lambda now: local("2026-05-02T04:00")
    ),
    "an empty list": Evening(
        tariff=nord_pool,
        known_until=lambda now: local("2026-05-01T00:00"),
        informed=False,
    ),
    "a list that becomes empty": Evening(
        tariff=nord_pool,
        known_until=lambda now: local(
            f"2026-05-0{3 if now < local('2026-05-02T02:30') else 1}T00:00"
        ),
    ),
    "a list that becomes dear": Evening(
        tariff=dear_day, wrong=("2026-05-02T05:30", nord_pool), informed=False
    ),
    "a list that becomes dear in a block": Evening(
        tariff=dear_day, wrong=("2026-05-02T12:20", nord_pool), informed=False
    ),
    "warmed by somebody else": Evening(
        tariff=nord_pool, happens=[("2026-05-02T12:10", "gets_warmer")]
    ),
    "a weaker heater": Evening(tariff=nord_pool, rate_error=1.3, learns=True),
    "a stronger heater": Evening(tariff=nord_pool, rate_error=0.8, learns=True),
    "not learned": Evening(tariff=nord_pool, rate_error=0, learns=True),
    "a weaker heater of the spa": Evening(
        **WARM_SPA | {"rate_error": 1.15, "learns": True}
    ),
    "not learned, asked again": Evening(
        tariff=nord_pool,
        rate_error=0,
        learns=True,
        happens=[(f"2026-05-02T{hour:02}:40", "asks_again") for hour in range(17)],
    ),
    "wind without prices": Evening(
        priced=False, cooling=0.05, usual_cooling=0.01, pump_runs=True, step=300
    ),
    "a gale without prices": Evening(
        priced=False,
        gross=4,
        cooling=0.12,
        usual_cooling=0.02,
        pump_runs=True,
        step=300,
    ),
    "a spa at rest in a wind": Evening(
        **WIND | {"priced": False}, gross=6, begin="2026-05-01T20:00"
    ),
    "a spa at rest in a wind, with prices": Evening(
        **WIND, gross=6, begin="2026-05-01T20:00"
    ),
    "a spa at rest in less wind": Evening(
        **WIND | {"priced": False, "cooling": 0.08}, gross=4, begin="2026-05-02T06:00"
    ),
    "wind": Evening(tariff=nord_pool, cooling=0.015, usual_cooling=0.005),
    "sun": Evening(tariff=nord_pool, sun=SUN, step=300, water=23.0, target=28),
    "sun at noon, time in the evening": Evening(
        tariff=nord_pool,
        sun=SUN,
        step=300,
        water=24.0,
        target=27,
        by="2026-05-02T20:00",
    ),
    "restart": Evening(
        tariff=nord_pool,
        happens=[("2026-05-02T01:10", "restarts"), ("2026-05-02T12:10", "restarts")],
    ),
    "LAN lost": Evening(
        tariff=nord_pool,
        happens=[("2026-05-02T02:00", "loses_lan"), ("2026-05-02T03:30", "finds_lan")],
    ),
    "asked again and again": Evening(
        tariff=nord_pool,
        happens=[(f"2026-05-02T{hour:02}:10", "asks_again") for hour in range(17)],
    ),
    "off": Evening(
        tariff=nord_pool, happens=[("2026-05-02T12:30", "off")], cancelled=True
    ),
}


LIKE_ANOTHER = {
    *("a large pool", "day and night tariff", "spa in the cold", "25 hours"),
    *("spa, list at 13:00", "no list until 13:00", "negative", "a stronger heater"),
    *("not learned", "asked again and again", "a gale without prices", "wind"),
    *("a spa at rest in less wind", "a spa at rest in a wind, with prices"),
    *("an empty list", "a list that becomes dear in a block"),
}
if "POOLCTL_EVENINGS" not in os.environ:
    EVENINGS = {name: it for name, it in EVENINGS.items() if name not in LIKE_ANOTHER}


async def live(evening: Evening) -> tuple[Night, list[str]]:
    with pytest.MonkeyPatch.context() as patch:
        async with a_night(evening, patch) as night:
            await night.live()
            return night, night.left


@pytest.mark.row("W26")
@pytest.mark.timeout(400)
def test_evenings(socket_enabled: None, subtests: pytest.Subtests) -> None:
    """Warm to 0.5 °C, at most 1.3 times the least cost, four starts, nothing left.

    Nor is it dearer than without prices, and what it says is true.
    """
    ratios = []
    for name, evening in EVENINGS.items():
        with subtests.test(name), asyncio.Runner(loop_factory=LeapingLoop) as runner:
            night, left = runner.run(live(evening))
            assert (left, night.bad) == ([], [])
            assert night.starts <= 4
            if evening.cancelled:
                assert night.starts == 1
                continue
            assert night.at_time == pytest.approx(evening.target, abs=0.5)
            assert night.warned is None
            if evening.priced:
                assert night.cost <= 1.1 * evening.latest()
            if evening.priced and evening.informed:
                best = evening.cheapest()
                ratios.append(1 + (night.cost - best) / abs(best))
                assert ratios[-1] <= 1.3
    assert median(ratios) <= 1.1


@pytest.mark.timeout(180)
@pytest.mark.parametrize("priced", [True, False])
def test_pool_and_spa(socket_enabled: None, priced: bool) -> None:
    """Spa mode takes the water for hours: the pool is heated before and after."""
    evening = Evening(
        tariff=nord_pool, priced=priced, gross=1.0, spa_by="2026-05-02T16:00"
    )
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        night, left = runner.run(live(evening))
    assert (left, night.starts <= 4, night.warned) == ([], True, None)
    assert night.at_time == pytest.approx(evening.target, abs=0.5)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("priced", [True, False])
def test_a_heater_that_does_not_start(socket_enabled: None, priced: bool) -> None:
    """It is told when it should have heated for ten minutes, not at the last moment."""
    evening = Evening(
        tariff=nord_pool, priced=priced, happens=[("2026-05-02T10:30", "breaks")]
    )
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        night, left = runner.run(live(evening))
    assert left == [] and night.starts <= 4 and night.warned
    assert night.selected_at
    assert 9 * MINUTE < night.warned - night.selected_at < 17 * MINUTE


UNREST = ("gets_colder", "gets_warmer", "asks_again", "restarts", "gets_warmer")


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "more",
    [{"rate_error": 0, "priced": False}, {"rate_error": 1.2}],
    ids=str,
)
def test_four_starts_whatever_happens(
    socket_enabled: None, more: dict[str, Any]
) -> None:
    """Water, requests and restarts change each plan, before and after it is learned."""
    times = [
        f"2026-05-02T{hour:02}:{minute}" for hour in range(18) for minute in (10, 45)
    ]
    happens = [(at, UNREST[n % len(UNREST)]) for n, at in enumerate(times)]
    evening = Evening(tariff=nord_pool, happens=happens, learns=True, **more)
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        night, left = runner.run(live(evening))
    assert left == [] and 0 < night.starts <= 4
