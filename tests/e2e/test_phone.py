"""On a phone nothing is wider than the screen."""

from typing import Final

from playwright.async_api import Locator, ViewportSize, expect

from tests.world.home.settings import Settings

from .conftest import EnterHome
from .pools import FULL, SMALL, Pools, relay
from .steps import open_flow, open_part, row, toggle

PHONE: Final = ViewportSize(width=390, height=844)

# Returns the full width of the page, including parts out of view.
PAGE_WIDTH: Final = "() => document.documentElement.scrollWidth"


async def test_device_page(enter: EnterHome, home: Settings, pools: Pools) -> None:
    """All cards fit, and a switch can be reached."""
    page = await enter(viewport=PHONE, has_touch=True, is_mobile=True)
    await open_part(page, home, FULL, "Outputs")
    await expect(row(page, "Waterfall")).to_be_attached()
    cards = page.locator("ha-config-device-page ha-card")
    for card in await cards.all():
        await fits(card)
    assert await page.evaluate(PAGE_WIDTH) <= PHONE["width"]

    for on in (True, False):
        await toggle(page, "Waterfall")
        await pools.becomes(relay("Waterfall"), on)

    await open_part(page, home, SMALL, "Pump")
    await expect(row(page, "Target speed")).to_be_visible()


async def test_first_step_of_the_flow(enter: EnterHome, home: Settings) -> None:
    """The first step and its error can be read and answered."""
    page = await enter(viewport=PHONE, has_touch=True, is_mobile=True)
    dialog = await open_flow(page, home)
    for part in (
        dialog.get_by_text("Home Assistant never sees your password"),
        dialog.get_by_role("textbox"),
        dialog.get_by_role("button", name="Submit"),
    ):
        await expect(part).to_be_in_viewport()
        await fits(part)
    await dialog.get_by_role("textbox").fill("ftp://pool")
    await dialog.get_by_role("button", name="Submit").tap()
    error = dialog.get_by_text("This is not an address")
    await expect(error).to_be_in_viewport()
    await fits(error)


async def fits(part: Locator) -> None:
    """Check that a part of the page is not wider than the screen."""
    box = await part.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
