"""Proof that a controller answers at a new address.

A frame that verifies was signed by the controller, but perhaps long ago: any device can
listen, record frames and answer with them. Everything here is chosen.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from ..client import (
    Backoff,
    Counters,
    EnvelopeError,
    FrameError,
    LanClient,
    LanRequestError,
    PoolctlError,
    ProtocolError,
    ReplayError,
    UnreachableError,
)
from ..client.pool import QUERIES
from ..client.wire import sections

BETWEEN_REQUESTS = 1.1
"""Seconds: a frame's counter may be a time in seconds, and so is that of our queries."""
PROOF_TIMEOUT = 5.0
"""Seconds for one request, because a poll may wait for its turn meanwhile."""
LOST_AGAIN = Backoff(1.0, 5.0, factor=3.0, most=3)
"""Retries of a request to an address that answered a moment ago."""


@dataclass(slots=True)
class Proof:
    """Checks whether the frames from a new address are new."""

    _heard: dict[tuple[str, int], int] = field(default_factory=dict)
    """Newest verified counter of the address that was tried last."""

    async def async_verify(self, lan: LanClient) -> None:
        """Verify that the controller answers at the address of a client.

        Two different frames must be newer than all that were received, and one signed
        query must be answered.

        Raises ReplayError if it may be a recording, and what `LanClient.state` raises.
        """
        newest = lan.counters.frames.newest or 0
        shared_counters, address = with_own_counter(lan), (lan.host, lan.port)
        frames = {await _counter(lan)}
        await asyncio.sleep(BETWEEN_REQUESTS)
        frames.add(await _counter(lan, waits=LOST_AGAIN))
        if (heard := self._heard.get(address)) is not None:
            frames.add(heard)
        self._heard = {address: max(frames)}
        if len(frames) < 2:
            raise ReplayError("the same frame again and again")
        if min(frames) < newest:
            raise ReplayError("frames that are older than those received before")
        try:
            await _async_ask(lan)
        finally:
            # The controller does not accept the counters used here a second time.
            shared_counters.skip(max(0, lan.counters.last - shared_counters.last))


_NO_PROOF = (LanRequestError, EnvelopeError, ReplayError)
"""Errors that more than one query would have."""


async def _async_ask(lan: LanClient) -> None:
    """Send queries until one is answered; a firmware may lack some."""
    refused: PoolctlError | None = None
    for query in QUERIES:
        await asyncio.sleep(BETWEEN_REQUESTS)
        try:
            reply = await _again(partial(lan.query, query.name), waits=LOST_AGAIN)
            if _is_frame(reply):
                raise ReplayError("a state frame in place of a reply")
            query.decode(reply)
        except PoolctlError as err:
            if err.lost or isinstance(err, _NO_PROOF):
                raise
            refused = err
        else:
            return
    raise ReplayError("no query was answered") from refused


def _is_frame(payload: bytes) -> bool:
    try:
        *found, end = sections(payload)
    except FrameError:
        return False
    return any(found) and end == len(payload)


def with_own_counter(lan: LanClient) -> Counters:
    """Give a client that is not trusted its own counters; return the shared ones."""
    shared_counters = lan.counters
    lan.counters = Counters(shared_counters.last, clock=shared_counters.clock)
    # The lock stays shared: one request at a time (protocol.md 4.2 rule 8).
    lan.counters.turns = shared_counters.turns
    return shared_counters


async def _counter(lan: LanClient, *, waits: Backoff | None = None) -> int:
    """Read the state; return the counter of its frame."""
    await _again(lambda: lan.state(timeout=PROOF_TIMEOUT), waits=waits)
    if (newest := lan.counters.frames.newest) is None:
        raise ProtocolError("no frame")
    return newest


async def _again[T](ask: Callable[[], Awaitable[T]], *, waits: Backoff | None) -> T:
    """Send a request, and again if it got lost on its way, as some do now and then.

    With `waits`, also retry while the controller accepts no connection for some seconds
    (protocol.md 4.2 rule 9).
    """
    for wait in (0.0, *(waits or ())):
        try:
            return await ask()
        except LanRequestError as err:
            if not err.lost:
                raise
        except UnreachableError as err:
            if err.ran is not False or waits is None:
                raise
        await asyncio.sleep(wait)
    return await ask()
