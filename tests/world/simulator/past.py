"""A past for the demo: three weeks of samples from the simulator's own physics.

Every pool starts in the past, with the schedules of a family's season, and continues
from now on, so that the history fits the values that the controller reports next.
"""

from collections.abc import Iterator, Mapping
import math
import time
from typing import Final

from . import presets
from .clock import Clock
from .pool import LONG_STEP, Pool
from .schedules import Schedule
from .water import pump_watts
from .wire import Json

type _Row = tuple[int, int, int, int, int, int, int, str, bool]
"""Arguments of a `Schedule`."""

DAYS: Final = 21
SAMPLE: Final = 600.0
"""Seconds between two samples."""
_A_DAY: Final = 86400
_SCHEDULES: Final = (
    (0, 31, 0, 75, 450, 690, presets.EVERY_DAY, "Filter", True),
    (0, 31, 0, 55, 780, 1410, presets.EVERY_DAY, "Quiet filter", True),
    (3, 1, 0, 0, 600, 720, presets.WORKDAYS, "Waterfall", True),
    (1, 12, 0, 0, 1200, 60, 0b1100000, "Evening light", True),
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
        rows = [*_SCHEDULES, *_of_this_hour(pool)]
        pool.schedules[:] = [_fitting(pool, row) for row in rows] + [
            Schedule() for _ in pool.schedules[len(rows) :]
        ]
        pool.water.drift = 1.0 if _doses(pool) else _DRIFT
    number = int(DAYS * _A_DAY / SAMPLE)
    samples = [each for _ in range(number) for each in _next(pools, clock)]
    for pool in pools.values():
        pool.water.drift = 1.0
        if _doses(pool):
            pool.settings["acid_remaining"] = _ACID_NOW
    return samples


def _of_this_hour(pool: Pool) -> Iterator[_Row]:
    """Yield a schedule that runs the pump now if no other does, for the demo."""
    now = pool.local_time()
    minute = now.hour * 60 + now.minute
    if not any(row[0] == 0 and row[4] + 5 < minute < row[5] - 60 for row in _SCHEDULES):
        start, end = (minute - 90) % 1440, (minute + 180) % 1440
        yield 0, 31, 0, 40, start, end, presets.EVERY_DAY, "Slow filter", True


def _doses(pool: Pool) -> bool:
    return pool.find(_ACID_DOSER) is not None


def _fitting(pool: Pool, row: _Row) -> Schedule:
    """Return a schedule, or an unused one if its output is not wired."""
    schedule = Schedule(*row)
    fits = pool.slots[schedule.slot].aux_type == schedule.aux_type
    return schedule if fits else Schedule()


def _next(pools: Mapping[str, Pool], clock: Clock) -> Iterator[Json]:
    clock.advance(SAMPLE)
    for name, pool in pools.items():
        now = pool.local_time()
        day = (now.hour + now.minute / 60 - _WARMEST_HOUR) / 24 * math.tau
        pool.water.ambient = _MEAN_AIR + _AIR_SWING * math.cos(day)
        if not _doses(pool) and (now.weekday(), now.hour, now.minute // 10) == (
            5,
            9,
            0,
        ):
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
