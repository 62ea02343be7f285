"""What is kept of each controller over restarts of Home Assistant, in one store.

- The counter of what we sign: a controller takes none twice, and clocks jump back.
- The newest counter of its frames: an older frame may be a recording.
- The equipment: its entities exist even where a start finds only the cloud.
- The last valid readings of the probes.
- How fast the water gets warmer, as was learned.
- What a person chose last, and what is held by hand, with when it is given back.
- What the filter resisted when it was clean.

All of it is written lazily.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
import time
from typing import Any, Final, Self

from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from ..client.commands import PumpIdentity
from ..client.envelope import MAX_COUNTER, Counters
from ..client.equipment import HeatSource
from ..client.pool.filter import Filter
from ..client.pool.outputs import Outputs
from ..client.pool.parts import LOW_LEVEL, Chemistry, Doser, Hold, Lights, Water
from ..client.pool.queries import NAMES
from ..client.pool.state import PoolState
from ..client.pool.warming import FASTEST, SLOWEST, LearnedRate, Warming
from ..const import DOMAIN
from .tolerant_store import TolerantStore

type _Stored = dict[str, Any]
"""One controller as the store has it."""

_SAVE_DELAY: Final = 60.0
"""s; readings change with every poll, and memory cards wear out."""

_A_DAY: Final = 24 * 60 * 60
"""s."""
_NOT_SET: Final = 1_735_689_600
"""Unix time at the beginning of 2025: a clock before that was not set yet, and tells
nothing of any counter."""
_AHEAD: Final = 64
"""Counters that are stored as used before they are: so many presses in one second, and a
sudden end of Home Assistant, use none of them twice. Each costs the controller's other
clients a second at most, and only where we are ahead of the clock anyway."""

_NO_CHEMISTRY: Final = Chemistry()
_NO_FILTER: Final = Filter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What is remembered of a controller; the store has it under the same names."""

    aux_types: tuple[int, ...] | None = None
    names: tuple[str, ...] = ()
    pump: PumpIdentity | None = None
    start_speed: int | None = None
    volume: int | None = None
    pool_sources: tuple[HeatSource, ...] = ()
    pool_rates: tuple[LearnedRate, ...] = ()
    spa_rates: tuple[LearnedRate, ...] = ()
    pool_light_choice: int | None = None
    spa_light_choice: int | None = None
    acid_low_level: int = LOW_LEVEL
    chlorine_low_level: int = LOW_LEVEL
    acid_idle_doses: int = 0
    acid_reading_before: float | None = None
    holds: tuple[Hold, ...] = ()
    filter: Filter = _NO_FILTER
    chemistry: Chemistry = _NO_CHEMISTRY
    chemistry_at: datetime | None = field(default=None, compare=False)
    """As `PoolState.valid_at`: alone it is no reason to write the store."""

    @classmethod
    def of(cls, state: PoolState) -> Self:
        """Return what lasts of a state."""
        return cls(
            aux_types=state.outputs.types,
            names=state.outputs.names,
            pump=state.pump,
            start_speed=state.start_speed,
            volume=state.volume,
            pool_sources=state.pool_sources,
            pool_rates=state.pool.warming.rates,
            spa_rates=state.spa.warming.rates,
            pool_light_choice=state.pool_lights.chosen_type,
            spa_light_choice=state.spa_lights.chosen_type,
            acid_low_level=state.acid.low_level,
            chlorine_low_level=state.chlorine.low_level,
            acid_idle_doses=state.acid.idle_doses,
            acid_reading_before=state.acid.reading_before,
            holds=state.holds,
            filter=state.filter,
            chemistry=state.valid_chemistry,
            chemistry_at=state.valid_at,
        )

    def restore(self) -> PoolState:
        """Return the state to start from."""
        return PoolState(
            outputs=Outputs(types=self.aux_types, names=self.names),
            pump=self.pump,
            start_speed=self.start_speed,
            volume=self.volume,
            pool_sources=self.pool_sources,
            pool=Water(warming=Warming(self.pool_rates)),
            spa=Water(warming=Warming(self.spa_rates)),
            pool_lights=Lights(chosen_type=self.pool_light_choice),
            spa_lights=Lights(chosen_type=self.spa_light_choice),
            acid=Doser(
                low_level=self.acid_low_level,
                idle_doses=self.acid_idle_doses,
                reading_before=self.acid_reading_before,
            ),
            chlorine=Doser(low_level=self.chlorine_low_level),
            holds=self.holds,
            filter=self.filter,
            valid_chemistry=self.chemistry,
            valid_at=self.chemistry_at,
        )

    @classmethod
    def from_dict(cls, stored: _Stored) -> Self:
        """Return what a store has; what an earlier version did not store is unknown.

        Raises ValueError where something has another form than ours.
        """
        try:
            return cls(
                **{
                    item.name: _READERS.get(item.name, _whole)(stored[item.name])
                    for item in fields(cls)
                    if stored.get(item.name) is not None
                }
            )
        except (AttributeError, KeyError, TypeError) as err:
            raise ValueError("not what this version stores") from err

    def as_dict(self) -> dict[str, object]:
        """Return it as the store has it."""
        at = self.chemistry_at
        return {
            **asdict(self),
            "holds": [_held(hold) for hold in self.holds],
            "filter": _cleaned(self.filter),
            "chemistry_at": at.isoformat() if at else None,
        }


