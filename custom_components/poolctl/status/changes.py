"""Changes of an output without a command from Home Assistant, for the activity log."""

from collections.abc import Callable
from datetime import timedelta
import time
from typing import Final

from homeassistant.util import dt as dt_util

from ..client.holds.claim import OVER
from ..client.holds.hold import Hold
from ..const import DOMAIN
from .sentence import Explanation, Sentence

EVENT_CHANGED: Final = f"{DOMAIN}_output_changed"
ASKED: Final = 60.0
"""Seconds in which a change follows a command (chosen: the cloud takes that long)."""


class Changes:
    """Follows the changes of one output."""

    def __init__(self, on: bool | None) -> None:
        """Start with the current state."""
        self._on = on
        self._hold: Hold | None = None
        self._asked_at = -ASKED

    def ask(self) -> None:
        """Note a command from Home Assistant, which has its line in the log already."""
        self._asked_at = time.monotonic()

    def take(
        self, on: bool | None, hold: Hold | None, explain: Callable[[], Explanation]
    ) -> Explanation:
        """Return why the output changed, empty if it did not or by a command."""
        if on is None:
            return ()
        previous, held = self._on, self._hold
        self._on, self._hold = on, hold
        asked = time.monotonic() - self._asked_at < ASKED
        if previous in (None, on) or asked:
            return ()
        ended = held and (hold is None or hold.state in OVER) and _is_over(held)
        return (Sentence("hold_ended"),) if ended else explain()


def _is_over(hold: Hold) -> bool:
    """Return whether the end of a hold has come: other clients may end it before."""
    soon = dt_util.utcnow() + timedelta(seconds=ASKED)
    return hold.state in OVER or (hold.until is not None and hold.until <= soon)
