"""Objects shared by the controllers of an account."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import ClientSession

from ..client.cloud import CloudClient
from ..network.access import LanAccess
from ..network.record import ControllerRecord
from ..observed.observers import Observers
from ..problems.account import AccountProblems
from .remembered import Remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The objects that the controllers of an account share."""

    cloud: CloudClient
    observers: Observers
    lan_session: ClientSession
    store: Callable[[ControllerRecord], None]
    """Stores the record of a controller in the entry."""
    has_namesake: Callable[[ControllerRecord], bool]
    """Whether another controller has the same name, at another site."""
    problems: AccountProblems
    """Problems of the account, which each of its controllers shows, too."""
    _turns: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def turn(self, act: Callable[[], None] = lambda: None) -> None:
        """Do something that takes a while, one controller after the other.

        Home Assistant gets time for other work in between.
        """
        async with self._turns:
            act()
            await asyncio.sleep(0)

    def access(
        self, record: ControllerRecord, remembered: Remembered, *, allowed: bool
    ) -> LanAccess:
        """Return the LAN access of a controller."""
        facts, counters = self.observers.facts(record.device_id), remembered.counters
        return LanAccess(record, self.lan_session, counters, facts, allowed=allowed)
