"""Adding and removing entities as controllers and their equipment change."""

import asyncio
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from functools import partial

from homeassistant.core import callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    async_get_current_platform,
)

from .account import PoolctlConfigEntry
from .client.pool import Role, Slot
from .const import DOMAIN
from .coordinator import ControllerCoordinator
from .devices.naming import entity_id
from .devices.parts import async_entities_of, async_remove_empty_parts
from .entity import PoolctlEntity, PoolctlEntityDescription
from .status.situation import View

_ALWAYS = frozenset({"connection", "status"})
"""Keys of the entities that exist even if the controller has never answered."""

type Factory = Callable[[], PoolctlEntity]
type Presences = dict[str, tuple[bool | None, Factory]]
"""Whether each entity of a platform exists, by key, and what creates it. `None` means
not yet known. A key that is left out has no entity once the equipment is known."""
type Build = Callable[[ControllerCoordinator], Presences]


def rows[R: PoolctlEntityDescription](
    entity: Callable[[ControllerCoordinator, R], PoolctlEntity],
    table: Iterable[R] | Callable[[View], Iterable[R]],
) -> Build:
    """Return what builds the entities of a table, or of rows that depend on the pool."""

    def build(coordinator: ControllerCoordinator) -> Presences:
        view = coordinator.view
        return {
            row.key: (row.exists(view), partial(entity, coordinator, row))
            for row in (table(view) if callable(table) else table)
        }

    return build


def with_role(roles: Container[Role], view: View) -> Iterator[Slot]:
    """Return the slots that have one of the roles."""
    return (slot for slot in view.state.outputs.slots if slot.role in roles)


async def async_follow(
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
    *builds: Build,
) -> None:
    """Add and remove entities of a platform as controllers and equipment change."""
    account, domain = entry.runtime_data, async_get_current_platform().domain
    followed: set[str] = set()

    @callback
    def follow(most: int | None = None) -> None:
        followed.intersection_update(account.controllers)
        new = [each for each in account.controllers if each not in followed][:most]
        followed.update(new)
        for device_id in new:
            coordinator = account.controllers[device_id]
            sync = _Sync(coordinator, domain, async_add_entities, builds)
            entry.async_on_unload(coordinator.async_add_listener(sync))
            sync()

    # In turns: a start blocks nothing for longer than one controller's platform.
    for _ in tuple(account.controllers):
        async with account.turn:
            follow(1)
            await asyncio.sleep(0)
    follow()
    entry.async_on_unload(account.async_add_listener(follow))


def _equipment_known(view: View) -> bool:
    """Return whether the newest read has the equipment, or it is stored before any."""
    never_read = view.read_at is None
    return view.reached or (never_read and view.state.outputs.types is not None)


class _Sync:
    """Adds, replaces and removes the entities of a controller on one platform."""

    def __init__(
        self,
        coordinator: ControllerCoordinator,
        domain: str,
        async_add_entities: AddConfigEntryEntitiesCallback,
        builds: Iterable[Build],
    ) -> None:
        self._coordinator, self._hass = coordinator, coordinator.hass
        self._domain = domain
        self._add = async_add_entities
        self._builds = builds
        self._present: dict[str, PoolctlEntity] = {}
        self._removed_for: tuple[bool, frozenset[str]] | None = None
        self._replaced = False

    @callback
    def __call__(self) -> None:
        built: Presences = {}
        for build in self._builds:
            built |= build(self._coordinator)
        factories = {key: make for key, (exists, make) in built.items() if exists}
        if not _equipment_known(self._coordinator.view):
            self._add_new({k: make for k, make in factories.items() if k in _ALWAYS})
            return
        if self._replaced:
            # The replaced entity may have been the last one of its part.
            self._replaced = False
            async_remove_empty_parts(self._hass, self._coordinator.registered_id)
        self._remove_missing(built)
        for key in factories.keys() & self._present.keys():
            if (old := self._present[key]).outdated:
                self._replaced = True
                new = self._present[key] = factories[key]()
                self._coordinator.config_entry.async_create_task(
                    self._hass, self._replace(old, new)
                )
        self._add_new(factories)
        self._follow_names()

    def _add_new(self, factories: Mapping[str, Factory]) -> None:
        new = {
            key: entity
            for key, make in factories.items()
            if key not in self._present and self._may_add(entity := make())
        }
        self._present |= new
        if new:
            self._add_named(new.values())

    def _add_named(self, entities: Collection[PoolctlEntity]) -> None:
        """Add entities, with entity IDs made of the controller's name and their own.

        Home Assistant would put the name of the part between the two. It does so if the
        user chose the parts of entity IDs.
        """
        if (name := self._name) is not None:
            for entity in entities:
                entity.entity_id = entity_id(self._domain, name, entity.id_words)
        self._add(entities)

    @property
    def _name(self) -> str | None:
        """Name of the controller, `None` if Home Assistant makes the entity IDs."""
        device = dr.async_get(self._hass).async_get(self._coordinator.registered_id)
        if device is None or er.async_get(self._hass).settings.entity_id_parts:
            return None
        return device.name_by_user or device.name or ""

    def _follow_names(self) -> None:
        """Note what a user gets who lets Home Assistant recreate entity IDs."""
        registry = er.async_get(self._hass)
        if (name := self._name) is None:
            return
        for entity in self._present.values():
            key = (self._domain, DOMAIN, entity.unique_id or "")
            wanted = entity_id(self._domain, name, entity.id_words).partition(".")[2]
            entry = registry.async_get(registry.async_get_entity_id(*key) or "")
            if entry is not None and entry.suggested_object_id != wanted:
                registry.async_get_or_create(*key, suggested_object_id=wanted)

    def _may_add(self, entity: PoolctlEntity) -> bool:
        """Return whether an entity's name was read, or is not needed for its ID."""
        registry, unique_id = er.async_get(self._hass), entity.unique_id
        return not entity.unnamed or bool(
            registry.async_get_entity_id(self._domain, DOMAIN, unique_id or "")
        )

    async def _replace(self, old: PoolctlEntity, new: PoolctlEntity) -> None:
        """Replace an entity by another, which keeps its identifiers and settings."""
        if old.enabled:
            await old.async_remove()
        self._add_named([new])

    def _remove_missing(self, built: Presences) -> None:
        """Remove the entities that do not exist, once for each set of possible keys."""
        missing = {key for key, (exists, _) in built.items() if exists is False}
        possible = frozenset(built.keys() - missing)
        known = self._coordinator.state.outputs.types_complete
        if self._removed_for == (known, possible):
            return
        self._removed_for = (known, possible)

        def gone(key: str) -> bool:
            # While the equipment is unknown, entities of keys left out may exist.
            return key not in possible if known else key in missing

        for key in [*filter(gone, self._present)]:
            del self._present[key]
        # Those of an earlier start are not in `_present`.
        prefix = f"{self._coordinator.record.device_id}_"
        for entity in async_entities_of(self._hass, self._coordinator.registered_id):
            if (
                entity.domain == self._domain
                and entity.unique_id.startswith(prefix)
                and gone(entity.unique_id.removeprefix(prefix))
            ):
                er.async_get(self._hass).async_remove(entity.entity_id)
        async_remove_empty_parts(self._hass, self._coordinator.registered_id)
