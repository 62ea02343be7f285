"""When heating must begin, with which sources, and how warm the water will be."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import exp
from typing import Any

import pytest

from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.heating import POOL, SPA, Body
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.cooling import USUAL_COOLING, Cooling, Rest
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.pool import Pool
from custom_components.poolctl.learned.preferences import Preferences
from custom_components.poolctl.learned.warming import LearnedRate, SunHour, Warming
from custom_components.poolctl.warm_by.outlook import Daylight, Outlook, outlook
from custom_components.poolctl.warm_by.request import WARM_LASTS, Request

HEATER, SOLAR, SPA_HEATER = HeatSource
BY = datetime(2026, 5, 1, 18, tzinfo=UTC)
POOL_HEATER_TYPE, SOLAR_TYPE, SPA_HEATER_TYPE, SPA_RETURN = 2, 17, 19, 20
HOUR = timedelta(hours=1)


def foresee(
    body: Body = SPA,
    *,
    hours: float = 0,
    water: float | None = 30.0,
    target: int | None = 36,
    types: tuple[int, ...] = (SPA_HEATER_TYPE, SPA_RETURN),
    rates: tuple[LearnedRate, ...] = (),
    begun: bool = False,
    running: bool = False,
    by_sun: bool = False,
    rested: Rest | None = None,
    elsewhere: bool = False,
    air: float | None = None,
    sunrise: datetime | None = None,
    sun: tuple[SunHour, ...] = (),
) -> Outlook | None:
    """Return the outlook `hours` before the time; water without `rested` circulates."""
    stable, spa_mode = rested is None, 99 if (body is SPA) is not elsewhere else 0
    signals: dict[str, Any] = {"chemistry_stable": stable, "spa_heater": running}
    signals["solar"] = by_sun
    state = PoolState(
        source=Source.LAN,
        readings=Readings(water_temperature=water, ambient_temperature=air),
        signals=Signals(**signals),
        pool_target=target,
        spa_target=target,
        heat=dict.fromkeys(HeatSource, True),
        outputs=Outputs(types=types, modes=(0, spa_mode)),
    )
    learned = Learned()
    learned.warming[body] = Warming(rates, sun)
    # Water that circulates loses nothing here, so that each sum is simple.
    learned.cooling[body] = Cooling(None if rested else 0.0, rested)
    request, now = Request(body=body, by=BY), BY - hours * HOUR
    pool = Pool(state, Choices(), Preferences(), learned)
    heater = SPA_HEATER if body is SPA else SOLAR if SOLAR_TYPE in types else HEATER
    daylight = Daylight(sunrise, BY + 3 * HOUR) if sunrise else None
    claimed = {heater: now - HOUR} if begun else {}
    return outlook(pool, request, now, daylight, claimed)


def found(*args: Any, **kwargs: Any) -> Outlook:
    outlook = foresee(*args, **kwargs)
    assert outlook is not None
    return outlook


def sources_of(result: Outlook) -> tuple[HeatSource, ...]:
    """Return the sources that should heat now."""
    return tuple(source for source in HeatSource if source in result.plan.ends)


@pytest.mark.parametrize(
    ("water", "rate", "lead"),
    [
        (30.0, 3.0, 5.9 / 3 * 1.05 * HOUR + HOUR / 6),
        (30.0, None, 5.9 / 3 * 1.05 * HOUR + HOUR / 6),  # as usual until it is learned
        (30.0, 6.0, 5.9 / 6 * 1.05 * HOUR + HOUR / 6),
        (36.0, 6.0, 0 * HOUR),
        (38.0, 6.0, 0 * HOUR),
        (10.0, None, 6 * HOUR),
        (10.0, 1.0, 25.9 * 1.05 * HOUR + HOUR / 6),  # as long as it takes, once learned
        (None, 6.0, 6 * HOUR),
    ],
)
def test_when_it_begins(
    water: float | None, rate: float | None, lead: timedelta
) -> None:
    rates = () if rate is None else (LearnedRate((SPA_HEATER,), rate),)
    early = found(hours=48, water=water, rates=rates)
    assert (early.plan.begins, early.plan.due) == (BY - lead, False)
    begins = lead / HOUR
    for hours in (begins, begins + 0.01):
        due = found(hours=hours, water=water, rates=rates).plan.due
        assert due is (hours == begins)


@pytest.mark.parametrize(
    ("target", "lead"),
    [(28, 35.0), (30, 41.7), (90, 24.0)],
    ids=["cold", "colder", "never warm"],
)
def test_a_pool_that_takes_longer_than_a_day(target: int, lead: float) -> None:
    """Only what cannot be reached in the time that is left begins a day before it."""
    rates, pool = (LearnedRate((HEATER,), 0.3),), {"types": (POOL_HEATER_TYPE,)}
    result = found(POOL, hours=100, water=18.0, target=target, rates=rates, **pool)
    assert abs((BY - result.plan.begins) / HOUR - lead) < 1.5
    assert not result.plan.due


@pytest.mark.parametrize(
    "changes", [{"target": None}, {"types": (SPA_RETURN,)}], ids=str
)
def test_nothing_to_foresee(changes: dict[str, Any]) -> None:
    assert foresee(**changes) is None


@pytest.mark.parametrize(
    ("hours", "begun", "running", "expected", "late"),
    [
        (2, True, True, 36.0, False),
        (1, True, True, 33.0, True),
        (1, False, False, 33.0, True),  # as if it began now
        (1, True, False, 30.0, True),  # it does not heat
        (0, True, True, 30.0, True),
        (3, False, False, 36.0, False),
    ],
)
def test_how_warm_it_will_be(
    hours: float, begun: bool, running: bool, expected: float, late: bool
) -> None:
    result = found(hours=hours, begun=begun, running=running)
    assert result.expected == pytest.approx(expected)
    assert result.late is late
    heats = running or not begun
    assert result.warm_at == (BY - hours * HOUR + 2 * HOUR if heats else None)


@pytest.mark.parametrize(("water", "warm"), [(35.4, False), (35.5, True), (37.0, True)])
def test_warm(water: float, warm: bool) -> None:
    result = found(hours=0, water=water, begun=True, running=True)
    assert result.warm is warm
    assert result.late is not warm


@pytest.mark.parametrize(("water", "late"), [(35.1, False), (34.9, True)])
def test_kept_warm(water: float, late: bool) -> None:
    """A heater that keeps it warm has larger steps."""
    result = found(hours=-1, water=water, begun=True, running=True)
    assert result.late is late


POOL_TYPES = (POOL_HEATER_TYPE, SOLAR_TYPE)
BY_SUN = LearnedRate((SOLAR,), 0.5)
BY_HEATER = LearnedRate((HEATER,), 2.0)


@pytest.mark.parametrize(
    ("hours", "rates", "sources", "due"),
    [
        (9, (BY_SUN, BY_HEATER), (), False),
        (8, (BY_SUN, BY_HEATER), (SOLAR,), True),
        (2, (BY_SUN, BY_HEATER), (HEATER, SOLAR), True),
        # No rate of the sun alone is learned: it is tried while there is time.
        (23, (BY_HEATER,), (SOLAR,), True),
        (3, (BY_HEATER,), (SOLAR,), True),
        (2, (BY_HEATER,), (HEATER, SOLAR), True),
        # Nothing is learned: the heater follows at the usual rate.
        (23, (), (SOLAR,), True),
        (15, (), (SOLAR,), True),
        (13.5, (), (HEATER, SOLAR), True),
    ],
)
def test_the_sun_first(
    hours: float, rates: tuple[LearnedRate, ...], sources: Any, due: bool
) -> None:
    """The sun needs 8.6 h for the missing 4 °C, and the heater 2.3 h."""
    water, target = 24.0, 28
    result = found(
        POOL, hours=hours, water=water, target=target, types=POOL_TYPES, rates=rates
    )
    assert (sources_of(result), result.plan.due) == (sources, due)


@pytest.mark.parametrize(
    ("water", "sources"), [(27.1, (SOLAR,)), (26.9, (HEATER, SOLAR))]
)
def test_no_heater_while_the_sun_is_enough(water: float, sources: Any) -> None:
    """In the last hour, the sun warms the water by half a degree."""
    rates = BY_SUN, LearnedRate((HEATER,), 0.5)
    pool = {"types": POOL_TYPES, "rates": rates, "water": water, "target": 28}
    result = found(POOL, hours=1, begun=True, by_sun=True, **pool)
    assert sources_of(result) == sources


@pytest.mark.parametrize(
    ("fitted", "source"), [(SOLAR_TYPE, SOLAR), (POOL_HEATER_TYPE, HEATER)]
)
def test_one_source_alone(fitted: int, source: HeatSource) -> None:
    result = found(POOL, types=(fitted,), water=24.0, target=28, hours=1)
    assert sources_of(result) == (source,)


def test_what_is_stored_of_a_request() -> None:
    request = Request(body=SPA, by=BY, lasts=HOUR)
    kind = tuple[Request, ...]
    requests = request, replace(request, body=POOL)
    assert from_stored(kind, to_stored(requests, kind)) == requests
    stored = to_stored(request)
    assert isinstance(stored, dict)
    odd = [{**stored, "lasts": -1}, {**stored, "by": "soon"}, 3]
    assert from_stored(kind, odd) == (replace(request, lasts=WARM_LASTS),)
    # Earlier versions stored what was done for it, too.
    done = {"begun": True, "heats": True, "held": [10], "selected": ["spa_heater"]}
    assert from_stored(kind, [stored | done]) == (request,)


def test_water_that_is_warmer_than_its_target() -> None:
    """Such water is warm now, and no more than its target is expected."""
    result = found(hours=3, water=38.0, begun=True)
    assert (result.expected, result.warm_at) == (36.0, BY - 3 * HOUR)
    assert found(hours=3, water=36.0).warm_at == BY - 3 * HOUR


def test_as_fast_as_it_is_heated_now() -> None:
    rates = (LearnedRate((SPA_HEATER,), 6.0),)
    result = found(hours=0.5, begun=True, running=True, rates=rates)
    assert result.warm_at == BY + 0.5 * HOUR
    assert result.expected == pytest.approx(33.0)
    # A rate of 0.3 °C an hour is enough to predict the time.
    slow = found(POOL, types=(POOL_HEATER_TYPE,), water=27.7, target=28, hours=1)
    assert slow.warm_at == BY


@pytest.mark.parametrize(("body", "air"), [(SPA, 14.0), (SPA, None), (POOL, 14.0)])
def test_resting_water_has_cooled(body: Body, air: float | None) -> None:
    """The estimate is 30 °C less the usual loss of ten hours; other water flows."""
    cooling = Cooling()
    cooling.add_reading(BY - 22 * HOUR, 30.0, 20.0)
    rested = cooling.rest
    types = (POOL_HEATER_TYPE, SPA_HEATER_TYPE, SPA_RETURN)
    result = foresee(
        body, hours=12, water=35.0, target=36, types=types, rested=rested, air=air
    )
    assert result is not None and result.water is not None
    mean = 20.0 if air is None else 17.0
    rate = USUAL_COOLING[body]
    assert result.water == pytest.approx(mean + (30 - mean) * exp(-10 * rate))


def test_water_that_was_not_read() -> None:
    """A pool does not count as cold as the night air; its last valid reading counts."""
    types = (POOL_HEATER_TYPE, SPA_HEATER_TYPE, SPA_RETURN)
    for body, water in ((SPA, 9.0), (POOL, None)):
        assert found(body, hours=12, water=None, types=types, air=9.0).water == water
    # The probe measures the pool, so the temperature of the spa is unknown.
    assert found(SPA, hours=12, water=35.0, elsewhere=True).water is None


def by_sun(hours: float, sunrise: datetime | None, *types: int, **more: Any) -> Outlook:
    """Return the outlook for a pool that the sun heats slowly."""
    rates = (LearnedRate((SOLAR,), 0.2), LearnedRate((HEATER, SOLAR), 1.0))
    more = {"water": 26.0, "target": 28} | more
    return found(
        POOL,
        hours=hours,
        types=(SOLAR_TYPE, *types),
        rates=rates,
        sunrise=sunrise,
        **more,
    )


@pytest.mark.parametrize(
    ("hours", "sunrise", "begins", "due", "sources"),
    [
        # Ten hours of sun are needed, and there are eight: it begins at sunrise.
        (20, BY - 8 * HOUR, BY - 8 * HOUR, False, ()),
        (8, BY - 8 * HOUR, BY - 8 * HOUR, True, (SOLAR,)),
        (1, BY - 8 * HOUR, BY - HOUR, True, (HEATER, SOLAR)),
        (20, None, BY - 10 * 1.05 * HOUR - HOUR / 6, False, ()),
        # Before sunrise only the heater begins.
        (3, BY + HOUR, BY - 1.9 * 1.05 * HOUR - HOUR / 6, False, ()),
        (1, BY + HOUR, BY - HOUR, True, (HEATER,)),
    ],
)
def test_when_the_sun_begins(
    hours: float, sunrise: datetime | None, begins: datetime, due: bool, sources: Any
) -> None:
    result = by_sun(hours, sunrise, POOL_HEATER_TYPE)
    assert (result.plan.begins, result.plan.due, sources_of(result)) == (
        begins,
        due,
        sources,
    )


def test_what_the_sun_alone_can_do() -> None:
    """Only the hours after sunrise warm the water."""
    five = BY - 5 * HOUR
    for hours, sunrise, fitted, expected in (
        (20, five, (), 27.0),
        (3, five, (), 26.6),
        (2, BY + HOUR, (), 26.0),
        (20, five, (POOL_HEATER_TYPE,), 28.0),
    ):
        result = by_sun(hours, sunrise, *fitted)
        assert result.expected == pytest.approx(expected)
    assert by_sun(20, five).late is False, "nothing has to run yet"
    assert by_sun(5, five).late


SUNNY = tuple(SunHour(hour, 0.5) for hour in range(9, 15))
"""The sun warmed the water by 3 °C yesterday, and not at all from 15 o'clock."""


