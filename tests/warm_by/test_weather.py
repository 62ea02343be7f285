"""Water warm by a time: the sun, the temperature, and how fast it warms up."""

from dataclasses import replace
from datetime import timedelta
import os
from random import Random
from typing import Final

from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.client.pool.heating import POOL
from custom_components.poolctl.client.wire.frame import Chemistry
from custom_components.poolctl.learned.warming import SunHour
from tests.status.test_problems import problems
from tests.world.assistant.home import Home
from tests.world.simulator.pool import POOL_HEATER, SOLAR

from .asked import (
    HASTE,
    STEP,
    as_before,
    ask,
    at,
    explanation,
    heated,
    held,
    knows,
    learned,
    requested,
    selected,
    until,
)

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "hurried"),
    pytest.mark.freeze_time("2026-05-01 12:00:00+00:00"),
]

EVENINGS: Final = int(os.environ.get("POOLCTL_EVENINGS", "1"))


async def test_the_sun_first(spa: Home) -> None:
    """Solar heating needs 15 hours, but begins at sunrise: 12:57 UTC in this home.

    The heater follows only because that is not enough.
    """
    pool = spa.pool
    await spa.enable_all()
    pool.settings["pool_target"], pool.water.temperature = 30, 26.5
    knows(spa, by_sun=0.1, by_heater=1.5)
    await ask(spa, at(18), "pool")
    for moment, sources in (
        (at(12, 45), 0),
        (at(13, 10), SOLAR),
        (at(17, 50), SOLAR | POOL_HEATER),
    ):
        await until(spa, moment)
        assert selected(spa) == sources
        assert held(spa)[0] is bool(sources)
    await until(spa, at(21, 4))
    assert as_before(spa)


def sunny(home: Home, midday: int) -> None:
    """Let the sun heat in the four hours before and after an hour, most at midday."""
    water = home.pool.water

    def shines(seconds: float) -> None:
        away = abs(dt_util.utcnow() - at(midday)) / timedelta(hours=1) % 24
        water.sunshine = max(0.0, 1.5 - min(away, 24 - away) * 0.375)

    home.pool.watchers.append(shines)


async def test_the_sun_does_what_it_did_yesterday(spa: Home) -> None:
    """It was enough, and has no power in the evening: no heater, from the morning."""
    pool, used, by = spa.pool, set(), at(23)
    await spa.enable_all()
    sunny(spa, midday=17)
    knows(spa, by_sun=0.4, by_heater=1.5)
    warming = learned(spa).warming[POOL]
    warming.sun = tuple(SunHour(hour, 0.5) for hour in range(14, 20))
    pool.settings["pool_target"], pool.water.temperature = 28, 26.0
    await spa.finish(spa.act("switch.turn_on", "pump"))
    await spa.live(600, step=60)
    await spa.finish(spa.act("switch.turn_off", "pump"))
    await ask(spa, by, "pool")
    (planned,) = requested(spa, "pool")["warm_by_planned"]
    assert planned["start"] < planned["end"] == by
    while dt_util.now() < by:
        await spa.live(HASTE, step=HASTE)
        used.add(selected(spa))
    assert used == {0, SOLAR}
    assert pool.water.temperature == pytest.approx(28, abs=0.5)


@pytest.mark.freeze_time("2026-05-01 03:00:00+00:00")
@pytest.mark.parametrize("by_sun", [True, False])
async def test_water_that_was_never_read(spa: Home, by_sun: bool) -> None:
    """It circulates until it is read, and no heater heats it all night."""
    pool = spa.pool
    if not by_sun:
        pool.slots[5].aux_type = 0
    await spa.enable_all()
    (coordinator, *_) = spa.entry.runtime_data.controllers.values()
    coordinator.learned.cooling[POOL].rest = None
    live = coordinator.controller.live
    live.reported = replace(live.reported, valid_chemistry=Chemistry())
    pool.settings["pool_target"], pool.water.temperature = 30, 29.0
    knows(spa, by_sun=0.5, by_heater=1.5)
    by = at(18)
    await ask(spa, by, "pool")
    shown = set()
    for _ in range(12):
        await spa.live(15, step=15)
        shown.add((explanation(spa, "pool"), *held(spa)))
        assert selected(spa) == 0
    assert ("The water circulates, to measure its temperature.", True, False) in shown
    await spa.live(10 * STEP, step=STEP)
    assert selected(spa) == 0 and not held(spa)[0]
    assert explanation(spa, "pool").startswith("Heating begins at about")
    await until(spa, at(12, 45))
    assert selected(spa) == 0 and not held(spa)[0]
    await until(spa, by)
    assert pool.water.temperature == pytest.approx(30, abs=0.5)


