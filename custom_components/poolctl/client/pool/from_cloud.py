"""Merge the cloud's answers into a PoolState.

The dashboard's first nine fields are published (protocol.md 2.5); its other fields and
all other answers are observed (protocol.md O5), and any of their fields may be missing.
What is assumed if an answer fails is chosen.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from ..wire.commands import CHLORINE_SETTINGS, PH_SETTINGS, PumpIdentity, decode_json
from ..wire.equipment import MAIN_PUMP, MAX_SLOTS, UNKNOWN_TYPE
from ..wire.frame import (
    DESIRED_ORP,
    MODE_MANUAL,
    MODE_OFF,
    PH,
    Readings,
    Signals,
    plausible,
)
from ..wire.json_values import Answer, flag, list_of, number, object_of, text
from ..wire.schedule import DAY, MAX_SCHEDULES, UNUSED, Schedule
from .dosing import merge_settings, settings_agree
from .queries import SETTINGS_QUERIES, Query
from .schedule_rules import merge_schedules
from .state import (
    PoolState,
    Source,
    newer,
    with_readings,
    with_timers,
    without_past_timers,
)

_RETRIES_EXCEEDED, _RUNS_DRY = 1, 4
"""Dry-run status; which value is normal is not documented (protocol.md O5)."""
_SLOT_LISTS = (
    "pump_devices",
    "pump_linked_devices",
    "spa_devices",
    "spa",
    "other_devices",
)


def merge_dashboard(state: PoolState, dashboard: Answer, now: datetime) -> PoolState:
    """Return the state after a dashboard (protocol.md 2.5), the cloud its source."""
    mode = number(dashboard, "main_pump_status")
    dry_run = number(dashboard, "dry_run_status")
    readings = Readings(
        ph=number(dashboard, "actual_ph", 10),
        orp=number(dashboard, "actual_orp"),
        flow_rate=number(dashboard, "actual_flow_rate"),
        pressure=number(dashboard, "actual_pressure"),
        pump_speed=number(dashboard, "actual_pump_speed"),
        main_pump_mode=None if mode is None else int(mode),
    )
    signals = Signals(
        pool_heater=flag(dashboard, "heater_state"),
        solar=flag(dashboard, "solar_state"),
        spa_heater=flag(dashboard, "spa_heater_state"),
        chemistry_stable=flag(dashboard, "chemistry_stable"),
        dry_run=None if dry_run is None else dry_run in (_RETRIES_EXCEEDED, _RUNS_DRY),
        retries_exceeded=None if dry_run is None else dry_run == _RETRIES_EXCEEDED,
    )
    state = with_readings(state, plausible(Readings, readings), signals, now)
    ph = number(dashboard, "d_ph", 10, PH)
    orp = number(dashboard, "d_orp_mineral", possible=DESIRED_ORP)
    schedules = state.schedules
    return replace(
        without_past_timers(state, now),
        source=Source.CLOUD,
        acid=replace(state.acid, desired=newer(ph, state.acid.desired)),
        chlorinator=replace(
            state.chlorinator, desired=newer(orp, state.chlorinator.desired)
        ),
        outputs=replace(state.outputs, assumed=True),
        # They are read less often: assumed only until the cloud has reported them once.
        schedules=replace(
            schedules, assumed=schedules.assumed or state.source is not Source.CLOUD
        ),
    )


def merge_temperatures(state: PoolState, answer: Answer, now: datetime) -> PoolState:
    """Return the state after an answer of `ambientTemp`."""
    reported = object_of(answer, "ambientTemp")
    readings = replace(
        state.readings,
        water_temperature=number(reported, "water_temp", 10),
        ambient_temperature=number(reported, "ambient_temp", 100),
    )
    return with_readings(state, plausible(Readings, readings), state.signals, now)


def merge_pump(state: PoolState, answer: Answer, now: datetime) -> PoolState:
    """Return the state after an answer of `pumpInfo`."""
    pump = object_of(answer, "pump")
    names = (text(pump, key) for key in ("pump_type", "pump_brand", "pump_model"))
    if None not in (identity := tuple(names)):
        state = replace(state, pump=PumpIdentity(*map(str, identity)))
    state = assume_speed(state)
    cooling = pump.get("pump_cooldown")
    readings = replace(
        state.readings, pump_cooldown_remaining=number(pump, "pump_cooldown_left")
    )
    signals = replace(
        state.signals,
        pump_cooling_down=bool(cooling) if isinstance(cooling, bool | int) else None,
    )
    return replace(state, readings=plausible(Readings, readings), signals=signals)


def merge_chemistry(state: PoolState, answer: Answer, now: datetime) -> PoolState:
    """Return the state with the settings of `chemistryCard`."""
    for settings in (PH_SETTINGS, CHLORINE_SETTINGS):
        state = merge_settings(settings, state, object_of(answer, settings.card), now)
    return state


def merge_slots(state: PoolState, answer: Answer, now: datetime) -> PoolState:
    """Return the state after an answer of `auxInfo`: its slots and whether they run."""
    # Dosers and heaters are not listed: this answer never covers all slots.
    known, listed = state.outputs, _listed(answer)
    reported = known.types if known.types != _ONLY_PUMP else None
    types = dict(enumerate(reported or (UNKNOWN_TYPE,) * MAX_SLOTS))
    names, modes = dict(enumerate(known.names)), dict(enumerate(known.modes))
    assumed = known.assumed
    for slot, code, entry in listed:
        types[slot] = code
        if (tag := text(entry, "aux_tag")) is not None:
            names[slot] = tag
        if isinstance(on := entry.get("aux_status"), int):
            modes[slot] = _mode(bool(on), modes.get(slot))
            assumed = False
    outputs = replace(
        known,
        types=_by_slot(types, UNKNOWN_TYPE),
        names=_by_slot(names, ""),
        modes=_by_slot(modes, None),
        assumed=assumed,
    )
    state = replace(state, outputs=outputs)
    timers = {
        slot: number(entry, "aux_timer_remain_sec") or 0 for slot, _, entry in listed
    }
    return with_timers(state, timers, now) if listed else state


def _listed(answer: Answer) -> list[tuple[int, int, Answer]]:
    """Return slot, type and entry of each output that `auxInfo` lists."""
    manual = object_of(answer, "manual")
    return [
        (int(slot), int(code), entry)
        for name in _SLOT_LISTS
        for entry in list_of(manual, name)
        if (slot := number(entry, "aux_slot_num", possible=range(MAX_SLOTS)))
        is not None
        and (code := number(entry, "aux_type_code")) is not None
    ]


def _wiring(manual: Answer) -> dict[int, int]:
    """Return the types of the outputs that `auxInfo` lists, by slot."""
    return {slot: code for slot, code, _ in _listed({"manual": manual})}


def _as_wired(state: PoolState, manual: Answer) -> bool:
    types = dict(enumerate(state.outputs.types or ()))
    return not state.outputs.types_complete or _wiring(manual).items() <= types.items()


DOUBTED: Final[Mapping[str, Query]] = {
    "manual": Query(
        name="auxInfo",
        decode=decode_json,
        agrees=_as_wired,
        alike=lambda one, other: _wiring(one) == _wiring(other),
    ),
    **{
        of.card: replace(SETTINGS_QUERIES[of.card], agrees=partial(settings_agree, of))
        for of in (PH_SETTINGS, CHLORINE_SETTINGS)
    },
}
"""By key, what an answer of the cloud may contain only if it is as expected."""

_ONLY_PUMP = (MAIN_PUMP, *(UNKNOWN_TYPE,) * (MAX_SLOTS - 1))


def assume_pump_slot(state: PoolState) -> PoolState:
    """Return the state if `auxInfo` fails: the pump has the first slot.

    `setPumpInfo` requires the pump's slot, which the published endpoints do not report.
    As the pump's type code is sent too, a wrong slot is declined.
    """
    if state.outputs.types is not None:
        return state
    return replace(
        state, outputs=replace(state.outputs, types=_ONLY_PUMP, assumed=True)
    )


def assume_speed(state: PoolState) -> PoolState:
    """Return the state if `pumpInfo` fails: the pump takes a speed."""
    return state if state.pump else replace(state, pump=PumpIdentity("", "", ""))


type Merge = Callable[[PoolState, Answer, datetime], PoolState]


class CloudRead(NamedTuple):
    """An endpoint: how its answer is merged."""

    merge: Merge
    assume: Callable[[PoolState], PoolState] = lambda state: state
    """Assumption if it fails, so that the pump can still be controlled."""


CLOUD_READS: Final[Mapping[str, CloudRead]] = {
    "auxInfo": CloudRead(merge_slots, assume_pump_slot),
    "ambientTemp": CloudRead(merge_temperatures),
    "chemistryCard": CloudRead(merge_chemistry),
    "pumpInfo": CloudRead(merge_pump, assume_speed),
}
"""Endpoints read after the dashboard, where they are offered (protocol.md O5)."""


def merge_schedule_info(state: PoolState, answer: Answer) -> PoolState:
    """Return the state after `scheduleInfo`, which lists only schedules in use."""
    info = object_of(answer, "scheduleInfo")
    if not isinstance(reported := info.get("schedules"), list):
        return state
    known = list(state.schedules.records or ())
    known += [UNUSED] * (MAX_SCHEDULES - len(known))
    found: dict[int, Schedule] = {}
    for entry in list_of(info, "schedules"):
        if place := number(entry, "schedule_num", possible=range(1, MAX_SCHEDULES + 1)):
            index = int(place) - 1
            if (schedule := _schedule(state, entry, known[index])) is not None:
                found[index] = schedule
    if reported and not found:
        return state
    # A schedule that is not listed is deleted only if every entry was understood.
    lacking = [UNUSED] * len(known) if len(found) == len(reported) else known
    return merge_schedules(state, (found.get(i, one) for i, one in enumerate(lacking)))


def _schedule(state: PoolState, entry: Answer, previous: Schedule) -> Schedule | None:
    """Return a schedule of `scheduleInfo`, `None` if it cannot be read."""
    slot = number(entry, "aux_slot", possible=range(MAX_SLOTS))
    start = number(entry, "start_time", possible=range(DAY + 1))
    end = number(entry, "end_time", possible=range(DAY + 1))
    days = entry.get("week_days")
    if slot is None or start is None or end is None or not isinstance(days, list):
        return None
    received, name = entry.get("schedule_name"), text(entry, "schedule_name") or ""
    cleaned = isinstance(received, str) and received != name
    return replace(
        _of_slot(state, int(slot), previous),
        speed=int(number(entry, "pump_speed") or 0),
        start=int(start),
        end=int(end),
        weekdays=sum((runs is True) << day for day, runs in enumerate(days[:7])),
        name=name,
        received_name=str(received) if cleaned else None,
        enabled=bool(entry.get("schedule_state")),
    )


def _of_slot(state: PoolState, slot: int, previous: Schedule) -> Schedule:
    """Return a schedule of a slot with the fields that `scheduleInfo` lacks."""
    if previous.slot == slot:
        return previous
    wired = state.outputs.slot(slot)
    return replace(UNUSED, slot=slot, aux_type=max(wired.type_code, 0) if wired else 0)


def _mode(on: bool, previous: int | None) -> int:
    """Return a slot's mode; the cloud reports on and off, but not what switched it."""
    if previous is not None and (previous != MODE_OFF) is on:
        return previous
    return MODE_MANUAL if on else MODE_OFF


def _by_slot[T](values: Mapping[int, T], missing: T) -> tuple[T, ...]:
    return tuple(values.get(i, missing) for i in range(max(values, default=-1) + 1))
