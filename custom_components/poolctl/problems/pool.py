"""Problems of the pool itself: its water, its drums, its pump, its outputs."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from homeassistant.util import dt as dt_util

from ..client.pool.dosing import ACID, DOSERS, DoserKind
from ..client.pool.ranges import ORP_READING, PH_READING, Reading
from ..learned.pool import needs_cleaning
from ..network.health import Health
from .problem import Problem, Repair, Severity, Variant

_FORGOTTEN = timedelta(days=1)
"""Of an output that is held off: a pool without its pump turns green (chosen)."""


def _out_of_range(reading: Reading) -> Problem[Health]:
    """Return the row of a reading that is too low or too high."""

    def exists(health: Health) -> bool | None:
        value = reading.valid(health.state)
        return None if value is None else value not in reading.range(health.state)

    def too_low(health: Health) -> bool:
        value = reading.valid(health.state)
        return value is not None and value < reading.range(health.state).lower

    def values(health: Health) -> Mapping[str, str | float]:
        good, digits = reading.range(health.state), reading.digits
        numbers = {
            "value": reading.valid(health.state) or 0,
            "lower": good.lower,
            "upper": good.upper,
        }
        return {name: each if digits else round(each) for name, each in numbers.items()}

    return Problem(
        key=f"{reading.key}_out_of_range",
        exists=exists,
        variants=(
            Variant(key=f"{reading.key}_low", applies=too_low),
            Variant(key=f"{reading.key}_high", applies=lambda health: True),
        ),
        values=values,
    )


def _of_doser(
    kind: DoserKind, test: Callable[[Health], bool | None]
) -> Callable[[Health], bool | None]:
    """Return a test that needs equipment: without it there is no problem."""

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
        severity=Severity.NOTICE,
        variants=(
            Variant(
                key=f"{kind.key}_empty",
                applies=lambda health: kind.of(health.state).empty,
            ),
        ),
        values=lambda health: {"litres": kind.of(health.state).litres_left or 0.0},
        # Its own entities report it: it is a repair only where its owner asked.
        repair=Repair(wanted=lambda health: health.drum_repairs, fixable=True),
    )


def _ph_too_high(health: Health) -> bool | None:
    ph, desired = PH_READING.valid(health.state), health.state.acid.desired
    return None if ph is None or desired is None else ph > desired


def _doses(health: Health) -> Mapping[str, str | float]:
    acid = health.state.acid
    return {
        "doses": acid.doses or 0,
        "idle": acid.idle_doses,
        "ph": "" if acid.reading_before is None else acid.reading_before,
    }


def _held_off(health: Health) -> list[str]:
    """Return the outputs that have been held off for so long that nobody may know."""
    forgotten = dt_util.utcnow() - _FORGOTTEN
    outputs = health.state.outputs
    return [
        (slot.name if (slot := outputs.slot(hold.slot)) else "") or f"#{hold.slot + 1}"
        for hold in health.state.holds
        if not hold.on and hold.since <= forgotten
    ]


POOL_PROBLEMS: Final = (
    Problem(
        key="dry_run",
        exists=lambda health: health.state.signals.dry_run,
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
            ACID, lambda health: health.state.acid.limit_reached(datetime.now(UTC))
        ),
        severity=Severity.NOTICE,
        variants=(Variant(key="acid_limit_high", applies=_ph_too_high),),
        values=_doses,
        repair=Repair(wanted=_ph_too_high),
    ),
    Problem(
        key="acid_without_effect",
        exists=_of_doser(ACID, lambda health: health.state.acid.without_effect),
        values=_doses,
        repair=Repair(),
    ),
    Problem(
        key="filter_needs_cleaning",
        exists=lambda health: needs_cleaning(health.pool),
        severity=Severity.NOTICE,
    ),
    Problem(
        key="held_off",
        exists=lambda health: bool(_held_off(health)),
        values=lambda health: {"outputs": ", ".join(_held_off(health))},
        repair=Repair(patience=0.0, fixable=True),
    ),
)
"""Their part of the table."""
