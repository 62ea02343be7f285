"""Selects: light types, the rule for pump hours, pump speed levels."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.control.controller import Controller
from .client.pool.choices import Choices, PumpRule, named_speeds
from .client.pool.lights import LIGHT_GROUPS, LIGHT_TYPES, LightGroup
from .client.pool.schedule_rules import shown_speed
from .client.pool.state import PoolState
from .client.wire.exceptions import InvalidCommandError
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import async_setup_platform, described
from .learned.pool import Pool

NO_RULE: Final = "none"
OWN_SPEED: Final = "own"
"""Option for a speed that was set by the number and has no name."""

PARALLEL_UPDATES = 0  # as for numbers


@dataclass(frozen=True, kw_only=True)
class PoolctlSelectDescription(PoolctlEntityDescription[str], SelectEntityDescription):
    """One select."""

    choose_fn: Callable[[Controller, str], Awaitable[None]]


def _light_type(group: LightGroup) -> PoolctlSelectDescription:
    """Return the row of the light type of a group."""

    def current(pool: Pool) -> str | None:
        kind = group.light_type(pool.state, pool.choices)
        return kind.key if kind else None

    async def choose(controller: Controller, key: str) -> None:
        controller.lights.choose_type(group, key)

    return PoolctlSelectDescription(
        key=f"{group.key}_light_type",
        translation_key=f"{group.key}_light_type",
        entity_category=EntityCategory.CONFIG,
        options=[kind.key for kind in LIGHT_TYPES.values()],
        exists_fn=lambda pool: pool.state.outputs.fitted(group.fitted),
        pool_fn=current,
        choose_fn=choose,
    )


async def _choose_pump_rule(controller: Controller, key: str) -> None:
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


def _speed_level(state: PoolState, choices: Choices) -> str:
    speed = shown_speed(state, choices)
    names = (name for name, each in named_speeds(state).items() if each == speed)
    return next(names, OWN_SPEED)


async def _choose_speed(controller: Controller, key: str) -> None:
    state, choices = controller.store.state, controller.store.choices
    if key != OWN_SPEED:
        await controller.pump.set_speed(named_speeds(state)[key])
    elif _speed_level(state, choices) != OWN_SPEED:
        raise InvalidCommandError("the number has it", reason="pump_speed_own")


SPEED_LEVEL = PoolctlSelectDescription(
    key="pump_speed_level",
    translation_key="pump_speed_level",
    options=["low", "medium", "high", OWN_SPEED],
    exists_fn=lambda pool: pool.state.variable_speed,
    pool_fn=lambda pool: _speed_level(pool.state, pool.choices),
    choose_fn=_choose_speed,
)

SELECTS = (
    *(_light_type(group) for group in LIGHT_GROUPS.values()),
    PUMP_RULE,
    SPEED_LEVEL,
)


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
    """Select from which the user chooses."""

    entity_description: PoolctlSelectDescription
    shows_figures = False

    @property
    @override
    def current_option(self) -> str | None:
        """Return the user's choice, or the value from the controller."""
        return self._value

    @override
    async def async_select_option(self, option: str) -> None:
        """Choose an option."""
        with self.commanding():
            await self.entity_description.choose_fn(self.controller, option)
