"""A newcomer adds a pool with only the vendor's credentials and the README."""

from pathlib import Path
import re
from typing import Final

from playwright.async_api import Locator, Page, ViewportSize, expect

from tests.world.home.settings import DOMAIN, OAUTH_CLIENT, Settings

from .conftest import WINDOW
from .pools import FULL, SMALL
from .steps import (
    open_device,
    open_part,
    sign_in,
    sign_in_at_service,
    take_picture,
    take_picture_of,
)

# Names that the controllers announce; the account has other names for them.
CHOSEN: Final = "ctrl-0a0b0c"
FOUND: Final = (CHOSEN, "ctrl-0d0e0f")
# A page with two cards needs little height.
LOW_WINDOW: Final = ViewportSize(width=1280, height=600)


async def test_from_scratch(
    first_home: Settings, visitor: Page, screenshots: Path | None
) -> None:
    """A discovered pool is added, with its credentials; nothing is typed twice."""
    page = visitor
    await page.set_viewport_size(LOW_WINDOW)
    await sign_in(page, first_home)
    cards = page.locator("ha-config-flow-card")
    await expect(cards).to_have_count(len(FOUND))
    await take_picture(page, screenshots, "discovered.png")
    await page.set_viewport_size(WINDOW)
    await _open_card(cards, CHOSEN)

    # Nothing was entered yet: the dialog can be closed, and the card stays.
    dialog = page.locator("dialog-data-entry-flow")
    credentials = page.locator("dialog-add-application-credential")
    redirect = f"{first_home.home_url}/auth/external/callback"
    await expect(credentials).to_contain_text(redirect)
    await expect(credentials).not_to_contain_text("formatjs")
    await expect(credentials).not_to_contain_text("MISSING_VALUE")
    await expect(credentials.get_by_role("link", name=redirect)).to_have_count(0)
    await take_picture_of(credentials, screenshots, "credentials.png")
    await credentials.get_by_role("button", name="Close").last.click()
    await expect(credentials.get_by_role("dialog")).to_have_count(0)
    await expect(cards).to_have_count(len(FOUND))

    await _open_card(cards, CHOSEN)
    await _fill_in(credentials)

    # The flow goes on with the controller that was chosen on the card.
    await expect(dialog).to_contain_text(f"{CHOSEN} was found")
    await expect(dialog).to_contain_text("Water temperature: ")
    await dialog.get_by_role("textbox").fill(first_home.service_url)
    await take_picture_of(dialog, screenshots, "found.png")
    submit = dialog.get_by_role("button", name="Submit")
    await sign_in_at_service(page, submit, screenshots)
    await expect(dialog).to_contain_text("Add dashboard")
    await dialog.get_by_role("button", name="finish").click()

    await page.goto(f"{first_home.home_url}/config/integrations/dashboard")
    configured = page.locator(f"a[href$='/integration/{DOMAIN}']")
    await expect(configured).to_contain_text("13 devices")
    await expect(cards).to_have_count(0)
    await open_device(page, first_home, SMALL)
    await expect(page.get_by_role("link", name=re.compile("^Water"))).to_be_visible()
    await take_picture(page, screenshots, "device.png")
    await open_part(page, first_home, FULL, "Water")
    await expect(page.get_by_text("pH", exact=True).first).to_be_visible()


async def _open_card(cards: Locator, name: str) -> None:
    card = cards.filter(has_text=name)
    await card.get_by_role("button", name="Add").click()


async def _fill_in(credentials: Locator) -> None:
    for field, text in (
        ("name", "Pool service"),
        ("clientId", OAUTH_CLIENT.name),
        ("clientSecret", OAUTH_CLIENT.password),
    ):
        await credentials.locator(f"[name={field}] input").fill(text)
    await credentials.get_by_role("button", name="Add").click()
