"""Which path a command takes, and how its effect is confirmed.

The rules are chosen: the path that is the source goes first, a
refusal is final, and the requested value is shown until the controller confirms it.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto
import time

from ..cloud import COPY_AGE, CloudClient
from ..coalescing import Coalescer
from ..pool.state import PoolState
from ..wire.exceptions import (
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
    joined,
)
from ..wire.frame import StateFrame
from .lan_delivery import LanCommand, LanDelivery, Look, certainly_lost
from .paths import Paths
from .pending import Pending
from .poller import Poller
from .queries import Queries
from .store import Store

READ_BACK = (2.0, 5.0, 10.0, 15.0, 20.0)
"""Seconds after a command at which its effect is read back."""
LAN_PATIENCE = 25.0
"""Seconds after which a poll may drop a pending value: longer than a command waits."""
type CloudCommand = Callable[[CloudClient], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A requested value: how it is sent, and how its effect is recognised."""

    key: str
    """Key of the value: of two commands with the same key, the newer one counts."""
    show: Callable[[PoolState], PoolState]
    """Puts the requested value into a state."""
    holds: Callable[[PoolState], bool]
    """Returns whether a reported state has the value."""
    lan: LanCommand | None = None
    cloud: CloudCommand | None = None
    idempotent: bool = True
    """Whether it may run twice: only then is the other path tried after one that may
    have run it."""
    settles_in: float = 0.0
    """Seconds during which states say nothing about its effect."""


async def _never() -> bool:
    return False


class _Attempt(Enum):
    """One attempt to deliver a command."""

    LAN = auto()
    """With only one retry, as the cloud may accept the command, too."""
    CLOUD = auto()
    LAN_AGAIN = auto()
    LAN_ONLY = auto()


@dataclass(frozen=True, slots=True)
class _Order:
    """A command in the form that each path sends."""

    lan: LanCommand | None
    cloud: CloudCommand | None
    idempotent: bool
    look: Look


def _other_path_may(error: PoolctlError, *, idempotent: bool) -> bool:
    """Return whether the other path may be tried after this error."""
    if isinstance(error, UnreachableError):
        return idempotent or error.ran is False
    if isinstance(error, LanBusyError):
        return idempotent
    return isinstance(
        error,
        (
            BusyError,
            # Nothing was sent: the cloud may accept a command that is too long for the
            # LAN, or that cannot be signed because a clock is wrong.
            RequestTooLargeError,
            ClockError,
            # Raised by the cloud only: the LAN may still accept it.
            AuthenticationError,
            ForbiddenError,
            NotOfferedError,
            NotSupportedError,
        ),
    )


def _is_no_answer(errors: list[PoolctlError], order: _Order) -> bool:
    """Return whether the cloud's error is inconclusive for an idempotent command.

    The LAN may have run it, and a service that got no answer from the controller may
    report that as a refusal (protocol.md C8).
    """
    after_busy = isinstance(errors[0], LanBusyError)
    return order.idempotent and (after_busy or _failed_after_a_loss(errors))


def _failed_after_a_loss(errors: list[PoolctlError]) -> bool:
    """Return whether the LAN lost it, and the service then reported a failure."""
    first, newest = errors[0], errors[-1]
    lost = isinstance(first, UnreachableError) or certainly_lost(first)
    return lost and isinstance(newest, CommandFailedError)


def _lan_may_again(errors: list[PoolctlError]) -> bool:
    """Return whether the LAN is tried again after the cloud did not accept it."""
    return certainly_lost(errors[0]) or _failed_after_a_loss(errors)


