"""Cooling: how fast a body of water cools down while it does not circulate.

The only probe measures the water that circulates, so what a spa lost overnight shows
only once it circulates again. Until then, its temperature is estimated from its last
reading and the learned rate. All of this is chosen:

- Only a long rest counts, and only of water that was warmer than the air.
- The air temperature of a rest is the mean of those at its beginning and its end.
- The learned rate is a mean of rests in which newer ones have more weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import exp, log
from typing import Final, NamedTuple, Self

from ..client.pool.heating import POOL, SPA, Body, circulates
from ..client.pool.state import PoolState, Source
from ..client.stored import Stored, moment, number

REST: Final = timedelta(hours=3)
"""Shortest rest from which a rate is calculated."""
LONGEST_REST: Final = timedelta(days=3)
"""Longest such rest: the weather of a longer one is unknown."""
WARMER: Final = 3.0
"""°C by which the water must be warmer than the air."""
USUAL_AIR: Final = 15.0
"""Assumed air temperature in °C if no probe measures it."""
USUAL: Final[Mapping[Body, float]] = {POOL: 0.005, SPA: 0.03}
"""Rates until they are learned, rather too high: a spa may be warm early."""
FASTEST: Final = 0.5
WEIGHT: Final = 0.3
"""Weight of the newest rest in the mean."""

_HOUR: Final = timedelta(hours=1)
_CELSIUS = number(-50, 100)


class LastReading(NamedTuple):
    """The last reading of a body of water."""

    at: datetime
    """Time of the reading by the trusted clock."""
    water: float
    """Water temperature in °C."""
    air: float
    """Air temperature in °C."""

    @classmethod
    def from_stored(cls, value: object) -> Self:
        """Return a stored reading; raises like a `Reader` if it is odd."""
        stored = Stored(value)
        return cls(
            stored.need("at", moment),
            stored.need("water", _CELSIUS),
            stored.need("air", _CELSIUS),
        )


@dataclass(frozen=True, slots=True)
class Cooling:
    """The learned cooling of one body of water."""

    rate: float | None = None
    """Share of the difference to the air temperature that is lost in an hour."""
    last: LastReading | None = None

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored cooling."""
        return cls(
            stored.get("rate", number(0, FASTEST), None),
            stored.get("last", LastReading.from_stored, None),
        )

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        last = self.last
        return {
            "rate": self.rate,
            "last": last and {**last._asdict(), "at": last.at.isoformat()},
        }

    def then(self, reading: LastReading) -> Cooling:
        """Return the cooling after another reading."""
        rate = self.rate
        if (of_rest := self._rate_of_rest(reading)) is not None:
            rate = of_rest if rate is None else rate + WEIGHT * (of_rest - rate)
        return Cooling(rate, reading)

    def _rate_of_rest(self, reading: LastReading) -> float | None:
        """Return the rate of the rest that this reading ends, `None` if not valid."""
        if (
            last := self.last
        ) is None or not REST <= reading.at - last.at <= LONGEST_REST:
            return None
        air = (last.air + reading.air) / 2
        before, after = last.water - air, reading.water - air
        if before < WARMER or not 0 < after <= before:
            return None
        return min(log(before / after) / ((reading.at - last.at) / _HOUR), FASTEST)

    def estimate(self, body: Body, now: datetime, air: float | None) -> float | None:
        """Return the estimated temperature of resting water in °C.

        Water without a reading is assumed to be as cold as the air; it is `None` if the
        air is not measured either.
        """
        if (last := self.last) is None:
            return air
        mean = (last.air + (last.air if air is None else air)) / 2
        hours = max((now - last.at) / _HOUR, 0.0)
        rate = USUAL[body] if self.rate is None else self.rate
        return mean + (last.water - mean) * exp(-rate * hours)


def after_read(
    cooling: Cooling, body: Body, state: PoolState, now: datetime
) -> Cooling:
    """Return the cooling of a body of water after a LAN read, at a trusted time."""
    measured = state.measured_chemistry.water_temperature
    of_it = state.signals.chemistry_stable and circulates(state, body)
    if state.source is not Source.LAN or not of_it or measured is None:
        return cooling
    air = state.readings.ambient_temperature
    return cooling.then(LastReading(now, measured, USUAL_AIR if air is None else air))
