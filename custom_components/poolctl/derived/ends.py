"""Ends: when something that goes on by itself will be over.

The controller counts the seconds of the pump's run-on and priming down (layouts.md 2.1).
A time says the same without changing with every poll. Chosen: a count that ends within
half a minute of the time shown is the same one, told by an older copy of the cloud or
rounded.
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
"""How far two counts may lie apart that are the same."""


@dataclass(frozen=True, slots=True)
class SteadyEnd:
    """A time that stays while a count goes down as it should."""

    at: datetime | None = None

    def after(self, seconds: float | None, margin: timedelta = MARGIN) -> SteadyEnd:
        """Return the end by another count; `None` where nothing ends."""
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
    """One end."""

    seconds_fn: Callable[[Pool], float | None]
    """How long it still lasts; `None` where it is over, never began or is unknown."""
    margin_fn: Callable[[Pool], timedelta] = lambda pool: MARGIN
    """How far two times may lie apart that are the same."""


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
    """When something ends, unknown while it does not run."""

    entity_description: PoolctlEndDescription

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlEndDescription
    ) -> None:
        """Take over what the last read reported."""
        self._end = SteadyEnd()
        self.entity_description = description
        self._look(coordinator.pool)
        super().__init__(coordinator, description)

    @override
    def _read_value(self) -> datetime | None:
        return self._end.at

    @property
    @override
    def native_value(self) -> datetime | None:
        """Return the time."""
        return self._value

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the reads: what else is published reports no newer count."""
        await super().async_added_to_hass()
        self.async_on_remove(self.controller.store.add_read_listener(self._read))

    @callback
    def _read(self, state: PoolState, at: float) -> None:
        self._look(self.coordinator.pool._replace(state=state))
        if self._update():
            self.async_write_ha_state()

    def _look(self, pool: Pool) -> None:
        seconds = self.entity_description.seconds_fn(pool)
        self._end = self._end.after(seconds, self.entity_description.margin_fn(pool))
