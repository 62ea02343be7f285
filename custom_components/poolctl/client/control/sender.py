"""How a command goes its way: by the LAN or the cloud, and shown until confirmed.

The rules of commands are design.md 4, ours (chosen): the path that is the source first,
a refusal is final, the asked value is shown until the controller confirms it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
import time

from ..cloud import COPY_AGE, CloudClient
from ..exceptions import (
    AuthenticationError,
    BusyError,
    LanBusyError,
    NotAppliedError,
    NotOfferedError,
    NotSupportedError,
    PoolctlError,
    RequestTooLargeError,
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
_SECOND_TRY = 0.5
"""s after which what certainly did not run is sent again."""

type LanCommand = Callable[[LanClient], Awaitable[StateFrame | None]]
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


class Sender:
    """Sends commands and waits for their effect.

    Raises InvalidCommandError before anything is sent, UnreachableError or BusyError
    where nobody takes a command, RefusedError where it is declined, and NotAppliedError
    where it was accepted but changed nothing.
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

    async def stop(self) -> None:
        """End what is under way."""
        await self.coalescer.stop()

    async def run(self, command: Command) -> None:
        """Send a command and wait for its effect."""
        await self.confirm(await self.send(command))

    async def send(self, command: Command) -> Pending:
        """Send a command and show the asked value until it is confirmed."""
        by_lan, frame = await self.deliver(
            command.lan, command.cloud, idempotent=command.idempotent
        )
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
    ) -> tuple[bool, StateFrame | None]:
        """Send by the current source's path, by the other one if nobody takes it.

        Returns whether the LAN took it, and the frame of its reply.
        """
        errors: list[PoolctlError] = []
        paths = self._paths
        for by_lan in (paths.on_lan, not paths.on_lan):
            try:
                if by_lan and lan and paths.lan:
                    return True, await self._try_twice(lan, paths.lan)
                if not by_lan and cloud and paths.cloud:
                    if paths.lan is not None:
                        paths.lan.skip_counter()
                    await cloud(paths.cloud)
                    return False, None
            except UnreachableError as err:
                if err.sent and not idempotent:
                    raise
                errors.append(err)
            except (
                BusyError,
                # Nothing was sent: the cloud may take what is too long for the LAN.
                RequestTooLargeError,
                # Of the cloud alone: the LAN may still take it.
                AuthenticationError,
                NotOfferedError,
                NotSupportedError,
            ) as err:
                errors.append(err)
        raise errors[0] if errors else NotSupportedError("no path can carry this")

    async def _try_twice(
        self, command: LanCommand, lan: LanClient
    ) -> StateFrame | None:
        """Send to the LAN, again where it was certainly not run (interface.md 4.2)."""
        try:
            return await command(lan)
        except LanBusyError:
            pass
        except UnreachableError as err:
            if err.sent:
                raise
        await asyncio.sleep(_SECOND_TRY)
        return await command(lan)

    async def confirm(self, pending: Pending, *, query: str | None = None) -> None:
        """Wait until the asked value was seen; raises NotAppliedError if never.

        `query` names the query that tells it where no state frame does.
        A cloud write is acknowledged by the controller (interface.md 4.1 rule 2), and a
        cloud read may be older than it: there, later polls decide, when they are due.
        """
        if not pending.by_lan:
            return
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
            raise NotAppliedError("the controller accepted it but did not do it")
