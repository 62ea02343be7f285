"""Heating of pool and spa: target temperatures, and which heat sources may run.

Observed, not published (layouts.md 3 and 4): `v2_temp_set` writes all of it at once, and
what its body lacks becomes 0. So the whole is read, changed and written back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
import operator
from typing import TYPE_CHECKING, Any

from ..commands import decode_json, encode_cmd
from ..equipment import POOL_SOURCES, SPA_SOURCES
from ..exceptions import InvalidCommandError, NotSupportedError, ReplyError
from ..frame import StateFrame
from ..lan import LanClient
from ..pool.json_values import list_of
from ..pool.state import PoolState
from .pending import Pending

if TYPE_CHECKING:
    from .commander import Commander

MIN_TARGET, MAX_TARGET = 10, 40
"""°C, chosen: the wire is a u8, and UL 1563 lets no spa be set above 40 °C (104 °F)."""


@dataclass(frozen=True, slots=True)
class Water:
    """Pool or spa: the field of Configuration with its target, and what heats it."""

    target: str
    sources: tuple[str, ...]


POOL = Water("pool_target", POOL_SOURCES)
SPA = Water("spa_target", SPA_SOURCES)

# Field of Configuration -> key of the body of `v2_temp_set`
_KEYS = {
    "pool_target": "desire_pool_temp",
    "spa_target": "desire_spa_temp",
    "solar_selected": "is_solar_heater_selected",
    "pool_heater_selected": "is_pool_heater_selected",
    "spa_heater_selected": "is_spa_heater_selected",
}
_CHANNELS = ("temp2_ch", "temp3_ch")
"""Which probe is where: not ours to know, written back as read."""


def may_heat(state: PoolState, water: Water) -> bool | None:
    """Tell whether at least one of its sources may run, `None` if that is not known."""
    selected = [
        getattr(state.configuration, f"{source}_selected")
        for source in state.fitted_sources(water.sources)
    ]
    return None if None in selected and True not in selected else True in selected


def heats(state: PoolState, water: Water) -> bool | None:
    """Tell whether one of its sources heats this water now, `None` if not known."""
    if water is POOL and state.spa_mode:
        return False  # solar heating may run, but its water goes to the spa
    running = [
        getattr(state.readings, source)
        for source in state.fitted_sources(water.sources)
    ]
    return None if None in running and True not in running else True in running


def temperature(state: PoolState, water: Water) -> float | None:
    """Return what the one probe says of this water in °C: only that which circulates."""
    circulates = bool(state.spa_mode) is (water is SPA)
    return state.chemistry.water_temperature if circulates else None


def whole_settings(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of `v2_temp_set` that changes nothing, out of `v2_temp_get`.

    Unknown keys beside the list are kept. Raises ReplyError where a part is missing.
    """
    entries = {
        category: entry
        for entry in list_of(reply, "temperature")
        if isinstance(category := entry.get("category"), str)
    }
    pool, spa = entries.get("pool", {}), entries.get("spa", {})
    body = {key: value for key, value in reply.items() if key != "temperature"}
    for key in _KEYS.values():
        body[key] = pool.get(key)
    body[_KEYS["pool_target"]] = pool.get("target_temp")
    body[_KEYS["spa_target"]] = spa.get("target_temp")
    for key in _KEYS.values():
        if not isinstance(body[key], int | float):
            raise ReplyError(f"the settings have no {key}")
    for key in _CHANNELS:
        if body.get(key) is None:
            raise ReplyError(f"the settings have no {key}")
    return body


type _Step = Callable[[PoolState], Mapping[str, Any]]
"""Returns fields of Configuration as a person wants them, given how they are."""


def _with(state: PoolState, changes: Mapping[str, Any]) -> PoolState:
    return replace(state, configuration=replace(state.configuration, **changes))


def _sources(state: PoolState, water: Water, heat: bool) -> dict[str, bool]:
    """Return which sources to select for a water to be heated, or to deselect."""
    fitted = state.fitted_sources(water.sources)
    last = tuple(source for source in fitted if source in state.pool_sources)
    heating = state.selected_sources(water.sources) or last or fitted
    return {f"{source}_selected": heat for source in (heating if heat else fitted)}


class Heating:
    """Changes the heating of one controller."""

    def __init__(self, commander: Commander) -> None:
        """Send through a commander."""
        self._commander = commander
        self._sent: tuple[Pending, Mapping[str, Any]] | None = None

    async def change(
        self, water: Water, *, target: float | None = None, heat: bool | None = None
    ) -> None:
        """Set the target in whole °C, let the water be heated or not, or both at once.

        To heat again selects the sources that were selected last, else all there are.
        Raises InvalidCommandError outside the range of targets, and ReplyError where
        the controller's settings are not whole: then nothing was written.
        """
        steps: list[_Step] = []
        if target is not None:
            if not MIN_TARGET <= target <= MAX_TARGET:
                raise InvalidCommandError(f"{target} °C is not a target of this pool")
            told = {water.target: round(target)}
            steps.append(lambda state: told)
        if heat is not None:
            if not self._commander.state.fitted_sources(water.sources):
                raise NotSupportedError("what can heat it is not known yet")
            steps.append(lambda state: _sources(state, water, heat))
        await self._change(*steps)

    async def select(self, source: str, selected: bool) -> None:
        """Let a heat source run, or not: `pool_heater`, `solar` or `spa_heater`."""
        await self._change(lambda state: {f"{source}_selected": selected})

    async def _change(self, *steps: _Step) -> None:
        """Send changes; those that come while others are under way go together.

        One at a time: of two changes the later must read what the earlier wrote.
        """
        commander = self._commander
        await commander.coalescer.run(
            "heating", steps, self._send, commander.confirm, combine=operator.add
        )

    async def _send(self, steps: tuple[_Step, ...]) -> Pending:
        asked = dict(self._unconfirmed())
        for step in steps:
            # As it will be: what was asked before counts, confirmed or not.
            asked |= step(_with(self._commander.state, asked))
        written = {_KEYS[field]: value for field, value in asked.items()}

        async def write(lan: LanClient) -> StateFrame | None:
            reply = decode_json(await lan.query("v2_temp_get", urgent=True))
            body = whole_settings(reply) | written
            return await lan.action("cmd", encode_cmd("v2_temp_set", body))

        pending = await self._commander.send(
            "heating",
            lambda state: _with(state, asked),
            lambda state: _with(state, asked) == state,
            lan=write,
        )
        self._sent = pending, asked
        return pending

    def _unconfirmed(self) -> Mapping[str, Any]:
        """Return what was sent and not seen yet: what is read next may lack it, too."""
        if self._sent is None or self._sent[0] not in self._commander.pending:
            return {}
        return self._sent[1]
