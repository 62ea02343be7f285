"""Selects: light types, the rule for pump hours, and what outputs do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.typing import UndefinedType

from .account import PoolctlConfigEntry
from .client.holds import runs
from .client.pool import (
    LIGHT_GROUPS,
    LIGHT_TYPES,
    SPA_ACTUATORS,
    LightGroup,
    Role,
    Slot,
)
from .coordinator import ControllerCoordinator
from .devices.naming import text
from .devices.parts import Part
from .entity import OfSlot, PoolctlEntity, PoolctlEntityDescription
from .fitted import async_follow, rows, with_role
from .learned.preferences import PumpRule
from .status.situation import View

NO_RULE: Final = "none"

PARALLEL_UPDATES = 0  # as for switches


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


_OFF, _AUTO, _ON = "off", "auto", "on"


@dataclass(frozen=True, kw_only=True)
class PoolctlControlDescription(PoolctlEntityDescription[str], SelectEntityDescription):
    """What one output does."""

    entity_registry_enabled_default: bool = False
    options: list[str] | None = field(default_factory=lambda: [_OFF, _AUTO, _ON])
    slot_fn: Callable[[View], Slot | None] = lambda view: None


CONTROLS = (
    PoolctlControlDescription(
        key="pump_control",
        translation_key="control",
        part=Part.PUMP,
        proof_fn=lambda view: view.state.pump_on,
        slot_fn=lambda view: view.state.outputs.pump,
    ),
    PoolctlControlDescription(
        key="spa_mode_control",
        translation_key="control",
        part=Part.SPA,
        fitted=frozenset(SPA_ACTUATORS),
        slot_fn=lambda view: view.state.outputs.spa,
    ),
)


def _slot_controls(view: View) -> Iterator[PoolctlControlDescription]:
    for slot in with_role({Role.GENERAL, Role.PUMP_LINKED, *LIGHT_GROUPS}, view):
        yield PoolctlControlDescription(
            key=f"slot_{slot.index}_control",
            translation_key="output_control",
            index=slot.index,
            proof_fn=lambda view: view.state.outputs,
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


class PoolctlControl(PoolctlEntity[str], SelectEntity):
    """What a user wants of an output: unlike a switch, it can give the output back."""

    entity_description: PoolctlControlDescription

    @property
    def slot(self) -> Slot | None:
        """Current slot of the output, `None` if unknown."""
        return self.entity_description.slot_fn(self.view)

    @property
    @override
    def current_option(self) -> str | None:
        """Whether the output is held, and how; unknown by the cloud alone."""
        if (slot := self.slot) is None or slot.held is None:
            return None
        if not slot.held:
            return _AUTO
        if slot.role in LIGHT_GROUPS and (hold := self.controller.holds.of(slot.index)):
            return _ON if hold.on else _OFF  # the relay pulses for a show
        return _ON if runs(self.view.state, slot) else _OFF

    @override
    async def async_select_option(self, option: str) -> None:
        with self.commanding():
            holds, name = self.controller.holds, await self.caller_name()
            if option == _AUTO:
                await holds.resume(self.slot)
            else:
                await holds.switch(self.slot, option == _ON, name, stays=True)


class PoolctlSlotControl(OfSlot, PoolctlControl):
    """That of the output of one slot."""

    @property
    @override
    def id_words(self) -> str:
        return f"{super().id_words} control"

    @property
    @override
    def name(self) -> str | UndefinedType | None:
        """Current name; Home Assistant would cache the first one."""
        if (output := self.name_on_page) is None:
            return super().name
        return text(self.texts, "select", "output_control", name=output)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove selects as controllers and equipment change."""
    await async_follow(
        entry,
        async_add_entities,
        rows(PoolctlSelect, SELECTS),
        rows(PoolctlControl, CONTROLS),
        rows(PoolctlSlotControl, _slot_controls),
    )