@pytest.mark.parametrize(
    ("hours", "water", "more", "sources"),
    [
        # 2.5 °C are missing at sunrise, and the sun will do more.
        (12, 25.5, {}, (SOLAR,)),
        # At noon it will do 1.5 °C, at 15 o'clock nothing more.
        (6, 26.5, {"by_sun": True}, (SOLAR,)),
        (3, 27.2, {"by_sun": True}, (SOLAR,)),
        (0.5, 27.2, {"by_sun": True}, (HEATER, SOLAR)),
        # The heater begins early enough for what the sun will not do.
        (12, 20.0, {}, (SOLAR,)),
        (3.5, 22.0, {"by_sun": True}, (SOLAR,)),
        (3.2, 22.0, {"by_sun": True}, (HEATER, SOLAR)),
        # The sun should have heated for an hour, and did not.
        (7.5, 26.0, {"begun": True}, (SOLAR,)),
        (2.0, 26.0, {"begun": True}, (SOLAR,)),
        (1.1, 26.0, {"begun": True}, (HEATER, SOLAR)),
        # Water that is nearly warm need not circulate all day.
        (12, 27.6, {}, ()),
    ],
)
def test_the_sun_does_what_it_did_yesterday(
    hours: float, water: float, more: dict[str, Any], sources: Any
) -> None:
    pool = {"types": POOL_TYPES, "rates": (BY_SUN, BY_HEATER), "sun": SUNNY}
    result = found(
        POOL,
        hours=hours,
        water=water,
        target=28,
        sunrise=BY - 12 * HOUR,
        **pool,
        **more,
    )
    assert sources_of(result) == sources
    assert not result.late


@pytest.mark.parametrize(
    ("hours", "types", "sources", "due"),
    [
        (25, POOL_TYPES, (), False),
        (23, POOL_TYPES, (), True),
        (12.1, POOL_TYPES, (SOLAR,), True),
        (11.9, POOL_TYPES, (HEATER, SOLAR), True),
        (23, (POOL_HEATER_TYPE,), (), True),
        (11.9, (POOL_HEATER_TYPE,), (HEATER,), True),
    ],
)
def test_water_of_unknown_temperature_is_read_first(
    hours: float, types: tuple[int, ...], sources: Any, due: bool
) -> None:
    """It circulates, then the sun heats, and the heater only if that does not help."""
    sunrise = BY - 13 * HOUR
    result = found(POOL, hours=hours, water=None, types=types, sunrise=sunrise)
    assert (sources_of(result), result.plan.due) == (sources, due)
    assert not result.late
