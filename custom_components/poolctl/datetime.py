"""Dates with a time: when a body of water is to be warm."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
import time
from typing import Final, override

from homeassistant.components.datetime import DateTimeEntity, DateTimeEntityDescription
from homeassistant.const import UnitOfTemperature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool import BODIES, Body, has_thermostat
from .devices.output_attributes import ATTR_EXPLANATION, ATTR_REASONS
from .devices.parts import PART_OF_BODY
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import async_follow, rows
from .status.heating import PASSED, why_warm_by
from .status.rows import Explanation
from .status.situation import View
from .warm_by.request import AHEAD

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
        attributes_fn=lambda view: _plan(view, body),
        exists_fn=lambda view: has_thermostat(view.state, body),
        body=body,
    )


DATETIMES = tuple(map(_warm_by, BODIES))

DRAFT: Final = 600.0
"""Seconds for which a time that was entered too late is shown."""

ATTR_DONE: Final = "done"
ATTR_PLANNED: Final = "planned"
ATTR_PRICES: Final = "prices"


def _plan(view: View, body: Body) -> Mapping[str, object]:
    """Return what cards draw of a request."""
    if (outlook := view.warm_by.get(body)) is None:
        return {}
    plan, request, units = outlook.plan, outlook.request, view.hass.config.units
    target = units.temperature(outlook.target, UnitOfTemperature.CELSIUS)
    prices = request.wish.prices if request.wish else ()
    return {
        "target": round(target),
        "begins": None if outlook.begun else plan.begins,
        ATTR_PLANNED: [each._asdict() for each in outlook.heating],
        ATTR_DONE: [each._asdict() for each in request.done],
        ATTR_PRICES: [(each.start, each.end, each.value) for each in prices],
    }


class PoolctlDateTime(PoolctlEntity, DateTimeEntity):
    """Time by which a body of water is to be warm; unknown without a request."""

    entity_description: PoolctlDateTimeDescription
    _unrecorded_attributes = frozenset(
        {ATTR_EXPLANATION, ATTR_REASONS, ATTR_DONE, ATTR_PLANNED, ATTR_PRICES}
    )
    _draft: tuple[datetime | None, float] = (None, 0.0)
    """An entered time that had already passed; end of its display (monotonic, s)."""

    @property
    @override
    def native_value(self) -> datetime | None:
        """Return the time, or for a while one that had already passed."""
        if request := self.coordinator.warm_by.of(self.entity_description.body):
            return request.by
        draft, until = self._draft
        return draft if time.monotonic() < until else None

    @property
    @override
    def extra_state_attributes(self) -> Mapping[str, object]:
        request = self.coordinator.warm_by.of(self.entity_description.body)
        return {"can_cancel": request is not None, **super().extra_state_attributes}

    @override
    def explain(self) -> Explanation:
        body = self.entity_description.body
        if self.native_value and self.coordinator.warm_by.of(body) is None:
            return PASSED
        return why_warm_by(self.view, body)

    @override
    async def async_set_value(self, value: datetime) -> None:
        """Request warm water by a time; a time in the past cancels the request.

        A form changes date and time separately: the value in between may be in the
        past, and is kept for the next change.
        """
        body, warm_by = self.entity_description.body, self.coordinator.warm_by
        previous, ago = warm_by.of(body), self.coordinator.clock.now() - value
        passed = ago >= timedelta()
        kept = passed and ago <= AHEAD
        self._draft = (value, time.monotonic() + DRAFT) if kept else (None, 0.0)
        with self.commanding():
            wish = previous.wish if previous else None
            await warm_by.want(body, None if passed else value, wish=wish)
        self.async_write_ha_state()


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove dates as controllers and equipment change."""
    await async_follow(entry, async_add_entities, rows(PoolctlDateTime, DATETIMES))
