"""What the controllers of an account have in common."""

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
    """What the controllers of an account share."""

    cloud: CloudClient
    observers: Observers
    lan_session: ClientSession
    store: Callable[[ControllerRecord], None]
    """Keeps what was learned of a controller over restarts."""
    has_namesake: Callable[[ControllerRecord], bool]
    """Whether another controller has the same name, at another site."""
    problems: AccountProblems
    """Those of the account, which each of its controllers shows, too."""
    _turns: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def turn(self) -> None:
        """Wait to do something for one controller that takes a while.

        Between two of them, Home Assistant has time for others.
        """
        async with self._turns:
            await asyncio.sleep(0)

    def access(
        self, record: ControllerRecord, remembered: Remembered, *, allowed: bool
    ) -> LanAccess:
        """Return what makes clients for one of them."""
        facts, counters = self.observers.facts(record.device_id), remembered.counters
        return LanAccess(record, self.lan_session, counters, facts, allowed=allowed)
