"""Lights: one for each slot that a light is wired to, with the shows of its maker."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, override

from homeassistant.components.light import LightEntity, LightEntityDescription
from homeassistant.components.light.const import (
    ATTR_EFFECT,
    ColorMode,
    LightEntityFeature,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool import LIGHT_GROUPS, LightGroup, Role
from .devices.parts import Use, use_of
from .entity import PoolctlEntityDescription, SlotEntity, is_on
from .fitted import async_follow, rows, with_role
from .status.situation import View

# Commands to a controller are already sent one at a time.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlLightDescription(PoolctlEntityDescription[bool], LightEntityDescription):
    """One light."""

    group: LightGroup | None
    """The lights whose light type and effect it shares, if it may have shows."""


def _lights(view: View) -> Iterator[PoolctlLightDescription]:
    for slot in with_role({Role.GENERAL, *LIGHT_GROUPS}, view):
        group = LIGHT_GROUPS.get(slot.role)
        if group or use_of(slot, view.uses) is Use.LIGHT:
            yield PoolctlLightDescription(
                key=f"slot_{slot.index}",
                translation_key=slot.kind if group else "light_output",
                index=slot.index,
                value_fn=is_on(slot.index),
                assumed_fn=lambda view: view.state.outputs.assumed,
                group=group,
            )


class PoolctlLight(SlotEntity, LightEntity):
    """A light, with the shows of its maker if its light type has some."""

    _attr_color_mode = ColorMode.ONOFF
    entity_description: PoolctlLightDescription

    @property
    @override
    def supported_color_modes(self) -> set[ColorMode]:
        """Return the on/off mode alone: colours are effects."""
        return {ColorMode.ONOFF}

    @property
    @override
    def supported_features(self) -> LightEntityFeature:
        """Return the effect feature; some light types only step to the next colour."""
        return LightEntityFeature.EFFECT if self.effect_list else LightEntityFeature(0)

    @property
    @override
    def effect_list(self) -> list[str] | None:
        group, view = self.entity_description.group, self.view
        return [*group.effects(view.state, view.choices)] if group else None

    @property
    @override
    def effect(self) -> str | None:
        """Return the effect that was last set for its group."""
        group, view = self.entity_description.group, self.view
        return group.effect(view.state, view.choices) if group else None

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Switch it on against any schedule, or let it show an effect."""
        if ATTR_EFFECT not in kwargs:
            await super().async_turn_on(**kwargs)
            return
        with self.commanding():
            await self.asked_by()
            index, effect = self.entity_description.index, kwargs[ATTR_EFFECT]
            await self.controller.lights.show(index, effect)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove lights as controllers and equipment change."""
    await async_follow(entry, async_add_entities, rows(PoolctlLight, _lights))
