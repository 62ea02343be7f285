"""Events: doses and faults of the simulated pools."""

from typing import Any

from homeassistant.components.event.const import DOMAIN as EVENT
from homeassistant.const import Platform
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.automations.test_triggers import DRY, automate, still_water, told
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick", "still_water")
few_platforms = only(Platform.EVENT, Platform.SWITCH)

ACID, CHLORINE, CHLORINATOR = 6, 7, 8
"""Slots of the full pool."""
ACID_DOSE, CHLORINE_DOSE = 20, 30
"""Seconds that a dose takes there."""


ATTRIBUTES = ("event_type", "doses", "doses_today", "expander")


def last(home: Home, key: str) -> dict[str, Any]:
    """Return the last event of an entity."""
    found = home.state(EVENT, key).attributes
    return {name: found[name] for name in ATTRIBUTES if name in found}


class Seen:
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


@pytest.fixture
def doses(full: Home) -> Seen:
    """Follow the doses of the full pool."""
    return Seen(full, "doses")


@pytest.fixture
def faults(full: Home) -> Seen:
    """Follow the faults of the full pool."""
    return Seen(full, "faults")


@pytest.fixture
def dry_runs(small: Home) -> Seen:
    """Follow the faults of the small pool: its pump may run dry."""
    return Seen(small, "faults")


# Doses


async def test_a_dose_that_ended(home: Home, doses: Seen) -> None:
    pool = home.pool
    pool.water.ph = 7.9
    home.clock.advance(11)
    assert home.pool.acid.dosing
    await home.advance(15)
    assert doses.take() == []
    await home.live(60)
    assert doses.take() == [("acid_dose", 1, 1)]
    await home.live(600, step=60)
    assert doses.take() == []
    await home.live(1320, step=60)
    assert doses.take() == [("acid_dose", 1, 2)]


async def test_a_dose_of_chlorine(home: Home, doses: Seen) -> None:
    """A running chlorinator is not a dose."""
    home.pool.water.orp = 600
    await home.live(120)
    assert home.pool.relays[CHLORINATOR]
    assert doses.take() == [("chlorine_dose", 1, 1)]
    home.pool.water.orp = 800
    await home.live(60)
    assert home.pool.chlorinating is False
    assert doses.take() == []


async def test_both_at_once(home: Home, doses: Seen) -> None:
    """Each dose has its own state, so that triggers receive both."""
    home.pool.acid.doses += 1
    home.pool.chlorine.doses += 2
    await home.live(360, step=60)
    assert doses.take() == [("acid_dose", 1, 1), ("chlorine_dose", 2, 2)]


async def test_doses_while_nobody_answered(home: Home, doses: Seen) -> None:
    """These doses are one event, which a trigger receives after `unavailable`."""
    received = await automate(
        home,
        {
            "trigger": "event.received",
            "target": {"entity_id": home.entity_id(EVENT, "doses")},
            "options": {"event_type": ["acid_dose"]},
        },
    )
    for faults in (home.controller.faults, home.cloud.faults):
        faults.on("refuse")
    await home.advance(150, step=15)
    state = home.state(EVENT, "doses")
    assert state.state == "unavailable"
    home.pool.acid.doses = 3
    for faults in (home.controller.faults, home.cloud.faults):
        faults.off("refuse")
    await home.advance(420, step=15)
    assert doses.take() == [("acid_dose", 3, 3)]
    assert len(told(received)) == 1


async def test_a_new_day_and_a_restart_of_the_controller(
    home: Home, doses: Seen
) -> None:
    """A count that begins again at 0 is not a dose."""
    home.pool.acid.doses = 4
    await home.live(360, step=60)
    assert doses.take() == [("acid_dose", 4, 4)]
    home.controller.restart()
    await home.live(360, step=60)
    assert doses.take() == []
    home.pool.acid.doses = 1
    await home.live(360, step=60)
    assert doses.take() == [("acid_dose", 1, 1)]


async def test_a_start_is_no_dose(full: Home, doses: Seen) -> None:
    """The last event is kept over a restart; doses meanwhile are not events."""
    full.pool.acid.doses = 1
    await full.live(360, step=60)
    assert doses.take() == [("acid_dose", 1, 1)]
    full.pool.acid.doses = 3
    await full.restart()
    await full.live(360, step=60)
    assert doses.take() == []
    assert last(full, "doses") == {
        "event_type": "acid_dose",
        "doses": 1,
        "doses_today": 1,
    }


async def test_a_controller_that_does_not_count(home: Home) -> None:
    """Doses are read from flags; for chlorine, only if no chlorinator sets its flag."""
    home.own(home.service.full)
    home.controller.faults.on("garbage", "get_ph_settings", "get_chlorine_settings")
    home.pool.slots[CHLORINATOR].aux_type = 0
    await home.set_up(home.controller)
    doses = Seen(home, "doses")
    home.pool.acid.left = ACID_DOSE
    home.pool.chlorine.left = CHLORINE_DOSE
    await home.advance(15)
    assert doses.take() == []
    await home.live(90)
    assert sorted(doses.take()) == [("acid_dose",), ("chlorine_dose",)]


