"""A user adds a schedule in the calendar, and deletes it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
import re
from typing import Any, Final

from playwright.async_api import Locator, Page, expect
import pytest_asyncio

from tests.world.home.api import HomeAssistant, Json
from tests.world.home.settings import Settings
from tests.world.home.waiting import until

from .pools import FULL, SECONDS, SMALL, Pools, slot
from .steps import choose, take_picture, take_picture_of

ALL_OF_THEM: Final = "This and all future events"
# The schedules that the pool begins with; only the first is armed.
SCHEDULES: Final = ["Filter", "Waterfall", "Evening light"]
EVENING: Final = (18 * 60, 21 * 60)  # minutes after midnight


@pytest_asyncio.fixture(loop_scope="session")
async def armed(api: HomeAssistant) -> AsyncIterator[None]:
    """Arm all schedules, so that the calendar shows them."""

    async def disarmed() -> list[str]:
        return [
            entity_id
            for entity_id, state in (await api.states()).items()
            if entity_id.startswith("switch.home_pool")
            and entity_id.endswith("_schedule")
            and state["state"] == "off"
        ]

    # Controllers are asked for their schedules a moment after the start.
    switches = await until(
        disarmed,
        lambda found: len(found) == len(SCHEDULES) - 1,
        what="the schedules are known",
        seconds=SECONDS,
    )
    await api.call("switch", "turn_on", entity_id=switches)
    yield
    await api.call("switch", "turn_off", entity_id=switches)


async def test_schedules_in_the_calendar(
    armed: None, page: Page, home: Settings, pools: Pools, screenshots: Path | None
) -> None:
    """The dialog explains what is not possible; what is reaches the controller."""
    assert names(await pools.read()) == SCHEDULES
    noon = datetime.combine(datetime.now(UTC), time(12), UTC)
    today, *later = (noon + timedelta(days=ahead) for ahead in range(3))
    await open_calendar(page, home, noon)

    await add(page, screenshots, later)
    pool = await pools.read()
    found = schedule(pool, "Evening fall")
    assert (found["start"], found["end"]) == EVENING
    assert found["slot"] == slot(pool, "Waterfall")
    assert found["weekdays"] == weekdays(today, *later)

    await delete(page)
    assert names(await pools.read()) == SCHEDULES


async def open_calendar(page: Page, home: Settings, noon: datetime) -> None:
    """Open one pool's calendar at noon, so that proposed times are on one day."""
    await page.clock.install(time=noon)
    await page.goto(f"{home.home_url}/calendar")
    await expect(event(page, "Evening light")).to_be_visible()
    await page.get_by_text(f"{SMALL} Schedules").click()
    # More room for the names.
    await page.get_by_role("button", name="Sidebar toggle").click()


async def add(page: Page, screenshots: Path | None, days: list[datetime]) -> None:
    """Add a schedule for today and `days`; forget at first that it repeats."""
    await page.get_by_role("button", name="Add event").click()
    editor = page.locator("dialog-calendar-event-editor")
    await name_it(editor, "Evening fall")
    await choose_pool(page, editor)
    await editor.get_by_role("textbox", name="Description").fill("waterfall")
    await set_time(editor, 1, "9", "PM")
    await set_time(editor, 0, "6", "PM")
    await editor.get_by_role("button", name="Add event").click()
    await expect(editor.get_by_text("repeats every week")).to_be_visible()

    await choose(editor.locator("ha-select").filter(has_text="Repeat"), "Weekly")
    for day in days:
        await editor.get_by_role("button", name=f"{day:%a}", exact=True).click()
    await take_picture_of(editor, screenshots, "calendar_add.png")
    await editor.get_by_role("button", name="Add event").click()
    await expect(event(page, "Evening fall")).to_be_visible()
    await take_picture(page, screenshots, "calendar.png")


async def delete(page: Page) -> None:
    await event(page, "Evening fall").click()
    details = page.locator("dialog-calendar-event-detail")
    await details.get_by_role("button", name="Delete event").click()
    question = page.locator("confirm-event-dialog-box")
    await question.get_by_role("radio", name=ALL_OF_THEM).click()
    await question.get_by_role("button", name="Delete").click()
    await expect(event(page, "Evening fall")).to_have_count(0)


async def name_it(editor: Locator, name: str) -> None:
    summary = editor.get_by_role("textbox", name="Summary")
    # Text is lost if it is typed while the dialog still opens.
    await expect(summary).to_be_focused()
    await summary.fill(name)


async def choose_pool(page: Page, editor: Locator) -> None:
    """Choose the calendar of the fully equipped pool, if it is not proposed."""
    picker = editor.locator("ha-entity-picker")
    await expect(picker).to_contain_text(re.compile(f"{FULL}|{SMALL}"))
    if not await picker.filter(has_text=FULL).count():
        await picker.click()
        choices = picker.locator("ha-picker-combo-box")
        await choices.get_by_text(FULL).click()
        # Text is also lost if it is typed while the list still closes.
        await expect(choices).to_be_hidden()
    await expect(picker).to_contain_text(FULL)


async def set_time(editor: Locator, which: int, hour: str, half: str) -> None:
    """Enter a full hour at the start (0) or the end (1)."""
    field = editor.locator("ha-time-input").nth(which)
    await field.get_by_role("spinbutton", name="hh").fill(hour)
    await field.get_by_role("spinbutton", name="mm").fill("00")
    await choose(field.locator("ha-select"), half)


def event(page: Page, name: str) -> Locator:
    """Return a visible event of a schedule; a day shows only as many as fit."""
    return page.locator(".fc-event", has_text=name).filter(visible=True).first


def weekdays(*days: datetime) -> int:
    """Return days as the bits of a schedule: Monday is bit 0."""
    return sum(1 << day.weekday() for day in days)


def names(pool: Json) -> list[str]:
    return [each["name"] for each in pool["schedules"]]


def schedule(pool: Json, name: str) -> dict[str, Any]:
    (found,) = (each for each in pool["schedules"] if each["name"] == name)
    return dict(found)
