"""Warm at: when a body of water that is heated reaches its target.

It follows from the rate that was learned of this very water (learned/warming.py).
Chosen: the time that is shown stays until another differs from it by more than is known,
so that a graph shows news and no noise.
"""

from datetime import timedelta
from typing import Final

from homeassistant.components.sensor import SensorDeviceClass

from ..client.pool.heating import BODIES, Body, has_thermostat
from ..learned.pool import Pool
from ..learned.warming import WarmIn, warm_in
from .ends import PoolctlEndDescription

LEAST: Final = timedelta(minutes=5)
"""How far two times may lie apart at least that are the same to a person."""
SHARE: Final = 0.05
"""Likewise, of the time that it still takes: a rate is no more exact than that."""
STEPS: Final = 1.5
"""Likewise, of the smallest steps of a temperature, between two of which it may flutter."""


def _warm_at(body: Body) -> PoolctlEndDescription:
    """Return the row of a body of water."""

    def left(pool: Pool) -> WarmIn | None:
        return warm_in(pool.learned.warming[body], pool.state, body)

    def seconds(pool: Pool) -> float | None:
        return found.seconds if (found := left(pool)) else None

    def margin(pool: Pool) -> timedelta:
        if (found := left(pool)) is None:
            return LEAST
        most = max(found.seconds * SHARE, found.step * STEPS)
        return max(LEAST, timedelta(seconds=most))

    return PoolctlEndDescription(
        key=f"{body.key}_warm_at",
        translation_key=f"{body.key}_warm_at",
        device_class=SensorDeviceClass.TIMESTAMP,
        exists_fn=lambda pool: has_thermostat(pool.state, body),
        seconds_fn=seconds,
        margin_fn=margin,
    )


WARM_AT = tuple(_warm_at(body) for body in BODIES)
