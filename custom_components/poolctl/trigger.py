"""Triggers: what a pool owner wants to be told of.

They extend Home Assistant's own bases for triggers of entities and follow their rules: a
trigger does not fire for what was already so when it was set up, nor for what only became
known. With `for` it fires once its state has lasted that long without a break.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar, cast, override

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
    EntityTriggerBase,
    NotTriggeredReasonReporter,
    Trigger,
    TriggerActionRunner,
    TriggerConfig,
    TriggerNotTriggeredReporter,
)
from homeassistant.helpers.typing import ConfigType
from homeassistant.util import dt as dt_util
import probatio as vol

from .automation import (
    CLIMATES,
    CONNECTION_OPTIONS,
    CONNECTION_SENSORS,
    DOSE_LIMIT_SENSORS,
    DRUM_SENSORS,
    DRY_RUN_SENSORS,
    EFFECT_SENSORS,
    OPTION_CONNECTION,
    ORP_RANGE,
    ORP_SENSORS,
    OUTPUTS,
    PH_RANGE,
    PH_SENSORS,
    LimitedReading,
    PoolEntities,
    connection_of,
)
from .output_attributes import ATTR_HELD_SINCE
from .private import TurnsOn


class _OutOfRange(LimitedReading, EntityNumericalStateCrossedThresholdTriggerBase):
    """A reading that leaves its range."""

    _base_schema = ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR
    _kind = NumericThresholdType.OUTSIDE

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Hand the limits to the base."""
        super().__init__(hass, self._aimed(hass, self._with_threshold(config)))


class PhOutOfRange(_OutOfRange, of=PH_SENSORS, limits=PH_RANGE):
    """The pH went out of range."""


class OrpOutOfRange(_OutOfRange, of=ORP_SENSORS, limits=ORP_RANGE):
    """The ORP went out of range."""


