"""Checks of the fortnight, against what the pool itself did."""

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
import time
from typing import Final, override

from tests.world.simulator.equipment import Role

from ..engine import HOUR, MINUTE
from .diary import Claim
from .home import Home
from .pool import (
    ACID,
    CHLORINE,
    CLEANER,
    GARDEN,
    OZONE,
    POOL_LIGHT,
    PUMP,
    RUNNING,
    SPA,
    SPA_JETS,
    SPA_LIGHT,
    UV,
    WATER,
    WATERFALL,
    ZONE,
    Sums,
    entity,
    minus,
    runs,
)

DAY: Final = timedelta(days=1)

WATCHED: Final = (
    *(PUMP, POOL_LIGHT, SPA_LIGHT, WATERFALL, CLEANER),
    *(SPA, SPA_JETS, GARDEN, UV, OZONE),
)
PATIENCE: Final = timedelta(minutes=2)
"""Longest delay of a release while Home Assistant runs."""
EXACT: Final = timedelta(seconds=30)
"""Largest error of a shown end: commands take some seconds."""
SETTLES: Final = 30.0
"""Seconds after which the effect of an action is visible."""


class Outputs:
    """Checks every output once a minute: whether it is held, and whether it runs."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.minutes: Counter[str] = Counter()
        self._wanted: dict[int, bool] = {}
        self._told: set[tuple[int, str]] = set()

    async def look(self, end: datetime) -> None:
        """Check the outputs until the end."""
        home = self._home
        while home.now < end:
            # At second 45, because schedules begin and end at full minutes.
            await asyncio.sleep(MINUTE - (time.time() - 45) % MINUTE)
            home.diary.pass_time(home.now)
            for slot in WATCHED:
                self._look_at(slot)

    def _look_at(self, slot: int) -> None:
        home, diary = self._home, self._home.diary
        wanted = diary.wanted(slot, home.now)
        before, self._wanted[slot] = self._wanted.get(slot), wanted
        if wanted and not before:
            self.minutes["windows"] += 1
        if slot in diary.over:
            self._given_back(slot, diary.over[slot])
        elif time.time() - home.acted > SETTLES and self._settled(slot):
            self._judge(slot, wanted)

    def _settled(self, slot: int) -> bool:
        """Return whether the firmware lets an output run."""
        pool = self._home.pool
        return pool.slots[slot].role is not Role.LINKED or pool.pump.mode != 0

    def _given_back(self, slot: int, claim: Claim) -> None:
        """Check that an output whose hold is over is released in time."""
        home = self._home
        if not home.pool.slots[slot].held:
            home.diary.forget(slot)
            home.counts["holds given back"] += 1
            return
        assert claim.until is not None
        if home.up_since is None:
            return
        if home.now - max(claim.until, home.up_since) > PATIENCE:
            self._note(slot, f"held until {claim.until:%H:%M} is forgotten")

    def _judge(self, slot: int, wanted: bool) -> None:
        """Compare an output with the family's claim, or else with its schedules."""
        home = self._home
        on, claim = runs(home.pool, slot), home.diary.claims.get(slot)
        if claim is not None:
            self.minutes["held"] += 1
            if on is not claim.on:
                self._note(slot, f"runs {on} though somebody holds it {claim.on}")
            self._compare_end(claim)
            return
        self.minutes["in schedules" if wanted else "at rest"] += 1
        if on is not wanted:
            self._note(slot, "misses its schedule" if wanted else "runs for nobody")
        elif home.pool.slots[slot].held:
            self._note(slot, "is held by nobody")
        else:
            self._told -= {found for found in self._told if found[0] == slot}

    def _compare_end(self, claim: Claim) -> None:
        """Compare the end of a hold with the end that is shown."""
        home = self._home
        if home.up_since is None or home.now - home.up_since < PATIENCE:
            return
        state = home.state(*entity(claim.slot))
        shown = state.attributes.get("held_until") if state else None
        until = datetime.fromisoformat(shown) if shown else None
        if until is None or claim.until is None:
            right = until is claim.until
        else:
            right = abs(until - claim.until) < EXACT
        if not right:
            self._note(claim.slot, f"is held until {claim.until}, {shown} is shown")

    def _note(self, slot: int, what: str) -> None:
        """Record an error once."""
        if (slot, what) not in self._told:
            self._told.add((slot, what))
            self._home.note(f"{self._home.pool.slots[slot].name} {what}")


