"""The sections of the store that a controller's state starts from."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Self

from ..client.commands import PumpIdentity
from ..client.equipment import MAX_SPEED, MIN_SPEED, UNKNOWN_TYPE, HeatSource
from ..client.pool.dosing import MAX_LOW_LEVEL, MIN_LOW_LEVEL
from ..client.pool.filter import (
    FILTER_LIMIT,
    MAX_FILTER_LIMIT,
    MIN_FILTER_LIMIT,
    Filter,
)
from ..client.pool.lights import LIGHT_TYPES
from ..client.pool.outputs import Outputs
from ..client.pool.parts import LOW_LEVEL, Chemistry, Doser, Hold, Lights, Water
from ..client.pool.state import PoolState
from ..client.pool.warming import FASTEST, SLOWEST, LearnedRate, Warming
from ..client.stored import Stored, each, flag, moment, number, text, whole
from .memory import Memory, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What the controller reported and must be there from the start."""

    outputs: Outputs
    pump: PumpIdentity | None
    chemistry: Chemistry
    chemistry_at: datetime | None = field(compare=False)
    """As `PoolState.valid_at`: alone it is no reason to write the store."""

    @classmethod
    def of(cls, state: PoolState) -> Self:
        """Return what lasts of a state."""
        return cls(
            outputs=Outputs(types=state.outputs.types, names=state.outputs.names),
            pump=state.pump,
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
            "chemistry": {
                "ph": self.chemistry.ph,
                "orp": self.chemistry.orp,
                "water_temperature": self.chemistry.water_temperature,
                "at": self.chemistry_at and self.chemistry_at.isoformat(),
            },
        }


def _pump(value: object) -> PumpIdentity:
    return PumpIdentity(*each(text)(value))


_LOW_LEVEL = whole(MIN_LOW_LEVEL, MAX_LOW_LEVEL)


