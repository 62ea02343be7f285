"""Ends: sensors of the time at which a running process will be over.

The controller reports countdowns of the pump's run-on and priming in seconds
(protocol.md O2.1). A time does not change with every poll. Chosen: a countdown that ends
within half a minute of the time shown is the same one, rounded or from an older copy in
the cloud.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
)
from homeassistant.const import EntityCategory
from homeassistant.core import callback
from homeassistant.util import dt as dt_util

from ..client.pool.state import PoolState
from ..coordinator import ControllerCoordinator
from ..entity import PoolctlEntity, PoolctlEntityDescription
from ..learned.pool import Pool

MARGIN: Final = timedelta(seconds=30)
"""Largest difference between two ends that count as the same."""


@dataclass(frozen=True, slots=True)
class SteadyEnd:
    """The end of a countdown, which does not change while it counts down evenly."""

    at: datetime | None = None

    def after(self, seconds: float | None, margin: timedelta = MARGIN) -> SteadyEnd:
        """Return the end after another count in seconds; `None` if nothing runs."""
        if seconds is None:
            return SteadyEnd()
        end = dt_util.utcnow() + timedelta(seconds=seconds)
        if self.at is not None and abs(end - self.at) <= margin:
            return self
        return SteadyEnd(end.replace(microsecond=0))


@dataclass(frozen=True, kw_only=True)
class PoolctlEndDescription(
    PoolctlEntityDescription[datetime], SensorEntityDescription
):
    """Description of one end."""

    seconds_fn: Callable[[Pool], float | None]
    """Seconds left; `None` if it is over, has not begun or is unknown."""
    margin_fn: Callable[[Pool], timedelta] = lambda pool: MARGIN
    """Largest difference between two times that count as the same."""


def _end(
    key: str, count_fn: Callable[[PoolState], float | None]
) -> PoolctlEndDescription:
    return PoolctlEndDescription(
        key=key,
        translation_key=key,
        device_class=SensorDeviceClass.TIMESTAMP,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        seconds_fn=lambda pool: count_fn(pool.state) or None,
    )


ENDS = (
    _end(
        "pump_cooldown_remaining", lambda state: state.readings.pump_cooldown_remaining
    ),
    _end("pump_priming_remaining", lambda state: state.readings.pump_priming_remaining),
)


class PoolctlEnd(PoolctlEntity[datetime], SensorEntity):
    """Sensor of the time at which a process ends, unknown while it does not run."""

    entity_description: PoolctlEndDescription

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlEndDescription
    ) -> None:
        """Begin with the last reported state."""
        self._end = SteadyEnd()
        self.entity_description = description
        self._follow(coordinator.pool)
        super().__init__(coordinator, description)

    @override
    def _read_value(self) -> datetime | None:
        return self._end.at

    @property
    @override
    def native_value(self) -> datetime | None:
        """Return the time of the end."""
        return self._value

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the reads: other updates of the state do not bring a newer count."""
        await super().async_added_to_hass()
        self.async_on_remove(self.controller.store.add_read_listener(self._read))

    @callback
    def _read(self, state: PoolState, at: float) -> None:
        self._follow(self.coordinator.pool._replace(state=state))
        if self._update():
            self.async_write_ha_state()

    def _follow(self, pool: Pool) -> None:
        seconds = self.entity_description.seconds_fn(pool)
        self._end = self._end.after(seconds, self.entity_description.margin_fn(pool))
