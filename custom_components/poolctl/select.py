"""Selects: light types, the rule for pump hours."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory, Platform

from .client.pool import LIGHT_GROUPS, LIGHT_TYPES, LightGroup
from .coordinator import ControllerCoordinator
from .devices.parts import Part
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import platform, rows
from .learned.preferences import PumpRule
from .status.situation import View

NO_RULE: Final = "none"

PARALLEL_UPDATES = 0  # as for numbers


@dataclass(frozen=True, kw_only=True)
class PoolctlSelectDescription(PoolctlEntityDescription[str], SelectEntityDescription):
    """One select."""

    choose_fn: Callable[[ControllerCoordinator, str], None]


def _light_type(group: LightGroup) -> PoolctlSelectDescription:
    def current(view: View) -> str | None:
        kind = group.light_type(view.state, view.choices)
        return kind.key if kind else None

    def choose(coordinator: ControllerCoordinator, key: str) -> None:
        coordinator.controller.live.choose(
            lambda choices: group.with_type(choices, key)
        )

    return PoolctlSelectDescription(
        key=f"{group.key}_light_type",
        part=Part.LIGHTS,
        entity_category=EntityCategory.CONFIG,
        options=[kind.key for kind in LIGHT_TYPES.values()],
        exists_fn=lambda view: view.state.outputs.fitted(group.fitted),
        value_fn=current,
        choose_fn=choose,
    )


def _choose_pump_rule(coordinator: ControllerCoordinator, key: str) -> None:
    rule = None if key == NO_RULE else PumpRule(key)
    coordinator.async_prefer(lambda preferences: replace(preferences, pump_rule=rule))


PUMP_RULE = PoolctlSelectDescription(
    key="pump_hours_rule",
    part=Part.PUMP,
    entity_category=EntityCategory.CONFIG,
    options=[NO_RULE, *PumpRule],
    proof_fn=lambda view: view.state.pump_on,
    value_fn=lambda view: view.preferences.pump_rule or NO_RULE,
    choose_fn=_choose_pump_rule,
)


SELECTS = (*map(_light_type, LIGHT_GROUPS.values()), PUMP_RULE)


class PoolctlSelect(PoolctlEntity[str], SelectEntity):
    """Select from which the user chooses."""

    entity_description: PoolctlSelectDescription

    @property
    @override
    def current_option(self) -> str | None:
        return self.shown_value

    @override
    async def async_select_option(self, option: str) -> None:
        with self.commanding():
            self.entity_description.choose_fn(self.coordinator, option)


async_setup_entry = platform(Platform.SELECT, rows(PoolctlSelect, SELECTS))
