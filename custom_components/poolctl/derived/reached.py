"""Sensors of the LAN and the cloud: why a controller is unreachable, and since when."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
)
from homeassistant.const import EntityCategory

from ..client.pool.state import PoolState
from ..entity import PoolctlEntity, PoolctlEntityDescription
from ..status.links import Link, Links


def _nothing(state: PoolState) -> None:
    """Read nothing from the state: the value does not come from the pool."""


@dataclass(frozen=True, kw_only=True)
class PoolctlReachedDescription(
    PoolctlEntityDescription[Link], SensorEntityDescription
):
    """Description of one path to the controller."""

    link_fn: Callable[[Links], Link | None]


def _way(
    key: str, link_fn: Callable[[Links], Link | None], *never: Link
) -> PoolctlReachedDescription:
    """Return the row of one path, without the states that it never has."""
    return PoolctlReachedDescription(
        key=key,
        translation_key=key,
        device_class=SensorDeviceClass.ENUM,
        options=[link for link in Link if link not in never],
        entity_category=EntityCategory.DIAGNOSTIC,
        # *Connection* is enough for most users; these show the reason.
        entity_registry_enabled_default=False,
        value_fn=_nothing,
        link_fn=link_fn,
    )


REACHED: Final = (
    _way("local_network", lambda links: links.lan, Link.NOT_NEEDED, Link.SIGN_IN),
    _way(
        "cloud_service",
        lambda links: links.cloud,
        *(Link.NO_ADDRESS, Link.NO_KEY, Link.NOT_VERIFIED),
    ),
)


class PoolctlReached(PoolctlEntity[Link], SensorEntity):
    """Status of one path, also available while the controller is not.

    It is unavailable in a closed season, when nothing is polled.
    """

    entity_description: PoolctlReachedDescription

    @property
    @override
    def available(self) -> bool:
        return super().available or self.coordinator.polled

    @override
    def _read_value(self) -> Link | None:
        return self.entity_description.link_fn(self.coordinator.links)

    @property
    @override
    def native_value(self) -> Link | None:
        """Return the status of the path."""
        return self._value
