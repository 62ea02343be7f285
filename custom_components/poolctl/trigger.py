"""Triggers: what a pool owner wants to be told of.

They stand on Home Assistant's own bases for triggers of entities, and so follow their
rules: nothing is told of what was so already when a trigger was set up, or of what only
became known; `for` waits until it has been so for a time, in which it must not cease.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, ClassVar, cast, override

from homeassistant.components.climate.const import (
    ClimateEntityStateAttribute,
    HVACAction,
    HVACMode,
)
from homeassistant.const import ATTR_ENTITY_ID, CONF_FOR, CONF_OPTIONS
from homeassistant.core import (
    CALLBACK_TYPE,
    Event,
    EventStateChangedData,
    HomeAssistant,
    State,
    callback,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.selector import NumericThresholdType
from homeassistant.helpers.target import (
    TargetStateChangedData,
    async_track_target_selector_state_change_event,
)
from homeassistant.helpers.trigger import (
    ENTITY_STATE_TRIGGER_SCHEMA,
    ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR,
    EntityNumericalStateCrossedThresholdTriggerBase,
    EntityTargetStateTriggerBase,
    EntityTriggerBase,
    NotTriggeredReasonReporter,
    Trigger,
    TriggerActionRunner,
    TriggerConfig,
    TriggerNotTriggeredReporter,
)
from homeassistant.helpers.typing import ConfigType
import probatio as vol

from .automation import (
    CONF_CONNECTION,
    CONNECTION,
    CONNECTION_OPTIONS,
    DRUMS,
    DRY_RUN,
    ON,
    ORP,
    ORP_RANGE,
    PH,
    PH_RANGE,
    WATERS,
    PoolEntities,
    Range,
    checked_limits,
    connection_of,
    reading_of,
    with_threshold,
)


class _OutOfRange(PoolEntities, EntityNumericalStateCrossedThresholdTriggerBase):
    """A reading that leaves its range."""

    _range: ClassVar[Range]

    @override
    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Offer the limits as options."""
        super().__init_subclass__(**kwargs)
        cls._schema = ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR.extend(
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

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Hand the limits to the base."""
        options = with_threshold(config.options, NumericThresholdType.OUTSIDE)
        super().__init__(hass, replace(config, options=options))

    @override
    def _get_tracked_value(self, state: State) -> float | None:
        return reading_of(state)


class PhOutOfRange(_OutOfRange, of=PH):
    """The pH went out of range."""

    _range = PH_RANGE


class OrpOutOfRange(_OutOfRange, of=ORP):
    """The ORP went out of range."""

    _range = ORP_RANGE


class _TurnedOn(PoolEntities, EntityTargetStateTriggerBase):
    """A binary sensor that went on."""

    _to_states = ON


class DrumNearlyEmpty(_TurnedOn, of=DRUMS):
    """A drum fell below the level that its owner chose."""


class PumpDryRun(_TurnedOn, of=DRY_RUN):
    """The controller says that the pump runs dry."""


class TargetReached(PoolEntities, EntityTriggerBase, of=WATERS):
    """Heating ended because the water has its target temperature.

    Not when the water crosses it: a reading wavers about the target, and a person may
    choose a lower one. What the firmware ends is heated up, once for each time it heats.
    """

    @override
    def is_valid_state(
        self, state: State, report_not_triggered: NotTriggeredReasonReporter
    ) -> bool:
        target, current = (
            state.attributes.get(attribute)
            for attribute in (
                ClimateEntityStateAttribute.TEMPERATURE,
                ClimateEntityStateAttribute.CURRENT_TEMPERATURE,
            )
        )
        if target is None or current is None:
            return False
        return state.state == HVACMode.HEAT and bool(current >= target)

    @override
    def is_valid_transition(self, from_state: State, to_state: State) -> bool:
        return _heats(from_state) and not _heats(to_state)


def _heats(state: State) -> bool:
    action = state.attributes.get(ClimateEntityStateAttribute.HVAC_ACTION)
    return action == HVACAction.HEATING


class ConnectionChanged(PoolEntities, Trigger, of=CONNECTION):
    """A controller is reached by another way, or by none any more.

    The bases know no transition to `unavailable`, so this one stands by itself. Every
    change to one of the chosen connections counts, from another chosen one, too.
    """

    _schema = ENTITY_STATE_TRIGGER_SCHEMA.extend(
        {
            vol.Required(CONF_OPTIONS): {
                **CONNECTION_OPTIONS,
                vol.Optional(CONF_FOR): cv.positive_time_period,
            }
        }
    )

    @override
    @classmethod
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        return cast(ConfigType, cls._schema(config))

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Read the options."""
        super().__init__(hass, config)
        self._hass = hass
        self._target = config.target or {}
        options = config.options or {}
        self._wanted = frozenset(options[CONF_CONNECTION])
        self._duration: timedelta | None = options.get(CONF_FOR)

    @override
    async def async_attach_runner(
        self,
        run_action: TriggerActionRunner,
        did_not_trigger: TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        waiting = _Waiting(self._hass, self._duration)

        @callback
        def changed(data: TargetStateChangedData) -> None:
            event = data.state_change_event
            before = connection_of(event.data["old_state"])
            after = connection_of(event.data["new_state"])
            if before == after:
                return
            entity_id = event.data["entity_id"]
            waiting.give_up(entity_id)
            if before is not None and after is not None and after in self._wanted:
                waiting.begin(entity_id, partial(self._fire, run_action, event, after))

        @callback
        def followed(
            added: set[str], removed: set[str], states: Mapping[str, State | None]
        ) -> None:
            waiting.give_up(*removed)

        unfollow = await async_track_target_selector_state_change_event(
            self._hass,
            self._target,
            changed,
            self.entity_filter,
            followed,
            primary_entities_only=False,
        )

        @callback
        def detach() -> None:
            unfollow()
            waiting.give_up(*waiting)

        return detach

    @callback
    def _fire(
        self,
        run_action: TriggerActionRunner,
        event: Event[EventStateChangedData],
        connection: str,
    ) -> None:
        entity_id = event.data["entity_id"]
        run_action(
            {
                ATTR_ENTITY_ID: entity_id,
                "from_state": event.data["old_state"],
                "to_state": event.data["new_state"],
                "for": self._duration,
                CONF_CONNECTION: connection,
            },
            f"connection of {entity_id}",
            event.context,
        )


class _Waiting(dict[str, CALLBACK_TYPE]):
    """What waits, by entity, until something has been so for a time."""

    def __init__(self, hass: HomeAssistant, duration: timedelta | None) -> None:
        super().__init__()
        self._hass = hass
        self._duration = duration

    @callback
    def begin(self, entity_id: str, fire: Callable[[], None]) -> None:
        """Wait for an entity; without a duration there is nothing to wait for."""
        if not self._duration:
            fire()
            return

        @callback
        def lasted(now: datetime) -> None:
            del self[entity_id]
            fire()

        self[entity_id] = async_call_later(self._hass, self._duration, lasted)

    @callback
    def give_up(self, *entity_ids: str) -> None:
        """Wait no longer for some entities."""
        for entity_id in entity_ids:
            if (cancel := self.pop(entity_id, None)) is not None:
                cancel()


TRIGGERS: dict[str, type[Trigger]] = {
    "connection_changed": ConnectionChanged,
    "drum_nearly_empty": DrumNearlyEmpty,
    "orp_out_of_range": OrpOutOfRange,
    "ph_out_of_range": PhOutOfRange,
    "pump_dry_run": PumpDryRun,
    "target_reached": TargetReached,
}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[Trigger]]:
    """Return the triggers of this integration."""
    return TRIGGERS
