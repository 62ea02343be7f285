"""Stored data of one controller, and the state that it starts from."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Self

from homeassistant.core import callback
from homeassistant.util import dt as dt_util

from ..client.clock import Clock
from ..client.controller import Kept
from ..client.holds.hold import KeptHolds
from ..client.holds.pauses import KeptPauses
from ..client.pool.choices import Choices, WithoutFlow
from ..client.pool.outputs import Outputs
from ..client.pool.parts import Chemistry
from ..client.pool.queries import NAMES
from ..client.pool.state import PoolState
from ..client.stored import Stored, each, moment, number, text, whole
from ..client.wire.commands import PumpIdentity
from ..client.wire.equipment import MAX_SPEED, UNKNOWN_TYPE, HeatSource
from ..learned.learned import Learned
from ..learned.totals import TotalKind
from ..warm_by.request import KeptRequests
from .counters import counters_of
from .memory import Memory, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """Reported equipment that must be available from the start."""

    outputs: Outputs
    pump: PumpIdentity | None
    last_speed: int | None
    pool_sources: tuple[HeatSource, ...]
    chemistry: Chemistry
    chemistry_at: datetime | None = field(compare=False)
    """See `PoolState.valid_at`; a change of it alone does not cause a save."""

    @classmethod
    def of(cls, state: PoolState) -> Self:
        """Return the part of a state that is stored."""
        return cls(
            outputs=Outputs(types=state.outputs.types, names=state.outputs.names),
            pump=state.pump,
            last_speed=state.last_speed,
            pool_sources=state.pool_sources,
            chemistry=state.valid_chemistry,
            chemistry_at=state.valid_at,
        )

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored equipment."""
        chemistry = stored.part("chemistry")
        return cls(
            outputs=Outputs(
                types=stored.get("types", each(whole(UNKNOWN_TYPE, 255)), None),
                names=stored.get("names", each(text), ()),
            ),
            pump=stored.get("pump", _pump, None),
            last_speed=stored.get("last_speed", whole(1, MAX_SPEED), None),
            pool_sources=stored.list("pool_sources", HeatSource),
            chemistry=Chemistry(
                ph=chemistry.get("ph", number(0, 14), None),
                orp=chemistry.get("orp", number(-2000, 2000), None),
                water_temperature=chemistry.get(
                    "water_temperature", number(-50, 100), None
                ),
            ),
            chemistry_at=chemistry.get("at", moment, None),
        )

    def as_dict(self) -> dict[str, object]:
        """Return the data to store."""
        return {
            "types": self.outputs.types,
            "names": self.outputs.names,
            "pump": self.pump and [self.pump.type, self.pump.brand, self.pump.model],
            "last_speed": self.last_speed,
            "pool_sources": self.pool_sources,
            "chemistry": {
                "ph": self.chemistry.ph,
                "orp": self.chemistry.orp,
                "water_temperature": self.chemistry.water_temperature,
                "at": self.chemistry_at and self.chemistry_at.isoformat(),
            },
        }


def _pump(value: object) -> PumpIdentity:
    return PumpIdentity(*each(text)(value))


_EQUIPMENT: Final = Section("equipment", Equipment.from_dict)
CHOICES: Final = Section("choices", Choices.from_dict)
LEARNED: Final = Section("learned", Learned)
HOLDS: Final = Section("holds", KeptHolds.from_dict)
PAUSES: Final = Section("pauses", KeptPauses.from_dict)
WARM_BY: Final = Section("warm_by", KeptRequests.from_dict)


def remembered_state(memory: Memory, device_id: str) -> PoolState:
    """Return the state that a controller starts from."""
    equipment = memory.read(device_id, _EQUIPMENT)
    return PoolState(
        outputs=equipment.outputs,
        pump=equipment.pump,
        last_speed=equipment.last_speed,
        pool_sources=equipment.pool_sources,
        valid_chemistry=equipment.chemistry,
        valid_at=equipment.chemistry_at,
    )


class Remembered:
    """Stored data of one controller: read once, saved whenever it changes."""

    def __init__(self, memory: Memory, device_id: str, clock: Clock) -> None:
        """Read the stored data."""
        self._memory = memory
        self._device_id = device_id
        self._clock = clock
        self.counters = counters_of(memory, device_id)
        self.state = remembered_state(memory, device_id)
        if self.state.outputs.names:
            # Stored names prove that the controller has answered this query.
            self.counters.answered = NAMES.name, b""
        self.choices = memory.read(device_id, CHOICES)
        self.holds = memory.read(device_id, HOLDS).holds
        self.pauses = memory.read(device_id, PAUSES).pauses
        self.warm_by = memory.read(device_id, WARM_BY).requests
        self.learned = memory.read(device_id, LEARNED)
        self.learned.begin(self.now)

    @property
    def now(self) -> datetime:
        """Trusted time, in the time zone of the pool."""
        return self._clock.now().astimezone(dt_util.get_default_time_zone())

    def kept(self, without_flow: WithoutFlow) -> Kept:
        """Return the data that the client starts from; `without_flow` is an option."""
        choices = replace(self.choices, without_flow=without_flow)
        own_clock = self.learned.controller_clock
        return Kept(self.state, choices, self.holds, self.pauses, own_clock)

    @callback
    def async_learn(self, state: PoolState, at: float) -> None:
        """Learn from a read at a time (monotonic, s)."""
        revision = self.learned.revision
        if self.learned.take(state, at, self.now, self.choices):
            # Saved before it is shown, so that no total is lower after a power cut.
            self._memory.save(at_once=True)
        elif self.learned.revision != revision:
            self._memory.save()

    @callback
    def async_reset_total(self, kind: TotalKind) -> None:
        """Reset a total."""
        self.learned.totals.reset(kind)
        self._memory.save(at_once=True)

    @callback
    def async_filter_cleaned(self) -> None:
        """Note that a user reported the filter clean."""
        self.learned.cleaned(self._clock.now())
        self._memory.save(at_once=True)

    @callback
    def async_keep(
        self,
        state: PoolState,
        choices: Choices,
        holds: KeptHolds,
        pauses: KeptPauses,
        warm_by: KeptRequests,
    ) -> None:
        """Store what a read, a reply or a user changed."""
        self.choices = choices
        remember(self._memory, self._device_id, state)
        self._memory.keep(self._device_id, CHOICES.name, choices, at_once=True)
        self._memory.keep(self._device_id, HOLDS.name, holds, at_once=True)
        self._memory.keep(self._device_id, PAUSES.name, pauses, at_once=True)
        self._memory.keep(self._device_id, WARM_BY.name, warm_by, at_once=True)
        if self.learned.take_dosers(state):
            self._memory.save(at_once=True)


def remember(memory: Memory, device_id: str, state: PoolState) -> None:
    """Store the equipment of a state."""
    memory.keep(device_id, _EQUIPMENT.name, Equipment.of(state))
