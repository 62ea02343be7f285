"""Climate: the thermostats of the pool and of the spa."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple, override

from homeassistant.components.climate import ClimateEntity, ClimateEntityDescription
from homeassistant.components.climate.const import (
    ATTR_HVAC_MODE,
    DOMAIN as CLIMATE,
    ClimateEntityFeature,
    HVACAction,
    HVACMode,
)
from homeassistant.const import ATTR_TEMPERATURE, UnitOfTemperature
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.typing import UNDEFINED
from homeassistant.util.unit_conversion import (
    TemperatureConverter,
    TemperatureDeltaConverter,
)

from .account import PoolctlConfigEntry
from .client.pool import (
    BODIES,
    MAX_TARGET,
    MIN_TARGET,
    POOL,
    Body,
    circulates,
    fitted_sources,
    has_thermostat,
    heats,
    may_heat,
    sources_to_select,
)
from .coordinator import ControllerCoordinator
from .devices.output_attributes import (
    ATTR_EXPLANATION,
    ATTR_HELD_UNTIL,
    ATTR_REASONS,
    ATTR_WARM_BY_EXPLANATION,
    last_temperature,
)
from .devices.parts import PART_OF_BODY
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import async_follow, rows
from .prices.given import (
    ATTR_FIELDS,
    ATTR_PREFER,
    ATTR_PRICE_ENTITIES,
    FIELDS,
    HIGHEST,
    LISTS,
)
from .prices.reader import ListError
from .status.heating import why_heating, why_warm_by
from .status.rows import rounded
from .status.situation import View
from .status.texts import in_words, reasons
from .warm_by.blocks import Block
from .warm_by.request import Wish

PARALLEL_UPDATES = 0  # as for switches

ATTR_HEATING_RATE: Final = "heating_rate"
"""Temperature rise per hour of heating, in the unit of the entity's temperatures."""
ATTR_EXPECTED_WARM_TIME: Final = "expected_warm_time"
"""When the target is expected to be reached, while it heats."""
ATTR_WARM_BY: Final = "warm_by"
"""By when the water was requested to be warm; without a request, none of these exists."""
ATTR_WARM_BY_PLANNED: Final = "warm_by_planned"
ATTR_WARM_BY_DONE: Final = "warm_by_done"
ATTR_WARM_BY_PRICES: Final = "warm_by_prices"
ATTR_WARM_BY_REASONS: Final = "warm_by_reasons"


class ClimateValue(NamedTuple):
    """Values that are shown for a body of water."""

    target: int
    """Target temperature in °C."""
    current: float | None
    """Water temperature in °C."""
    mode: HVACMode | None
    action: HVACAction | None


_MODES = {True: HVACMode.HEAT, False: HVACMode.OFF, None: None}
_RESTING = {HVACMode.HEAT: HVACAction.IDLE, HVACMode.OFF: HVACAction.OFF, None: None}


def _exists(view: View, body: Body) -> bool | None:
    """Return whether it exists: until its target is known, if it can end something."""
    known, ends = has_thermostat(view.state, body), {*view.requests, *view.heat_held}
    return True if known is None and body in ends else known


def _shown(view: View, body: Body) -> ClimateValue | None:
    """Return the values to show, `None` while the target in °C is unknown."""
    state = view.state
    if (target := body.target(state)) is None:
        return None
    mode = _MODES[may_heat(state, body)]
    action: HVACAction | None = None
    if (heating := heats(state, body)) is not None:
        action = HVACAction.HEATING if heating else _RESTING[mode]
    of_it = circulates(state, body) and state.probe_settled
    current = view.chemistry.water_temperature if of_it else None
    return ClimateValue(target, current, mode, action)


def _heating_rate(view: View, body: Body) -> Mapping[str, float]:
    """Return the expected temperature rise per hour while heating, if learned."""
    sources = [*sources_to_select(view.state, body, True)]
    rate = view.learned.warming[body].expected(sources)
    if rate is None:
        return {}
    unit = view.hass.config.units.temperature_unit
    shown = TemperatureDeltaConverter.convert(rate, UnitOfTemperature.CELSIUS, unit)
    return {ATTR_HEATING_RATE: round(shown, 2)}


