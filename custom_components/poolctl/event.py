"""Events: doses, and faults that the controller reports.

Faults are what the state says is wrong (layouts.md 2.1): a dry run of the pump, which is
the controller's own verdict, and an expander that is gone. A pump without flow is none:
so it starts, and so it is while valves move. Chosen: what was so already when this
started, or only became known, is no event.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, override

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.equipment import CHLORINATORS
from .client.pool.state import PoolState
from .coordinator import ControllerCoordinator
from .derived.doses import ACID_DOSES, CHLORINE_DOSES, Doses, PoolctlDosesDescription
from .entity import PoolctlEntity, PoolctlEntityDescription
from .presence import Factory, async_setup_platform, described

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
    attributes: dict[str, Any]


class Watch(Protocol):
    """Compares states; the first one only says how things are."""

    def happenings(self, state: PoolState) -> Iterator[Happening]:
        """Yield what happened since the state before."""


# Doses


class Doser(NamedTuple):
    """What tells of the doses of one doser."""

    event_type: str
    counts: PoolctlDosesDescription
    """The controller's count of the day."""
    doses_now: Callable[[PoolState], bool | None]


def _chlorine_doses_now(state: PoolState) -> bool | None:
    """Return the flag where it is of the doser alone: a chlorinator sets it, too."""
    alone = state.fitted(CHLORINATORS) is False
    return state.readings.chlorine_dosing if alone else None


DOSERS: Final = (
    Doser(ACID_DOSE, ACID_DOSES, lambda state: state.readings.ph_dosing),
    Doser(CHLORINE_DOSE, CHLORINE_DOSES, _chlorine_doses_now),
)


class DoserWatch:
    """Sees doses end: by the count, which misses none, else by the flag."""

    def __init__(self, doser: Doser) -> None:
        """Begin with nothing known."""
        self._doser = doser
        self._counted: Doses | None = None
        self._dosed: bool | None = None

    def happenings(self, state: PoolState) -> Iterator[Happening]:
        """Yield a dose, or all that were counted since the count before, at once."""
        ended = self._flag_fell(state)
        if (told := self._doser.counts.told(state)) is None:
            if ended and self._counted is None:
                yield Happening(self._doser.event_type, {})
            return
        counted = self._counted or Doses.begin(told)
        gained, self._counted = counted.gained(told), counted.then(told)
        if gained:
            known = {ATTR_DOSES: gained, ATTR_DOSES_TODAY: told.doses}
            yield Happening(self._doser.event_type, known)

    def _flag_fell(self, state: PoolState) -> bool:
        if (doses_now := self._doser.doses_now(state)) is None:
            return False
        before, self._dosed = self._dosed, doses_now
        return before is True and not doses_now


class DoseWatch:
    """Watches all dosers."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._watches = {doser: DoserWatch(doser) for doser in DOSERS}

    def happenings(self, state: PoolState) -> Iterator[Happening]:
        """Yield the doses of each."""
        for doser, watch in self._watches.items():
            if doser.counts.exists(state):
                yield from watch.happenings(state)


# Faults


class Fault(NamedTuple):
    """A fault, by the field of Readings that shows it."""

    happening: Happening
    field: str
    faulty: bool
    """What the field is while there is the fault."""


FAULTS: Final = (
    Fault(Happening(DRY_RUN, {}), "dry_run", True),
    *(
        Fault(
            Happening(EXPANDER_LOST, {ATTR_EXPANDER: number}),
            f"expander_{number}",
            False,
        )
        for number in (1, 2, 3, 4)
    ),
)


class FaultWatch:
    """Sees faults begin, those too that began while nobody answered."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._known: dict[str, bool] = {}

    def happenings(self, state: PoolState) -> Iterator[Happening]:
        """Yield the faults that were not there before."""
        for fault in FAULTS:
            now: bool | None = getattr(state.readings, fault.field)
            if now is None:
                continue
            before, self._known[fault.field] = self._known.get(fault.field), now
            if before is not None and before != now and now == fault.faulty:
                yield fault.happening


# Entities


@dataclass(frozen=True, kw_only=True)
class PoolctlEventDescription(PoolctlEntityDescription, EventEntityDescription):
    """One kind of events."""

    watch: Callable[[], Watch]
    value_fn: Callable[[PoolState], Any] = lambda state: None


def _doses(state: PoolState) -> bool | None:
    """Tell whether there is a doser, by the rules for the sensors of its doses."""
    exist = [doser.counts.exists(state) for doser in DOSERS]
    return None if None in exist and True not in exist else True in exist


EVENTS = (
    PoolctlEventDescription(
        key="doses",
        translation_key="doses",
        event_types=[ACID_DOSE, CHLORINE_DOSE],
        exists_fn=_doses,
        watch=DoseWatch,
    ),
    PoolctlEventDescription(
        key="faults",
        translation_key="faults",
        event_types=[DRY_RUN, EXPANDER_LOST],
        watch=FaultWatch,
    ),
)


def _build(coordinator: ControllerCoordinator) -> dict[str, Factory | None]:
    return described(PoolctlEvent, EVENTS, coordinator)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the events."""
    async_setup_platform(entry, Platform.EVENT, async_add_entities, _build)


class PoolctlEvent(PoolctlEntity, EventEntity):
    """Events of one kind; its state is when the last one was seen."""

    entity_description: PoolctlEventDescription

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlEventDescription
    ) -> None:
        """Look how things are: that is no event."""
        super().__init__(coordinator, description)
        self._watch = description.watch()
        self._look()

    def _look(self) -> list[Happening]:
        return list(self._watch.happenings(self.coordinator.data))

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        # That it is there again has a state of its own: triggers take no event out of
        # a state that comes after `unavailable`.
        super()._handle_coordinator_update()
        if not self.available:
            return
        for happening in self._look():
            self._trigger_event(happening.event_type, happening.attributes)
            self.async_write_ha_state()
