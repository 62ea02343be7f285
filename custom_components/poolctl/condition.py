"""Conditions: the state of the pool, now or for a duration, by the history if any."""

from typing import override

from homeassistant.const import CONF_OPTIONS
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers.condition import (
    ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL,
    Condition,
    ConditionConfig,
)
import probatio as vol

from .automation import (
    CONNECTION_OPTIONS,
    KIND_OPTIONS,
    OPTION_CONNECTION,
    OPTION_KINDS,
    OfConnection,
    OfReading,
    OfStatus,
    PoolEntities,
    problems_of,
    with_reading_options,
)
from .private import OfAnyState

_SCHEMA = ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL


class _PoolCondition(PoolEntities, OfAnyState):
    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        super().__init__(hass, self._aimed(hass, config))
        self._options = config.options or {}


class AllIsWell(
    OfStatus,
    _PoolCondition,
    schema=_SCHEMA.extend({vol.Required(CONF_OPTIONS, default={}): KIND_OPTIONS}),
):
    """A controller has no problem, or none of the chosen kinds."""

    @override
    def is_valid_state(self, entity_state: State) -> bool:
        return problems_of(entity_state, self._options[OPTION_KINDS]) == {}


class ReadingInRange(OfReading, _PoolCondition, schema=with_reading_options(_SCHEMA)):
    """A reading is within its limits."""

    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        self._take(config.options or {})
        super().__init__(hass, config)

    @override
    def counts(self, state: State) -> bool:
        return self.in_range(state) is not None

    @override
    def is_valid_state(self, entity_state: State) -> bool:
        return self.in_range(entity_state) is True


class ConnectionIs(
    OfConnection,
    _PoolCondition,
    schema=_SCHEMA.extend({vol.Required(CONF_OPTIONS): CONNECTION_OPTIONS}),
):
    """The connection of a controller (LAN, cloud or lost) is one of those chosen."""

    @override
    def is_valid_state(self, entity_state: State) -> bool:
        return entity_state.state in self._options[OPTION_CONNECTION]


CONDITIONS: dict[str, type[Condition]] = {
    "all_is_well": AllIsWell,
    "is_connection": ConnectionIs,
    "reading_in_range": ReadingInRange,
}


async def async_get_conditions(hass: HomeAssistant) -> dict[str, type[Condition]]:
    """Return the conditions of this integration."""
    return CONDITIONS
