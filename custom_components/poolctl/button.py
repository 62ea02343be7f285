"""Buttons: actions that run once."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from itertools import product, starmap
from typing import Final, override

from homeassistant.components.button import ButtonEntity, ButtonEntityDescription
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool import DOSERS, LIGHT_ACTIONS, LIGHT_GROUPS, DoserKind, Slot
from .coordinator import ControllerCoordinator
from .devices.naming import text
from .devices.parts import Part
from .entity import OfSlot, PoolctlEntity, PoolctlEntityDescription, async_output_of
from .fitted import async_follow, rows, with_role
from .status.situation import View

PARALLEL_UPDATES = 1


@dataclass(frozen=True, kw_only=True)
class PoolctlButtonDescription(PoolctlEntityDescription[None], ButtonEntityDescription):
    """One button."""

    press_fn: Callable[[ControllerCoordinator], Awaitable[None]]


_STATES_A_FACT: Final = EntityCategory.CONFIG
"""Category of buttons that state what a user did: actions on an area leave it out."""


def _refill(doser: DoserKind) -> PoolctlButtonDescription:
    return PoolctlButtonDescription(
        key=f"mark_{doser.key}_drum_full",
        entity_category=_STATES_A_FACT,
        part=Part.DOSING,
        fitted=doser.fitted,
        # Without the size of the drum, the volume of a full one is unknown.
        proof_fn=lambda view: doser.of(view.state).drum_litres,
        press_fn=lambda coordinator: coordinator.controller.dosing.refill(doser),
    )


async def _filter_cleaned(coordinator: ControllerCoordinator) -> None:
    """Mark the filter as cleaned; only Home Assistant stores this."""
    coordinator.stored.async_filter_cleaned()
    coordinator.controller.live.publish()


BUTTONS = (
    PoolctlButtonDescription(
        key="resume_schedules",
        press_fn=lambda coordinator: coordinator.controller.holds.resume_all(),
    ),
    *map(_refill, DOSERS),
    PoolctlButtonDescription(
        key="mark_filter_clean",
        entity_category=_STATES_A_FACT,
        part=Part.PUMP,
        exists_fn=lambda view: view.learned.filter.measurable or None,
        press_fn=_filter_cleaned,
    ),
)

_LIGHT_UPKEEP = {"resync", "save_colour", "sync"}
_SELDOM = {*_LIGHT_UPKEEP, "brightness_down"}
"""Light actions that are seldom needed."""


@dataclass(frozen=True, kw_only=True)
class PoolctlLightButtonDescription(PoolctlButtonDescription):
    """One action of one light."""

    action: str


def _light_button(slot: Slot, action: str) -> PoolctlLightButtonDescription:
    def exists(view: View) -> bool | None:
        kind = LIGHT_GROUPS[slot.role].light_type(view.state, view.choices)
        return action in kind.actions if kind else None

    return PoolctlLightButtonDescription(
        key=f"slot_{slot.index}_light_{action}",
        translation_key=f"light_{action}",
        index=slot.index,
        action=action,
        entity_category=EntityCategory.CONFIG if action in _LIGHT_UPKEEP else None,
        entity_registry_enabled_default=action not in _SELDOM,
        exists_fn=exists,
        press_fn=lambda coordinator: coordinator.controller.lights.act(
            slot.index, action
        ),
    )


class PoolctlButton(PoolctlEntity, ButtonEntity):
    """Button of a controller."""

    entity_description: PoolctlButtonDescription

    @override
    async def async_press(self) -> None:
        with self.commanding():
            await self.entity_description.press_fn(self.coordinator)


class PoolctlLightButton(OfSlot, PoolctlButton):
    """An action of a light, named after the light."""

    entity_description: PoolctlLightButtonDescription

    @property
    @override
    def id_words(self) -> str:
        return f"{super().id_words} {self.entity_description.action}"

    @property
    @override
    def extra_state_attributes(self) -> Mapping[str, object]:
        """Return its light, with which cards show it."""
        light = async_output_of(self.coordinator, self.entity_description.index)
        return {"light": light, **super().extra_state_attributes}

    @property
    @override
    def name(self) -> str | None:
        if (light := self.name_on_page) is None:
            return None
        return text(self.texts, Platform.BUTTON, self.translation_key, name=light)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove buttons as controllers and equipment change."""
    await async_follow(
        entry,
        async_add_entities,
        rows(PoolctlButton, BUTTONS),
        rows(
            PoolctlLightButton,
            lambda view: starmap(
                _light_button, product(with_role(LIGHT_GROUPS, view), LIGHT_ACTIONS)
            ),
        ),
    )
