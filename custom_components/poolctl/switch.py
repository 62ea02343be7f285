"""Switches: outputs, heat sources, dosers and schedules."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, override

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.components.switch.const import SwitchDeviceClass
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.typing import UndefinedType

from .account import PoolctlConfigEntry
from .client.control.controller import Controller
from .client.pool.dosing import DOSING, AnyDosing
from .client.pool.state import PoolState
from .client.wire.equipment import SPA_ACTUATORS, HeatSource, Role, Slot
from .client.wire.schedule import MAX_SCHEDULES
from .const import DOMAIN
from .coordinator import ControllerCoordinator
from .devices.uses import Use, Uses, use_of
from .entity import (
    ExplainedEntity,
    OutputEntity,
    PoolctlEntity,
    PoolctlEntityDescription,
    SlotEntity,
    slot_is_on,
)
from .fitted import Presences, async_setup_platform, described, of_slots, with_role
from .schedules.entity import OfSchedule, OfScheduleDescription, of_schedules
from .status.sentence import Explanation

# Commands to a controller are already sent one at a time; a limit here would keep the
# newest of several values from replacing those that wait.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlSwitchDescription(PoolctlEntityDescription[bool], SwitchEntityDescription):
    """One switch."""

    set_fn: Callable[[Controller, bool], Awaitable[None]] | None = None
    heat_source: HeatSource | None = None
    """The heat source that it allows, if any."""
    """Function that switches it; `None` for an output."""
    slot_fn: Callable[[PoolState], Slot | None] | None = None
    """Function that returns the current slot of the output; `None` if it is not an
    output, or always on the same slot."""


@dataclass(frozen=True, kw_only=True)
class PoolctlDosingDescription(PoolctlSwitchDescription):
    """The switch of one doser."""

    kind: AnyDosing


@dataclass(frozen=True, kw_only=True)
class PoolctlScheduleDescription(OfScheduleDescription[bool], PoolctlSwitchDescription):
    """The switch of one schedule."""


def _may_heat(source: HeatSource) -> PoolctlSwitchDescription:
    """Return the row of a heat source that the firmware may run."""
    return PoolctlSwitchDescription(
        key=f"{source}_selected",
        translation_key=f"{source}_selected",
        # The thermostat of the spa switches only this heat source.
        entity_registry_enabled_default=source is not HeatSource.SPA_HEATER,
        entity_category=EntityCategory.CONFIG,
        fitted=source.fitted,
        value_fn=lambda state: state.heat[source].selected,
        set_fn=lambda controller, on: controller.heating.select(source, on),
        heat_source=source,
    )


def _may_dose(kind: AnyDosing) -> PoolctlDosingDescription:
    """Return the row of a doser that the firmware may run."""
    return PoolctlDosingDescription(
        key=kind.enabled_key,
        translation_key=kind.enabled_key,
        entity_category=EntityCategory.CONFIG,
        fitted=kind.fitted,
        value_fn=lambda state: kind.of(state).enabled,
        set_fn=lambda controller, on: controller.pauses.enable(kind, on),
        kind=kind,
    )


SWITCHES = (
    PoolctlSwitchDescription(
        key="pump",
        name=None,
        translation_key="pump",
        device_class=SwitchDeviceClass.SWITCH,
        value_fn=lambda state: state.pump_on,
        slot_fn=lambda state: state.outputs.pump,
    ),
    PoolctlSwitchDescription(
        key="spa_mode",
        translation_key="spa_mode",
        device_class=SwitchDeviceClass.SWITCH,
        fitted=frozenset(SPA_ACTUATORS),
        value_fn=lambda state: state.spa_mode,
        assumed_fn=lambda state: state.outputs.assumed,
        slot_fn=lambda state: state.outputs.spa,
    ),
    *(_may_heat(source) for source in HeatSource),
)
DOSERS = tuple(_may_dose(kind) for kind in DOSING)

SWITCHED_ROLES = {Role.GENERAL, Role.PUMP_LINKED}


def _slot_description(uses: Uses, slot: Slot) -> PoolctlSwitchDescription:
    use = use_of(slot, uses)
    return PoolctlSwitchDescription(
        key=f"slot_{slot.index}",
        translation_key=f"{use}_output" if use else slot.kind,
        device_class=SwitchDeviceClass.SWITCH,
        value_fn=slot_is_on(slot.index),
        assumed_fn=lambda state: state.outputs.assumed,
    )


def _schedule_description(index: int) -> PoolctlScheduleDescription:
    def armed(state: PoolState) -> bool | None:
        schedule = state.schedules.used.get(index)
        return schedule.enabled if schedule else None

    async def arm(controller: Controller, on: bool) -> None:
        observed = controller.store.state.schedules.used.get(index)
        await controller.schedules.enable(index, on, observed=observed)

    return PoolctlScheduleDescription(
        key=f"schedule_{index}",
        translation_key="schedule",
        index=index,
        # Switching off everything in an area is not meant to disarm schedules.
        entity_category=EntityCategory.CONFIG,
        value_fn=armed,
        assumed_fn=lambda state: state.schedules.assumed,
        set_fn=arm,
    )


SCHEDULES = tuple(_schedule_description(index) for index in range(MAX_SCHEDULES))


def _switch(
    coordinator: ControllerCoordinator, description: PoolctlSwitchDescription
) -> PoolctlSwitch:
    if isinstance(description, PoolctlDosingDescription):
        return PoolctlDosingSwitch(coordinator, description)
    kind = PoolctlSwitch if description.slot_fn is None else PoolctlOutputSwitch
    return kind(coordinator, description)


def _build(coordinator: ControllerCoordinator) -> Presences:
    uses = coordinator.uses
    slots = [
        slot
        for slot in with_role(SWITCHED_ROLES, coordinator)
        if use_of(slot, uses) is not Use.LIGHT
    ]
    describe = partial(_slot_description, uses)
    return {
        **described(_switch, SWITCHES, coordinator),
        **described(PoolctlDosingSwitch, DOSERS, coordinator),
        **of_schedules(PoolctlScheduleSwitch, SCHEDULES, coordinator),
        **of_slots(PoolctlSlotSwitch, describe, slots, coordinator),
    }


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the switches."""
    async_setup_platform(entry, Platform.SWITCH, async_add_entities, _build)


