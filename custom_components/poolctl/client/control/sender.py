"""Which path a command takes, and how its effect is confirmed.

All of this is chosen: the path that is the source goes first, a refusal is final, and
the requested value is shown until the controller confirms it.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
import time

from ..cloud import COPY_AGE, UrgentCloud
from ..coalescing import Coalescer
from ..wire.exceptions import (
    ClockError,
    CommandFailedError,
    LanBusyError,
    NotAppliedError,
    NotSupportedError,
    PoolctlError,
    UnreachableError,
    joined,
)
from ..wire.frame import StateFrame
from .command import Command
from .lan_delivery import LanDelivery
from .live_state import LiveState
from .paths import Paths
from .poller import Poller
from .queries import Queries

READ_BACK = (2.0, 5.0, 10.0, 15.0, 20.0)
"""Seconds after a command at which its effect is read back."""
CLICK_PATIENCE = 34.0
"""Seconds that all attempts of a user's command share: with a second in which the last
one ends, an error comes within 35 s."""
_FOR_LAN = 5.0
"""Seconds of them that are left to the LAN after the cloud: it answers or is gone."""
LAN_PATIENCE = 25.0
"""Seconds after which a poll may drop a pending value: longer than a command waits."""


def _may_go_on(command: Command, errors: list[PoolctlError]) -> bool:
    """Return whether the next path may be tried after the newest error.

    It may if another path may accept the command, and the newest one did not run it or
    running it twice is harmless. After the LAN, the cloud's refusal of an idempotent
    command leaves room, too: the LAN may have run it, and a service that got no answer
    from the controller may call that a refusal (protocol.md C8).
    """
    inconclusive = isinstance(errors[0], LanBusyError) or _failed_after_a_loss(errors)
    if len(errors) > 1 and command.idempotent and inconclusive:
        return True
    newest = errors[-1]
    return newest.elsewhere and (command.idempotent or newest.ran is False)


def _failed_after_a_loss(errors: list[PoolctlError]) -> bool:
    """Return whether the LAN lost it, and the service then reported a failure."""
    first, newest = errors[0], errors[-1]
    lost = first.lost or isinstance(first, UnreachableError)
    return lost and isinstance(newest, CommandFailedError)


def _is_over(command: Command, errors: list[PoolctlError]) -> bool:
    """Return whether no attempt follows: no time is left, or a third one is no use."""
    third = len(errors) == 2 and not (errors[0].lost or _failed_after_a_loss(errors))
    return third or bool(errors and time.monotonic() >= command.give_up)


class Sender:
    """Sends commands and waits for their effect.

    Raises InvalidCommandError before anything is sent, UnreachableError or BusyError
    if no path accepts a command, DeclinedError if it is declined, NotAppliedError if it
    was accepted but changed nothing, and UnreachableError (`stopped`) once it was
    closed.
    """

    def __init__(
        self, live: LiveState, paths: Paths, poller: Poller, queries: Queries
    ) -> None:
        self._live = live
        self._paths = paths
        self._poller = poller
        self._queries = queries
        self.coalescer = Coalescer()
        self._running: dict[asyncio.Task[object], float] = {}
        """The tasks of commands, and when their users stop waiting (monotonic, s)."""
        self._closed = asyncio.Event()

    async def close(self) -> None:
        """Cancel all commands for good: no retry, no other path, no read-back."""
        self._closed.set()
        for task in self._running:
            task.cancel()
        await self.coalescer.stop()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[float]:
        """Run a block that ends with this sender; raises UnreachableError (`stopped`) then.

        Yields the time at which its user stops waiting: all that runs in a block shares it.
        """
        task, now = asyncio.current_task(), time.monotonic()
        if self._closed.is_set() or task is None:
            raise UnreachableError(ran=False, reason="stopped")
        inner = task in self._running
        give_up = self._running.setdefault(task, now + CLICK_PATIENCE)
        self._live.commanded_at = now
        try:
            yield give_up
        except asyncio.CancelledError:
            # Cancelled by `close` alone: the user gets an error instead.
            if inner or not self._closed.is_set() or task.uncancel() > 0:
                raise
            raise UnreachableError(reason="stopped") from None
        finally:
            self._live.commanded_at = time.monotonic()
            if not inner:
                del self._running[task]

    async def run(self, command: Command) -> None:
        """Send a command and wait for its effect."""
        async with self.running():
            await self.confirm(await self.send(command))

    async def send(self, command: Command) -> Command:
        """Send a command and show the requested value until it is confirmed."""
        frame = None
        try:
            frame = await self.deliver(command)
        except LanBusyError as err:
            if not command.idempotent:
                raise
            # It may have run, and its effect may take a while: reads will show it.
            command.by_lan, command.doubt = True, err
        command.sent = time.monotonic()
        command.settled = command.sent + command.settles_in
        patience = LAN_PATIENCE if command.by_lan else COPY_AGE
        command.until = command.settled + patience
        self._live.pending.add(command)
        if frame is not None:
            self._poller.merge_frame(frame)
        else:
            self._live.publish()
        return command

    async def deliver(self, command: Command) -> StateFrame | None:
        """Send over the current source's path, or the other one if that fails.

        A third attempt follows only if the LAN lost the command: it may be back.
        Returns the frame of the LAN's reply, and notes which path carried it. A command
        that is not idempotent raises LanBusyError at once: it may have run anyway.
        """
        async with self.running() as command.give_up:
            errors: list[PoolctlError] = []
            for by_lan, patient in (attempts := self._attempts(command)):
                if _is_over(command, errors):
                    break
                more = len(errors) + 1 < len(attempts) and all(e.lost for e in errors)
                try:
                    if by_lan:
                        return await self._by_lan(command, patient=patient)
                    return await self._by_cloud(command, _FOR_LAN if more else 0.0)
                except PoolctlError as err:
                    errors.append(joined(err, *errors))
                    if not _may_go_on(command, errors):
                        raise
            raise joined(self._failure(command, errors), *errors)

    def _attempts(self, command: Command) -> tuple[tuple[bool, bool], ...]:
        """Return the attempts in their order: by the LAN or not, and with all retries."""
        by_lan = command.lan is not None and self._paths.lan is not None
        if command.cloud is None or self._paths.cloud is None:
            return ((True, True),) if by_lan else ()
        if not by_lan:
            return ((False, False),)
        if self._paths.lan_first:
            # If the cloud does not accept it, the LAN may be back by then.
            return (True, False), (False, False), (True, True)
        return (False, False), (True, False)

    async def _by_lan(self, command: Command, *, patient: bool) -> StateFrame | None:
        command.by_lan = True
        if command.lan is None or (lan := self._paths.lan) is None:
            raise UnreachableError("no address any more", ran=False)
        took_effect = partial(self._took_effect, command)
        delivery = LanDelivery(command, command.lan, lan, took_effect)
        try:
            async with asyncio.timeout(command.give_up - time.monotonic()):
                return await delivery.send(patient=patient)
        except TimeoutError:
            raise UnreachableError("no answer in time") from None

    async def _took_effect(self, command: Command) -> bool:
        """Read the state; return whether it shows the effect of a command.

        While the command settles, states say nothing about its effect.
        """
        if command.settles_in > 0 or not await self._poller.read_lan():
            return False
        return command.confirms(self._live.reported)

    async def _by_cloud(self, command: Command, left: float) -> StateFrame | None:
        """Send it over the cloud, which leaves some seconds to the LAN."""
        paths, command.by_lan = self._paths, False
        if command.cloud is None or paths.cloud is None:
            raise UnreachableError("no cloud any more", ran=False)
        if paths.lan is not None:
            # The cloud is about to use a counter, too: the same number twice would be a
            # replay (protocol.md O1).
            with suppress(ClockError):
                paths.lan.counters.next()
        give_up = command.give_up - left
        with paths.asking_cloud():
            await command.cloud(UrgentCloud(paths.cloud, paths.device_id, give_up))
        return None

    def _failure(self, command: Command, errors: list[PoolctlError]) -> PoolctlError:
        """Return the error that explains best why no path carried a command."""
        only_cloud = self._paths.cloud is not None and not self._paths.on_lan
        if only_cloud and not command.cloud and all(err.lost for err in errors):
            return NotSupportedError("the cloud cannot carry this")
        if not errors:
            return NotSupportedError("no path can carry this")
        refusals = (err for err in errors if isinstance(err, CommandFailedError))
        return next(refusals, errors[0]) if errors[0].lost else errors[0]

    async def confirm(self, pending: Command) -> None:
        """Read until the value is observed, or replaced by a newer one.

        Raises NotAppliedError if it is never observed, and UnreachableError (`ran`) if
        nothing was read in the time that its user waits. After a cloud write this does
        not wait: the controller acknowledged the write (protocol.md 4.1 rule 2), cloud
        reads may be older, and regular polls decide.
        """
        if not pending.by_lan:
            return
        waiting, before = self._live.pending, self._live.read_at
        async with self.running():
            with suppress(TimeoutError):
                async with asyncio.timeout(pending.give_up - time.monotonic()):
                    await self._read_back(pending)
            if pending in waiting:
                waiting.drop(pending)
                pending.disproved = True
                self._live.publish()
                if self._live.read_at == before:
                    raise pending.doubt or UnreachableError("nothing read", ran=True)
            if pending.disproved:
                raise pending.doubt or NotAppliedError(
                    "the controller accepted it but did not do it"
                )

    async def _read_back(self, pending: Command) -> None:
        waiting = self._live.pending
        for after in READ_BACK:
            if pending in waiting:
                wait = pending.sent + after - time.monotonic()
                await asyncio.sleep(max(0, wait))
            # Another read may have settled it meanwhile.
            if pending in waiting and not await self._is_settled_by_query(pending):
                await self._poller.read_lan(again=False)

    async def _is_settled_by_query(self, pending: Command) -> bool:
        """Send the query that reports a value, if any; return whether it is settled."""
        if pending.query is None or not await self._queries.ask(pending.query):
            return False
        if pending in self._live.pending and pending.confirms(self._live.reported):
            self._live.pending.drop(pending)
            self._live.publish()
        return pending not in self._live.pending
