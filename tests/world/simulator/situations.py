"""Situations that an owner cares about, for the buttons of the control page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .equipment import PUMP
from .pool import Pool
from .pump import DRY_RUN_NORMAL

RUNS_DRY: Final = 2  # a dry-run status that is a problem
BAD_PH, GOOD_PH = 8.2, 7.4
DIRTY = 0.8  # added resistance of a filter that needs cleaning (`Water.dirt`)
_ACID, _CHLORINE = 6, 8  # aux types of the dosers


type _Make = Callable[[Pool, bool], None]


@dataclass(frozen=True, slots=True)
class Situation:
    """A situation of a pool."""

    title: str
    exists: Callable[[Pool], bool | None]
    """Whether it exists; `None` if the pool lacks the equipment for it."""
    make: _Make
    """Starts or ends it."""


def _value(part: str, name: str, value: float, usual: float) -> _Make:
    """Return what sets a value of the pool's pump or water, or its usual one."""
    return lambda pool, on: setattr(getattr(pool, part), name, value if on else usual)


def _pump_held_off(pool: Pool) -> bool | None:
    if (number := pool.find(PUMP)) is None:
        return None
    slot = pool.slots[number]
    return slot.held and slot.hand is False


def _hold_pump_off(pool: Pool, on: bool) -> None:
    number = pool.find(PUMP)
    assert number is not None
    pool.switch(number, False, hold=on)


def _empty(name: str, aux_type: int) -> Situation:
    """Return the situation of an empty drum, which ends with a full one."""
    left, size = f"{name}_remaining", f"{name}_drum"

    def exists(pool: Pool) -> bool | None:
        return None if pool.find(aux_type) is None else not pool.settings[left]

    def make(pool: Pool, on: bool) -> None:
        pool.settings[left] = 0 if on else pool.settings[size]

    return Situation(f"The {name} drum is empty", exists, make)


SITUATIONS: Final[dict[str, Situation]] = {
    "dry_run": Situation(
        "The pump runs dry",
        lambda pool: pool.pump.dry_run_status != DRY_RUN_NORMAL,
        _value("pump", "dry_run_status", RUNS_DRY, DRY_RUN_NORMAL),
    ),
    "bad_ph": Situation(
        f"The pH is {BAD_PH}",
        lambda pool: pool.water.ph > BAD_PH - 0.1,
        _value("water", "ph", BAD_PH, GOOD_PH),
    ),
    "acid_empty": _empty("acid", _ACID),
    "chlorine_empty": _empty("chlorine", _CHLORINE),
    "filter_dirty": Situation(
        "The filter is dirty",
        lambda pool: pool.water.dirt > 0,
        _value("water", "dirt", DIRTY, 0.0),
    ),
    "pump_held_off": Situation(
        "The pump is held off by hand", _pump_held_off, _hold_pump_off
    ),
}


def situations(pool: Pool) -> dict[str, bool]:
    """Return the situations that a pool can be in, and whether each exists."""
    return {
        name: on
        for name, situation in SITUATIONS.items()
        if (on := situation.exists(pool)) is not None
    }
