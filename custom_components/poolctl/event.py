"""Events: doses, and faults that the controller reports.

Faults are read from the state (protocol.md O2.1): a dry run of the pump, as detected by
the controller, and a lost expander. A pump without flow is not a fault: there is no
flow when it starts, or while valves move. Chosen: a fault or dose that existed before
this started, or that was unknown before, is not an event.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, Protocol, override

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.const import Platform
from homeassistant.core import callback
from homeassistant.util import dt as dt_util

from .client.holds.evidence import AGREEING
from .client.pool.dosing import ACID, CHLORINE, DoserKind
from .client.pool.state import PoolState
from .client.wire.equipment import CHLORINATORS, EXPANDERS
from .coordinator import ControllerCoordinator, View
from .devices.parts import Part
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import platform, rows
from .learned.dosing import DoseCount, reported_count

PARALLEL_UPDATES = 0

ATTR_DOSES: Final = "doses"
ATTR_DOSES_TODAY: Final = "doses_today"
ATTR_EXPANDER: Final = "expander"

ACID_DOSE: Final = "acid_dose"
CHLORINE_DOSE: Final = "chlorine_dose"
DRY_RUN: Final = "dry_run"
EXPANDER_LOST: Final = "expander_lost"


class PoolEvent(NamedTuple):
    """Type and attributes of an event."""

    event_type: str
    attributes: dict[str, int]


class Watch(Protocol):
    """Compares each state with the previous one; the first one yields no event."""

    def events(self, state: PoolState, read_at: float) -> Iterator[PoolEvent]:
        """Yield the events since the previous state; it was read then (monotonic, s)."""


# Doses


class DoseSigns(NamedTuple):
    """Values of the state that show the doses of one doser."""

    event_type: str
    doser: DoserKind
    """Doser whose state has the controller's count of the day."""
    doses_now: Callable[[PoolState], bool | None]

    def exists(self, state: PoolState) -> bool | None:
        """Return whether the doser is fitted; if that is unknown, a count proves it."""
        doses = self.doser.of(state).doses
        fitted = state.outputs.fitted(self.doser.fitted)
        return (doses is not None or None) if fitted is None else fitted


def _chlorine_doses_now(state: PoolState) -> bool | None:
    """Return the flag, `None` if a chlorinator is or may be fitted: it sets it, too."""
    alone = state.outputs.fitted(CHLORINATORS) is False
    return state.signals.chlorine_dosing if alone else None


DOSE_SIGNS: Final = (
    DoseSigns(ACID_DOSE, ACID, lambda state: state.signals.ph_dosing),
    DoseSigns(CHLORINE_DOSE, CHLORINE, _chlorine_doses_now),
)


class DoseWatch:
    """Detects the end of doses by the doser's count, which misses none, or its flag."""

    def __init__(self, signs: DoseSigns) -> None:
        self._signs = signs
        self._count: DoseCount | None = None
        self._dosed: bool | None = None

    def events(self, state: PoolState, read_at: float) -> Iterator[PoolEvent]:
        """Yield one event for a dose, or for all doses counted since the last event."""
        if not self._signs.exists(state):
            return
        ended = self._flag_fell(state)
        if (reported := reported_count(self._signs.doser.of(state))) is None:
            if ended and self._count is None:
                yield PoolEvent(self._signs.event_type, {})
            return
        self._count = self._count or DoseCount(reported.doses, reported)
        if new := self._count.take(reported, dt_util.get_default_time_zone()):
            details = {ATTR_DOSES: new, ATTR_DOSES_TODAY: reported.doses}
            yield PoolEvent(self._signs.event_type, details)

    def _flag_fell(self, state: PoolState) -> bool:
        if (doses_now := self._signs.doses_now(state)) is None:
            return False
        previous, self._dosed = self._dosed, doses_now
        return previous is True and not doses_now


# Faults


class FaultWatch:
    """Detects the start of a fault, even while the controller did not answer."""

    def __init__(
        self, event: PoolEvent, present_fn: Callable[[PoolState], bool | None]
    ) -> None:
        self._event, self._present_fn = event, present_fn
        self._present: bool | None = None
        self._first: float | None = None
        """Time of a read that differs, and that a second one has to confirm."""

    def events(self, state: PoolState, read_at: float) -> Iterator[PoolEvent]:
        """Yield the fault if two reads have it, and those before did not."""
        if (present := self._present_fn(state)) is None:
            return
        if self._present is None or present is self._present:
            self._present, self._first = present, None
            return
        self._first = read_at if self._first is None else self._first
        if read_at - self._first >= AGREEING:
            self._present, self._first = present, None
            if present:
                yield self._event


def _expander_watch(number: int) -> FaultWatch:
    def lost(state: PoolState) -> bool | None:
        connected = state.signals.expanders[number - 1]
        return None if connected is None else not connected

    return FaultWatch(PoolEvent(EXPANDER_LOST, {ATTR_EXPANDER: number}), lost)


# Entities


@dataclass(frozen=True, kw_only=True)
class PoolctlEventDescription(PoolctlEntityDescription[None], EventEntityDescription):
    """One kind of events."""

    watches: tuple[Callable[[], Watch], ...]
    """Factories of its watches: each entity has its own."""


def _any_doser(view: View) -> bool | None:
    exist = [signs.exists(view.state) for signs in DOSE_SIGNS]
    return None if None in exist and True not in exist else True in exist


EVENTS = (
    PoolctlEventDescription(
        key="doses",
        part=Part.DOSING,
        words="last_dose",
        entity_registry_enabled_default=False,
        event_types=[ACID_DOSE, CHLORINE_DOSE],
        exists_fn=_any_doser,
        watches=tuple(partial(DoseWatch, signs) for signs in DOSE_SIGNS),
    ),
    PoolctlEventDescription(
        key="faults",
        words="last_fault",
        entity_registry_enabled_default=False,
        event_types=[DRY_RUN, EXPANDER_LOST],
        watches=(
            lambda: FaultWatch(PoolEvent(DRY_RUN, {}), lambda s: s.signals.dry_run),
            *(partial(_expander_watch, number) for number in EXPANDERS),
        ),
    ),
)


class PoolctlEvent(PoolctlEntity, EventEntity):
    """Events of one kind; its state is the time of the last one."""

    entity_description: PoolctlEventDescription

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlEventDescription
    ) -> None:
        super().__init__(coordinator, description)
        self._watches = [watch() for watch in description.watches]
        self._events()

    def _events(self) -> list[PoolEvent]:
        state, read_at = self.view.state, self.view.situation.read_at or 0.0
        return [
            event for watch in self._watches for event in watch.events(state, read_at)
        ]

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        # Written first: triggers ignore an event in the first state after `unavailable`.
        super()._handle_coordinator_update()
        if not self.available:
            return
        for event in self._events():
            self._trigger_event(event.event_type, event.attributes)
            self.async_write_ha_state()


async_setup_entry = platform(Platform.EVENT, rows(PoolctlEvent, EVENTS))
