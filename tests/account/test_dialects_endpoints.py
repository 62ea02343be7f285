"""A home whose service serves only the published endpoints."""

import pytest

from custom_components.poolctl.client.endpoints import ENDPOINTS
from tests.world.assistant.home import Home
from tests.world.assistant.service import record
from tests.world.simulator.cloud_dialects import CloudDialect as D

pytestmark = pytest.mark.usefixtures("freezer", "quick")

# Time-outs are left to the unit test: time stands still here.
FAILURES = [each for each in D if each.startswith("C14") and each is not D.C14_SILENT]
UNPUBLISHED = {each.name for each in ENDPOINTS.values() if not each.published}


@pytest.mark.parametrize("failure", [*FAILURES, D.C17_PUBLISHED])
async def test_published_endpoints_are_enough(home: Home, failure: D) -> None:
    """They suffice for the account, a controller on the LAN and one in the cloud."""
    home.cloud.dialects, home.cloud.failing = {failure}, UNPUBLISHED
    home.service.full.faults.on("refuse")
    stored = {each.device_id: record(each) for each in home.service.controllers}
    entry = await home.set_up(controllers=stored)
    await home.live(240)
    assert home.source == "lan"
    assert home.value("switch", "slot_2") in ("on", "off")
    full = home.service.full
    assert home.value("sensor", "connection", full) == "cloud"
    assert home.value("switch", "pump", full) == "on"
    assert float(home.value("sensor", "orp", full)) > 100
    assert entry.runtime_data.last_update_success
    assert home.flows == []
    assert all(request.name != "token" for request in home.cloud.requests)


async def test_what_published_endpoints_can_do_is_offered(home: Home) -> None:
    """The pump and its speed are offered, and nothing that the service lacks (C17)."""
    home.own(home.service.full)
    home.controller = home.service.full
    home.cloud.dialects = {D.C17_PUBLISHED}
    stored = {home.controller.device_id: record(home.controller, host=None, key=None)}
    await home.set_up(controllers=stored)
    await home.live(60)
    assert home.entity_keys("switch") == {"pump"}
    assert home.entity_keys("number") == {"pump_speed", "volume"}
    assert home.entity_keys("select") == {"pump_hours_rule", "pump_speed_level"}
    for domain in ("climate", "light", "time", "calendar"):
        assert home.entity_keys(domain) == set()
