"""Whether a controller is there now, or a recording of it.

A frame that verifies was signed by the controller, but perhaps long ago: anybody who
listens can record frames and answer with them. All here is our own choice.
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
"""s between two frames: their counter may be a time in seconds."""
BETWEEN_QUESTIONS = 1.0
"""s between two signed queries."""
TIMEOUT = 5.0
"""s; a poll may wait for its turn meanwhile."""
_WAITS = (1.0, 3.0, 5.0)
"""s between the tries to ask who was there a moment ago."""
_QUESTIONS = 16
"""A recording would guess all of them right once in 65,536 times."""


@dataclass(slots=True)
class Proof:
    """Whether the frames of a new address are news."""

    _heard: dict[tuple[str, int], int] = field(default_factory=dict)
    """The newest counter that verified at the address that was tried last."""

    async def async_see(self, lan: LanClient, stranger: LanClient) -> None:
        """See that a controller is there now; `stranger` has another key.

        Two different frames come first, for they cost nothing. They prove nothing yet:
        who listens while we hear nothing has newer ones than we have. Questions tell.
        A controller that takes nothing that we sign, because somebody's clock is far
        ahead, is not found at a new address until that time has come.

        Raises ReplayError where it may be a recording, and what `LanClient.state` raises.
        """
        known, address = apart(lan), (lan.host, lan.port)
        frames = {await _counter(lan)}
        await asyncio.sleep(BETWEEN_FRAMES)
        frames.add(await _counter(lan, waits=_WAITS))
        if (heard := self._heard.get(address)) is not None:
            frames.add(heard)
        self._heard = {address: max(frames)}
        if len(frames) < 2:
            raise ReplayError("the same frame again and again")
        await _question(lan, stranger, known)


def apart(lan: LanClient) -> Counters:
    """Let a client count for itself while it is not trusted; return the true counters."""
    known = lan.counters
    lan.counters = Counters(known.last, clock=known.clock)
    # Whoever it is: the controller takes one request at a time (interface.md 4.2 rule 8).
    lan.counters.turns = known.turns
    return known


async def _counter(lan: LanClient, *, waits: Collection[float] = ()) -> int:
    """Read the state; return the counter of its frame."""
    await _again(lambda: lan.state(timeout=TIMEOUT), waits=waits)
    if (newest := lan.counters.frames.newest) is None:
        raise UnexpectedResponseError("no frame")
    return newest


async def _again[T](
    ask: Callable[[], Awaitable[T]], *, waits: Collection[float] = ()
) -> T:
    """Ask, and once more what got lost on its way: a controller now and then loses some.

    With `waits`, also where it accepts no connection for some seconds (interface.md 4.2
    rule 9).
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


async def _question(lan: LanClient, stranger: LanClient, known: Counters) -> None:
    """Ask queries, some of them signed with another key, as a coin decides.

    The controller answers the good ones and refuses the others. Who does not have its
    key cannot tell which are which. Raises ReplayError for a wrong answer.
    """
    apart(stranger)
    coin = SystemRandom()
    try:
        for _ in range(_QUESTIONS):
            # Faster, our counter would run ahead of all other clients (layouts.md 1).
            await asyncio.sleep(BETWEEN_QUESTIONS)
            asked = coin.choice((lan, stranger))
            if await _answers(asked) is not (asked is lan):
                raise ReplayError("old frames, from who cannot tell our signature")
    finally:
        # The controller accepts none of the counters again that were used here.
        known.skip(max(0, lan.counters.last - known.last))


async def _answers(lan: LanClient) -> bool:
    try:
        await _again(lambda: lan.query(NAMES.name), waits=_WAITS)
    except LanRequestError:
        raise
    except RefusedError:
        return False
    except ProtocolError as err:
        raise ReplayError("a reply that is none") from err
    return True
