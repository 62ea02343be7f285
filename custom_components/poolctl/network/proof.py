"""Proof that a controller itself answers at an address, and not a recording of it.

A frame that verifies was signed by the controller, but perhaps long ago: any device can
listen, record frames and answer with them. Everything here is chosen.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from random import SystemRandom

from ..client.envelope import Counters
from ..client.exceptions import (
    LanRequestError,
    ProtocolError,
    RefusedError,
    ReplayError,
    UnexpectedResponseError,
    UnreachableError,
)
from ..client.lan import LanClient
from ..client.pool.queries import NAMES

BETWEEN_FRAMES = 1.1
"""Seconds between two frames: their counter may be a time in seconds."""
BETWEEN_QUESTIONS = 1.0
"""Seconds between two signed queries."""
TIMEOUT = 5.0
"""Seconds for one request, because a poll may wait for its turn meanwhile."""
_WAITS = (1.0, 3.0, 5.0)
"""Seconds between retries of a request to an address that answered a moment ago."""
_QUESTIONS = 16
"""Number of queries: a device without the key guesses all once in 65,536 times."""


@dataclass(slots=True)
class Proof:
    """Checks whether the frames from a new address are new."""

    _heard: dict[tuple[str, int], int] = field(default_factory=dict)
    """Newest verified counter of the address that was tried last."""

    async def async_verify(self, lan: LanClient, wrong_key_client: LanClient) -> None:
        """Verify that the controller answers now; `wrong_key_client` signs with another key.

        Two different frames are read first, as this costs nothing. They prove nothing:
        another device may have recorded newer frames than we have. The queries are the
        proof. A controller that refuses all that we sign, because the clock of a client
        is far ahead, is not found at a new address until that time has come.

        Raises ReplayError if it may be a recording, and what `LanClient.state` raises.
        """
        shared_counters, address = with_own_counter(lan), (lan.host, lan.port)
        frames = {await _counter(lan)}
        await asyncio.sleep(BETWEEN_FRAMES)
        frames.add(await _counter(lan, waits=_WAITS))
        if (heard := self._heard.get(address)) is not None:
            frames.add(heard)
        self._heard = {address: max(frames)}
        if len(frames) < 2:
            raise ReplayError("the same frame again and again")
        await _challenge(lan, wrong_key_client, shared_counters)


def with_own_counter(lan: LanClient) -> Counters:
    """Give a client that is not trusted its own counters; return the shared ones."""
    shared_counters = lan.counters
    lan.counters = Counters(shared_counters.last, clock=shared_counters.clock)
    # Turns stay shared: one request at a time (interface.md 4.2 rule 8).
    lan.counters.turns = shared_counters.turns
    return shared_counters


async def _counter(lan: LanClient, *, waits: Collection[float] = ()) -> int:
    """Read the state; return the counter of its frame."""
    await _again(lambda: lan.state(timeout=TIMEOUT), waits=waits)
    if (newest := lan.counters.frames.newest) is None:
        raise UnexpectedResponseError("no frame")
    return newest


async def _again[T](
    ask: Callable[[], Awaitable[T]], *, waits: Collection[float] = ()
) -> T:
    """Send a request, and again if it got lost on its way, as some do now and then.

    With `waits`, also retry while the controller accepts no connection for some seconds
    (interface.md 4.2 rule 9).
    """
    for wait in (0.0, *waits):
        try:
            return await ask()
        except LanRequestError as err:
            if not err.transient:
                raise
        except UnreachableError as err:
            if err.sent or not waits:
                raise
        await asyncio.sleep(wait)
    return await ask()


async def _challenge(
    lan: LanClient, wrong_key_client: LanClient, shared_counters: Counters
) -> None:
    """Send queries, each randomly signed with the controller's key or with another one.

    The controller answers the first kind and refuses the second. A device without the
    key cannot distinguish them. Raises ReplayError for a wrong answer.
    """
    with_own_counter(wrong_key_client)
    coin = SystemRandom()
    try:
        for _ in range(_QUESTIONS):
            # Faster queries would take our counter ahead of all others (layouts.md 1).
            await asyncio.sleep(BETWEEN_QUESTIONS)
            asked = coin.choice((lan, wrong_key_client))
            if await _answers(asked) is not (asked is lan):
                raise ReplayError("old frames from a device without our key")
    finally:
        # The controller does not accept the counters used here a second time.
        shared_counters.skip(max(0, lan.counters.last - shared_counters.last))


async def _answers(lan: LanClient) -> bool:
    try:
        await _again(lambda: lan.query(NAMES.name), waits=_WAITS)
    except LanRequestError:
        raise
    except RefusedError:
        return False
    except ProtocolError as err:
        raise ReplayError("not a reply to our query") from err
    return True
