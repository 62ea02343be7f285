"""Announcements of controllers by mDNS (protocol.md 2.8)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from ipaddress import ip_address
from typing import Final

import ifaddr
from zeroconf import InterfaceChoice, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from .controller import Controller
from .visitors import Announcement

SERVICE: Final = "_ctrl._tcp.local."


def service(controller: Controller) -> ServiceInfo:
    """Return the service of a controller, with the addresses that it listens on."""
    announcement = Announcement.of(controller)
    if ip_address(announcement.host).is_unspecified:
        host, *others = own_addresses()
        announcement = replace(announcement, host=host, other_hosts=tuple(others))
    return announced(announcement)


def own_addresses() -> list[str]:
    """Return the IPv4 addresses of this machine on its networks."""
    found = (ip.ip for each in ifaddr.get_adapters() for ip in each.ips)
    hosts = [host for host in found if isinstance(host, str)]
    return [host for host in hosts if not ip_address(host).is_loopback] or hosts


def interfaces_of(controllers: Iterable[Controller]) -> list[str]:
    """Return the addresses of the networks that controllers can be reached on."""
    hosts = {host for each in controllers for host in service(each).parsed_addresses()}
    loopback = any(ip_address(host).is_loopback for host in hosts)
    outside = (host for host in hosts if not ip_address(host).is_loopback)
    return [*["127.0.0.1"] * loopback, *sorted(outside)]


def announced(announcement: Announcement) -> ServiceInfo:
    """Return the service of an announcement, which may be false."""
    return ServiceInfo(
        SERVICE,
        f"{announcement.name}.{SERVICE}",
        server=announcement.hostname,
        port=announcement.port,
        parsed_addresses=[announcement.host, *announcement.other_hosts],
        properties=announcement.text,
    )


class Announcer:
    """Announces controllers until stopped, also their new addresses."""

    def __init__(
        self,
        controllers: Iterable[Controller],
        interfaces: Sequence[str] | InterfaceChoice | None = None,
    ) -> None:
        """Prepare to announce running controllers, by default where they listen."""
        self._controllers = list(controllers)
        self._interfaces = interfaces
        self._zeroconf: AsyncZeroconf | None = None

    async def start(self) -> None:
        interfaces = self._interfaces or interfaces_of(self._controllers)
        self._zeroconf = AsyncZeroconf(interfaces, ip_version=IPVersion.V4Only)
        for controller in self._controllers:
            announced = await self._zeroconf.async_register_service(service(controller))
            await announced
            controller.moved.append(self._follow)

    async def stop(self) -> None:
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
