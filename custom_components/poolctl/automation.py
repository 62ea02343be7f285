"""Code shared by triggers and conditions; each is about some entities of ours alone."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final, override

from homeassistant.components.sensor import DOMAIN as SENSOR
from homeassistant.const import (
    ATTR_DEVICE_ID,
    ATTR_ENTITY_ID,
    CONF_OPTIONS,
    CONF_TARGET,
    STATE_UNKNOWN,
    EntityStateAttribute,
    Platform,
    UnitOfElectricPotential,
)
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import (
    config_validation as cv,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.helpers.condition import ConditionConfig
from homeassistant.helpers.trigger import TriggerConfig
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.unit_conversion import ElectricPotentialConverter
import probatio as vol

from .account import async_controller
from .client.pool import PoolState, Source
from .const import ATTR_PROBLEMS, DOMAIN, LOST
from .coordinator import ControllerCoordinator
from .devices.output_attributes import ATTR_GOOD_FROM, ATTR_GOOD_TO
from .devices.parts import Part, controller_of, part_of_device
from .devices.ranges import READINGS, Reading
from .errors import mistake
from .learned.preferences import shown_chemistry
from .private import Targets
from .status.rows import Severity
from .status.table import KEYS
from .status.texts import name_of

OPTION_CONNECTION: Final = "connection"
OPTION_KINDS: Final = "kinds"
OPTION_READING: Final = "reading"
OPTION_LOWER_LIMIT: Final = "lower_limit"
OPTION_UPPER_LIMIT: Final = "upper_limit"

CONNECTIONS: Final = (*Source, LOST)
CONNECTION_OPTIONS: Final = {
    vol.Required(OPTION_CONNECTION): vol.All(
        cv.ensure_list, vol.Length(min=1), [vol.In(CONNECTIONS)]
    ),
}
KIND_OPTIONS: Final = {
    vol.Optional(OPTION_KINDS, default=list): vol.All(cv.ensure_list, [vol.In(KEYS)])
}
_READINGS: Final = {reading.key: reading for reading in READINGS}
_READING_OPTIONS: Final = {
    vol.Required(OPTION_READING): vol.In([*_READINGS]),
    vol.Optional(OPTION_LOWER_LIMIT): vol.Coerce(float),
    vol.Optional(OPTION_UPPER_LIMIT): vol.Coerce(float),
}


class PoolEntities(Targets):
    """Mixin for Home Assistant's base classes that selects entities by their keys."""

    _keys: Mapping[str, Part | None]
    """Keys of the entities, each with the part of the pool whose entity it is."""

    @override
    def __init_subclass__(
        cls, keys: Mapping[str, Part | None] | None = None, **kwargs: Any
    ) -> None:
        super().__init_subclass__(**kwargs)
        if keys is not None:
            cls._keys = keys

    @classmethod
    @override
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        """Refuse entities that it would never follow: selectors cannot leave them out."""
        config = await super().async_validate_config(hass, config)
        reading = config.get(CONF_OPTIONS, {}).get(OPTION_READING)
        keys, registry = [reading] if reading else [*cls._keys], er.async_get(hass)
        for entity_id in config.get(CONF_TARGET, {}).get(ATTR_ENTITY_ID, []):
            entry = registry.async_get(entity_id)
            if entry and not (
                entry.platform == DOMAIN and entry.translation_key in keys
            ):
                platform = Platform(*cls._domain_specs)
                names = ", ".join(name_of(hass, platform, key) for key in keys)
                raise mistake("wrong_target", entity=entry.entity_id, names=names)
        return config

    def _aimed[C: (TriggerConfig, ConditionConfig)](
        self, hass: HomeAssistant, config: C
    ) -> C:
        """Return the configuration; controllers replace parts without such an entity.

        Thus any part of a pool stands for the whole pool. A part with such an entity
        stays: the part with the spa's thermostat stands for that thermostat alone.
        """
        target = config.target or {}
        if ATTR_DEVICE_ID not in target:
            return config
        devices, parts = dr.async_get(hass), {*self._keys.values()}
        named = [
            controller_of(device)
            if (device := devices.async_get(device_id)) is not None
            and part_of_device(device) not in parts
            else device_id
            for device_id in target[ATTR_DEVICE_ID]
        ]
        return replace(config, target={**target, ATTR_DEVICE_ID: named})

    def entity_filter(self, entities: set[str]) -> set[str]:
        """Return the entities that the trigger or condition is about."""
        registry = er.async_get(self.hass)
        return {
            entity_id
            for entity_id in entities
            if (entry := registry.async_get(entity_id)) is not None
            and (entry.platform, entry.domain) == (DOMAIN, self.domain)
            and entry.translation_key in self._keys
        }


