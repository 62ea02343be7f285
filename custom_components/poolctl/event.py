"""Events: doses, and faults that the controller reports.

Faults are what the state says is wrong (layouts.md 2.1): a dry run of the pump, which is
the controller's own verdict, and an expander that is gone. A pump without flow is no
fault: there is no flow when it starts, or while valves move. Chosen: a fault or dose that
was there already when this started, or that only became known, is no event.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, Protocol, override

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .account import PoolctlConfigEntry
from .client.equipment import CHLORINATORS, EXPANDERS
from .client.pool.dosing import ACID, CHLORINE, DoserKind
from .client.pool.state import PoolState
from .coordinator import ControllerCoordinator
from .entity import PoolctlEntity, PoolctlEntityDescription
from .learned.doses import DoseCount, reported_count
from .learned.pool import Pool
from .presence import async_setup_platform, described

PARALLEL_UPDATES = 0

ATTR_DOSES: Final = "doses"
ATTR_DOSES_TODAY: Final = "doses_today"
ATTR_EXPANDER: Final = "expander"

ACID_DOSE: Final = "acid_dose"
CHLORINE_DOSE: Final = "chlorine_dose"
DRY_RUN: Final = "dry_run"
EXPANDER_LOST: Final = "expander_lost"


class Happening(NamedTuple):
    """Something that happened, and what is known of it."""

    event_type: str
    attributes: dict[str, int]


class Watch(Protocol):
    """Compares each state with the one before; the first one is only looked at."""

    def happenings(self, state: PoolState) -> Iterator[Happening]:
        """Yield what happened since the state before."""


# Doses


class DoseSigns(NamedTuple):
    """The signs by which doses of one doser are observed."""

    event_type: str
    doser: DoserKind
    """It has the controller's count of the day."""
    doses_now: Callable[[PoolState], bool | None]

    def exists(self, state: PoolState) -> bool | None:
        """Return whether there is such a doser; before that is known, a count proves it."""
        doses = self.doser.of(state).doses
        fitted = state.outputs.fitted(self.doser.fitted)
        return (doses is not None or None) if fitted is None else fitted


def _chlorine_doses_now(state: PoolState) -> bool | None:
    """Return the flag where only the doser sets it: a chlorinator sets it, too."""
    alone = state.outputs.fitted(CHLORINATORS) is False
    return state.signals.chlorine_dosing if alone else None


DOSE_SIGNS: Final = (
    DoseSigns(ACID_DOSE, ACID, lambda state: state.signals.ph_dosing),
    DoseSigns(CHLORINE_DOSE, CHLORINE, _chlorine_doses_now),
)


class DoseWatch:
    """Sees the doses of one doser end: by its count, which misses none, or its flag."""

    def __init__(self, signs: DoseSigns) -> None:
        """Begin with nothing known."""
        self._signs = signs
        self._count: DoseCount | None = None
        self._dosed: bool | None = None

    def happenings(self, state: PoolState) -> Iterator[Happening]:
        """Yield one event: for a dose, or for all that were counted since."""
        if not self._signs.exists(state):
            return
        ended = self._flag_fell(state)
        if (reported := reported_count(self._signs.doser.of(state))) is None:
            if ended and self._count is None:
                yield Happening(self._signs.event_type, {})
            return
        count = self._count or DoseCount.begin(reported)
        zone = dt_util.get_default_time_zone()
        gained, self._count = count.gained(reported, zone), count.then(reported, zone)
        if gained:
            known = {ATTR_DOSES: gained, ATTR_DOSES_TODAY: reported.doses}
            yield Happening(self._signs.event_type, known)

    def _flag_fell(self, state: PoolState) -> bool:
        if (doses_now := self._signs.doses_now(state)) is None:
            return False
        previous, self._dosed = self._dosed, doses_now
        return previous is True and not doses_now


# Faults


class Fault(NamedTuple):
    """A fault that a state shows."""

    happening: Happening
    present_fn: Callable[[PoolState], bool | None]


def _expander_lost(number: int) -> Fault:
    def lost(state: PoolState) -> bool | None:
        connected = state.signals.expanders[number - 1]
        return None if connected is None else not connected

    return Fault(Happening(EXPANDER_LOST, {ATTR_EXPANDER: number}), lost)


FAULTS: Final = (
    Fault(Happening(DRY_RUN, {}), lambda state: state.signals.dry_run),
    *(_expander_lost(number) for number in EXPANDERS),
)


class FaultWatch:
    """Sees a fault begin, also one that began while nobody answered."""

    def __init__(self, fault: Fault) -> None:
        """Begin with nothing known."""
        self._fault = fault
        self._present: bool | None = None

    def happenings(self, state: PoolState) -> Iterator[Happening]:
        """Yield the fault if it was not there before."""
        if (present := self._fault.present_fn(state)) is None:
            return
        previous, self._present = self._present, present
        if present and previous is False:
            yield self._fault.happening


# Entities


@dataclass(frozen=True, kw_only=True)
class PoolctlEventDescription(PoolctlEntityDescription[None], EventEntityDescription):
    """One kind of events."""

    watches: tuple[Callable[[], Watch], ...]
    """What looks for them: each entity has watches of its own."""
    value_fn: Callable[[PoolState], None] = lambda state: None
    """No state has a value: the entity shows when the last event was observed."""


def _any_doser(pool: Pool) -> bool | None:
    """Return whether there is a doser, by the rules for the sensors of its doses."""
    exist = [signs.exists(pool.state) for signs in DOSE_SIGNS]
    return None if None in exist and True not in exist else True in exist


EVENTS = (
    PoolctlEventDescription(
        key="doses",
        translation_key="doses",
        entity_registry_enabled_default=False,
        event_types=[ACID_DOSE, CHLORINE_DOSE],
        exists_fn=_any_doser,
        watches=tuple(partial(DoseWatch, signs) for signs in DOSE_SIGNS),
    ),
    PoolctlEventDescription(
        key="faults",
        translation_key="faults",
        entity_registry_enabled_default=False,
        event_types=[DRY_RUN, EXPANDER_LOST],
        watches=tuple(partial(FaultWatch, fault) for fault in FAULTS),
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the events."""
    async_setup_platform(
        entry,
        Platform.EVENT,
        async_add_entities,
        partial(described, PoolctlEvent, EVENTS),
    )


class PoolctlEvent(PoolctlEntity[None], EventEntity):
    """Events of one kind; its state is when the last one was observed."""

    entity_description: PoolctlEventDescription

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlEventDescription
    ) -> None:
        """Look how things are: that is no event."""
        super().__init__(coordinator, description)
        self._watches = [watch() for watch in description.watches]
        self._look()

    def _look(self) -> list[Happening]:
        state = self.coordinator.data
        return [found for watch in self._watches for found in watch.happenings(state)]

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        # Written first: triggers ignore an event in the first state after `unavailable`.
        super()._handle_coordinator_update()
        if not self.available:
            return
        for happening in self._look():
            self._trigger_event(happening.event_type, happening.attributes)
            self.async_write_ha_state()
