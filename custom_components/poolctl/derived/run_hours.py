"""Run hours: how long heaters, the chlorinator, UV and ozone have run since they were new.

They are summed up as the totals of the pump are (`totals.py`): from flags where the
controller has one, else from the modes of outputs. What those mean is observed (layouts.md
2.1), the rest is chosen: of several outputs of a kind, it counts while any of them runs.
"""

from collections.abc import Callable, Collection

from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass
from homeassistant.const import EntityCategory, UnitOfTime
from homeassistant.core import callback

from ..client.equipment import (
    CHLORINATORS,
    LIQUID_CHLORINE,
    OZONE,
    UV,
    HeatSource,
    Role,
    Slot,
)
from ..client.pool.heating import RUNNING
from ..client.pool.state import PoolState, Source
from .totals import PoolctlTotal, PoolctlTotalDescription

type _Runs = Callable[[PoolState], bool | None]

_HOUR = 3600.0


def _run_hours(
    key: str, fitted: frozenset[int], runs: _Runs
) -> PoolctlTotalDescription:
    """Return the row of some equipment."""

    def rate(state: PoolState) -> float | None:
        return None if (on := runs(state)) is None else on / _HOUR

    return PoolctlTotalDescription(
        key=f"{key}_run_hours",
        translation_key=f"{key}_run_hours",
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=1,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        fitted=fitted,
        rate_fn=rate,
        # It proves that the equipment is there.
        value_fn=runs,
    )


def _heater(source: HeatSource) -> PoolctlTotalDescription:
    runs = RUNNING[source]
    return _run_hours(source, source.fitted, lambda state: runs(state.signals))


def _output(codes: Collection[int]) -> _Runs:
    """Return the function that tells whether an output of some aux types is on."""

    def runs(state: PoolState) -> bool | None:
        slots = [slot for slot in state.outputs.slots if slot.type_code in codes]
        told = {_is_on(state, slot) for slot in slots} or {None}
        return True if True in told else None if None in told else False

    return runs


def _is_on(state: PoolState, slot: Slot) -> bool | None:
    """Tell whether an output is on; the cloud lists only those that people switch."""
    listed = state.source is Source.LAN or slot.role is Role.PUMP_LINKED
    return slot.on if listed and not state.outputs.assumed else None


_chlorinator_output = _output(CHLORINATORS)


def _chlorinates(state: PoolState) -> bool | None:
    """Tell whether the chlorinator makes chlorine: the flag is of a liquid doser, too."""
    if state.outputs.fitted(LIQUID_CHLORINE) is False:
        return state.signals.chlorine_dosing
    return _chlorinator_output(state)


RUN_HOURS = (
    *(_heater(source) for source in HeatSource),
    _run_hours("chlorinator", CHLORINATORS, _chlorinates),
    _run_hours("uv", UV, _output(UV)),
    _run_hours("ozone", OZONE, _output(OZONE)),
)


class PoolctlRunHours(PoolctlTotal):
    """Run hours, which begin anew with new equipment."""

    @callback
    def async_reset(self) -> None:
        """Begin anew at 0."""
        self._total = self._told = 0.0
        if self._update():
            self.async_write_ha_state()
