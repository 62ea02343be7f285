"""Heating: bodies of water and their heat sources (observed, protocol.md O2 to O4)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ..bounds import Within
from ..wire.commands import (
    POOL_TARGET,
    PROBE_CHANNELS,
    SELECTED,
    SPA_TARGET,
    decode_json,
)
from ..wire.equipment import SPA_ACTUATORS, HeatSource
from ..wire.exceptions import InvalidCommandError, ReplyError, impossible_settings
from ..wire.frame import Signals
from ..wire.json_values import Answer, list_of, number
from .state import PoolState

MIN_TARGET, MAX_TARGET = 10, 40
"""Targets in °C (chosen): a u8 on the wire; UL 1563 limits spas to 40 °C (104 °F)."""
_TARGETS = Within(MIN_TARGET, MAX_TARGET)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A body of water: its names, heat sources and place in the state."""

    key: str
    """Stable name, also the key of its entity."""
    sources: tuple[HeatSource, ...]
    """Heat sources that can heat it."""
    target_key: str
    """Key of the target in the body of `v2_temp_set`."""
    target: Callable[[PoolState], int | None]
    """Returns the target in °C."""


POOL = Body(
    key="pool",
    sources=(HeatSource.POOL_HEATER, HeatSource.SOLAR),
    target_key=POOL_TARGET,
    target=lambda state: state.pool_target,
)
SPA = Body(
    key="spa",
    sources=(HeatSource.SPA_HEATER,),
    target_key=SPA_TARGET,
    target=lambda state: state.spa_target,
)
BODIES = (POOL, SPA)

RUNNING_SIGNALS: Mapping[HeatSource, Callable[[Signals], bool | None]] = {
    HeatSource.POOL_HEATER: lambda signals: signals.pool_heater,
    HeatSource.SOLAR: lambda signals: signals.solar,
    HeatSource.SPA_HEATER: lambda signals: signals.spa_heater,
}
"""Functions that return whether a heat source runs now."""


def heated(state: PoolState, body: Body) -> bool | None:
    """Return whether a heat source of this water is wired, `None` if one may be."""
    outputs = state.outputs
    found = _any([outputs.fitted(source.fitted) for source in body.sources])
    if found or body is not SPA:
        return found
    by_solar = (outputs.fitted(HeatSource.SOLAR.fitted), outputs.fitted(SPA_ACTUATORS))
    if False in by_solar:
        return found
    return None if None in by_solar else True


def has_thermostat(state: PoolState, body: Body) -> bool | None:
    """Return whether it has a heat source and a target, which the cloud lacks."""
    if heated(state, body) is False:
        return False
    return body.target(state) is not None or None


def fitted_sources(state: PoolState, body: Body) -> tuple[HeatSource, ...]:
    """Return those heat sources of a body of water that are reported as wired.

    Solar heating also heats the spa (protocol.md O2.4); if the spa has its own heater,
    solar heating counts as the pool's only.
    """
    found = tuple(s for s in body.sources if state.outputs.fitted(s.fitted))
    if body is SPA and not found and heated(state, SPA):
        return (HeatSource.SOLAR,)
    return found


def selected_sources(state: PoolState, body: Body) -> tuple[HeatSource, ...]:
    """Return those heat sources of a body of water that are wired and may run."""
    return tuple(s for s in fitted_sources(state, body) if state.heat[s])


def _any(answers: list[bool | None]) -> bool | None:
    """Return whether one is true, `None` if only an unknown one could be."""
    return True if True in answers else None if None in answers else False


def may_heat(state: PoolState, body: Body) -> bool | None:
    """Return whether a heat source of this water may run, `None` if unknown."""
    return _any([state.heat[s] for s in fitted_sources(state, body)])


def heats(state: PoolState, body: Body) -> bool | None:
    """Return whether a heat source heats this water now, `None` if unknown."""
    if body is POOL and state.spa_mode:
        return False  # solar heating may run, but its water goes to the spa
    sources = fitted_sources(state, body)
    if body is SPA and HeatSource.SOLAR in sources and not state.spa_mode:
        return False  # its water goes to the pool
    return _any([RUNNING_SIGNALS[s](state.signals) for s in sources])


def circulates(state: PoolState, body: Body) -> bool:
    """Return whether this water flows through the equipment now."""
    return bool(state.spa_mode) is (body is SPA)


def temperature(state: PoolState, body: Body) -> float | None:
    """Return the temperature in °C if this water circulates: there is one probe."""
    known = circulates(state, body) and state.probe_settled
    return state.chemistry.water_temperature if known else None