def _attributes(view: View, body: Body) -> Mapping[str, object]:
    """Return what is learned of the water, and what was requested.

    The current temperature is that of water at the probe: an automation must not act on
    the last reading of a spa that has cooled down since.
    """
    shown, rest = _shown(view, body), view.learned.cooling[body].rest
    found = {**_heating_rate(view, body), **_requested(view, body)}
    if (held_until := view.heat_held.get(body)) is not None:
        found[ATTR_HELD_UNTIL] = held_until.isoformat(timespec="seconds")
    if (warm := view.learned.ends.warm.get(body)) is not None:
        found[ATTR_EXPECTED_WARM_TIME] = warm
    if shown is None or shown.current is not None or rest is None:
        return found
    return found | last_temperature(view.hass.config.units, rest.water, rest.at)


def _times(blocks: Iterable[Block], by: datetime) -> Sequence[Mapping[str, datetime]]:
    """Return blocks before a time, to the minute; from then on, water is kept warm."""
    return [
        {"start": rounded(start), "end": rounded(min(end, by))}
        for start, end in blocks
        if start < by
    ]


def _requested(view: View, body: Body) -> Mapping[str, object]:
    """Return what automations read of a request for warm water, and what cards draw.

    Without an outlook, as its target is unknown, it can still be cancelled.
    """
    if (request := view.requests.get(body)) is None:
        return {}
    outlook, wish = view.warm_by.get(body), request.wish
    later, why = outlook.later if outlook else (), why_warm_by(outlook)
    prices = wish.prices if wish else ()
    return {
        ATTR_WARM_BY: request.by,
        ATTR_WARM_BY_DONE: _times(request.done, request.by),
        ATTR_WARM_BY_PLANNED: _times(later, request.by),
        ATTR_WARM_BY_PRICES: [(each.start, each.end, each.value) for each in prices],
        ATTR_WARM_BY_EXPLANATION: in_words(view.hass, why),
        ATTR_WARM_BY_REASONS: reasons(view.hass, why),
    }


@dataclass(frozen=True, kw_only=True)
class PoolctlClimateDescription(
    PoolctlEntityDescription[ClimateValue], ClimateEntityDescription
):
    """One body of water."""

    body: Body


def _climate(body: Body) -> PoolctlClimateDescription:
    return PoolctlClimateDescription(
        key=f"{body.key}_heating",
        # The part *Heating* is all about the pool's water.
        name=None if body is POOL else UNDEFINED,
        part=PART_OF_BODY[body],
        value_fn=lambda view: _shown(view, body),
        attributes_fn=lambda view: _attributes(view, body),
        explain_fn=lambda view: why_heating(view, body),
        exists_fn=lambda view: _exists(view, body),
        body=body,
    )


CLIMATES = tuple(_climate(body) for body in BODIES)


