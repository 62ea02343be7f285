"""The lines of the system health page."""

import json
from pathlib import Path
from typing import Any

from homeassistant.components.system_health import SystemHealthRegistration, get_info
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.system_health import async_register
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator import Account, Site

pytestmark = pytest.mark.usefixtures("freezer")
few_platforms = only(Platform.SENSOR)

ENGLISH = Path(__file__).parents[2] / "custom_components/poolctl/translations/en.json"
TEXTS = json.loads(ENGLISH.read_text())["system_health"]["info"]


async def page(home: Home) -> tuple[Any, ...]:
    """Return the lines of the system health page in their order."""
    assert await async_setup_component(home.hass, "system_health", {})
    found: dict[str, dict[str, Any]] = await get_info(home.hass)
    assert found["poolctl"].keys() == TEXTS.keys()
    lines = "accounts", "on_lan", "on_cloud", "lost", "cloud_reachable"
    return tuple(found["poolctl"].pop(line) for line in lines)


def test_where_to_manage_it(hass: HomeAssistant) -> None:
    registration = SystemHealthRegistration(hass, DOMAIN)
    async_register(hass, registration)
    assert registration.manage_url == "/config/integrations/integration/poolctl"


async def test_one_account_on_a_bad_day(home: Home) -> None:
    await home.set_up(*home.service.controllers)
    assert await page(home) == (1, 2, 0, 0, "ok")
    home.controller.faults.on("truncated_frame")
    await home.advance(60, step=15)
    assert await page(home) == (1, 1, 1, 0, "ok")
    home.cloud.faults.on("error_503")
    await home.advance(180, step=15)
    assert await page(home) == (1, 1, 0, 1, "Failed: No answer (ServiceError)")
    home.reconnect()
    await home.advance(60, step=15)
    assert (await page(home))[:4] == (1, 2, 0, 0)
    # The cloud is asked again when it is needed, once an hour at the latest.
    await home.advance(3600, step=300)
    assert await page(home) == (1, 2, 0, 0, "ok")
    await home.unload()
    assert (await page(home))[0] == 0


async def test_two_accounts(home: Home) -> None:
    """One line counts the controllers of both; a sign-in that failed is shown."""
    other = Account("eve@example.com", "demo", sub="user-2")
    other.sites = [Site("Beach", controllers=[home.service.full])]
    home.cloud.accounts.append(other)
    home.own(home.service.small)
    await home.set_up(home.controller)
    home.service.account = other
    second = await home.set_up(home.service.full)
    home.service.full.faults.on("refuse")
    await home.advance(60, step=15)
    assert (await page(home))[:4] == (2, 1, 1, 0)
    # An account that fails at a start is retried, and is counted all the same.
    home.cloud.revoke(other)
    await home.restart()
    assert second.state is ConfigEntryState.SETUP_RETRY
    needed = "Failed: Sign-in needed (AuthenticationError)"
    assert await page(home) == (2, 1, 0, 1, needed)
