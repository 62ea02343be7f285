"""Announcements of controllers by mDNS (protocol.md 2.8)."""

from collections.abc import Iterable, Sequence
from typing import Final

from zeroconf import InterfaceChoice, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from .controller import Controller
from .visitors import Announcement

SERVICE: Final = "_ctrl._tcp.local."


def service(controller: Controller) -> ServiceInfo:
    """Return the service of a controller; loopback addresses are allowed."""
    return announced(Announcement.of(controller))


def announced(told: Announcement) -> ServiceInfo:
    """Return the service of an announcement, which may be false."""
    return ServiceInfo(
        SERVICE,
        f"{told.name}.{SERVICE}",
        server=told.hostname,
        port=told.port,
        parsed_addresses=[told.host, *told.other_hosts],
        properties=told.text,
    )


class Announcer:
    """Announces controllers until stopped, also their new addresses."""

    def __init__(
        self,
        controllers: Iterable[Controller],
        interfaces: Sequence[str] | InterfaceChoice = InterfaceChoice.All,
    ) -> None:
        """Prepare to announce running controllers, by default on all interfaces."""
        self._controllers, self._interfaces = list(controllers), interfaces
        self._zeroconf: AsyncZeroconf | None = None

    async def start(self) -> None:
        """Announce all controllers."""
        self._zeroconf = AsyncZeroconf(self._interfaces, ip_version=IPVersion.V4Only)
        for controller in self._controllers:
            announced = await self._zeroconf.async_register_service(service(controller))
            await announced
            controller.moved.append(self._follow)

    async def stop(self) -> None:
        """Withdraw all announcements."""
        if self._zeroconf is None:
            return
        for controller in self._controllers:
            if self._follow in controller.moved:
                controller.moved.remove(self._follow)
        await self._zeroconf.async_unregister_all_services()
        await self._zeroconf.async_close()
        self._zeroconf = None

    async def _follow(self, controller: Controller) -> None:
        if self._zeroconf is not None:
            updated = await self._zeroconf.async_update_service(service(controller))
            await updated
