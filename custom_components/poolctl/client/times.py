"""The trusted time, and the clock of one controller."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from .clock import Clock, ControllerClock


@dataclass(frozen=True, slots=True)
class Times:
    """The trusted time, and the time of the controller's clock."""

    clock: Clock
    zone: Callable[[], tzinfo]
    """Returns the time zone of the pool."""
    controller: ControllerClock

    @property
    def now(self) -> datetime:
        """The trusted time in UTC."""
        return self.clock.now()

    @property
    def offset(self) -> timedelta:
        """How far the controller's clock is ahead of the trusted time."""
        return self.controller.offset or timedelta()

    @property
    def local(self) -> datetime:
        """The local time of the controller's clock."""
        return self.now.astimezone(self.zone()) + self.offset
