"""Adding and removing entities as controllers and their equipment change."""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import partial
from typing import Protocol

from homeassistant.core import callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool.state import PoolState
from .client.wire.equipment import Role, Slot
from .const import DOMAIN
from .coordinator import ControllerCoordinator
from .devices.naming import entity_id
from .devices.parts import async_entities_of, async_remove_empty_parts
from .entity import ControllerEntity
from .learned.pool import Pool

_ALWAYS = frozenset({"connection", "status"})
"""Keys of the entities that exist even if the controller has never answered."""


class Missing(Enum):
    """Reason why there is no entity."""

    UNKNOWN = auto()
    """It is not yet known whether the entity exists."""
    CERTAIN = auto()
    """The entity does not exist, even if other equipment is unknown."""


type Factory = Callable[[], ControllerEntity]
type Presence = Factory | Missing
"""Factory of an entity that exists, or the reason why there is none."""
type Presences = dict[str, Presence]
"""The entities of a platform by key. A key that is left out has no entity, provided
that the equipment is known."""
type Build = Callable[[ControllerCoordinator], Presences]


def presence(exists: bool | None, make: Factory) -> Presence:
    """Return the presence of an entity; `exists` is `None` if that is not yet known."""
    if exists is None:
        return Missing.UNKNOWN
    return make if exists else Missing.CERTAIN


class _Row(Protocol):
    """A `PoolctlEntityDescription` for any type of value."""

    @property
    def key(self) -> str:
        """The key of the entity."""

    def exists(self, pool: Pool) -> bool | None:
        """Return whether the pool has this equipment, `None` if not yet known."""


def described[R: _Row](
    entity: Callable[[ControllerCoordinator, R], ControllerEntity],
    descriptions: tuple[R, ...],
    coordinator: ControllerCoordinator,
) -> Presences:
    """Return the entities of a table, without those that the equipment rules out."""
    return {
        description.key: presence(exists, partial(entity, coordinator, description))
        for description in descriptions
        if (exists := description.exists(coordinator.pool)) is not False
    }


def of_slots[R: _Row](
    entity: Callable[[ControllerCoordinator, R, int], ControllerEntity],
    describe: Callable[[Slot], R],
    slots: Iterable[Slot],
    coordinator: ControllerCoordinator,
) -> Presences:
    """Return an entity for each of the slots."""
    rows = ((slot.index, describe(slot)) for slot in slots)
    return {row.key: partial(entity, coordinator, row, index) for index, row in rows}


def with_role(
    roles: Container[Role], coordinator: ControllerCoordinator
) -> Iterator[Slot]:
    """Return the slots that have one of the roles."""
    return (slot for slot in coordinator.data.outputs.slots if slot.role in roles)


@callback
def async_setup_platform(
    entry: PoolctlConfigEntry,
    domain: str,
    async_add_entities: AddConfigEntryEntitiesCallback,
    build: Build,
) -> None:
    """Add and remove a platform's entities as controllers and equipment change."""
    account = entry.runtime_data
    followed: set[str] = set()

    @callback
    def follow() -> None:
        followed.intersection_update(account.controllers)
        new = [each for each in account.controllers if each not in followed]
        followed.update(new)
        for device_id in new:
            coordinator = account.controllers[device_id]
            sync = _Sync(coordinator, domain, async_add_entities, build)
            entry.async_on_unload(coordinator.async_add_listener(sync))
            sync.async_look()

    follow()
    entry.async_on_unload(account.async_add_listener(follow))


def _factories(built: Presences) -> dict[str, Factory]:
    """Return the factories of the entities that exist."""
    return {
        key: found for key, found in built.items() if not isinstance(found, Missing)
    }


