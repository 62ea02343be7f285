"""Problems of the pool itself: water, drums, pump and outputs."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

from ..client.clock import OFF
from ..client.holds.hold import output_names
from ..client.holds.rules import window_of
from ..client.occurrences import occurrences
from ..client.pool.dosing import ACID, DOSERS, DoserKind
from ..client.pool.heating import BODIES, Body
from ..client.pool.ranges import ORP_READING, PH_READING, Reading
from ..client.wire.equipment import SLOTS_OF_EXPANDERS, UNKNOWN_TYPE, Role
from ..learned.pool import needs_cleaning, without_effect
from .health import Health
from .problem import (
    RESUME,
    Action,
    Celsius,
    Litres,
    Problem,
    Repair,
    Severity,
    Value,
    Variant,
)

_DAY = timedelta(days=1)
"""Maximum time held off, or without a reading: a pool without its pump turns green
(chosen)."""
_STABLE = timedelta(hours=1)
"""Run time after which a pump has flow and valid readings (chosen)."""
_STARTING = 600.0
"""Seconds until a starting heater heats: pump, spa mode and its own start take time
(chosen)."""
_CLEANED = Action("filter_cleaned")


def _out_of_range(reading: Reading) -> Problem[Health]:
    """Return the row of a reading that is too low or too high."""

    def exists(health: Health) -> bool | None:
        value = reading.valid(health.state)
        return None if value is None else value not in reading.range(health.state)

    def too_low(health: Health) -> bool:
        value = reading.valid(health.state)
        return value is not None and value < reading.range(health.state).low

    def values(health: Health) -> Mapping[str, str | float]:
        good, digits = reading.range(health.state), reading.digits
        numbers = {
            "value": reading.valid(health.state) or 0,
            "lower": good.low,
            "upper": good.high,
        }
        return {name: each if digits else round(each) for name, each in numbers.items()}

    return Problem(
        key=f"{reading.key}_out_of_range",
        exists=exists,
        confirmed=True,
        variants=(
            Variant(key=f"{reading.key}_low", applies=too_low),
            Variant(key=f"{reading.key}_high", applies=lambda health: True),
        ),
        values=values,
    )


def _of_doser(
    kind: DoserKind, test: Callable[[Health], bool | None]
) -> Callable[[Health], bool | None]:
    """Return a test that is false if the doser is not fitted."""

    def exists(health: Health) -> bool | None:
        if health.state.outputs.fitted(kind.fitted) is False:
            return False
        return test(health)

    return exists


def _drum(kind: DoserKind) -> Problem[Health]:
    """Return the row of a drum that is nearly empty, or empty."""
    return Problem(
        key=f"{kind.key}_low",
        exists=_of_doser(
            kind, lambda health: kind.low(health.state, health.pool.choices)
        ),
        confirmed=True,
        severity=Severity.NOTICE,
        action=Action(f"refill_{kind.key}"),
        variants=(
            Variant(
                key=f"{kind.key}_empty",
                applies=lambda health: kind.of(health.state).empty,
            ),
        ),
        values=lambda health: {
            "content": Litres(kind.of(health.state).litres_left or 0.0)
        },
        # Entities report it, too: it is a repair only if the options ask for that.
        repair=Repair(wanted=lambda health: health.drum_repairs, fixable=True),
    )


def _ph_too_high(health: Health) -> bool | None:
    ph, desired = PH_READING.valid(health.state), health.state.acid.desired
    return None if ph is None or desired is None else ph > desired


def _without_effect(kind: DoserKind) -> Problem[Health]:
    """Return the row of doses that do not change their reading."""

    def values(health: Health) -> Mapping[str, Value]:
        effect = health.pool.learned.effects[kind]
        reading = effect.reading or 0.0
        shown = reading if kind is ACID else round(reading)
        return {"idle": effect.idle, "reading": shown}

    return Problem(
        key=f"{kind.key}_without_effect",
        exists=_of_doser(kind, lambda health: without_effect(health.pool, kind)),
        values=values,
        repair=Repair(),
    )


def _power_change(health: Health) -> int:
    """Return the change of the pump's power in %."""
    return health.pool.learned.pump_power.state.change or 0


def _held_off(health: Health) -> str:
    """Return the outputs that have been held off for a day and may be forgotten."""
    forgotten = health.now - _DAY
    holds = (h for h in health.holds if not h.on and h.since <= forgotten)
    return output_names(holds, health.state)


def _held_against_schedule(health: Health) -> str:
    """Return outputs held off against a schedule, without those of `_held_off`."""
    state, recent = health.state, health.now - _DAY
    holds = (
        hold
        for hold in health.holds
        if not hold.on
        and hold.since > recent
        and (slot := state.outputs.slot(hold.slot)) is not None
        and window_of(state, slot, health.now) is not None
    )
    return output_names(holds, state)


def _overdue(health: Health) -> str:
    """Return the outputs that should have been released but were not."""
    return output_names(health.overdue, health.state)


def _stale(health: Health) -> bool | None:
    """Return whether a day with scheduled pump hours had no valid reading."""
    state = health.state
    if not health.reached:
        return None
    if state.valid_at is None:
        readings = state.measured_chemistry
        if readings.ph is None and readings.orp is None:
            return False  # without a probe, there are no readings
    elif health.now - state.valid_at < _DAY:
        return False
    slots = {
        slot.index
        for slot in state.outputs.slots
        if slot.role in (Role.PUMP, Role.PUMP_LINKED)
    }
    used = state.schedules.used
    schedules = {index: each for index, each in used.items() if each.slot in slots}
    zone = health.now.tzinfo
    begun = zone and occurrences(
        schedules, health.now - _DAY, health.now - _STABLE, zone
    )
    return bool(begun)


