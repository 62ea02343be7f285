"""Asking for what only signed queries tell (`pool/queries.py`), now and then.

The intervals are design.md 3, ours (chosen).
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
import logging
import math
import time

from ..clock import Clock
from ..envelope import Counters
from ..exceptions import (
    BusyError,
    ClockError,
    LanRequestError,
    PoolctlError,
    RefusedError,
    UnreachableError,
)
from ..lan import LanClient
from ..pool.from_cloud import merge_slots
from ..pool.queries import NAMES, QUERIES, Query
from ..pool.state import PoolState
from .paths import Paths
from .store import Store

_LOGGER = logging.getLogger(__name__)

SPACING = 1.0
"""s between background queries: faster ones run the counter ahead (layouts.md 1)."""
SOON = 3.0
"""s after which names are asked for again while no query was ever answered, twice as long
each time: the counter that others raise, too, may be ahead of our clock, and entities
wait for their names."""
BY_CLOUD = 3
"""How often that is done until the cloud is asked for them."""
PATIENCE = 360.0
"""s for which entities wait at most; the cloud may not know their names."""
DECLINED = 3
"""Refusals in a row after which a query counts as declined."""
RETRY = 30.0
"""s after which a query that got no answer is asked again."""

FRESH = 15.0
"""s for which a reply is as good as a new one, unless a frame contradicts it: the frames
themselves are as old (chosen)."""
QUEUED = 3.0
"""s a reply of the LAN may be older than what we wrote: a `cmd` is queued (chosen)."""

_NOTHING = PoolState()

type _Settings = tuple[object, ...]
type Turn = Callable[[], Awaitable[None]]
"""Waits until others have had time to work: many controllers may answer at once."""


async def at_once() -> None:
    """Wait for nobody."""


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A reply, and what full frames may say while it is true."""

    reply: bytes
    at: float
    """When it was asked for (monotonic, s)."""
    agree: list[tuple[_Settings, float]]
    """What frames reported then, and will report after our own writes, each until when."""

    def agrees(self, settings: _Settings) -> bool:
        """Return whether a frame of now goes with it."""
        now = time.monotonic()
        return any(now <= until and settings == each for each, until in self.agree)


