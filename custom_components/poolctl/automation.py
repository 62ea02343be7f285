"""What triggers and conditions have in common: which entities, limits, connections.

Home Assistant gives both the states of whatever a person targets: entities, devices,
areas, labels. Each trigger and condition looks only at those entities of ours that it is
about.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Final, NamedTuple, override

from homeassistant.components.binary_sensor.const import DOMAIN as BINARY_SENSOR
from homeassistant.components.climate.const import DOMAIN as CLIMATE
from homeassistant.components.light.const import DOMAIN as LIGHT
from homeassistant.components.sensor import DOMAIN as SENSOR, SensorDeviceClass
from homeassistant.components.switch.const import DOMAIN as SWITCH
from homeassistant.const import (
    ATTR_DEVICE_ID,
    CONF_OPTIONS,
    STATE_UNAVAILABLE,
    EntityStateAttribute,
    UnitOfElectricPotential,
)
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import (
    config_validation as cv,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.helpers.automation import DomainSpec, filter_by_domain_specs
from homeassistant.helpers.condition import ConditionConfig
from homeassistant.helpers.selector import NumericThresholdType
from homeassistant.helpers.trigger import TriggerConfig
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.unit_conversion import ElectricPotentialConverter
import probatio as vol

from .client.equipment import AUX_TYPES
from .client.pool.state import Source
from .const import DOMAIN
from .names.parts import PART_OF, Part, controller_of, part_of_device
from .private import Readings, Targets

OPTION_CONNECTION: Final = "connection"
OPTION_LOWER_LIMIT: Final = "lower_limit"
OPTION_UPPER_LIMIT: Final = "upper_limit"
OPTION_THRESHOLD: Final = "threshold"
"""What Home Assistant's own bases call their limits."""

LOST: Final = "lost"
CONNECTIONS: Final = (*Source, LOST)
CONNECTION_OPTIONS: Final = {
    vol.Required(OPTION_CONNECTION): vol.All(
        cv.ensure_list, vol.Length(min=1), [vol.In(CONNECTIONS)]
    ),
}


class Ours(NamedTuple):
    """Entities of this integration, of one kind."""

    specs: Mapping[str, DomainSpec]
    keys: frozenset[str | None]
    """Translation keys, one of which they have."""
    parts: frozenset[Part | None]
    """The parts that they belong to."""


def _ours(domain: str, *keys: str) -> Ours:
    parts = frozenset(PART_OF[key] for key in keys)
    return Ours({domain: DomainSpec()}, frozenset(keys), parts)


# The pH sensor has no such key: Home Assistant names it after its device class.
PH_SENSORS: Final = Ours(
    {SENSOR: DomainSpec(device_class=SensorDeviceClass.PH)},
    frozenset({None}),
    frozenset({PART_OF["ph"]}),
)
ORP_SENSORS: Final = _ours(SENSOR, "orp")
CONNECTION_SENSORS: Final = _ours(SENSOR, "connection")
DRUM_SENSORS: Final = _ours(BINARY_SENSOR, "acid_low", "chlorine_low")
DOSE_LIMIT_SENSORS: Final = _ours(BINARY_SENSOR, "acid_limit_reached")
DRY_RUN_SENSORS: Final = _ours(BINARY_SENSOR, "dry_run")
EFFECT_SENSORS: Final = _ours(BINARY_SENSOR, "acid_without_effect")
OUTPUTS: Final = Ours(
    {SWITCH: DomainSpec(), LIGHT: DomainSpec()},
    frozenset(
        {"general", "pump", "spa_mode", *(aux.kind for aux in AUX_TYPES.values())}
    ),
    frozenset({Part.PUMP, Part.SPA, Part.LIGHTS, Part.OUTPUTS}),
)
CLIMATES: Final = _ours(CLIMATE, "pool", "spa")
PUMP_SWITCHES: Final = _ours(SWITCH, "pump")
SPA_SWITCHES: Final = _ours(SWITCH, "spa_mode")


