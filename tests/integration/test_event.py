"""Events: doses and faults of the simulated pools."""

from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.event.const import DOMAIN as EVENT
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller

from .conftest import Service, advance, entity_id, restart, set_up
from .test_triggers import DRY, automate, still_water, told

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("freezer", "quick", "still_water")

ACID, CHLORINE, CHLORINATOR = 6, 7, 8
"""Slots of the full pool."""
ACID_DOSE, CHLORINE_DOSE = 20, 30
"""s that a dose takes there."""


def last(hass: HomeAssistant, controller: Controller, key: str) -> dict[str, Any]:
    """Return the last event of an entity."""
    state = hass.states.get(entity_id(hass, EVENT, controller, key))
    assert state is not None
    names = ("event_type", "doses", "doses_today", "expander")
    return {name: state.attributes[name] for name in names if name in state.attributes}


class Seen:
    """The events of one entity: every change of its state but coming and going."""

    def __init__(self, hass: HomeAssistant, controller: Controller, key: str) -> None:
        self._entity_id = entity_id(hass, EVENT, controller, key)
        self._events = async_capture_events(hass, "state_changed")
        self._last = hass.states.get(self._entity_id)

    def take(self) -> list[tuple[Any, ...]]:
        """Return the events until now, and forget them."""
        found = []
        for event in self._events:
            if event.data["entity_id"] != self._entity_id:
                continue
            state: State | None = event.data["new_state"]
            if state is None or state.state == "unavailable":
                continue
            if self._last is None or state.state != self._last.state:
                found.append(
                    (
                        state.attributes["event_type"],
                        *(
                            state.attributes[name]
                            for name in ("doses", "doses_today", "expander")
                            if name in state.attributes
                        ),
                    )
                )
            self._last = state
        self._events.clear()
        return found


@pytest.fixture
def doses(hass: HomeAssistant, service: Service, full: MockConfigEntry) -> Seen:
    """Follow the doses of the full pool."""
    return Seen(hass, service.full, "doses")


@pytest.fixture
def faults(hass: HomeAssistant, service: Service, full: MockConfigEntry) -> Seen:
    """Follow the faults of the full pool."""
    return Seen(hass, service.full, "faults")


async def live(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    seconds: float,
) -> None:
    """Let time pass for the pool and for Home Assistant."""
    for _ in range(round(seconds / 15)):
        service.clock.advance(15)
        await advance(hass, service, freezer, 15)


# Doses


