"""A user fills in the form of a blueprint, which is to plan the pump's hours."""

from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import Settings
from tests.world.home.waiting import until

from .pools import SECONDS, SMALL
from .steps import choose_in_menu, come_to_rest, pick, take_picture

BLUEPRINT: Final = "Pool: pump hours"


async def test_pump_hours(
    page: Page, home: Settings, api: HomeAssistant, screenshots: Path | None
) -> None:
    """Once the blueprint is filled in and saved, it is an automation without errors."""
    rule = "select.beach_house_pump_hours_rule"
    await api.call("select", "select_option", entity_id=rule, option="half")
    await page.goto(f"{home.home_url}/config/blueprint/dashboard")
    await page.get_by_text(BLUEPRINT, exact=True).click()
    # Which picker is the first one changes while the form is still drawn.
    await come_to_rest(page)
    picker = page.locator("ha-entity-picker").first
    await picker.click()
    await pick(picker, SMALL, "Hours still needed")
    await take_picture(page, screenshots, "pump_hours.png")
    before = await automations(api)
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Traces", exact=True)).to_be_visible()
    await until(
        lambda: automations(api),
        lambda found: found > before,
        what="the automation is on",
        seconds=SECONDS,
    )
    await expect(page.locator("ha-alert:visible")).to_have_count(0)

    editor = page.locator("ha-automation-editor")
    await choose_in_menu(editor, "Delete")
    # The editor has a button of that name, too.
    question = page.locator("ha-dialog-footer")
    await question.get_by_role("button", name="Delete", exact=True).click()
    await expect(editor).to_have_count(0)
    await api.call("select", "select_option", entity_id=rule, option="none")


async def automations(api: HomeAssistant) -> set[str]:
    """Return the automations that are on."""
    found = (await api.states()).items()
    return {
        key
        for key, it in found
        if key.startswith("automation.") and it["state"] == "on"
    }
