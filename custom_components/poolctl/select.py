"""Selects: what a person says is fitted where the controller does not know."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.control.controller import Controller
from .client.pool.lights import LIGHT_GROUPS, LIGHT_TYPES, LightGroup
from .entity import PoolctlEntity, PoolctlEntityDescription
from .learned.pool import Pool
from .presence import async_setup_platform, described

PARALLEL_UPDATES = 0  # nothing is sent: choices are kept here


@dataclass(frozen=True, kw_only=True)
class PoolctlSelectDescription(PoolctlEntityDescription[str], SelectEntityDescription):
    """One select."""

    choose_fn: Callable[[Controller, str], None]
    """Keeps the choice; nothing is sent."""


def _light_type(group: LightGroup) -> PoolctlSelectDescription:
    """Return the row of which lights a group has."""

    def current(pool: Pool) -> str | None:
        kind = group.light_type(pool.state, pool.choices)
        return kind.key if kind else None

    return PoolctlSelectDescription(
        key=f"{group.key}_light_type",
        translation_key=f"{group.key}_light_type",
        entity_category=EntityCategory.CONFIG,
        options=[kind.key for kind in LIGHT_TYPES.values()],
        exists_fn=lambda pool: pool.state.outputs.fitted(group.fitted),
        pool_fn=current,
        choose_fn=lambda controller, key: controller.lights.choose_type(group, key),
    )


SELECTS = tuple(_light_type(group) for group in LIGHT_GROUPS.values())


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the selects."""
    async_setup_platform(
        entry,
        Platform.SELECT,
        async_add_entities,
        partial(described, PoolctlSelect, SELECTS),
    )


class PoolctlSelect(PoolctlEntity[str], SelectEntity):
    """Something a person chooses from a list."""

    entity_description: PoolctlSelectDescription

    @property
    @override
    def current_option(self) -> str | None:
        """Return the choice, or what the controller knows."""
        return self._value

    @override
    async def async_select_option(self, option: str) -> None:
        """Keep a choice."""
        with self.commanding():
            self.entity_description.choose_fn(self.controller, option)