async def test_a_dose_that_ended(
    hass: HomeAssistant,
    service: Service,
    doses: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    pool = service.full.pool
    pool.water.ph = 7.9
    service.clock.advance(11)
    assert service.full.pool.acid.dosing
    await advance(hass, service, freezer, 15)
    assert doses.take() == []
    await live(hass, service, freezer, 60)
    assert doses.take() == [("acid_dose", 1, 1)]
    await live(hass, service, freezer, 600)
    assert doses.take() == []
    await live(hass, service, freezer, 1320)
    assert doses.take() == [("acid_dose", 1, 2)]


async def test_a_dose_of_chlorine(
    hass: HomeAssistant,
    service: Service,
    doses: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The chlorinator that runs, too, is no dose."""
    service.full.pool.water.orp = 600
    await live(hass, service, freezer, 120)
    assert service.full.pool.relays[CHLORINATOR]
    assert doses.take() == [("chlorine_dose", 1, 1)]
    service.full.pool.water.orp = 800
    await live(hass, service, freezer, 60)
    assert service.full.pool.chlorinating is False
    assert doses.take() == []


async def test_both_at_once(
    hass: HomeAssistant,
    service: Service,
    doses: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Each has a state of its own, so that a trigger sees both."""
    service.full.pool.acid.doses += 1
    service.full.pool.chlorine.doses += 2
    await live(hass, service, freezer, 330)
    assert doses.take() == [("acid_dose", 1, 1), ("chlorine_dose", 2, 2)]


async def test_doses_while_nobody_answered(
    hass: HomeAssistant,
    service: Service,
    doses: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """They are told together, and a trigger takes them although it was unavailable."""
    received = await automate(
        hass,
        {
            "trigger": "event.received",
            "target": {"entity_id": entity_id(hass, EVENT, service.full, "doses")},
            "options": {"event_type": ["acid_dose"]},
        },
    )
    for faults in (service.full.faults, service.cloud.faults):
        faults.on("refuse")
    await advance(hass, service, freezer, 150, step=15)
    state = hass.states.get(entity_id(hass, EVENT, service.full, "doses"))
    assert state is not None
    assert state.state == "unavailable"
    service.full.pool.acid.doses = 3
    for faults in (service.full.faults, service.cloud.faults):
        faults.off("refuse")
    await advance(hass, service, freezer, 420, step=15)
    assert doses.take() == [("acid_dose", 3, 3)]
    assert len(told(received)) == 1


async def test_a_new_day_and_a_restart_of_the_controller(
    hass: HomeAssistant,
    service: Service,
    doses: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """A count that begins anew is no dose."""
    service.full.pool.acid.doses = 4
    await live(hass, service, freezer, 330)
    assert doses.take() == [("acid_dose", 4, 4)]
    service.full.restart()
    await live(hass, service, freezer, 330)
    assert doses.take() == []
    service.full.pool.acid.doses = 1
    await live(hass, service, freezer, 330)
    assert doses.take() == [("acid_dose", 1, 1)]


async def test_a_start_is_no_dose(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    doses: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The last event is still known after a restart; doses meanwhile are none."""
    service.full.pool.acid.doses = 1
    await live(hass, service, freezer, 330)
    assert doses.take() == [("acid_dose", 1, 1)]
    service.full.pool.acid.doses = 3
    await restart(hass, service, full)
    await live(hass, service, freezer, 330)
    assert doses.take() == []
    assert last(hass, service.full, "doses") == {
        "event_type": "acid_dose",
        "doses": 1,
        "doses_today": 1,
    }


async def test_a_controller_that_does_not_count(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The flag says it; of chlorine only where no chlorinator sets it, too."""
    service.account.sites = service.account.sites[1:]
    service.full.faults.on("garbage", "get_ph_settings", "get_chlorine_settings")
    service.full.pool.slots[CHLORINATOR].aux_type = 0
    await set_up(hass, service, service.entry(service.full))
    doses = Seen(hass, service.full, "doses")
    service.full.pool.acid.left = ACID_DOSE
    service.full.pool.chlorine.left = CHLORINE_DOSE
    await advance(hass, service, freezer, 15)
    assert doses.take() == []
    await live(hass, service, freezer, 90)
    assert sorted(doses.take()) == [("acid_dose",), ("chlorine_dose",)]


async def test_doses_that_the_cloud_counts(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Of a controller that is known from the cloud alone."""
    service.account.sites = service.account.sites[1:]
    service.full.faults.on("refuse")
    await set_up(hass, service, service.entry())
    doses = Seen(hass, service.full, "doses")
    service.full.pool.acid.doses = 2
    await live(hass, service, freezer, 120)
    assert doses.take() == [("acid_dose", 2, 2)]


async def test_a_chlorinator_doses_nothing(
    hass: HomeAssistant,
    service: Service,
    doses: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Whatever its settings count: without a doser there is no dose."""
    service.full.pool.slots[CHLORINE].aux_type = 0
    await live(hass, service, freezer, 330)
    service.full.pool.chlorine.doses = 1
    await live(hass, service, freezer, 330)
    assert doses.take() == []


async def test_dosers_come_and_go(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
) -> None:
    registry = er.async_get(hass)
    unique_id = f"{service.full.device_id}_doses"
    coordinator = full.runtime_data.controllers[service.full.device_id]
    for wired in ({ACID: 0}, {CHLORINE: 0}, {ACID: 6}):
        for slot, aux_type in wired.items():
            service.full.pool.slots[slot].aux_type = aux_type
        await coordinator.async_refresh()
        await hass.async_block_till_done()
        fitted = any(service.full.pool.slots[n].aux_type for n in (ACID, CHLORINE))
        there = registry.async_get_entity_id(EVENT, DOMAIN, unique_id)
        assert (there is not None) is fitted


async def test_a_pool_without_dosers(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    registry = er.async_get(hass)
    unique_id = f"{service.small.device_id}_doses"
    assert registry.async_get_entity_id(EVENT, DOMAIN, unique_id) is None
    assert last(hass, service.small, "faults") == {"event_type": None}


# Faults


async def test_the_pump_runs_dry(
    hass: HomeAssistant,
    service: Service,
    faults: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """However it runs dry, it is one fault until it no longer does."""
    pump = service.full.pool.pump
    for status, expected in ((0, True), (1, False), (2, False), (3, False), (2, True)):
        pump.dry_run_status = status
        await advance(hass, service, freezer, 15)
        assert faults.take() == ([("dry_run",)] if expected else [])


async def test_expanders_that_are_lost(
    hass: HomeAssistant,
    service: Service,
    faults: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    pool = service.full.pool
    pool.lost_expanders = {1, 4}
    await advance(hass, service, freezer, 15)
    assert faults.take() == [("expander_lost", 1), ("expander_lost", 4)]
    pool.lost_expanders = {4}
    await advance(hass, service, freezer, 15)
    assert faults.take() == []
    pool.lost_expanders = {1, 4}
    await advance(hass, service, freezer, 15)
    assert faults.take() == [("expander_lost", 1)]


async def test_a_source_that_does_not_tell(
    hass: HomeAssistant,
    service: Service,
    faults: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The cloud knows no expanders: what is lost meanwhile is told by the LAN."""
    service.full.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=15)
    service.full.pool.lost_expanders = {2}
    await advance(hass, service, freezer, 60, step=15)
    assert faults.take() == []
    service.full.pool.pump.dry_run_status = DRY
    await live(hass, service, freezer, 120)
    assert faults.take() == [("dry_run",)]
    service.full.faults.off("refuse")
    await advance(hass, service, freezer, 60, step=15)
    assert faults.take() == [("expander_lost", 2)]


async def test_a_fault_is_received_when_the_controller_is_back(
    hass: HomeAssistant,
    service: Service,
    faults: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """A trigger takes no event that comes with the end of `unavailable`."""
    received = await automate(
        hass,
        {
            "trigger": "event.received",
            "target": {"entity_id": entity_id(hass, EVENT, service.full, "faults")},
            "options": {"event_type": ["dry_run"]},
        },
    )
    for fault in (service.full.faults, service.cloud.faults):
        fault.on("refuse")
    await advance(hass, service, freezer, 150, step=15)
    service.full.pool.pump.dry_run_status = DRY
    for fault in (service.full.faults, service.cloud.faults):
        fault.off("refuse")
    await advance(hass, service, freezer, 60, step=15)
    assert faults.take() == [("dry_run",)]
    assert len(told(received)) == 1


async def test_a_start_is_no_fault(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    faults: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    """What was so already is no event, nor is what only became known."""
    service.full.pool.pump.dry_run_status = DRY
    service.full.pool.lost_expanders = {1}
    service.full.faults.on("refuse")
    await restart(hass, service, full)
    await advance(hass, service, freezer, 60, step=15)
    service.full.faults.off("refuse")
    await advance(hass, service, freezer, 60, step=15)
    assert faults.take() == []
    service.full.pool.lost_expanders = {1, 2}
    await advance(hass, service, freezer, 15)
    assert faults.take() == [("expander_lost", 2)]


async def test_the_first_change_there_is(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    """How things are was seen before it, at the start."""
    service.account.sites = service.account.sites[:1]
    service.small.faults.on("garbage", "q")
    await set_up(hass, service, service.entry(service.small))
    faults = Seen(hass, service.small, "faults")
    service.small.pool.pump.dry_run_status = DRY
    await advance(hass, service, freezer, 15)
    assert faults.take() == [("dry_run",)]


async def test_a_poll_without_news_writes_nothing(
    hass: HomeAssistant,
    service: Service,
    faults: Seen,
    freezer: FrozenDateTimeFactory,
) -> None:
    entity = entity_id(hass, EVENT, service.full, "faults")
    before = hass.states.get(entity)
    assert before is not None
    service.full.pool.water.ph = 7.15
    await advance(hass, service, freezer, 15)
    after = hass.states.get(entity)
    assert after is not None
    assert after.last_reported == before.last_reported
