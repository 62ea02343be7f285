"""A user's choices for one pool. Home Assistant alone keeps them; nothing is sent.

All of this is chosen: the ranges and the defaults.
"""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, NamedTuple

from ..bounds import PrivateText, Within
from ..wire.equipment import MAX_SPEED, MIN_SPEED, nearest_speed
from ..wire.schedule import DAY
from .state import PoolState

LOW_LEVELS = Within(1, 50)
"""Levels in % at which a drum can count as nearly empty."""
_LOW_LEVEL = 10
"""Default level in %: about two litres of a usual drum, weeks of dosing."""

_SPEED_NAMES = "low", "medium", "high"
_USUAL_SPEEDS = MIN_SPEED, 70, MAX_SPEED
"""Speeds in % if the controller reports too few presets."""
_PERCENT = range(MIN_SPEED, MAX_SPEED + 1)

type LightCode = Annotated[int | None, Within(0, 255)]
"""A light type (protocol.md O4.1)."""
type _LowLevel = Annotated[int, LOW_LEVELS]
type _OfPlan = Annotated[int, Within(0, 2 * DAY)]


class PlannedSchedule(NamedTuple):
    """A schedule that a plan wrote: it is recognised by these values."""

    name: PrivateText
    """As the controller reported it; a schedule that was renamed is its owner's."""
    slot: _OfPlan
    start: _OfPlan
    """Minutes after midnight."""
    stop: _OfPlan
    """Minutes after the midnight before its start, up to 2880."""
    weekdays: _OfPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """A user's choices; a value that was not chosen is `None` or its default."""

    pump_speed: Annotated[int | None, Within(MIN_SPEED, MAX_SPEED)] = None
    """Speed in % at which the pump starts when switched on by hand."""
    pool_lights: LightCode = None
    """Fitted light type; `None` uses the one that the controller reports."""
    spa_lights: LightCode = None
    acid_low_level: _LowLevel = _LOW_LEVEL
    """Level in % at or below which the drum is nearly empty."""
    chlorine_low_level: _LowLevel = _LOW_LEVEL
    planned_on: date | None = None
    """Local date on which pump hours were last planned."""
    planned: tuple[PlannedSchedule, ...] = ()
    """Schedules that plans wrote, or may have written."""


def start_speed(state: PoolState, choices: Choices) -> int:
    """Return the speed in % at which the pump starts when switched on by hand.

    It is the chosen speed, else the last observed one, which may be the speed of a
    schedule; else the lowest speed, the gentlest for the equipment.
    """
    return nearest_speed(choices.pump_speed or state.last_speed or MIN_SPEED)


def named_speeds(state: PoolState) -> dict[str, int]:
    """Return the named speeds in %, the slowest first.

    Of the installer's six presets, the first is for starting and the last for a cleaner
    (protocol.md O2.2). The others are not documented: the three slowest of them are used.
    """
    presets = (state.preset_speeds or ())[1:-1]
    speeds = sorted({nearest_speed(each) for each in presets if each in _PERCENT})
    if len(speeds) < len(_SPEED_NAMES):
        speeds = [*_USUAL_SPEEDS]
    return dict(zip(_SPEED_NAMES, speeds, strict=False))
