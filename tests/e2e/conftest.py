"""Fixtures of the browser tests: a Home Assistant, a browser and its pages.

The tests run only when they are asked for: `scripts/e2e` or `pytest tests/e2e`.
"""

from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
)
from contextlib import AsyncExitStack
from pathlib import Path
import shutil
from typing import Any, Final

from playwright.async_api import (
    Browser,
    BrowserContext,
    Page,
    StorageState,
    ViewportSize,
    async_playwright,
    expect,
)
import pytest
import pytest_asyncio
import pytest_socket

from tests.world.home.api import HomeAssistant, new_session
from tests.world.home.settings import Settings

from .dashboards import STANDING, STRATEGY, controller, look, make_dashboard
from .homes import Homes
from .pools import Pools, entity
from .steps import sign_in

type EnterHome = Callable[..., Awaitable[Page]]
type OpenWindow = Callable[..., Awaitable[BrowserContext]]

FOLDER: Final = Path(__file__).parent
OUTPUT: Final = FOLDER / "output"
WINDOW: Final = ViewportSize(width=1280, height=960)
LOCALE: Final = "en-US"
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")

# The first load of a page takes seconds on a small machine.
PATIENCE_MS: Final = 30_000

# No activity besides that of the test, and no traffic that leaves this machine.
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

_FAILED: Final = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the folder of the screenshots, such as the README's."""
    parser.addoption(
        "--screenshots",
        type=Path,
        metavar="DIR",
        help="where the browser tests put screenshots, if any",
    )


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave these tests out of a run that does not name them: they need a browser."""
    named = any(FOLDER.name in argument for argument in config.args)
    return None if named else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests of this folder on one loop, that of the home and the browser.

    Those that share a home come first, and of these the ones that leave it changed come
    last: each of the others starts one of its own.
    """
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
    items.sort(
        key=lambda item: (_has_own_home(item), bool(item.get_closest_marker("last")))
    )


def _has_own_home(item: pytest.Item) -> bool:
    names = item.fixturenames if isinstance(item, pytest.Function) else []
    return not {"demo_home", "first_home", "asked_home"}.isdisjoint(names)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether a test failed, for the fixture that then takes a picture."""
    report = yield
    # A rerun begins with a set-up.
    before = report.when != "setup" and item.stash.get(_FAILED, False)
    item.stash[_FAILED] = report.failed or before
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show why tests were run again."""
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"first try of {report.nodeid}", sep="_")
        terminalreporter.line(report.longreprtext)


@pytest.fixture
def screenshots(request: pytest.FixtureRequest) -> Path | None:
    folder: Path | None = request.config.getoption("--screenshots")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def verify_cleanup() -> None:
    """Skip the check for leftovers: Home Assistant is another process here."""


# For the whole run


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def homes() -> AsyncIterator[Homes]:
    """Return the starter of homes, and stop the last home at the end."""
    for picture in OUTPUT.glob("failed_*.png"):
        picture.unlink()
    pytest_socket.enable_socket()
    async with Homes() as homes:
        yield homes


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.fail(f"needs one of {', '.join(BROWSERS)}: scripts/e2e installs one")
    pytest_socket.enable_socket()
    expect.set_options(timeout=PATIENCE_MS)
    async with (
        async_playwright() as playwright,
        await playwright.chromium.launch(
            executable_path=program, args=ARGUMENTS
        ) as browser,
    ):
        yield browser


# For one test


@pytest_asyncio.fixture(loop_scope="session")
async def demo_home(socket_enabled: None, homes: Homes) -> Settings:
    """Return a home with both pools, a dashboard and weeks of history."""
    return await homes.new("--demo")


@pytest_asyncio.fixture(loop_scope="session")
async def first_home(socket_enabled: None, homes: Homes) -> Settings:
    """Return a home that discovered two pools and has no application credentials."""
    return await homes.new("--from-scratch")


@pytest_asyncio.fixture(loop_scope="session")
async def asked_home(socket_enabled: None, homes: Homes) -> Settings:
    """Return a home with both pools whose owner has not answered any question."""
    return await homes.new("--ready")


@pytest_asyncio.fixture(loop_scope="session")
async def home(socket_enabled: None, homes: Homes) -> Settings:
    """Return the home with both pools that tests share: leave it as it was."""
    return await homes.furnished()


