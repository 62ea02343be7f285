"""The sections of the store that a controller's state starts from."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Self

from ..client.commands import PumpIdentity
from ..client.equipment import MAX_SPEED, UNKNOWN_TYPE, HeatSource
from ..client.holds.kept import KeptHolds
from ..client.pool.choices import Choices
from ..client.pool.outputs import Outputs
from ..client.pool.parts import Chemistry
from ..client.pool.state import PoolState
from ..client.stored import Stored, each, moment, number, text, whole
from ..learned.learned import Learned
from .memory import Memory, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What the controller reported and must be there from the start."""

    outputs: Outputs
    pump: PumpIdentity | None
    last_speed: int | None
    pool_sources: tuple[HeatSource, ...]
    chemistry: Chemistry
    chemistry_at: datetime | None = field(compare=False)
    """As `PoolState.valid_at`: alone it is no reason to write the store."""

    @classmethod
    def of(cls, state: PoolState) -> Self:
        """Return what lasts of a state."""
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
        """Return what was stored."""
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
        """Return it as the store has it."""
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


def remember(memory: Memory, device_id: str, state: PoolState) -> None:
    """Keep what lasts of a state."""
    memory.keep(device_id, _EQUIPMENT.name, Equipment.of(state))
