"""A user adds a discovered pool, signs in, and looks at it."""

from pathlib import Path
import re
from typing import Final

from playwright.async_api import Page, ViewportSize, expect

from tests.world.home.settings import DOMAIN, Settings

from .pools import FULL, SMALL
from .steps import (
    come_to_rest,
    open_device,
    sign_in,
    sign_in_at_service,
    take_picture,
    take_picture_of,
)

# A page with two cards needs little height.
LOW_WINDOW: Final = ViewportSize(width=1280, height=600)
TALL_WINDOW: Final = ViewportSize(width=1280, height=960)


async def test_add_a_discovered_pool(
    new_home: Settings, visitor: Page, screenshots: Path | None
) -> None:
    """The discovery card leads, by way of the sign-in, to the device pages."""
    page = visitor
    await page.set_viewport_size(LOW_WINDOW)
    await sign_in(page, new_home)

    discovered = page.locator("ha-config-flow-card")
    await expect(discovered).to_have_count(2)
    await take_picture(page, screenshots, "discovered.png")

    await discovered.first.get_by_role("button", name="Add").click()
    dialog = page.locator("dialog-data-entry-flow")
    await dialog.get_by_role("textbox").fill(new_home.service_url)
    await take_picture_of(dialog, screenshots, "found.png")
    submit = dialog.get_by_role("button", name="Submit")
    await sign_in_at_service(page, submit, screenshots)
    await dialog.get_by_role("button", name="finish").click()
    await come_to_rest(page)

    # The account adds both of its pools: the other card is gone as well.
    await page.goto(f"{new_home.home_url}/config/integrations/dashboard")
    configured = page.locator(f"a[href$='/integration/{DOMAIN}']")
    await expect(configured).to_contain_text("13 devices")
    await expect(discovered).to_have_count(0)

    await open_device(page, new_home, SMALL)
    await expect(page.get_by_role("link", name=re.compile("^Water"))).to_be_visible()
    await page.set_viewport_size(TALL_WINDOW)
    await take_picture(page, screenshots, "device.png")
    await open_device(page, new_home, FULL)
    await expect(page.get_by_role("link", name=re.compile("^Spa"))).to_be_visible()
