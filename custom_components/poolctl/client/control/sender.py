"""Which path a command takes, and how its effect is confirmed.

The rules of commands are design.md 4, ours (chosen): the path that is the source first,
a refusal is final, the asked value is shown until the controller confirms it.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto
import time

from ..cloud import COPY_AGE, CloudClient
from ..coalescing import Coalescer
from ..exceptions import (
    AuthenticationError,
    BusyError,
    ClockError,
    CommandFailedError,
    ForbiddenError,
    LanBusyError,
    NotAppliedError,
    NotOfferedError,
    NotSupportedError,
    PoolctlError,
    RequestTooLargeError,
    StoppedError,
    UnreachableError,
)
from ..facts import WriteShown
from ..frame import StateFrame
from ..pool.state import PoolState
from .lan_delivery import LanCommand, LanDelivery, Look, certainly_lost
from .paths import Paths
from .pending import Pending
from .poller import Poller
from .queries import Queries
from .store import Store

READ_BACK = (2.0, 5.0, 10.0, 15.0, 20.0)
"""s after a command at which its effect is looked for."""
LAN_PATIENCE = 25.0
"""s after which a poll ends what no command waits for: longer than any waits."""
type CloudCommand = Callable[[CloudClient], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What a person asks for: how it is sent, and how its effect is known."""

    key: str
    """Of two commands with one key the newer one counts."""
    show: Callable[[PoolState], PoolState]
    """Puts the asked value into a state."""
    holds: Callable[[PoolState], bool]
    """Returns whether a state has the value by itself."""
    lan: LanCommand | None = None
    cloud: CloudCommand | None = None
    idempotent: bool = True
    """Whether it may run twice: only then another path is tried after one that may
    have run it."""
    settles_in: float = 0.0
    """s for which no state says anything about it."""


async def _never() -> bool:
    return False


def _to_nobody(observed: bool) -> None:
    """Learn nothing."""


class _Attempt(Enum):
    """One try to deliver a command."""

    LAN = auto()
    """With one more try, for the cloud may take it, too."""
    CLOUD = auto()
    LAN_AGAIN = auto()
    LAN_ONLY = auto()


@dataclass(frozen=True, slots=True)
class _Order:
    """A command as each path sends it."""

    lan: LanCommand | None
    cloud: CloudCommand | None
    idempotent: bool
    look: Look


def _other_path_may(error: PoolctlError, *, idempotent: bool) -> bool:
    """Return whether a command may go another way after this."""
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
            ForbiddenError,
            NotOfferedError,
            NotSupportedError,
        ),
    )


def _is_no_answer(errors: list[PoolctlError], order: _Order) -> bool:
    """Return whether what the cloud said of a repeatable command decides nothing.

    The LAN may have run it, and a service that got no answer of the controller may say
    so as a refusal (`unknowns.md` C8).
    """
    after_busy = isinstance(errors[0], LanBusyError)
    return order.idempotent and (after_busy or _failed_after_a_loss(errors))


def _failed_after_a_loss(errors: list[PoolctlError]) -> bool:
    """Return whether the LAN lost it, and the service then said that it failed."""
    first, newest = errors[0], errors[-1]
    lost = isinstance(first, UnreachableError) or certainly_lost(first)
    return lost and isinstance(newest, CommandFailedError)


def _lan_may_again(errors: list[PoolctlError]) -> bool:
    """Return whether the LAN is tried once more, now that the cloud did not take it."""
    return certainly_lost(errors[0]) or _failed_after_a_loss(errors)


