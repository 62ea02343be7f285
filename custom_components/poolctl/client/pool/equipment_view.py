"""The equipment of a pool and its settings: the state without measurements.

Only these decide which entities exist, so that a new measurement alone causes no search
for new entities.
"""

from collections.abc import Iterable
from dataclasses import fields, replace
from operator import attrgetter

from ..wire.frame import Readings
from .parts import Chemistry
from .state import PoolState

_readings = attrgetter(*(field.name for field in fields(Readings)))


def _known(figures: Iterable[float | None]) -> Iterable[int | None]:
    """Return 0 for each measurement that has a value, `None` for the others."""
    return (None if figure is None else 0 for figure in figures)


class EquipmentView:
    """The state without measurements: the same object for as long as it is equal."""

    def __init__(self, state: PoolState) -> None:
        """Begin with a state."""
        self._viewed = self._view = state

    def of(self, state: PoolState) -> PoolState:
        """Return the newest state without its measurements."""
        if self._viewed is not state:
            self._viewed = state
            if (new := equipment_view(state)) != self._view:
                self._view = new
        return self._view


def equipment_view(state: PoolState) -> PoolState:
    """Return a state whose measurements are 0, or `None` where they are unknown.

    The mode and speed of the pump are kept: they change no more often than an output.
    """
    readings = state.readings
    figures = Readings(*_known(_readings(readings)))
    valid = state.valid_chemistry
    ph, orp, water = _known((valid.ph, valid.orp, valid.water_temperature))
    return replace(
        state,
        readings=replace(
            figures,
            main_pump_mode=readings.main_pump_mode,
            pump_speed=readings.pump_speed,
        ),
        valid_chemistry=Chemistry(ph=ph, orp=orp, water_temperature=water),
        # They count down, so they change with every read.
        timers=(),
    )
