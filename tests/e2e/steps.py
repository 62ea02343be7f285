"""Steps in Home Assistant that several tests take."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
import re
from typing import Final

from playwright.async_api import (
    FloatRect,
    Locator,
    Page,
    TimeoutError as PageTimeoutError,
    ViewportSize,
    expect,
)

from tests.world.home.settings import DOMAIN, HOME_USER, POOL_OWNER, Settings

type Expectation = Callable[..., Awaitable[None]]

# The browser loads icons from a database when it is idle.
ICONS_MS: Final = 1500
TRIES: Final = 4
EFFECT_MS: Final = 5000
# Pixels of the page that a picture shows around a dialog.
MARGIN: Final = 24
# As wide as the dialog before it.
SIGN_IN_WINDOW: Final = ViewportSize(width=628, height=470)


async def sign_in(page: Page, home: Settings) -> None:
    """Sign in to Home Assistant and go to its devices and services."""
    await page.goto(f"{home.home_url}/config/integrations/dashboard")
    await page.locator("input[name=username]").fill(HOME_USER.name)
    await page.locator("input[name=password]").fill(HOME_USER.password)
    await page.get_by_role("button", name="Log in").click()
    await expect(page.locator("ha-sidebar")).to_be_visible()


async def sign_in_at_service(
    page: Page, submit: Locator, folder: Path | None = None
) -> None:
    """Leave a dialog for the page of the pool service, and sign in there."""
    async with page.expect_popup() as opened:
        await submit.click()
    service = await opened.value
    await service.get_by_label("Email").fill(POOL_OWNER.name)
    await service.get_by_label("Password").fill(POOL_OWNER.password)
    if folder is not None:
        await service.set_viewport_size(SIGN_IN_WINDOW)
        await take_picture(service, folder, "sign_in.png")
    async with service.expect_event("close"):
        await service.get_by_role("button", name="Sign in").click()


async def open_integration(page: Page, home: Settings) -> None:
    await page.goto(f"{home.home_url}/config/integrations/integration/{DOMAIN}")


async def open_device(page: Page, home: Settings, name: str) -> None:
    """Open the page of a device from the page of the integration."""
    await open_integration(page, home)
    await page.get_by_text(name, exact=True).click()


async def open_part(page: Page, home: Settings, name: str, part: str) -> None:
    """Open the page of a part from the page of its controller."""
    await open_device(page, home, name)
    link = page.locator(
        "ha-config-device-page a[href*='/config/devices/device/']", has_text=part
    ).first
    href = await link.get_attribute("href") or ""
    await link.click()
    await expect(page).to_have_url(re.compile(re.escape(href)))


def row(page: Page, name: str) -> Locator:
    named = page.get_by_text(name, exact=True)
    return page.locator("hui-generic-entity-row").filter(has=named).first


async def toggle(page: Page, name: str) -> None:
    """Click the switch of an entity on the page of a device."""
    # The switch itself lies under its drawing, which takes the click.
    await row(page, name).locator("ha-switch").click()


async def open_entity(page: Page, name: str) -> Locator:
    """Open the dialog of an entity on the page of a device."""
    await page.get_by_text(name, exact=True).first.click()
    dialog = page.locator("ha-more-info-dialog")
    await expect(dialog.get_by_role("dialog")).to_be_visible()
    return dialog


async def repeat_until(
    action: Callable[[], Awaitable[None]], expected: Expectation
) -> None:
    """Repeat an action until it has an effect: a part that still opens loses input."""
    for _ in range(TRIES):
        # After a late effect, the next try may find nothing left to act on.
        with suppress(AssertionError, PageTimeoutError):
            await action()
            await expected(timeout=EFFECT_MS)
            return
    await expected()


async def click_until(part: Locator, expected: Expectation) -> None:
    await repeat_until(partial(part.click, timeout=EFFECT_MS), expected)


async def choose(field: Locator, option: str) -> None:
    """Choose from a list that opens where it is clicked."""
    await field.click()
    item = field.get_by_role("menuitem", name=option, exact=True)
    await click_until(item, expect(item).to_be_hidden)


async def pick(picker: Locator, owner: str, name: str) -> None:
    """Pick an item of two lines, such as an entity of a pool, from a long list."""
    choices = picker.locator("ha-picker-combo-box")
    search = choices.get_by_role("textbox")
    await expect(search).to_be_focused()
    named = picker.page.get_by_text(name, exact=True)
    match = choices.locator("ha-combo-box-item").filter(has=named, has_text=owner).first
    await repeat_until(partial(search.fill, name), expect(match).to_be_visible)
    # Text is lost if it is typed while the list still closes.
    await click_until(match, expect(choices).to_be_hidden)


async def choose_in_menu(part: Locator, option: str) -> None:
    """Choose from the menu behind the three dots of a row or a card."""
    await part.get_by_role("button", name="Menu").first.click()
    item = part.get_by_role("menuitem", name=option, exact=True)
    await click_until(item, expect(item).to_be_hidden)


async def come_to_rest(page: Page) -> None:
    """Wait until the page shows everything that belongs in a picture."""
    await page.wait_for_load_state("networkidle")
    await page.wait_for_timeout(ICONS_MS)


async def take_picture(part: Page | Locator, folder: Path | None, name: str) -> None:
    """Take a screenshot, if there is a folder, once the page has come to rest."""
    if folder is not None:
        await come_to_rest(part if isinstance(part, Page) else part.page)
        await part.screenshot(path=folder / name)


async def take_picture_of(dialog: Locator, folder: Path | None, name: str) -> None:
    """Take such a screenshot of a dialog, and of a little around it."""
    if folder is None:
        return
    await come_to_rest(dialog.page)
    box = await dialog.get_by_role("dialog").bounding_box()
    assert box is not None
    clip = FloatRect(
        x=max(0.0, box["x"] - MARGIN),
        y=max(0.0, box["y"] - MARGIN),
        width=box["width"] + 2 * MARGIN,
        height=box["height"] + 2 * MARGIN,
    )
    await dialog.page.screenshot(path=folder / name, clip=clip)