def _of[T](kind: type[T], stored: object) -> T:
    """Return a stored value of a type; raises ValueError for any other."""
    if not isinstance(stored, kind) or isinstance(stored, bool):
        raise ValueError("not what this version stores")  # noqa: TRY004
    return stored


def _whole(stored: object) -> int:
    return _of(int, stored)


def _number(stored: object) -> float:
    return stored if isinstance(stored, float) else _whole(stored)


def _chemistry(stored: dict[str, Any]) -> Chemistry:
    for value in stored.values():
        if value is not None:
            _number(value)
    return Chemistry(**stored)


def _moment(stored: object) -> datetime:
    found = datetime.fromisoformat(_of(str, stored))
    if found.tzinfo is None:
        raise ValueError("not what this version stores")
    return found


def _held(hold: Hold) -> _Stored:
    until = hold.until and hold.until.isoformat()
    return {**asdict(hold), "since": hold.since.isoformat(), "until": until}


def _cleaned(known: Filter) -> _Stored:
    at = known.cleaned_at
    return {**asdict(known), "cleaned_at": at.isoformat() if at else None}


def _filter(stored: _Stored) -> Filter:
    at, clean, load = (stored[name] for name in ("cleaned_at", "clean", "load"))
    return Filter(
        measurable=bool(stored["measurable"]),
        cleaned_at=None if at is None else _moment(at),
        clean=None if clean is None else _number(clean),
        load=None if load is None else _whole(load),
        limit=_whole(stored["limit"]),
    )


def _hold(stored: _Stored) -> Hold:
    until = stored["until"]
    return Hold(
        slot=_whole(stored["slot"]),
        on=bool(stored["on"]),
        since=_moment(stored["since"]),
        until=None if until is None else _moment(until),
    )


def _sources(stored: object) -> tuple[HeatSource, ...]:
    # A newer version may know more of them.
    return tuple(s for s in HeatSource if s in _of(list, stored))


def _rates(stored: object) -> tuple[LearnedRate, ...]:
    # One of a heat source that only a newer version knows is left out.
    return tuple(
        LearnedRate(sources, per_hour)
        for each in _of(list, stored)
        if len(sources := _sources(each["sources"])) == len(each["sources"])
        and SLOWEST <= (per_hour := _number(each["per_hour"])) <= FASTEST
    )


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "aux_types": lambda stored: tuple(_of(int, each) for each in _of(list, stored)),
    "names": lambda stored: tuple(_of(str, each) for each in _of(list, stored)),
    "pump": lambda stored: PumpIdentity(
        **{name: _of(str, each) for name, each in stored.items()}
    ),
    "pool_sources": _sources,
    "pool_rates": _rates,
    "spa_rates": _rates,
    "acid_reading_before": _number,
    "holds": lambda stored: tuple(_hold(each) for each in _of(list, stored)),
    "filter": _filter,
    "chemistry": _chemistry,
    "chemistry_at": _moment,
}
"""How what is no whole number is read."""