class Queries:
    """Knows which queries are due, and asks them; only the LAN can be asked."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Start with all of them due."""
        self.turn: Turn = at_once
        """Waited for before a reply is taken over that nobody waits for."""
        self._store = store
        self._clock = clock
        self._paths = paths
        self._due = dict.fromkeys(QUERIES, 0.0)
        self._regular: dict[Query, float] = {}
        """When queries that were brought forward would have been due."""
        self._told: dict[str, Told] = {}
        """The newest replies to what commands read before they write."""
        self._last_full: PoolState | None = None
        self._refused = 0
        """How often names were refused while no query was ever answered."""
        self._wait_until = 0.0
        self._declined: Counter[Query] = Counter()
        """How often in a row queries were refused while others were answered."""

    @property
    def due(self) -> bool:
        """Whether something should be asked for."""
        return self._paths.lan_answers and any(self._sensible())

    @property
    def names_due(self) -> bool:
        """Whether the names of the slots are to be asked, as after another wiring."""
        waits = not self._due[NAMES] or self._awaits_names
        return self._paths.lan_answers and waits

    @property
    def _awaits_names(self) -> bool:
        """Whether names were refused, and may come soon."""
        return self._refused > 0 and time.monotonic() < self._wait_until

    def _sensible(self) -> Iterator[Query]:
        """Return those that are due and that the equipment can answer."""
        outputs, now = self._store.known.outputs, time.monotonic()
        return (
            query
            for query, due in self._due.items()
            if due <= now and (query.fitted is None or outputs.fitted(query.fitted))
        )

    def expire(self, *names: str, after: float = 0.0) -> None:
        """Have queries asked anew, all of them where none is named.

        With `after`, only that many seconds from now: sooner they tell nothing. What
        they reported before is not relied on any more.
        """
        for name in names or tuple(self._told):
            self._told.pop(name, None)
        self._expire(*names, after=after)

    def _expire(self, *names: str, after: float = 0.0) -> None:
        due = time.monotonic() + after if after else 0.0
        for query in QUERIES:
            if not names or query.name in names:
                self._due[query] = due

    def look_for_news(self) -> None:
        """Have queries asked where a full frame differs from the full frame before it.

        The frames are compared with each other, not with what is known: a reply that
        disagrees with the frames for good would make every poll look like news.
        """
        previous, self._last_full = self._last_full, self._store.known
        if previous is None:
            return  # at the start all of them are due
        settings = _settings(self._last_full)
        for name in [
            n for n, reported in self._told.items() if not reported.agrees(settings)
        ]:
            del self._told[name]
        if settings != _settings(previous):
            self._expire()
        for query in QUERIES:
            if (after := query.news_in(previous, self._last_full)) is not None:
                self._told.pop(query.name, None)
                self._bring_forward(query, after)

    def _bring_forward(self, query: Query, after: float) -> None:
        """Have a query asked some seconds from now instead of when it is due next.

        It is not asked once more: background queries keep to so many an hour.
        """
        regular = self._regular.setdefault(query, self._due[query])
        self._due[query] = min(regular, time.monotonic() + after)

    async def refresh(self, *, first_only: bool = False) -> None:
        """Ask what is due, spaced so that a person's command fits in between."""
        spacing = 0.0
        while any(self._sensible()) or (self._awaits_names and not first_only):
            await asyncio.sleep(spacing)
            spacing = SPACING
            # What is due, and where to ask, may have changed while this slept.
            query = next(self._sensible(), None)
            if (lan := self._paths.lan) is None:
                return
            if query is not None:
                await self._refresh(query, lan)
            elif not self._awaits_names:
                return
            if first_only:
                return

    async def _refresh(self, query: Query, lan: LanClient) -> None:
        due, again = self._due[query], None
        try:
            await self.read(query, lan)
            self._declined.pop(query, None)
            if query is NAMES:
                self._refused = 0
        except (UnreachableError, BusyError, ClockError) as err:
            _LOGGER.debug("Query %s got no answer: %s", query.name, err)
            again = RETRY
        except RefusedError as err:
            _LOGGER.debug("Query %s was refused: %s", query.name, err)
            again = await self._refused_by(query, lan.counters, err)
        except PoolctlError as err:
            _LOGGER.debug("Query %s failed: %s", query.name, err)
        if self._due[query] == due:
            again = again or query.interval(self._store.known)
            regular = self._regular.pop(query, 0.0)
            self._due[query] = max(time.monotonic(), regular) + again

    async def _refused_by(
        self, query: Query, counters: Counters, error: RefusedError
    ) -> float | None:
        """Judge a refusal; return after how long to ask again, `None`: as always.

        Where other queries were answered since, it is the query that is declined. Else
        it is the counter that all clients share, and time alone helps.
        """
        if isinstance(error, LanRequestError):
            return RETRY if error.transient else None
        if counters.answered not in (None, (query.name, b"")):
            if query is NAMES:
                self._refused = 0
            # Others may have signed at the same moment, but not again and again.
            self._declined[query] += 1
            return RETRY if self._declined[query] < DECLINED else None
        counters.refused()
        if counters.answered is None and query is NAMES:
            return await self._names_refused()
        return RETRY

    async def _names_refused(self) -> float:
        """Have entities wait for their names; return after how long to ask again."""
        if not self._refused:
            self._wait_until = time.monotonic() + PATIENCE
        self._refused += 1
        if self._refused == BY_CLOUD:
            await self._names_by_cloud()
        # Doubled nine times it is longer than `RETRY`; a thousand times, no number is it.
        return min(SOON * (1 << min(self._refused - 1, 9)), RETRY)

    async def _names_by_cloud(self) -> None:
        """Take over the names of the cloud, where it reports them."""
        if (cloud := self._paths.cloud) is None:
            return
        try:
            answer = await cloud.read(self._paths.device_id, "auxInfo")
        except PoolctlError as err:
            _LOGGER.debug("The cloud tells no names either: %s", err)
            return
        reported = merge_slots(_NOTHING, answer, self._clock.now()).outputs.names
        if reported:
            self._wait_until = 0.0
            self._store.update(
                lambda known: replace(
                    known, outputs=replace(known.outputs, names=reported)
                )
            )

    async def read(self, query: Query, lan: LanClient, *, urgent: bool = False) -> None:
        """Ask one query and publish its reply; raises what `LanClient.query` raises."""
        reported = await self._ask(query.name, lan, urgent=urgent)
        if not urgent:
            await self.turn()
        self._store.update(
            lambda known: query.merge(known, reported.reply, self._clock.now())
        )

    async def recent(self, name: str, lan: LanClient) -> Told:
        """Return what is written back with a change: a fresh reply, asked for if need be.

        Raises what `LanClient.query` raises.
        """
        reported = self._told.get(name)
        if reported is not None and time.monotonic() - reported.at < FRESH:
            return reported
        return await self._ask(name, lan, urgent=True)

    async def _ask(self, name: str, lan: LanClient, *, urgent: bool) -> Told:
        asked, settings = time.monotonic(), _settings(self._store.known)
        reply = await lan.query(name, urgent=urgent)
        reported = self._told[name] = Told(reply, asked, [(settings, math.inf)])
        return reported

    def forget(self, name: str) -> None:
        """Rely no more on what a query reported: a write may have changed it, or not."""
        self._told.pop(name, None)

    def wrote(self, name: str, show: Callable[[PoolState], PoolState]) -> None:
        """Have frames agree that show what we wrote; older ones only while it is queued."""
        if (reported := self._told.get(name)) is None:
            return
        queued = time.monotonic() + QUEUED
        reported.agree[:] = [
            (each, min(until, queued)) for each, until in reported.agree
        ]
        reported.agree.append((_settings(show(self._store.known)), math.inf))

    async def ask(self, name: str) -> bool:
        """Ask a query now, for a person; return whether it was answered."""
        for query in QUERIES:
            if query.name == name and self._paths.lan is not None:
                try:
                    await self.read(query, self._paths.lan, urgent=True)
                except PoolctlError as err:
                    _LOGGER.debug("Query %s failed: %s", name, err)
                else:
                    return True
        return False


def _settings(state: PoolState) -> _Settings:
    """Return what a full frame reports that any query may hang on.

    Doses empty the drums all the time, and schedules are armed and disarmed: the
    queries that these concern look at them by `Query.news_in`.
    """
    acid, chlorine = state.acid, state.chlorine
    return (
        *(state.pool.target, state.spa.target, state.heat),
        *(acid.desired, acid.drum_ml, chlorine.desired, chlorine.drum_ml),
        *(state.chlorinator.desired, state.outputs.types, state.firmware),
    )
