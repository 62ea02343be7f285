"""How fast resting water cools: learned from the readings before and after a rest."""

from datetime import UTC, datetime, timedelta
from math import exp

import pytest

from custom_components.poolctl.client.pool.heating import POOL, SPA, Body
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.stored import Stored
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.cooling import (
    USUAL,
    USUAL_AIR,
    Cooling,
    LastReading,
    after_read,
)

BEGIN = datetime(2026, 5, 1, 22, tzinfo=UTC)


def rest(
    cooling: Cooling, hours: float, rate: float, *, water: float = 37, air: float = 12
) -> Cooling:
    """Let water rest and lose the share `rate` of its warmth an hour."""
    cooling = cooling.then(LastReading(BEGIN, water, air))
    left = air + (water - air) * exp(-rate * hours)
    return cooling.then(LastReading(BEGIN + timedelta(hours=hours), left, air))


@pytest.mark.parametrize("rate", [0.004, 0.03, 0.2])
def test_a_rest(rate: float) -> None:
    assert rest(Cooling(), 16, rate).rate == pytest.approx(rate)


def test_water_that_is_colder_than_the_air() -> None:
    assert rest(Cooling(), 16, 0.03, water=12, air=20).rate is None


def test_water_that_got_warmer_was_heated_elsewhere() -> None:
    cooling = Cooling().then(LastReading(BEGIN, 30, 12))
    later = LastReading(BEGIN + timedelta(hours=8), 31, 12)
    assert cooling.then(later).rate is None


def test_a_newer_rest_counts_more() -> None:
    cooling = rest(Cooling(rate=0.03), 16, 0.06)
    assert cooling.rate == pytest.approx(0.039)


def test_no_more_than_is_possible() -> None:
    assert rest(Cooling(), 12, 2.0).rate == 0.5


def test_the_estimate() -> None:
    """The estimate uses the mean of the air temperatures at the beginning and now."""
    cooling = Cooling(rate=0.05, last=LastReading(BEGIN, 37, 20))
    later = BEGIN + timedelta(hours=10)
    assert cooling.estimate(SPA, later, 10) == pytest.approx(15 + 22 * exp(-0.5))
    assert cooling.estimate(SPA, later, None) == pytest.approx(20 + 17 * exp(-0.5))
    earlier = BEGIN - timedelta(hours=1)  # our clock was corrected
    assert cooling.estimate(SPA, earlier, 20) == pytest.approx(37)


@pytest.mark.parametrize("body", [POOL, SPA], ids=["pool", "spa"])
def test_until_it_is_learned(body: Body) -> None:
    cooling = Cooling(last=LastReading(BEGIN, 30, 20))
    later = BEGIN + timedelta(hours=10)
    usual = 20 + 10 * exp(-10 * USUAL[body])
    assert cooling.estimate(body, later, 20) == pytest.approx(usual)
    assert Cooling().estimate(body, later, 11) == 11
    assert Cooling().estimate(body, later, None) is None


def test_what_is_stored() -> None:
    cooling = rest(Cooling(), 16, 0.03)
    assert Cooling.from_dict(Stored(cooling.as_dict())) == cooling
    assert Cooling.from_dict(Stored({"rate": -1, "last": {"at": 3}})) == Cooling()


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
        readings=Readings(water_temperature=water, ambient_temperature=air),
        signals=Signals(chemistry_stable=stable),
        outputs=Outputs(types=(20,), modes=(99 if spa_mode else 0,)),
    )


@pytest.mark.parametrize(
    ("state", "body", "last"),
    [
        (read(), SPA, LastReading(BEGIN, 36.0, 12.0)),
        (read(air=None), SPA, LastReading(BEGIN, 36.0, USUAL_AIR)),
        (read(), POOL, None),
        (read(spa_mode=False), SPA, None),
        (read(spa_mode=False), POOL, LastReading(BEGIN, 36.0, 12.0)),
        (read(stable=False), SPA, None),
        (read(source=Source.CLOUD), SPA, None),
        (read(water=None), SPA, None),
    ],
)
def test_which_reads_count(
    state: PoolState, body: Body, last: LastReading | None
) -> None:
    """Only LAN reads of water that circulated past the probe for long enough count."""
    assert after_read(Cooling(), body, state, BEGIN) == Cooling(last=last)


@pytest.mark.parametrize(
    ("hours", "learns"), [(2.99, False), (3, True), (72, True), (72.01, False)]
)
def test_how_long_a_rest_may_be(hours: float, learns: bool) -> None:
    assert (rest(Cooling(), hours, 0.01).rate is not None) is learns


@pytest.mark.parametrize(("water", "learns"), [(15, True), (14.9, False)])
def test_how_warm_it_must_be(water: float, learns: bool) -> None:
    found = rest(Cooling(), 10, 0.01, water=water, air=12)
    assert (found.rate is not None) is learns


def test_water_that_kept_its_warmth() -> None:
    assert rest(Cooling(), 10, 0.0).rate == 0.0