async def test_doses_that_the_cloud_counts(home: Home) -> None:
    """Doses of a controller that only the cloud reaches are events, too."""
    home.own(home.service.full)
    home.controller.faults.on("refuse")
    await home.set_up()
    doses = Seen(home, "doses")
    home.pool.acid.doses = 2
    await home.live(120)
    assert doses.take() == [("acid_dose", 2, 2)]


async def test_a_chlorinator_doses_nothing(home: Home, doses: Seen) -> None:
    """Without a doser there is no event, even if the settings count a dose."""
    home.pool.slots[CHLORINE].aux_type = 0
    await home.live(360, step=60)
    home.pool.chlorine.doses = 1
    await home.live(360, step=60)
    assert doses.take() == []


async def test_dosers_come_and_go(full: Home) -> None:
    registry = er.async_get(full.hass)
    unique_id = f"{full.controller.device_id}_doses"
    for wired in ({ACID: 0}, {CHLORINE: 0}, {ACID: 6}):
        for slot, aux_type in wired.items():
            full.pool.slots[slot].aux_type = aux_type
        await full.refresh()
        await full.refresh()
        await full.hass.async_block_till_done()
        fitted = any(full.pool.slots[n].aux_type for n in (ACID, CHLORINE))
        there = registry.async_get_entity_id(EVENT, DOMAIN, unique_id)
        assert (there is not None) is fitted


async def test_a_pool_without_dosers(small: Home) -> None:
    registry = er.async_get(small.hass)
    unique_id = f"{small.controller.device_id}_doses"
    assert registry.async_get_entity_id(EVENT, DOMAIN, unique_id) is None
    assert last(small, "faults") == {"event_type": None}


# Faults


async def test_the_pump_runs_dry(home: Home, dry_runs: Seen) -> None:
    """A dry run is one fault until it ends, even if its status changes."""
    pump = home.pool.pump
    for status, expected in ((0, True), (1, False), (2, False), (3, False), (2, True)):
        pump.dry_run_status = status
        await home.advance(15)
        assert dry_runs.take() == ([("dry_run",)] if expected else [])


async def test_expanders_that_are_lost(home: Home, faults: Seen) -> None:
    pool = home.pool
    pool.lost_expanders = {1, 4}
    await home.advance(15)
    assert faults.take() == [("expander_lost", 1), ("expander_lost", 4)]
    pool.lost_expanders = {4}
    await home.advance(15)
    assert faults.take() == []
    pool.lost_expanders = {1, 4}
    await home.advance(15)
    assert faults.take() == [("expander_lost", 1)]


async def test_a_source_that_does_not_tell(home: Home, faults: Seen) -> None:
    """The cloud does not report expanders: a loss is an event once the LAN answers."""
    home.controller.faults.on("refuse")
    await home.advance(60, step=15)
    home.pool.lost_expanders = {2}
    await home.advance(60, step=15)
    assert faults.take() == []
    home.pool.pump.dry_run_status = DRY
    await home.live(120)
    assert faults.take() == [("dry_run",)]
    home.controller.faults.off("refuse")
    await home.advance(60, step=15)
    assert faults.take() == [("expander_lost", 2)]


async def test_a_fault_is_received_when_the_controller_is_back(
    home: Home, faults: Seen
) -> None:
    """Triggers ignore the first state after `unavailable`, so the event comes later."""
    received = await automate(
        home,
        {
            "trigger": "event.received",
            "target": {"entity_id": home.entity_id(EVENT, "faults")},
            "options": {"event_type": ["dry_run"]},
        },
    )
    for fault in (home.controller.faults, home.cloud.faults):
        fault.on("refuse")
    await home.advance(150, step=15)
    home.pool.pump.dry_run_status = DRY
    for fault in (home.controller.faults, home.cloud.faults):
        fault.off("refuse")
    await home.advance(60, step=15)
    assert faults.take() == [("dry_run",)]
    assert len(told(received)) == 1


async def test_a_start_is_no_fault(full: Home, faults: Seen) -> None:
    """Faults from before the start are not events, even if they were unknown then."""
    full.pool.pump.dry_run_status = DRY
    full.pool.lost_expanders = {1}
    full.controller.faults.on("refuse")
    await full.restart()
    await full.advance(60, step=15)
    full.controller.faults.off("refuse")
    await full.advance(60, step=15)
    assert faults.take() == []
    full.pool.lost_expanders = {1, 2}
    await full.advance(15)
    assert faults.take() == [("expander_lost", 2)]


async def test_the_first_change_there_is(home: Home) -> None:
    """The state at the start is the previous state, so the first change is an event."""
    home.own(home.service.small)
    home.controller.faults.on("garbage", "q")
    await home.set_up(home.controller)
    faults = Seen(home, "faults")
    home.pool.pump.dry_run_status = DRY
    await home.advance(15)
    assert faults.take() == [("dry_run",)]


async def test_a_poll_without_news_writes_nothing(small: Home) -> None:
    entity = small.entity_id(EVENT, "faults")
    before = small.hass.states.get(entity)
    assert before is not None
    small.pool.water.ph = 7.15
    await small.advance(15)
    after = small.hass.states.get(entity)
    assert after is not None
    assert after.last_reported == before.last_reported
