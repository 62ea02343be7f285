"""Triggers: readings, heating, problems and the connection of a pool.

They follow Home Assistant's rules for entity triggers: a trigger does not fire for a
state that existed when it was set up, nor for one that was unknown before. With `for`,
it fires once the state has lasted that long without a break.
"""

from collections.abc import Callable, Container, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, override

from homeassistant.components.climate.const import (
    DOMAIN as CLIMATE,
    ClimateEntityStateAttribute,
    HVACAction,
    HVACMode,
)
from homeassistant.const import ATTR_ENTITY_ID, CONF_FOR, CONF_OPTIONS
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, State, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.target import (
    TargetStateChangedData,
    async_track_target_selector_state_change_event,
)
from homeassistant.helpers.trigger import (
    ENTITY_STATE_TRIGGER_SCHEMA,
    ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR,
    EntityTriggerBase,
    NotTriggeredReasonReporter,
    Trigger,
    TriggerActionRunner,
    TriggerConfig,
    TriggerNotTriggeredReporter,
)
import probatio as vol

from .automation import (
    CONNECTION_OPTIONS,
    CONNECTIONS,
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
from .client.pool.heating import BODIES, Body, heats
from .client.pool.state import PoolState
from .coordinator import SIGNAL_READ, ControllerCoordinator
from .devices.parts import Part

_FOR = {vol.Optional(CONF_FOR): cv.positive_time_period}


class _FollowsReads(PoolEntities, EntityTriggerBase):
    """Mixin for triggers that sensors must show the true reading, without a delay."""

    @callback
    def show_crossed(
        self, coordinator: ControllerCoordinator, state: PoolState
    ) -> None:
        """Show the readings of a state as they are if this trigger needs them."""
        raise NotImplementedError

    @override
    async def async_attach_runner(
        self,
        run_action: TriggerActionRunner,
        did_not_trigger: TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        detach = await super().async_attach_runner(run_action, did_not_trigger)
        ignore = async_dispatcher_connect(self.hass, SIGNAL_READ, self.show_crossed)

        @callback
        def stop() -> None:
            detach()
            ignore()

        return stop


class ReadingOutOfRange(
    OfReading,
    _FollowsReads,
    schema=with_reading_options(ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR),
):
    """A reading left its limits."""

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        self._take(config.options or {})
        super().__init__(hass, self._aimed(hass, config))

    @override
    def is_valid_state(
        self, state: State, report_not_triggered: NotTriggeredReasonReporter
    ) -> bool:
        return self.in_range(state) is False

    @override
    def is_valid_transition(self, from_state: State, to_state: State) -> bool:
        return self.in_range(from_state) is True


class TargetReached(
    _FollowsReads, domain=CLIMATE, keys={"pool": Part.HEATING, "spa": Part.SPA}
):
    """Heating ended because the water has its target temperature.

    The trigger follows the heating, not the reading: a reading varies around the
    target, and a user may lower it. It fires once for each time the firmware heats.
    """

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        super().__init__(hass, self._aimed(hass, config))
        self._heated: dict[str, set[Body]] = {}
        """Bodies of water that were heated at the previous read, by controller."""

    @override
    @callback
    def show_crossed(
        self, coordinator: ControllerCoordinator, state: PoolState
    ) -> None:
        heated = {body for body in BODIES if heats(state, body)}
        device_id = coordinator.record.device_id
        if self._heated.get(device_id, set()) - heated:
            coordinator.learned.steady.show(state)
        self._heated[device_id] = heated

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
    """A trigger without a base class in Home Assistant: fires when something begins."""

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        super().__init__(hass, config)
        self._target = self._aimed(hass, config).target or {}
        self._options = config.options or {}
        self._duration: timedelta | None = self._options.get(CONF_FOR)
        self._timers: dict[tuple[str, str], CALLBACK_TYPE] = {}
        """Timers by entity and item, each until the item has lasted long enough."""

    def _existing(self, state: State | None) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the items of a state and their variables, `None` if unknown."""
        raise NotImplementedError

    @override
    async def async_attach_runner(
        self,
        run_action: TriggerActionRunner,
        did_not_trigger: TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        @callback
        def followed(
            added: set[str], removed: set[str], states: Mapping[str, State | None]
        ) -> None:
            for entity_id in removed:
                self._cancel(entity_id)

        unfollow = await async_track_target_selector_state_change_event(
            self.hass,
            self._target,
            partial(self._changed, run_action),
            self.entity_filter,
            followed,
            primary_entities_only=False,
        )

        @callback
        def detach() -> None:
            unfollow()
            while self._timers:
                self._timers.popitem()[1]()

        return detach

    @callback
    def _cancel(self, entity_id: str, existing: Container[str] = ()) -> None:
        """Cancel the timers of an entity, except those of items that still exist."""
        for item in tuple(self._timers):
            if item[0] == entity_id and item[1] not in existing:
                self._timers.pop(item)()

    @callback
    def _changed(
        self, run_action: TriggerActionRunner, data: TargetStateChangedData
    ) -> None:
        event = data.state_change_event
        old, new = event.data["old_state"], event.data["new_state"]
        if (after := self._existing(new)) is None:
            return
        entity_id = event.data["entity_id"]
        self._cancel(entity_id, after)
        if (previous := self._existing(old)) is None:
            return
        for key in after.keys() - previous.keys():
            variables = {
                ATTR_ENTITY_ID: entity_id,
                "from_state": old,
                "to_state": new,
                "for": self._duration,
                **after[key],
            }
            item, reason = (entity_id, key), f"{key}: {entity_id}"
            run = partial(run_action, variables, reason, event.context)
            fire = partial(self._fire, run, item)
            if self._duration:
                self._timers[item] = async_call_later(self.hass, self._duration, fire)
            else:
                fire()

    @callback
    def _fire(
        self,
        run: Callable[[], object],
        item: tuple[str, str],
        now: datetime | None = None,
    ) -> None:
        self._timers.pop(item, None)
        run()


class NeedsAttention(
    OfStatus,
    _PoolTrigger,
    schema=ENTITY_STATE_TRIGGER_SCHEMA.extend(
        {vol.Required(CONF_OPTIONS, default={}): {**KIND_OPTIONS, **_FOR}}
    ),
):
    """A controller has a new problem, of the chosen kinds if any; each one triggers."""

    @override
    def _existing(self, state: State | None) -> Mapping[str, Mapping[str, Any]] | None:
        return problems_of(state, self._options[OPTION_KINDS])


class ConnectionChanged(
    OfConnection,
    _PoolTrigger,
    schema=ENTITY_STATE_TRIGGER_SCHEMA.extend(
        {vol.Required(CONF_OPTIONS): {**CONNECTION_OPTIONS, **_FOR}}
    ),
):
    """The connection changed to one of those chosen, even from another of them."""

    @override
    def _existing(self, state: State | None) -> Mapping[str, Mapping[str, Any]] | None:
        # It is unavailable in a closed season and while its entry is not set up.
        if state is None or state.state not in CONNECTIONS:
            return None
        wanted = {state.state} & {*self._options[OPTION_CONNECTION]}
        return {each: {OPTION_CONNECTION: each} for each in wanted}


TRIGGERS: dict[str, type[Trigger]] = {
    "connection_changed": ConnectionChanged,
    "needs_attention": NeedsAttention,
    "reading_out_of_range": ReadingOutOfRange,
    "target_reached": TargetReached,
}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[Trigger]]:
    """Return the triggers of this integration."""
    return TRIGGERS
