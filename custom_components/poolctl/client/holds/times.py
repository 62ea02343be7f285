"""The clocks that holds go by."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Times:
    """The trusted time, and what the controller's clock shows."""

    clock: Callable[[], datetime]
    """The trusted time in the pool's time zone."""
    offset: Callable[[], timedelta]
    """How far the controller's clock is ahead of it."""

    @property
    def now(self) -> datetime:
        """The trusted time in UTC."""
        return self.clock().astimezone(UTC)

    @property
    def local(self) -> datetime:
        """What the controller's clock shows."""
        return self.clock() + self.offset()