class Sender:
    """Sends commands and waits for their effect.

    Raises InvalidCommandError before anything is sent, UnreachableError or BusyError
    where nobody takes a command, DeclinedError where it is declined, NotAppliedError
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
        self._store.commanded_at = time.monotonic()
        try:
            yield
        except asyncio.CancelledError:
            # Ours alone, it is an error that is shown to a person.
            if inner or not self._closed.is_set() or task.uncancel() > 0:
                raise
            raise StoppedError("stopped before the command was done") from None
        finally:
            self._store.commanded_at = time.monotonic()
            if not inner:
                self._running.discard(task)

    async def run(self, command: Command) -> None:
        """Send a command and wait for its effect."""
        await self.confirm(await self.send(command))

    async def send(self, command: Command) -> Pending:
        """Send a command and show the asked value until it is confirmed."""

        async def look() -> bool:
            # While it settles, no state says anything about it.
            observed = not command.settles_in and await self._poller.read_lan()
            return observed and command.holds(self._store.known)

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
        pending = self._pending(command, by_lan=by_lan, doubt=doubt)
        self._store.pending.add(pending)
        if frame is not None:
            self._poller.merge_frame(frame)
        else:
            self._store.publish()
        return pending

    def _pending(
        self, command: Command, *, by_lan: bool, doubt: PoolctlError | None
    ) -> Pending:
        """Return what is shown of a command that was sent just now."""
        now = time.monotonic()
        settled = now + command.settles_in
        return Pending(
            key=command.key,
            by_lan=by_lan,
            sent=now,
            settled=settled,
            until=settled + (LAN_PATIENCE if by_lan else COPY_AGE),
            show=command.show,
            holds=command.holds,
            report=_to_nobody if by_lan else self._report_shown,
            doubt=doubt,
        )

    def _report_shown(self, in_time: bool) -> None:
        self._paths.facts.emit(WriteShown(in_time))

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
            return await self._by_first_path(_Order(lan, cloud, idempotent, look))

    async def _by_first_path(self, order: _Order) -> tuple[bool, StateFrame | None]:
        """Go one path after the other until one takes it."""
        errors: list[PoolctlError] = []
        for attempt in self._attempts(order):
            if attempt is _Attempt.LAN_AGAIN and not _lan_may_again(errors):
                break
            try:
                return await self._try(attempt, order)
            except PoolctlError as err:
                errors.append(err)
                if not (
                    (attempt is _Attempt.CLOUD and _is_no_answer(errors, order))
                    or _other_path_may(err, idempotent=order.idempotent)
                ):
                    raise
        raise self._failure(order, errors)

    def _attempts(self, order: _Order) -> tuple[_Attempt, ...]:
        """Return the paths that can carry a command, in their order."""
        by_lan = order.lan is not None and self._paths.lan is not None
        if order.cloud is None or self._paths.cloud is None:
            return (_Attempt.LAN_ONLY,) if by_lan else ()
        if not by_lan:
            return (_Attempt.CLOUD,)
        if self._paths.on_lan:
            # The LAN may be back, should the cloud not take it.
            return _Attempt.LAN, _Attempt.CLOUD, _Attempt.LAN_AGAIN
        return _Attempt.CLOUD, _Attempt.LAN

    async def _try(
        self, attempt: _Attempt, order: _Order
    ) -> tuple[bool, StateFrame | None]:
        paths = self._paths
        if attempt is _Attempt.CLOUD:
            if order.cloud is None or paths.cloud is None:
                raise UnreachableError("no cloud any more", sent=False)
            if paths.lan is not None:
                paths.lan.skip_counter()
            await order.cloud(paths.cloud)
            return False, None
        if order.lan is None or paths.lan is None:
            raise UnreachableError("no address any more", sent=False)
        delivery = LanDelivery(order.lan, paths.lan, order.idempotent, order.look)
        return True, await delivery.send(patient=attempt is not _Attempt.LAN)

    def _failure(self, order: _Order, errors: list[PoolctlError]) -> PoolctlError:
        """Return what is raised where no path took it."""
        paths = self._paths
        cloud_works = paths.cloud is not None and not paths.on_lan
        if cloud_works and not order.cloud and all(map(certainly_lost, errors)):
            # Nothing was sent: what works is the cloud, which has no such command.
            return NotSupportedError("the cloud cannot carry this")
        if not errors:
            return NotSupportedError("no path can carry this")
        refusals = (err for err in errors if isinstance(err, CommandFailedError))
        return next(refusals, errors[0]) if certainly_lost(errors[0]) else errors[0]

    async def confirm(self, pending: Pending, *, query: str | None = None) -> None:
        """Wait until the asked value was observed; raises NotAppliedError if never.

        `query` names the query that reports it where no state frame does.
        A cloud write is acknowledged by the controller (interface.md 4.1 rule 2), and a
        cloud read may be older than it: there, later polls decide, when they are due.
        """
        if pending.by_lan:
            async with self.running():
                await self._look_for(pending, query)

    async def _observed_by(self, query: str | None, pending: Pending) -> bool:
        """Ask the query that reports a value, if any; return whether it shows it."""
        if query is None or not await self._queries.ask(query):
            return False
        if pending in self._store.pending and pending.holds(self._store.known):
            self._store.pending.confirm(pending)
            self._store.publish()
        return pending not in self._store.pending

    async def _look_for(self, pending: Pending, query: str | None) -> None:
        """Read until the value was observed, replaced by a newer one, or disproved."""
        waiting = self._store.pending
        for after in READ_BACK:
            if pending in waiting:
                wait = pending.sent + after - time.monotonic()
                await asyncio.sleep(max(0, wait))
            # Another read may have settled it meanwhile.
            if pending in waiting and not await self._observed_by(query, pending):
                await self._poller.read_lan()
        if pending in waiting:
            waiting.drop(pending)
            pending.disproved = True
            self._store.publish()
        if pending.disproved:
            raise pending.doubt or NotAppliedError(
                "the controller accepted it but did not do it"
            )
