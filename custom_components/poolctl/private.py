"""Everything that Home Assistant keeps to itself and this integration uses all the same.

Nothing promises that it stays. `tests/unit/test_private_api.py` names what is gone, for the
pinned Home Assistant and, in `scripts/newest`, for the newest one; no other file may use
any of it. Why each is used stands with it.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import override

from homeassistant.components.application_credentials import AuthImplementation
from homeassistant.core import HomeAssistant, ServiceCall, State
from homeassistant.helpers.automation import DomainSpec
from homeassistant.helpers.condition import EntityConditionBase
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.service import entity_service_call
from homeassistant.helpers.trigger import EntityTriggerBase
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
import probatio as vol


async def async_call_entities(
    hass: HomeAssistant, entities: dict[str, Entity], method: str, call: ServiceCall
) -> None:
    """Run a method of those entities that an action targets.

    The public way is for the entities of one platform; outputs are switches and lights.
    By hand, the permissions of the caller would have to be checked here.
    """
    await entity_service_call(hass, entities, method, call)


class QuietCoordinator[DataT](DataUpdateCoordinator[DataT]):
    """A coordinator that can also read without a line in the log.

    A start that fails is tried again and again, and says so once by itself.
    """

    async def async_refresh_quietly(self) -> None:
        """Read now; log no failure."""
        await self._async_refresh(log_failures=False)


class TokenImplementation(AuthImplementation):
    """OAuth 2.0 with a request for tokens of its own.

    Home Assistant's request follows redirects, which would carry the secret elsewhere.
    """

    @override
    async def _token_request(self, data: dict[str, str]) -> dict[str, object]:
        return await self.async_request_token(data)

    @abstractmethod
    async def async_request_token(self, data: dict[str, str]) -> dict[str, object]:
        """Return a token for these fields, as Home Assistant keeps it."""


# Triggers and conditions of entities. Home Assistant's bases are made for its own
# integrations and are extended by class variables with underscores. By hand, targets,
# `for`, the behavior of several entities and a look into the history would be written
# again, and differ from everything else in an automation.


class Targets:
    """A mixin: which entities it is about."""

    _hass: HomeAssistant
    _domain_specs: Mapping[str, DomainSpec]

    @property
    def hass(self) -> HomeAssistant:
        """The Home Assistant it runs in."""
        return self._hass

    @property
    def specs(self) -> Mapping[str, DomainSpec]:
        """The kinds of entities it looks at."""
        return self._domain_specs

    @classmethod
    def look_at(cls, specs: Mapping[str, DomainSpec]) -> None:
        """Look at these kinds of entities."""
        cls._domain_specs = specs


class OfState(EntityTriggerBase):
    """A trigger of an entity's state, with options of its own."""

    @override
    def __init_subclass__(
        cls, schema: vol.Schema | None = None, **kwargs: object
    ) -> None:
        """Take the options of a schema."""
        super().__init_subclass__(**kwargs)
        if schema is not None:
            cls._schema = schema


class OfAnyState(EntityConditionBase):
    """A condition of what is also diagnostic, and of what is also unavailable.

    The base leaves out both.
    """

    _primary_entities_only = False

    @override
    def __init_subclass__(
        cls, schema: vol.Schema | None = None, **kwargs: object
    ) -> None:
        """Take the options of a schema."""
        super().__init_subclass__(**kwargs)
        if schema is not None:
            cls._schema = schema

    @override
    def _should_include(self, _state: State) -> bool:
        return self.counts(_state)

    def counts(self, state: State) -> bool:
        """Return whether an entity in this state is considered."""
        return super()._should_include(state)
