"""Every label of the dashboard can be read, and no half tile stands alone."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from playwright.async_api import Page, ViewportSize
import pytest
import pytest_asyncio

from tests.home.api import HomeAssistant
from tests.home.settings import Settings

from .conftest import EnterHome
from .dashboards import controller, dashboard, show
from .pools import FULL_ID, SMALL_ID
from .test_languages import speak

LANGUAGES: Final = {"en": "en-US", "de": "de-DE", "fr": "fr-FR"}
WIDTHS: Final = (1440, 1024, 390)
HEIGHT: Final = 960
# A page that was made narrower or wider lays its cards out anew.
LAYOUT_MS: Final = 700

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
    enter: EnterHome, home: Settings, api: HomeAssistant, language: str
) -> None:
    """Nothing is cut, at a desk, on a tablet and on a phone."""
    page = await enter(locale=LANGUAGES[language])
    async with dashboard(api):
        for device_id in (FULL_ID, SMALL_ID):
            path = await controller(api, device_id)
            for view in (path, f"{path}-settings"):
                await show(page, home, view)
                await all_widths(page)


async def all_widths(page: Page) -> None:
    """Look at a view in every width."""
    view, sections = page.locator("hui-view"), page.locator("hui-grid-section")
    for width in WIDTHS:
        await page.set_viewport_size(ViewportSize(width=width, height=HEIGHT))
        await page.wait_for_timeout(LAYOUT_MS)
        assert await view.evaluate(CUT) == [], f"at {width} px"
        assert await sections.evaluate_all(ORPHANS) == [], f"at {width} px"
