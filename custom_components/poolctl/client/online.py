"""Whether the service reaches a controller.

Observed: `deviceOnlineStatuses` (layouts.md 5); published: `online` of a site's
controllers (interface.md 2.4). Both may be as old as copies are, so a dashboard that
changes is believed (chosen).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
import time

from .cloud_answers import Device, Inventory, parse_device
from .exceptions import PoolctlError, UnreachableError
from .facts import FactsOf, Online
from .json_values import Answer, list_of

UNCHANGED = 900.0
"""s for which a controller that is reported offline may show nothing new."""
_STATUSES_AGE = 25.0
"""s; less than the 30 between two read cycles, so that each cycle may ask."""
_SITES_AGE = 120.0
"""s; the sites are larger, and only stand in where statuses are refused (chosen)."""


class Liveness:
    """What the service reports as `online`, and whether dashboards change."""

    def __init__(
        self,
        statuses: Callable[[], Awaitable[Answer]],
        inventory: Callable[[], Awaitable[Inventory]],
        facts: FactsOf,
    ) -> None:
        """Prepare; both read the account, and raise a PoolctlError."""
        self._statuses = statuses
        self._inventory = inventory
        self._facts = facts
        self._dashboards: dict[str, tuple[Answer, float]] = {}
        """The newest of each controller, and when it last changed (monotonic)."""
        self._changed: set[str] = set()
        """Controllers whose dashboard has changed since `online` was asked for."""
        self._online: dict[str, bool] = {}
        self._until = 0.0
        self._lock = asyncio.Lock()

    async def online(self, device_id: str) -> bool | None:
        """Return what the service reports, `None` where it does not.

        Read for all controllers of the account at once.
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
        """Take the newest dashboard of a controller.

        Raises UnreachableError where the controller is reported offline and nothing has
        changed for 15 minutes.
        """
        now = time.monotonic()
        previous, since = self._dashboards.get(device_id, (None, now))
        changed, online = dashboard != previous, None
        if changed:
            self._changed.add(device_id)
        else:
            online = await self.online(device_id)
            self._facts(device_id).emit(Online(online, device_id in self._changed))
            self._changed.discard(device_id)
        if changed or online is not False:
            since = now
        self._dashboards[device_id] = dashboard, since
        if now - since >= UNCHANGED:
            raise UnreachableError("the service does not reach the controller")
