"""Entities come and go with controllers and their equipment."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from homeassistant.core import callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .const import DOMAIN
from .coordinator import ControllerCoordinator
from .entity import PoolctlEntity, PoolctlEntityDescription

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
