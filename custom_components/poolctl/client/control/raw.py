"""Raw commands: any action or query that a user composed, sent unchanged.

They give access to undocumented actions such as `set_time` and `evt_rewind`
(protocol.md O3). Only the LAN carries them.
"""

from ..lan import LanClient, state_after
from ..wire.exceptions import (
    InvalidCommandError,
    LanBusyError,
    NotSupportedError,
    UnreachableError,
)
from .paths import Paths
from .poller import Poller
from .queries import Queries
from .sender import Sender


def parse_payload(text: str) -> bytes:
    """Return the bytes of a hex payload, spaces allowed; raises InvalidCommandError."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InvalidCommandError(reason="payload_not_hex") from None


class RawControl:
    """Sends raw commands, each only once: whether one may run twice is not documented.

    Raises as `LanClient.query` does, and NotSupportedError without a LAN.
    """

    def __init__(
        self, sender: Sender, poller: Poller, queries: Queries, paths: Paths
    ) -> None:
        self._sender, self._poller = sender, poller
        self._queries, self._paths = queries, paths

    async def action(self, name: str, payload: bytes) -> bytes:
        """Run an action; return its reply, a state frame or nothing."""
        lan = self._lan
        # It may change anything, even if its answer is lost.
        self._queries.expire()
        try:
            async with self._sender.running():
                reply = await lan.raw_action(name, payload)
        except LanBusyError as err:
            # It may have run, and only the frame of its reply found no buffer.
            raise UnreachableError(reason="outcome_unknown") from err
        if (frame := state_after(reply, lan.slots)) is not None:
            self._poller.merge_frame(frame, opens=True)  # it may change anything
        return reply

    async def query(self, name: str, payload: bytes) -> bytes:
        """Send a query; return its reply."""
        async with self._sender.running():
            return await self._lan.query(name, payload, urgent=True)

    @property
    def _lan(self) -> LanClient:
        if self._paths.lan is None:
            raise NotSupportedError("only the LAN carries this")
        return self._paths.lan
