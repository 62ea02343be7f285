"""What holds need of the rest of the client."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from ..equipment import Slot
from ..pool.state import PoolState

type Finish = Callable[[], Awaitable[bool]]
"""Waits until a command took effect; says whether the LAN took it."""


class Means(Protocol):
    """What outputs are switched and read by."""

    @property
    def state(self) -> PoolState:
        """What is shown, values that are not confirmed yet included."""

    @property
    def on_lan(self) -> bool:
        """Whether the LAN is the source."""

    @property
    def has_lan(self) -> bool:
        """Whether the LAN may come back."""

    @property
    def has_cloud(self) -> bool:
        """Whether the cloud may be used."""

    @property
    def commanded_at(self) -> float | None:
        """When a command of any kind was under way last (monotonic, s)."""

    def publish(self) -> None:
        """Take that holds changed."""

    async def look(self) -> bool:
        """Read the LAN; return whether it answered."""

    async def send(
        self, slot: Slot, on: bool, *, held: bool, speed: int | None = None
    ) -> Finish:
        """Switch an output, and hold it so or not."""

    async def release(self, slot: int) -> None:
        """Give an output back to its schedules, and wait until a read shows it."""