class PoolctlClimate(PoolctlEntity[ClimateValue], ClimateEntity):
    """Thermostat of a body of water."""

    entity_description: PoolctlClimateDescription
    _unrecorded_attributes = frozenset(
        {
            ATTR_EXPLANATION,
            ATTR_REASONS,
            ATTR_WARM_BY_DONE,
            ATTR_WARM_BY_EXPLANATION,
            ATTR_WARM_BY_PLANNED,
            ATTR_WARM_BY_PRICES,
            ATTR_WARM_BY_REASONS,
        }
    )
    _attr_supported_features = (
        ClimateEntityFeature.TARGET_TEMPERATURE
        | ClimateEntityFeature.TURN_ON
        | ClimateEntityFeature.TURN_OFF
    )
    _attr_native_temperature_unit: str = UnitOfTemperature.CELSIUS
    _attr_native_current_temperature: float | None = None
    _attr_native_target_temperature: float | None = None
    _attr_min_temp = MIN_TARGET
    _attr_max_temp = MAX_TARGET

    if not TYPE_CHECKING and not hasattr(ClimateEntity, "native_temperature_unit"):
        # Names that Home Assistant reads before 2026.11. From then on they are final,
        # and a class that has them is reported.

        @property
        @override
        def temperature_unit(self) -> str:
            return self._attr_native_temperature_unit

        @property
        @override
        def current_temperature(self) -> float | None:
            return self._attr_native_current_temperature

        @property
        @override
        def target_temperature(self) -> float | None:
            return self._attr_native_target_temperature

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlClimateDescription
    ) -> None:
        super().__init__(coordinator, description)
        self._attr_hvac_modes = [HVACMode.HEAT, HVACMode.OFF]
        self._show_newest()

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        self._show_newest()
        super()._handle_coordinator_update()

    def _show_newest(self) -> None:
        value = self.shown_value
        self._attr_native_target_temperature = value and value.target
        self._attr_native_current_temperature = value and value.current
        self._attr_hvac_mode = value and value.mode
        self._attr_hvac_action = value and value.action

    @property
    @override
    def target_temperature_step(self) -> float:
        """Return the step in the unit of the house: at least one of whole °C."""
        return 2 if self._in_fahrenheit else 1

    @property
    def _in_fahrenheit(self) -> bool:
        return self.hass.config.units.temperature_unit == UnitOfTemperature.FAHRENHEIT

    async def async_warm_by(
        self,
        at: datetime,
        duration: timedelta | None = None,
        later: bool = False,
        **preferred: Any,
    ) -> None:
        """Request warm water by a time, for a duration.

        What is preferred are the fields of `PRICE_FIELDS`. With `later`, a list that
        cannot be used is no error: one that can may come.
        """
        body = self.entity_description.body
        with self.commanding():
            lists, prices = self.coordinator.lists, None
            try:
                prices = await lists.given(body.key, preferred, later=later)
            except ListError:
                if not later:
                    raise
            names = preferred.get(ATTR_FIELDS, {})
            wish = Wish(
                prices=tuple(prices or ()),
                entities=tuple(preferred.get(ATTR_PRICE_ENTITIES, ())),
                fields=tuple(names.get(each, "") for each in FIELDS if names),
                highest=preferred.get(ATTR_PREFER) == HIGHEST,
            )
            wanted = wish if LISTS & preferred.keys() else None
            await self.coordinator.warm_by.want(body, at, duration, wanted)

    async def async_cancel_warm_by(self) -> None:
        """Cancel that request, and undo what was switched on for it."""
        with self.commanding():
            await self.coordinator.warm_by.want(self.entity_description.body, None)

    async def async_hold(self, duration: timedelta) -> None:
        """Heat for some time, while the pump runs."""
        with self.commanding():
            await self.controller.heat.hold(self.entity_description.body, duration)

    async def async_resume(self) -> None:
        """End that."""
        with self.commanding():
            await self.controller.heat.resume(self.entity_description.body)

    @override
    async def async_set_temperature(self, **kwargs: Any) -> None:
        """Set the target and, if given, the mode in one write."""
        mode: HVACMode | None = kwargs.get(ATTR_HVAC_MODE)
        if mode is not None and mode not in self.hvac_modes:
            # Home Assistant checks the mode only if it is set alone: the same error.
            raise ServiceValidationError(
                translation_domain=CLIMATE,
                translation_key="not_valid_hvac_mode",
                translation_placeholders={
                    "mode": mode,
                    "modes": ", ".join(self.hvac_modes),
                },
            )
        await self._async_change(kwargs.get(ATTR_TEMPERATURE), mode)

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        await self._async_change(None, hvac_mode)

    async def _async_change(self, target: float | None, mode: HVACMode | None) -> None:
        heat = None if mode is None else mode is HVACMode.HEAT
        water = self.entity_description.body
        if target is not None and isfinite(target):
            target = round(self._nearest(target) if self._in_fahrenheit else target)
        sources = fitted_sources(self.coordinator.state, water)
        changed = () if heat is None else sources
        with self.commanding(), self.controller.heat.following(changed, bool(heat)):
            await self.controller.heating.change(water, target=target, heat=heat)
        if heat is False:
            await self.coordinator.warm_by.give_up(water)

    def _nearest(self, target: float) -> float:
        """Return a target in °C that moves by one if another °F than shown is wanted."""
        value = self.shown_value
        if value is None or round(target) != value.target:
            return target
        celsius, fahrenheit = UnitOfTemperature.CELSIUS, UnitOfTemperature.FAHRENHEIT
        asked, shown = (
            round(TemperatureConverter.convert(each, celsius, fahrenheit))
            for each in (target, value.target)
        )
        return value.target + (asked > shown) - (asked < shown)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove thermostats as controllers and equipment change."""
    await async_follow(entry, async_add_entities, rows(PoolctlClimate, CLIMATES))
