"""Buttons: actions that run once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import override

from homeassistant.components.button import ButtonEntity, ButtonEntityDescription
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool.dosing import DOSERS, DoserKind
from .client.pool.lights import LIGHT_ACTIONS, LIGHT_GROUPS
from .const import DOMAIN
from .coordinator import ControllerCoordinator
from .devices.naming import name_on_page
from .entity import OfSlot, PoolctlEntity, PoolctlEntityDescription
from .fitted import Presences, async_setup_platform, described, presence
from .learned.pool import filter_measurable

PARALLEL_UPDATES = 1


@dataclass(frozen=True, kw_only=True)
class PoolctlButtonDescription(
    PoolctlEntityDescription[float], ButtonEntityDescription
):
    """One button."""

    press_fn: Callable[[ControllerCoordinator], Awaitable[None]]


def _refill(doser: DoserKind) -> PoolctlButtonDescription:
    """Return the row of the button that marks a drum as full."""
    return PoolctlButtonDescription(
        key=f"refill_{doser.key}",
        translation_key=f"refill_{doser.key}",
        fitted=doser.fitted,
        # Without the size of the drum, the volume of a full one is unknown.
        value_fn=lambda state: doser.of(state).drum_litres,
        press_fn=lambda coordinator: coordinator.controller.dosing.refill(doser),
    )


async def _filter_cleaned(coordinator: ControllerCoordinator) -> None:
    """Mark the filter as cleaned; only Home Assistant stores this."""
    coordinator.remembered.async_filter_cleaned()
    coordinator.controller.store.publish()


BUTTONS = (
    PoolctlButtonDescription(
        key="resume_schedules",
        translation_key="resume_schedules",
        press_fn=lambda coordinator: coordinator.controller.holds.resume_all(),
    ),
    *(_refill(doser) for doser in DOSERS),
    PoolctlButtonDescription(
        key="filter_cleaned",
        translation_key="filter_cleaned",
        exists_fn=filter_measurable,
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


def _light_button(index: int, action: str) -> PoolctlLightButtonDescription:
    return PoolctlLightButtonDescription(
        action=action,
        key=f"slot_{index}_light_{action}",
        translation_key=f"light_{action}",
        entity_category=EntityCategory.CONFIG if action in _LIGHT_UPKEEP else None,
        entity_registry_enabled_default=action not in _SELDOM,
        press_fn=lambda coordinator: coordinator.controller.lights.act(index, action),
    )


def _light_buttons(coordinator: ControllerCoordinator) -> Presences:
    """Return the buttons of all lights; the light type decides which exist."""
    found: Presences = {}
    pool = coordinator.pool
    for slot in pool.state.outputs.slots:
        if (group := LIGHT_GROUPS.get(slot.role)) is None:
            continue
        kind = group.light_type(pool.state, pool.choices)
        for action in LIGHT_ACTIONS:
            description = _light_button(slot.index, action)
            make = partial(PoolctlLightButton, coordinator, description, slot.index)
            exists = action in kind.actions if kind else None
            found[description.key] = presence(exists, make)
    return found


def _build(coordinator: ControllerCoordinator) -> Presences:
    return {
        **described(PoolctlButton, BUTTONS, coordinator),
        **_light_buttons(coordinator),
    }


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the buttons."""
    async_setup_platform(entry, Platform.BUTTON, async_add_entities, _build)


class PoolctlButton(PoolctlEntity[float], ButtonEntity):
    """Button of a controller."""

    entity_description: PoolctlButtonDescription
    shows_figures = False

    @override
    async def async_press(self) -> None:
        """Run the action."""
        with self.commanding():
            await self.entity_description.press_fn(self.coordinator)


class PoolctlLightButton(OfSlot[float], PoolctlButton):
    """An action of a light, named after the light."""

    entity_description: PoolctlLightButtonDescription

    @property
    @override
    def id_words(self) -> str:
        return f"{super().id_words} {self.entity_description.action}"

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.slot and (self.slot.name, self.slot.kind)

    @property
    @override
    def name(self) -> str | None:
        """Name of the light and the action; not cached, as a light may be renamed."""
        if (slot := self.slot) is None:
            return None
        texts = self.platform_data.platform_translations
        light = name_on_page(slot, self.coordinator.data, texts, self.coordinator.uses)
        path = f"component.{DOMAIN}.entity.button.{self.translation_key}.name"
        return texts.get(path, "{name}").format(name=light)