class Sender:
    """Sends commands and waits for their effect.

    Raises InvalidCommandError before anything is sent, UnreachableError or BusyError
    if no path accepts a command, DeclinedError if it is declined, NotAppliedError if it
    was accepted but changed nothing, and StoppedError once the sender was closed.
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
        """Cancel coalesced commands; new ones are still accepted."""
        await self.coalescer.stop()

    async def close(self) -> None:
        """Cancel all commands for good: no retry, no other path, no read-back."""
        self._closed.set()
        for task in self._running:
            task.cancel()
        await self.coalescer.stop()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Run a block that ends with this sender; raises StoppedError then."""
        task = asyncio.current_task()
        if self._closed.is_set() or task is None:
            raise StoppedError("stopped before it was sent", ran=False)
        inner = task in self._running
        self._running.add(task)
        self._store.commanded_at = time.monotonic()
        try:
            yield
        except asyncio.CancelledError:
            # Cancelled by `close` alone: the user gets an error instead.
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
        """Send a command and show the requested value until it is confirmed."""

        async def look() -> bool:
            # While it settles, states say nothing about its effect.
            observed = not command.settles_in and await self._poller.read_lan()
            return observed and command.holds(self._store.reported)

        doubt: PoolctlError | None = None
        try:
            by_lan, frame = await self.deliver(
                command.lan, command.cloud, idempotent=command.idempotent, look=look
            )
        except LanBusyError as err:
            if not command.idempotent:
                raise
            # It may have run, and its effect may take a while: reads will show it.
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
        """Return the pending value of a command that was just sent."""
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
            doubt=doubt,
        )

    async def deliver(
        self,
        lan: LanCommand | None,
        cloud: CloudCommand | None,
        *,
        idempotent: bool = True,
        look: Look = _never,
    ) -> tuple[bool, StateFrame | None]:
        """Send over the current source's path, or the other one if that fails.

        Returns whether the LAN carried it, and the frame of its reply. A command that
        is not idempotent raises LanBusyError at once: it may have run anyway.
        """
        async with self.running():
            return await self._by_first_path(_Order(lan, cloud, idempotent, look))

    async def _by_first_path(self, order: _Order) -> tuple[bool, StateFrame | None]:
        """Try one path after the other until one accepts the command."""
        errors: list[PoolctlError] = []
        for attempt in self._attempts(order):
            if attempt is _Attempt.LAN_AGAIN and not _lan_may_again(errors):
                break
            try:
                return await self._try(attempt, order)
            except PoolctlError as err:
                errors.append(joined(err, *errors))
                if not (
                    (attempt is _Attempt.CLOUD and _is_no_answer(errors, order))
                    or _other_path_may(err, idempotent=order.idempotent)
                ):
                    raise
        raise joined(self._failure(order, errors), *errors)

    def _attempts(self, order: _Order) -> tuple[_Attempt, ...]:
        """Return the attempts for a command, in their order."""
        by_lan = order.lan is not None and self._paths.lan is not None
        if order.cloud is None or self._paths.cloud is None:
            return (_Attempt.LAN_ONLY,) if by_lan else ()
        if not by_lan:
            return (_Attempt.CLOUD,)
        if self._paths.on_lan:
            # If the cloud does not accept it, the LAN may be back by then.
            return _Attempt.LAN, _Attempt.CLOUD, _Attempt.LAN_AGAIN
        return _Attempt.CLOUD, _Attempt.LAN

    async def _try(
        self, attempt: _Attempt, order: _Order
    ) -> tuple[bool, StateFrame | None]:
        paths = self._paths
        if attempt is _Attempt.CLOUD:
            if order.cloud is None or paths.cloud is None:
                raise UnreachableError("no cloud any more", ran=False)
            if paths.lan is not None:
                paths.lan.skip_counter()
            await order.cloud(paths.cloud)
            return False, None
        if order.lan is None or paths.lan is None:
            raise UnreachableError("no address any more", ran=False)
        delivery = LanDelivery(order.lan, paths.lan, order.idempotent, order.look)
        return True, await delivery.send(patient=attempt is not _Attempt.LAN)

    def _failure(self, order: _Order, errors: list[PoolctlError]) -> PoolctlError:
        """Return the error to raise if no path accepted the command."""
        paths = self._paths
        cloud_works = paths.cloud is not None and not paths.on_lan
        if cloud_works and not order.cloud and all(map(certainly_lost, errors)):
            # Nothing was sent: only the cloud works, and it has no such command.
            return NotSupportedError("the cloud cannot carry this")
        if not errors:
            return NotSupportedError("no path can carry this")
        refusals = (err for err in errors if isinstance(err, CommandFailedError))
        return next(refusals, errors[0]) if certainly_lost(errors[0]) else errors[0]

    async def confirm(self, pending: Pending, *, query: str | None = None) -> None:
        """Wait until the requested value is observed; raises NotAppliedError if never.

        `query` names the query that reports the value if no state frame does.
        After a cloud write this does not wait: the controller acknowledged the write
        (protocol.md 4.1 rule 2), cloud reads may be older, and regular polls decide.
        """
        if pending.by_lan:
            async with self.running():
                await self._look_for(pending, query)

    async def _observed_by(self, query: str | None, pending: Pending) -> bool:
        """Send the query that reports a value, if any; return whether it is settled."""
        if query is None or not await self._queries.ask(query):
            return False
        if pending in self._store.pending and pending.holds(self._store.reported):
            self._store.pending.drop(pending)
            self._store.publish()
        return pending not in self._store.pending

    async def _look_for(self, pending: Pending, query: str | None) -> None:
        """Read until the value is observed, replaced by a newer one, or disproved."""
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
