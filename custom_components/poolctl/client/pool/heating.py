"""Heating: the bodies of water, what heats them, and what is known of that.

Observed, not published (layouts.md 2.1, 2.2, 3 and 4).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ..commands import POOL_TARGET, PROBE_CHANNELS, SELECTED, SPA_TARGET
from ..equipment import SPA_ACTUATORS, HeatSource
from ..exceptions import InvalidCommandError, ReplyError
from ..frame import Signals
from ..json_values import Answer, list_of, number
from .parts import Heater, Water
from .state import PoolState

MIN_TARGET, MAX_TARGET = 10, 40
"""°C, chosen: the wire is a u8, and UL 1563 lets no spa be set above 40 °C (104 °F)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A body of water: what belongs to it, wherever it is needed."""

    key: str
    """Stable name, of its entity too."""
    sources: tuple[HeatSource, ...]
    """What can heat it."""
    target_key: str
    """Of the target in the body of `v2_temp_set`."""
    of: Callable[[PoolState], Water]
    into: Callable[[PoolState, Water], PoolState]


POOL = Body(
    key="pool",
    sources=(HeatSource.POOL_HEATER, HeatSource.SOLAR),
    target_key=POOL_TARGET,
    of=lambda state: state.pool,
    into=lambda state, water: replace(state, pool=water),
)
SPA = Body(
    key="spa",
    sources=(HeatSource.SPA_HEATER,),
    target_key=SPA_TARGET,
    of=lambda state: state.spa,
    into=lambda state, water: replace(state, spa=water),
)
BODIES = (POOL, SPA)

RUNNING: Mapping[HeatSource, Callable[[Signals], bool | None]] = {
    HeatSource.POOL_HEATER: lambda signals: signals.pool_heater,
    HeatSource.SOLAR: lambda signals: signals.solar,
    HeatSource.SPA_HEATER: lambda signals: signals.spa_heater,
}
"""Whether a heat source runs now."""


def heated(state: PoolState, body: Body) -> bool | None:
    """Return whether something that heats a water is wired, `None` if it may be."""
    outputs = state.outputs
    found = _any([outputs.fitted(source.fitted) for source in body.sources])
    if found or body is not SPA:
        return found
    by_solar = (outputs.fitted(HeatSource.SOLAR.fitted), outputs.fitted(SPA_ACTUATORS))
    if False in by_solar:
        return found
    return None if None in by_solar else True


def has_thermostat(state: PoolState, body: Body) -> bool | None:
    """Return whether something heats a water, `None` while its target is unknown.

    The cloud does not report the targets.
    """
    if heated(state, body) is False:
        return False
    return body.of(state).target is not None or None


def fitted_sources(state: PoolState, body: Body) -> tuple[HeatSource, ...]:
    """Return the heat sources of a water that are known to be wired.

    Solar heating heats the spa, too (layouts.md 2.4); where the spa has a heater of its
    own, solar heating stays the pool's.
    """
    found = tuple(s for s in body.sources if state.outputs.fitted(s.fitted))
    if body is SPA and not found and heated(state, SPA):
        return (HeatSource.SOLAR,)
    return found


def selected_sources(state: PoolState, body: Body) -> tuple[HeatSource, ...]:
    """Return the heat sources of a water that are wired and may run."""
    return tuple(s for s in fitted_sources(state, body) if state.heat[s].selected)


def _any(answers: list[bool | None]) -> bool | None:
    """Return whether one is true, `None` where only what is unknown could be."""
    return True if True in answers else None if None in answers else False


def may_heat(state: PoolState, body: Body) -> bool | None:
    """Return whether one of its sources may run, `None` if that is unknown."""
    return _any([state.heat[s].selected for s in fitted_sources(state, body)])


def heats(state: PoolState, body: Body) -> bool | None:
    """Return whether one of its sources heats this water now, `None` if not known."""
    if body is POOL and state.spa_mode:
        return False  # solar heating may run, but its water goes to the spa
    sources = fitted_sources(state, body)
    if body is SPA and HeatSource.SOLAR in sources and not state.spa_mode:
        return False  # and now to the pool
    return _any([RUNNING[s](state.signals) for s in sources])


def circulates(state: PoolState, body: Body) -> bool:
    """Return whether this water is the one that flows through the equipment."""
    return bool(state.spa_mode) is (body is SPA)


def temperature(state: PoolState, body: Body) -> float | None:
    """Return what the one probe says of this water in °C: only that which circulates."""
    return state.chemistry.water_temperature if circulates(state, body) else None


def running_sources(state: PoolState) -> tuple[HeatSource, ...]:
    """Return what heats now: all of it heats the water that circulates."""
    return tuple(s for s in HeatSource if RUNNING[s](state.signals))


def sources_to_select(
    state: PoolState, body: Body, heat: bool
) -> Mapping[HeatSource, bool]:
    """Return which sources to select for a water to be heated, or to deselect.

    To heat again selects the sources that were selected last, else all there are.
    """
    fitted = fitted_sources(state, body)
    last = tuple(source for source in fitted if source in state.pool_sources)
    heating = selected_sources(state, body) or last or fitted
    return dict.fromkeys(heating if heat else fitted, heat)


@dataclass(frozen=True, slots=True)
class HeatingChange:
    """What a person asks of the heating: targets in °C, and which sources may run."""

    targets: Mapping[Body, int] = field(default_factory=dict)
    selected: Mapping[HeatSource, bool] = field(default_factory=dict)

    def then(self, newer: HeatingChange) -> HeatingChange:
        """Return both as one change; where they differ, the newer one counts."""
        return HeatingChange(
            {**self.targets, **newer.targets}, {**self.selected, **newer.selected}
        )

    def show(self, state: PoolState) -> PoolState:
        """Return the state as it will be."""
        for body, target in self.targets.items():
            state = body.into(state, replace(body.of(state), target=target))
        heaters = {source: Heater(on) for source, on in self.selected.items()}
        return replace(state, heat={**state.heat, **heaters})

    def write(self, settings: Answer, known: PoolState) -> dict[str, object]:
        """Return the body of `v2_temp_set` that changes just this, out of `v2_temp_get`.

        What the reply lacks is taken from what the state frames tell. Raises ReplyError
        where they do not report it either.
        """
        return {
            **_unchanged(settings, known),
            **{body.target_key: target for body, target in self.targets.items()},
            **{SELECTED[source]: on for source, on in self.selected.items()},
        }


def target_of(body: Body, target: float) -> HeatingChange:
    """Return the change to a target in °C; raises InvalidCommandError out of range."""
    if not MIN_TARGET <= target <= MAX_TARGET:
        raise InvalidCommandError(f"{target} °C is not a target of this pool")
    return HeatingChange(targets={body: round(target)})


def _unchanged(reply: Answer, known: PoolState) -> dict[str, object]:
    """Return the body of `v2_temp_set` that changes nothing.

    What it lacks becomes 0, so that nothing may be missing that the controller has; a
    probe channel that it does not report it does not have. Unknown keys are kept.
    """
    entries = {
        category: entry
        for entry in list_of(reply, "temperature")
        if isinstance(category := entry.get("category"), str)
    }
    without = {key for key in PROBE_CHANNELS if reply.get(key) is None}
    kept = {k: v for k, v in reply.items() if k not in without | {"temperature"}}
    selected = _selected(entries.get("pool", {}), known)
    targets = {body.target_key: _target(entries, body) for body in BODIES}
    return {**kept, **selected, **targets}


def _selected(pool: Answer, known: PoolState) -> dict[str, object]:
    """Return which heat sources may run, as the wire has it; raises ReplyError."""
    selected: dict[str, object] = {}
    for source, key in SELECTED.items():
        reported = pool.get(key)
        selected[key] = known.heat[source].selected if reported is None else reported
        if not isinstance(selected[key], int | float):
            raise ReplyError(f"the settings have no {key}")
    return selected


def _target(entries: Mapping[str, Answer], body: Body) -> float:
    """Return the target of a water in °C; raises ReplyError where it is missing."""
    target = number(entries.get(body.key, {}), "target_temp")
    if target is None:
        raise ReplyError(f"the settings have no target of the {body.key}")
    return target
