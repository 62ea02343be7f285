"""Base classes of all entities: existence, values, and when a state is written."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple, override

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Context, callback
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.typing import UndefinedType
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from . import output_attributes
from .client.control.controller import Controller
from .client.holds.hold import Hold
from .client.pool.state import PoolState
from .client.wire.equipment import Slot
from .coordinator import ControllerCoordinator
from .devices.naming import name_on_page, slot_words
from .devices.parts import PART_OF, Part, part_of_slot
from .errors import command_errors
from .learned.pool import Pool
from .output_attributes import ATTR_EXPLANATION
from .status.changes import EVENT_CHANGED, Changes
from .status.explained import async_requester, in_words
from .status.sentence import Explanation


@dataclass(frozen=True, kw_only=True)
class PoolctlEntityDescription[T](EntityDescription):
    """One row of a platform's table, for an entity that shows a `T`."""

    value_fn: Callable[[PoolState], T | None] = lambda state: None
    """Value of the entity; `None` means unknown."""
    pool_fn: Callable[[Pool], T | None] | None = None
    """Value of the entity if it also depends on choices or learned values."""
    fitted: frozenset[int] | None = None
    """Aux types, one of which must be wired for the entity to exist."""
    proof_fn: Callable[[PoolState], object] | None = None
    """A result other than `None` proves that the entity exists while the equipment is
    unknown. Without this function, its value is the proof."""
    exists_fn: Callable[[Pool], bool | None] = lambda pool: True
    """Whether the entity exists if `fitted` is not set; `None` means not yet known."""
    once_reported: bool = False
    """Whether the entity exists only once its value was reported."""
    assumed_fn: Callable[[PoolState], bool] = lambda state: False
    """Whether the value is remembered, not reported by the current source."""

    def value(self, pool: Pool) -> T | None:
        """Return the value of the entity."""
        return self.value_fn(pool.state) if self.pool_fn is None else self.pool_fn(pool)

    def exists(self, pool: Pool) -> bool | None:
        """Return whether the pool has this equipment, `None` if not yet known.

        While the equipment is unknown, `proof_fn` decides.
        """
        if self.fitted is None:
            exists = self.exists_fn(pool)
        elif (exists := pool.state.outputs.fitted(self.fitted)) is None:
            proof = self.proof_fn(pool.state) if self.proof_fn else self.value(pool)
            exists = proof is not None or None
        if exists and self.once_reported and self.value(pool) is None:
            return None
        return exists


class Shown[T](NamedTuple):
    """Everything that is visible of an entity."""

    value: T | None
    assumed: bool
    available: bool
    details: tuple[object, ...]
    """Other visible values: a name, attributes, effects."""


class ControllerEntity(CoordinatorEntity[ControllerCoordinator]):
    """An entity of one controller."""

    _attr_has_entity_name = True

    @property
    def controller(self) -> Controller:
        """The controller that commands are sent to."""
        return self.coordinator.controller

    @property
    def id_words(self) -> str:
        """Its key, or the words of its entity ID after the name of the controller."""
        return self.entity_description.key

    @property
    def unnamed(self) -> bool:
        """Whether its name is still to be read: until then it should not be added."""
        return False

    @property
    def outdated(self) -> bool:
        """Whether it was created for other equipment and must be replaced."""
        return False


class PoolctlEntity[T](ControllerEntity):
    """An entity that shows a `T`, and writes its state only if that changed."""

    entity_description: PoolctlEntityDescription[T]
    shows_figures = True
    """Whether it shows measured, learned or counted values: most polls change nothing
    else."""

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlEntityDescription[T],
    ) -> None:
        """Read the first value."""
        super().__init__(coordinator)
        self.entity_description = description
        self._attr_unique_id = f"{coordinator.record.device_id}_{description.key}"
        self._attr_device_info = coordinator.device_info_of(self.part)
        if description.name is None:
            # It has the name of its part; the translation of its key is used elsewhere.
            self._attr_name = None
        self._value: T | None = None
        self._shown: Shown[T] | None = None
        self._extras_shown: object = None
        self._update()

    @property
    def part(self) -> Part | None:
        """The part of the pool whose device it is on, `None` for the controller."""
        return PART_OF[self.entity_description.key]

    def _update(self) -> bool:
        """Read the newest state; return whether anything visible changed."""
        self._extras_shown = self.coordinator.extras.shown
        assumed = self.entity_description.assumed_fn(self.coordinator.data)
        shown = Shown(self._read_value(), assumed, self.available, self._details())
        if shown == self._shown:
            return False
        self._shown = shown
        self._value, self._attr_assumed_state = shown.value, shown.assumed
        return True

    def _read_value(self) -> T | None:
        """Return the current value."""
        return self.entity_description.value(self.coordinator.pool)

    def _details(self) -> tuple[object, ...]:
        """Return everything visible besides the value."""
        return ()

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        if (
            self.shows_figures
            or self._extras_shown is not self.coordinator.extras.shown
        ):
            self._take_over()

    @callback
    def _take_over(self) -> None:
        """Read the newest state; write it if anything visible changed."""
        if self._update():
            self.async_write_ha_state()

    def commanding(self) -> AbstractContextManager[None]:
        """Convert errors of a command to translated errors that name this entity."""
        shown = self.hass.states.get(self.entity_id)
        return command_errors(shown.name if shown else self.entity_id)


