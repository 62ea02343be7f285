"""How holds switch: outputs and the pump, each by its own commands."""

from typing import override

from ..holds.means import Finish, Means
from ..pool.state import PoolState
from ..wire.equipment import Role, Slot
from .outputs import OutputControl
from .paths import Paths
from .poller import Poller
from .pump import PumpControl
from .store import Store


class Switching(Means):
    """Switches and releases the outputs of one controller, and reads it."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        poller: Poller,
        outputs: OutputControl,
        pump: PumpControl,
    ) -> None:
        """Use the controls of the outputs and of the pump."""
        self._store = store
        self._paths = paths
        self._poller = poller
        self._outputs = outputs
        self._pump = pump

    @property
    @override
    def state(self) -> PoolState:
        return self._store.state

    @property
    @override
    def on_lan(self) -> bool:
        return self._paths.on_lan

    @property
    @override
    def has_lan(self) -> bool:
        return self._paths.lan is not None

    @property
    @override
    def has_cloud(self) -> bool:
        return self._paths.cloud is not None

    @property
    @override
    def commanded_at(self) -> float | None:
        return self._store.commanded_at

    @override
    def publish(self) -> None:
        self._store.publish()

    @override
    async def look(self) -> bool:
        return await self._poller.read_lan()

    @override
    async def send(
        self, slot: Slot, on: bool, *, held: bool, speed: int | None = None
    ) -> Finish:
        if slot.role is Role.PUMP:
            return await self._pump.begin(on, hold=held, speed=speed)
        return await self._outputs.begin(slot.index, on, hold=held)

    @override
    async def release(self, slot: int) -> None:
        await self._outputs.resume_schedule(slot)
