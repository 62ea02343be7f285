"""Reading one controller: the LAN first, the cloud when the LAN is gone.

The table of design.md 3; the intervals are the service's advice (interface.md 4.2 rule
9 and 8), what happens between them is ours (chosen).
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
import logging
import time
from typing import Any

from .cloud import CloudClient
from .cloud_state import (
    merge_chemistry,
    merge_dashboard,
    merge_pump,
    merge_slots,
    merge_temperatures,
)
from .commands import decode_aux_names, decode_pump_id
from .exceptions import (
    AuthenticationError,
    BusyError,
    PoolctlError,
    StateExpiredError,
    UnreachableError,
)
from .frame import Configuration, StateFrame
from .lan import TIMEOUT, LanClient
from .pending import PendingValues
from .state import PoolState, Source, merge_frame

_LOGGER = logging.getLogger(__name__)

LAN_INTERVAL = 15.0
CLOUD_INTERVAL = 30.0
MAX_AGE = 90.0
"""s after which a state that nobody renews is void."""
MAX_MISSES = 2
"""LAN polls in a row that may fail before the cloud steps in."""
DETAILS_INTERVAL = 300.0
QUERY_SPACING = 1.0
"""s between background queries: faster ones run the counter ahead (layouts.md 1)."""

# Slow data: query name, decoder, field of PoolState. Names first: entities need them.
_DETAILS: tuple[tuple[str, Callable[[bytes], Any], str], ...] = (
    ("aux_names", decode_aux_names, "names"),
    ("pump_id", decode_pump_id, "pump"),
)

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
        self.known = remembered
        self.pending = PendingValues()
        self._publish = publish
        # One short of the limit: at the start the first miss calls the cloud.
        self._misses = MAX_MISSES - 1
        self._read_at: float | None = None
        self._cloud_not_before = 0.0
        self._details_due = dict.fromkeys((name for name, *_ in _DETAILS), 0.0)

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
        if self.lan is None:
            return False
        try:
            # Waiting for a request that is under way counts, too.
            async with asyncio.timeout(TIMEOUT):
                return await self._try_lan(self.lan) or await self._try_lan(self.lan)
        except TimeoutError:
            self.lan_error = UnreachableError("no answer in time")
            return False

    async def _try_lan(self, lan: LanClient) -> bool:
        try:
            self.merge_frame(await lan.state())
        except PoolctlError as err:
            self.lan_error = err
            return False
        return True

    async def read_cloud(self, *, pace: bool = True) -> None:
        """Read the dashboard, at most every 30 s unless told otherwise."""
        started = time.monotonic()
        if self.cloud is None or (pace and started < self._cloud_not_before):
            return
        # A second less than the interval: a timer may fire a little early.
        self._cloud_not_before = started + CLOUD_INTERVAL - 1
        try:
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
        before = _wiring(self.known.configuration)
        self.known = merge_frame(self.known, frame, datetime.now(UTC))
        self.lan_error = None
        self._misses = 0
        if _wiring(self.known.configuration) != before:
            self._details_due = dict.fromkeys(self._details_due, 0.0)
        self._after_read(time.monotonic())

    def _after_read(self, read_at: float) -> None:
        self._read_at = time.monotonic()
        for pending in self.pending.settle(self.known, read_at):
            _LOGGER.warning("%s was accepted but never took effect", pending.key)
        self._publish()

    @property
    def details_due(self) -> bool:
        """Whether slow data should be asked for; only the LAN can be."""
        due = min(self._details_due.values()) <= time.monotonic()
        return due and self._misses == 0 and self.lan is not None

    async def refresh_details(self, *, first_only: bool = False) -> None:
        """Ask for slow data that is due, spaced so that a person's command fits in."""
        spacing = 0.0
        for name, decode, field in _DETAILS:
            if self._details_due[name] > time.monotonic():
                continue
            await asyncio.sleep(spacing)
            spacing = QUERY_SPACING
            if (lan := self.lan) is None:
                return
            again = DETAILS_INTERVAL
            try:
                self.update(**{field: decode(await lan.query(name))})
            except (UnreachableError, BusyError) as err:
                _LOGGER.debug("Query %s got no answer: %s", name, err)
                again = CLOUD_INTERVAL
            except PoolctlError as err:
                _LOGGER.debug("Query %s failed: %s", name, err)
            self._details_due[name] = time.monotonic() + again
            if first_only:
                return


def _wiring(configuration: Configuration) -> Configuration:
    """Return what slow data may hang on: doses empty the drums all the time."""
    return replace(configuration, acid_remaining_ml=None, chlorine_remaining_ml=None)
