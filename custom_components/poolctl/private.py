"""All uses of Home Assistant's private APIs, each with its reason.

These APIs may change at any time; each use says when it can go. No other file may use
a private API. `tests/newest/test_private_api.py` names those that are gone, for the
pinned Home Assistant and, in `scripts/newest`, for the newest one.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, cast, override

from homeassistant.components.application_credentials import AuthImplementation
from homeassistant.core import HassJob, HomeAssistant, ServiceCall, State
from homeassistant.helpers.aiohttp_client import (
    HomeAssistantTCPConnector,
    async_get_clientsession,
)
from homeassistant.helpers.automation import DomainSpec
from homeassistant.helpers.condition import EntityConditionBase
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.service import entity_service_call
from homeassistant.helpers.storage import Store
from homeassistant.helpers.typing import ConfigType
import probatio as vol


async def async_call_entities(
    hass: HomeAssistant,
    entities: dict[str, Entity],
    run: Callable[[Entity, ServiceCall], Awaitable[None]],
    call: ServiceCall,
) -> None:
    """Run a function for each of the entities that an action targets.

    The public API handles entities of one platform; what can be held is on three.
    Without this function, the caller's permissions would have to be checked here. It can
    go when a public one takes entities of several platforms.
    """
    await entity_service_call(hass, entities, HassJob(run), call)


async def async_resolve(hass: HomeAssistant, name: str) -> list[str]:
    """Return the addresses of a host, each once; raises OSError if it has none.

    Home Assistant's resolver knows `.local` names. Only its connector has it. This can
    go when a helper resolves names.
    """
    connector = async_get_clientsession(hass).connector
    found = await cast("HomeAssistantTCPConnector", connector).async_resolve_host(name)
    return list(dict.fromkeys(address["host"] for address in found))


class NotingStore[T: Mapping[str, Any]](Store[T]):
    """A store that notes whether it was written.

    Home Assistant's own one only logs that a disk is full, and goes on. This can go when
    that one reports it.
    """

    written = True
    """Whether the newest write was successful."""

    @override
    async def _async_write_data(self, data: dict[str, Any]) -> None:
        try:
            await super()._async_write_data(data)
        except Exception:
            self.written = False
            raise
        self.written = True


class TokenImplementation(AuthImplementation):
    """OAuth 2.0 implementation with its own token request.

    Home Assistant's request follows redirects, which would send the secret elsewhere.
    This can go when it no longer does.
    """

    @override
    async def _token_request(self, data: dict[str, str]) -> dict[str, object]:
        return await self.async_request_token(data)

    @abstractmethod
    async def async_request_token(self, data: dict[str, str]) -> dict[str, object]:
        """Return a token for these fields, as Home Assistant stores it."""


# Triggers and conditions of entities. Home Assistant's base classes are made for its
# own integrations and are extended by private class variables. Without them, targets,
# `for`, the behavior of several entities and the use of the history would be written
# again, and would differ from everything else in an automation. Both can go when the
# base classes are documented for custom integrations.


class Targets:
    """Mixin that selects the entities by domain, with a schema of the options."""

    _hass: HomeAssistant
    _domain_specs: Mapping[str, DomainSpec]
    _schema: vol.Schema

    @override
    def __init_subclass__(
        cls,
        domain: str | None = None,
        schema: vol.Schema | None = None,
        **kwargs: object,
    ) -> None:
        super().__init_subclass__(**kwargs)
        if domain is not None:
            cls._domain_specs = {domain: DomainSpec()}
        if schema is not None:
            cls._schema = schema

    @property
    def hass(self) -> HomeAssistant:
        """The Home Assistant instance."""
        return self._hass

    @property
    def domain(self) -> str:
        """Domain of the entities."""
        return next(iter(self._domain_specs))

    @classmethod
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        """Return a configuration with its defaults; raise Invalid for a wrong one."""
        return cast("ConfigType", cls._schema(config))


class OfAnyState(EntityConditionBase):
    """A condition that also uses diagnostic entities, which the base class leaves out."""

    _primary_entities_only = False

    @override
    def _should_include(self, _state: State) -> bool:
        return self.counts(_state)

    @override
    def _state_valid_since(self, _state: State) -> datetime:
        # A problem may begin or end while the state of *Status* stays the same.
        return _state.last_updated

    @override
    def _update_valid_since(self, entity_id: str, _state: State | None) -> None:
        # While a state is unknown, no read has shown that the condition is not met.
        if _state is not None and self.counts(_state):
            super()._update_valid_since(entity_id, _state)

    @override
    def _valid_since_from_history(
        self, entity_id: str, rows: list[Any]
    ) -> datetime | None:
        # From 2026.11 on, an entity that was removed meanwhile is a row of `None`.
        known = [row for row in rows if row is None or self.counts(row)]
        return super()._valid_since_from_history(entity_id, known)

    @override
    def _check_all_match_state(self, states: list[State]) -> bool:
        # Nothing follows from entities that are all unknown.
        return bool(states) and super()._check_all_match_state(states)

    def counts(self, state: State) -> bool:
        """Return whether an entity in this state is considered."""
        return super()._should_include(state)
