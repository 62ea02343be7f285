"""Checks of the fortnight, against what the pool itself did."""

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
import time
from typing import Final

from homeassistant.util import dt as dt_util

from ..engine import HOUR, MINUTE
from .diary import Claim
from .home import Home
from .pool import OUTPUTS, entity, is_linked, runs

DAY: Final = timedelta(days=1)
PATIENCE: Final = timedelta(minutes=2)
"""Longest delay of a release while Home Assistant runs."""
EXACT: Final = timedelta(seconds=30)
"""Largest error of a shown end: commands take some seconds."""
SETTLES: Final = 30.0
"""Seconds after which the effect of an action is visible."""
CLOSE: Final = 0.02
"""Largest relative error of a day."""
RUN_HOURS: Final = 60 / HOUR
"""Largest error of run hours in a day."""
WRITTEN_AT, BEGIN = 5, 8
"""Hours of the day at which the automation sets the pump's hours, and at which they
begin. The pump runs a third as many hours as the water has degrees: the night is free,
also after a spa evening."""
BEFORE, AFTER = 5.0, 45.0
"""Seconds before and after an action or a start in which it causes queries."""


async def watch_outputs(home: Home, end: datetime) -> None:
    """Check every output once a minute: whether it is held, and whether it runs."""
    while home.now < end:
        # At second 45, because schedules begin and end at full minutes.
        await asyncio.sleep(MINUTE - (time.time() - 45) % MINUTE)
        home.diary.pass_time(home.now)
        for slot in OUTPUTS:
            # Without the pump, the firmware lets nothing run that is linked to it.
            settled = not is_linked(home.pool, slot) or home.pool.pump.mode != 0
            wrong = None
            if claim := home.diary.over.get(slot):
                wrong = _is_given_back(home, claim)
            elif settled and time.time() - home.acted > SETTLES:
                wrong = _runs_as_wanted(home, slot)
            if wrong:
                home.note(f"{home.pool.slots[slot].name} {wrong}")


def _is_given_back(home: Home, claim: Claim) -> str | None:
    """Check that an output whose hold is over is released in time."""
    if not home.pool.slots[claim.slot].held:
        home.diary.forget(claim.slot)
        home.counts["holds given back"] += 1
        return None
    until = claim.until
    assert until is not None
    late = home.up_since and home.now - max(until, home.up_since) > PATIENCE
    return f"held until {until:%d %H:%M} is forgotten" if late else None


def _runs_as_wanted(home: Home, slot: int) -> str | None:
    """Compare an output with the family's claim, or else with its schedules."""
    on, claim = runs(home.pool, slot), home.diary.claims.get(slot)
    wanted = home.diary.wanted(slot, home.now)
    if claim is not None and on is not claim.on:
        return f"runs {on} though somebody holds it {claim.on}"
    if claim is not None:
        return _shows_end(home, claim)
    if on is not wanted:
        return "misses its schedule" if wanted else "runs for nobody"
    return "is held by nobody" if home.pool.slots[slot].held else None


def _shows_end(home: Home, claim: Claim) -> str | None:
    """Compare the end of a hold with the end that is shown."""
    if home.up_since is None or home.now - home.up_since < PATIENCE:
        return None
    until, state = claim.until, home.state(*entity(claim.slot))
    shown = state.attributes.get("held_until") if state else None
    end = dt_util.parse_datetime(shown) if shown else None
    differs = abs(end - until) > EXACT if end and until else end is not until
    return f"is held until {until}, {shown} is shown" if differs else None


async def compare_sums(home: Home, begin: datetime, days: int) -> None:
    """Compare the sums that are shown a moment before each midnight with the true ones."""
    before, true_before = _sums(home), home.meter.read()
    for number in range(1, days + 1):
        # Three real seconds earlier, also in the night in which clocks change.
        midnight = (begin + number * DAY).timestamp()
        await asyncio.sleep(midnight - 3 - time.time())
        shown, true = _sums(home), home.meter.read()
        for key, value in true.items():
            right, most = value - true_before[key], RUN_HOURS
            total = shown[key] - before[key]
            if key.endswith("_today"):
                most, total = CLOSE * right, shown[key]
            if abs(total - right) > most:
                home.note(f"{key} is {total:.3f} in a day, not {right:.3f}")
        before, true_before = shown, true


def _sums(home: Home) -> Mapping[str, float]:
    sums: dict[str, float] = {}
    for key in home.meter.read():
        state = home.state("sensor", key)
        try:
            sums[key] = float(state.state if state else "")
        except ValueError:
            sums[key] = 0.0
            home.note(f"{key} shows {state}")
    return sums


async def watch_hours(home: Home, begin: datetime, days: int) -> None:
    """Check that the automation sets the pump's hours every day.

    Before, they are changed as in the vendor's app. The water's temperature is the last
    one that was measured in flowing water.
    """
    schedules, warm = home.pool.schedules, home.pool.water.temperature
    for number in range(days):
        midnight = begin + number * DAY
        schedules[0].start, schedules[0].end = 7 * 60, 9 * 60
        while home.now < midnight.replace(hour=WRITTEN_AT):
            warm = home.pool.water.temperature if home.pool.water.stable else warm
            await asyncio.sleep(MINUTE)
        await asyncio.sleep(10 * MINUTE)
        start, end = schedules[0].start / 60, schedules[0].end / 60
        if start == BEGIN and abs(end - start - warm / 3) < 0.1:
            home.counts["right hours of the pump"] += 1
        else:
            home.note(f"the pump runs from {start} to {end} h in {warm:.1f} °C")
        await home.until(midnight + DAY - timedelta(hours=1))


def own_queries(home: Home) -> Counter[int]:
    """Return the number of signed queries in each hour that no action or start caused."""
    requests = home.controller.requests
    causes = sorted([*home.starts, *(each.at for each in requests if each.op == "a")])

    def is_caused(at: float) -> bool:
        next_cause = bisect_left(causes, at - AFTER)
        return next_cause < len(causes) and causes[next_cause] <= at + BEFORE

    return Counter(
        int(each.at // HOUR)
        for each in requests
        if each.op == "q" and not is_caused(each.at)
    )
