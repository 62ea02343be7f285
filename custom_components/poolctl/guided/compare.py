"""Values to compare with the vendor's app; those of the app are a report's *anchors*.

Only anchors reveal a value with another scale. All are numbers that the pool reports.
"""

from collections.abc import Callable, Mapping
from typing import Final

from ..client.frame import MODE_OFF
from ..client.pool.dosing import CHLORINE
from ..client.pool.state import PoolState

type _Value = Callable[[PoolState], float | None]


def _running(state: PoolState) -> float | None:
    modes = state.outputs.modes
    return sum(mode != MODE_OFF for mode in modes) if modes else None


def _orp_target(state: PoolState) -> float | None:
    liquid = state.outputs.fitted(CHLORINE.fitted)
    return (state.chlorine if liquid else state.chlorinator).desired


def _schedules(state: PoolState) -> float | None:
    return None if state.schedules.records is None else len(state.schedules.used)


VALUES: Final[Mapping[str, _Value]] = {
    "ph": lambda state: state.chemistry.ph,
    "orp": lambda state: state.chemistry.orp,
    "water": lambda state: state.chemistry.water_temperature,
    "speed": lambda state: state.readings.pump_speed,
    "running": _running,
    "pool_target": lambda state: state.pool.target,
    "spa_target": lambda state: state.spa.target,
    "ph_target": lambda state: state.acid.desired,
    "orp_target": _orp_target,
    "acid_left": lambda state: state.acid.litres_left,
    "chlorine_left": lambda state: state.chlorine.litres_left,
    "schedules": _schedules,
}
"""In pH, mV, °C, %, number of running outputs, L, and number of schedules."""


def values(state: PoolState) -> dict[str, float]:
    """Return the available values by key."""
    found = ((key, value(state)) for key, value in VALUES.items())
    return {key: round(value, 2) for key, value in found if value is not None}
