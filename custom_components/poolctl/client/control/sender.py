"""How a command goes its way: by the LAN or the cloud, and shown until confirmed.

The rules of commands are design.md 4, ours (chosen): the path that is the source first,
a refusal is final, the asked value is shown until the controller confirms it.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
import time

from ..cloud import COPY_AGE, CloudClient
from ..envelope import ClockFault
from ..exceptions import (
    AuthenticationError,
    BusyError,
    ClockError,
    LanBusyError,
    LanRequestError,
    NotAppliedError,
    NotOfferedError,
    NotSupportedError,
    PoolctlError,
    RefusedError,
    RequestTooLargeError,
    StoppedError,
    UnreachableError,
)
from ..frame import StateFrame
from ..lan import LanClient
from ..pool.state import PoolState
from .paths import Paths
from .pending import Coalescer, Pending
from .poller import Poller
from .queries import Queries
from .store import Store

READ_BACK = (2.0, 5.0, 10.0, 15.0, 20.0)
"""s after a command at which its effect is looked for."""
LAN_PATIENCE = 25.0
"""s after which a poll ends what no command waits for: longer than any waits."""
_AGAIN = (0.5, 1.5, 3.0, 4.0)
"""s after which what certainly did not run is sent again: 10 s in all, for a controller
may accept no connection for some seconds (interface.md 4.2 rule 9)."""
_PATIENCE = 10.0
"""s."""
_UNPROVEN = 1.1
"""s after which a refused command is sent again where no query was ever answered: the
counter, which others raise, too, is another one by then."""
_ROOM = 2
"""Counters left out before a command is sent again: a service that signs all that it
relays signs every half second while it refreshes its copies (interface.md 8)."""
_STEPS = (2, 4, 8, 16, 32, 64, 128, 256)
"""s to go ahead with the counter, one after the other, until the controller takes it."""

type LanCommand = Callable[[LanClient], Awaitable[StateFrame | None]]
type Look = Callable[[], Awaitable[bool]]
"""Looks whether a command has its effect already."""
type CloudCommand = Callable[[CloudClient], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What a person asks for: how it is sent, and how its effect is known."""

    key: str
    """Of two commands with one key the newer one counts."""
    show: Callable[[PoolState], PoolState]
    """Puts the asked value into a state."""
    holds: Callable[[PoolState], bool]
    """Tells whether a state has the value by itself."""
    lan: LanCommand | None = None
    cloud: CloudCommand | None = None
    idempotent: bool = True
    """Whether it may run twice: only then another path is tried after one that may
    have run it."""
    settles_in: float = 0.0
    """s for which no state says anything about it."""


async def _never() -> bool:
    return False


def _to_nobody(seen: bool) -> None:
    """Learn nothing."""


_LAST = 2
"""Number of the try that goes back to the LAN."""


def _other_path_may(error: PoolctlError, *, idempotent: bool) -> bool:
    """Tell whether a command may go another way after this."""
    if isinstance(error, UnreachableError):
        return idempotent or not error.sent
    if isinstance(error, LanBusyError):
        return idempotent
    return isinstance(
        error,
        (
            BusyError,
            # Nothing was sent: the cloud may take what is too long for the LAN, or
            # what no clock of ours can sign.
            RequestTooLargeError,
            ClockError,
            # Of the cloud alone: the LAN may still take it.
            AuthenticationError,
            NotOfferedError,
            NotSupportedError,
        ),
    )


def _lost(error: PoolctlError) -> bool:
    """Tell whether a request certainly did not run, because it never got there whole."""
    if isinstance(error, LanRequestError):
        return error.transient
    return isinstance(error, UnreachableError) and not error.sent


