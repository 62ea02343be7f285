"""The clocks that holds go by."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from ..clock import Clock, ControllerClock


@dataclass(frozen=True, slots=True)
class Times:
    """The trusted time, and what the controller's clock shows."""

    clock: Clock
    zone: Callable[[], tzinfo]
    """Where the pool is."""
    controller: ControllerClock

    @property
    def now(self) -> datetime:
        """The trusted time in UTC."""
        return self.clock.now()

    @property
    def offset(self) -> timedelta:
        """How far the controller's clock is ahead of it."""
        return self.controller.offset or timedelta()

    @property
    def local(self) -> datetime:
        """What the controller's clock shows."""
        return self.now.astimezone(self.zone()) + self.offset

    @property
    def minute(self) -> datetime:
        """The same, to the minute: windows of schedules begin and end with one."""
        return self.local.replace(second=0, microsecond=0)
