"""Checks that outputs held by hand are released when their time is over."""

from collections.abc import Iterable
from datetime import timedelta
import time
from typing import Final

from homeassistant.config_entries import ConfigEntryState
from homeassistant.util import dt as dt_util

from custom_components.poolctl.client.holds.hold import Hold
from tests.world.simulator import Controller
from tests.world.simulator.dialects import Dialect as L

from .engine import MINUTE
from .judge import TOO_FAR, in_touch
from .week import HOME, Week

PATIENCE: Final = timedelta(minutes=20)
"""Longest delay of a release while nothing prevents it: it is repeated within a quarter
of an hour."""
_PUMP: Final = 0
"""Slot of the pump in both pools."""


class Holds:
    """Checks the holds of both pools all week long."""

    def __init__(self, week: Week) -> None:
        self.week = week

    async def watch(self, controller: Controller) -> None:
        """Note every hold that is not released while nothing prevents it."""
        week, place = self.week, controller.device_id
        since, conditions = dt_util.utcnow(), self._conditions(controller)
        while await week.until(week.lived + 5 * MINUTE):
            now, before = dt_util.utcnow(), conditions
            conditions = self._conditions(controller)
            start = time.monotonic() - PATIENCE.total_seconds()
            if before != conditions or not week.trouble_free(start, HOME, place):
                since = now
            if now - since < PATIENCE:
                continue
            for hold in self._of(controller):
                late = hold.until is not None and now - hold.until > PATIENCE
                if late and self._gives_back(controller, hold.slot):
                    what = f"held {'on' if hold.on else 'off'} until {hold.until}"
                    week.note(
                        f"{controller.name}: slot {hold.slot} {what} is forgotten"
                    )

    def _conditions(self, controller: Controller) -> tuple[frozenset[str], bool]:
        """Return what the controller speaks, and whether Home Assistant reaches it."""
        stored = self.week.entry.data["controllers"].get(controller.device_id)
        reached = stored is not None and in_touch(stored, controller)
        return frozenset(controller.dialects), reached

    def _gives_back(self, controller: Controller, slot: int) -> bool:
        """Return whether the controller accepts a command that releases a slot."""
        ahead = controller.accepted_counter - controller.clock.time()
        if ahead > TOO_FAR or not self._conditions(controller)[1]:
            return False  # only the cloud is left, which has no such command
        return slot != _PUMP or L.PUMP_AUX_DECLINED not in controller.dialects

    def _of(self, controller: Controller) -> Iterable[Hold]:
        entry = self.week.entry
        if entry.state is not ConfigEntryState.LOADED:
            return ()
        found = entry.runtime_data.controllers.get(controller.device_id)
        holds: tuple[Hold, ...] = found.controller.holds.shown if found else ()
        ends = sum(1 for hold in holds if hold.until)
        self.week.counts["commands: holds with an end"] += ends
        return holds
