"""The lines of the system health page."""

import json
from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.system_health import SystemHealthRegistration, get_info
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.system_health import _LINES, async_register
from tests.simulator import Account, Site

from .conftest import Service, advance, record, restart, set_up

pytestmark = pytest.mark.usefixtures("freezer")

TEXTS = json.loads(
    (
        Path(__file__).parents[2] / "custom_components/poolctl/translations/en.json"
    ).read_text()
)["system_health"]["info"]


async def page(hass: HomeAssistant) -> dict[str, Any]:
    """Open the page; return what it says of this integration."""
    assert await async_setup_component(hass, "system_health", {})
    found: dict[str, dict[str, Any]] = await get_info(hass)
    return found["poolctl"]


def test_texts() -> None:
    assert set(TEXTS) == {"accounts", *_LINES}


def test_where_to_manage_it(hass: HomeAssistant) -> None:
    registration = SystemHealthRegistration(hass, DOMAIN)
    async_register(hass, registration)
    assert registration.manage_url == "/config/integrations/integration/poolctl"


async def test_one_account_on_a_bad_day(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    entry = await set_up(hass, service, service.entry(*service.controllers))
    assert await page(hass) == {
        "on_lan": 2,
        "on_cloud": 0,
        "lost": 0,
        "cloud_reachable": "ok",
        "last_error": "none",
    }
    service.small.faults.on("truncated_frame")
    await advance(hass, service, freezer, 60, step=15)
    info = await page(hass)
    assert (info["on_lan"], info["on_cloud"], info["lost"]) == (1, 1, 0)
    assert info["cloud_reachable"] == "ok"
    assert info["last_error"].startswith("FrameError (LAN, 20")

    service.cloud.faults.on("error_503")
    await advance(hass, service, freezer, 180, step=15)
    info = await page(hass)
    assert (info["on_lan"], info["on_cloud"], info["lost"]) == (1, 0, 1)
    assert info["cloud_reachable"] == "Failed: ServiceError"

    service.cloud.faults.clear()
    service.small.faults.clear()
    await advance(hass, service, freezer, 60, step=15)
    info = await page(hass)
    assert (info["on_lan"], info["on_cloud"], info["lost"]) == (2, 0, 0)
    # The cloud is asked again when it is needed, once an hour at the latest.
    await advance(hass, service, freezer, 3600, step=300)
    assert (await page(hass))["cloud_reachable"] == "ok"

    await hass.config_entries.async_unload(entry.entry_id)
    assert await page(hass) == {"accounts": 0}


async def test_two_accounts(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Told apart by their order, not by whose they are."""
    other = Account("eve@example.com", "demo", sub="user-2")
    other.sites = [Site("Beach", controllers=[service.full])]
    service.cloud.accounts.append(other)
    service.account.sites = service.account.sites[:1]
    await set_up(hass, service, service.entry(service.small))
    service.account = other
    second = MockConfigEntry(
        domain=DOMAIN,
        unique_id="user-2",
        data={
            **service.entry(service.full).data,
            "controllers": {service.full.device_id: record(service.full)},
        },
    )
    await set_up(hass, service, second)
    service.full.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=15)
    info = await page(hass)
    assert info["accounts"] == 2
    assert info["on_lan"] == "1, 0"
    assert info["on_cloud"] == "0, 1"
    assert info["lost"] == "0, 0"
    assert info["cloud_reachable"] == "ok, ok"
    assert info["last_error"].startswith("none, UnreachableError (LAN, ")
    # Nothing of it answers at a start: it is tried again, and counts all the same.
    service.cloud.revoke(other)
    await restart(hass, service, second)
    assert second.state is ConfigEntryState.SETUP_RETRY
    info = await page(hass)
    assert info["cloud_reachable"] == "ok, failed: AuthenticationError"
    assert info["lost"] == "0, 1"
