"""What triggers and conditions have in common: which entities, limits, connections.

Home Assistant gives both the states of whatever a person targets: entities, devices,
areas, labels. Of those, each kind looks only at the entities of ours that it is about.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, override

from homeassistant.components.binary_sensor.const import DOMAIN as BINARY_SENSOR
from homeassistant.components.climate.const import DOMAIN as CLIMATE
from homeassistant.components.sensor import DOMAIN as SENSOR, SensorDeviceClass
from homeassistant.components.switch.const import DOMAIN as SWITCH
from homeassistant.const import (
    STATE_ON,
    STATE_UNAVAILABLE,
    EntityStateAttribute,
    UnitOfElectricPotential,
)
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.automation import DomainSpec, filter_by_domain_specs
from homeassistant.helpers.selector import NumericThresholdType
from homeassistant.util.unit_conversion import ElectricPotentialConverter
import probatio as vol

from .client.pool.state import Source
from .const import DOMAIN

CONF_CONNECTION: Final = "connection"
CONF_LOWER_LIMIT: Final = "lower_limit"
CONF_UPPER_LIMIT: Final = "upper_limit"
CONF_THRESHOLD: Final = "threshold"
"""What Home Assistant's own bases call their limits."""

ON: Final[set[Any]] = {STATE_ON}

LOST: Final = "lost"
CONNECTIONS: Final = (*Source, LOST)
CONNECTION_OPTIONS: Final = {
    vol.Required(CONF_CONNECTION): vol.All(
        cv.ensure_list, vol.Length(min=1), [vol.In(CONNECTIONS)]
    ),
}


class Ours(NamedTuple):
    """Entities of this integration, of one domain."""

    specs: Mapping[str, DomainSpec]
    keys: frozenset[str | None]
    """Translation keys, one of which they have."""


def _ours(domain: str, *keys: str) -> Ours:
    return Ours({domain: DomainSpec()}, frozenset(keys))


# The pH sensor has no such key: Home Assistant names it after its device class.
PH: Final = Ours(
    {SENSOR: DomainSpec(device_class=SensorDeviceClass.PH)}, frozenset({None})
)
ORP: Final = _ours(SENSOR, "orp")
CONNECTION: Final = _ours(SENSOR, "connection")
DRUMS: Final = _ours(BINARY_SENSOR, "acid_low", "chlorine_low")
DRY_RUN: Final = _ours(BINARY_SENSOR, "dry_run")
WATERS: Final = _ours(CLIMATE, "pool", "spa")
PUMP: Final = _ours(SWITCH, "pump")
SPA_MODE: Final = _ours(SWITCH, "spa_mode")


class PoolEntities:
    """Put before a base of Home Assistant's: looks at some entities of ours only."""

    _hass: HomeAssistant
    _domain_specs: Mapping[str, DomainSpec]
    _keys: frozenset[str | None]

    @override
    def __init_subclass__(cls, of: Ours | None = None, **kwargs: Any) -> None:
        """Take over which entities it is about."""
        super().__init_subclass__(**kwargs)
        if of is not None:
            cls._domain_specs, cls._keys = of

    def entity_filter(self, entities: set[str]) -> set[str]:
        """Return those entities that it is about."""
        registry = er.async_get(self._hass)
        return {
            entity_id
            for entity_id in filter_by_domain_specs(
                self._hass, self._domain_specs, entities
            )
            if (entry := registry.async_get(entity_id)) is not None
            and entry.platform == DOMAIN
            and entry.translation_key in self._keys
        }


# Limits


class Range(NamedTuple):
    """Limits of a reading; by default they are what is chosen here."""

    lower_limit: float
    upper_limit: float
    most: float
    """The highest limit that makes sense."""

    @property
    def options(self) -> dict[vol.Marker, Any]:
        """The limits as options of a trigger or condition."""
        limit = vol.All(vol.Coerce(float), vol.Range(min=0, max=self.most))
        return {
            vol.Required(CONF_LOWER_LIMIT, default=self.lower_limit): limit,
            vol.Required(CONF_UPPER_LIMIT, default=self.upper_limit): limit,
        }


PH_RANGE: Final = Range(7.0, 7.8, 14)
"""What is usually advised for pools; the controller doses to a pH between them."""
ORP_RANGE: Final = Range(600, 850, 1200)
"""mV, around the 650 mV that controllers are usually set to, with room to dose."""


def checked_limits(options: Mapping[str, Any]) -> None:
    """Raise Invalid where nothing could be between the limits."""
    if options[CONF_LOWER_LIMIT] > options[CONF_UPPER_LIMIT]:
        raise vol.Invalid(
            f"{CONF_LOWER_LIMIT} must not be above {CONF_UPPER_LIMIT}",
            path=[CONF_LOWER_LIMIT],
        )


def with_threshold(
    options: Mapping[str, Any] | None, kind: NumericThresholdType
) -> dict[str, Any]:
    """Return the options with the limits as Home Assistant's bases want them."""
    options = options or {}
    return {
        **options,
        CONF_THRESHOLD: {
            "type": kind,
            "value_min": {"number": options[CONF_LOWER_LIMIT]},
            "value_max": {"number": options[CONF_UPPER_LIMIT]},
        },
    }


def reading_of(state: State) -> float | None:
    """Return what a sensor shows, ORP in mV whatever unit its owner chose."""
    try:
        value = float(state.state)
    except ValueError:
        return None
    unit = state.attributes.get(EntityStateAttribute.UNIT_OF_MEASUREMENT)
    if unit not in ElectricPotentialConverter.VALID_UNITS:
        return value
    return ElectricPotentialConverter.convert(
        value, unit, UnitOfElectricPotential.MILLIVOLT
    )


# The connection


def connection_of(state: State | None) -> str | None:
    """Return what the connection sensor says, `None` where nobody is there to say it.

    Of an entry that is not set up, such as at the start or while it is reloaded, Home
    Assistant restores entities that are unavailable: that is no lost controller.
    """
    if state is None or state.attributes.get(EntityStateAttribute.RESTORED):
        return None
    if state.state == STATE_UNAVAILABLE:
        return LOST
    return state.state if state.state in CONNECTIONS else None
