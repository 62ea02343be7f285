"""A user enables repairs for nearly empty drums, and refills one."""

from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import DOMAIN, Settings

from .pools import FULL, Pools, entity, shown
from .steps import open_part, row, take_picture_of

THRESHOLD: Final = "Chlorine low level"
TITLE: Final = "Home pool: the chlorine drum is nearly empty"


async def test_refill(
    page: Page,
    home: Settings,
    api: HomeAssistant,
    pools: Pools,
    screenshots: Path | None,
) -> None:
    """The repair appears with the option, and disappears with the refill."""
    settings = (await pools.read())["settings"]
    drum, left = (settings[f"chlorine_{what}"] for what in ("drum", "remaining"))
    assert left < drum / 2
    number = await entity(api, "chlorine_low_level", "number")
    before = (await api.states())[number]["state"]
    await open_part(page, home, FULL, "Dosing")
    await row(page, THRESHOLD).get_by_role("slider").press("End")
    status = await entity(api, "status", "sensor")
    await shown(api, status, lambda found: bool(found["state"] == "notice"))
    await api.choose(DOMAIN, drum_repairs=True)

    await page.goto(f"{home.home_url}/config/repairs")
    repair = page.locator("ha-config-repairs").get_by_text(TITLE)
    await repair.click()
    dialog = page.locator("dialog-data-entry-flow")
    await expect(dialog).to_contain_text(f"{left / 1000:.1f} L of chlorine are left")
    await take_picture_of(dialog, screenshots, "repair.png")
    await dialog.get_by_role("button", name="Submit").click()
    await expect(dialog).to_contain_text("The issue is repaired")
    await dialog.get_by_role("button", name="Finish").click()

    await expect(repair).to_have_count(0)
    await pools.becomes(lambda pool: pool["settings"]["chlorine_remaining"], drum)
    await api.call("number", "set_value", entity_id=number, value=before)
    await api.choose(DOMAIN, drum_repairs=False)