def _light_type(value: object) -> int:
    return [*LIGHT_TYPES][[*LIGHT_TYPES].index(whole(0, 255)(value))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a user chose, and only Home Assistant keeps."""

    start_speed: int | None
    volume: int | None
    pool_sources: tuple[HeatSource, ...]
    pool_lights: int | None
    spa_lights: int | None
    acid_low_level: int
    chlorine_low_level: int
    filter_limit: int

    @classmethod
    def of(cls, state: PoolState) -> Self:
        """Return the choices of a state."""
        return cls(
            start_speed=state.start_speed,
            volume=state.volume,
            pool_sources=state.pool_sources,
            pool_lights=state.pool_lights.chosen_type,
            spa_lights=state.spa_lights.chosen_type,
            acid_low_level=state.acid.low_level,
            chlorine_low_level=state.chlorine.low_level,
            filter_limit=state.filter.limit,
        )

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(
            start_speed=stored.get("start_speed", whole(MIN_SPEED, MAX_SPEED), None),
            volume=stored.get("volume", whole(100, 10_000_000), None),
            pool_sources=stored.list("pool_sources", HeatSource),
            pool_lights=stored.get("pool_lights", _light_type, None),
            spa_lights=stored.get("spa_lights", _light_type, None),
            acid_low_level=stored.get("acid_low_level", _LOW_LEVEL, LOW_LEVEL),
            chlorine_low_level=stored.get("chlorine_low_level", _LOW_LEVEL, LOW_LEVEL),
            filter_limit=stored.get(
                "filter_limit", whole(MIN_FILTER_LIMIT, MAX_FILTER_LIMIT), FILTER_LIMIT
            ),
        )

    def as_dict(self) -> dict[str, object]:
        """Return them as the store has them."""
        return {
            "start_speed": self.start_speed,
            "volume": self.volume,
            "pool_sources": self.pool_sources,
            "pool_lights": self.pool_lights,
            "spa_lights": self.spa_lights,
            "acid_low_level": self.acid_low_level,
            "chlorine_low_level": self.chlorine_low_level,
            "filter_limit": self.filter_limit,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """Values derived from reads over time."""

    filter: Filter
    pool_rates: tuple[LearnedRate, ...]
    spa_rates: tuple[LearnedRate, ...]
    acid_idle_doses: int
    acid_reading: float | None

    @classmethod
    def of(cls, state: PoolState) -> Self:
        """Return what was learned by a state."""
        return cls(
            filter=state.filter,
            pool_rates=state.pool.warming.rates,
            spa_rates=state.spa.warming.rates,
            acid_idle_doses=state.acid.idle_doses,
            acid_reading=state.acid.reading_before,
        )

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        known = stored.part("filter")
        return cls(
            filter=Filter(
                measurable=known.get("measurable", flag, False),
                cleaned_at=known.get("cleaned_at", moment, None),
                clean=known.get("clean", number(1e-9, 1e3), None),
                load=known.get("load", whole(0, 1_000_000), None),
            ),
            pool_rates=stored.list("pool_rates", _rate),
            spa_rates=stored.list("spa_rates", _rate),
            acid_idle_doses=stored.get("acid_idle_doses", whole(0, 10_000), 0),
            acid_reading=stored.get("acid_reading", number(0, 14), None),
        )

    def as_dict(self) -> dict[str, object]:
        """Return it as the store has it."""
        at = self.filter.cleaned_at
        return {
            "filter": {
                "measurable": self.filter.measurable,
                "cleaned_at": at and at.isoformat(),
                "clean": self.filter.clean,
                "load": self.filter.load,
            },
            "pool_rates": [[*rate.sources, rate.per_hour] for rate in self.pool_rates],
            "spa_rates": [[*rate.sources, rate.per_hour] for rate in self.spa_rates],
            "acid_idle_doses": self.acid_idle_doses,
            "acid_reading": self.acid_reading,
        }


def _rate(value: object) -> LearnedRate:
    *sources, per_hour = each(lambda item: item)(value)
    return LearnedRate(
        tuple(HeatSource(text(source)) for source in sources),
        number(SLOWEST, FASTEST)(per_hour),
    )


@dataclass(frozen=True, slots=True)
class Holds:
    """Outputs held by hand."""

    holds: tuple[Hold, ...]

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(stored.list("holds", _hold))

    def as_dict(self) -> dict[str, object]:
        """Return them as the store has them."""
        return {
            "holds": [
                {
                    "slot": hold.slot,
                    "on": hold.on,
                    "since": hold.since.isoformat(),
                    "until": hold.until and hold.until.isoformat(),
                }
                for hold in self.holds
            ]
        }


def _hold(value: object) -> Hold:
    stored = Stored(value)
    return Hold(
        slot=stored.need("slot", whole(0, 255)),
        on=stored.need("on", flag),
        since=stored.need("since", moment),
        # Without it, it would never end.
        until=stored.need("until", lambda end: None if end is None else moment(end)),
    )


_EQUIPMENT: Final = Section("equipment", Equipment.from_dict)
_CHOICES: Final = Section("choices", Choices.from_dict)
_LEARNED: Final = Section("learned", Learned.from_dict)
_HOLDS: Final = Section("holds", Holds.from_dict)


def remembered_state(memory: Memory, device_id: str) -> PoolState:
    """Return the state that a controller starts from."""
    equipment, choices = (
        memory.read(device_id, _EQUIPMENT),
        memory.read(device_id, _CHOICES),
    )
    learned = memory.read(device_id, _LEARNED)
    return PoolState(
        outputs=equipment.outputs,
        pump=equipment.pump,
        start_speed=choices.start_speed,
        volume=choices.volume,
        pool_sources=choices.pool_sources,
        pool=Water(warming=Warming(learned.pool_rates)),
        spa=Water(warming=Warming(learned.spa_rates)),
        pool_lights=Lights(chosen_type=choices.pool_lights),
        spa_lights=Lights(chosen_type=choices.spa_lights),
        acid=Doser(
            low_level=choices.acid_low_level,
            idle_doses=learned.acid_idle_doses,
            reading_before=learned.acid_reading,
        ),
        chlorine=Doser(low_level=choices.chlorine_low_level),
        holds=memory.read(device_id, _HOLDS).holds,
        filter=replace(learned.filter, limit=choices.filter_limit),
        valid_chemistry=equipment.chemistry,
        valid_at=equipment.chemistry_at,
    )


def remember(memory: Memory, device_id: str, state: PoolState) -> None:
    """Keep what lasts of a state; a hold that is lost would leave an output as it is."""
    memory.keep(device_id, _HOLDS.name, Holds(state.holds), at_once=True)
    memory.keep(device_id, _EQUIPMENT.name, Equipment.of(state))
    memory.keep(device_id, _CHOICES.name, Choices.of(state))
    memory.keep(device_id, _LEARNED.name, Learned.of(state))
