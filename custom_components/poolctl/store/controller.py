"""Stored data of one controller, and the state that it starts from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Annotated, Self

from homeassistant.core import callback
from homeassistant.util import dt as dt_util

from ..client import Stored
from ..client.bounds import PrivateText, Within
from ..client.codec import to_stored
from ..client.holds import HeatClaim, Hold, Pause
from ..client.pool import (
    DOSING,
    MAX_SPEED,
    NAMES,
    UNKNOWN_TYPE,
    Chemistry,
    Choices,
    HeatSource,
    LightCode,
    LightShow,
    Outputs,
    PoolState,
)
from ..client.wire import PumpIdentity
from ..learned.learned import Learned
from ..learned.preferences import Preferences
from ..learned.totals import TotalKind
from ..prices.given import RefusedList
from ..warm_by.request import Request
from .memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """Reported equipment that must be available from the start."""

    types: tuple[Annotated[int, Within(UNKNOWN_TYPE, 255)], ...] | None = None
    names: tuple[PrivateText, ...] = ()
    pump: PumpIdentity | None = None
    last_speed: Annotated[int | None, Within(1, MAX_SPEED)] = None
    pool_sources: tuple[HeatSource, ...] = ()
    pool_lights: LightCode = None
    spa_lights: LightCode = None
    dosing: Mapping[str, bool] = field(default_factory=dict)
    """Whether the firmware may run each kind of dosing; not reported by a frame."""
    chemistry: Chemistry = Chemistry()
    chemistry_at: datetime | None = field(default=None, compare=False)
    """See `PoolState.valid_at`; a change of it alone does not cause a save."""
    probed_spa: bool | None = None
    settles_since: datetime | None = field(default=None, compare=False)
    """In still water it moves with every read: that alone causes no save, either."""

    @classmethod
    def of(cls, state: PoolState) -> Self:
        """Return the part of a state that is stored."""
        return cls(
            types=state.outputs.types,
            names=state.outputs.names,
            pump=state.pump,
            last_speed=state.last_speed,
            pool_sources=state.pool_sources,
            pool_lights=state.pool_lights and state.pool_lights.light_type,
            spa_lights=state.spa_lights and state.spa_lights.light_type,
            dosing={
                kind.key: on
                for kind in DOSING
                if (on := kind.of(state).shown) is not None
            },
            chemistry=state.valid_chemistry,
            chemistry_at=state.valid_at,
            probed_spa=state.probed_spa,
            settles_since=state.settles_since,
        )

    @property
    def state(self) -> PoolState:
        """The state that a controller starts from."""
        state = PoolState(
            outputs=Outputs(types=self.types, names=self.names),
            pump=self.pump,
            last_speed=self.last_speed,
            pool_sources=self.pool_sources,
            pool_lights=_show(self.pool_lights),
            spa_lights=_show(self.spa_lights),
            valid_chemistry=self.chemistry,
            valid_at=self.chemistry_at,
            probed_spa=self.probed_spa,
            settles_since=self.settles_since,
        )
        for kind in DOSING:
            stored = partial(replace, stored=self.dosing.get(kind.key))
            state = kind.edit(state, stored)
        return state


def _show(light_type: int | None) -> LightShow | None:
    """Return a show of a light type, whose colour may have been changed meanwhile."""
    return None if light_type is None else LightShow(light_type, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """What users requested, and what is undone later."""

    choices: Choices = field(default_factory=Choices)
    preferences: Preferences = field(default_factory=Preferences)
    holds: tuple[Hold, ...] = ()
    pauses: tuple[Pause, ...] = ()
    heat: tuple[HeatClaim, ...] = ()
    warm_by: tuple[Request, ...] = ()
    refused_lists: Mapping[str, RefusedList] = field(default_factory=dict)


class ControllerStore:
    """Stored data of one controller: read once, saved whenever it changes."""

    def __init__(self, memory: Memory, device_id: str) -> None:
        self._memory = memory
        self.counters = memory.counters(device_id)
        self.equipment = memory.read(device_id, "equipment", Equipment)
        if self.equipment.names:
            # Stored names prove that the controller has answered this query.
            self.counters.answered = NAMES.name, b""
        self.requested = memory.read(device_id, "requested", Requested)
        self.learned = Learned(memory.stored(device_id, "learned"))
        self._form = to_stored(self.requested)
        memory.keep(device_id, "equipment", lambda: to_stored(self.equipment))
        memory.keep(device_id, "learned", self._learned)
        memory.keep(device_id, "requested", lambda: self._form)
        self.learned.begin_day(self.now)

    @property
    def now(self) -> datetime:
        """Trusted time, in the time zone of the pool."""
        zone = dt_util.get_default_time_zone()
        return self._memory.clock.now().astimezone(zone)

    def to_start_from(self) -> Stored:
        """Return the data that the client starts from."""
        requested = self.requested
        return Stored(
            self.equipment.state,
            requested.choices,
            requested.holds,
            requested.pauses,
            requested.heat,
            self.learned.controller_clock,
        )

    @callback
    def async_learn(self, state: PoolState, at: float) -> None:
        """Learn from a read at a time (monotonic, s)."""
        preferences = self.requested.preferences
        if self.learned.add_read(state, at, self.now, preferences):
            self._memory.save()

    def _learned(self) -> dict[str, object]:
        """Return what is learned, to store it: its totals are shown from now on."""
        self.learned.totals.show()
        return self.learned.as_dict()

    @callback
    def async_reset_total(self, kind: TotalKind) -> None:
        """Reset a total."""
        self.learned.totals.reset(kind)
        self._memory.save(at_once=True)

    @callback
    def async_filter_cleaned(self) -> None:
        """Note that a user reported the filter clean."""
        self.learned.cleaned(self._memory.clock.now())
        self._memory.save(at_once=True)

    @callback
    def async_store(self, state: PoolState, requested: Requested) -> None:
        """Store what a read, a reply or a user changed."""
        self.requested, form = requested, to_stored(requested)
        reported, self.equipment = self.equipment, Equipment.of(state)
        if form != self._form:
            self._form = form
            self._memory.save(at_once=True)
        if self.learned.add_dosers(state) or self.equipment != reported:
            self._memory.save()
