"""The base of every entity: what exists, what it shows, and what errors become."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, override

from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .client.controller import Controller
from .client.equipment import Slot
from .client.exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    InvalidCommandError,
    NotAppliedError,
    NotSupportedError,
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


class SlotEntity(PoolctlEntity):
    """An entity of one slot, with the name its owner gave it."""

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        description: PoolctlEntityDescription,
        index: int,
    ) -> None:
        """Remember the slot."""
        self.index = index
        self._attr_translation_placeholders = {"number": str(index + 1)}
        super().__init__(coordinator, description)

    @property
    def slot(self) -> Slot | None:
        """The slot as it is now."""
        return self.coordinator.data.slot(self.index)

    @override
    def _visible(self) -> tuple[Any, ...]:
        return *super()._visible(), self.slot and self.slot.name

    @property
    @override
    def name(self) -> Any:
        """The owner's name, else that of the equipment."""
        return (self.slot and self.slot.name) or super().name


type Factory = Callable[[], PoolctlEntity]
type Build = Callable[[ControllerCoordinator], Mapping[str, Factory | None]]
"""Returns a platform's entities by key, `None` for those not known to exist yet."""


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
    """Adds what a controller has and removes what it no longer has."""

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
        self._present: set[str] = set()
        self._possible: frozenset[str] = frozenset()

    @callback
    def __call__(self) -> None:
        if not self._coordinator.last_update_success:
            return
        built = self._build(self._coordinator)
        # While the equipment is not known nothing can be known to be gone.
        if self._coordinator.data.equipment_known and self._possible != built.keys():
            self._possible = frozenset(built)
            self._present &= self._possible
            self._remove_others(self._possible)
        new = {
            key: factory
            for key, factory in built.items()
            if factory is not None and key not in self._present
        }
        self._present |= new.keys()
        if new:
            self._add(factory() for factory in new.values())

    def _remove_others(self, keys: frozenset[str]) -> None:
        registry = er.async_get(self._coordinator.hass)
        prefix = f"{self._coordinator.record.device_id}_"
        for entity in er.async_entries_for_config_entry(
            registry, self._coordinator.config_entry.entry_id
        ):
            if (
                entity.domain == self._domain
                and entity.unique_id.startswith(prefix)
                and entity.unique_id.removeprefix(prefix) not in keys
            ):
                registry.async_remove(entity.entity_id)


_ERRORS: Mapping[type[PoolctlError], tuple[type[HomeAssistantError], str]] = {
    InvalidCommandError: (ServiceValidationError, "invalid_command"),
    NotSupportedError: (ServiceValidationError, "not_supported"),
    NotAppliedError: (HomeAssistantError, "not_applied"),
    AuthenticationError: (HomeAssistantError, "sign_in_needed"),
    BusyError: (HomeAssistantError, "busy"),
    CommandFailedError: (HomeAssistantError, "service_refused"),
    RefusedError: (HomeAssistantError, "refused"),
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
        raise exception(
            translation_domain=DOMAIN,
            translation_key=key,
            translation_placeholders={
                "error": str(err),
                "seconds": str(round(retry_after or 5)),
            },
        ) from err
