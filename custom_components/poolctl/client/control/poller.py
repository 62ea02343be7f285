"""Reading one controller: the LAN first, the cloud when the LAN is gone.

The table of design.md 3; the intervals are the service's advice (interface.md 4.2 rule
9 and 8), what happens between them is ours (chosen).
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
import logging
import time
from typing import Any

from ..cloud import CloudClient
from ..exceptions import (
    AuthenticationError,
    BusyError,
    FrameError,
    PoolctlError,
    StateExpiredError,
    UnreachableError,
)
from ..frame import Configuration, StateFrame
from ..lan import TIMEOUT, LanClient
from ..pool.cloud_answers import (
    merge_chemistry,
    merge_dashboard,
    merge_pump,
    merge_schedule_info,
    merge_slots,
    merge_temperatures,
)
from ..pool.queries import DETAILS, DETAILS_INTERVAL, NAMES, Detail
from ..pool.state import PoolState, Source, merge_frame
from ..statistics import ControllerStatistics
from .pending import PendingValues

_LOGGER = logging.getLogger(__name__)

LAN_INTERVAL = 15.0
CLOUD_INTERVAL = 30.0
MAX_AGE = 90.0
"""s after which a state that nobody renews is void."""
MAX_MISSES = 2
"""LAN polls in a row that may fail before the cloud steps in."""
QUERY_SPACING = 1.0
"""s between background queries: faster ones run the counter ahead (layouts.md 1)."""

type ReadListener = Callable[[PoolState, float], None]
"""Takes what a read told, and when that was (monotonic, s)."""

type _Merge = Callable[[PoolState, Mapping[str, Any], datetime], PoolState]

# What is read of the cloud after the dashboard, where it is offered (layouts.md 5)
_CLOUD_READS: tuple[tuple[str, _Merge], ...] = (
    ("auxInfo", merge_slots),
    ("ambientTemp", merge_temperatures),
    ("chemistryCard", merge_chemistry),
    ("pumpInfo", merge_pump),
)


class Poller:
    """What is known of one controller, and who is asked next.

    `publish` is called after every read that was understood.
    """

    def __init__(
        self,
        device_id: str,
        *,
        lan: LanClient | None,
        cloud: CloudClient | None,
        publish: Callable[[], None],
        remembered: PoolState,
    ) -> None:
        """Prepare; nothing is read yet."""
        self.device_id = device_id
        self.lan = lan
        self.cloud = cloud
        self.lan_error: PoolctlError | None = None
        self.cloud_error: PoolctlError | None = None
        self.statistics = ControllerStatistics()
        self.known = remembered
        self.pending = PendingValues()
        self._publish = publish
        # One short of the limit: at the start the first miss calls the cloud.
        self._misses = MAX_MISSES - 1
        self._read_at: float | None = None
        self._full_frame: PoolState | None = None
        self._cloud_not_before = 0.0
        self._schedules_due = 0.0
        self._details_due = dict.fromkeys(DETAILS, 0.0)
        self._regular: dict[Detail, float] = {}
        """When details that were brought forward would have been due."""
        self._read_listeners: list[ReadListener] = []

    @property
    def state(self) -> PoolState:
        """The state as a person should see it, pending values included."""
        return self.pending.overlay(self.known)

    @property
    def on_lan(self) -> bool:
        """Whether the LAN is the source, or is still given a chance to be."""
        return self.lan is not None and self._misses < MAX_MISSES

    @property
    def interval(self) -> float:
        """Seconds until the next poll."""
        interval = LAN_INTERVAL if self.on_lan else CLOUD_INTERVAL
        left = self._expires_in
        return min(interval, max(left, 1.0)) if left > 0 else interval

    @property
    def _expires_in(self) -> float:
        if self._read_at is None:
            return 0.0
        return self._read_at + MAX_AGE - time.monotonic()

    def update(self, **fields: Any) -> None:
        """Replace fields of the known state."""
        self.known = replace(self.known, **fields)
        self._publish()

    def add_read_listener(self, listener: ReadListener) -> Callable[[], None]:
        """Call a listener with every read of the state, even one that tells nothing new.

        Returns what ends that.
        """
        self._read_listeners.append(listener)
        return lambda: self._read_listeners.remove(listener)

    def set_lan(self, lan: LanClient | None) -> None:
        """Take another address or key; it has its first chance at the next poll."""
        self.lan = lan
        if lan is not None and self._misses:
            self._misses = MAX_MISSES - 1

    async def poll(self) -> None:
        """Read once, LAN first.

        Raises StateExpiredError once nothing was read for 90 s, or ever.
        """
        if self.on_lan:
            if not await self.read_lan():
                self._misses += 1
                if self._misses >= MAX_MISSES:
                    await self.read_cloud()
        else:
            await self._read_both()
        if self._expires_in <= 0:
            error = self.lan_error or self.cloud_error
            raise StateExpiredError(str(error or "no connection to the controller"))

    async def _read_both(self) -> None:
        """Read side by side, so that neither waits for the other's time-out."""
        cloud = asyncio.create_task(self.read_cloud())
        try:
            if not await self.read_lan():
                await cloud
        finally:
            # The LAN is the better source: what the cloud would say is not needed.
            cloud.cancel()
            await asyncio.wait([cloud])

    async def read_lan(self) -> bool:
        """Read the LAN with one quick retry, 10 s in all; tell whether it answered."""
        if (lan := self.lan) is None:
            return False
        try:
            with self.statistics.lan.poll():
                frame = await self._ask_lan(lan)
        except PoolctlError as err:
            self.lan_error = err
            if isinstance(err, FrameError):
                self.statistics.undecoded_frame = lan.last_frame
            return False
        self.merge_frame(frame)
        return True

    async def _ask_lan(self, lan: LanClient) -> StateFrame:
        try:
            # Waiting for a request that is under way counts, too.
            async with asyncio.timeout(TIMEOUT):
                try:
                    return await lan.state()
                except PoolctlError:
                    return await lan.state()
        except TimeoutError:
            raise UnreachableError("no answer in time") from None

    async def read_cloud(self, *, pace: bool = True) -> None:
        """Read the dashboard, at most every 30 s unless told otherwise."""
        started = time.monotonic()
        if self.cloud is None or (pace and started < self._cloud_not_before):
            return
        # A second less than the interval: a timer may fire a little early.
        self._cloud_not_before = started + CLOUD_INTERVAL - 1
        try:
            with self.statistics.cloud.poll():
                if await self.cloud.reachable(self.device_id) is False:
                    raise UnreachableError("the service does not reach the controller")
                dashboard = await self.cloud.dashboard(self.device_id)
        except PoolctlError as err:
            self.cloud_error = err
            if isinstance(err, BusyError) and err.retry_after:
                again = time.monotonic() + err.retry_after
                self._cloud_not_before = max(self._cloud_not_before, again)
            return
        self.cloud_error = None
        if self.known.source is not Source.CLOUD:
            # The first values at once; what else is offered follows.
            self._merge_cloud(started, ((merge_dashboard, dashboard),))
        extras = await self._read_extras(self.cloud)
        self._merge_cloud(started, ((merge_dashboard, dashboard), *extras))
        await self._refresh_schedules(self.cloud)

    async def _read_extras(
        self, cloud: CloudClient
    ) -> list[tuple[_Merge, Mapping[str, Any]]]:
        """Read what else the service offers, one at a time."""
        found: list[tuple[_Merge, Mapping[str, Any]]] = []
        for endpoint, merge in _CLOUD_READS:
            try:
                found.append((merge, await cloud.read(self.device_id, endpoint)))
            except UnreachableError, BusyError, AuthenticationError:
                break
            except PoolctlError as err:
                _LOGGER.debug("Cloud read %s failed: %s", endpoint, err)
        return found

    async def _refresh_schedules(self, cloud: CloudClient) -> None:
        """Read the schedules now and then: it costs the controller two commands."""
        if self.on_lan or time.monotonic() < self._schedules_due:
            return
        self._schedules_due = time.monotonic() + CLOUD_INTERVAL
        try:
            await self.read_schedules(cloud)
        except PoolctlError as err:
            _LOGGER.debug("Cloud read of the schedules failed: %s", err)

    async def read_schedules(self, cloud: CloudClient, *, urgent: bool = False) -> None:
        """Read the schedules of the cloud and publish them at once.

        Raises what `CloudClient.read` raises.
        """
        answer = await cloud.read(self.device_id, "scheduleInfo", urgent=urgent)
        # Before anything else is sent: it must not undo what a command writes next.
        self.known = merge_schedule_info(self.known, answer)
        self._schedules_due = time.monotonic() + DETAILS_INTERVAL
        self._publish()

    def _merge_cloud(
        self, started: float, answers: Iterable[tuple[_Merge, Mapping[str, Any]]]
    ) -> None:
        if self.on_lan:
            return
        for merge, answer in answers:
            self.known = merge(self.known, answer, datetime.now(UTC))
        self._after_read(started)

    def merge_frame(self, frame: StateFrame) -> None:
        """Take over a frame of the LAN, which makes the LAN the source."""
        self.known = merge_frame(self.known, frame, datetime.now(UTC))
        self.lan_error = None
        self._misses = 0
        if frame.configuration is not None:
            self._look_for_news()
        self._after_read(time.monotonic())

    def _look_for_news(self) -> None:
        """Have slow data asked anew where a full frame differs from the last one.

        Of two frames, not of what is known: should a reply and the frames disagree for
        good, every poll would find news in that.
        """
        before, self._full_frame = self._full_frame, self.known
        if before is None:
            return  # at the start all of it is due
        if _wiring(self.known.configuration) != _wiring(before.configuration):
            self.details_changed()
        for detail in DETAILS:
            if (after := detail.news_in(before, self.known)) is not None:
                self._bring_forward(detail, after)

    def _after_read(self, read_at: float) -> None:
        self._read_at = time.monotonic()
        for pending in self.pending.settle(self.known, read_at):
            _LOGGER.warning("%s was accepted but never took effect", pending.key)
        for listener in tuple(self._read_listeners):
            listener(self.known, self._read_at)
        self._publish()

    @property
    def details_due(self) -> bool:
        """Whether slow data should be asked for; only the LAN can be."""
        return self._lan_answers and any(self._due_details())

    @property
    def names_due(self) -> bool:
        """Whether the names of the slots are to be asked, as after another wiring."""
        return self._lan_answers and not self._details_due[NAMES]

    @property
    def _lan_answers(self) -> bool:
        return self.lan is not None and self._misses == 0

    def _due_details(self) -> Iterator[Detail]:
        """Return what makes sense to ask now."""
        return (
            detail
            for detail, due in self._details_due.items()
            if due <= time.monotonic()
            and (detail.fitted is None or self.known.fitted(detail.fitted))
        )

    def details_changed(self, *queries: str, after: float = 0.0) -> None:
        """Have slow data asked for anew, all of it where no query is named.

        With `after`, only that many seconds from now: sooner it tells nothing.
        """
        due = time.monotonic() + after if after else 0.0
        for detail in DETAILS:
            if not queries or detail.query in queries:
                self._details_due[detail] = due

    def _bring_forward(self, detail: Detail, after: float) -> None:
        """Have slow data asked some seconds from now instead of when it is due next.

        Not once more: background queries keep to so many an hour (see `details`).
        """
        regular = self._regular.setdefault(detail, self._details_due[detail])
        self._details_due[detail] = min(regular, time.monotonic() + after)

    async def refresh_details(self, *, first_only: bool = False) -> None:
        """Ask for slow data that is due, spaced so that a person's command fits in."""
        spacing = 0.0
        while any(self._due_details()):
            await asyncio.sleep(spacing)
            spacing = QUERY_SPACING
            # Only now: what is due, and where, may have changed meanwhile.
            detail = next(self._due_details(), None)
            if detail is None or (lan := self.lan) is None:
                return
            due = self._details_due[detail]
            failed: float | None = None
            try:
                await self.read_detail(detail, lan)
            except (UnreachableError, BusyError) as err:
                _LOGGER.debug("Query %s got no answer: %s", detail.query, err)
                failed = CLOUD_INTERVAL
            except PoolctlError as err:
                _LOGGER.debug("Query %s failed: %s", detail.query, err)
            if self._details_due[detail] == due:
                again = failed or detail.interval(self.known)
                regular = self._regular.pop(detail, 0.0)
                self._details_due[detail] = max(time.monotonic(), regular) + again
            if first_only:
                return

    async def read_detail(
        self, detail: Detail, lan: LanClient, *, urgent: bool = False
    ) -> None:
        """Ask for one of them and publish it; raises what `LanClient.query` raises."""
        reply = await lan.query(detail.query, urgent=urgent)
        self.known = detail.merge(self.known, reply)
        self._publish()

    async def ask(self, query: str) -> None:
        """Ask for one kind of slow data now, for a person; no answer is no drama."""
        for detail in DETAILS:
            if detail.query == query and self.lan is not None:
                try:
                    await self.read_detail(detail, self.lan, urgent=True)
                except PoolctlError as err:
                    _LOGGER.debug("Query %s failed: %s", query, err)


def _wiring(configuration: Configuration) -> Configuration:
    """Return what slow data may hang on, except what tells of one query alone.

    Doses empty the drums all the time; `Detail.news_in` looks at these.
    """
    return replace(
        configuration,
        acid_remaining_ml=None,
        chlorine_remaining_ml=None,
        schedules_enabled=None,
    )
