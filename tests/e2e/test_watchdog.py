"""A person lets the pH of a simulated pool be wrong, and is told what acid cannot do."""

from datetime import UTC, datetime
from typing import Final

from playwright.async_api import Page, expect

from tests.home.api import HomeAssistant
from tests.home.settings import Settings

from .dashboards import badge, controller, look
from .homes import Homes
from .pools import FULL

# The controller takes six doses a day, half an hour apart, and counts anew at midnight.
HOURS: Final = 4
DAY: Final = 24
TITLE: Final = f"{FULL}: the daily acid limit is reached"
# Two reads, and a look at all that may be wrong.
TOLD_MS: Final = 60_000


async def test_daily_limit(
    desk: Page, visitor: Page, home: Settings, api: HomeAssistant, homes: Homes
) -> None:
    """The page of the simulator makes it, the dashboard and the repairs tell of it."""
    # Time jumps in the simulated pools, and nothing brings it back.
    homes.spoil()
    await visitor.goto(home.control_url)
    pool = visitor.locator("section").filter(
        has=visitor.get_by_role("heading", name=FULL)
    )
    await pool.get_by_role("button", name="The pH is 8.2").click()
    left = DAY - datetime.now(UTC).hour
    for _ in range(HOURS if left > HOURS else left + HOURS):
        await visitor.get_by_role("button", name="+1 h").click()
    await look(desk, home, await controller(api))
    limit = badge(desk, "Daily acid limit reached")
    await expect(limit).to_be_visible(timeout=TOLD_MS)
    await desk.goto(f"{home.home_url}/config/repairs")
    repair = desk.locator("ha-config-repairs").get_by_text(TITLE)
    await expect(repair).to_be_visible(timeout=TOLD_MS)
