"""Access to one controller on the LAN: its record, and clients for it."""

from aiohttp import ClientSession

from ..client.counters import Counters
from ..client.facts import Facts
from ..client.lan import LanClient
from ..client.wire.envelope import parse_key
from .record import ControllerRecord


class LanAccess:
    """Creates clients for a controller, at its stored address or at another one."""

    def __init__(
        self,
        record: ControllerRecord,
        session: ClientSession,
        counters: Counters,
        facts: Facts,
        *,
        allowed: bool,
    ) -> None:
        """Prepare; `allowed` states whether the options of the entry allow the LAN."""
        self.record = record
        """Current record of the controller."""
        self.allowed = allowed
        self.counters = counters
        self.facts = facts
        self._session = session

    def client(self, record: ControllerRecord | None = None) -> LanClient | None:
        """Return a client for the controller, or for another record if given.

        Return `None` if the LAN is not allowed, or the address or the key is missing.
        """
        record = record or self.record
        if record.host is None or record.key is None or not self.allowed:
            return None
        return LanClient(
            self._session,
            record.host,
            parse_key(record.key),
            port=record.port,
            counter=self.counters,
            facts=self.facts,
        )