def _lost_expanders(health: Health) -> list[int] | None:
    """Return the numbers of expanders that have equipment but are not connected."""
    types, connected = health.state.outputs.types, health.state.signals.expanders
    if types is None or connected.count(None) == len(connected):
        return None
    return [
        number
        for number, (slots, there) in enumerate(
            zip(SLOTS_OF_EXPANDERS, connected, strict=True), start=1
        )
        if there is False
        and any(
            code not in (0, UNKNOWN_TYPE) for code in types[slots.start : slots.stop]
        )
    ]


def _expander_lost(health: Health) -> bool | None:
    return None if (lost := _lost_expanders(health)) is None else bool(lost)


def _clock_off(health: Health) -> bool | None:
    ahead = health.controller_ahead
    return None if ahead is None else abs(ahead) >= OFF


def _minutes(health: Health) -> Mapping[str, str | float]:
    ahead = health.controller_ahead or timedelta()
    return {"minutes": round(abs(ahead) / timedelta(minutes=1))}


def _warm_late(body: Body) -> Problem[Health]:
    """Return the row of water that will not be warm by the requested time."""

    def values(health: Health) -> Mapping[str, Value]:
        for request, expected in health.warm_late:
            if request.body is body:
                return {
                    "time": request.by,
                    "target": Celsius(expected.target),
                    "expected": Celsius(expected.expected or 0.0),
                }
        return {}

    return Problem(
        key=f"{body.key}_warm_late",
        exists=lambda health: any(each.body is body for each, _ in health.warm_late),
        severity=Severity.NOTICE,
        patience=_STARTING,
        values=values,
    )


POOL_PROBLEMS: Final = (
    Problem(
        key="dry_run",
        exists=lambda health: health.state.signals.dry_run,
        confirmed=True,
        variants=(
            Variant(
                key="dry_run_retries",
                applies=lambda health: health.state.signals.retries_exceeded,
            ),
        ),
    ),
    _out_of_range(PH_READING),
    _out_of_range(ORP_READING),
    *(_drum(kind) for kind in DOSERS),
    Problem(
        key="acid_limit",
        exists=_of_doser(
            ACID, lambda health: health.state.acid.limit_reached(health.now)
        ),
        confirmed=True,
        severity=Severity.NOTICE,
        variants=(Variant(key="acid_limit_high", applies=_ph_too_high),),
        values=lambda health: {"doses": health.state.acid.doses or 0},
        repair=Repair(wanted=_ph_too_high),
    ),
    *(_without_effect(kind) for kind in DOSERS),
    Problem(
        key="filter_needs_cleaning",
        exists=lambda health: needs_cleaning(health.pool),
        severity=Severity.NOTICE,
        action=_CLEANED,
    ),
    Problem(
        key="pump_power_changed",
        exists=lambda health: health.pool.learned.pump_power.state.changed,
        severity=Severity.NOTICE,
        action=_CLEANED,
        variants=(
            Variant(
                key="pump_power_low",
                severity=Severity.NOTICE,
                applies=lambda health: _power_change(health) < 0,
            ),
        ),
        values=lambda health: {"percent": abs(_power_change(health))},
    ),
    Problem(
        key="held_off",
        exists=lambda health: bool(_held_off(health)),
        action=RESUME,
        values=lambda health: {"outputs": _held_off(health)},
        repair=Repair(patience=0.0, fixable=True),
    ),
    Problem(
        key="held_against_schedule",
        exists=lambda health: bool(_held_against_schedule(health)),
        action=RESUME,
        severity=Severity.NOTICE,
        values=lambda health: {"outputs": _held_against_schedule(health)},
    ),
    Problem(
        key="spa_waits_for_pump",
        exists=lambda health: health.state.spa_waits_for_pump,
        action=RESUME,
        confirmed=True,
    ),
    Problem(
        key="stopped_by_spa",
        exists=lambda health: bool(health.stopped_by_spa),
        severity=Severity.NOTICE,
        values=lambda health: {
            "outputs": output_names(health.stopped_by_spa, health.state)
        },
    ),
    *(_warm_late(body) for body in BODIES),
    Problem(
        key="hold_overdue",
        exists=lambda health: bool(_overdue(health)),
        values=lambda health: {"outputs": _overdue(health)},
        repair=Repair(patience=0.0),
    ),
    Problem(
        key="dosing_paused_too_long",
        exists=lambda health: bool(health.pauses_overdue),
        repair=Repair(patience=0.0),
    ),
    Problem(
        key="heat_overdue",
        exists=lambda health: health.heat_overdue,
        repair=Repair(patience=0.0),
    ),
    Problem(
        key="stale_readings",
        exists=_stale,
        # If there was never a valid reading, the day begins with this problem.
        patience=lambda health: 0.0 if health.state.valid_at else _DAY.total_seconds(),
    ),
    Problem(
        key="expander_lost",
        exists=_expander_lost,
        confirmed=True,
        values=lambda health: {
            "numbers": ", ".join(map(str, _lost_expanders(health) or ()))
        },
    ),
    Problem(
        key="controller_clock",
        exists=_clock_off,
        variants=(
            Variant(
                key="controller_clock_ahead",
                applies=lambda health: (
                    (health.controller_ahead or timedelta()) > timedelta()
                ),
            ),
        ),
        values=_minutes,
    ),
)
"""Rows of the pool in the table of possible problems."""
