"""The state of one controller, and the pending values on top of it."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import count
import logging
import time
from typing import Final

from ..pool.choices import Choices
from ..pool.state import PoolState
from .command import PendingValues

_LOGGER = logging.getLogger(__name__)

MAX_AGE = 90.0
"""Seconds after which a state that was not renewed expires."""

_NUMBERS: Final = count(1)
"""Numbers of controllers, which tell their outputs apart."""

type ReadListener = Callable[[PoolState, float], None]
"""Receives the state that was read, and the time of the read (monotonic, s)."""


class LiveState:
    """The newest state, with the values that commands in progress set.

    Calls `publish` whenever the shown state may have changed.
    """

    def __init__(
        self,
        stored: PoolState,
        choices: Choices,
        publish: Callable[[], None],
        save: Callable[[], Awaitable[None]],
    ) -> None:
        self.choices = choices
        outputs = replace(stored.outputs, controller=next(_NUMBERS))
        self.reported = replace(stored, outputs=outputs)
        """State that the controller and the cloud reported, without pending values."""
        self.pending = PendingValues()
        self.publish = publish
        self.save = save
        """Stores what is undone later, and waits until it is on disk."""
        self.commanded_at: float | None = None
        """Time when a command of any kind was last in progress (monotonic, s)."""
        self.read_at: float | None = None
        """Time of the newest read (monotonic, s)."""
        self.read_listeners: list[ReadListener] = []
        """They are called after every read."""

    @property
    def state(self) -> PoolState:
        """The state as a user should see it, with pending values."""
        return self.pending.overlay(self.reported)

    @property
    def age(self) -> float:
        """Seconds since the state was read; `MAX_AGE` if it never was."""
        return MAX_AGE if self.read_at is None else time.monotonic() - self.read_at

    @property
    def expires_in(self) -> float:
        """Seconds until the state expires; 0 or less if it has expired."""
        return MAX_AGE - self.age

    def confirm(self, seen: PoolState, read_at: float) -> None:
        """Take a state that is in doubt as evidence for commands in progress alone."""
        for pending in self.pending.confirmed(seen, read_at):
            self.reported = pending.show(self.reported)
            self.pending.drop(pending)
        self.publish()

    def update(self, change: Callable[[PoolState], PoolState]) -> None:
        """Change the reported state, and publish it if it is another one."""
        before, self.reported = self.reported, change(self.reported)
        if self.reported != before:
            self.publish()

    def choose(self, change: Callable[[Choices], Choices]) -> None:
        """Change the user's choices, and publish them."""
        self.choices = change(self.choices)
        self.publish()

    def after_read(self, shown_at: float, *, began: float | None = None) -> None:
        """Settle pending values and publish after a read.

        `shown_at` is the time of what it shows, `began` that of its beginning, if earlier
        (monotonic, s).
        """
        read_at = shown_at if began is None else began
        self.read_at = time.monotonic()
        for pending in self.pending.settle(self.reported, read_at):
            _LOGGER.warning("%s was accepted but never took effect", pending.key)
        for listener in self.read_listeners:
            listener(self.reported, shown_at)
        self.publish()
