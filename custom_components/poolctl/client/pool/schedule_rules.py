"""Rules for schedules: how a state keeps them, and which may be sent to a controller.

The limits of names and the rule against overlapping schedules are chosen; the 20
records, the weekday bits and the pump speeds are observed (protocol.md O3 and O4).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..wire.equipment import SPEEDS, UNKNOWN_TYPE, Role, Slot
from ..wire.exceptions import InvalidCommandError
from ..wire.json_values import clean_text
from ..wire.schedule import (
    ALL_WEEK,
    BLANK,
    DAY,
    LAST_MINUTE,
    MAX_SCHEDULES,
    UNUSED,
    Schedule,
)
from .choices import Choices, start_speed
from .lights import LIGHT_GROUPS
from .parts import Schedules
from .state import PoolState

MAX_NAME = 64
"""Longest name in bytes of UTF-8: long enough, far below the wire's 255."""

_SWITCHED = {Role.GENERAL, Role.PUMP, Role.PUMP_LINKED, *LIGHT_GROUPS}
_NEW = Schedule(
    slot=-99, aux_type=0, start=-99, end=-99, weekdays=-99, name="\0", speed=-99
)
"""Stands for the previous schedule of a new one: it differs in every field."""


def merge_schedules(state: PoolState, records: Iterable[Schedule]) -> PoolState:
    """Return the state with all records, including which of them are armed.

    Unused records stay armed as a frame reported them. Otherwise the next frame would
    look like a change.
    """
    schedules = tuple(records)
    used = {i: one for i, one in enumerate(schedules) if one.used}
    unused = set(state.schedules.armed or ()) - used.keys()
    armed = tuple(sorted(unused | {i for i, one in used.items() if one.enabled}))
    return replace(state, schedules=Schedules(records=schedules, armed=armed))


def with_schedule(state: PoolState, index: int, schedule: Schedule | None) -> PoolState:
    """Return the state with another schedule at an index; `None` makes it unused."""
    used = {**state.schedules.used, index: schedule or UNUSED}
    return merge_schedules(state, (used.get(i, UNUSED) for i in range(MAX_SCHEDULES)))


def schedulable(state: PoolState, slot: Slot) -> bool:
    """Return whether a schedule can switch a slot; the spa is its first actuator."""
    return slot.role in _SWITCHED or slot == state.outputs.spa


def shown_speed(state: PoolState, choices: Choices) -> float:
    """Return the pump's speed in %, or its next speed while it is off or priming."""
    if not state.pump_on or not state.readings.pump_speed or state.signals.pump_priming:
        running = state.schedules.used.get((state.readings.main_pump_mode or 0) - 1)
        return (running and running.speed) or start_speed(state, choices)
    return state.readings.pump_speed


def equip(
    state: PoolState,
    choices: Choices,
    previous: Schedule | None,
    slot: int | None,
    speed: int | None,
) -> Schedule:
    """Return a schedule, without `previous` a blank one, with its equipment.

    That is `slot`, `aux_type` and `speed`. What the user leaves open keeps its previous
    value; the default of a new schedule is the main pump at its usual speed. Raises
    NotSupportedError if the pump's slot is unknown.
    """
    if slot is None:
        slot = previous.slot if previous else state.outputs.pump_slot
    aux_type, usual = 0, 0
    if previous is not None and previous.slot == slot:
        aux_type, usual = previous.aux_type, previous.speed
    elif wired := state.outputs.slot(slot):
        aux_type = max(wired.type_code, 0)
        if wired.role is Role.PUMP and state.variable_speed:
            usual = start_speed(state, choices)
    return replace(
        previous or BLANK,
        slot=slot,
        aux_type=aux_type,
        speed=usual if speed is None else speed,
    )


def tidy(
    schedule: Schedule, table: Mapping[int, Schedule], previous: Schedule | None = None
) -> Schedule:
    """Return the schedule as it is sent, with a clean name and one form of midnight.

    Midnight as an end is 24:00 once a schedule of the table has it, else 23:59. An end
    or a name that was not changed keeps its received form.
    """
    midnight = DAY if _has_midnight(table) else LAST_MINUTE
    end = midnight if schedule.end in (0, DAY) else schedule.end
    if previous is not None and schedule.end == previous.end % DAY:
        end = previous.end
    name, received = clean_text(schedule.name), None
    if previous is not None and name == previous.name:
        received = previous.received_name
    return replace(schedule, name=name, received_name=received, end=end)


def check(
    state: PoolState,
    schedules: Mapping[int, Schedule],
    wanted: Schedule,
    index: int | None = None,
) -> None:
    """Raise InvalidCommandError for a schedule that must not be sent.

    Without an index it is a new schedule. In an existing one, only changed fields are
    checked: the vendor's app may allow more than we do.
    """
    if index is None and len(schedules) >= MAX_SCHEDULES:
        raise InvalidCommandError(reason="schedule_limit")
    previous = _NEW if index is None else schedules[index]
    if wanted.when[1:] != previous.when[1:]:
        _check_times(wanted, previous, DAY + _has_midnight(schedules))
    size = len(wanted.name.encode("utf-8", "replace"))
    if wanted.name != previous.name and not 0 < size <= MAX_NAME:
        raise InvalidCommandError(reason="schedule_name", maximum=str(MAX_NAME))
    if (wanted.slot, wanted.speed) != (previous.slot, previous.speed):
        _check_equipment(state, wanted)
    check_conflicts(schedules, wanted, index)


def check_conflicts(
    schedules: Mapping[int, Schedule], wanted: Schedule, index: int | None
) -> None:
    """Raise InvalidCommandError if another armed schedule of the slot overlaps."""
    for other_index, other in schedules.items():
        if (
            other_index != index
            and other.slot == wanted.slot
            and other.enabled
            and wanted.enabled
            and other.overlaps(wanted)
        ):
            raise InvalidCommandError(
                reason="schedule_conflict",
                name=other.name,
                number=str(other_index + 1),
            )


def _has_midnight(table: Mapping[int, Schedule]) -> bool:
    return any(each.end == DAY for each in table.values())


def _check_times(wanted: Schedule, previous: Schedule, ends: int) -> None:
    """Check the weekdays and times; `ends` is the number of possible ends."""
    if wanted.weekdays != previous.weekdays and not 0 < wanted.weekdays <= ALL_WEEK:
        raise InvalidCommandError(reason="schedule_weekdays")
    for minute, number, before in (
        (wanted.start, DAY, previous.start),
        (wanted.end, ends, previous.end),
    ):
        if not 0 <= minute < number and minute != before:
            raise InvalidCommandError(reason="schedule_times")
    if wanted.start % DAY == wanted.end:
        raise InvalidCommandError(reason="schedule_same_times")


def _check_equipment(state: PoolState, wanted: Schedule) -> None:
    slot = state.outputs.slot(wanted.slot)
    if slot is None or slot.type_code == UNKNOWN_TYPE or not schedulable(state, slot):
        raise InvalidCommandError(
            reason="schedule_equipment",
            name=(slot and slot.name) or str(wanted.slot + 1),
        )
    _check_speed(
        wanted.speed, state.variable_speed if slot.role is Role.PUMP else False
    )


def _check_speed(speed: int, variable: bool | None) -> None:
    """Raise InvalidCommandError for a speed that the equipment does not have.

    A pump that is not identified yet (`None`) may have a variable speed or not.
    """
    if speed and variable is False:
        raise InvalidCommandError(reason="schedule_no_speed")
    if (speed or variable) and speed not in SPEEDS:
        raise InvalidCommandError(reason="schedule_speed")
