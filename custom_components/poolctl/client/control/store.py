"""What is known of one controller, and the values on top that a person asked for."""

from collections.abc import Callable
import logging
import time

from ..pool.choices import Choices
from ..pool.state import PoolState
from .pending import PendingValues

_LOGGER = logging.getLogger(__name__)

MAX_AGE = 90.0
"""s after which a state that nobody renews is void."""

type ReadListener = Callable[[PoolState, float], None]
"""Takes what a read reported, and when that was (monotonic, s)."""


class Store:
    """Keeps the state; `publish` is called whenever it may look different."""

    def __init__(
        self, remembered: PoolState, choices: Choices, publish: Callable[[], None]
    ) -> None:
        """Start from what is remembered."""
        self.choices = choices
        self.known = remembered
        """What the controller and the cloud reported, without pending values."""
        self.pending = PendingValues()
        self.publish = publish
        self.commanded_at: float | None = None
        """When a command of any kind was under way last (monotonic, s)."""
        self._read_at: float | None = None
        self._read_listeners: list[ReadListener] = []

    @property
    def state(self) -> PoolState:
        """The state as a person should see it, pending values included."""
        return self.pending.overlay(self.known)

    @property
    def expires_in(self) -> float:
        """Seconds until the state is void; 0 or less where it is void already."""
        if self._read_at is None:
            return 0.0
        return self._read_at + MAX_AGE - time.monotonic()

    def update(self, change: Callable[[PoolState], PoolState]) -> None:
        """Change what is known, and publish it."""
        self.known = change(self.known)
        self.publish()

    def choose(self, change: Callable[[Choices], Choices]) -> None:
        """Change what a user chose, and publish it."""
        self.choices = change(self.choices)
        self.publish()

    def add_read_listener(self, listener: ReadListener) -> Callable[[], None]:
        """Call a listener with every read of the state, also one without news.

        Returns what ends that.
        """
        self._read_listeners.append(listener)
        return lambda: self._read_listeners.remove(listener)

    def after_read(self, read_at: float) -> None:
        """Settle pending values and publish: a source was read (monotonic, s)."""
        self._read_at = time.monotonic()
        for pending in self.pending.settle(self.known, read_at):
            _LOGGER.warning("%s was accepted but never took effect", pending.key)
        for listener in tuple(self._read_listeners):
            listener(self.known, self._read_at)
        self.publish()