class PoolEntities(Targets):
    """A mixin for the bases of Home Assistant: only some entities of ours count."""

    _keys: frozenset[str | None]
    _parts: frozenset[Part | None]

    @override
    def __init_subclass__(cls, of: Ours | None = None, **kwargs: object) -> None:
        """Take over which entities it is about."""
        super().__init_subclass__(**kwargs)
        if of is not None:
            cls.look_at(of.specs)
            cls._keys, cls._parts = of.keys, of.parts

    def _aimed[C: (TriggerConfig, ConditionConfig)](
        self, hass: HomeAssistant, config: C
    ) -> C:
        """Return the configuration with controllers for parts that have no such entity.

        So any part of a pool stands for the pool, except where the pool has several: the
        part with the spa's thermostat is that thermostat alone.
        """
        target = config.target or {}
        if ATTR_DEVICE_ID not in target:
            return config
        devices = dr.async_get(hass)
        named = [
            controller_of(device)
            if (device := devices.async_get(device_id)) is not None
            and part_of_device(device) not in self._parts
            else device_id
            for device_id in target[ATTR_DEVICE_ID]
        ]
        return replace(config, target={**target, ATTR_DEVICE_ID: named})

    def entity_filter(self, entities: set[str]) -> set[str]:
        """Return those entities that it is about."""
        registry = er.async_get(self.hass)
        return {
            entity_id
            for entity_id in filter_by_domain_specs(self.hass, self.specs, entities)
            if (entry := registry.async_get(entity_id)) is not None
            and entry.platform == DOMAIN
            and entry.translation_key in self._keys
        }


# Limits


class Limits(NamedTuple):
    """The limits of a reading, where a person chooses no others."""

    lower_limit: float
    upper_limit: float
    most: float
    """The highest limit that makes sense."""

    def added_to(self, schema: vol.Schema) -> vol.Schema:
        """Return the schema of a trigger or condition with the limits as options."""
        limit = vol.All(vol.Coerce(float), vol.Range(min=0, max=self.most))
        options = {
            vol.Required(OPTION_LOWER_LIMIT, default=self.lower_limit): limit,
            vol.Required(OPTION_UPPER_LIMIT, default=self.upper_limit): limit,
        }
        extended = schema.extend({vol.Required(CONF_OPTIONS, default={}): options})
        return vol.Schema(vol.All(extended, _checked_limits))


PH_RANGE: Final = Limits(7.0, 7.8, 14)
"""What is usually advised for pools; the controller doses to a pH between them."""
ORP_RANGE: Final = Limits(600, 850, 1200)
"""mV, around the 650 mV that controllers are usually set to, with room to dose."""


def _checked_limits(config: ConfigType) -> ConfigType:
    """Return the configuration; raise Invalid if nothing is between the limits."""
    options = config[CONF_OPTIONS]
    if options[OPTION_LOWER_LIMIT] > options[OPTION_UPPER_LIMIT]:
        raise vol.Invalid(
            f"{OPTION_LOWER_LIMIT} must not be above {OPTION_UPPER_LIMIT}",
            path=[CONF_OPTIONS, OPTION_LOWER_LIMIT],
        )
    return config


class LimitedReading(PoolEntities, Readings):
    """A mixin for the bases of Home Assistant: a reading in or out of its limits."""

    _base_schema: ClassVar[vol.Schema]
    """Of a trigger or condition without limits."""
    _kind: ClassVar[NumericThresholdType]

    @override
    def __init_subclass__(
        cls, of: Ours | None = None, limits: Limits | None = None, **kwargs: object
    ) -> None:
        """Offer the limits as options."""
        super().__init_subclass__(of, **kwargs)
        if limits is not None:
            cls.take(limits.added_to(cls._base_schema))

    def _with_threshold[C: (TriggerConfig, ConditionConfig)](self, config: C) -> C:
        """Return the configuration with the limits as the bases want them."""
        options = config.options or {}
        threshold = {
            "type": self._kind,
            "value_min": {"number": options[OPTION_LOWER_LIMIT]},
            "value_max": {"number": options[OPTION_UPPER_LIMIT]},
        }
        return replace(config, options={**options, OPTION_THRESHOLD: threshold})

    @override
    def reading(self, state: State) -> float | None:
        return reading_of(state)


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
    """Return what the connection sensor says, `None` where it says nothing.

    While an entry is not set up, at the start or during a reload, Home Assistant shows
    its entities as unavailable: that is no lost controller.
    """
    if state is None or state.attributes.get(EntityStateAttribute.RESTORED):
        return None
    if state.state == STATE_UNAVAILABLE:
        return LOST
    return state.state if state.state in CONNECTIONS else None
