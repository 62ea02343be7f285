"""Ends: the times at which running processes will be over.

The controller reports countdowns of the pump's run-on and priming in seconds
(protocol.md O2.1); when water is warm follows from its learned rate (warming.py). A
shown time does not change with every read: chosen, a new one that differs by less than
its accuracy is the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from ..client.pool import BODIES, Body
from .read import Read
from .warming import Warming, warm_in

_COUNTED: Final = timedelta(seconds=30)
"""Accuracy of a countdown, which may be rounded or from an older copy in the cloud."""
_LEAST: Final = timedelta(minutes=5)
"""Smallest margin within which two times of warm water count as the same."""
_SHARE: Final = 0.05
"""Margin as a share of the time left: a rate is not more accurate than that."""
_STEPS: Final = 1.5
"""Margin in smallest steps of the temperature, which may fluctuate by one."""


@dataclass(slots=True)
class Ends:
    """Times in UTC, `None` where nothing runs or the time is unknown."""

    run_on: datetime | None = None
    priming: datetime | None = None
    warm: dict[Body, datetime | None] = field(default_factory=dict)
    """When each body of water reaches its target."""

    def add_read(self, read: Read, warming: Mapping[Body, Warming]) -> None:
        """Add a read, with the warming learned up to it."""
        readings, now = read.state.readings, read.now
        self.run_on = _end(self.run_on, readings.pump_cooldown_remaining or None, now)
        self.priming = _end(self.priming, readings.pump_priming_remaining or None, now)
        for body in BODIES:
            left, step = warm_in(warming[body], read.state, body) or (None, 0.0)
            most = timedelta(seconds=max((left or 0.0) * _SHARE, step * _STEPS))
            end = _end(self.warm.get(body), left, now, max(_LEAST, most))
            self.warm[body] = end


def _end(
    previous: datetime | None,
    seconds: float | None,
    now: datetime,
    margin: timedelta = _COUNTED,
) -> datetime | None:
    """Return the end in some seconds: the previous one if it is within the margin."""
    if seconds is None:
        return None
    end = now.astimezone(UTC) + timedelta(seconds=seconds)
    if previous is not None and abs(end - previous) <= margin:
        return previous
    return end.replace(microsecond=0)
