"""A person sees what the doser used, and how long the drums last."""

from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
import re
from typing import Final

from playwright.async_api import Page, ViewportSize, expect

from tests.home.api import HomeAssistant
from tests.home.settings import DOMAIN, Settings

from .dashboards import controller, dashboard, pretended, show, tile
from .pools import FULL_ID, Pools, entity
from .steps import take_picture
from .test_dashboard import make_use

# What is used of each in mL a day, and how many days what the pool begins with lasts.
USE: Final = {"acid": (240, 52), "chlorine": (300, 26)}
TALL: Final = ViewportSize(width=1280, height=1080)
# A dose takes its time, and the next read tells of it.
DOSE_MS: Final = 60_000
SOME: Final = re.compile(r"[1-9]")


async def test_chemicals(
    desk: Page, home: Settings, api: HomeAssistant, pools: Pools, screenshots: Path
) -> None:
    """A dose is counted at once, the days before are bars, and a drum has an end."""
    strategy = {"type": f"custom:{DOMAIN}", "device_id": await controller(api)}
    sections = [
        {"strategy": strategy | {"section": section}}
        for section in ("chemistry", "history")
    ]
    view = {"type": "sections", "title": "Chemicals", "sections": sections}
    await pools.situation(FULL_ID, "bad_ph", on=True)
    async with AsyncExitStack() as stack:
        for chemical, (daily, days) in USE.items():
            await make_use(api, chemical, daily)
            until = (datetime.now(UTC) + timedelta(days)).date().isoformat()
            sensor = await entity(api, f"{chemical}_lasts_until", "sensor")
            await stack.enter_async_context(pretended(api, sensor, until))
        await stack.enter_async_context(dashboard(api, {"views": [view]}))
        await desk.set_viewport_size(TALL)
        await show(desk, home)
        doses, used = tile(desk, "Acid doses today"), tile(desk, "Acid used today")
        await expect(doses).to_contain_text(SOME, timeout=DOSE_MS)
        await expect(used).to_contain_text(SOME)
        bars = desk.locator("hui-statistics-graph-card")
        for name in ("Acid used per day", "Chlorine used per day"):
            await expect(bars.filter(has_text=name)).to_be_visible()
        await take_picture(desk, screenshots / "chemicals.png")
    await pools.situation(FULL_ID, "bad_ph", on=False)
    chlorine = await entity(api, "chlorine_used_today", "sensor")
    await api.command("recorder/clear_statistics", statistic_ids=[chlorine])
