"""Warm at: sensors of when a heated body of water reaches its target.

The time follows from the learned rate of this body of water (learned/warming.py).
Chosen: a shown time stays until a new one differs by more than its accuracy, so that a
graph shows changes and not noise.
"""

from datetime import timedelta
from typing import Final

from homeassistant.components.sensor import SensorDeviceClass

from ..client.pool.heating import BODIES, Body, has_thermostat
from ..learned.pool import Pool
from ..learned.warming import WarmIn, warm_in
from .ends import PoolctlEndDescription

LEAST: Final = timedelta(minutes=5)
"""Smallest margin within which two times count as the same for a user."""
SHARE: Final = 0.05
"""Margin as a share of the time left: a rate is not more accurate than that."""
STEPS: Final = 1.5
"""Margin in smallest steps of the temperature, which may fluctuate by one."""


def _warm_at(body: Body) -> PoolctlEndDescription:
    """Return the row of one body of water."""

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
