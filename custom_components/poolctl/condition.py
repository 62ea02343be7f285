"""Conditions: how the pool is now, or has been for a time.

They stand on Home Assistant's own bases for conditions of entities: what is not known
is passed over, and `for` looks back into the history where there is one.
"""

from dataclasses import replace
from typing import Any, ClassVar, override

from homeassistant.const import CONF_OPTIONS
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers.condition import (
    ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL,
    Condition,
    ConditionConfig,
    EntityConditionBase,
    EntityNumericalConditionBase,
    EntityStateConditionBase,
)
from homeassistant.helpers.selector import NumericThresholdType
from homeassistant.helpers.typing import ConfigType
import probatio as vol

from .automation import (
    CONF_CONNECTION,
    CONNECTION,
    CONNECTION_OPTIONS,
    DRUMS,
    ON,
    ORP,
    ORP_RANGE,
    PH,
    PH_RANGE,
    PUMP,
    SPA_MODE,
    PoolEntities,
    Range,
    checked_limits,
    connection_of,
    reading_of,
    with_threshold,
)

IN_RANGE, OUT_OF_RANGE = NumericThresholdType.BETWEEN, NumericThresholdType.OUTSIDE


class _Limited(PoolEntities, EntityNumericalConditionBase):
    """A reading in or out of its range."""

    _range: ClassVar[Range]
    _kind: ClassVar[NumericThresholdType]

    @override
    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Offer the limits as options."""
        super().__init_subclass__(**kwargs)
        cls._schema = ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL.extend(
            {vol.Required(CONF_OPTIONS, default={}): cls._range.options}
        )

    @override
    @classmethod
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        config = await super().async_validate_config(hass, config)
        checked_limits(config[CONF_OPTIONS])
        return config

    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        """Hand the limits to the base."""
        options = with_threshold(config.options, self._kind)
        super().__init__(hass, replace(config, options=options))

    @override
    def _get_tracked_value(self, entity_state: State) -> float | None:
        return reading_of(entity_state)


class PhInRange(_Limited, of=PH):
    """The pH is in range."""

    _range, _kind = PH_RANGE, IN_RANGE


class PhOutOfRange(_Limited, of=PH):
    """The pH is out of range."""

    _range, _kind = PH_RANGE, OUT_OF_RANGE


class OrpInRange(_Limited, of=ORP):
    """The ORP is in range."""

    _range, _kind = ORP_RANGE, IN_RANGE


class OrpOutOfRange(_Limited, of=ORP):
    """The ORP is out of range."""

    _range, _kind = ORP_RANGE, OUT_OF_RANGE


class _On(PoolEntities, EntityStateConditionBase):
    """Something is on."""

    _states = ON


class DrumNearlyEmpty(_On, of=DRUMS):
    """A drum is below the level that its owner chose."""


class PumpRunning(_On, of=PUMP):
    """The pump is on, by hand or by a schedule."""


class SpaModeOn(_On, of=SPA_MODE):
    """The water goes to the spa."""


class ConnectionIs(PoolEntities, EntityConditionBase, of=CONNECTION):
    """A controller is reached by one of the chosen ways, or by none."""

    _schema = ENTITY_STATE_CONDITION_SCHEMA_ANY_ALL.extend(
        {vol.Required(CONF_OPTIONS): CONNECTION_OPTIONS}
    )
    _primary_entities_only = False

    def __init__(self, hass: HomeAssistant, config: ConditionConfig) -> None:
        """Read the options."""
        super().__init__(hass, config)
        self._wanted = frozenset((config.options or {})[CONF_CONNECTION])

    @override
    def _should_include(self, _state: State) -> bool:
        # Unavailable is what a lost controller is.
        return connection_of(_state) is not None

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
