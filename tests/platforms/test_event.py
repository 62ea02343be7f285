"""Events: doses and faults, from two states and from the simulated pools."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from homeassistant.components.event.const import DOMAIN as EVENT
from homeassistant.const import Platform
import pytest

from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Doser
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.frame import Signals
from custom_components.poolctl.event import EVENTS
from tests.automations.test_triggers import DRY, automate, still_water, values_of
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator import Pool

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick", "still_water")
few_platforms = only(Platform.EVENT, Platform.SWITCH)

ACID, CHLORINE = 6, 7
"""Slots of the full pool."""


ATTRIBUTES = ("event_type", "doses", "doses_today", "expander")


class Events:
    """The events of one entity: all changes of its state but those of availability."""

    def __init__(self, home: Home, key: str) -> None:
        self._states = home.follow(EVENT, key)
        self._last = home.value(EVENT, key)

    def take(self) -> list[tuple[Any, ...]]:
        """Return the events until now, and forget them."""
        found = []
        for state in self._states:
            if state.state == "unavailable":
                continue
            if state.state != self._last:
                values = (state.attributes.get(name) for name in ATTRIBUTES)
                found.append(tuple(value for value in values if value is not None))
            self._last = state.state
        self._states.clear()
        return found


# From states

BOTH = (6, 8)
"""Aux types of both dosers; 5 is a chlorinator."""


def doses(
    acid: int | None = None,
    chlorine: int | None = None,
    *,
    runs: bool = False,
    types: tuple[int, ...] | None = BOTH,
) -> PoolState:
    """Return a state with the counts of doses, and whether dosing goes on."""
    return PoolState(
        acid=Doser(doses=acid),
        chlorine=Doser(doses=chlorine),
        signals=Signals(ph_dosing=runs, chlorine_dosing=runs),
        outputs=Outputs(types=types),
    )


def faults(dry: bool | None, *lost: int, reported: bool = True) -> PoolState:
    """Return a state with a dry run or none, and expanders that are lost."""
    expanders = tuple(
        number not in lost if reported else None for number in range(1, 5)
    )
    return PoolState(signals=Signals(dry_run=dry, expanders=expanders))


def twice(state: PoolState) -> list[PoolState]:
    """Return two reads of a state: an odd read stands alone."""
    return [state, state]


def counted(state: PoolState, at: datetime) -> PoolState:
    """Return a state whose counts were reported at a time."""
    acid, chlorine = (
        replace(each, doses_at=None if each.doses is None else at)
        for each in (state.acid, state.chlorine)
    )
    return replace(state, acid=acid, chlorine=chlorine)


@pytest.mark.parametrize(
    ("states", "events"),
    [
        # Both at once are two events, several doses of one doser are one.
        ([doses(0, 0), doses(1, 2)], ["acid_dose 1 1", "chlorine_dose 2 2"]),
        # A count that begins again is no dose.
        ([doses(0), doses(4), doses(0), doses(1)], ["acid_dose 4 4", "acid_dose 1 1"]),
        # Without a count, doses are read from flags.
        ([doses(runs=True), doses()], ["acid_dose", "chlorine_dose"]),
        ([doses(1, 1, runs=True), doses(1, 1)], []),
        # A chlorinator sets the flag of chlorine, too.
        ([doses(runs=True, types=(*BOTH, 5)), doses(types=(*BOTH, 5))], ["acid_dose"]),
        # Without a doser there is no dose, even if one is counted.
        ([doses(0, 0, types=(5,)), doses(1, 1, types=(5,))], []),
        # Where the types are not reported, as by the cloud, a count proves a doser.
        ([doses(0, types=None), doses(2, types=None)], ["acid_dose 2 2"]),
        # A dry run is one fault until it ends; what only one read shows is none.
        ([faults(False), *twice(faults(True)), faults(True)], ["dry_run"]),
        ([faults(False), faults(True), faults(False), faults(True)], []),
        (
            [faults(False), *twice(faults(True)), faults(False), faults(True)],
            ["dry_run"],
        ),
        (
            [
                faults(False),
                *(twice(faults(True)) + twice(faults(False)) + twice(faults(True))),
            ],
            ["dry_run", "dry_run"],
        ),
        (
            [
                faults(False),
                *(
                    twice(faults(False, 1, 4))
                    + twice(faults(False, 4))
                    + twice(faults(False, 1, 4))
                ),
            ],
            ["expander_lost 1", "expander_lost 4", "expander_lost 1"],
        ),
        # The cloud reports no expanders: their loss is an event once the LAN answers.
        (
            [faults(False), faults(False, reported=False), *twice(faults(False, 2))],
            ["expander_lost 2"],
        ),
        # What was there at the start is no event, even if it was unknown at first.
        ([faults(True, 1)] * 3, []),
        (
            [
                faults(None, reported=False),
                faults(True, 1),
                *twice(faults(True, 1, 2)),
            ],
            ["expander_lost 2"],
        ),
    ],
)
def test_what_is_an_event(states: list[PoolState], events: list[str]) -> None:
    watches = [watch() for kind in EVENTS for watch in kind.watches]
    start = datetime(2026, 7, 1, 19, tzinfo=UTC)
    found = [
        " ".join(map(str, [event.event_type, *event.attributes.values()]))
        for number, state in enumerate(states)
        for watch in watches
        for event in watch.events(
            counted(state, start + number * timedelta(hours=1)), 15.0 * number
        )
    ]
    assert found == events


# From the simulated pools


async def test_a_dose_that_ended(full: Home) -> None:
    events = Events(full, "doses")
    full.pool.water.ph = 7.9
    full.clock.advance(11)
    assert full.pool.acid.dosing
    await full.advance(15)
    assert events.take() == []
    await full.live(60)
    assert events.take() == [("acid_dose", 1, 1)]
    await full.live(600, step=60)
    assert events.take() == []
    await full.live(1320, step=60)
    assert events.take() == [("acid_dose", 1, 2)]


def _dose(pool: Pool) -> None:
    pool.acid.doses = 3


def _run_dry(pool: Pool) -> None:
    pool.pump.dry_run_status = DRY


@pytest.mark.parametrize(
    ("key", "happen", "event"),
    [("doses", _dose, ("acid_dose", 3, 3)), ("faults", _run_dry, ("dry_run",))],
)
async def test_what_happened_while_nobody_answered(
    full: Home, key: str, happen: Callable[[Pool], None], event: tuple[Any, ...]
) -> None:
    """It is one event, after the first state, which triggers ignore."""
    events = Events(full, key)
    received = await automate(
        full,
        {
            "trigger": "event.received",
            "target": {"entity_id": full.entity_id(EVENT, key)},
            "options": {"event_type": [event[0]]},
        },
    )
    full.disconnect()
    await full.advance(150, step=15)
    assert full.value(EVENT, key) == "unavailable"
    happen(full.pool)
    full.reconnect()
    await full.advance(420, step=15)
    assert events.take() == [event]
    assert len(values_of(received)) == 1


async def test_a_start_is_no_dose(full: Home) -> None:
    """The last event is kept over a restart; doses meanwhile are not events."""
    events = Events(full, "doses")
    full.pool.acid.doses = 1
    await full.live(360, step=60)
    assert events.take() == [("acid_dose", 1, 1)]
    full.pool.acid.doses = 3
    await full.restart()
    await full.live(360, step=60)
    assert events.take() == []
    kept = full.state(EVENT, "doses").attributes
    assert [kept[name] for name in ATTRIBUTES[:3]] == ["acid_dose", 1, 1]


async def test_dosers_come_and_go(full: Home) -> None:
    for wired in ({ACID: 0}, {CHLORINE: 0}, {ACID: 6}):
        for slot, aux_type in wired.items():
            full.pool.slots[slot].aux_type = aux_type
        await full.refresh()
        await full.refresh()
        await full.hass.async_block_till_done()
        fitted = any(full.pool.slots[n].aux_type for n in (ACID, CHLORINE))
        assert ("doses" in full.entity_keys(EVENT)) is fitted


async def test_a_poll_without_news_changes_nothing(small: Home) -> None:
    states = small.follow(EVENT, "faults")
    small.pool.water.ph = 7.15
    await small.advance(15)
    assert not states
