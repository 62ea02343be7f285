"""Dates with a time: when a body of water is to be warm."""

from dataclasses import dataclass
from datetime import datetime
from typing import override

from homeassistant.components.datetime import DateTimeEntity, DateTimeEntityDescription
from homeassistant.const import Platform

from .client.pool.heating import BODIES, POOL, Body, has_thermostat
from .devices.parts import PART_OF_BODY
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import platform, rows
from .status.heating import PASSED, why_warm_by
from .status.rows import Explanation

# Commands to a controller are already sent one at a time.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlDateTimeDescription(
    PoolctlEntityDescription[datetime], DateTimeEntityDescription
):
    """One body of water."""

    body: Body


def _warm_by(body: Body) -> PoolctlDateTimeDescription:
    return PoolctlDateTimeDescription(
        key=f"{body.key}_warm_by",
        part=PART_OF_BODY[body],
        # Most pools are kept warm; few users want warm water for one evening only.
        entity_registry_enabled_default=body is not POOL,
        exists_fn=lambda view: has_thermostat(view.state, body),
        body=body,
    )


DATETIMES = tuple(map(_warm_by, BODIES))


class PoolctlDateTime(PoolctlEntity, DateTimeEntity):
    """Time by which a body of water is to be warm; unknown without a request."""

    entity_description: PoolctlDateTimeDescription

    @property
    @override
    def native_value(self) -> datetime | None:
        """Return the time, or for a while one that had already passed."""
        warm_by, body = self.coordinator.warm_by, self.entity_description.body
        request = warm_by.of(body)
        return warm_by.draft(body) if request is None else request.by

    @override
    def explain(self) -> Explanation:
        body = self.entity_description.body
        if self.coordinator.warm_by.draft(body):
            return PASSED
        return why_warm_by(self.view, body)

    @override
    async def async_set_value(self, value: datetime) -> None:
        """Request warm water by a time; a time in the past cancels the request."""
        body = self.entity_description.body
        with self.commanding():
            await self.coordinator.warm_by.enter(body, value)


async_setup_entry = platform(Platform.DATETIME, rows(PoolctlDateTime, DATETIMES))
