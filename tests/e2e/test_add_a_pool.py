"""A person finds a pool, signs in, and looks at it."""

from pathlib import Path
from typing import Final

from playwright.async_api import Page, ViewportSize, expect

from tests.home.running import development_home
from tests.home.settings import DOMAIN, HOME_USER, POOL_OWNER, Settings

POOLS: Final = ("Home pool", "Beach house")

# High enough for the readings of a small pool.
TALL_WINDOW: Final = ViewportSize(width=1280, height=960)
# Icons come from a database in the browser, when it has nothing better to do.
ICONS_MS: Final = 1500


async def test_add_a_discovered_pool(page: Page, screenshots: Path) -> None:
    """From the discovery card to the device page."""
    async with development_home("--reset") as home:
        await sign_in(page, home)

        discovered = page.locator("ha-config-flow-card")
        await expect(discovered).to_have_count(len(POOLS))
        await take_picture(page, screenshots / "discovered.png")

        await discovered.first.get_by_role("button", name="Add").click()
        await walk_through_flow(page, home)
        # One account, both of its pools: the other card is gone as well.
        await page.goto(f"{home.home_url}/config/integrations/dashboard")
        configured = page.locator(f"a[href$='/integration/{DOMAIN}']")
        await expect(configured).to_contain_text(f"{len(POOLS)} devices")
        await expect(discovered).to_have_count(0)

        await open_device(page, home, POOLS[1])
        await expect(page.get_by_text("pH", exact=True).first).to_be_visible()
        await page.set_viewport_size(TALL_WINDOW)
        await take_picture(page, screenshots / "device.png")


async def sign_in(page: Page, home: Settings) -> None:
    """Sign in to Home Assistant and go to its devices and services."""
    await page.goto(f"{home.home_url}/config/integrations/dashboard")
    await page.locator("input[name=username]").fill(HOME_USER.name)
    await page.locator("input[name=password]").fill(HOME_USER.password)
    await page.get_by_role("button", name="Log in").click()


async def walk_through_flow(page: Page, home: Settings) -> None:
    """Enter the service address, sign in there, and finish."""
    dialog = page.locator("dialog-data-entry-flow")
    await dialog.get_by_role("textbox").fill(home.service_url)
    async with page.expect_popup() as opened:
        await dialog.get_by_role("button", name="Submit").click()
    service = await opened.value
    await service.get_by_label("Email").fill(POOL_OWNER.name)
    await service.get_by_label("Password").fill(POOL_OWNER.password)
    async with service.expect_event("close"):
        await service.get_by_role("button", name="Sign in").click()
    await dialog.get_by_role("button", name="finish").click()


async def open_device(page: Page, home: Settings, name: str) -> None:
    """Open the page of a device from the page of the integration."""
    await page.goto(f"{home.home_url}/config/integrations/integration/{DOMAIN}")
    await page.get_by_text(name, exact=True).click()


async def take_picture(page: Page, path: Path) -> None:
    """Take a screenshot once the page has come to rest."""
    await page.wait_for_load_state("networkidle")
    await page.wait_for_timeout(ICONS_MS)
    await page.screenshot(path=path)
