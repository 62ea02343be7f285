"""How a command goes its way: by the LAN or the cloud, and shown until confirmed.

The rules of commands are design.md 4, ours (chosen): the path that is the source first,
a refusal is final, the asked value is shown until the controller confirms it.
"""

import asyncio
from collections.abc import Awaitable, Callable
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
from .pending import Coalescer, Pending
from .poller import Poller

READ_BACK = (2.0, 5.0, 10.0, 15.0, 20.0)
"""s after a command at which its effect is looked for."""
LAN_PATIENCE = 25.0
"""s after which a poll ends what no command waits for: longer than any waits."""

type LanCommand = Callable[[LanClient], Awaitable[StateFrame | None]]
type CloudCommand = Callable[[CloudClient], Awaitable[None]]
type Show = Callable[[PoolState], PoolState]
type Holds = Callable[[PoolState], bool]


class Commander(Poller):
    """A controller that takes commands; they return once their effect was seen.

    They raise InvalidCommandError before anything is sent, UnreachableError or
    BusyError where nobody takes them, RefusedError where they are declined, and
    NotAppliedError where they were accepted but changed nothing.
    """

    def __init__(
        self,
        device_id: str,
        *,
        lan: LanClient | None,
        cloud: CloudClient | None,
        publish: Callable[[], None] = lambda: None,
        remembered: PoolState | None = None,
    ) -> None:
        """Start from what is remembered; nothing is read yet."""
        super().__init__(
            device_id,
            lan=lan,
            cloud=cloud,
            publish=publish,
            remembered=remembered or PoolState(),
        )
        self.coalescer = Coalescer()

    async def stop(self) -> None:
        """End what is under way."""
        await self.coalescer.stop()

    async def command(
        self,
        key: str,
        show: Show,
        holds: Holds,
        *,
        lan: LanCommand | None = None,
        cloud: CloudCommand | None = None,
        idempotent: bool = True,
    ) -> None:
        """Send a command and wait for its effect; see `send`."""
        await self.confirm(
            await self.send(
                key, show, holds, lan=lan, cloud=cloud, idempotent=idempotent
            )
        )

    async def send(
        self,
        key: str,
        show: Show,
        holds: Holds,
        *,
        lan: LanCommand | None = None,
        cloud: CloudCommand | None = None,
        idempotent: bool = True,
        settles_in: float = 0.0,
    ) -> Pending:
        """Send a command and show the asked value until it is confirmed.

        `show` puts the value into a state, `holds` tells whether a state has it by
        itself; for `settles_in` seconds no state is asked. Of a path that may have run
        it, the other path is tried only if the command is idempotent.
        """
        by_lan, frame = await self.deliver(lan, cloud, idempotent=idempotent)
        now = time.monotonic()
        settled = now + settles_in
        patience = LAN_PATIENCE if by_lan else COPY_AGE
        pending = Pending(key, by_lan, now, settled, settled + patience, show, holds)
        self.pending.add(pending)
        if frame is not None:
            self.merge_frame(frame)
        else:
            self._publish()
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
        for by_lan in (self.on_lan, not self.on_lan):
            try:
                if by_lan and lan and self.lan:
                    return True, await self._try_twice(lan, self.lan)
                if not by_lan and cloud and self.cloud:
                    if self.lan is not None:
                        self.lan.skip_counter()
                    await cloud(self.cloud)
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
        await asyncio.sleep(0.5)
        return await command(lan)

    async def confirm(self, pending: Pending, *, query: str | None = None) -> None:
        """Wait until the asked value was seen; raises NotAppliedError if never.

        `query` names the slow data that tell it where no state frame does.
        A cloud write is acknowledged by the controller (interface.md 4.1 rule 2), and a
        cloud read may be older than it: there, one look, and later polls decide.
        """
        for after in READ_BACK:
            if pending not in self.pending:
                return
            await asyncio.sleep(max(0, pending.sent + after - time.monotonic()))
            if pending not in self.pending:
                return
            if not pending.by_lan:
                await self.read_cloud(pace=False)
                return
            if query is not None:
                await self.ask(query)
            await self.read_lan()
        if pending in self.pending:
            self.pending.drop(pending)
            self._publish()
            raise NotAppliedError("the controller accepted it but did not do it")
