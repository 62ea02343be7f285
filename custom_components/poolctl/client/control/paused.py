"""What pauses of dosing are sent by."""

from typing import override

from ..holds.pauses import Dosers
from ..pool.dosing import AnyDosing
from ..pool.state import PoolState
from .dosing import DosingControl
from .paths import Paths
from .queries import Queries
from .store import Store


class PausedDosers(Dosers):
    """Reads and switches the dosers of one controller."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        queries: Queries,
        dosing: DosingControl,
    ) -> None:
        """Use what commands dosers."""
        self._store = store
        self._paths = paths
        self._queries = queries
        self._dosing = dosing

    @property
    @override
    def known(self) -> PoolState:
        return self._store.known

    @override
    def publish(self) -> None:
        self._store.publish()

    @override
    async def look(self, kind: AnyDosing) -> bool | None:
        on_lan, query = self._paths.on_lan, kind.keys.settings.query
        if on_lan and await self._queries.ask(query):
            return kind.of(self._store.known).enabled
        return None

    @override
    async def enable(self, kind: AnyDosing, on: bool) -> None:
        await self._dosing.enable(kind, on)
