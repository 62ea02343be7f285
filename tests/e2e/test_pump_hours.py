"""A person lets the water temperature decide how long the pump runs, by a blueprint."""

from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.home.api import HomeAssistant
from tests.home.settings import Settings
from tests.home.waiting import until

from .pools import SECONDS, SMALL, Pools
from .steps import choose_in_menu, pick, take_picture

BLUEPRINT: Final = "Pool: pump hours by water temperature"
DAY: Final = 24 * 60  # minutes
ALL_DAY: Final = DAY - 1
PICKERS: Final = 3
QUARTER: Final = 15  # minutes: what hours are rounded to


async def test_pump_hours(
    page: Page, home: Settings, api: HomeAssistant, pools: Pools, screenshots: Path
) -> None:
    """Chosen, filled in, saved and run: the controller's own schedule has the hours."""
    assert await minutes(pools) == ALL_DAY
    await page.goto(f"{home.home_url}/config/blueprint/dashboard")
    await page.get_by_text(BLUEPRINT, exact=True).click()
    pickers = page.locator("ha-entity-picker")
    # They come one by one, and not in their order.
    await expect(pickers).to_have_count(PICKERS)
    for picker, name in (
        (pickers.nth(0), "Filter schedule"),
        (pickers.nth(1), "Temperature"),
    ):
        await picker.click()
        await pick(picker, SMALL, name)
    await take_picture(page, screenshots / "pump_hours.png")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Traces", exact=True)).to_be_visible()
    await expect(page.locator("ha-alert:visible")).to_have_count(0)

    editor = page.locator("ha-automation-editor")
    await choose_in_menu(editor, "Run actions")
    half = (await pools.read(SMALL))["water_temperature"] / 2 * 60
    await until(
        lambda: minutes(pools),
        lambda found: abs(found - half) <= QUARTER,
        what="the pump runs half as many hours as the water has degrees",
        seconds=SECONDS,
    )
    await choose_in_menu(editor, "Delete")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(editor).to_have_count(0)
    day = {"start": "00:00:00", "end": "23:59:00"}
    schedule = "switch.beach_house_filter_schedule"
    await api.call("poolctl", "update_schedule", schedule_entity=schedule, **day)


async def minutes(pools: Pools) -> int:
    """Return how long the schedule of the small pool runs."""
    (found,) = (await pools.read(SMALL))["schedules"]
    return int(found["end"] - found["start"]) % DAY
