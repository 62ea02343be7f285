"""The base of every entity: what exists, what it shows, and what errors become."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, override

from homeassistant.core import callback
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from . import output_attributes
from .client.control.controller import Controller
from .client.equipment import Slot
from .client.pool.state import PoolState
from .coordinator import ControllerCoordinator
from .errors import command_errors


@dataclass(frozen=True, kw_only=True)
class PoolctlEntityDescription(EntityDescription):
    """One row of a platform's table."""

    value_fn: Callable[[PoolState], Any]
    """What the entity shows; `None` is unknown."""
    fitted: frozenset[int] | None = None
    """Aux types one of which must be wired for the entity to exist."""
    exists_fn: Callable[[PoolState], bool | None] = lambda state: True
    """Whether the entity exists otherwise; `None` is not known yet."""
    assumed_fn: Callable[[PoolState], bool] = lambda state: False

    def exists(self, state: PoolState) -> bool | None:
        """Tell whether the equipment has this; unknown equipment has what it shows."""
        if self.fitted is None:
            return self.exists_fn(state)
        if (fitted := state.fitted(self.fitted)) is None:
            return self.value_fn(state) is not None or None
        return fitted


class PoolctlEntity(CoordinatorEntity[ControllerCoordinator]):
    """An entity of one controller that writes its state only when that changed."""

    _attr_has_entity_name = True
    entity_description: PoolctlEntityDescription

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlEntityDescription,
    ) -> None:
        """Read the first value."""
        super().__init__(coordinator)
        self.entity_description = description
        self._attr_unique_id = f"{coordinator.record.device_id}_{description.key}"
        self._attr_device_info = coordinator.device_info
        self._shown: tuple[Any, ...] = ()
        self._update()

    @property
    def controller(self) -> Controller:
        """Where commands go."""
        return self.coordinator.controller

    @property
    def unnamed(self) -> bool:
        """Whether its name is about to be read: until then it should not be added."""
        return False

    @property
    def outdated(self) -> bool:
        """Whether it was made for something else, so that another must replace it."""
        return False

    def _update(self) -> bool:
        """Take over the state; tell whether anything a person sees changed."""
        before, self._shown = self._shown, self._visible()
        self._value, self._attr_assumed_state, *_ = self._shown
        return self._shown != before

    def _visible(self) -> tuple[Any, ...]:
        """Return the value, whether it is assumed, and what else a person sees."""
        state, description = self.coordinator.data, self.entity_description
        return (
            description.value_fn(state),
            description.assumed_fn(state),
            self.available,
        )

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        if self._update():
            self.async_write_ha_state()


class OutputEntity(PoolctlEntity):
    """An entity of an output, with what runs it."""

    @property
    def slot(self) -> Slot | None:
        """Its slot as it is now, `None` where that is not known."""
        raise NotImplementedError

    @override
    def _visible(self) -> tuple[Any, ...]:
        return *super()._visible(), self.extra_state_attributes

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """What runs it: schedules, a person, or the firmware."""
        return output_attributes.attributes(self.coordinator.data, self.slot)

    async def async_resume_schedule(self) -> None:
        """Give it back to its schedules."""
        with command_errors():
            slot = self.slot
            await self.controller.resume_schedule(slot.index if slot else None)


class OfSlot(PoolctlEntity):
    """An entity that belongs to one slot, and whose name comes from it."""

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlEntityDescription,
        index: int,
    ) -> None:
        """Remember the slot."""
        self.index = index
        super().__init__(coordinator, description)

    @property
    def slot(self) -> Slot | None:
        """The slot as it is now, `None` where that is not known."""
        return self.coordinator.data.slot(self.index)

    @property
    @override
    def unnamed(self) -> bool:
        return self.controller.names_due


class SlotEntity(OfSlot, OutputEntity):
    """An entity of one slot, with the name its owner gave it."""

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlEntityDescription,
        index: int,
    ) -> None:
        """Remember what is wired to the slot."""
        self._attr_translation_placeholders = {"number": str(index + 1)}
        super().__init__(coordinator, description, index)
        self._kind = self.slot and self.slot.kind

    @property
    @override
    def outdated(self) -> bool:
        return (slot := self.slot) is not None and slot.kind != self._kind

    @override
    def _visible(self) -> tuple[Any, ...]:
        return *super()._visible(), self.slot and self.slot.name

    @property
    @override
    def name(self) -> Any:
        """The owner's name, else that of the equipment."""
        return (self.slot and self.slot.name) or super().name


def slot_is_on(index: int) -> Callable[[PoolState], bool | None]:
    """Return what tells whether the relay of a slot is on."""

    def is_on(state: PoolState) -> bool | None:
        return slot.on if (slot := state.slot(index)) else None

    return is_on
