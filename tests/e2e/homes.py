"""Development homes for the tests: one at a time."""

from contextlib import AsyncExitStack, suppress
import signal
from types import TracebackType
from typing import Final, Self

from playwright.async_api import Error, Page, StorageState

from tests.world.home.api import HomeAssistant
from tests.world.home.running import development_home
from tests.world.home.settings import Settings

FURNISHED: Final = ("--ready", "--issues-at-once")


class Homes:
    """Starts homes, never two at once: all of them announce the same pools.

    Starting a home is slow, so most tests share one.
    """

    def __init__(self) -> None:
        self.signed_in: StorageState | None = None
        """Browser storage of a user who is signed in to the home."""
        self.standing = False
        """Whether the home has the dashboard that all of its tests share."""
        self.desk: Page | None = None
        """A page that has the pools' dashboard open, for all tests of the home."""
        self._options: tuple[str, ...] = ()
        self._home: Settings | None = None
        self._api: HomeAssistant | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stop()

    async def new(self, *options: str) -> Settings:
        """Start a home with options of scripts/develop."""
        return await self._start(*options)

    async def furnished(self) -> Settings:
        """Return the home in which both pools are set up, and start it if need be."""
        if self._home is None or self._options != FURNISHED:
            return await self._start(*FURNISHED)
        return self._home

    async def api(self) -> HomeAssistant:
        """Return a client of the current home's own API, which its tests share."""
        if self._api is None:
            assert self._home is not None
            signing_in = HomeAssistant.signed_in(self._home.home_url)
            self._api = await self._stack.enter_async_context(signing_in)
        return self._api

    def spoil(self) -> None:
        """Do not share the current home any more: a test left it changed."""
        self._options = ()

    async def _start(self, *options: str) -> Settings:
        await self._stop()
        self._options = options
        self._home = await self._stack.enter_async_context(
            development_home("--reset", *options)
        )
        # A home outlives the task that started it: SIGTERM must stop all tests, not
        # cancel that task.
        signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
        return self._home

    async def _stop(self) -> None:
        if self.desk is not None:
            # The browser may be gone already.
            with suppress(Error):
                await self.desk.context.close()
        self._home = self._api = self.signed_in = self.desk = None
        self.standing = False
        await self._stack.aclose()
