"""Regular requests for data that only signed queries report.

All of this is chosen: when a query is sent, and for how long its reply is used.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
import logging
import math
import time
from typing import Any

from ..backoff import Backoff
from ..clock import Clock
from ..counters import Counters
from ..lan import LanClient
from ..pool.from_cloud import DOUBTED
from ..pool.queries import BY_NAME, NAMES, QUERIES, Query
from ..pool.state import PoolState
from ..wire.commands import encode_cmd
from ..wire.exceptions import (
    BusyError,
    ClockError,
    LanRequestError,
    PoolctlError,
    RefusedError,
    ReplyError,
    UnreachableError,
)
from ..wire.frame import Configuration, StateFrame, alike
from ..wire.json_values import Answer
from .door import ReplyDoor
from .live_state import LiveState
from .paths import Paths

_LOGGER = logging.getLogger(__name__)

QUERY_SPACING = 1.0
"""Seconds between background queries: faster, the counter runs ahead (protocol.md O1)."""
NAMES_AGAIN = Backoff(3.0, 30.0)
"""Seconds before the names are queried again while no query was ever answered. Entities
wait for them, and the counter that all clients share may be ahead of our clock for a
while."""
NAMES_PATIENCE = 360.0
"""Maximum seconds that entities wait for their names."""
QUERY_AGAIN = Backoff(30.0, 30.0, most=2)
"""Waits of a query that was not answered, and of one that was refused; after that, it
counts as declined, and has its usual interval."""

MOST_ASKED = 3
"""Number of times that a query is sent until two replies agree."""
COPIES_APART = 25.0
"""Seconds between two answers of the cloud that are not of the same copy."""
QUEUED = 3.0
"""Seconds by which a LAN reply may lag behind our write: a `cmd` is queued."""


class Queries:
    """Keeps track of the due queries, and sends them, which only the LAN can carry."""

    def __init__(self, live: LiveState, paths: Paths, clock: Clock) -> None:
        self._live = live
        self._clock = clock
        self._paths = paths
        self._due = dict.fromkeys(QUERIES, 0.0)
        """When each query is due (monotonic, s); 0 if its reply is missing or outdated."""
        self._regular: dict[Query, float] = {}
        """Regular due times of queries that were brought forward."""
        self.door = ReplyDoor()
        self.merged_at: dict[str, float] = {}
        """Times of the queries whose replies the state has (monotonic, s)."""
        self._newest: tuple[PoolState, Configuration] | None = None
        """The state after the newest full frame, and the settings in that."""
        self.copied_at: dict[str, float] = {}
        """Times at which copies of the cloud reported each setting (monotonic, s)."""
        self._refused = 0
        """Number of times the names were refused while no query was ever answered."""
        self._wait_until = 0.0
        self._declined: Counter[Query] = Counter()
        """Consecutive refusals of each query while others were answered."""

    @property
    def due(self) -> bool:
        """Whether a query is due and can be sent."""
        return self._paths.lan_answers and any(self._sensible())

    @property
    def names_due(self) -> bool:
        """Whether the names of the slots must be queried, e.g. after rewiring."""
        waits = not self._due[NAMES] or self._awaits_names
        return self._paths.lan_answers and waits

    @property
    def _awaits_names(self) -> bool:
        """Whether the names were refused, but are still expected soon."""
        return self._refused > 0 and time.monotonic() < self._wait_until

    def _sensible(self) -> Iterator[Query]:
        """Return the due queries that make sense for the fitted equipment."""
        outputs, now = self._live.reported.outputs, time.monotonic()
        return (
            query
            for query, due in self._due.items()
            if due <= now and (query.fitted is None or outputs.fitted(query.fitted))
        )

    def expire(self, *names: str, after: float = 0.0) -> None:
        """Make queries due; without names all of them, whatever their replies will be.

        With `after`, they are due only that many seconds from now: an earlier reply
        would not be valid.
        """
        if not names:
            self.door.forget()
        due = time.monotonic() + after if after else 0.0
        for query in QUERIES:
            if not names or query.name in names:
                self._due[query] = due

    def drop_outdated(self, settings: Configuration) -> None:
        """Make queries due if the settings of a frame differ from the previous ones.

        Frames are compared with each other, not with the state: a reply that always
        disagrees with the frames would make every poll look like a change. Levels and
        armed schedules change all the time: the queries that they concern check them.
        """
        previous, self._newest = self._newest, (self._live.reported, settings)
        if previous is None:
            return  # at the start all of them are due
        before = replace(
            previous[1],
            schedules_enabled=None,
            acid_remaining_ml=None,
            chlorine_remaining_ml=None,
        )
        if not alike(before, settings):
            self._due = dict.fromkeys(QUERIES, 0.0)
        for query in QUERIES:
            if (after := query.news_in(previous[0], self._newest[0])) is not None:
                # In place of the regular query: those per hour are limited.
                regular = self._regular.setdefault(query, self._due[query])
                self._due[query] = min(regular, time.monotonic() + after)

    async def refresh(self, *, first_only: bool = False) -> None:
        """Send the due queries, spaced so that a user's command fits in between."""
        spacing = 0.0
        while any(self._sensible()) or (self._awaits_names and not first_only):
            await asyncio.sleep(spacing)
            spacing = QUERY_SPACING
            # The due queries and the LAN client may have changed during the sleep.
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
        """Send a query, and set when it is due again.

        It is due after its usual interval, or sooner if it got no answer. A query that
        was made due meanwhile stays due. One that was brought forward waits from its
        regular time, so its number per hour stays the same.
        """
        waited, due, again = self.names_due, self._due[query], None
        try:
            await self.read(query, lan)
            self._declined.pop(query, None)
            if query is NAMES:
                self._refused = 0
        except (UnreachableError, BusyError, ClockError) as err:
            _LOGGER.debug("Query %s got no answer: %s", query.name, err)
            again = QUERY_AGAIN.first
        except RefusedError as err:
            _LOGGER.debug("Query %s was refused: %s", query.name, err)
            again = self._refused_by(query, lan.counters, err)
        except PoolctlError as err:
            _LOGGER.debug("Query %s failed: %s", query.name, err)
        if self._due[query] == due:
            again = again or query.interval(self._live.reported)
            regular = self._regular.pop(query, 0.0)
            self._due[query] = max(time.monotonic(), regular) + again
        if waited and not self.names_due:
            self._live.publish()  # entities of new equipment waited for the names

    def _refused_by(
        self, query: Query, counters: Counters, error: RefusedError
    ) -> float | None:
        """Return the seconds to a refused query's next try, `None`: usual interval.

        If other queries were answered since, the query itself is declined. Otherwise
        the cause is the counter that all clients share, and only time helps.
        """
        if isinstance(error, LanRequestError):
            return QUERY_AGAIN.first if error.lost else None
        if counters.answered not in (None, (query.name, b"")):
            if query is NAMES:
                self._refused = 0
            # Another client may have signed at the same moment, but not repeatedly.
            self._declined[query] += 1
            wait = QUERY_AGAIN.after(self._declined[query])
            return wait if wait < math.inf else None
        counters.refused()
        if counters.answered is None and query is NAMES:
            return self._names_refused()
        return QUERY_AGAIN.first

    def _names_refused(self) -> float:
        """Make entities wait for their names; return the seconds to the next query."""
        if not self._refused:
            self._wait_until = time.monotonic() + NAMES_PATIENCE
        self._refused += 1
        return NAMES_AGAIN.after(self._refused)

    async def read(self, query: Query, lan: LanClient, *, urgent: bool = False) -> None:
        """Send a query and publish its reply; raises as `LanClient.query` does."""
        reply, self.merged_at[query.name] = await self._ask(query, lan, urgent=urgent)
        self._live.update(lambda state: query.merge(state, reply, self._clock.now()))

    def admitted(self, answer: Answer, written: str = "") -> Answer:
        """Return an answer of the cloud without the objects that surprise.

        The next answer decides about those. A key that is `written` next does not surprise.
        """
        door, state, found = self.door, self._live.reported, {}
        for key, value in answer.items():
            if (query := DOUBTED.get(key)) and isinstance(value, dict):
                if not door.admits(
                    query, value, state, apart=COPIES_APART, written=written
                ):
                    continue
                self.copied_at |= dict.fromkeys(value, time.monotonic())
            found[key] = value
        return found

    async def rewrite(
        self,
        lan: LanClient,
        query: Query,
        command: str,
        edit: Callable[[Answer, float], Answer],
    ) -> tuple[StateFrame | None, Answer, Answer]:
        """Write an object as an accepted reply has it, with a change.

        `edit` receives the object and the time of its query (monotonic, s). Returns the
        state after the write, and the object as it was read and written. Raises as
        `LanClient.query` does.
        """
        read, asked = await self._ask(query, lan, urgent=True)
        body = edit(read, asked)
        return await lan.action("cmd", encode_cmd(command, body)), read, body

    async def _ask(
        self, query: Query, lan: LanClient, *, urgent: bool
    ) -> tuple[Any, float]:
        """Send a query, again while its reply surprises; return the reply and its time.

        Raises ReplyError if no two agree.
        """
        for again in range(MOST_ASKED):
            if again:
                await asyncio.sleep(QUERY_SPACING)
            asked = time.monotonic()
            reply = query.decode(await lan.query(query.name, urgent=urgent))
            state, denied = self._live.reported, self._denied(query, reply)
            if self.door.admits(
                query, reply, state, apart=QUERY_SPACING, denied=denied
            ):
                return reply, asked
        raise ReplyError(f"the replies to {query.name} do not agree")

    def _denied(self, query: Query, reply: Any) -> bool:
        """Return whether a reply has what neither the frames nor our commands have."""
        known, ours = map(query.framed, (self._live.reported, self._live.state))
        return any(
            value is not None and reply.get(key, value) not in (value, ours[key])
            for key, value in known.items()
        )

    async def ask(self, name: str) -> bool:
        """Send a query at once, for a user; return whether it was answered."""
        if (lan := self._paths.lan) is None:
            return False
        try:
            await self.read(BY_NAME[name], lan, urgent=True)
        except PoolctlError as err:
            _LOGGER.debug("Query %s failed: %s", name, err)
            return False
        return True