def _counter(stored: object, name: str) -> int | None:
    """Return a stored counter, of whatever version."""
    found = stored.get(name) if isinstance(stored, Mapping) else None
    if not isinstance(found, int) or isinstance(found, bool):
        return None
    return found if 0 <= found <= MAX_COUNTER else None


class Memory:
    """The store, by controller identifier."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Prepare; `async_load` reads what was kept."""
        self._hass = hass
        self._store = TolerantStore(hass)
        self._counters: dict[str, Counters] = {}
        self._reserved: dict[str, int] = {}
        """Counters up to these are stored as used."""
        self._remembered: dict[str, Remembered] = {}
        self._pending = False

    async def async_load(self) -> None:
        """Read what was kept."""
        odd: dict[str, object] = {}
        for device_id, stored in (await self._store.async_load_any()).items():
            counters = self._new(device_id, _counter(stored, "counter") or 0)
            if (newest := _counter(stored, "frames")) is not None:
                counters.frames.accept(newest)
            self._counters[device_id] = counters
            try:
                remembered = Remembered.from_dict(stored)
            except ValueError:
                odd[device_id] = stored
                continue
            if remembered.names:
                # Then it has answered this query before.
                counters.answered = NAMES.name, b""
            self._remembered[device_id] = remembered
        if odd:
            await self._store.async_set_aside(odd)

    @callback
    def counter(self, device_id: str) -> Counters:
        """Return the counters of a controller, the same ones every time."""
        if device_id not in self._counters:
            self._counters[device_id] = self._new(device_id, 0)
        return self._counters[device_id]

    def _new(self, device_id: str, last: int) -> Counters:
        def used() -> None:
            """Store it, at once where the clock alone will not lead above it."""
            reserved = self._reserved.get(device_id, 0)
            if counters.ahead and counters.last > reserved - _AHEAD // 2:
                self._reserved[device_id] = counters.last + _AHEAD
                self._save_now()
            else:
                self._save()

        if _NOT_SET < time.time() < last - _A_DAY:
            # A clock was wrong then: it would keep commands from the controller.
            last = 0
        counters = Counters(last, used=used)
        return counters

    @callback
    def state(self, device_id: str) -> PoolState:
        """Return the state that a controller starts from."""
        return self._remembered.get(device_id, Remembered()).restore()

    @callback
    def remember(self, device_id: str, state: PoolState) -> None:
        """Keep what lasts of a state."""
        before, after = self._remembered.get(device_id), Remembered.of(state)
        self._remembered[device_id] = after
        if after.holds != (before.holds if before else ()):
            # Forgotten, an output stays as it is for good.
            self._save_now()
        elif after != before:
            self._save()

    @callback
    def forget(self, device_id: str) -> None:
        """Drop a controller that is gone; its counter stays, should it come back."""
        self._remembered.pop(device_id, None)
        self._save()

    @callback
    def _save(self) -> None:
        if not self._pending:
            # Only once: asking again would put the writing off again and again.
            self._pending = True
            self._store.async_delay_save(self._data, _SAVE_DELAY)

    @callback
    def _save_now(self) -> None:
        self._hass.async_create_task(self._store.async_save(self._data()))

    @callback
    def _data(self) -> dict[str, dict[str, object]]:
        self._pending = False
        nothing = Remembered()
        return {
            device_id: {
                "counter": self._to_store(device_id, counters),
                "frames": counters.frames.newest,
                **self._remembered.get(device_id, nothing).as_dict(),
            }
            for device_id, counters in self._counters.items()
        }

    def _to_store(self, device_id: str, counters: Counters) -> int:
        """Return a counter above all that may be used until the next writing."""
        if counters.ahead:
            return max(counters.last, self._reserved.get(device_id, 0))
        return counters.last


DATA_MEMORY: HassKey[Memory] = HassKey(DOMAIN)
