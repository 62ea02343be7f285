"""A closed season: with polling disabled, nothing is stale and nothing nags."""

from homeassistant.config_entries import ConfigEntryState
import pytest

from tests.status.test_repairs import shown
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer", "quick")


@pytest.fixture
async def closed(small: Home) -> Home:
    await small.live(30)
    before = reads(small)
    small.hass.config_entries.async_update_entry(small.entry, pref_disable_polling=True)
    await small.restart()
    await small.live(10, step=5)
    assert reads(small) == before and states(small) == {"unavailable"}
    await small.refresh()
    return small


def reads(home: Home) -> int:
    return sum(request.op == "state" for request in home.controller.requests)


def states(home: Home) -> set[str]:
    """Return whether entities are available, except *Status*, which always is."""
    return {
        "unavailable" if state.state == "unavailable" else "available"
        for entity in home.entities()
        if entity.disabled_by is None
        and not entity.unique_id.endswith("_status")
        and (state := home.hass.states.get(entity.entity_id)) is not None
    }


async def test_only_what_a_user_asked_for_is_read(closed: Home) -> None:
    """After 90 s, a state is unavailable, until a user asks for the next one."""
    assert closed.value("switch", "pump") == "on"
    before = reads(closed), len(closed.cloud.requests)
    await closed.live(80, step=5)
    assert states(closed) == {"available"}
    await closed.live(30, step=5)
    assert states(closed) == {"unavailable"}
    await closed.live(7200, step=60)
    assert (reads(closed), len(closed.cloud.requests)) == before
    await closed.refresh()
    assert states(closed) == {"available"} and closed.source == "lan"
    await closed.act("switch.turn_on", "slot_2")
    assert closed.pool.slots[2].on
    assert closed.value("switch", "slot_2") == "on"


async def test_a_pool_that_does_not_is_not_stale(closed: Home) -> None:
    """It becomes unavailable, and is not read again until a user asks."""
    closed.disconnect()
    await closed.live(120, step=5)
    assert states(closed) == {"unavailable"}
    status = closed.state("sensor", "status")
    assert (status.state, status.attributes["problems"]) == ("unknown", [])
    closed.reconnect()
    before = reads(closed), len(closed.cloud.requests)
    await closed.live(7200, step=60)
    assert (reads(closed), len(closed.cloud.requests)) == before
    assert states(closed) == {"unavailable"}
    await closed.refresh()
    assert states(closed) == {"available"}


async def test_a_restart_sets_up_from_memory(closed: Home) -> None:
    """The entry loads with all entities, without a request to sign in or a repair."""
    keys = closed.entity_keys()
    closed.disconnect()
    await closed.shut_down()
    await closed.boot()
    assert closed.entry.state is ConfigEntryState.LOADED
    await closed.live(30, step=5)
    assert closed.entity_keys() == keys
    assert states(closed) == {"unavailable"}
    assert "restored" not in closed.state("switch", "pump").attributes
    await closed.live(86400, step=3600)
    assert closed.flows == []
    assert not shown(closed)


@pytest.mark.parametrize("days", [0, 1.25, 31])
async def test_a_sign_in_that_has_ended_can_wait(closed: Home, days: int) -> None:
    """A sign-in is requested only once polling is enabled again."""
    closed.controller.faults.on("refuse")
    closed.cloud.sign_ins.revoke(closed.account)
    closed.freezer.tick(days * 86400)
    await closed.live(120, step=5)
    assert states(closed) == {"unavailable"}
    await closed.restart()
    await closed.live(30, step=5)
    assert closed.flows == []
    closed.hass.config_entries.async_update_entry(
        closed.entry, pref_disable_polling=False
    )
    closed.controller.faults.clear()
    await closed.restart()
    assert states(closed) == {"available"}
    assert len(closed.flows) == 1


async def test_a_sign_in_is_renewed_while_it_can_be(closed: Home) -> None:
    closed.controller.faults.on("refuse")
    closed.freezer.tick(20 * 86400)
    closed.clock.advance(20 * 86400)
    for _ in range(2):
        await closed.finish(closed.refresh())
    assert closed.source == "cloud"