@pytest_asyncio.fixture(loop_scope="session")
async def api(homes: Homes, home: Settings) -> HomeAssistant:
    return await homes.api()


@pytest_asyncio.fixture(loop_scope="session")
async def pools(home: Settings) -> AsyncIterator[Pools]:
    async with new_session() as session:
        yield Pools(session, home.control_url)


@pytest_asyncio.fixture(loop_scope="session")
async def windows(
    request: pytest.FixtureRequest, browser: Browser, homes: Homes
) -> AsyncGenerator[Callable[..., Awaitable[BrowserContext]]]:
    """Return a function that opens browser windows with separate storage."""
    async with AsyncExitStack() as stack:
        opened: list[BrowserContext] = []

        async def open_window(**options: Any) -> BrowserContext:
            known = {"viewport": WINDOW, "locale": LOCALE, "timezone_id": "UTC"}
            context = await browser.new_context(**known | options)
            opened.append(await stack.enter_async_context(context))
            return context

        yield open_window
        if request.node.stash.get(_FAILED, False):
            await _show_failure(request.node.name, opened)
            homes.spoil()


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(windows: Callable[..., Awaitable[BrowserContext]]) -> Page:
    """Return an empty page of a browser without stored data."""
    return await (await windows()).new_page()


@pytest_asyncio.fixture(loop_scope="session")
async def enter(
    homes: Homes, home: Settings, windows: Callable[..., Awaitable[BrowserContext]]
) -> EnterHome:
    """Return a function that opens a page of a signed-in user."""

    async def enter(**options: Any) -> Page:
        state = await _signed_in(homes, home, windows)
        context = await windows(storage_state=state, **options)
        return await context.new_page()

    return enter


async def _signed_in(homes: Homes, home: Settings, windows: OpenWindow) -> StorageState:
    """Return the browser storage of a user who is signed in to the home."""
    if homes.signed_in is None:
        page = await (await windows()).new_page()
        await sign_in(page, home)
        homes.signed_in = await page.context.storage_state()
        await page.close()
    return homes.signed_in


@pytest_asyncio.fixture(loop_scope="session")
async def standing(homes: Homes, api: HomeAssistant) -> None:
    """Create the pools' dashboard that all tests of the home share."""
    if not homes.standing:
        await make_dashboard(api, STANDING, STRATEGY, show_in_sidebar=False)
        homes.standing = True


@pytest_asyncio.fixture(loop_scope="session")
async def desk(
    request: pytest.FixtureRequest,
    browser: Browser,
    homes: Homes,
    home: Settings,
    standing: None,
    windows: OpenWindow,
) -> AsyncGenerator[Page]:
    """Return a page with the pools' dashboard that all tests of the home share.

    Loading the frontend takes seconds, going from view to view does not.
    """
    if homes.desk is None:
        state = await _signed_in(homes, home, windows)
        context = await browser.new_context(
            viewport=WINDOW, locale=LOCALE, timezone_id="UTC", storage_state=state
        )
        homes.desk = await context.new_page()
    yield homes.desk
    if request.node.stash.get(_FAILED, False):
        await _show_failure(f"{request.node.name}_desk", [homes.desk.context])
    await homes.desk.set_viewport_size(WINDOW)


@pytest_asyncio.fixture(loop_scope="session")
async def page(enter: EnterHome) -> Page:
    """Return a page of a user who is signed in to the home."""
    return await enter()


@pytest_asyncio.fixture(loop_scope="session")
async def pool(desk: Page, home: Settings, api: HomeAssistant) -> AsyncIterator[Page]:
    """Show the full pool without holds, and end all holds afterwards."""
    resume = await entity(api, "resume_schedules", "button")
    await api.call("button", "press", entity_id=resume)
    await look(desk, home, await controller(api))
    yield desk
    await api.call("button", "press", entity_id=resume)


async def _show_failure(name: str, opened: list[BrowserContext]) -> None:
    """Take a picture of every page of a test that failed."""
    OUTPUT.mkdir(exist_ok=True)
    pages = (page for context in opened for page in context.pages)
    for number, page in enumerate(pages, 1):
        await page.screenshot(path=OUTPUT / f"failed_{name}_{number}.png")
