"""A user chooses a rule for the pump's hours, and lets a blueprint plan them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import Settings
from tests.world.home.waiting import until

from .pools import SECONDS, SMALL, Pools
from .steps import choose_in_menu, come_to_rest, pick, take_picture

BLUEPRINT: Final = "Pool: pump hours"
CLOSE: Final = 20
"""Tolerance in minutes, for rounded hours and the time that passes meanwhile."""
OWN: Final = "switch.beach_house_filter_schedule"


async def test_pump_hours(
    page: Page,
    home: Settings,
    api: HomeAssistant,
    pools: Pools,
    screenshots: Path | None,
) -> None:
    """Once the blueprint is filled in, saved and run, the controller has the hours."""
    await api.call("switch", "turn_off", entity_id=OWN)
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
    # The page is there before the automation is, and until then its menu runs nothing.
    await until(
        lambda: automations(api),
        lambda found: found > before,
        what="the automation is on",
        seconds=SECONDS,
    )
    await expect(page.locator("ha-alert:visible")).to_have_count(0)

    editor = page.locator("ha-automation-editor")
    await choose_in_menu(editor, "Run actions")
    needed = (await api.states())["sensor.beach_house_pump_hours_still_needed"]
    left = min(float(needed["state"]) * 60, minutes_left())
    await until(
        lambda: planned(pools),
        lambda found: abs(found - left) <= CLOSE,
        what="the hours are planned, or as many as the day still has",
        seconds=SECONDS,
    )
    await choose_in_menu(editor, "Delete")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(editor).to_have_count(0)
    await api.call("select", "select_option", entity_id=rule, option="none")
    plan = "switch.beach_house_ha_plan_1_schedule"
    if await planned(pools):
        await api.call("poolctl", "delete_schedule", entity_id=plan)
    await api.call("switch", "turn_on", entity_id=OWN)


async def automations(api: HomeAssistant) -> set[str]:
    """Return the automations that are on."""
    found = (await api.states()).items()
    return {
        key
        for key, it in found
        if key.startswith("automation.") and it["state"] == "on"
    }


async def planned(pools: Pools) -> int:
    """Return how many minutes a day are planned for the small pool."""
    return sum(
        each["end"] - each["start"]
        for each in (await pools.read(SMALL))["schedules"]
        if each["name"].startswith("HA plan")
    )


def minutes_left() -> int:
    """Return how many minutes are left of the day; the pool's clock is UTC."""
    now = datetime.now(UTC)
    return 24 * 60 - now.hour * 60 - now.minute