@dataclass(frozen=True, slots=True)
class _ByLan:
    """One command on its way over the LAN."""

    run: LanCommand
    lan: LanClient
    idempotent: bool
    look: Look

    async def send(self, *, patient: bool) -> StateFrame | None:
        """Send it, again where it certainly did not run.

        A refusal has four causes (interface.md 4.2 rule 2): before a person is told of
        it, the replayed counter is ruled out.
        """
        for proven in (False, True, True):
            try:
                return await self._try(self.run, patient=patient)
            except LanBusyError:
                # It may have run: only the frame of its reply had no room.
                if not self.idempotent:
                    raise
                ran = await self.look()
                self.lan.judge.busy(ran=ran)
                if ran:
                    return None
                raise
            except RefusedError as err:
                if type(err) is not RefusedError:
                    raise  # it says itself what it means
                # Once, it may be somebody else's same number; the next time needs a proof.
                moved = await self._catch_up()
                if proven and not moved:
                    raise
                if moved and await self.look():
                    return None
                # Whoever signs at the same time may go on: leave room for it.
                self.lan.counters.skip(_ROOM)
        return await self._try(self.run, patient=patient)

    async def _try[T](
        self, run: Callable[[LanClient], Awaitable[T]], *, patient: bool
    ) -> T:
        """Send it until it is taken; one more try where somebody else may take it."""
        last = time.monotonic() + _PATIENCE
        waits = iter(_AGAIN if patient else _AGAIN[:1])
        busy = False
        while True:
            try:
                return await run(self.lan)
            except LanBusyError:
                if busy or not self.idempotent:
                    raise
                busy, wait = True, _AGAIN[0]
            except (LanRequestError, UnreachableError) as err:
                if not _lost(err):
                    raise
                wait = next(waits, _PATIENCE)
                if time.monotonic() + wait > last:
                    raise UnreachableError("it was not taken", sent=False) from err
            except RefusedError as err:
                if not busy or type(err) is not RefusedError:
                    raise
                # Somebody else signed meanwhile; it may have run the first time.
                raise LanBusyError("refused after it was busy") from err
            await asyncio.sleep(wait)

    async def _catch_up(self) -> bool:
        """Make sure that the controller takes our next counter.

        Others sign with the same counter, and their clocks may be ahead. A query that
        was answered before tells: refused, it is the counter. Answered, the command may
        have met with somebody else's same number: the next refusal is final. Ours goes
        no further ahead than needed, for it makes those others look replayed for as
        long. Tells whether it had to; raises ClockError where they are too far ahead.
        """
        counters = self.lan.counters
        if (known := counters.answered) is None:
            if counters.clock_fault is ClockFault.OTHERS:
                # Nor is any query answered that is asked all the time.
                raise ClockError("another client's clock is far ahead")
            await asyncio.sleep(_UNPROVEN)
            return False
        name, payload = known
        before = counters.last
        for step in (0, *_STEPS):
            if step:
                counters.skip(step)
            try:
                await self._try(
                    lambda lan: lan.query(name, payload, urgent=True), patient=True
                )
            except RefusedError as err:
                if type(err) is not RefusedError:
                    raise
            else:
                self.lan.judge.caught_up(counters.last - before if step else 0)
                return step > 0
        self.lan.judge.caught_up(None)
        counters.take_back(before)
        counters.clock_fault = ClockFault.OTHERS
        raise ClockError("another client's clock is far ahead")


