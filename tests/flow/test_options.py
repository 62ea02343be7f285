"""The options: the connection to a controller."""

from homeassistant.config_entries import ConfigEntryState, ConfigFlowResult
from homeassistant.data_entry_flow import FlowResultType
import probatio as vol
import pytest

from tests.flow.test_config_flow import discover
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer")


async def choose(home: Home, **options: str | bool) -> None:
    flow = await home.hass.config_entries.options.async_init(home.entry.entry_id)
    for answer in ({"next_step_id": "settings"}, options):
        flow = await home.hass.config_entries.options.async_configure(
            flow["flow_id"], answer
        )
    assert flow["type"] is FlowResultType.CREATE_ENTRY
    await home.settle()


async def test_lan_only(small: Home) -> None:
    await choose(small, connection="lan")
    small.controller.faults.on("refuse")
    await small.advance(60, step=15)
    assert small.source == "lan"
    await small.advance(60, step=15)
    assert small.source == "lost"
    read = {request.name for request in small.cloud.requests}
    assert "dashboardInfo" not in read


async def test_cloud_only(small: Home) -> None:
    """An announced controller does not keep the cloud from being read."""
    await discover(small, small.controller)
    await choose(small, connection="cloud")
    assert small.entry.state is ConfigEntryState.LOADED
    assert small.source == "cloud"
    small.controller.requests.clear()
    await small.advance(120, step=30)
    assert small.source == "cloud"
    assert not small.controller.requests


async def test_a_start_into_the_cloud_remembers_the_equipment(small: Home) -> None:
    """Its entities stay; the states of its switches are marked as assumed."""
    before = small.entity_keys()
    small.cloud.not_offered.add("auxInfo")
    small.controller.faults.on("refuse")
    await small.restart()
    assert small.source == "cloud"
    assert small.entity_keys() >= before
    state = small.state("switch", "slot_2")
    assert state.state == "unknown"
    assert state.attributes["assumed_state"] is True


async def asked_for_ranges(home: Home) -> ConfigFlowResult:
    options = home.hass.config_entries.options
    flow = await options.async_init(home.entry.entry_id)
    return await options.async_configure(flow["flow_id"], {"next_step_id": "water"})


async def test_an_own_good_range(small: Home) -> None:
    """Water with stabiliser is well at a lower ORP, in all that rates it."""
    small.controller.pool.water.orp = 590
    await small.advance(60, step=15)
    assert "orp_out_of_range" in small.problems
    options, flow = small.hass.config_entries.options, await asked_for_ranges(small)
    assert flow["description_placeholders"] == {"pool": small.controller.name}
    wrong: tuple[dict[str, float], ...] = (
        {"orp_from": 700, "orp_to": 550},
        {"orp_from": 550, "orp_to": 550},
        {"orp_from": 550},
        {"orp_to": 700},
    )
    for answer in wrong:
        flow = await options.async_configure(flow["flow_id"], answer)
        assert flow["errors"] == {"orp_to": "range_reversed"}
    answer = {"orp_from": 550, "orp_to": 700}
    flow = await options.async_configure(flow["flow_id"], answer)
    assert flow["type"] is FlowResultType.CREATE_ENTRY
    await small.settle()
    await small.advance(60, step=15)
    for _ in range(2):  # the second time after a restart
        assert not {"orp_out_of_range", "ph_out_of_range"} & small.problems
        orp, ph = (small.state("sensor", key).attributes for key in ("orp", "ph"))
        assert (orp["good_from"], orp["good_to"]) == (550, 700)
        assert (ph["good_from"], ph["good_to"]) == (7.0, 7.8)
        await small.restart()
    small.controller.pool.water.orp = 720
    await small.advance(60, step=15)
    assert "orp_out_of_range" in small.problems
    # The form shows what is entered; emptied, the range is the usual one again.
    flow = await asked_for_ranges(small)
    schema = flow["data_schema"] or vol.Schema({})
    shown = {
        str(key): (key.description or {}).get("suggested_value")
        for key in schema.schema
    }
    assert shown == {"ph_from": None, "ph_to": None, "orp_from": 550, "orp_to": 700}
    await options.async_configure(flow["flow_id"], {})
    await small.settle()
    await small.advance(60, step=15)
    assert "orp_out_of_range" not in small.problems


@pytest.mark.parametrize(
    "stored", [{}, 7, [["x", 1]], {"x": {"ph": {"low": 1}}}], ids=str
)
async def test_the_own_range_of_one_of_two_pools(home: Home, stored: object) -> None:
    """Whatever was written there by hand does not keep it from being saved."""
    await home.set_up(options={"own_ranges": stored})
    options, flow = home.hass.config_entries.options, await asked_for_ranges(home)
    device_id = home.service.full.device_id
    for answer in ({"device_id": device_id}, {"ph_from": 7.2, "ph_to": 7.3}):
        flow = await options.async_configure(flow["flow_id"], answer)
    await home.settle()
    found = {
        each.device_id: home.state("sensor", "ph", each).attributes["good_to"]
        for each in home.service.controllers
    }
    assert found.pop(device_id) == 7.3
    assert 7.3 not in found.values()
