"""Problems of the pool itself: water, drums, pump and outputs."""

from datetime import UTC, timedelta
from typing import Final

from ..client.bounds import Within
from ..client.holds import Hold, output_names
from ..client.pool import (
    ACID,
    BODIES,
    DOSERS,
    SLOTS_OF_EXPANDERS,
    UNKNOWN_TYPE,
    Body,
    DoserKind,
    Role,
    occurrences,
    schedules_of,
    window_of,
)
from ..devices.parts import proposed_use
from ..devices.ranges import ORP_READING, PH_READING, Reading
from ..learned.pool import needs_cleaning
from .heating import late
from .rows import (
    RESUME,
    SETTINGS,
    STOP_PUMP,
    Action,
    Form,
    Litres,
    Problem,
    Repair,
    Severity,
    Values,
)
from .situation import Situation

_DAY = timedelta(days=1)
"""Maximum time held off, or without a reading: a pool without its pump turns green
(chosen)."""
_STABLE = timedelta(hours=1)
"""Run time after which a pump has flow and valid readings (chosen)."""
_CLEANED = Action("mark_filter_clean")


def _out_of_range(reading: Reading) -> Problem[Situation]:
    def good_range(pool: Situation) -> Within:
        return reading.range(pool.state, pool.preferences.own_ranges)

    def exists(pool: Situation) -> bool | None:
        value = reading.of(pool.state.chemistry)
        return None if value is None else value not in good_range(pool)

    def too_low(pool: Situation) -> bool:
        return (reading.of(pool.state.chemistry) or 0.0) < good_range(pool).low

    def values(pool: Situation) -> Values:
        value, good = reading.of(pool.state.chemistry) or 0, good_range(pool)
        numbers = {"value": value, "lower": good.low, "upper": good.high}
        if reading.digits:
            return numbers
        return {name: round(each) for name, each in numbers.items()}

    return Problem(
        f"{reading.key}_out_of_range",
        exists,
        values,
        variants=(
            Form(f"{reading.key}_low", too_low),
            Form(f"{reading.key}_high", lambda pool: True),
        ),
    )


def _dosed(pool: Situation, kind: DoserKind) -> bool:
    return pool.state.outputs.fitted(kind.fitted) is not False


def _drum(kind: DoserKind) -> Problem[Situation]:
    return Problem(
        f"{kind.key}_low",
        lambda pool: _dosed(pool, kind) and kind.low(pool.state, pool.choices),
        lambda pool: {"content": Litres(kind.of(pool.state).litres_left or 0.0)},
        severity=Severity.NOTICE,
        action=Action(f"mark_{kind.key}_drum_full"),
        variants=(Form(f"{kind.key}_empty", lambda pool: kind.of(pool.state).empty),),
        # The dashboard shows it, too: it is a repair only if the options ask for that.
        repair=Repair(wanted=lambda pool: pool.options.drum_repairs, fixable=True),
    )


def _ph_too_high(pool: Situation) -> bool | None:
    ph, desired = pool.state.chemistry.ph, pool.state.acid.desired
    return None if ph is None or desired is None else ph > desired


def _without_effect(kind: DoserKind) -> Problem[Situation]:
    def values(pool: Situation) -> Values:
        effect = pool.learned.effects[kind]
        reading = effect.reading or 0.0
        shown = reading if kind is ACID else round(reading)
        return {"idle": effect.idle, "reading": shown}

    return Problem(
        f"{kind.key}_without_effect",
        lambda pool: (
            _dosed(pool, kind) and pool.learned.effects[kind].missing(kind, pool.state)
        ),
        values,
        repair=Repair(),
    )


def held_off(pool: Situation) -> list[Hold]:
    """Return the holds off for a day or more: they may be forgotten."""
    begun = pool.now - _DAY
    return [hold for hold in pool.holds if not hold.on and hold.since <= begun]


def _held_against_schedule(pool: Situation) -> list[Hold]:
    """Return the holds off against a schedule, without those of `held_off`."""
    state, begun = pool.state, pool.now - _DAY
    return [
        hold
        for hold in pool.holds
        if not hold.on
        and hold.since > begun
        and (slot := state.outputs.slot(hold.slot)) is not None
        and window_of(state, slot, pool.local) is not None
    ]


def _stale(pool: Situation) -> bool | None:
    """Return whether a day with scheduled pump hours had no valid reading."""
    state = pool.state
    if not pool.reached:
        return None
    if state.valid_at is None:
        readings = state.readings
        if readings.ph is None and readings.orp is None:
            return False  # without a probe, there are no readings
    elif pool.now - state.valid_at < _DAY:
        return False
    pump, zone = state.outputs.pump, pool.now.tzinfo or UTC
    schedules = schedules_of(state, pump) if pump else {}
    return bool(occurrences(schedules, pool.now - _DAY, pool.now - _STABLE, zone))


def _lost_expanders(pool: Situation) -> list[int] | None:
    """Return the numbers of expanders that have equipment but are not connected."""
    types, connected = pool.state.outputs.types, pool.state.signals.expanders
    if types is None or connected.count(None) == len(connected):
        return None
    expanders = zip(SLOTS_OF_EXPANDERS, connected, strict=True)
    return [
        number
        for number, (slots, there) in enumerate(expanders, start=1)
        if there is False and {*types[slots.start : slots.stop]} - {0, UNKNOWN_TYPE}
    ]