class ExplainedEntity[T](PoolctlEntity[T]):
    """An entity that explains its state in words."""

    _unrecorded_attributes = frozenset({ATTR_EXPLANATION})

    def explain(self) -> Explanation:
        """Return the reason for its state, empty if there is none to give."""
        raise NotImplementedError

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.explain()

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """The explanation in the language of Home Assistant."""
        words = in_words(self.hass, self.explain())
        return {ATTR_EXPLANATION: words} if words else {}


class OutputEntity(ExplainedEntity[bool]):
    """An entity that shows whether an output is on, and what runs it."""

    shows_figures = False

    def __init__(self, *args: Any) -> None:
        """Start to follow the changes of the output."""
        super().__init__(*args)
        self._changes = Changes(self._value)
        self._caller: Context | None = None

    @callback
    @override
    def async_set_context(self, context: Context) -> None:
        """Store the caller of the action that runs now."""
        super().async_set_context(context)
        self._caller = context

    @callback
    @override
    def _take_over(self) -> None:
        super()._take_over()
        if why := self._changes.take(self._value, self._hold, self.explain):
            words = in_words(self.hass, why)
            data = {ATTR_ENTITY_ID: self.entity_id, ATTR_EXPLANATION: words}
            self.hass.bus.async_fire(EVENT_CHANGED, data)

    @property
    def slot(self) -> Slot | None:
        """Current slot of the output, `None` if unknown."""
        raise NotImplementedError

    @override
    def explain(self) -> Explanation:
        return self.coordinator.explained.output(self.slot)

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self._run_by()

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Attributes that show what runs it: a schedule, a user or the firmware."""
        return {**self._run_by(), **super().extra_state_attributes}

    def _run_by(self) -> dict[str, str | bool]:
        return output_attributes.attributes(
            self.coordinator.data, self.slot, self._hold
        )

    @property
    def _hold(self) -> Hold | None:
        return self.controller.holds.of(self.slot.index) if self.slot else None

    async def switch_by_hand(self, on: bool) -> None:
        """Switch it against its schedules; the hold stores the requester."""
        await self.controller.holds.switch(self.slot, on, await self._asked())

    def note_command(self) -> None:
        """Note a command: its effect needs no separate line in the activity log."""
        self._changes.ask()

    async def _asked(self) -> str:
        """Note a command; return its requester."""
        self.note_command()
        return await async_requester(self.hass, self._caller)

    async def async_resume_schedule(self) -> None:
        """Give the output back to its schedules."""
        with self.commanding():
            await self._asked()
            await self.controller.holds.resume(self.slot)

    async def async_hold(
        self, state: bool, duration: timedelta, speed: int | None = None
    ) -> None:
        """Hold the output on or off for some time; the pump also at a speed in %."""
        with self.commanding():
            requester = await self._asked()
            await self.controller.holds.hold(
                self.slot, state, duration, speed, requester
            )


class OfSlot[T](PoolctlEntity[T]):
    """An entity that belongs to one slot and is named after it."""

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlEntityDescription[T],
        index: int,
    ) -> None:
        """Store the slot and the kind of equipment that is wired to it."""
        self.index = index
        self._attr_translation_placeholders = {"number": str(index + 1)}
        super().__init__(coordinator, description)
        self._kind = self.slot and self.slot.kind

    @property
    def slot(self) -> Slot | None:
        """Current slot, `None` if unknown."""
        return self.coordinator.data.outputs.slot(self.index)

    @property
    @override
    def part(self) -> Part | None:
        if self.slot is None:
            return Part.OUTPUTS
        return part_of_slot(self.slot, self.coordinator.uses)

    @property
    @override
    def id_words(self) -> str:
        return slot_words(self.slot, self.index)

    @property
    @override
    def unnamed(self) -> bool:
        return self.controller.queries.names_due


class SlotEntity(OfSlot[bool], OutputEntity):
    """The output of one slot, with the name that the pool's owner gave it."""

    @property
    @override
    def outdated(self) -> bool:
        return (slot := self.slot) is not None and slot.kind != self._kind

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.slot and self.slot.name

    @property
    @override
    def name(self) -> str | UndefinedType | None:
        """The owner's name, else that of the equipment; not cached: both may change."""
        if (slot := self.slot) is None:
            return super().name
        texts = self.platform_data.platform_translations
        return name_on_page(slot, self.coordinator.data, texts, self.coordinator.uses)


def slot_is_on(index: int) -> Callable[[PoolState], bool | None]:
    """Return a function that checks whether the relay of a slot is on."""

    def is_on(state: PoolState) -> bool | None:
        return slot.on if (slot := state.outputs.slot(index)) else None

    return is_on
