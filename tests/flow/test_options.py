"""The options: the connection to a controller."""

from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.data_entry_flow import FlowResultType
import pytest

from tests.flow.test_config_flow import discover
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer")


async def choose(home: Home, **options: str | bool) -> None:
    flow = await home.hass.config_entries.options.async_init(home.entry.entry_id)
    # Without general outputs, there is nothing to choose from.
    answers: list[dict[str, Any]] = [options]
    if flow["type"] is FlowResultType.MENU:
        answers.insert(0, {"next_step_id": "settings"})
    for answer in answers:
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
