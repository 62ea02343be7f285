"""Filter load: how much more the filter resists than when it was clean.

What is measured, and when, stands in `learned/filter.py`.
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
"""When a person said last that the filter is clean, in UTC."""
ATTR_BASELINE: Final = "baseline"
"""What is known of the clean filter."""

AWAITED: Final = "awaited"
"""It will be measured once the pump has run steadily for some minutes."""
MEASURED: Final = "measured"


@dataclass(frozen=True, kw_only=True)
class PoolctlFilterLoadDescription(
    PoolctlEntityDescription[int], SensorEntityDescription
):
    """The load of the filter."""


FILTER_LOAD = (
    PoolctlFilterLoadDescription(
        key="filter_load",
        translation_key="filter_load",
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        exists_fn=filter_compared,
        pool_fn=lambda pool: pool.learned.filter.known.load,
    ),
)


class PoolctlFilterLoad(PoolctlEntity[int], SensorEntity):
    """The load, with what it is compared with."""

    entity_description: PoolctlFilterLoadDescription

    @property
    @override
    def native_value(self) -> int | None:
        """Return the load in %: 0 is clean, at 100 the filter resists twice as much."""
        return self._value

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.extra_state_attributes

    @property
    @override
    def extra_state_attributes(self) -> dict[str, str]:
        """When the filter was clean, and whether that was measured."""
        known = self.coordinator.learned.filter.known
        found = {ATTR_BASELINE: AWAITED if known.clean is None else MEASURED}
        if known.cleaned_at is not None:
            found[ATTR_CLEANED_AT] = known.cleaned_at.isoformat(timespec="seconds")
        return found
