"""Every label of the dashboard can be read, and no half tile stands alone."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from playwright.async_api import Page, ViewportSize
import pytest
import pytest_asyncio

from tests.home.api import HomeAssistant
from tests.home.settings import Settings

from .conftest import EnterHome
from .dashboards import LAYOUT_MS, controller, look, pretended
from .pools import FULL_ID, SMALL_ID, entity
from .test_languages import speak

LANGUAGES: Final = {"en": "en-US", "de": "de-DE", "fr": "fr-FR"}
WIDTHS: Final = (1440, 1024, 390)
HEIGHT: Final = 960

# What is there only while it goes on.
EVENING: Final = "2026-12-24T22:40:00+00:00"
ENDS: Final = {"held_until": EVENING, "timer_ends": EVENING}

CUT: Final = (Path(__file__).parent / "labels.js").read_text()

# Cards of a part of a row with nothing beside them, by their entities.
ORPHANS: Final = """sections => {
    const orphans = [];
    for (const section of sections) {
        const whole = section.getBoundingClientRect().width;
        const boxes = [...(section.shadowRoot ?? section).querySelectorAll(".card")]
            .map(card => [card, card.getBoundingClientRect()])
            .filter(([, box]) => box.height > 0);
        for (const [card, box] of boxes) {
            const beside = boxes.filter(([other, { top, bottom }]) =>
                other !== card && top < box.bottom - 1 && bottom > box.top + 1);
            if (box.width < whole * 0.6 && !beside.length) orphans.push(card.querySelector("hui-card")?.config?.entity);
        }
    }
    return orphans;
}"""


@pytest_asyncio.fixture(loop_scope="session", params=LANGUAGES)
async def language(
    request: pytest.FixtureRequest, api: HomeAssistant
) -> AsyncIterator[str]:
    """Let the home speak a language: entities are named in its language."""
    language: str = request.param
    await speak(api, language)
    yield language
    await speak(api, "en")


async def test_labels(
    enter: EnterHome, standing: None, home: Settings, api: HomeAssistant, language: str
) -> None:
    """Nothing is cut, at a desk, on a tablet and on a phone."""
    page = await enter(locale=LANGUAGES[language])
    async with AsyncExitStack() as stack:
        for output in await some_outputs(api):
            await stack.enter_async_context(pretended(api, output, attributes=ENDS))
        for key in ("pool_warm_at", "spa_warm_at"):
            warm_at = await entity(api, key, "sensor")
            await stack.enter_async_context(pretended(api, warm_at, EVENING))
        for device_id in (FULL_ID, SMALL_ID):
            path = await controller(api, device_id)
            for view in (path, f"{path}-history", f"{path}-settings"):
                await look(page, home, view)
                await all_widths(page)


async def some_outputs(api: HomeAssistant) -> list[str]:
    """Return an output, the pump and the lights of the full pool."""
    switches = [await entity(api, key, "switch") for key in ("slot_3", "pump")]
    lights = [each for each in await api.states() if each.startswith("light.home_pool")]
    return switches + lights


async def all_widths(page: Page) -> None:
    """Look at a view in every width."""
    view, sections = page.locator("hui-view"), page.locator("hui-grid-section")
    for width in WIDTHS:
        await page.set_viewport_size(ViewportSize(width=width, height=HEIGHT))
        await page.wait_for_timeout(LAYOUT_MS)
        assert await view.evaluate(CUT) == [], f"at {width} px"
        assert await sections.evaluate_all(ORPHANS) == [], f"at {width} px"
