"""Selects: what a person chooses of a pool, and only Home Assistant keeps."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.control.controller import Controller
from .client.pool.choices import PumpRule
from .client.pool.lights import LIGHT_GROUPS, LIGHT_TYPES, LightGroup
from .entity import PoolctlEntity, PoolctlEntityDescription
from .learned.pool import Pool
from .presence import async_setup_platform, described

NO_RULE: Final = "none"

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


def _choose_pump_rule(controller: Controller, key: str) -> None:
    rule = None if key == NO_RULE else PumpRule(key)
    controller.store.choose(lambda choices: replace(choices, pump_rule=rule))


PUMP_RULE = PoolctlSelectDescription(
    key="pump_hours_rule",
    translation_key="pump_hours_rule",
    entity_category=EntityCategory.CONFIG,
    options=[NO_RULE, *PumpRule],
    exists_fn=lambda pool: pool.state.pump_on is not None or None,
    pool_fn=lambda pool: pool.choices.pump_rule or NO_RULE,
    choose_fn=_choose_pump_rule,
)

SELECTS = (*(_light_type(group) for group in LIGHT_GROUPS.values()), PUMP_RULE)


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