class Books:
    """Sums that Home Assistant shows at the end of each day, and the true ones."""

    TODAY: Final = {
        ACID: ("acid_used_today", 1.0),
        CHLORINE: ("chlorine_used_today", 1.0),
        WATER: ("water_filtered_today", 1000.0),
        RUNNING: ("pump_running_today", HOUR),
    }
    """Key of a sensor that begins anew each day, and its unit in that of the true sum."""
    RUN_HOURS: Final = {
        name: (f"{name}_run_hours", HOUR)
        for name in ("pool_heater", "solar", "spa_heater", "chlorinator", "uv", "ozone")
    }
    """Those that go on. What ran during a downtime is not counted (README)."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.days: list[tuple[Sums, Sums]] = []
        """Shown and true sums of each day."""

    async def keep(self, begin: datetime, days: int) -> None:
        """Read them a moment before each midnight."""
        before, true_before = self._shown(self.RUN_HOURS), self._true()
        for number in range(days):
            # Three real seconds earlier, also in the night in which clocks change.
            midnight = (begin + (number + 1) * DAY).timestamp()
            await self._home.until(datetime.fromtimestamp(midnight - 3, ZONE))
            shown, true = self._shown(self.RUN_HOURS), self._true()
            day = {**self._shown(self.TODAY), **minus(shown, before)}
            self.days.append((day, minus(true, true_before)))
            before, true_before = shown, true

    def _shown(self, sensors: Mapping[str, tuple[str, float]]) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, (key, unit) in sensors.items():
            state = self._home.state("sensor", key)
            try:
                found[name] = float(state.state if state else "") * unit
            except ValueError:
                found[name] = 0.0
                self._home.note(f"{key} shows {state}")
        return found

    def _true(self) -> Sums:
        total, unseen = dict(self._home.meter.read()), self._home.unseen
        for name in self.RUN_HOURS:
            total[name] -= sum(each[name] for each in unseen)
        return total

    def sums(self, name: str) -> tuple[float, float]:
        """Return the shown and the true sum of all days."""
        shown, true = zip(*self.days, strict=True)
        return sum(each[name] for each in shown), sum(each[name] for each in true)

    def off(self, name: str) -> float:
        """Return the relative error of the sum of all days."""
        return _off(*self.sums(name))

    def worst(self, name: str) -> float:
        """Return the error of the worst day: in seconds, or else relative."""
        return max(
            (
                shown[name] - true[name]
                if name in self.RUN_HOURS
                else _off(shown[name], true[name])
                for shown, true in self.days
            ),
            key=abs,
        )

    @override
    def __str__(self) -> str:
        return ", ".join(
            [
                f"{name} {self.sums(name)[1] / unit:.1f} off by {self.off(name):+.2%}"
                f" (worst day {self.worst(name):+.2%})"
                for name, (_, unit) in self.TODAY.items()
            ]
            + [
                f"{name} {self.sums(name)[1] / HOUR:.1f} h"
                f" (worst day {self.worst(name):+.0f} s)"
                for name in self.RUN_HOURS
            ]
        )


def _off(shown: float, true: float) -> float:
    return (shown - true) / true if true else float(shown != 0)


class Hours:
    """Checks that an automation sets the hours of the pump's schedule every day."""

    AT: Final = 5
    """Hour of the day at which the automation runs."""
    WRITTEN_WITHIN: Final = timedelta(minutes=10)
    QUARTER: Final = 15
    NOON: Final = 102
    """Solar noon at this pool in October, in minutes after midnight UTC."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._warm = home.pool.water.temperature
        """Last temperature measured in flowing water."""
        self.lengths: list[int] = []
        """Length of the schedule on each correct day, in minutes."""

    async def keep(self, begin: datetime, days: int) -> None:
        """Change the schedule every day as in the vendor's app; check the new hours."""
        pool = self._home.pool
        for number in range(days):
            midnight = begin + number * DAY
            pool.schedules[0].start, pool.schedules[0].end = 8 * 60, 9 * 60
            at = midnight.replace(hour=self.AT)
            self._home.hass.states.async_set(
                "sun.sun", "below_horizon", {"next_noon": self._noon(at).isoformat()}
            )
            await self._remember(at)
            await self._home.until(at + self.WRITTEN_WITHIN)
            self._judge()
            await self._home.until(midnight + DAY - timedelta(hours=1))

    async def _remember(self, until: datetime) -> None:
        while self._home.now < until:
            water = self._home.pool.water
            if water.stable:
                self._warm = water.temperature
            await asyncio.sleep(MINUTE)

    def _noon(self, now: datetime) -> datetime:
        day = now.timestamp() // DAY.total_seconds() * DAY.total_seconds()
        noon = day + self.NOON * MINUTE
        noon += DAY.total_seconds() * (noon < now.timestamp())
        return datetime.fromtimestamp(noon, ZONE)

    def _judge(self) -> None:
        home, schedule = self._home, self._home.pool.schedules[0]
        length = schedule.end - schedule.start
        wanted = min(max(self._warm / 2, 2), 16) * 60
        noon = self._noon(home.now)
        middle = (schedule.start + schedule.end) / 2 - noon.hour * 60 - noon.minute
        if abs(length - wanted) > self.QUARTER or abs(middle) > self.QUARTER:
            home.note(
                f"the pump has {length} minutes around noon {middle:+.0f} min,"
                f" for water of {self._warm:.1f} °C"
            )
        else:
            self.lengths.append(length)


class Queries:
    """Signed queries that the controller received, hour by hour."""

    BEFORE: Final = 5.0
    AFTER: Final = 45.0
    """Seconds before and after an action or a start in which it causes queries."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._queries: list[float] = []
        self._causes: list[float] = []
        self._ends: list[float] = []
        self.writes: list[float] = []
        """Times at which schedules were written."""

    async def count(self, end: datetime) -> None:
        """Count every hour; clear the simulator's records, which only this reads."""
        requests = self._home.controller.requests
        while self._home.now < end:
            self._ends.append(time.time())
            await asyncio.sleep(HOUR)
            for each in requests:
                if each.op == "q":
                    self._queries.append(each.at)
                elif each.op == "a":
                    self._causes.append(each.at)
                    self.writes += [each.at] if each.name == "schedule" else []
            requests.clear()
        self._ends.append(time.time())

    @property
    def hours(self) -> Sequence[int]:
        """Numbers of queries per hour that no action or start caused."""
        causes = sorted([*self._causes, *self._home.starts])

        def own(at: float) -> bool:
            found = bisect_left(causes, at - self.AFTER)
            return found == len(causes) or causes[found] > at + self.BEFORE

        background = [at for at in self._queries if own(at)]
        ends = [bisect_left(background, end) for end in self._ends]
        return [later - earlier for earlier, later in pairwise(ends)]
