"""Base classes of all entities: a row of a table, and what it shows."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
import time
from typing import Any, override

from homeassistant.const import ATTR_ENTITY_ID, Platform
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.typing import UndefinedType
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .client import Controller
from .client.holds import Hold
from .client.pool import AnyDosing, Schedule, Slot
from .const import DOMAIN
from .coordinator import ControllerCoordinator
from .devices import output_attributes
from .devices.naming import Texts, name_on_page, sayable, slot_words
from .devices.output_attributes import ATTR_EXPLANATION, ATTR_REASONS
from .devices.parts import Part, part_of_slot
from .errors import command_errors
from .status.output import ASKED, EVENT_CHANGED, why_output
from .status.rows import Explanation
from .status.situation import View
from .status.texts import in_words, reasons


@dataclass(frozen=True, kw_only=True)
class PoolctlEntityDescription[T = Any](EntityDescription):
    """One row of a platform's table: all that is particular to an entity.

    `T` is the kind of value that it shows.
    """

    value_fn: Callable[[View], T | None] = lambda view: None
    """Value of the entity; `None` means unknown."""
    attributes_fn: Callable[[View], Mapping[str, object]] = lambda view: {}
    available_fn: Callable[[View], bool] = lambda view: view.reached
    explain_fn: Callable[[View], Explanation] = lambda view: ()
    """Reason for its state, shown in the language of Home Assistant if there is one."""
    assumed_fn: Callable[[View], bool] = lambda view: False
    """Whether the value is stored, not reported by the current source."""
    fitted: frozenset[int] | None = None
    """Aux types, one of which must be wired for the entity to exist."""
    proof_fn: Callable[[View], object] | None = None
    """A result other than `None` proves that the entity exists. It is asked if there is
    no `fitted`, or the equipment is unknown; by default, the value is the proof."""
    exists_fn: Callable[[View], bool | None] = lambda view: True
    """Another condition for the entity to exist; `None` means not yet known."""
    part: Part | None = None
    """The part of the pool on whose page it is, `None` for the controller's page."""
    index: int = 0
    """Index of the slot or schedule, if it belongs to one."""
    doses: AnyDosing | None = None
    """The dosing that it allows, and that the action `pause_dosing` pauses."""

    def exists(self, view: View) -> bool | None:
        """Return whether the pool has this equipment, `None` if not yet known."""
        fitted: bool | None = self.proof_fn is None or None
        if self.fitted is not None:
            fitted = view.state.outputs.fitted(self.fitted)
        if fitted is None:
            fitted = (self.proof_fn or self.value_fn)(view) is not None or None
        return self.exists_fn(view) and fitted


class PoolctlEntity[T = Any](CoordinatorEntity[ControllerCoordinator]):
    """An entity that shows what its row makes of the newest view."""

    entity_description: PoolctlEntityDescription[T]
    _attr_has_entity_name = True
    _unrecorded_attributes = frozenset({ATTR_EXPLANATION, ATTR_REASONS})
    _caller: Context | None = None

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlEntityDescription
    ) -> None:
        super().__init__(coordinator)
        self.entity_description = description
        self._attr_unique_id = f"{coordinator.record.device_id}_{description.key}"
        self._attr_device_info = coordinator.device_info_of(self.part)
        self._attr_translation_key = description.translation_key or description.key
        if description.name is None:
            # It has the name of its part; the translation of its key is used elsewhere.
            self._attr_name = None

    @property
    def view(self) -> View:
        """The newest values."""
        return self.coordinator.view

    @property
    def shown_value(self) -> T | None:
        """The newest value, `None` if it is unknown."""
        return self.entity_description.value_fn(self.view)

    @property
    def controller(self) -> Controller:
        """The controller that commands are sent to."""
        return self.coordinator.controller

    @property
    @override
    def available(self) -> bool:
        return self.entity_description.available_fn(self.view)

    @property
    @override
    def assumed_state(self) -> bool:
        return self.entity_description.assumed_fn(self.view)

    @property
    @override
    def extra_state_attributes(self) -> Mapping[str, object]:
        found = self.entity_description.attributes_fn(self.view)
        if not (why := self.explain()):
            return found
        words, given = in_words(self.hass, why), reasons(self.hass, why)
        return {**found, ATTR_EXPLANATION: words, ATTR_REASONS: given}

    def explain(self) -> Explanation:
        """Return the reason for its state, empty if there is none to give."""
        return self.entity_description.explain_fn(self.view)

    @property
    def part(self) -> Part | None:
        """The part of the pool whose device it is on, `None` for the controller."""
        return self.entity_description.part

    @property
    def id_words(self) -> str:
        """Words of its entity ID after the name of the controller."""
        return self.entity_description.key

    @property
    def unnamed(self) -> bool:
        """Whether its name is still to be read: until then it should not be added."""
        return False

    @property
    def outdated(self) -> bool:
        """Whether it was created for other equipment and must be replaced."""
        return False

    @property
    def texts(self) -> Texts:
        """The translations of names."""
        return self.platform_data.platform_translations

    def commanding(self) -> AbstractContextManager[None]:
        """Convert errors of a command to translated errors that name this entity."""
        shown = self.hass.states.get(self.entity_id)
        return command_errors(shown.name if shown else self.entity_id)

    @callback
    @override
    def async_set_context(self, context: Context) -> None:
        super().async_set_context(context)
        self._caller = context

    async def caller_name(self) -> str:
        """Return the user, automation or script that gives a command just now, or ""."""
        if (context := self._caller) is None:
            return ""
        by_user = context.user_id and await self.hass.auth.async_get_user(
            context.user_id
        )
        if by_user:
            return by_user.name or ""
        running = self.hass.states.async_all(("automation", "script"))
        names = (each.name for each in running if each.context.id == context.id)
        return next(names, "")