@pytest.mark.usefixtures("sensors")
async def test_late_at_once(spa: Home) -> None:
    """*Status* and *Warm by* say the same, from the request on, and after a restart."""

    def both() -> tuple[str, str]:
        found = problems(spa).get("spa_warm_late", {}).get("sentence", "")
        return found, explanation(spa)

    by = at(12, 45)
    await ask(spa, by)
    for number in range(20):
        sentence, shown = both()
        degrees = sentence.partition("about ")[2].split()[0]
        assert shown.startswith(f"It will have about {degrees} °C at"), number
        await spa.live(15 if number < 8 else STEP, step=STEP)
    await spa.restart()
    await spa.live(STEP, step=15)
    assert all(both())
    # In time again: both end together.
    spa.pool.water.temperature = 35.0
    await spa.live(2 * STEP, step=15)
    sentence, shown = both()
    assert not sentence and shown.startswith("It heats")


@pytest.mark.parametrize("odd", [0.0, 12.0])
async def test_one_odd_temperature_begins_nothing(spa: Home, odd: float) -> None:
    """Neither heating hours early, nor the heater although the sun is enough."""
    pool = spa.pool
    await spa.enable_all()
    await spa.finish(spa.act("switch.turn_on", "pump"))
    pool.settings["pool_target"], pool.water.temperature = 30, 29.0
    await spa.live(600, step=60)
    await ask(spa, at(23), "pool")
    await spa.live(120, step=60)
    for then, sources in ((at(12, 20), 0), (at(13, 5), SOLAR)):
        await until(spa, then)
        assert selected(spa) == sources
        spa.controller.odd.append(
            lambda frame: frame.telemetry.update(water_temperature=int(odd * 10))
        )
        await spa.live(240, step=60)
        assert not spa.controller.odd
        assert selected(spa) == sources


@pytest.mark.timeout(180 * EVENINGS)
async def test_ten_evenings_of_different_weather(spa: Home) -> None:
    """The spa is warm in time to 0.5 °C, from the third evening at most 20 min early.

    `POOLCTL_EVENINGS` is the number of evenings: one by default.
    """
    chance, pool = Random(5), spa.pool
    # One evening alone shows nothing that hangs on an exactly learned rate.
    step = STEP if EVENINGS > 1 else 5 * STEP
    for evening in range(EVENINGS):
        pool.water.ambient = chance.uniform(8, 28)
        if evening:
            await until(spa, at(9) + timedelta(days=1))
        by = at(18)
        await ask(spa, by)
        while not heated(spa):
            await spa.live(5 * STEP, step=5 * STEP)
            assert dt_util.now() < by
        await spa.live(10 * STEP, step=STEP)
        assert explanation(spa).startswith("It heats, and will have 36 °C at about")
        warm_at = None
        while dt_util.now() < by:
            await spa.live(step, step=step)
            if warm_at is None and pool.water.temperature >= 35.5:
                warm_at = dt_util.now()
        assert warm_at is not None
        assert abs(pool.water.temperature - 36) <= 0.5
        if evening > 1:
            assert by - warm_at <= timedelta(minutes=20)
        await until(spa, by + timedelta(hours=3, minutes=4))
        assert as_before(spa)


async def test_the_noise_of_a_probe_is_no_news(spa: Home) -> None:
    """A tenth of a degree, two minutes of heating, does not change the sentence."""
    for key in ("spa_mode", "pump"):
        await spa.finish(spa.act("switch.turn_on", key))
    await spa.live(10 * STEP, step=STEP)
    await ask(spa, at(23))
    states = spa.follow("climate", "spa_heating")
    for number in range(20):
        spa.pool.water.temperature = 29.92 + 0.1 * (number % 2)
        await spa.live(15)
    assert len(states) <= 1
