"""What was used of acid and chlorine, and how long the drums last."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.settings import Settings

from .dashboards import card, controller, look, pretending
from .steps import take_picture
from .test_dashboard import make_use

# Use of each in mL a day, and the days that the initial content of its drum lasts.
USE: Final = {"acid": (240, 52), "chlorine": (300, 26)}


async def test_chemicals(
    desk: Page, home: Settings, api: HomeAssistant, screenshots: Path | None
) -> None:
    """Previous days are bars, and the end of each drum is shown."""
    ends = []
    for chemical, (daily, days) in USE.items():
        await make_use(api, chemical, daily)
        last = (datetime.now(UTC) + timedelta(days)).date().isoformat()
        ends.append(("sensor", f"{chemical}_lasts_until", last, dict[str, object]()))
    async with pretending(api, *ends):
        path = await controller(api)
        await look(desk, home, path)
        drums = card(desk, "drums")
        for days in (52, 26):
            await expect(drums).to_contain_text(f"lasts about {days} days")
        await take_picture(drums, screenshots, "chemicals.png")
        await look(desk, home, f"{path}-history")
        bars = desk.locator("hui-statistics-graph-card")
        for name in ("Acid used per day", "Chlorine used per day"):
            await expect(bars.filter(has_text=name)).to_be_visible()
