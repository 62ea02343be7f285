"""Switches: the main pump, and slots that a person may switch."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, override

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.components.switch.const import SwitchDeviceClass
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.controller import Controller
from .client.equipment import Role, Slot
from .client.state import PoolState
from .coordinator import ControllerCoordinator, PoolctlConfigEntry
from .entity import (
    Factory,
    PoolctlEntity,
    PoolctlEntityDescription,
    SlotEntity,
    async_setup_platform,
    command_errors,
    described,
)

# Controllers take one command at a time by themselves; a limit here would keep the
# newest of several values from overtaking the ones that wait.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlSwitchDescription(PoolctlEntityDescription, SwitchEntityDescription):
    """One switch; `slot_fn` names the slot that schedules may hold."""

    set_fn: Callable[[Controller, bool], Coroutine[Any, Any, None]]
    slot_fn: Callable[[PoolState], Slot | None]


SWITCHES = (
    PoolctlSwitchDescription(
        key="pump",
        translation_key="pump",
        device_class=SwitchDeviceClass.SWITCH,
        value_fn=lambda state: state.pump_on,
        set_fn=lambda controller, on: controller.set_pump(on),
        slot_fn=lambda state: state.pump_slot,
    ),
)

SWITCHED_ROLES = {Role.GENERAL, Role.PUMP_LINKED}


def _slot_description(slot: Slot) -> PoolctlSwitchDescription:
    def current(state: PoolState) -> Slot | None:
        return state.slot(slot.index)

    return PoolctlSwitchDescription(
        key=f"slot_{slot.index}",
        translation_key=slot.kind,
        device_class=SwitchDeviceClass.SWITCH,
        value_fn=lambda state: (found := current(state)) and found.on,
        assumed_fn=lambda state: state.slots_assumed,
        set_fn=lambda controller, on: controller.set_aux(slot.index, on),
        slot_fn=current,
    )


def _build(coordinator: ControllerCoordinator) -> dict[str, Factory | None]:
    found = described(PoolctlSwitch, SWITCHES, coordinator)
    for slot in coordinator.data.slots:
        if slot.role in SWITCHED_ROLES:
            description = _slot_description(slot)
            found[description.key] = partial(
                PoolctlSlotSwitch, coordinator, description, slot.index
            )
    return found


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the switches."""
    async_setup_platform(entry, Platform.SWITCH, async_add_entities, _build)


class PoolctlSwitch(PoolctlEntity, SwitchEntity):
    """Something a person switches."""

    entity_description: PoolctlSwitchDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether it runs, for whatever reason."""
        return self._value  # type: ignore[no-any-return]

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Switch it on, against any schedule."""
        with command_errors():
            await self.entity_description.set_fn(self.controller, True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Switch it off, against any schedule."""
        with command_errors():
            await self.entity_description.set_fn(self.controller, False)

    async def async_resume_schedule(self) -> None:
        """Give it back to its schedules."""
        with command_errors():
            slot = self.entity_description.slot_fn(self.coordinator.data)
            await self.controller.resume_schedule(slot.index if slot else None)


class PoolctlSlotSwitch(SlotEntity, PoolctlSwitch):
    """A slot a person switches."""

    entity_description: PoolctlSwitchDescription
