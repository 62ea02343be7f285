"""What the cloud's answers add to a PoolState.

The dashboard's first nine fields are published (interface.md 2.5); its other fields and
all other answers are observed (layouts.md 5), and any of their fields may be missing.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from .commands import PumpIdentity
from .equipment import MAX_SLOTS, UNKNOWN_TYPE
from .frame import MODE_MANUAL, MODE_OFF
from .state import PoolState, Readings, Source, known_mode, plausible, with_readings

_DRY_RUN_NORMAL = 3
_TOO_LARGE = 1e12

# Field of Readings -> field of the answer, divisor
_DASHBOARD_NUMBERS = {
    "ph": ("actual_ph", 10),
    "orp": ("actual_orp", 1),
    "flow_rate": ("actual_flow_rate", 1),
    "pressure": ("actual_pressure", 1),
    "pump_speed": ("actual_pump_speed", 1),
}
_DASHBOARD_SWITCHES = {
    "pool_heater": "heater_state",
    "solar": "solar_state",
    "spa_heater": "spa_heater_state",
    "chemistry_stable": "chemistry_stable",
}
_TEMPERATURES = {
    "water_temperature": ("water_temp", 10),
    "ambient_temperature": ("ambient_temp", 100),
}
# Field of Configuration -> field of the answer, divisor
_DASHBOARD_SETTINGS = {
    "desired_ph": ("d_ph", 10),
    "desired_orp_mineral": ("d_orp_mineral", 1),
}
_PH_SETTINGS = {
    "desired_ph": ("desired_ph_level", 10),
    "acid_drum_ml": ("acid_drum_volume", 1),
    "acid_remaining_ml": ("remain_acid_volume", 1),
}
_CHLORINE_SETTINGS = {
    "desired_orp_mineral": ("desired_orp_level_mineral", 1),
    "desired_orp_liquid": ("desired_orp_level_liquid", 1),
    "chlorine_drum_ml": ("chlorine_drum_volume", 1),
    "chlorine_remaining_ml": ("remain_chlorine_volume", 1),
}
_SLOT_LISTS = (
    "pump_devices",
    "pump_linked_devices",
    "spa_devices",
    "spa",
    "other_devices",
)


def merge_dashboard(
    state: PoolState, dashboard: Mapping[str, Any], now: datetime
) -> PoolState:
    """Return the state with the dashboard (interface.md 2.5), the cloud its source."""
    found = _numbers(dashboard, _DASHBOARD_NUMBERS)
    for name, key in _DASHBOARD_SWITCHES.items():
        value = dashboard.get(key)
        found[name] = value if isinstance(value, bool) else None
    dry_run = _number(dashboard, "dry_run_status")
    readings = Readings(
        **found,
        dry_run=None if dry_run is None else dry_run != _DRY_RUN_NORMAL,
        main_pump_mode=known_mode(_number(dashboard, "main_pump_status")),
    )
    state = _with_settings(state, dashboard, _DASHBOARD_SETTINGS)
    return replace(
        with_readings(state, readings, now), source=Source.CLOUD, slots_assumed=True
    )


def merge_temperatures(
    state: PoolState, answer: Mapping[str, Any], now: datetime
) -> PoolState:
    """Return the state with `ambientTemp`."""
    told = _object(answer, "ambientTemp")
    found = _numbers(told, _TEMPERATURES)
    return with_readings(state, replace(state.readings, **found), now)


def merge_pump(state: PoolState, answer: Mapping[str, Any], now: datetime) -> PoolState:
    """Return the state with `pumpInfo`."""
    pump = _object(answer, "pump")
    names = [pump.get(f"pump_{part}") for part in ("type", "brand", "model")]
    if all(isinstance(name, str) for name in names):
        state = replace(state, pump=PumpIdentity(*map(str, names)))
    cooling = pump.get("pump_cooldown")
    readings = replace(
        state.readings,
        pump_cooling_down=bool(cooling) if isinstance(cooling, bool | int) else None,
        **_numbers(pump, {"pump_cooldown_remaining": ("pump_cooldown_left", 1)}),
    )
    return replace(state, readings=readings)


def merge_chemistry(
    state: PoolState, answer: Mapping[str, Any], now: datetime
) -> PoolState:
    """Return the state with the settings of `chemistryCard`."""
    state = _with_settings(state, _object(answer, "phSettings"), _PH_SETTINGS)
    settings = _object(answer, "chlorineSettings")
    return _with_settings(state, settings, _CHLORINE_SETTINGS)


def merge_slots(
    state: PoolState, answer: Mapping[str, Any], now: datetime
) -> PoolState:
    """Return the state with `auxInfo`: what it lists of slots, and whether they run."""
    manual = _object(answer, "manual")
    # Dosers and heaters are not listed: alone, this answer never tells everything.
    types = list(state.configuration.aux_types or (UNKNOWN_TYPE,) * MAX_SLOTS)
    names, modes = list(state.names), list(state.aux_modes)
    told = False
    for entry in (e for name in _SLOT_LISTS for e in _list(manual, name)):
        index, code = _number(entry, "aux_slot_num"), _number(entry, "aux_type_code")
        if index is None or code is None or not 0 <= index < MAX_SLOTS:
            continue
        slot = int(index)
        _put(types, slot, int(code), UNKNOWN_TYPE)
        if isinstance(tag := entry.get("aux_tag"), str):
            _put(names, slot, tag, "")
        if isinstance(status := entry.get("aux_status"), bool | int):
            before = modes[slot] if slot < len(modes) else None
            _put(modes, slot, _mode(bool(status), before), None)
            told = True
    return replace(
        state,
        configuration=replace(state.configuration, aux_types=tuple(types)),
        names=tuple(names),
        aux_modes=tuple(modes),
        slots_assumed=state.slots_assumed and not told,
    )


def _mode(on: bool, before: int | None) -> int:
    """Return a slot's mode; the cloud tells only on and off, not what runs it."""
    if before is not None and (before != MODE_OFF) is on:
        return before
    return MODE_MANUAL if on else MODE_OFF


def _put[T](values: list[T], index: int, value: T, missing: T) -> None:
    values.extend([missing] * (index + 1 - len(values)))
    values[index] = value


def _with_settings(
    state: PoolState,
    answer: Mapping[str, Any],
    table: Mapping[str, tuple[str, int]],
) -> PoolState:
    found = _numbers(answer, table)
    told = {name: value for name, value in found.items() if value is not None}
    return replace(state, configuration=replace(state.configuration, **told))


def _numbers(
    answer: Mapping[str, Any], table: Mapping[str, tuple[str, int]]
) -> dict[str, Any]:
    """Return the plausible numbers of an answer, `None` for all others."""
    found: dict[str, Any] = {}
    for name, (key, divisor) in table.items():
        value = _number(answer, key)
        found[name] = value if value is None or divisor == 1 else value / divisor
    return plausible(found)


def _number(answer: Mapping[str, Any], key: str) -> int | float | None:
    value = answer.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # JSON knows numbers that no pool does, and that do not even convert.
    return value if abs(value) < _TOO_LARGE else None


def _object(answer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = answer.get(key)
    return found if isinstance(found, dict) else {}


def _list(answer: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = answer.get(key)
    if not isinstance(found, list):
        return []
    return [entry for entry in found if isinstance(entry, dict)]
