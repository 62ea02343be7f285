"""A user signs in again, and chooses the connection to the controllers."""

from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import DOMAIN, Settings
from tests.world.home.waiting import until

from .pools import Pools
from .steps import choose_in_menu, open_integration, sign_in_at_service, take_picture_of

SECONDS: Final = 20


async def test_sign_in_again(
    page: Page, home: Settings, api: HomeAssistant, pools: Pools
) -> None:
    """A sign-in that the service no longer accepts is requested and renewed."""
    await open_integration(page, home)
    await pools.revoke_sign_in(on=True)
    try:
        await choose_in_menu(page.locator("ha-config-entry-row"), "Reload")
        await page.get_by_role("button", name="OK").click()
        attention = page.get_by_role("button", name="Reconfigure")
        await expect(attention).to_be_visible()
    finally:
        await pools.revoke_sign_in(on=False)

    # The pools are still controlled: the LAN needs no sign-in.
    assert await entry_state(api) == "loaded"
    await attention.click()
    dialog = page.locator("dialog-data-entry-flow")
    await expect(dialog).to_contain_text("Sign in again")
    await sign_in_at_service(page, dialog.get_by_role("button", name="Submit"))
    await expect(dialog).to_contain_text("Re-authentication was successful")
    await dialog.get_by_role("button", name="Close").last.click()
    await expect(attention).to_have_count(0)
    await until(
        lambda: entry_state(api),
        lambda state: state == "loaded",
        what="the account is loaded",
        seconds=SECONDS,
    )


async def test_options(
    page: Page, home: Settings, api: HomeAssistant, screenshots: Path | None
) -> None:
    """The diagnostic sensor shows the chosen connection: cloud only, then the LAN."""
    assert await connections(api) == {"lan"}
    for option, connection in (("Cloud only", "cloud"), ("Automatic", "lan")):
        await open_integration(page, home)
        await page.get_by_role("button", name="Configure").click()
        dialog = page.locator("dialog-data-entry-flow")
        await dialog.get_by_text("Options", exact=True).click()
        await dialog.get_by_role("radio", name=option).click()
        if connection == "lan":
            await take_picture_of(dialog, screenshots, "options.png")
        await dialog.get_by_role("button", name="Submit").click()
        await expect(dialog).to_contain_text("successfully")
        await until(
            lambda: connections(api),
            {connection}.__eq__,
            what=f"both controllers are reached by way of: {connection}",
            seconds=SECONDS,
        )


async def entry_state(api: HomeAssistant) -> str:
    (entry,) = await api.entries(DOMAIN)
    return str(entry["state"])


async def connections(api: HomeAssistant) -> set[str]:
    return {
        state["state"]
        for entity_id, state in (await api.states()).items()
        if entity_id.startswith("sensor.") and entity_id.endswith("_connection")
    }