def running_sources(state: PoolState) -> tuple[HeatSource, ...]:
    """Return the heat sources that run now; they all heat the water that circulates."""
    return tuple(s for s in HeatSource if RUNNING_SIGNALS[s](state.signals))


def sources_to_select(
    state: PoolState, body: Body, heat: bool
) -> Mapping[HeatSource, bool]:
    """Return the sources to select to heat a body of water, or to deselect.

    Heating selects the sources that were selected last, else all fitted ones.
    """
    fitted = fitted_sources(state, body)
    last = tuple(source for source in fitted if source in state.pool_sources)
    heating = selected_sources(state, body) or last or fitted
    return dict.fromkeys(heating if heat else fitted, heat)


@dataclass(frozen=True, slots=True)
class HeatingChange:
    """A change that a user requests: targets in °C, and which heat sources may run."""

    targets: Mapping[Body, int] = field(default_factory=dict)
    selected: Mapping[HeatSource, bool] = field(default_factory=dict)

    def then(self, newer: HeatingChange) -> HeatingChange:
        """Return both changes as one; the newer one takes precedence."""
        return HeatingChange(
            {**self.targets, **newer.targets}, {**self.selected, **newer.selected}
        )

    def show(self, state: PoolState) -> PoolState:
        """Return the state as it will be after the change."""
        return replace(
            state,
            pool_target=self.targets.get(POOL, state.pool_target),
            spa_target=self.targets.get(SPA, state.spa_target),
            heat={**state.heat, **self.selected},
        )

    def write(self, settings: Answer, known: PoolState) -> dict[str, object]:
        """Return the body of `v2_temp_set` for this change, based on decoded settings.

        The controller sets missing keys to 0, so all the keys that it has are sent: it
        does not have a probe channel that it does not report. Unknown keys are kept.
        Values missing from the reply are taken from the state frames. Raises ReplyError
        if they do not report those of fitted equipment either, and InvalidCommandError
        for a target that no user may choose.
        """
        whole = {
            **framed_heating(known),
            **settings,
            **{body.target_key: target for body, target in self.targets.items()},
            **{SELECTED[source]: on for source, on in self.selected.items()},
        }
        for body in BODIES:
            for source in fitted_sources(known, body):
                keys = SELECTED[source], body.target_key
                if None in map(whole.get, keys):
                    raise ReplyError(f"the settings do not have all of {keys}")
                if (target := whole[body.target_key]) not in _TARGETS:
                    raise impossible_settings(body.target_key, target, "°C")
        optional = (*PROBE_CHANNELS, *framed_heating(known))
        return {k: v for k, v in whole.items() if v is not None or k not in optional}


def framed_heating(state: PoolState) -> dict[str, object]:
    """Return selections and targets by wire key, `None` where they are not reported."""
    return {
        **{key: state.heat[source] for source, key in SELECTED.items()},
        **{body.target_key: body.target(state) for body in BODIES},
    }


def decode_heating(payload: bytes) -> Answer:
    """Return a reply of `v2_temp_get` with the keys of `v2_temp_set`.

    Raises ReplyError. Values that are missing or no numbers are left out.
    """
    reply = dict(decode_json(payload))
    entries = {
        category: entry
        for entry in list_of(reply, "temperature")
        if isinstance(category := entry.get("category"), str)
    }
    reply.pop("temperature", None)
    flags = entries.get("pool", {})
    found = {key: flags.get(key) for key in SELECTED.values()}
    found |= {
        body.target_key: number(entries.get(body.key, {}), "target_temp")
        for body in BODIES
    }
    return {**reply, **{k: v for k, v in found.items() if isinstance(v, int | float)}}


def heating_agrees(state: PoolState, settings: Answer) -> bool:
    """Return whether decoded settings are complete, and have what the newest frame has.

    No frame reports the channels of the probes: 0 may be right, but surprises.
    """
    return all(number(settings, key) for key in PROBE_CHANNELS) and all(
        known is None or settings.get(key) == known
        for key, known in framed_heating(state).items()
    )


def target_of(body: Body, target: float) -> HeatingChange:
    """Return a change of a target; raises InvalidCommandError for an impossible one."""
    if not MIN_TARGET <= target <= MAX_TARGET or target != round(target):
        raise InvalidCommandError(
            f"{target} °C is not possible: a target is a whole number from"
            f" {MIN_TARGET} to {MAX_TARGET} °C"
        )
    return HeatingChange(targets={body: round(target)})
