"""How fast resting water cools: learned from the readings before and after a rest."""

from datetime import UTC, datetime, timedelta
from math import cos, exp, pi

import pytest

from custom_components.poolctl.client.pool.heating import POOL, SPA, Body
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.frame import Chemistry, Readings, Signals
from custom_components.poolctl.learned.cooling import (
    USUAL_AIR,
    USUAL_COOLING,
    Cooling,
    Rest,
)

BEGIN = datetime(2026, 5, 1, 22, tzinfo=UTC)


def begun(at: datetime, water: float, air: float) -> Rest:
    """Return the rest that begins with a reading in °C."""
    return Rest(at, water, air, at, air, water)


def rest(
    cooling: Cooling, hours: float, rate: float, *, water: float = 37, air: float = 12
) -> Cooling:
    """Let water rest and lose the share `rate` of its warmth an hour."""
    left = air + (water - air) * exp(-rate * hours)
    cooling.add_reading(BEGIN, water, air)
    cooling.add_reading(BEGIN + timedelta(hours=hours), left, air)
    return cooling


@pytest.mark.parametrize(
    ("hours", "share", "warmth", "rate"),
    [
        *((16, share, {}, share) for share in (0.004, 0.03, 0.2)),
        (10, 0.0, {}, 0.0),
        (12, 2.0, {}, 0.5),  # no more than is possible
        # Water that is colder than the air, or hardly warmer.
        (16, 0.03, {"water": 12, "air": 20}, None),
        (10, 0.01, {"water": 14.9}, None),
        (10, 0.01, {"water": 15}, 0.01),
        # A rest must be long, and not too long.
        (2.99, 0.01, {}, None),
        (3, 0.01, {}, 0.01),
        (72, 0.01, {}, 0.01),
        (72.01, 0.01, {}, None),
        (8, -0.005, {}, None),  # it got warmer: it was heated elsewhere
    ],
)
def test_a_rest(
    hours: float, share: float, warmth: dict[str, float], rate: float | None
) -> None:
    assert rest(Cooling(), hours, share, **warmth).rate == pytest.approx(rate)


def test_the_estimate() -> None:
    """The estimate uses the mean of the air temperatures at the beginning and now."""
    cooling = Cooling(rate=0.05, rest=begun(BEGIN, 37, 20))
    later = BEGIN + timedelta(hours=10)
    assert cooling.estimate(SPA, later, 10) == pytest.approx(15 + 22 * exp(-0.5))
    assert cooling.estimate(SPA, later, None) == pytest.approx(20 + 17 * exp(-0.5))
    earlier = BEGIN - timedelta(hours=1)  # our clock was corrected
    assert cooling.estimate(SPA, earlier, 20) == pytest.approx(37)


@pytest.mark.parametrize("body", [POOL, SPA], ids=["pool", "spa"])
def test_until_it_is_learned(body: Body) -> None:
    cooling = Cooling(rest=begun(BEGIN, 30, 20))
    later = BEGIN + timedelta(hours=10)
    usual = 20 + 10 * exp(-10 * USUAL_COOLING[body])
    assert cooling.estimate(body, later, 20) == pytest.approx(usual)
    # Water that was never read is not as cold as the night.
    assert Cooling().estimate(body, later, 11) is None
    assert Cooling().estimate(body, later, None) is None


def test_a_warm_day() -> None:
    """The air counts as it was all the time, for the estimate and for the rate."""
    rate, water, cooling, learned = 0.03, 37.0, Cooling(rate=0.03), Cooling()
    for each in (cooling, learned):
        each.add_reading(BEGIN, water, 10.0)
    for minutes in range(1, 20 * 60 + 1):
        air = 20 - 10 * cos(minutes / 60 / 20 * 2 * pi)
        water = air + (water - air) * exp(-rate / 60)
        now = BEGIN + timedelta(minutes=minutes)
        for each in (cooling, learned):
            each.rest = each.rest_until(SPA, now, air)
    assert cooling.estimate(SPA, now, air) == pytest.approx(water, abs=0.05)
    learned.add_reading(now, water, air)
    assert learned.rate == pytest.approx(rate, rel=0.1)


def read(
    *,
    source: Source = Source.LAN,
    stable: bool = True,
    spa_mode: bool = True,
    water: float | None = 36.0,
    air: float | None = 12.0,
) -> PoolState:
    return PoolState(
        source=source,
        readings=Readings(ambient_temperature=air),
        valid_chemistry=Chemistry(water_temperature=water),
        signals=Signals(chemistry_stable=stable),
        outputs=Outputs(types=(20,), modes=(99 if spa_mode else 0,)),
    )


@pytest.mark.parametrize(
    ("state", "body", "rest"),
    [
        (read(), SPA, begun(BEGIN, 36.0, 12.0)),
        (read(air=None), SPA, begun(BEGIN, 36.0, USUAL_AIR)),
        (read(), POOL, None),
        (read(spa_mode=False), SPA, None),
        (read(spa_mode=False), POOL, begun(BEGIN, 36.0, 12.0)),
        (read(stable=False), SPA, None),
        (read(source=Source.CLOUD), SPA, None),
        (read(water=None), SPA, None),
    ],
)
def test_which_reads_count(state: PoolState, body: Body, rest: Rest | None) -> None:
    """Only LAN reads of water that circulated past the probe for long enough count."""
    cooling = Cooling()
    cooling.add_state(body, state, BEGIN)
    assert cooling == Cooling(rest=rest)
