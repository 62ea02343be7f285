"""Whether the service reaches a controller.

Observed: `deviceOnlineStatuses` (protocol.md O5); published: `online` of a site's
controllers (protocol.md 2.4). Both may be as old as cached copies, so a
dashboard that changes is trusted (chosen).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
import time

from .facts import Change, FactsOf
from .wire.cloud_answers import Device, Inventory, parse_device
from .wire.exceptions import PoolctlError, UnreachableError
from .wire.json_values import Answer, list_of

UNCHANGED = 900.0
"""Seconds without a change after which a controller reported offline is unreachable."""
_STATUSES_AGE = 25.0
"""Seconds; less than the 30 between read cycles, so that each cycle may read them."""
_SITES_AGE = 120.0
"""Seconds; the sites are larger, and only read if statuses are refused (chosen)."""


class Liveness:
    """Checks whether controllers are online, and whether their dashboards change."""

    def __init__(
        self,
        statuses: Callable[[], Awaitable[Answer]],
        inventory: Callable[[], Awaitable[Inventory]],
        facts: FactsOf,
    ) -> None:
        """Take two functions that read the account and may raise a PoolctlError."""
        self._statuses = statuses
        self._inventory = inventory
        self._facts = facts
        self._dashboards: dict[str, tuple[Answer, float]] = {}
        """Newest dashboards, and when the controllers were last alive (monotonic)."""
        self._online: dict[str, bool] = {}
        self._until = 0.0
        self._lock = asyncio.Lock()

    async def online(self, device_id: str) -> bool | None:
        """Return `online` as the service reports it, `None` if it does not.

        It is read for all controllers of the account at once.
        """
        async with self._lock:
            if time.monotonic() >= self._until:
                await self._read()
        return self._online.get(device_id)

    async def _read(self) -> None:
        devices: Iterable[Device] = ()
        age = _STATUSES_AGE
        try:
            data = await self._statuses()
            found = [parse_device(entry, "") for entry in list_of(data, "devices")]
            devices = filter(None, found)
        except PoolctlError:
            age = _SITES_AGE
            with suppress(PoolctlError):
                devices = (await self._inventory()).devices
        self._online = {
            each.device_id: each.online for each in devices if each.online is not None
        }
        self._until = time.monotonic() + age

    async def check(self, device_id: str, dashboard: Answer) -> None:
        """Check the newest dashboard of a controller.

        Raises UnreachableError if the controller has been reported offline, without a
        change of its dashboard, for 15 minutes.
        """
        now = time.monotonic()
        previous, since = self._dashboards.get(device_id, (None, now))
        changed, online = dashboard != previous, None
        if not changed:
            online = await self.online(device_id)
            self._facts(device_id).emit(Change("online", online))
        if changed or online is not False:
            since = now
        self._dashboards[device_id] = dashboard, since
        if now - since >= UNCHANGED:
            raise UnreachableError("the service does not reach the controller")
