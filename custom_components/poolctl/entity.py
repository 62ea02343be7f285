"""The base of every entity: what exists, what it shows, and what errors become."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, override

from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from . import modes
from .client.controller import Controller
from .client.equipment import Slot
from .client.exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    InvalidCommandError,
    NotAppliedError,
    NotDoneError,
    NotOfferedError,
    NotSupportedError,
    OutcomeUnknownError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    UnreachableError,
)
from .client.state import PoolState
from .const import DOMAIN
from .coordinator import ControllerCoordinator, PoolctlConfigEntry


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
        return modes.attributes(self.coordinator.data, self.slot)

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


type Factory = Callable[[], PoolctlEntity]
type Build = Callable[
    [ControllerCoordinator], Mapping[str, Factory | Literal[False] | None]
]
"""Returns a platform's entities by key: `None` for those not known to exist yet, `False`
for those known not to exist, whatever else is known of the equipment."""


def described[D: PoolctlEntityDescription](
    entity: Callable[[ControllerCoordinator, D], PoolctlEntity],
    descriptions: tuple[D, ...],
    coordinator: ControllerCoordinator,
) -> dict[str, Factory | None]:
    """Return the entities of a table that the equipment has, or may have."""
    return {
        description.key: partial(entity, coordinator, description) if exists else None
        for description in descriptions
        if (exists := description.exists(coordinator.data)) is not False
    }


@callback
def async_setup_platform(
    entry: PoolctlConfigEntry,
    domain: str,
    async_add_entities: AddConfigEntryEntitiesCallback,
    build: Build,
) -> None:
    """Let the entities of a platform come and go with controllers and equipment."""
    account = entry.runtime_data
    followed: dict[str, ControllerCoordinator] = {}

    @callback
    def follow() -> None:
        for device_id in followed.keys() - account.controllers.keys():
            del followed[device_id]
        for device_id, coordinator in account.controllers.items():
            if device_id not in followed:
                followed[device_id] = coordinator
                sync = _Sync(coordinator, domain, async_add_entities, build)
                entry.async_on_unload(coordinator.async_add_listener(sync))
                sync()

    follow()
    entry.async_on_unload(account.async_add_listener(follow))


class _Sync:
    """Adds what a controller has, and removes or replaces what it no longer has."""

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        domain: str,
        async_add_entities: AddConfigEntryEntitiesCallback,
        build: Build,
    ) -> None:
        self._coordinator = coordinator
        self._domain = domain
        self._add = async_add_entities
        self._build = build
        self._present: dict[str, PoolctlEntity] = {}
        self._judged: tuple[bool, frozenset[str]] | None = None
        self._wiring: tuple[int, ...] | None = None

    @callback
    def __call__(self) -> None:
        if not self._coordinator.last_update_success:
            return
        built = self._build(self._coordinator)
        possible = frozenset(key for key, make in built.items() if make is not False)
        # While the equipment is not known, little can be known to be gone.
        known = self._coordinator.data.equipment_known
        if self._judged != (known, possible):
            self._judged = (known, possible)
            absent = built.keys() - possible
            self._remove(lambda key: key not in possible if known else key in absent)
        factories = {key: make for key, make in built.items() if make}
        wiring = self._coordinator.data.configuration.aux_types
        if wiring != self._wiring:
            self._wiring = wiring
            self._replace_outdated(factories)
        new = {
            key: entity
            for key, make in factories.items()
            if key not in self._present and self._may_add(entity := make())
        }
        self._present |= new
        if new:
            self._add(new.values())

    def _may_add(self, entity: PoolctlEntity) -> bool:
        """Let one wait that would get its identifier from a name not read yet."""
        return not entity.unnamed or self._entity_id(entity) is not None

    def _entity_id(self, entity: PoolctlEntity) -> str | None:
        registry = er.async_get(self._coordinator.hass)
        unique_id = entity.unique_id or ""
        return registry.async_get_entity_id(self._domain, DOMAIN, unique_id)

    def _replace_outdated(self, factories: Mapping[str, Factory]) -> None:
        for key in factories.keys() & self._present.keys():
            if (old := self._present[key]).outdated:
                new = self._present[key] = factories[key]()
                self._coordinator.config_entry.async_create_task(
                    self._coordinator.hass, self._replace(old, new)
                )

    async def _replace(self, old: PoolctlEntity, new: PoolctlEntity) -> None:
        """Put one in the place of another: it keeps its identifiers and settings."""
        if old.enabled:
            await old.async_remove()
        self._add([new])

    def _remove(self, gone: Callable[[str], bool]) -> None:
        """Forget entities whose keys say so, those of an earlier start, too."""
        for key in [key for key in self._present if gone(key)]:
            del self._present[key]
        registry = er.async_get(self._coordinator.hass)
        prefix = f"{self._coordinator.record.device_id}_"
        for entity in er.async_entries_for_config_entry(
            registry, self._coordinator.config_entry.entry_id
        ):
            if (
                entity.domain == self._domain
                and entity.unique_id.startswith(prefix)
                and gone(entity.unique_id.removeprefix(prefix))
            ):
                registry.async_remove(entity.entity_id)


_ERRORS: Mapping[type[PoolctlError], tuple[type[HomeAssistantError], str]] = {
    InvalidCommandError: (ServiceValidationError, "invalid_command"),
    NotSupportedError: (ServiceValidationError, "not_supported"),
    NotOfferedError: (ServiceValidationError, "not_supported"),
    NotAppliedError: (HomeAssistantError, "not_applied"),
    AuthenticationError: (HomeAssistantError, "sign_in_needed"),
    BusyError: (HomeAssistantError, "busy"),
    CommandFailedError: (HomeAssistantError, "service_refused"),
    RefusedError: (HomeAssistantError, "refused"),
    NotDoneError: (HomeAssistantError, "not_done"),
    OutcomeUnknownError: (HomeAssistantError, "outcome_unknown"),
    UnreachableError: (HomeAssistantError, "not_reached"),
    ProtocolError: (HomeAssistantError, "unexpected_answer"),
    PoolctlError: (HomeAssistantError, "command_failed"),
}


@contextmanager
def command_errors() -> Generator[None]:
    """Turn the client's errors into translated ones; the first row that fits."""
    try:
        yield
    except PoolctlError as err:
        exception, key = next(
            row for error, row in _ERRORS.items() if isinstance(err, error)
        )
        retry_after = err.retry_after if isinstance(err, BusyError) else None
        said = err.said if isinstance(err, CommandFailedError) else str(err)
        placeholders = {"error": said, "seconds": str(round(retry_after or 5))}
        if isinstance(err, InvalidCommandError):
            key, placeholders = err.reason, placeholders | err.placeholders
        raise exception(
            translation_domain=DOMAIN,
            translation_key=key,
            translation_placeholders=placeholders,
        ) from err
