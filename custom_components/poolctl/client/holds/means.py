"""The interface that holds need from the rest of the client."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from ..pool.state import PoolState
from ..wire.equipment import Slot

type Finish = Callable[[], Awaitable[bool]]
"""Waits until a command took effect; returns whether the LAN carried it."""


class Means(Protocol):
    """Interface to switch and read outputs."""

    @property
    def state(self) -> PoolState:
        """The shown state, including values that are not confirmed yet."""

    @property
    def on_lan(self) -> bool:
        """Whether the LAN is the source."""

    @property
    def has_lan(self) -> bool:
        """Whether the LAN can be used, now or once it answers again."""

    @property
    def has_cloud(self) -> bool:
        """Whether the cloud may be used."""

    @property
    def commanded_at(self) -> float | None:
        """Time when a command of any kind was last in progress (monotonic, s)."""

    def publish(self) -> None:
        """Publish that holds changed."""

    async def look(self) -> bool:
        """Read the LAN; return whether it answered."""

    async def send(
        self, slot: Slot, on: bool, *, held: bool, speed: int | None = None
    ) -> Finish:
        """Switch an output; with `held`, hold it so against its schedules."""

    async def release(self, slot: int) -> None:
        """Release an output to its schedules, and wait until a read shows it."""
