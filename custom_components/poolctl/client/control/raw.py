"""What a person composed: any action or query, sent to the controller as it is.

The way to what nobody has described, such as `set_time` and `evt_rewind`
(layouts.md 3). Only the LAN carries it.
"""

from ..exceptions import (
    InvalidCommandError,
    LanBusyError,
    NotSupportedError,
    OutcomeUnknownError,
)
from ..lan import LanClient, state_after
from .paths import Paths
from .poller import Poller
from .queries import Queries
from .sender import Sender


def parse_payload(text: str) -> bytes:
    """Return the bytes of a payload in hex, spaces allowed; raises InvalidCommandError."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InvalidCommandError("not hex", reason="payload_not_hex") from None


class RawControl:
    """Sends what a person composed, once: nobody knows whether it may run twice.

    Raises what `LanClient.query` raises, and NotSupportedError without a LAN.
    """

    def __init__(
        self, paths: Paths, sender: Sender, poller: Poller, queries: Queries
    ) -> None:
        """Send by the LAN, and let poller and queries know."""
        self._paths = paths
        self._sender = sender
        self._poller = poller
        self._queries = queries

    async def action(self, name: str, payload: bytes) -> bytes:
        """Run an action; return its reply, a state frame or nothing."""
        lan = self._lan
        # It may have changed anything, also where its answer is lost.
        self._queries.expire()
        try:
            async with self._sender.running():
                reply = await lan.raw_action(name, payload)
        except LanBusyError as err:
            # Only the frame of its reply may have found no room.
            raise OutcomeUnknownError("busy, perhaps after it ran") from err
        if (frame := state_after(reply)) is not None:
            self._poller.merge_frame(frame)
        return reply

    async def query(self, name: str, payload: bytes) -> bytes:
        """Ask a query; return its reply."""
        async with self._sender.running():
            return await self._lan.query(name, payload, urgent=True)

    @property
    def _lan(self) -> LanClient:
        if self._paths.lan is None:
            raise NotSupportedError("only the LAN carries this")
        return self._paths.lan
