"""Checks that outputs held by hand are released when their time is over."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
import time
from typing import Any, Final

from homeassistant.config_entries import ConfigEntryState
from homeassistant.util import dt as dt_util

from custom_components.poolctl.client.holds.hold import Hold
from tests.world.simulator import Controller
from tests.world.simulator.dialects import Dialect as L

from .judge import TOO_FAR, in_touch
from .week import HOME, MINUTE, Week

PATIENCE: Final = timedelta(minutes=20)
"""Longest delay of a release while nothing prevents it: it is repeated within a quarter
of an hour."""
_PUMP: Final = 0
"""Slot of the pump in both pools."""


@dataclass(frozen=True, slots=True)
class Way:
    """Conditions under which outputs of a controller are released."""

    dialects: frozenset[str]
    ahead: float
    """Seconds by which the shared counter is ahead of the clock."""
    in_touch: bool = True
    """Result of `judge.in_touch`."""

    @classmethod
    def of(cls, controller: Controller, stored: Mapping[str, Any] | None) -> Way:
        """Return the present conditions; `stored` is the entry's data, if any."""
        ahead = controller.accepted_counter - controller.clock.time()
        found = stored is not None and in_touch(stored, controller)
        return cls(frozenset(controller.dialects), ahead, found)

    def gives_back(self, slot: int) -> bool:
        """Return whether the controller accepts a command that releases a slot."""
        if self.ahead > TOO_FAR or not self.in_touch:
            return False  # only the cloud is left, which has no such command
        return slot != _PUMP or L.PUMP_AUX_DECLINED not in self.dialects


def forgotten(holds: Iterable[Hold], way: Way, now: datetime) -> list[str]:
    """Describe the holds that should have been released."""
    return [
        f"slot {hold.slot} held {'on' if hold.on else 'off'} until {hold.until}"
        for hold in holds
        if hold.until is not None
        and now - hold.until > PATIENCE
        and way.gives_back(hold.slot)
    ]


class Holds:
    """Checks the holds of both pools all week long."""

    def __init__(self, week: Week) -> None:
        self.week = week

    async def watch(self, controller: Controller) -> None:
        """Note every hold that is not released while nothing prevents it."""
        week = self.week
        since, way = dt_util.utcnow(), self._way(controller)
        while await week.until(week.lived + 5 * MINUTE):
            now, before, way = dt_util.utcnow(), way, self._way(controller)
            calm = week.trouble_free(
                time.monotonic() - PATIENCE.total_seconds(), HOME, controller.device_id
            )
            changed = (before.dialects, before.in_touch) != (way.dialects, way.in_touch)
            if not calm or changed:
                since = now
            if now - since < PATIENCE:
                continue
            for found in forgotten(self._of(controller), way, now):
                week.note(f"{controller.name}: {found} is forgotten")

    def _way(self, controller: Controller) -> Way:
        stored = self.week.entry.data["controllers"]
        return Way.of(controller, stored.get(controller.device_id))

    def _of(self, controller: Controller) -> Iterable[Hold]:
        entry = self.week.entry
        if entry.state is not ConfigEntryState.LOADED:
            return ()
        account = entry.runtime_data
        found = account.controllers.get(controller.device_id)
        if found is None:
            return ()
        holds: tuple[Hold, ...] = found.controller.holds.shown
        self.week.counts["commands: holds with an end"] += sum(
            1 for h in holds if h.until
        )
        return holds
