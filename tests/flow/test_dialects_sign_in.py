"""Adding an account, in each dialect of the service."""

import asyncio
import time

from homeassistant.config_entries import ConfigEntryState
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.helpers.json import json_bytes
import pytest

from custom_components.poolctl.client.endpoints import ENDPOINTS, READS
from custom_components.poolctl.const import DOMAIN
from tests.flow.test_config_flow import start
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.simulator.cloud_dialects import CloudDialect as D

pytestmark = pytest.mark.usefixtures("current_request_with_host")


@pytest.mark.row("C4", "C14")
@pytest.mark.parametrize("dialect", [D.C4_403, D.C14_HTML])
async def test_without_user_info(home: Home, sign_in: SignIn, dialect: D) -> None:
    """The account is identified by its token instead."""
    home.cloud.dialects = {dialect}
    result = await sign_in(await start(home, home.cloud.base_url))
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["result"].unique_id == "user-1"


@pytest.mark.parametrize(
    "silent",
    [[each.name for each in ENDPOINTS.values() if not each.published], [*READS]],
)
async def test_silent_endpoints_do_not_delay_it(
    home: Home, sign_in: SignIn, silent: list[str]
) -> None:
    """The account is added in seconds, and they are asked in the background."""
    flow = await start(home, home.cloud.base_url)
    home.cloud.faults.on("hang", *silent)
    began = time.monotonic()
    result = await sign_in(flow)
    assert time.monotonic() - began < 20
    assert result["type"] is FlowResultType.CREATE_ENTRY
    home.entry = result["result"]
    assert home.entry.state is ConfigEntryState.LOADED
    assert float(home.value("sensor", "ph")) > 0
    home.cloud.faults.clear()
    await asyncio.sleep(120)
    assert all(each["key"] for each in home.entry.data["controllers"].values())


async def test_a_service_that_fails_once(home: Home, sign_in: SignIn) -> None:
    """One failed answer of a proxy does not end the sign-in."""
    flow = await start(home, home.cloud.base_url)
    home.cloud.faults.once("error_503", 1, "sites")
    result = await sign_in(flow)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    sites = [each.status for each in home.cloud.requests if each.name == "sites"]
    assert sites[:3] == [401, 503, 200]  # the first one checked the address


@pytest.mark.parametrize("dialect", [D.C3_FAILED, D.C3_LIST, D.C13_REDIRECT])
async def test_a_sign_in_that_is_refused(
    home: Home, sign_in: SignIn, dialect: D
) -> None:
    """No answer of the token endpoint causes an unexpected error."""
    flow = await start(home, home.cloud.base_url)
    home.cloud.dialects = {dialect}
    home.cloud.elsewhere = f"http://127.0.0.1:{home.service.small.port}/token"
    result = await sign_in(flow, before_return=home.cloud.sign_ins._codes.pop)
    redirected = dialect is D.C13_REDIRECT
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == ("oauth_failed" if redirected else "oauth_unauthorized")
    assert not home.service.small.requests


@pytest.mark.row("C10")
@pytest.mark.parametrize("dialect", [D.C10_SURROGATES, D.C10_LONG, D.C10_HTML])
async def test_odd_names(home: Home, sign_in: SignIn, dialect: D) -> None:
    """Home Assistant can store and show all data that contains the names."""
    home.cloud.dialects = {dialect}
    result = await sign_in(await start(home, home.cloud.base_url))
    assert result["type"] is FlowResultType.CREATE_ENTRY
    await home.settle()
    (entry,) = home.hass.config_entries.async_entries(DOMAIN)
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), entry.entry_id)
    assert devices
    for stored in (
        entry.as_dict(),
        [device.dict_repr for device in devices],
        [state.as_dict() for state in home.hass.states.async_all()],
        [issue.to_json() for issue in ir.async_get(home.hass).issues.values()],
    ):
        text = json_bytes(stored).decode()
        assert not [odd for odd in ("http://evil", "<img", "xxxx" * 99) if odd in text]
