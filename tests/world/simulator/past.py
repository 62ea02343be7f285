"""A past for the demo: three weeks of samples from the simulator's own physics.

Every pool starts in the past, with the schedules of a family's season, and continues
from now on, so that the history fits the values that the controller reports next.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
import math
import time
from typing import Final

from .clock import Clock
from .pool import LONG_STEP, Pool
from .presets import EVERY_DAY, WORKDAYS
from .schedules import Schedule
from .water import pump_watts
from .wire import Json

DAYS: Final = 21
SAMPLE: Final = 600.0
"""Seconds between two samples."""
_A_DAY: Final = 86400
_SCHEDULES: Final = (
    Schedule(0, 31, 0, 75, 450, 690, EVERY_DAY, "Filter", True),
    Schedule(0, 31, 0, 55, 780, 1410, EVERY_DAY, "Quiet filter", True),
    Schedule(3, 1, 0, 0, 600, 720, WORKDAYS, "Waterfall", True),
    Schedule(1, 12, 0, 0, 1200, 60, 0b1100000, "Evening light", True),
)
_ACID_NOW: Final = 1500
"""mL left in a drum of 20 L: nearly empty, so that the demo shows a notice."""
_ACID_DOSER: Final = 6
_DRIFT: Final = 0.2
"""Drift of water that is treated by hand once a week."""
_MEAN_AIR, _AIR_SWING, _WARMEST_HOUR = 22.0, 6.0, 15
"""Mean air temperature and its swing in °C, and the hour of its maximum."""


def clock_of_the_past(speed: float) -> Clock:
    """Return a clock that starts three weeks ago."""
    return Clock(speed, start=time.time() - DAYS * _A_DAY)


def live(pools: Mapping[str, Pool], clock: Clock) -> list[Json]:
    """Simulate pools, by any name, up to now; return samples of their values."""
    for pool in pools.values():
        pool.attach(clock)
        schedules = [*_SCHEDULES, *_between_filters(pool)]
        for index, schedule in enumerate(schedules):
            fits = pool.slots[schedule.slot].aux_type == schedule.aux_type
            pool.schedules[index] = replace(schedule) if fits else Schedule()
        pool.water.drift = 1.0 if _doses(pool) else _DRIFT
    number = int(DAYS * _A_DAY / SAMPLE)
    samples = [each for _ in range(number) for each in _next(pools, clock)]
    for pool in pools.values():
        pool.water.drift = 1.0
        if _doses(pool):
            pool.settings["acid_remaining"] = _ACID_NOW
    return samples


def _between_filters(pool: Pool) -> Iterator[Schedule]:
    """Yield a schedule if the pump would rest now or soon, so that the demo shows it on."""
    now = pool.local_time()
    minute = now.hour * 60 + now.minute
    first, second = (each for each in _SCHEDULES if each.slot == 0)
    for one, other in ((first, second), (second, first)):
        start, end = one.end, other.start
        if (minute - start + 60) % 1440 < (end - start) % 1440 + 65:
            yield Schedule(0, 31, 0, 40, start, end, EVERY_DAY, "Slow filter", True)


def _doses(pool: Pool) -> bool:
    return pool.find(_ACID_DOSER) is not None


def _next(pools: Mapping[str, Pool], clock: Clock) -> Iterator[Json]:
    clock.advance(SAMPLE)
    for name, pool in pools.items():
        now = pool.local_time()
        day = (now.hour + now.minute / 60 - _WARMEST_HOUR) / 24 * math.tau
        pool.water.ambient = _MEAN_AIR + _AIR_SWING * math.cos(day)
        hour = (now.weekday(), now.hour, now.minute // 10)
        if not _doses(pool) and hour == (5, 9, 0):
            pool.water.ph, pool.water.orp = 7.35, 690.0
        pool.update(LONG_STEP)
        yield {"pool": name, "at": clock.time(), **_sample(pool)}


def _sample(pool: Pool) -> Json:
    """Return the values of a moment, as the controller would report them."""
    water, pump = pool.water, pool.pump
    return {
        "ph": math.floor(water.ph * 10) / 10,
        "orp": int(water.orp),
        "water_temperature": math.floor(water.temperature * 10) / 10,
        "ambient_temperature": round(water.ambient, 1),
        "speed": pump.speed,
        "flow_rate": round(water.flow),
        "power": pump_watts(pump.speed),
        "relays": {number: on for number, on in pool.relays.items() if on},
        "heating": pool.heaters["pool"] or pool.heaters["solar"],
        "left": {
            drum: pool.settings[f"{drum}_remaining"]
            for drum in ("acid", "chlorine")
            if f"{drum}_remaining" in pool.settings
        },
    }
