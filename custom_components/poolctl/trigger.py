"""Triggers: readings, heating, problems and the connection of a pool.

They follow Home Assistant's rules for entity triggers: a trigger does not fire for a
state that existed when it was set up. With `for`, it fires once the state has lasted that
long without a break. Unlike Home Assistant's, an unknown state does not end it.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, override

from homeassistant.components.climate.const import (
    DOMAIN as CLIMATE,
    ClimateEntityStateAttribute,
    HVACAction,
    HVACMode,
)
from homeassistant.const import (
    ATTR_ENTITY_ID,
    CONF_FOR,
    CONF_OPTIONS,
    STATE_UNAVAILABLE,
    STATE_UNKNOWN,
)
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, State, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.target import (
    TargetStateChangedData,
    async_track_target_selector_state_change_event,
)
from homeassistant.helpers.trigger import (
    ATTR_BEHAVIOR,
    BEHAVIOR_ALL,
    BEHAVIOR_EACH,
    BEHAVIOR_FIRST,
    ENTITY_STATE_TRIGGER_SCHEMA,
    ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR,
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
from .client.pool import BODIES, Body, PoolState, heats
from .coordinator import SIGNAL_READ, ControllerCoordinator
from .devices.parts import Part

_FOR = {vol.Optional(CONF_FOR): cv.positive_time_period}
_UNKNOWN: Final = {STATE_UNAVAILABLE, STATE_UNKNOWN}

type _Items = Mapping[str, Mapping[str, Any]]
"""What exists in a state, by key, with variables for the actions."""
type _Waiting = tuple[str, str]
"""An entity, or "" for all of them together, and the key of an item."""


class _PoolTrigger(PoolEntities, Trigger):
    """Triggers when something begins, compared with the last known state of an entity.

    An outage or a reload neither begins nor ends anything. A time that ends meanwhile is
    over with the next known state. Home Assistant's base class takes an unknown state for
    an end, and never triggers for what goes on after it.
    """

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        super().__init__(hass, config)
        self._target = self._aimed(hass, config).target or {}
        self._options = config.options or {}
        self._duration: timedelta | None = self._options.get(CONF_FOR)
        self._behavior: str = self._options.get(ATTR_BEHAVIOR, BEHAVIOR_EACH)
        self._known: dict[str, State] = {}
        """Last known states of the entities."""
        self._timers: dict[_Waiting, CALLBACK_TYPE] = {}
        """Timers of items, each until the item has lasted long enough."""
        self._due: dict[_Waiting, Callable[[], object]] = {}
        """Items that lasted long enough while their entity was unknown."""

    def _existing(self, state: State) -> _Items | None:
        """Return the items of a state and their variables, `None` if unknown."""
        raise NotImplementedError

    def _begins(self, previous: State) -> bool:
        """Return whether a new item counts after this state."""
        return True

    @callback
    def show_crossed(
        self, coordinator: ControllerCoordinator, state: PoolState
    ) -> None:
        """Show the readings of a read as they are if this trigger needs them."""

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
                self._known.pop(entity_id, None)
            for entity_id in added:
                self._note(entity_id, states.get(entity_id))
            self._cancel()

        unfollow = await async_track_target_selector_state_change_event(
            self.hass,
            self._target,
            partial(self._changed, run_action),
            self.entity_filter,
            followed,
            primary_entities_only=False,
        )
        ignore = async_dispatcher_connect(self.hass, SIGNAL_READ, self.show_crossed)

        @callback
        def detach() -> None:
            unfollow()
            ignore()
            self._known.clear()
            self._cancel()

        return detach

    def _note(self, entity_id: str, state: State | None) -> bool:
        """Note a state if it is known; return whether it is."""
        if state is None or self._existing(state) is None:
            return False
        self._known[entity_id] = state
        return True

    def _having(self, key: str, of: str = "") -> list[bool]:
        """Return of each entity, or of one, whether it has an item."""
        states = [state for known, state in self._known.items() if of in ("", known)]
        return [key in (self._existing(each) or ()) for each in states]

    def _exists(self, entity_id: str, key: str) -> bool:
        """Return whether an item exists for an entity, or for all of them together."""
        having = self._having(key, entity_id)
        return any(having) and (self._behavior == BEHAVIOR_FIRST or all(having))

    @callback
    def _cancel(self) -> None:
        """Cancel what waits for items that do not exist any more."""
        for item in [*self._timers]:
            if not self._exists(*item):
                self._timers.pop(item)()
                self._due.pop(item, None)

    @callback
    def _changed(
        self, run_action: TriggerActionRunner, data: TargetStateChangedData
    ) -> None:
        event = data.state_change_event
        entity_id, new = event.data["entity_id"], event.data["new_state"]
        previous = self._known.get(entity_id)
        if not self._note(entity_id, new):
            return
        self._cancel()
        for item in [*self._due]:
            self._due.pop(item)()
        if previous is None or new is None or not self._begins(previous):
            return
        after, before = self._existing(new) or {}, self._existing(previous) or {}
        for key in filter(self._counts, after.keys() - before.keys()):
            variables = {
                ATTR_ENTITY_ID: entity_id,
                "from_state": previous,
                "to_state": new,
                "for": self._duration,
                **after[key],
            }
            run = partial(run_action, variables, f"{key}: {entity_id}", event.context)
            self._begin(entity_id, key, run)

    def _begin(self, entity_id: str, key: str, run: Callable[[], object]) -> None:
        """Run the actions, with a duration once the item has lasted that long."""
        if not self._duration:
            run()
            return
        item = (entity_id if self._behavior == BEHAVIOR_EACH else "", key)
        fire = partial(self._fire, item, entity_id, run)
        self._timers.pop(item, lambda: None)()
        self._timers[item] = async_call_later(self.hass, self._duration, fire)

    def _counts(self, key: str) -> bool:
        """Return whether a new item is the first one, or the last, if that matters."""
        having = self._having(key)
        counts = {BEHAVIOR_FIRST: having.count(True) == 1, BEHAVIOR_ALL: all(having)}
        return counts.get(self._behavior, True)

    @callback
    def _fire(
        self,
        item: _Waiting,
        entity_id: str,
        run: Callable[[], object],
        now: datetime | None = None,
    ) -> None:
        """Run the actions now, or once the entity is known again."""
        state = self.hass.states.get(entity_id)
        if state is None or self._existing(state) is None:
            self._due[item] = partial(self._fire, item, entity_id, run)
        elif self._timers.pop(item, None):
            run()


class ReadingOutOfRange(
    OfReading,
    _PoolTrigger,
    schema=with_reading_options(ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR),
):
    """A reading left its limits."""

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        self._take(config.options or {})
        super().__init__(hass, config)

    @override
    def _existing(self, state: State) -> _Items | None:
        if (fine := self.in_range(state)) is None:
            return None
        return {} if fine else {self._reading.key: {}}


class TargetReached(
    _PoolTrigger,
    domain=CLIMATE,
    keys={"pool_heating": Part.HEATING, "spa_heating": Part.SPA},
    schema=ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR,
):
    """Heating ended because the water has its target temperature.

    The trigger follows the heating, not the reading: a reading varies around the
    target, and a user may lower it. It fires once for each time the firmware heats.
    """

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        super().__init__(hass, config)
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
    def _existing(self, state: State) -> _Items | None:
        action = state.attributes.get(ClimateEntityStateAttribute.HVAC_ACTION)
        if state.state in _UNKNOWN or action is None:
            return None
        target, current = (
            state.attributes.get(attribute)
            for attribute in (
                ClimateEntityStateAttribute.TARGET_TEMPERATURE,
                ClimateEntityStateAttribute.CURRENT_TEMPERATURE,
            )
        )
        rests = action != HVACAction.HEATING and state.state == HVACMode.HEAT
        if not rests or target is None or current is None or current < target:
            return {}
        return {"reached": {}}

    @override
    def _begins(self, previous: State) -> bool:
        action = previous.attributes.get(ClimateEntityStateAttribute.HVAC_ACTION)
        return bool(action == HVACAction.HEATING)


class NeedsAttention(
    OfStatus,
    _PoolTrigger,
    schema=ENTITY_STATE_TRIGGER_SCHEMA.extend(
        {vol.Required(CONF_OPTIONS, default={}): {**KIND_OPTIONS, **_FOR}}
    ),
):
    """A controller has a new problem, of the chosen kinds if any; each one triggers."""

    @override
    def _existing(self, state: State) -> _Items | None:
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
    def _existing(self, state: State) -> _Items | None:
        # It is unavailable in a closed season and while its entry is not set up.
        if state.state not in CONNECTIONS:
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
