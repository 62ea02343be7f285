"""The browser tests run only when they are asked for: `pytest tests/e2e`."""

from collections.abc import AsyncIterator
from pathlib import Path
import shutil
from typing import Final

from playwright.async_api import Page, ViewportSize, async_playwright, expect
import pytest

FOLDER: Final = Path(__file__).parent
WINDOW: Final = ViewportSize(width=1280, height=800)
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")

# A first look at a page of the frontend takes seconds on a small machine.
PATIENCE_MS: Final = 30_000

# Nothing but what the test does, and nothing that leaves this machine.
ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the README's pictures be made."""
    parser.addoption(
        "--screenshots",
        type=Path,
        default=FOLDER / "output",
        metavar="DIR",
        help="where the browser tests put their screenshots",
    )


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave these tests out of a run that does not name them: they need a browser."""
    named = any(FOLDER.name in argument for argument in config.args)
    return None if named else True


@pytest.fixture
def screenshots(request: pytest.FixtureRequest) -> Path:
    """Return the folder for screenshots."""
    folder: Path = request.config.getoption("--screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
async def page(socket_enabled: None) -> AsyncIterator[Page]:
    """Return an empty page of a browser that knows nothing yet."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"needs one of {', '.join(BROWSERS)}")
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program, args=ARGUMENTS
        )
        context = await browser.new_context(viewport=WINDOW, locale="en-US")
        yield await context.new_page()
        await context.close()
        await browser.close()