def _warm_late(body: Body) -> Problem[Situation]:
    def values(pool: Situation) -> Values:
        outlook = pool.warm_by.get(body)
        return {} if outlook is None else late(outlook)

    return Problem(
        f"{body.key}_warm_late",
        lambda pool: body in pool.warm_by and pool.warm_by[body].late,
        values,
        severity=Severity.NOTICE,
    )


def _of_unknown_use(pool: Situation) -> list[str]:
    """Return the outputs whose names show what they are, until a user was asked."""
    general = (s for s in pool.state.outputs.slots if s.role is Role.GENERAL)
    return [
        s.name for s in general if pool.options.uses is None and proposed_use(s.name)
    ]


POOL_PROBLEMS: Final[tuple[Problem[Situation], ...]] = (
    Problem(
        "dry_run",
        lambda pool: pool.state.signals.dry_run,
        variants=(
            Form("dry_run_retries", lambda pool: pool.state.signals.retries_exceeded),
        ),
        steps=(Form("dry_run_on", lambda pool: pool.state.pump_on, action=STOP_PUMP),),
    ),
    _out_of_range(PH_READING),
    _out_of_range(ORP_READING),
    *(_drum(kind) for kind in DOSERS),
    Problem(
        "acid_limit",
        lambda pool: _dosed(pool, ACID) and pool.state.acid.limit_reached(pool.now),
        lambda pool: {"doses": pool.state.acid.doses or 0},
        severity=Severity.NOTICE,
        variants=(Form("acid_limit_high", _ph_too_high),),
        repair=Repair(wanted=_ph_too_high),
    ),
    *(_without_effect(kind) for kind in DOSERS),
    Problem(
        "filter_needs_cleaning",
        needs_cleaning,
        severity=Severity.NOTICE,
        action=_CLEANED,
    ),
    Problem(
        "pump_power_changed",
        lambda pool: pool.learned.pump_power.changed,
        lambda pool: {"percent": abs(pool.learned.pump_power.change or 0)},
        severity=Severity.NOTICE,
        action=_CLEANED,
        variants=(
            Form(
                "pump_power_low",
                lambda pool: (pool.learned.pump_power.change or 0) < 0,
                severity=Severity.NOTICE,
            ),
        ),
    ),
    Problem(
        "held_off",
        lambda pool: bool(held_off(pool)),
        lambda pool: {"outputs": output_names(held_off(pool), pool.state)},
        action=RESUME,
        repair=Repair(patience=0.0, fixable=True),
    ),
    Problem(
        "held_against_schedule",
        lambda pool: bool(_held_against_schedule(pool)),
        lambda pool: {
            "outputs": output_names(_held_against_schedule(pool), pool.state)
        },
        severity=Severity.NOTICE,
        action=RESUME,
    ),
    Problem(
        "spa_waits_for_pump",
        lambda pool: pool.state.spa_waits_for_pump,
        action=RESUME,
    ),
    Problem(
        "stopped_by_spa",
        lambda pool: bool(pool.stopped_by_spa),
        lambda pool: {"outputs": output_names(pool.stopped_by_spa, pool.state)},
        severity=Severity.NOTICE,
    ),
    *(_warm_late(body) for body in BODIES),
    Problem(
        "list_refused",
        lambda pool: pool.refused_list is not None,
        lambda pool: {"list": pool.refused_list or ""},
        severity=Severity.NOTICE,
    ),
    Problem(
        "hold_overdue",
        lambda pool: bool(pool.overdue),
        lambda pool: {"outputs": output_names(pool.overdue, pool.state)},
        repair=Repair(patience=0.0),
    ),
    Problem(
        "dosing_paused_too_long",
        lambda pool: pool.pause_overdue,
        repair=Repair(patience=0.0),
    ),
    Problem(
        "heat_overdue", lambda pool: pool.heat_overdue, repair=Repair(patience=0.0)
    ),
    Problem(
        "stale_readings",
        _stale,
        # If there was never a valid reading, the day begins with this problem.
        patience=lambda pool: 0.0 if pool.state.valid_at else _DAY.total_seconds(),
    ),
    Problem(
        "expander_lost",
        lambda pool: None if (lost := _lost_expanders(pool)) is None else bool(lost),
        lambda pool: {"numbers": ", ".join(map(str, _lost_expanders(pool) or ()))},
    ),
    Problem(
        "uses_proposed",
        lambda pool: bool(_of_unknown_use(pool)),
        lambda pool: {"outputs": ", ".join(_of_unknown_use(pool))},
        severity=Severity.NOTICE,
        action=SETTINGS,
    ),
    Problem(
        "controller_clock",
        lambda pool: pool.learned.controller_clock.wrong,
        lambda pool: {"minutes": round(abs(pool.ahead) / timedelta(minutes=1))},
        variants=(
            Form("controller_clock_ahead", lambda pool: pool.ahead > timedelta()),
        ),
    ),
)
"""Rows of the pool in the table of possible problems."""