class _TurnedOn(PoolEntities, TurnsOn):
    """A binary sensor that went on."""

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Hand what is targeted to the base."""
        super().__init__(hass, self._aimed(hass, config))


class DrumNearlyEmpty(_TurnedOn, of=DRUM_SENSORS):
    """A drum fell below the level that its owner chose."""


class DoseLimitReached(_TurnedOn, of=DOSE_LIMIT_SENSORS):
    """The controller has taken all the doses of acid that it takes in a day."""


class DosingWithoutEffect(_TurnedOn, of=EFFECT_SENSORS):
    """Doses of acid do not lower the pH."""


class PumpDryRun(_TurnedOn, of=DRY_RUN_SENSORS):
    """The controller says that the pump runs dry."""


class TargetReached(PoolEntities, EntityTriggerBase, of=CLIMATES):
    """Heating ended because the water has its target temperature.

    The trigger follows the heating, not the reading: a reading wavers about the target,
    and a person may choose a lower one. It fires once for each time the firmware heats.
    """

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Hand what is targeted to the base."""
        super().__init__(hass, self._aimed(hass, config))

    @override
    def is_valid_state(
        self, state: State, report_not_triggered: NotTriggeredReasonReporter
    ) -> bool:
        target, current = (
            state.attributes.get(attribute)
            for attribute in (
                ClimateEntityStateAttribute.TARGET_TEMPERATURE,
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


class _PoolTrigger(PoolEntities, Trigger):
    """A trigger of ours that Home Assistant has no base for."""

    _schema: ClassVar[vol.Schema]

    @override
    @classmethod
    async def async_validate_config(
        cls, hass: HomeAssistant, config: ConfigType
    ) -> ConfigType:
        return cast("ConfigType", cls._schema(config))

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Aim it at entities of this integration."""
        config = self._aimed(hass, config)
        super().__init__(hass, config)
        self._target = config.target or {}


class HeldTooLong(_PoolTrigger, of=OUTPUTS):
    """An output has been held by hand, on or off, for some time.

    The time counts from when the hold began, which the output itself remembers: a restart
    of Home Assistant does not begin it anew.
    """

    _schema = ENTITY_STATE_TRIGGER_SCHEMA.extend(
        {
            vol.Required(CONF_OPTIONS, default={}): {
                vol.Required(CONF_FOR, default=timedelta(days=1)): vol.All(
                    cv.positive_time_period, vol.Range(min=timedelta(seconds=1))
                )
            }
        }
    )

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Read the options."""
        super().__init__(hass, config)
        self._duration: timedelta = (config.options or {})[CONF_FOR]

    @override
    async def async_attach_runner(
        self,
        run_action: TriggerActionRunner,
        did_not_trigger: TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        waiting = _Waiting(self.hass)
        look = partial(self._look, waiting, run_action)

        @callback
        def changed(data: TargetStateChangedData) -> None:
            event = data.state_change_event
            look(event.data["entity_id"], event.data["new_state"])

        @callback
        def followed(
            added: set[str], removed: set[str], states: Mapping[str, State | None]
        ) -> None:
            waiting.give_up(*removed)
            for entity_id in added:
                look(entity_id, states[entity_id])

        unfollow = await async_track_target_selector_state_change_event(
            self.hass, self._target, changed, self.entity_filter, followed
        )
        return waiting.detach(unfollow)

    @callback
    def _look(
        self,
        waiting: _Waiting,
        run_action: TriggerActionRunner,
        entity_id: str,
        state: State | None,
    ) -> None:
        """Wait for the rest of the time, where an output is held."""
        waiting.give_up(entity_id)
        if state is None or (since := _held_since(state)) is None:
            return
        left = since + self._duration - dt_util.utcnow()
        if left > timedelta(0):
            fire = partial(self._fire, run_action, state, since)
            waiting.begin(entity_id, fire, left)

    @callback
    def _fire(
        self, run_action: TriggerActionRunner, state: State, since: datetime
    ) -> None:
        run_action(
            {
                ATTR_ENTITY_ID: state.entity_id,
                ATTR_HELD_SINCE: since,
                "for": self._duration,
            },
            f"hold of {state.entity_id}",
            None,
        )


def _held_since(state: State) -> datetime | None:
    if (since := state.attributes.get(ATTR_HELD_SINCE)) is None:
        return None
    return dt_util.parse_datetime(since)


class ConnectionChanged(_PoolTrigger, of=CONNECTION_SENSORS):
    """A controller is reached by another way, or by none any more.

    Home Assistant's bases leave out changes to `unavailable`, so this one does without
    them. Every change to one of the chosen connections counts, even from another of them.
    """

    _schema = ENTITY_STATE_TRIGGER_SCHEMA.extend(
        {
            vol.Required(CONF_OPTIONS): {
                **CONNECTION_OPTIONS,
                vol.Optional(CONF_FOR): cv.positive_time_period,
            }
        }
    )

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Read the options."""
        super().__init__(hass, config)
        options = config.options or {}
        self._wanted = frozenset(options[OPTION_CONNECTION])
        self._duration: timedelta | None = options.get(CONF_FOR)

    @override
    async def async_attach_runner(
        self,
        run_action: TriggerActionRunner,
        did_not_trigger: TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        waiting = _Waiting(self.hass)

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
                fire = partial(self._fire, run_action, event, after)
                waiting.begin(entity_id, fire, self._duration)

        @callback
        def followed(
            added: set[str], removed: set[str], states: Mapping[str, State | None]
        ) -> None:
            waiting.give_up(*removed)

        unfollow = await async_track_target_selector_state_change_event(
            self.hass,
            self._target,
            changed,
            self.entity_filter,
            followed,
            primary_entities_only=False,
        )
        return waiting.detach(unfollow)

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
                OPTION_CONNECTION: connection,
            },
            f"connection of {entity_id}",
            event.context,
        )


class _Waiting(dict[str, CALLBACK_TYPE]):
    """Timers by entity: each runs until a state has lasted long enough."""

    def __init__(self, hass: HomeAssistant) -> None:
        super().__init__()
        self._hass = hass

    @callback
    def begin(
        self, entity_id: str, fire: Callable[[], None], duration: timedelta | None
    ) -> None:
        """Fire after a duration, at once where there is none."""
        if not duration:
            fire()
            return

        @callback
        def lasted(now: datetime) -> None:
            del self[entity_id]
            fire()

        self[entity_id] = async_call_later(self._hass, duration, lasted)

    def detach(self, unfollow: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Return what ends the following, and the waiting with it."""

        @callback
        def ended() -> None:
            unfollow()
            self.give_up(*self)

        return ended

    @callback
    def give_up(self, *entity_ids: str) -> None:
        """Wait no longer for some entities."""
        for entity_id in entity_ids:
            if (cancel := self.pop(entity_id, None)) is not None:
                cancel()


TRIGGERS: dict[str, type[Trigger]] = {
    "connection_changed": ConnectionChanged,
    "dose_limit_reached": DoseLimitReached,
    "dosing_without_effect": DosingWithoutEffect,
    "drum_nearly_empty": DrumNearlyEmpty,
    "held_too_long": HeldTooLong,
    "orp_out_of_range": OrpOutOfRange,
    "ph_out_of_range": PhOutOfRange,
    "pump_dry_run": PumpDryRun,
    "target_reached": TargetReached,
}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[Trigger]]:
    """Return the triggers of this integration."""
    return TRIGGERS
