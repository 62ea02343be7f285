"""Cooling: how fast a body of water cools down while it does not circulate.

The only probe measures the water that circulates, so what a spa lost overnight shows
only once it circulates again. Until then, its temperature is estimated from its last
reading, the learned rate and the air since then. All of this is chosen:

- Only a long rest counts, and only of water that was warmer than the air.
- The learned rate is a mean of rests in which newer ones have more weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import exp, log
from typing import Annotated, Final, NamedTuple

from ..client.bounds import UNSTORED, Within
from ..client.pool import POOL, SPA, Body, PoolState, Source, circulates, heats
from .read import weighted_mean

REST: Final = timedelta(hours=3)
"""Shortest rest from which a rate is calculated."""
LONGEST_REST: Final = timedelta(days=3)
"""Longest such rest: the weather of a longer one is unknown."""
WARMER: Final = 3.0
"""°C by which the water must be warmer than the air."""
CALM: Final = timedelta(hours=1)
"""Shortest time from which the present loss is calculated; at twice that, it begins
again."""
STEP: Final = 0.1
"""Smallest step of the temperature in °C (protocol.md O2.1)."""
USUAL_AIR: Final = 15.0
"""Assumed air temperature in °C if no probe measures it."""
USUAL_COOLING: Final[Mapping[Body, float]] = {POOL: 0.005, SPA: 0.03}
"""Rates until they are learned, rather too high: a spa may be warm early."""
FASTEST_COOLING: Final = 0.5

_HOUR: Final = timedelta(hours=1)
type _Celsius = Annotated[float, Within(-50, 100)]


class Rest(NamedTuple):
    """The time since the last reading of a body of water, by the trusted clock."""

    at: datetime
    """Time of the reading."""
    water: _Celsius
    """Temperature that was read in °C."""
    air: _Celsius
    """Newest air temperature in °C."""
    air_at: datetime
    mean_air: _Celsius
    """Mean air temperature in °C from the reading to `air_at`."""
    estimate: _Celsius
    """Estimated water temperature in °C at `air_at`."""

    def until(self, now: datetime, air: float | None, rate: float) -> Rest:
        """Return the rest up to a time, with the air in °C and the rate of cooling."""
        air = self.air if air is None else air
        hours = max((now - self.air_at) / _HOUR, 0.0)
        before = max((self.air_at - self.at) / _HOUR, 0.0)
        between, share = (self.air + air) / 2, hours / ((before + hours) or 1.0)
        return self._replace(
            air=air,
            air_at=now,
            mean_air=self.mean_air + (between - self.mean_air) * share,
            estimate=between + (self.estimate - between) * exp(-rate * hours),
        )

    def rate(self, water: float) -> float | None:
        """Return the rate if a reading in °C ends the rest, `None` if not valid."""
        before, after = self.water - self.mean_air, water - self.mean_air
        length = self.air_at - self.at
        valid = REST <= length <= LONGEST_REST and before >= WARMER
        if not valid or not 0 < after <= before:
            return None
        return min(log(before / after) / (length / _HOUR), FASTEST_COOLING)


@dataclass(slots=True)
class Cooling:
    """The learned cooling of one body of water."""

    rate: Annotated[float | None, Within(0, FASTEST_COOLING)] = None
    """Share of the difference to the air temperature that is lost in an hour."""
    rest: Rest | None = None
    newest: Annotated[float | None, UNSTORED] = field(default=None, compare=False)
    """Rate in the last hours in which it circulated without heating, as in a wind."""
    _calm: Annotated[Rest | None, UNSTORED] = field(default=None, compare=False)
    """The time since the first of these readings."""

    def per_hour(self, body: Body) -> float:
        """Return the share of the difference that is lost in an hour."""
        return USUAL_COOLING[body] if self.rate is None else self.rate

    def now(self, body: Body, now: datetime) -> float:
        """Return that share as it is now: what was measured, if that is more."""
        usual, calm = self.per_hour(body), self._calm
        recent = calm is not None and now - calm.air_at <= REST
        return max(usual, self.newest or 0.0) if recent else usual

    def add_state(self, body: Body, state: PoolState, now: datetime) -> None:
        """Add a read at a trusted time; copies from the cloud are not used."""
        if state.source is not Source.LAN:
            return
        air = state.readings.ambient_temperature
        water = state.valid_chemistry.water_temperature
        of_it = state.signals.chemistry_stable and circulates(state, body)
        if of_it and water is not None:
            self.add_reading(now, water, air)
            self._measure(now, water, air, heated=heats(state, body) is not False)
        else:
            self.rest = self.rest_until(body, now, air)

    def add_reading(self, now: datetime, water: float, air: float | None) -> None:
        """Learn from the rest that a reading in °C ends; the next one begins."""
        if self.rest is not None:
            rate = self.rest.until(now, air, 0.0).rate(water)
            self.rate = self.rate if rate is None else weighted_mean(self.rate, rate)
        air = USUAL_AIR if air is None else air
        self.rest = Rest(now, water, air, now, air, water)

    def _measure(
        self, now: datetime, water: float, air: float | None, *, heated: bool
    ) -> None:
        """Measure how fast the water cools down that circulates."""
        begin = Rest(now, water, air or USUAL_AIR, now, air or USUAL_AIR, water)
        calm = (
            begin if self._calm is None or heated else self._calm.until(now, air, 0.0)
        )
        self._calm = calm
        # At least that, whatever the steps of the probe.
        warmer = calm.water - calm.mean_air, water + STEP - calm.mean_air
        if (length := now - calm.at) >= CALM and min(warmer) > 0:
            rate = log(warmer[0] / warmer[1]) / (length / _HOUR)
            self.newest = min(max(rate, 0.0), FASTEST_COOLING)
        if length >= 2 * CALM:
            self._calm = begin

    def rest_until(self, body: Body, now: datetime, air: float | None) -> Rest | None:
        """Return the rest up to a time, with the air in °C if it is measured."""
        rate = self.per_hour(body)
        return None if self.rest is None else self.rest.until(now, air, rate)

    def estimate(self, body: Body, now: datetime, air: float | None) -> float | None:
        """Return the estimated °C of resting water, `None` without a reading."""
        return (rest := self.rest_until(body, now, air)) and rest.estimate
