"""Filter load: how much higher the filter's resistance is than when it was clean.

`learned/filter.py` describes how it is measured.
"""

from dataclasses import dataclass
from typing import Final, override

from homeassistant.components.sensor import (
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import UnitOfRatio

from ..entity import PoolctlEntity, PoolctlEntityDescription
from ..learned.pool import filter_compared

ATTR_CLEANED_AT: Final = "cleaned_at"
"""Time in UTC at which a user last reported the filter clean."""
ATTR_BASELINE: Final = "baseline"
"""Whether the resistance of the clean filter was measured."""

AWAITED: Final = "awaited"
"""The measurement follows once the pump has run steadily for some minutes."""
MEASURED: Final = "measured"


@dataclass(frozen=True, kw_only=True)
class PoolctlFilterLoadDescription(
    PoolctlEntityDescription[int], SensorEntityDescription
):
    """Description of the filter load sensor."""


FILTER_LOAD = (
    PoolctlFilterLoadDescription(
        key="filter_load",
        translation_key="filter_load",
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        exists_fn=filter_compared,
        pool_fn=lambda pool: pool.learned.filter.state.load,
    ),
)


class PoolctlFilterLoad(PoolctlEntity[int], SensorEntity):
    """Sensor of the filter load, with its baseline as attributes."""

    entity_description: PoolctlFilterLoadDescription

    @property
    @override
    def native_value(self) -> int | None:
        """Return the load in %: 0 is clean, 100 is twice the resistance."""
        return self._value

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.extra_state_attributes

    @property
    @override
    def extra_state_attributes(self) -> dict[str, str]:
        """Return when the filter was clean, and whether that was measured."""
        known = self.coordinator.learned.filter.state
        found = {ATTR_BASELINE: AWAITED if known.clean is None else MEASURED}
        if known.cleaned_at is not None:
            found[ATTR_CLEANED_AT] = known.cleaned_at.isoformat(timespec="seconds")
        return found
