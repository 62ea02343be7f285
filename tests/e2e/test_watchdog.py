"""A wrong pH in a simulated pool uses acid, up to the daily limit."""

from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import Settings

from .dashboards import card, controller, look, pretended
from .homes import Homes
from .pools import FULL, entity
from .steps import come_to_rest
from .test_dashboard import make_use

# Use of each in mL a day, and the days that the initial content of its drum lasts.
USE: Final = {"acid": (240, 52), "chlorine": (300, 26)}

# The controller gives six doses a day, half an hour apart, and restarts at midnight.
HOURS: Final = 4
DAY: Final = 24
TITLE: Final = f"{FULL}: the daily acid limit is reached"
# Two reads, and a check for problems.
TOLD_MS: Final = 60_000


async def test_chemicals(
    desk: Page, home: Settings, api: HomeAssistant, screenshots: Path
) -> None:
    """Previous days are bars, and the end of each drum is shown."""
    async with AsyncExitStack() as stack:
        for chemical, (daily, days) in USE.items():
            await make_use(api, chemical, daily)
            last = (datetime.now(UTC) + timedelta(days)).date().isoformat()
            sensor = await entity(api, f"{chemical}_lasts_until", "sensor")
            await stack.enter_async_context(pretended(api, sensor, last))
        path = await controller(api)
        await look(desk, home, path)
        drums = card(desk, "drums")
        for days in (52, 26):
            await expect(drums).to_contain_text(f"lasts about {days} days")
        await come_to_rest(desk)
        await drums.screenshot(path=screenshots / "chemicals.png")
        await look(desk, home, f"{path}-history")
        bars = desk.locator("hui-statistics-graph-card")
        for name in ("Acid used per day", "Chlorine used per day"):
            await expect(bars.filter(has_text=name)).to_be_visible()


async def test_daily_limit(
    desk: Page, visitor: Page, home: Settings, api: HomeAssistant, homes: Homes
) -> None:
    """A wrong pH, set on the simulator's page, ends in the daily limit.

    The dashboard lists it, and a repair is raised. The time of the pools moves ahead.
    """
    homes.spoil()
    await visitor.goto(home.control_url)
    pool = visitor.locator("section").filter(
        has=visitor.get_by_role("heading", name=FULL)
    )
    await pool.get_by_role("button", name="The pH is 8.2").click()
    # The pools may be an hour ahead.
    left = DAY - 1 - datetime.now(UTC).hour
    for _ in range(HOURS if left > HOURS else left + HOURS):
        await visitor.get_by_role("button", name="+1 h").click()
    await look(desk, home, await controller(api))
    shown = card(desk, "pool")
    headline = shown.get_by_role("button")
    await expect(headline).to_contain_text("too high", timeout=TOLD_MS)
    await headline.click()
    # The sentence of the first problem is the headline, those of others are in the list.
    await expect(shown).to_contain_text("daily acid limit", timeout=TOLD_MS)
    await desk.goto(f"{home.home_url}/config/repairs")
    repair = desk.locator("ha-config-repairs").get_by_text(TITLE)
    await expect(repair).to_be_visible(timeout=TOLD_MS)
