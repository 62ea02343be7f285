"""The guided check in the browser, with the network cut while a change is there."""

import asyncio
from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect

from tests.home.settings import Settings
from tests.home.waiting import until

from .pools import FULL, FULL_ID, Pools
from .steps import open_integration, take_picture_of

CUT: Final = 12
"""s: the change, which lasts 10 s, is to be undone meanwhile."""
SECONDS: Final = 120
READING_MS: Final = 100_000


async def picture(pools: Pools) -> object:
    """Return what a check may change, as the pool has it now."""
    pool = await pools.read()
    return (
        [(each["name"], each["on"], each["held"]) for each in pool["slots"]],
        pool["pump_speed"],
        [schedule["enabled"] for schedule in pool["schedules"]],
        [
            value
            for name, value in pool["settings"].items()
            if name.startswith("desired")
        ],
    )


async def test_the_guided_check(
    page: Page, home: Settings, pools: Pools, screenshots: Path
) -> None:
    """All is as it was at the end, whatever the network does in between."""
    before = await picture(pools)
    await open_integration(page, home)
    await page.get_by_role("button", name="Configure").click()
    dialog = page.locator("dialog-data-entry-flow")
    await dialog.get_by_text("Guided check", exact=True).click()
    await dialog.locator("ha-selector-select").click()
    await page.get_by_text(FULL).last.click()
    await dialog.get_by_role("button", name="Submit").click()
    await expect(dialog).to_contain_text("Compare with", timeout=READING_MS)
    await dialog.get_by_role("button", name="Submit").click()

    await dialog.get_by_text("Switch").first.click()
    await until(
        lambda: picture(pools),
        lambda now: now != before,
        what="the light is on",
        seconds=SECONDS,
    )
    await pools.fault(FULL_ID, "refuse", on=True)
    try:
        await asyncio.sleep(CUT)
    finally:
        await pools.fault(FULL_ID, "refuse", on=False)
    await until(
        lambda: picture(pools),
        lambda now: now == before,
        what="the pool is as it was",
        seconds=SECONDS,
    )
    end = dialog.get_by_text("End the check")
    await end.click(timeout=SECONDS * 1000)
    await expect(dialog).to_contain_text("Result of the check")
    await take_picture_of(dialog, screenshots / "guided.png")
    await dialog.get_by_role("button", name="Submit").click()
    await expect(dialog).to_contain_text("successfully")
