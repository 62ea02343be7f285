"""What a person composed: any action or query, sent to the controller as it is.

The way to what nobody has described, such as `set_time` and `evt_rewind`
(layouts.md 3). Only the LAN carries it.
"""

from typing import TYPE_CHECKING

from ..exceptions import InvalidCommandError, NotSupportedError
from ..lan import LanClient, state_after

if TYPE_CHECKING:
    from .poller import Poller


def parse_payload(text: str) -> bytes:
    """Return the bytes of a payload in hex, spaces allowed; raises InvalidCommandError."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InvalidCommandError("not hex", reason="payload_not_hex") from None


class Raw:
    """Sends what a person composed, once: nobody knows whether it may run twice.

    Raises what `LanClient.query` raises, and NotSupportedError without a LAN.
    """

    def __init__(self, poller: Poller) -> None:
        """Send by the LAN of a poller, and let it know."""
        self._poller = poller

    async def action(self, name: str, payload: bytes) -> bytes:
        """Run an action; return its reply, a state frame or nothing."""
        reply = await self._lan.raw_action(name, payload)
        # It may have changed anything.
        self._poller.details_changed()
        if (frame := state_after(reply)) is not None:
            self._poller.merge_frame(frame)
        return reply

    async def query(self, name: str, payload: bytes) -> bytes:
        """Ask a query; return its reply."""
        return await self._lan.query(name, payload, urgent=True)

    @property
    def _lan(self) -> LanClient:
        if self._poller.lan is None:
            raise NotSupportedError("only the LAN carries this")
        return self._poller.lan
