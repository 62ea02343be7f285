"""Cooling: how fast a body of water loses its warmth while it does not circulate.

One probe measures whichever water circulates, so what a spa lost overnight is known only once
it circulates again. Until then its temperature follows from its last reading and from the
share of the difference to the air that it has lost in an hour before. All of this is chosen:

- Only a long rest counts, and only of water that was warmer than the air.
- The air of a rest is the mean of that at its beginning and at its end.
- What is known is the mean of rests, of which a newer one counts more.
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
"""The shortest time without readings from which a rate follows."""
LONGEST_REST: Final = timedelta(days=3)
"""After which the weather in between is anybody's guess."""
WARMER: Final = 3.0
"""°C by which a water must be warmer than the air."""
USUAL_AIR: Final = 15.0
"""°C, where no probe measures the air."""
USUAL: Final[Mapping[Body, float]] = {POOL: 0.005, SPA: 0.03}
"""Until it is learned. Rather too much: a spa may be warm early."""
FASTEST: Final = 0.5
WEIGHT: Final = 0.3
"""Of the newest rest in the mean."""

_HOUR: Final = timedelta(hours=1)
_CELSIUS = number(-50, 100)


class LastReading(NamedTuple):
    """What was measured of a water last."""

    at: datetime
    """By the trusted clock."""
    water: float
    """°C."""
    air: float
    """°C."""

    @classmethod
    def from_stored(cls, value: object) -> Self:
        """Return what was stored; raises as readers do for anything else."""
        stored = Stored(value)
        return cls(
            stored.need("at", moment),
            stored.need("water", _CELSIUS),
            stored.need("air", _CELSIUS),
        )


@dataclass(frozen=True, slots=True)
class Cooling:
    """What was learned of one body of water."""

    rate: float | None = None
    """The share of the difference to the air that is lost in an hour."""
    last: LastReading | None = None

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(
            stored.get("rate", number(0, FASTEST), None),
            stored.get("last", LastReading.from_stored, None),
        )

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        last = self.last
        return {
            "rate": self.rate,
            "last": last and {**last._asdict(), "at": last.at.isoformat()},
        }

    def then(self, reading: LastReading) -> Cooling:
        """Return what is known after a reading."""
        rate = self.rate
        if (of_rest := self._rate_of_rest(reading)) is not None:
            rate = of_rest if rate is None else rate + WEIGHT * (of_rest - rate)
        return Cooling(rate, reading)

    def _rate_of_rest(self, reading: LastReading) -> float | None:
        """Return the rate of a rest that ends with a reading, `None` where none follows."""
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
        """Return what a water that rests has now in °C.

        Water that was never read is taken to be as cold as the air, `None` where that is
        not measured either.
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
    """Return what is known of a water after a read of the LAN, at a trusted time."""
    measured = state.measured_chemistry.water_temperature
    of_it = state.signals.chemistry_stable and circulates(state, body)
    if state.source is not Source.LAN or not of_it or measured is None:
        return cooling
    air = state.readings.ambient_temperature
    return cooling.then(LastReading(now, measured, USUAL_AIR if air is None else air))
