"""Switches: outputs, heat sources, dosers and schedules."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Any, Final, override

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.components.switch.const import SwitchDeviceClass
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client import Controller
from .client.holds import Hold
from .client.pool import (
    DOSING,
    MAX_SCHEDULES,
    SPA_ACTUATORS,
    AnyDosing,
    HeatSource,
    Role,
    Slot,
    named_speeds,
    occurrences,
)
from .devices.naming import schedule_name_on_page
from .devices.output_attributes import ATTR_SPEEDS
from .devices.parts import Part, Use, allowed_key, part_of_source, use_of
from .entity import (
    OfSchedule,
    OnOffEntity,
    OutputEntity,
    PoolctlEntityDescription,
    SlotEntity,
    is_on,
)
from .fitted import async_follow, rows, with_role
from .status.dosing import why_dosing
from .status.rows import rounded
from .status.situation import View

# Commands to a controller are already sent one at a time; a limit here would keep the
# newest of several values from replacing those that wait.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlSwitchDescription(PoolctlEntityDescription[bool], SwitchEntityDescription):
    """One switch of a setting."""

    set_fn: Callable[[Controller, bool], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class PoolctlOutputSwitchDescription(
    PoolctlEntityDescription[bool], SwitchEntityDescription
):
    """One switch of an output."""

    slot_fn: Callable[[View], Slot | None] = lambda view: None
    """Current slot of an output with its own key."""


def _may_heat(source: HeatSource) -> PoolctlSwitchDescription:
    async def allow(controller: Controller, on: bool) -> None:
        with controller.heat.following([source], on):
            await controller.heating.choose(source, on)

    return PoolctlSwitchDescription(
        key=allowed_key(source),
        part=part_of_source(source),
        entity_category=EntityCategory.CONFIG,
        fitted=source.fitted,
        value_fn=lambda view: view.state.heat[source],
        set_fn=allow,
    )


def _may_dose(kind: AnyDosing) -> PoolctlSwitchDescription:
    def paused(view: View) -> Mapping[str, str]:
        until = view.pauses.get(kind.key)
        return {"paused_until": until.isoformat(timespec="seconds")} if until else {}

    return PoolctlSwitchDescription(
        key=kind.enabled_key,
        part=Part.DOSING,
        entity_category=EntityCategory.CONFIG,
        fitted=kind.fitted,
        value_fn=lambda view: kind.of(view.state).shown,
        assumed_fn=lambda view: kind.of(view.state).assumed,
        attributes_fn=paused,
        explain_fn=lambda view: why_dosing(view, kind),
        set_fn=lambda controller, on: controller.pauses.enable(kind, on),
        doses=kind,
    )


def _speeds(view: View) -> Mapping[str, object]:
    state = view.state
    return {ATTR_SPEEDS: named_speeds(state)} if state.variable_speed else {}


_EXTRA_RUN: Final = "extra_run"
"""Claimant of what the switch *Extra run* asks for."""

EXTRA_RUN = PoolctlOutputSwitchDescription(
    key="pump_extra_run",
    part=Part.PUMP,
    entity_registry_enabled_default=False,
    proof_fn=lambda view: view.state.pump_on,
    value_fn=lambda view: any(_EXTRA_RUN in hold.claimants for hold in view.holds),
)

OUTPUT_SWITCHES = (
    PoolctlOutputSwitchDescription(
        key="pump",
        part=Part.PUMP,
        name=None,
        device_class=SwitchDeviceClass.SWITCH,
        value_fn=lambda view: view.state.pump_on,
        attributes_fn=_speeds,
        slot_fn=lambda view: view.state.outputs.pump,
    ),
    PoolctlOutputSwitchDescription(
        key="spa_mode",
        part=Part.SPA,
        name=None,
        device_class=SwitchDeviceClass.SWITCH,
        fitted=frozenset(SPA_ACTUATORS),
        value_fn=lambda view: view.state.spa_mode,
        assumed_fn=lambda view: view.state.outputs.assumed,
        slot_fn=lambda view: view.state.outputs.spa,
    ),
)
SOURCE_SWITCHES = tuple(map(_may_heat, HeatSource))
DOSER_SWITCHES = tuple(map(_may_dose, DOSING))

SWITCHED_ROLES = {Role.GENERAL, Role.PUMP_LINKED}


def _slots(view: View) -> Iterator[PoolctlOutputSwitchDescription]:
    for slot in with_role(SWITCHED_ROLES, view):
        use = use_of(slot, view.uses)
        if use is not Use.LIGHT:
            yield PoolctlOutputSwitchDescription(
                key=f"slot_{slot.index}",
                translation_key=f"{use}_output" if use else slot.kind,
                index=slot.index,
                device_class=SwitchDeviceClass.SWITCH,
                value_fn=is_on(slot.index),
                assumed_fn=lambda view: view.state.outputs.assumed,
            )


_NEXT_RUN: Final = timedelta(days=8)
"""Time in which each armed schedule begins, whatever its days are."""


def _schedule(index: int) -> PoolctlSwitchDescription:
    def exists(view: View) -> bool | None:
        schedules = view.state.schedules
        return None if schedules.records is None else index in schedules.used

    def armed(view: View) -> bool | None:
        schedule = view.state.schedules.used.get(index)
        return schedule.enabled if schedule else None

    def next_run(view: View) -> Mapping[str, object]:
        used, zone = view.state.schedules.used, view.now.tzinfo or UTC
        mine = {index: used[index]} if index in used else {}
        runs = occurrences(mine, view.local, view.local + _NEXT_RUN, zone)
        starts = (
            rounded(run.start - view.ahead) for run in runs if run.start > view.local
        )
        return {"next_run": at} if (at := next(starts, None)) else {}

    async def arm(controller: Controller, on: bool) -> None:
        observed = controller.live.state.schedules.used.get(index)
        await controller.schedules.enable(index, on, observed=observed)

    return PoolctlSwitchDescription(
        key=f"schedule_{index}",
        translation_key="schedule",
        index=index,
        exists_fn=exists,
        # Switching off everything in an area is not meant to disarm schedules.
        entity_category=EntityCategory.CONFIG,
        value_fn=armed,
        attributes_fn=next_run,
        assumed_fn=lambda view: view.state.schedules.assumed,
        set_fn=arm,
    )


SCHEDULE_SWITCHES = tuple(map(_schedule, range(MAX_SCHEDULES)))


class PoolctlSwitch(OnOffEntity, SwitchEntity):
    """One switch of a setting."""

    entity_description: PoolctlSwitchDescription

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        with self.commanding():
            await self.entity_description.set_fn(self.controller, True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        with self.commanding():
            await self.entity_description.set_fn(self.controller, False)


class PoolctlOutputSwitch(OutputEntity, SwitchEntity):
    """An output with its own key (pump, spa mode), on whichever slot it is."""

    entity_description: PoolctlOutputSwitchDescription

    @property
    @override
    def slot(self) -> Slot | None:
        return self.entity_description.slot_fn(self.view)


class PoolctlSlotSwitch(SlotEntity, SwitchEntity):
    """The output of one slot."""

    entity_description: PoolctlOutputSwitchDescription


class PoolctlExtraRun(OnOffEntity, SwitchEntity):
    """Whether the pump runs beside its schedules and all else that needs it.

    For managers of energy: what is switched off is only what was switched on here.
    """

    entity_description: PoolctlOutputSwitchDescription

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        with self.commanding():
            pump, name = self.view.state.outputs.pump, await self.caller_name()
            until = self.controller.clock.now() + Hold.LONGEST
            await self.controller.holds.claim(pump, _EXTRA_RUN, until, name)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        with self.commanding():
            await self.controller.holds.end(_EXTRA_RUN)


class PoolctlScheduleSwitch(OfSchedule, PoolctlSwitch):
    """Switch that arms and disarms a schedule, with the schedule's name."""

    @property
    @override
    def name(self) -> str:
        """Current name; Home Assistant would cache the first one."""
        index = self.entity_description.index
        return schedule_name_on_page(index, self.view.state, self.texts)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove switches as controllers and equipment change."""
    await async_follow(
        entry,
        async_add_entities,
        rows(PoolctlOutputSwitch, OUTPUT_SWITCHES),
        rows(PoolctlExtraRun, (EXTRA_RUN,)),
        rows(PoolctlSlotSwitch, _slots),
        rows(PoolctlSwitch, (*SOURCE_SWITCHES, *DOSER_SWITCHES)),
        rows(PoolctlScheduleSwitch, SCHEDULE_SWITCHES),
    )
