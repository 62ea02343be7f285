"""Helpers for the ready-made dashboard, its views and its cards."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final

from playwright.async_api import Locator, Page, ViewportSize, expect

from tests.world.home.api import HomeAssistant, Json
from tests.world.home.settings import DOMAIN, Settings
from tests.world.home.waiting import until

from .pools import FULL_ID, SECONDS, entity

URL_PATH: Final = "dashboard-pool"
STANDING: Final = "dashboard-standing"
"""URL path of the dashboard that lasts as long as the home and is open at the desk."""
STRATEGY: Final = {"strategy": {"type": f"custom:{DOMAIN}"}}
PHONE: Final = ViewportSize(width=390, height=844)
# Time in which a view that was opened or resized lays out its cards.
LAYOUT_MS: Final = 400

# Seconds for which a poll may show the real state of an entity that pretends.
KEPT_S: Final = 0.3

# Go to another page of the frontend as a link does, without loading it again.
GO: Final = """path => {
    history.pushState(null, "", path);
    dispatchEvent(new CustomEvent("location-changed", { detail: { replace: false } }));
    scrollTo(0, 0);
}"""
# Returns the path of the view that is shown.
SHOWN: Final = """() => {
    const deep = (root, name) => {
        for (const each of root?.querySelectorAll("*") ?? []) {
            const found = each.localName === name ? each : deep(each.shadowRoot, name);
            if (found) return found;
        }
    };
    const view = deep(document, "hui-view");
    return view?.lovelace?.config.views[view.index]?.path ?? "";
}"""
type Change = tuple[str, str, str | None, Json]
"""Domain and key of an entity, the state that it shows, and more attributes."""
TOO_SLOW: Final = "Error loading the dashboard strategy"


async def make_dashboard(
    api: HomeAssistant, url_path: str, config: dict[str, Any], **more: bool
) -> str:
    """Create a dashboard; return its ID."""
    made = await api.command(
        "lovelace/dashboards/create",
        url_path=url_path,
        mode="storage",
        title="Pool",
        **more,
    )
    await api.command("lovelace/config/save", url_path=url_path, config=config)
    return str(made["id"])


async def look(desk: Page, home: Settings, view: str) -> None:
    """Go to a view of the dashboard that is open at the desk, and wait for its cards."""
    path = f"/{STANDING}/{view}"
    if desk.url.startswith(home.home_url):
        await desk.evaluate(GO, path)
    else:
        await desk.goto(f"{home.home_url}{path}")

    async def shown() -> str:
        # The frontend waits only 5 s for a script, however busy the machine is.
        if await desk.get_by_text(TOO_SLOW).count():
            await desk.reload()
        return str(await desk.evaluate(SHOWN))

    await until(
        shown, lambda found: found == view, what="the view is shown", seconds=SECONDS
    )
    await expect(desk.locator("hui-card:visible").first).to_be_visible()
    await desk.wait_for_timeout(LAYOUT_MS)


async def controller(api: HomeAssistant, device_id: str = FULL_ID) -> str:
    """Return the ID of a controller's device in Home Assistant."""
    (found,) = (
        str(device["id"])
        for device in await api.command("config/device_registry/list")
        if [DOMAIN, device_id] in device["identifiers"]
    )
    return found


def card(page: Page, kind: str) -> Locator:
    """Return the visible card of one of our kinds."""
    return page.locator(f"{DOMAIN}-{kind}-card:visible")


def output(page: Page, name: str) -> Locator:
    named = page.get_by_text(name, exact=True)
    return card(page, "outputs").locator(".row").filter(has=named)


@asynccontextmanager
async def pretended(
    api: HomeAssistant,
    entity_id: str,
    state: str | None = None,
    attributes: Json | None = None,
) -> AsyncIterator[None]:
    """Give an entity another state, or more attributes, while the block runs.

    This suffices to test the dashboard, which depends on states alone. A poll writes the
    real state, which is replaced again.
    """
    before = (await api.states())[entity_id]
    more = {"attributes": before["attributes"] | (attributes or {})}
    changed = before | more | ({"state": state} if state else {})

    async def keep() -> None:
        while True:
            found = (await api.states())[entity_id]
            if any(found[name] != changed[name] for name in ("state", "attributes")):
                await api.post(f"/api/states/{entity_id}", changed)
            await asyncio.sleep(KEPT_S)

    await api.post(f"/api/states/{entity_id}", changed)
    keeping = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        await api.post(f"/api/states/{entity_id}", before)


@asynccontextmanager
async def pretending(api: HomeAssistant, *changes: Change) -> AsyncIterator[None]:
    """Give entities of the full pool other states while the block runs."""
    async with AsyncExitStack() as stack:
        for domain, key, state, more in changes:
            changed = pretended(api, await entity(api, key, domain), state, more)
            await stack.enter_async_context(changed)
        yield