class OnOffEntity(PoolctlEntity[bool]):
    """An entity that is on or off."""

    @property
    def is_on(self) -> bool | None:
        """Whether it is on, for any reason."""
        return self.shown_value


class OutputEntity(OnOffEntity):
    """An entity that shows whether an output is on, and what runs it."""

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlEntityDescription
    ) -> None:
        super().__init__(coordinator, description)
        self._was_on = self.is_on
        self._asked_at = -ASKED
        """Time of the newest command from Home Assistant, whose effect has its line in
        the log already."""

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        previous, on = self._was_on, self.is_on
        self._was_on = previous if on is None else on
        super()._handle_coordinator_update()
        changed = previous is not None and previous is not self._was_on
        if not changed or time.monotonic() - self._asked_at < ASKED:
            return
        if why := self.explain():
            words = in_words(self.hass, why)
            data = {ATTR_ENTITY_ID: self.entity_id, ATTR_EXPLANATION: words}
            self.hass.bus.async_fire(EVENT_CHANGED, data)

    @property
    def slot(self) -> Slot | None:
        """Current slot of the output, `None` if unknown."""
        raise NotImplementedError

    @override
    def explain(self) -> Explanation:
        return why_output(self.view, self.slot)

    @property
    @override
    def extra_state_attributes(self) -> Mapping[str, object]:
        """Attributes that show what runs it: a schedule, a user or the firmware."""
        run_by = output_attributes.attributes(self.view.state, self.slot, self._hold)
        return {**run_by, **super().extra_state_attributes}

    @property
    def _hold(self) -> Hold | None:
        return self.controller.holds.of(self.slot.index) if self.slot else None

    async def async_turn_on(self, **kwargs: Any) -> None:
        """Switch it on against any schedule."""
        await self._switch(True)

    async def async_turn_off(self, **kwargs: Any) -> None:
        """Switch it off; inside a window of its schedules, hold it off."""
        await self._switch(False)

    async def _switch(self, on: bool) -> None:
        with self.commanding():
            requester = await self.asked_by()
            await self.controller.holds.switch(self.slot, on, requester)

    async def asked_by(self) -> str:
        """Note a command; return the user, automation or script that gives it, or ""."""
        name = await self.caller_name()
        self._asked_at = time.monotonic()
        return name


class OfSlot(PoolctlEntity):
    """An entity that belongs to one slot and is named after it."""

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlEntityDescription
    ) -> None:
        number = str(description.index + 1)
        self._attr_translation_placeholders = {"number": number}
        super().__init__(coordinator, description)
        self._kind = self.slot and self.slot.kind

    @property
    def slot(self) -> Slot | None:
        """Current slot, `None` if unknown."""
        return self.view.state.outputs.slot(self.entity_description.index)

    @property
    @override
    def part(self) -> Part | None:
        if self.slot is None:
            return Part.OUTPUTS
        return part_of_slot(self.slot, self.view.uses)

    @property
    @override
    def id_words(self) -> str:
        return slot_words(self.slot, self.entity_description.index)

    @property
    @override
    def unnamed(self) -> bool:
        return self.controller.queries.names_due

    @property
    def name_on_page(self) -> str | None:
        """Name of the slot on its page; not cached, as it may be renamed."""
        if (slot := self.slot) is None:
            return None
        return name_on_page(slot, self.view.state, self.texts, self.view.uses)


class SlotEntity(OfSlot, OutputEntity):
    """The output of one slot, with the name that the pool's owner gave it."""

    @property
    @override
    def outdated(self) -> bool:
        return (slot := self.slot) is not None and slot.kind != self._kind

    @property
    @override
    def name(self) -> str | UndefinedType | None:
        return self.name_on_page or super().name


def is_on(index: int) -> Callable[[View], bool | None]:
    """Return a function that checks whether the relay of a slot is on."""
    return lambda view: slot.on if (slot := view.state.outputs.slot(index)) else None


@callback
def async_outputs(hass: HomeAssistant) -> Iterator[OutputEntity]:
    """Return the entities of the outputs of all controllers."""
    for platform in async_get_platforms(hass, DOMAIN):
        if platform.domain in (Platform.LIGHT, Platform.SWITCH):
            for entity in platform.entities.values():
                if isinstance(entity, OutputEntity):
                    yield entity


@callback
def async_outputs_of(
    coordinator: ControllerCoordinator,
) -> Iterator[tuple[int, OutputEntity]]:
    """Return the entities of a controller's outputs, each with its slot."""
    for entity in async_outputs(coordinator.hass):
        if entity.coordinator is coordinator and entity.slot is not None:
            yield entity.slot.index, entity


@callback
def async_output_of(coordinator: ControllerCoordinator, slot: int) -> str | None:
    """Return the entity ID of a slot's output, `None` if there is none."""
    found = (e for index, e in async_outputs_of(coordinator) if index == slot)
    return next((entity.entity_id for entity in found), None)


class OfSchedule(PoolctlEntity):
    """An entity of one schedule, with the name that the controller reports."""

    @property
    def schedule(self) -> Schedule | None:
        """The current schedule, `None` if it no longer exists."""
        return self.view.state.schedules.used.get(self.entity_description.index)

    @property
    @override
    def id_words(self) -> str:
        name = self.schedule.name if self.schedule else ""
        number = self.entity_description.index + 1
        return f"{name if sayable(name) else number} schedule"
