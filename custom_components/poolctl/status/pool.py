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
from .problem import RESUME, Action, Problem, Repair, Severity, Variant
from .sentence import Litres, Values
from .situation import Situation
from .warm_by import late

_DAY = timedelta(days=1)
"""Maximum time held off, or without a reading: a pool without its pump turns green
(chosen)."""
_STABLE = timedelta(hours=1)
"""Run time after which a pump has flow and valid readings (chosen)."""
_STARTING = 600.0
"""Seconds until a starting heater heats: pump, spa mode and its own start take time
(chosen)."""
_CLEANED = Action("filter_cleaned")


def _out_of_range(reading: Reading) -> Problem[Situation]:
    """Return the row of a reading that is too low or too high."""

    def exists(pool: Situation) -> bool | None:
        value = reading.valid(pool.state)
        return None if value is None else value not in reading.range(pool.state)

    def too_low(pool: Situation) -> bool:
        value = reading.valid(pool.state)
        return value is not None and value < reading.range(pool.state).low

    def values(pool: Situation) -> Mapping[str, str | float]:
        good, digits = reading.range(pool.state), reading.digits
        numbers = {
            "value": reading.valid(pool.state) or 0,
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
            Variant(key=f"{reading.key}_high", applies=lambda pool: True),
        ),
        values=values,
    )


def _of_doser(
    kind: DoserKind, test: Callable[[Situation], bool | None]
) -> Callable[[Situation], bool | None]:
    """Return a test that is false if the doser is not fitted."""

    def exists(pool: Situation) -> bool | None:
        if pool.state.outputs.fitted(kind.fitted) is False:
            return False
        return test(pool)

    return exists


def _drum(kind: DoserKind) -> Problem[Situation]:
    """Return the row of a drum that is nearly empty, or empty."""
    return Problem(
        key=f"{kind.key}_low",
        exists=_of_doser(kind, lambda pool: kind.low(pool.state, pool.choices)),
        confirmed=True,
        severity=Severity.NOTICE,
        action=Action(f"refill_{kind.key}"),
        variants=(
            Variant(
                key=f"{kind.key}_empty",
                applies=lambda pool: kind.of(pool.state).empty,
            ),
        ),
        values=lambda pool: {"content": Litres(kind.of(pool.state).litres_left or 0.0)},
        # Entities report it, too: it is a repair only if the options ask for that.
        repair=Repair(wanted=lambda pool: pool.drum_repairs, fixable=True),
    )


def _ph_too_high(pool: Situation) -> bool | None:
    ph, desired = PH_READING.valid(pool.state), pool.state.acid.desired
    return None if ph is None or desired is None else ph > desired


def _without_effect(kind: DoserKind) -> Problem[Situation]:
    """Return the row of doses that do not change their reading."""

    def values(pool: Situation) -> Values:
        effect = pool.learned.effects[kind]
        reading = effect.reading or 0.0
        shown = reading if kind is ACID else round(reading)
        return {"idle": effect.idle, "reading": shown}

    return Problem(
        key=f"{kind.key}_without_effect",
        exists=_of_doser(kind, lambda pool: without_effect(pool, kind)),
        values=values,
        repair=Repair(),
    )


def _power_change(pool: Situation) -> int:
    """Return the change of the pump's power in %."""
    return pool.learned.pump_power.state.change or 0


def _held_off(pool: Situation) -> str:
    """Return the outputs that have been held off for a day and may be forgotten."""
    forgotten = pool.now - _DAY
    holds = (h for h in pool.holds if not h.on and h.since <= forgotten)
    return output_names(holds, pool.state)


def _held_against_schedule(pool: Situation) -> str:
    """Return outputs held off against a schedule, without those of `_held_off`."""
    state, recent = pool.state, pool.now - _DAY
    holds = (
        hold
        for hold in pool.holds
        if not hold.on
        and hold.since > recent
        and (slot := state.outputs.slot(hold.slot)) is not None
        and window_of(state, slot, pool.now) is not None
    )
    return output_names(holds, state)


def _overdue(pool: Situation) -> str:
    """Return the outputs that should have been released but were not."""
    return output_names(pool.overdue, pool.state)


def _stale(pool: Situation) -> bool | None:
    """Return whether a day with scheduled pump hours had no valid reading."""
    state = pool.state
    if not pool.reached:
        return None
    if state.valid_at is None:
        readings = state.measured_chemistry
        if readings.ph is None and readings.orp is None:
            return False  # without a probe, there are no readings
    elif pool.now - state.valid_at < _DAY:
        return False
    slots = {
        slot.index
        for slot in state.outputs.slots
        if slot.role in (Role.PUMP, Role.PUMP_LINKED)
    }
    used = state.schedules.used
    schedules = {index: each for index, each in used.items() if each.slot in slots}
    zone = pool.now.tzinfo
    begun = zone and occurrences(schedules, pool.now - _DAY, pool.now - _STABLE, zone)
    return bool(begun)


