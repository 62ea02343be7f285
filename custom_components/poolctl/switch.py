"""Switches: outputs that a person may switch, what may heat and dose, schedules."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, override

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.components.switch.const import SwitchDeviceClass
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.control.controller import Controller
from .client.equipment import (
    CHLORINATORS,
    HEAT_SOURCES,
    LIQUID_CHLORINE,
    PH_DOSERS,
    SPA_ACTUATORS,
    Role,
    Slot,
)
from .client.pool.schedule_rules import schedules_of
from .client.pool.state import PoolState
from .client.schedule import MAX_SCHEDULES
from .const import DOMAIN
from .coordinator import ControllerCoordinator
from .entity import (
    OutputEntity,
    PoolctlEntity,
    PoolctlEntityDescription,
    SlotEntity,
    slot_is_on,
)
from .errors import command_errors
from .presence import Factory, async_setup_platform, described

# Controllers take one command at a time by themselves; a limit here would keep the
# newest of several values from overtaking the ones that wait.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlSwitchDescription(PoolctlEntityDescription, SwitchEntityDescription):
    """One switch; `slot_fn` names the slot that schedules may hold."""

    set_fn: Callable[[Controller, bool], Coroutine[Any, Any, None]]
    slot_fn: Callable[[PoolState], Slot | None] | None = None


def _may_run(source: str) -> PoolctlSwitchDescription:
    return PoolctlSwitchDescription(
        key=f"{source}_selected",
        translation_key=f"{source}_selected",
        entity_category=EntityCategory.CONFIG,
        fitted=HEAT_SOURCES[source],
        value_fn=lambda state: getattr(state.configuration, f"{source}_selected"),
        set_fn=lambda controller, on: controller.heating.select(source, on),
    )


def _may_dose(key: str, field: str, codes: frozenset[int]) -> PoolctlSwitchDescription:
    """Return the row of a doser that the firmware may run; `field` is of Dosing."""
    return PoolctlSwitchDescription(
        key=key,
        translation_key=key,
        entity_category=EntityCategory.CONFIG,
        fitted=codes,
        value_fn=lambda state: getattr(state.dosing, field),
        set_fn=lambda controller, on: controller.settings.change(field, on),
    )


SWITCHES = (
    PoolctlSwitchDescription(
        key="pump",
        translation_key="pump",
        device_class=SwitchDeviceClass.SWITCH,
        value_fn=lambda state: state.pump_on,
        set_fn=lambda controller, on: controller.set_pump(on),
        slot_fn=lambda state: state.pump_slot,
    ),
    PoolctlSwitchDescription(
        key="spa_mode",
        translation_key="spa_mode",
        device_class=SwitchDeviceClass.SWITCH,
        fitted=frozenset(SPA_ACTUATORS),
        value_fn=lambda state: state.spa_mode,
        assumed_fn=lambda state: state.slots_assumed,
        set_fn=lambda controller, on: controller.set_spa_mode(on),
        slot_fn=lambda state: state.spa_slot,
    ),
    *(_may_run(source) for source in HEAT_SOURCES),
    _may_dose("ph_dosing", "ph_enabled", PH_DOSERS),
    _may_dose("chlorinator", "chlorinator_enabled", CHLORINATORS),
    _may_dose("liquid_chlorine", "liquid_enabled", LIQUID_CHLORINE),
)

type _Built = dict[str, Factory | Literal[False] | None]

SWITCHED_ROLES = {Role.GENERAL, Role.PUMP_LINKED}


def _slot_description(slot: Slot) -> PoolctlSwitchDescription:
    return PoolctlSwitchDescription(
        key=f"slot_{slot.index}",
        translation_key=slot.kind,
        device_class=SwitchDeviceClass.SWITCH,
        value_fn=slot_is_on(slot.index),
        assumed_fn=lambda state: state.slots_assumed,
        set_fn=lambda controller, on: controller.set_aux(slot.index, on),
    )


def _schedule_description(index: int) -> PoolctlSwitchDescription:
    def armed(state: PoolState) -> bool | None:
        schedule = schedules_of(state).get(index)
        return schedule.enabled if schedule else None

    async def arm(controller: Controller, on: bool) -> None:
        seen = schedules_of(controller.state).get(index)
        await controller.schedules.enable(index, on, seen=seen)

    return PoolctlSwitchDescription(
        key=f"schedule_{index}",
        translation_key="schedule",
        # Not among the outputs: "switch everything off" is not to disarm schedules.
        entity_category=EntityCategory.CONFIG,
        value_fn=armed,
        assumed_fn=lambda state: state.schedules_assumed,
        set_fn=arm,
    )


def _schedules(coordinator: ControllerCoordinator) -> _Built:
    """Return a switch for each schedule in use."""
    if coordinator.data.schedules is None:
        return {f"schedule_{index}": None for index in range(MAX_SCHEDULES)}
    used = schedules_of(coordinator.data)
    return {
        f"schedule_{index}": partial(PoolctlScheduleSwitch, coordinator, index)
        if index in used
        else False
        for index in range(MAX_SCHEDULES)
    }


def _switch(
    coordinator: ControllerCoordinator, description: PoolctlSwitchDescription
) -> PoolctlSwitch:
    kind = PoolctlSwitch if description.slot_fn is None else PoolctlOutputSwitch
    return kind(coordinator, description)


def _build(coordinator: ControllerCoordinator) -> _Built:
    found: _Built = {**described(_switch, SWITCHES, coordinator)}
    found |= _schedules(coordinator)
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
        """Refuse: it is no output."""
        raise ServiceValidationError(
            translation_domain=DOMAIN, translation_key="not_scheduled"
        )


class PoolctlOutputSwitch(OutputEntity, PoolctlSwitch):
    """An output a person switches, whichever slot it is on."""

    @property
    @override
    def slot(self) -> Slot | None:
        slot_fn = self.entity_description.slot_fn
        return slot_fn(self.coordinator.data) if slot_fn else None


class PoolctlSlotSwitch(SlotEntity, PoolctlSwitch):
    """A slot a person switches."""

    entity_description: PoolctlSwitchDescription


class PoolctlScheduleSwitch(PoolctlSwitch):
    """A schedule a person arms and disarms, with the name the controller has for it.

    Schedules are often called like the output that they switch, so "Schedule" goes
    before that.
    """

    def __init__(self, coordinator: ControllerCoordinator, index: int) -> None:
        """Remember the schedule."""
        self.index = index
        super().__init__(coordinator, _schedule_description(index))

    @override
    def _visible(self) -> tuple[Any, ...]:
        schedule = schedules_of(self.coordinator.data).get(self.index)
        name = (schedule and schedule.name) or str(self.index + 1)
        self._attr_translation_placeholders = {"name": name}
        return *super()._visible(), name

    @property
    @override
    def name(self) -> Any:
        """The name as it is now; Home Assistant would keep the first one."""
        return self._name_internal(None, self.platform_data.platform_translations)
