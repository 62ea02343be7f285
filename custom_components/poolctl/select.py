"""Selects: light types, the rule for pump hours, pump speed levels."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory, Platform

from .client.controller import Controller
from .client.pool.choices import Choices, PumpRule, named_speeds
from .client.pool.lights import LIGHT_GROUPS, LIGHT_TYPES, LightGroup
from .client.pool.schedule_rules import shown_speed
from .client.pool.state import PoolState
from .client.wire.exceptions import InvalidCommandError
from .coordinator import View
from .devices.parts import Part
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import platform, rows

NO_RULE: Final = "none"
OWN_SPEED: Final = "own"
"""Option for a speed that was set by the number and has no name."""

PARALLEL_UPDATES = 0  # as for numbers


@dataclass(frozen=True, kw_only=True)
class PoolctlSelectDescription(PoolctlEntityDescription[str], SelectEntityDescription):
    """One select."""

    choose_fn: Callable[[Controller, str], Awaitable[None]]


def _light_type(group: LightGroup) -> PoolctlSelectDescription:
    def current(view: View) -> str | None:
        kind = group.light_type(view.state, view.choices)
        return kind.key if kind else None

    async def choose(controller: Controller, key: str) -> None:
        controller.store.choose(lambda choices: group.with_type(choices, key))

    return PoolctlSelectDescription(
        key=f"{group.key}_light_type",
        part=Part.LIGHTS,
        entity_category=EntityCategory.CONFIG,
        options=[kind.key for kind in LIGHT_TYPES.values()],
        exists_fn=lambda view: view.state.outputs.fitted(group.fitted),
        value_fn=current,
        choose_fn=choose,
    )


async def _choose_pump_rule(controller: Controller, key: str) -> None:
    rule = None if key == NO_RULE else PumpRule(key)
    controller.store.choose(lambda choices: replace(choices, pump_rule=rule))


PUMP_RULE = PoolctlSelectDescription(
    key="pump_hours_rule",
    part=Part.PUMP,
    entity_category=EntityCategory.CONFIG,
    options=[NO_RULE, *PumpRule],
    proof_fn=lambda view: view.state.pump_on,
    value_fn=lambda view: view.choices.pump_rule or NO_RULE,
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
    part=Part.PUMP,
    entity_registry_enabled_default=False,
    options=["low", "medium", "high", OWN_SPEED],
    exists_fn=lambda view: view.state.variable_speed,
    value_fn=lambda view: _speed_level(view.state, view.choices),
    choose_fn=_choose_speed,
)

SELECTS = (
    *map(_light_type, LIGHT_GROUPS.values()),
    PUMP_RULE,
    SPEED_LEVEL,
)


class PoolctlSelect(PoolctlEntity, SelectEntity):
    """Select from which the user chooses."""

    entity_description: PoolctlSelectDescription

    @property
    @override
    def current_option(self) -> str | None:
        return self.entity_description.value_fn(self.view)

    @override
    async def async_select_option(self, option: str) -> None:
        with self.commanding():
            await self.entity_description.choose_fn(self.controller, option)


async_setup_entry = platform(Platform.SELECT, rows(PoolctlSelect, SELECTS))