def _lost_expanders(pool: Situation) -> list[int] | None:
    """Return the numbers of expanders that have equipment but are not connected."""
    types, connected = pool.state.outputs.types, pool.state.signals.expanders
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


def _expander_lost(pool: Situation) -> bool | None:
    return None if (lost := _lost_expanders(pool)) is None else bool(lost)


def _clock_off(pool: Situation) -> bool | None:
    ahead = pool.controller_ahead
    return None if ahead is None else abs(ahead) >= OFF


def _warm_late(body: Body) -> Problem[Situation]:
    """Return the row of water that will not be warm by the requested time."""

    def values(pool: Situation) -> Values:
        found = (late(*each) for each in pool.warm_late if each[0].body is body)
        return next(found, {})

    return Problem(
        key=f"{body.key}_warm_late",
        exists=lambda pool: any(each.body is body for each, _ in pool.warm_late),
        severity=Severity.NOTICE,
        patience=_STARTING,
        values=values,
    )


POOL_PROBLEMS: Final[tuple[Problem[Situation], ...]] = (
    Problem(
        key="dry_run",
        exists=lambda pool: pool.state.signals.dry_run,
        confirmed=True,
        variants=(
            Variant(
                key="dry_run_retries",
                applies=lambda pool: pool.state.signals.retries_exceeded,
            ),
        ),
    ),
    _out_of_range(PH_READING),
    _out_of_range(ORP_READING),
    *(_drum(kind) for kind in DOSERS),
    Problem(
        key="acid_limit",
        exists=_of_doser(ACID, lambda pool: pool.state.acid.limit_reached(pool.now)),
        confirmed=True,
        severity=Severity.NOTICE,
        variants=(Variant(key="acid_limit_high", applies=_ph_too_high),),
        values=lambda pool: {"doses": pool.state.acid.doses or 0},
        repair=Repair(wanted=_ph_too_high),
    ),
    *(_without_effect(kind) for kind in DOSERS),
    Problem(
        key="filter_needs_cleaning",
        exists=needs_cleaning,
        severity=Severity.NOTICE,
        action=_CLEANED,
    ),
    Problem(
        key="pump_power_changed",
        exists=lambda pool: pool.learned.pump_power.state.changed,
        severity=Severity.NOTICE,
        action=_CLEANED,
        variants=(
            Variant(
                key="pump_power_low",
                severity=Severity.NOTICE,
                applies=lambda pool: _power_change(pool) < 0,
            ),
        ),
        values=lambda pool: {"percent": abs(_power_change(pool))},
    ),
    Problem(
        key="held_off",
        exists=lambda pool: bool(_held_off(pool)),
        action=RESUME,
        values=lambda pool: {"outputs": _held_off(pool)},
        repair=Repair(patience=0.0, fixable=True),
    ),
    Problem(
        key="held_against_schedule",
        exists=lambda pool: bool(_held_against_schedule(pool)),
        action=RESUME,
        severity=Severity.NOTICE,
        values=lambda pool: {"outputs": _held_against_schedule(pool)},
    ),
    Problem(
        key="spa_waits_for_pump",
        exists=lambda pool: pool.state.spa_waits_for_pump,
        action=RESUME,
        confirmed=True,
    ),
    Problem(
        key="stopped_by_spa",
        exists=lambda pool: bool(pool.stopped_by_spa),
        severity=Severity.NOTICE,
        values=lambda pool: {"outputs": output_names(pool.stopped_by_spa, pool.state)},
    ),
    *(_warm_late(body) for body in BODIES),
    Problem(
        key="hold_overdue",
        exists=lambda pool: bool(_overdue(pool)),
        values=lambda pool: {"outputs": _overdue(pool)},
        repair=Repair(patience=0.0),
    ),
    Problem(
        key="dosing_paused_too_long",
        exists=lambda pool: pool.pause_overdue,
        repair=Repair(patience=0.0),
    ),
    Problem(
        key="heat_overdue",
        exists=lambda pool: pool.heat_overdue,
        repair=Repair(patience=0.0),
    ),
    Problem(
        key="stale_readings",
        exists=_stale,
        # If there was never a valid reading, the day begins with this problem.
        patience=lambda pool: 0.0 if pool.state.valid_at else _DAY.total_seconds(),
    ),
    Problem(
        key="expander_lost",
        exists=_expander_lost,
        confirmed=True,
        values=lambda pool: {
            "numbers": ", ".join(map(str, _lost_expanders(pool) or ()))
        },
    ),
    Problem(
        key="controller_clock",
        exists=_clock_off,
        variants=(
            Variant(
                key="controller_clock_ahead",
                applies=lambda pool: pool.ahead > timedelta(),
            ),
        ),
        values=lambda pool: {"minutes": round(abs(pool.ahead) / timedelta(minutes=1))},
    ),
)
"""Rows of the pool in the table of possible problems."""
