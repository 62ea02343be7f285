"""The past of the demo: what the pools lived through fits what they are like now."""

from itertools import groupby
import time

import pytest

from tests.simulator import Pool
from tests.simulator.past import DAYS, SAMPLE, clock_of_the_past, live


def test_three_weeks_up_to_now() -> None:
    pools = {"full": Pool.full(), "small": Pool.small()}
    clock = clock_of_the_past(1.0)
    samples = live(pools, clock)
    assert clock.time() == pytest.approx(time.time(), abs=60)
    assert len(samples) == 2 * DAYS * 86400 / SAMPLE
    for name, pool in pools.items():
        lived = [each for each in samples if each["pool"] == name]
        assert lived[-1]["speed"] == pool.pump.speed
        assert lived[-1]["water_temperature"] == pytest.approx(
            pool.water.temperature, abs=0.1
        )
        # Two schedules a day, and the water stays within what an owner accepts.
        runs = [on for on, _ in groupby(each["speed"] > 0 for each in lived)]
        assert runs.count(True) == pytest.approx(2 * DAYS, abs=2)
        assert all(7.0 <= each["ph"] <= 7.8 for each in lived)
        assert all(550 <= each["orp"] <= 800 for each in lived)
    assert pools["full"].settings["acid_remaining"] < 2000
