"""Conditions: how the pool is now, or has been for a time.

They extend Home Assistant's own bases for conditions of entities: entities whose state is
not known are left out, and `for` looks back into the history where there is one.
"""

from typing import override

from homeassistant.const import CONF_OPTIONS
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers.condition import (
    ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL,
    Condition,
    ConditionConfig,
    EntityNumericalConditionBase,
)
from homeassistant.helpers.selector import NumericThresholdType
import probatio as vol

from .automation import (
    CONNECTION_OPTIONS,
    CONNECTION_SENSORS,
    DRUM_SENSORS,
    OPTION_CONNECTION,
    ORP_RANGE,
    ORP_SENSORS,
    PH_RANGE,
    PH_SENSORS,
    PUMP_SWITCHES,
    SPA_SWITCHES,
    LimitedReading,
    PoolEntities,
    connection_of,
)
from .private import IsOn, OfAnyState


class _Limited(LimitedReading, EntityNumericalConditionBase):
    """A reading in or out of its range."""

    _base_schema = ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL

    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        """Hand the limits to the base."""
        super().__init__(hass, self._aimed(hass, self._with_threshold(config)))


class _InRange(_Limited):
    _kind = NumericThresholdType.BETWEEN


class _OutOfRange(_Limited):
    _kind = NumericThresholdType.OUTSIDE


class PhInRange(_InRange, of=PH_SENSORS, limits=PH_RANGE):
    """The pH is in range."""


class PhOutOfRange(_OutOfRange, of=PH_SENSORS, limits=PH_RANGE):
    """The pH is out of range."""


class OrpInRange(_InRange, of=ORP_SENSORS, limits=ORP_RANGE):
    """The ORP is in range."""


class OrpOutOfRange(_OutOfRange, of=ORP_SENSORS, limits=ORP_RANGE):
    """The ORP is out of range."""


class _On(PoolEntities, IsOn):
    """Something is on."""

    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        """Hand what is targeted to the base."""
        super().__init__(hass, self._aimed(hass, config))


class DrumNearlyEmpty(_On, of=DRUM_SENSORS):
    """A drum is below the level that its owner chose."""


class PumpRunning(_On, of=PUMP_SWITCHES):
    """The pump is on, by hand or by a schedule."""


class SpaModeOn(_On, of=SPA_SWITCHES):
    """The water goes to the spa."""


class ConnectionIs(
    PoolEntities,
    OfAnyState,
    of=CONNECTION_SENSORS,
    schema=ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL.extend(
        {vol.Required(CONF_OPTIONS): CONNECTION_OPTIONS}
    ),
):
    """A controller is reached by one of the chosen ways, or by none."""

    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        """Read the options."""
        super().__init__(hass, self._aimed(hass, config))
        self._wanted = frozenset((config.options or {})[OPTION_CONNECTION])

    @override
    def counts(self, state: State) -> bool:
        # What is unavailable is a lost controller.
        return connection_of(state) is not None

    @override
    def is_valid_state(self, entity_state: State) -> bool:
        return connection_of(entity_state) in self._wanted


CONDITIONS: dict[str, type[Condition]] = {
    "is_connection": ConnectionIs,
    "is_drum_nearly_empty": DrumNearlyEmpty,
    "is_orp_in_range": OrpInRange,
    "is_orp_out_of_range": OrpOutOfRange,
    "is_ph_in_range": PhInRange,
    "is_ph_out_of_range": PhOutOfRange,
    "is_pump_running": PumpRunning,
    "is_spa_mode_on": SpaModeOn,
}


async def async_get_conditions(hass: HomeAssistant) -> dict[str, type[Condition]]:
    """Return the conditions of this integration."""
    return CONDITIONS
