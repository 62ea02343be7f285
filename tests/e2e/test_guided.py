"""A user closes the guided check midway, or loses the network during it."""

from playwright.async_api import Locator, Page, expect

from tests.home.api import Json
from tests.home.settings import Settings

from .pools import FULL, FULL_ID, Pools, relay
from .steps import open_integration

READING_MS = 60_000
CHANGE_MS = 90_000
LIGHT = "Pool Light"


async def begin(page: Page, home: Settings) -> Locator:
    """Go through the check until the first change is offered."""
    await open_integration(page, home)
    await page.get_by_role("button", name="Configure").click()
    dialog = page.locator("dialog-data-entry-flow")
    await dialog.get_by_text("Guided check", exact=True).click()
    await dialog.get_by_role("radio", name=FULL).click()
    await dialog.get_by_role("button", name="Submit").click()
    ph = dialog.get_by_role("spinbutton").first
    await expect(ph).to_be_visible(timeout=READING_MS)
    await ph.fill("7.3")
    await dialog.get_by_role("button", name="Submit").click()
    await expect(dialog).to_contain_text("Skip this change")
    return dialog


async def test_a_check_that_is_closed(page: Page, home: Settings, pools: Pools) -> None:
    """The light that the check switched on goes off."""
    dialog = await begin(page, home)
    await dialog.get_by_text(f"Switch {LIGHT} on").click()
    await pools.becomes(relay(LIGHT), True)
    await dialog.get_by_role("button", name="Close").first.click()
    await pools.becomes(relay(LIGHT), False)


async def test_a_network_that_is_lost(page: Page, home: Settings, pools: Pools) -> None:
    """The result shows it, and the change is undone once the network is back."""
    dialog = await begin(page, home)
    skip = dialog.get_by_text("Skip this change")
    setpoint = dialog.get_by_text("Change the setpoint")
    while not await setpoint.is_visible():
        await skip.click()
        await page.wait_for_timeout(1000)
    before = (await pools.read())["settings"]["desired_ph"]
    await setpoint.click()

    def changed(pool: Json) -> bool:
        return bool(pool["settings"]["desired_ph"] != before)

    await pools.becomes(changed, True)
    for target in ("cloud", FULL_ID):
        await pools.fault(target, "refuse", on=True)
    try:
        await expect(dialog).to_contain_text("not yet observed", timeout=CHANGE_MS)
        await dialog.get_by_role("button", name="Submit").click()
    finally:
        for target in ("cloud", FULL_ID):
            await pools.fault(target, "refuse", on=False)
    await pools.becomes(changed, False)
