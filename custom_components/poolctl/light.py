"""Lights: one for each slot that a light is wired to, with the shows of its maker."""

from dataclasses import dataclass
from typing import Any, override

from homeassistant.components.light import LightEntity, LightEntityDescription
from homeassistant.components.light.const import (
    ATTR_EFFECT,
    ColorMode,
    LightEntityFeature,
)
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool.lights import LIGHT_GROUPS, LightGroup
from .client.wire.equipment import Role, Slot
from .coordinator import ControllerCoordinator
from .devices.uses import Use, use_of
from .entity import PoolctlEntityDescription, SlotEntity, slot_is_on
from .fitted import Presences, async_setup_platform, of_slots, with_role

# Commands to a controller are already sent one at a time.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlLightDescription(PoolctlEntityDescription[bool], LightEntityDescription):
    """One light."""


@dataclass(frozen=True, kw_only=True)
class PoolctlShowLightDescription(PoolctlLightDescription):
    """One pool or spa light, which may have shows."""

    group: LightGroup
    """The lights whose light type and effect it shares."""


def _general(slot: Slot) -> PoolctlLightDescription:
    return PoolctlLightDescription(
        key=f"slot_{slot.index}",
        translation_key="light_output",
        value_fn=slot_is_on(slot.index),
        assumed_fn=lambda state: state.outputs.assumed,
    )


def _show(slot: Slot) -> PoolctlShowLightDescription:
    return PoolctlShowLightDescription(
        key=f"slot_{slot.index}",
        translation_key=slot.kind,
        value_fn=slot_is_on(slot.index),
        assumed_fn=lambda state: state.outputs.assumed,
        group=LIGHT_GROUPS[slot.role],
    )


def _build(coordinator: ControllerCoordinator) -> Presences:
    shows = with_role(LIGHT_GROUPS, coordinator)
    general = [
        slot
        for slot in with_role({Role.GENERAL}, coordinator)
        if use_of(slot, coordinator.uses) is Use.LIGHT
    ]
    return {
        **of_slots(PoolctlShowLight, _show, shows, coordinator),
        **of_slots(PoolctlLight, _general, general, coordinator),
    }


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the lights."""
    async_setup_platform(entry, Platform.LIGHT, async_add_entities, _build)


class PoolctlLight(SlotEntity, LightEntity):
    """A light that can only be on or off."""

    _attr_color_mode = ColorMode.ONOFF
    entity_description: PoolctlLightDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether it is on; it also is while a show is being set."""
        return self._value

    @property
    @override
    def supported_color_modes(self) -> set[ColorMode]:
        """Return the on/off mode alone: colours are effects."""
        return {ColorMode.ONOFF}

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Switch it on against any schedule."""
        with self.commanding():
            await self.switch_by_hand(True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Switch it off; inside a window of its schedules, hold it off."""
        with self.commanding():
            await self.switch_by_hand(False)


class PoolctlShowLight(PoolctlLight):
    """A light with the shows of its maker, given by the light type of its group."""

    entity_description: PoolctlShowLightDescription

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.effect_list, self.effect

    @property
    @override
    def supported_features(self) -> LightEntityFeature:
        """Return the effect feature; some light types only step to the next colour."""
        return LightEntityFeature.EFFECT if self.effect_list else LightEntityFeature(0)

    @property
    @override
    def effect_list(self) -> list[str]:
        """Return the effects of the current light type."""
        pool = self.coordinator.pool
        return list(self.entity_description.group.effects(pool.state, pool.choices))

    @property
    @override
    def effect(self) -> str | None:
        """Return the effect that was last set for its group."""
        pool = self.coordinator.pool
        return self.entity_description.group.effect(pool.state, pool.choices)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Switch it on against any schedule, or let it show an effect."""
        if ATTR_EFFECT not in kwargs:
            await super().async_turn_on(**kwargs)
            return
        with self.commanding():
            self.note_command()
            await self.controller.lights.show(self.index, kwargs[ATTR_EFFECT])
