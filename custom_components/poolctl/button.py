"""Buttons: things done once."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, override

from homeassistant.components.button import ButtonEntity, ButtonEntityDescription
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import ControllerCoordinator, PoolctlConfigEntry
from .entity import (
    PoolctlEntity,
    PoolctlEntityDescription,
    async_setup_platform,
    command_errors,
    described,
)

PARALLEL_UPDATES = 1


@dataclass(frozen=True, kw_only=True)
class PoolctlButtonDescription(PoolctlEntityDescription, ButtonEntityDescription):
    """One button."""

    press_fn: Callable[[ControllerCoordinator], Coroutine[Any, Any, None]]


BUTTONS = (
    PoolctlButtonDescription(
        key="resume_schedules",
        translation_key="resume_schedules",
        value_fn=lambda state: None,
        press_fn=lambda coordinator: coordinator.controller.resume_schedules(),
    ),
    PoolctlButtonDescription(
        key="refresh",
        translation_key="refresh",
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=lambda state: None,
        press_fn=lambda coordinator: coordinator.async_request_refresh(),
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the buttons."""
    async_setup_platform(
        entry,
        Platform.BUTTON,
        async_add_entities,
        partial(described, PoolctlButton, BUTTONS),
    )


class PoolctlButton(PoolctlEntity, ButtonEntity):
    """Something a person asks to be done."""

    entity_description: PoolctlButtonDescription

    @override
    async def async_press(self) -> None:
        """Do it."""
        with command_errors():
            await self.entity_description.press_fn(self.coordinator)
