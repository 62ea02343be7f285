"""Changes of an output that nobody asked Home Assistant for, for the activity log."""

from collections.abc import Callable
import time
from typing import Final

from ..client.holds.hold import OVER, Hold
from ..const import DOMAIN
from .sentence import Explanation, Sentence

EVENT_CHANGED: Final = f"{DOMAIN}_output_changed"
ASKED: Final = 60.0
"""s after a command in which a change is its own (chosen: the cloud takes that long)."""


class Changes:
    """Follows one output."""

    def __init__(self, on: bool | None) -> None:
        """Begin with what it is now."""
        self._on = on
        self._held = False
        self._asked_at = -ASKED

    def ask(self) -> None:
        """Take note of a command from Home Assistant, which has its line already."""
        self._asked_at = time.monotonic()

    def take(
        self, on: bool | None, hold: Hold | None, explain: Callable[[], Explanation]
    ) -> Explanation:
        """Return why the output changed, nothing where it did not."""
        if on is None:
            return ()
        previous, held = self._on, self._held
        self._on, self._held = on, hold is not None
        asked = time.monotonic() - self._asked_at < ASKED
        if previous in (None, on) or asked:
            return ()
        ended = held and (hold is None or hold.state in OVER)
        return (Sentence("hold_ended"),) if ended else explain()
