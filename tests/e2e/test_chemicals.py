"""What was used of acid and chlorine, and how long the drums last."""

from datetime import UTC, datetime, timedelta
from math import sin
from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.world.home.api import HomeAssistant
from tests.world.home.past import import_statistics
from tests.world.home.settings import Settings

from .dashboards import card, controller, look, pretending
from .pools import entity
from .steps import take_picture

PAST_DAYS: Final = 32
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
        # Another test may have opened the view: it is made once, before this use.
        await desk.reload()
        await look(desk, home, f"{path}-history")
        bars = desk.locator("hui-statistics-graph-card")
        for name in ("Acid used per day", "Chlorine used per day"):
            await expect(bars.filter(has_text=name)).to_be_visible()


async def make_use(api: HomeAssistant, what: str, daily: int) -> None:
    """Import `daily` mL of acid or chlorine as used on each of the previous days."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    await import_statistics(
        api,
        await entity(api, f"{what}_used_today", "sensor"),
        [
            {
                "start": (today - timedelta(days=ago)).isoformat(),
                "sum": daily * (number + sin(2 * number) / 4),
            }
            for number, ago in enumerate(range(PAST_DAYS, 0, -1))
        ],
        mean_type=0,
        has_sum=True,
        unit_class="volume",
        unit_of_measurement="mL",
    )