class PoolctlSwitch(PoolctlEntity[bool], SwitchEntity):
    """One switch of a controller."""

    entity_description: PoolctlSwitchDescription
    shows_figures = False

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether it is on, for any reason."""
        return self._value

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Switch it on."""
        with self.commanding():
            await self._switch(True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Switch it off."""
        with self.commanding():
            await self._switch(False)

    async def _switch(self, on: bool) -> None:
        if (set_fn := self.entity_description.set_fn) is None:
            raise NotImplementedError(self.entity_description.key)
        await set_fn(self.controller, on)
        if on and (source := self.entity_description.heat_source) is not None:
            self.coordinator.warm_by.disown([source])

    async def async_resume_schedule(self) -> None:
        """Refuse: only an output can be given back to its schedules."""
        raise ServiceValidationError(
            translation_domain=DOMAIN, translation_key="not_scheduled"
        )

    async def async_hold(
        self, state: bool, duration: timedelta, speed: int | None = None
    ) -> None:
        """Refuse: only an output can be held against its schedules."""
        raise ServiceValidationError(
            translation_domain=DOMAIN, translation_key="not_held"
        )


class PoolctlDosingSwitch(ExplainedEntity[bool], PoolctlSwitch):
    """Switch that allows a doser to run, and shows why it doses or does not."""

    entity_description: PoolctlDosingDescription
    shows_figures = True

    @override
    def explain(self) -> Explanation:
        shown = self.coordinator.pool.chemistry
        return self.coordinator.explained.dosing(self.entity_description.kind, shown)

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """The explanation, and the end of a pause."""
        until = self.controller.pauses.until(self.entity_description.kind)
        paused = {"paused_until": until.isoformat(timespec="seconds")} if until else {}
        return {**super().extra_state_attributes, **paused}


class _OfOutput(OutputEntity, PoolctlSwitch):
    """An output that the user can switch against its schedules."""

    @override
    async def _switch(self, on: bool) -> None:
        await self.switch_by_hand(on)


class PoolctlOutputSwitch(_OfOutput):
    """An output with its own key (pump, spa mode), on whichever slot it is."""

    @property
    @override
    def slot(self) -> Slot | None:
        slot_fn = self.entity_description.slot_fn
        return slot_fn(self.coordinator.data) if slot_fn else None


class PoolctlSlotSwitch(SlotEntity, _OfOutput):
    """The output of one slot."""

    entity_description: PoolctlSwitchDescription


class PoolctlScheduleSwitch(OfSchedule[bool], PoolctlSwitch):
    """Switch that arms and disarms a schedule, with the schedule's name."""

    entity_description: PoolctlScheduleDescription

    @property
    @override
    def name(self) -> str | UndefinedType | None:
        """Current name; Home Assistant would cache the first one."""
        return self.schedule_name