class Sender:
    """Sends commands and waits for their effect.

    Raises InvalidCommandError before anything is sent, UnreachableError or BusyError
    where nobody takes a command, RefusedError where it is declined, NotAppliedError
    where it was accepted but changed nothing, and StoppedError once it was closed.
    """

    def __init__(
        self, store: Store, paths: Paths, poller: Poller, queries: Queries
    ) -> None:
        """Prepare; nothing is sent yet."""
        self._store = store
        self._paths = paths
        self._poller = poller
        self._queries = queries
        self.coalescer = Coalescer()
        self._running: set[asyncio.Task[object]] = set()
        self._closed = asyncio.Event()

    async def stop(self) -> None:
        """End what waits; commands may come all the same."""
        await self.coalescer.stop()

    async def close(self) -> None:
        """End what is under way, for good: no other try, no other path, no look."""
        self._closed.set()
        for task in self._running:
            task.cancel()
        await self.coalescer.stop()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Do what ends with this sender; raises StoppedError then."""
        task = asyncio.current_task()
        if self._closed.is_set() or task is None:
            raise StoppedError("stopped before it was sent", sent=False)
        inner = task in self._running
        self._running.add(task)
        try:
            yield
        except asyncio.CancelledError:
            # Ours alone, it is an error that a person is told of.
            if inner or not self._closed.is_set() or task.uncancel() > 0:
                raise
            raise StoppedError("stopped before the command was done") from None
        finally:
            if not inner:
                self._running.discard(task)

    async def run(self, command: Command) -> None:
        """Send a command and wait for its effect."""
        await self.confirm(await self.send(command))

    async def send(self, command: Command) -> Pending:
        """Send a command and show the asked value until it is confirmed."""

        async def look() -> bool:
            # While it settles, no state says anything about it.
            seen = not command.settles_in and await self._poller.read_lan()
            return seen and command.holds(self._store.known)

        doubt: PoolctlError | None = None
        try:
            by_lan, frame = await self.deliver(
                command.lan, command.cloud, idempotent=command.idempotent, look=look
            )
        except LanBusyError as err:
            if not command.idempotent:
                raise
            # It may have run, and its effect may take a while: see what is shown.
            by_lan, frame, doubt = True, None, err
        now = time.monotonic()
        settled = now + command.settles_in
        pending = Pending(
            key=command.key,
            by_lan=by_lan,
            sent=now,
            settled=settled,
            until=settled + (LAN_PATIENCE if by_lan else COPY_AGE),
            show=command.show,
            holds=command.holds,
            told=_to_nobody if by_lan else self._paths.copy_judge(),
            doubt=doubt,
        )
        self._store.pending.add(pending)
        if frame is not None:
            self._poller.merge_frame(frame)
        else:
            self._store.publish()
        return pending

    async def deliver(
        self,
        lan: LanCommand | None,
        cloud: CloudCommand | None,
        *,
        idempotent: bool = True,
        look: Look = _never,
    ) -> tuple[bool, StateFrame | None]:
        """Send by the current source's path, by the other one if nobody takes it.

        Returns whether the LAN took it, and the frame of its reply. What is not
        idempotent raises LanBusyError at once: it may have run all the same.
        """
        async with self.running():
            return await self._deliver(lan, cloud, idempotent=idempotent, look=look)

    async def _deliver(
        self,
        lan: LanCommand | None,
        cloud: CloudCommand | None,
        *,
        idempotent: bool,
        look: Look,
    ) -> tuple[bool, StateFrame | None]:
        errors: list[PoolctlError] = []
        paths = self._paths
        order = [paths.on_lan, not paths.on_lan]
        alone = not (cloud and paths.cloud)
        if paths.on_lan and not alone:
            order.append(True)  # it may be back, should the cloud not take it
        for number, by_lan in enumerate(order):
            try:
                if by_lan and lan and paths.lan:
                    if number == _LAST and not _lost(errors[0]):
                        break
                    carrier = _ByLan(lan, paths.lan, idempotent, look)
                    patient = alone or number == _LAST
                    return True, await carrier.send(patient=patient)
                if not by_lan and cloud and paths.cloud:
                    if paths.lan is not None:
                        paths.lan.skip_counter()
                    await cloud(paths.cloud)
                    return False, None
            except PoolctlError as err:
                errors.append(err)
                # After one that may have run it, what another one says is no answer.
                doubt = idempotent and isinstance(errors[0], LanBusyError)
                if not doubt and not _other_path_may(err, idempotent=idempotent):
                    raise
        if alone and paths.cloud and not paths.on_lan and all(map(_lost, errors)):
            # Nothing was sent: what works is the cloud, which has no such command.
            raise NotSupportedError("the cloud cannot carry this")
        raise errors[0] if errors else NotSupportedError("no path can carry this")

    async def confirm(self, pending: Pending, *, query: str | None = None) -> None:
        """Wait until the asked value was seen; raises NotAppliedError if never.

        `query` names the query that tells it where no state frame does.
        A cloud write is acknowledged by the controller (interface.md 4.1 rule 2), and a
        cloud read may be older than it: there, later polls decide, when they are due.
        """
        if pending.by_lan:
            async with self.running():
                await self._look_for(pending, query)

    async def _look_for(self, pending: Pending, query: str | None) -> None:
        waiting = self._store.pending
        for after in READ_BACK:
            if pending not in waiting:
                return
            await asyncio.sleep(max(0, pending.sent + after - time.monotonic()))
            if pending not in waiting:
                return
            if query is not None:
                await self._queries.ask(query)
            await self._poller.read_lan()
        if pending in waiting:
            waiting.drop(pending)
            self._store.publish()
            raise pending.doubt or NotAppliedError(
                "the controller accepted it but did not do it"
            )
