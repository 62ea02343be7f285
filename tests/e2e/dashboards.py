"""The ready-made dashboard, as other tests find it: there, and gone at the end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from playwright.async_api import Locator, Page, ViewportSize, expect

from tests.home.api import HomeAssistant
from tests.home.settings import DOMAIN, Settings

from .pools import FULL_ID
from .steps import come_to_rest

URL_PATH: Final = "dashboard-pool"
STRATEGY: Final = {"strategy": {"type": f"custom:{DOMAIN}"}}
PHONE: Final = ViewportSize(width=390, height=844)


@asynccontextmanager
async def dashboard(
    api: HomeAssistant, config: dict[str, Any] = STRATEGY
) -> AsyncIterator[None]:
    """Have a dashboard for as long as the block runs."""
    made = await api.command(
        "lovelace/dashboards/create", url_path=URL_PATH, mode="storage", title="Pool"
    )
    await api.command("lovelace/config/save", url_path=URL_PATH, config=config)
    try:
        yield
    finally:
        await api.command("lovelace/dashboards/delete", dashboard_id=made["id"])


async def controller(api: HomeAssistant, device_id: str = FULL_ID) -> str:
    """Return the id of a controller's device in Home Assistant."""
    (found,) = (
        str(device["id"])
        for device in await api.command("config/device_registry/list")
        if [DOMAIN, device_id] in device["identifiers"]
    )
    return found


async def show(page: Page, home: Settings, view: str = "") -> None:
    """Open a view, and wait until its cards are there."""
    await page.goto(f"{home.home_url}/{URL_PATH}/{view}")
    await expect(page.locator("hui-tile-card").first).to_be_visible()
    await come_to_rest(page)


def tile(page: Page, name: str) -> Locator:
    """Return the tiles with a name that can be seen."""
    named = page.get_by_text(name, exact=True)
    return page.locator("hui-tile-card:visible").filter(has=named)


def badge(page: Page, text: str) -> Locator:
    """Return the badges with a text that can be seen."""
    return page.locator("hui-entity-badge:visible").filter(has_text=text)
