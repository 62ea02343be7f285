"""How often the network and the account may be asked for the same thing."""

import time


class Tries:
    """Times (monotonic) before which something, by its key, is not tried again."""

    def __init__(self) -> None:
        self._not_before: dict[str, float] = {}

    def may_try(self, key: str) -> bool:
        """Return whether something may be tried now."""
        return time.monotonic() >= self._not_before.get(key, 0.0)

    def start_try(self, key: str, seconds: float) -> bool:
        """Return whether it may be tried now; if so, the next try has to wait."""
        if may := self.may_try(key):
            self.delay(key, seconds)
        return may

    def delay(self, key: str, seconds: float) -> None:
        """Allow the next try in some seconds."""
        self._not_before[key] = time.monotonic() + seconds