class _Sync:
    """Adds, replaces and removes the entities of a controller on one platform."""

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
        self._present: dict[str, ControllerEntity] = {}
        self._removed_for: tuple[bool, frozenset[str]] | None = None
        self._previous: tuple[PoolState, PoolState, object] | None = None
        self._wiring: tuple[int, ...] | None = None
        self._replaced = False

    @callback
    def __call__(self) -> None:
        if self._coordinator.last_update_success and self._has_news():
            self.async_look()

    def _has_news(self) -> bool:
        """Return whether entities may change: most polls change only measurements.

        An update without new data has another cause, so it counts, too.
        """
        coordinator = self._coordinator
        names_due = coordinator.controller.queries.names_due
        others = coordinator.pool.choices, coordinator.learned.filter.state, names_due
        observed = coordinator.data, coordinator.equipment_view, others
        previous, self._previous = self._previous, observed
        return (
            previous is None
            or self._replaced
            or observed[0] == previous[0]
            or observed[1] is not previous[1]
            or observed[2:] != previous[2:]
        )

    @callback
    def async_look(self) -> None:
        """Add and remove entities to match the newest data."""
        if not self._coordinator.last_update_success:
            factories = _factories(self._build(self._coordinator))
            self._add_new({k: make for k, make in factories.items() if k in _ALWAYS})
            return
        if self._replaced:
            # The replaced entity may have been the last one of its part.
            self._replaced = False
            self._remove_empty_parts()
        built = self._build(self._coordinator)
        self._remove_missing(built)
        factories = _factories(built)
        wiring = self._coordinator.data.outputs.types
        if wiring != self._wiring:
            self._wiring = wiring
            self._replace_outdated(factories)
        self._add_new(factories)

    def _add_new(self, factories: Mapping[str, Factory]) -> None:
        new = {
            key: entity
            for key, make in factories.items()
            if key not in self._present and self._may_add(entity := make())
        }
        self._present |= new
        if new:
            self._add_named(new.values())

    def _add_named(self, entities: Collection[ControllerEntity]) -> None:
        """Add entities, with entity IDs made of the controller's name and their own.

        Home Assistant would put the name of the part between the two. It does so if the
        user chose the parts of entity IDs.
        """
        hass = self._coordinator.hass
        device = dr.async_get(hass).async_get(self._coordinator.registered_id)
        if device is not None and er.async_get(hass).settings.entity_id_parts is None:
            name = device.name_by_user or device.name or ""
            for entity in entities:
                entity.entity_id = entity_id(self._domain, name, entity.id_words)
        self._add(entities)

    def _may_add(self, entity: ControllerEntity) -> bool:
        """Return whether an entity's name was read, or is not needed for its ID."""
        return not entity.unnamed or self._entity_id(entity) is not None

    def _entity_id(self, entity: ControllerEntity) -> str | None:
        registry = er.async_get(self._coordinator.hass)
        unique_id = entity.unique_id or ""
        return registry.async_get_entity_id(self._domain, DOMAIN, unique_id)

    def _replace_outdated(self, factories: Mapping[str, Factory]) -> None:
        for key in factories.keys() & self._present.keys():
            if (old := self._present[key]).outdated:
                self._replaced = True
                new = self._present[key] = factories[key]()
                self._coordinator.config_entry.async_create_task(
                    self._coordinator.hass, self._replace(old, new)
                )

    async def _replace(self, old: ControllerEntity, new: ControllerEntity) -> None:
        """Replace an entity by another, which keeps its identifiers and settings."""
        if old.enabled:
            await old.async_remove()
        self._add_named([new])

    def _remove_missing(self, built: Presences) -> None:
        """Remove the entities that do not exist, once for each set of possible keys."""
        missing = {key for key, found in built.items() if found is Missing.CERTAIN}
        possible = frozenset(built.keys() - missing)
        known = self._coordinator.data.outputs.types_complete
        if self._removed_for == (known, possible):
            return
        self._removed_for = (known, possible)
        # While the equipment is unknown, entities of keys left out may exist.
        self._remove(lambda key: key not in possible if known else key in missing)
        self._remove_empty_parts()

    def _remove(self, gone: Callable[[str], bool]) -> None:
        """Remove the entities of some keys, including those of an earlier start."""
        for key in [key for key in self._present if gone(key)]:
            del self._present[key]
        hass = self._coordinator.hass
        prefix = f"{self._coordinator.record.device_id}_"
        for entity in async_entities_of(hass, self._coordinator.registered_id):
            if (
                entity.domain == self._domain
                and entity.unique_id.startswith(prefix)
                and gone(entity.unique_id.removeprefix(prefix))
            ):
                er.async_get(hass).async_remove(entity.entity_id)

    def _remove_empty_parts(self) -> None:
        async_remove_empty_parts(
            self._coordinator.hass, self._coordinator.registered_id
        )