class OfStatus(PoolEntities, domain=SENSOR, keys={"status": None}):
    """Mixin for the sensor *Status*."""


class OfConnection(PoolEntities, domain=SENSOR, keys={"connection": None}):
    """Mixin for the sensor *Connection*."""


def problems_of(
    state: State, kinds: Collection[str]
) -> Mapping[str, Mapping[str, Any]] | None:
    """Return the problems of some kinds (of all but notices) in *Status*, by key."""
    if state.state == STATE_UNKNOWN or ATTR_PROBLEMS not in state.attributes:
        return None
    return {
        problem["key"]: problem
        for problem in state.attributes[ATTR_PROBLEMS]
        if (
            problem["key"] in kinds if kinds else problem["severity"] != Severity.NOTICE
        )
    }


class OfReading(
    PoolEntities, domain=SENSOR, keys={each.key: Part.WATER for each in READINGS}
):
    """Mixin for a reading and its limits: the user's, else those of the pool."""

    @classmethod
    @override
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        config = await super().async_validate_config(hass, config)
        options = config[CONF_OPTIONS]
        reading = _READINGS[options[OPTION_READING]]
        given = (options.get(OPTION_LOWER_LIMIT), options.get(OPTION_UPPER_LIMIT))
        limits = [limit for limit in given if limit is not None]
        possible = reading.possible
        if limits != sorted(limits) or any(each not in possible for each in limits):
            raise mistake(
                "wrong_limits",
                reading=name_of(hass, Platform.SENSOR, reading.key),
                lower=f"{possible.low:g}",
                upper=f"{possible.high:g} {reading.unit}".rstrip(),
            )
        return config

    _reading: Reading
    _lower: float | None
    _upper: float | None

    def _take(self, options: Mapping[str, Any]) -> None:
        self._keys = {options[OPTION_READING]: Part.WATER}
        self._reading = _READINGS[options[OPTION_READING]]
        self._lower = options.get(OPTION_LOWER_LIMIT)
        self._upper = options.get(OPTION_UPPER_LIMIT)

    def in_range(self, state: State) -> bool | None:
        """Return whether a reading is within its limits, `None` if one is unknown.

        A current state counts with its true reading, others as they were shown.
        """
        value = _native(state, state.state)
        if value is not None and state is self.hass.states.get(state.entity_id):
            value = self._true_reading(state.entity_id, value)
        return self._is_within(
            value,
            _native(state, state.attributes.get(ATTR_GOOD_FROM)),
            _native(state, state.attributes.get(ATTR_GOOD_TO)),
        )

    def _true_reading(self, entity_id: str, shown: float) -> float | None:
        """Return a reading without the filter of its noise; the shown one if gone."""
        entity = er.async_get(self.hass).async_get(entity_id)
        try:
            pool = async_controller(self.hass, str(entity and entity.device_id)).view
        except ServiceValidationError:
            return shown
        state = pool.state
        true = shown_chemistry(state, pool.preferences.without_flow, state.readings)
        return self._reading.of(true)

    def _is_within(
        self, value: float | None, good_from: float | None, good_to: float | None
    ) -> bool | None:
        lower = good_from if self._lower is None else self._lower
        upper = good_to if self._upper is None else self._upper
        if value is None or lower is None or upper is None:
            return None
        return lower <= value <= upper

    @callback
    def show_crossed(
        self, coordinator: ControllerCoordinator, state: PoolState
    ) -> None:
        """Show the readings as they are if this one is on the other side of a limit.

        Sensors show them without their noise, but automations follow the true reading.
        """
        own, steady = coordinator.preferences.own_ranges, coordinator.learned.steady
        good = self._reading.range(state, own)
        sides = {
            self._is_within(self._reading.of(each.readings), good.low, good.high)
            for each in (state, steady.shown(state))
        }
        if len(sides) > 1:
            steady.show(state)


def with_reading_options(schema: vol.Schema) -> vol.Schema:
    """Return the schema of a trigger or condition with a reading and its limits."""
    return schema.extend({vol.Required(CONF_OPTIONS): _READING_OPTIONS})


def _native(state: State, value: object) -> float | None:
    """Return a number in the unit of the readings: ORP may be shown in another one."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    unit = state.attributes.get(EntityStateAttribute.UNIT_OF_MEASUREMENT)
    if unit not in ElectricPotentialConverter.VALID_UNITS:
        return number
    return ElectricPotentialConverter.convert(
        number, unit, UnitOfElectricPotential.MILLIVOLT
    )
