"""Pump hours needed according to the user's rule (learned/pump_hours.py)."""

from collections.abc import Callable
from typing import Any, Final, override

from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass
from homeassistant.const import UnitOfTime

from ..const import ATTR_NEXT_STEP
from ..learned.pool import Pool
from ..learned.pump_hours import missed_yesterday, missing, needed_today, still_needed
from .totals import DECIMALS, PoolctlLearned, PoolctlLearnedDescription

ATTR_MISSED_YESTERDAY: Final = "missed_yesterday"


def _ruled(pool: Pool) -> bool | None:
    if pool.choices.pump_rule is None:
        return False
    return pool.state.pump_on is not None or None


def _rounded(
    hours_of: Callable[[Pool], float | None],
) -> Callable[[Pool], float | None]:
    def rounded(pool: Pool) -> float | None:
        return None if (hours := hours_of(pool)) is None else round(hours, DECIMALS)

    return rounded


PUMP_HOURS = tuple(
    PoolctlLearnedDescription(
        key=key,
        translation_key=key,
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=DECIMALS,
        exists_fn=_ruled,
        pool_fn=_rounded(hours_of),
    )
    for key, hours_of in (
        ("pump_hours_needed_today", needed_today),
        ("pump_hours_still_needed", still_needed),
    )
)


class PoolctlPumpHours(PoolctlLearned[PoolctlLearnedDescription]):
    """Sensor of pump hours, with the hours missed yesterday."""

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.extra_state_attributes

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return the missed hours, or the next step while the hours are unknown."""
        pool = self.coordinator.pool
        if (step := missing(pool)) is not None:
            return {ATTR_NEXT_STEP: step}
        missed = missed_yesterday(pool)
        return {ATTR_MISSED_YESTERDAY: missed and round(missed, DECIMALS)}
