"""The equipment of a pool and its settings: the state without measurements.

What exists hangs on that alone, so that nobody looks for new entities because the water
got warmer.
"""

from collections.abc import Iterable
from dataclasses import fields, replace
from operator import attrgetter

from ..frame import Readings
from .parts import Chemistry
from .state import PoolState

_readings = attrgetter(*(field.name for field in fields(Readings)))


def _known(figures: Iterable[float | None]) -> Iterable[int | None]:
    """Return 0 for every figure, which only says that there is one."""
    return (None if figure is None else 0 for figure in figures)


class EquipmentView:
    """The state without its figures: the same object for as long as it is equal."""

    def __init__(self, state: PoolState) -> None:
        """Begin with a state."""
        self._viewed = self._view = state

    def of(self, state: PoolState) -> PoolState:
        """Return the newest state without its figures."""
        if self._viewed is not state:
            self._viewed = state
            if (new := equipment_view(state)) != self._view:
                self._view = new
        return self._view


def equipment_view(state: PoolState) -> PoolState:
    """Return a state without its figures; it still says which of them are known.

    How the pump runs is none of them: it changes no more often than an output.
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
        # They count down.
        timers=(),
    )
