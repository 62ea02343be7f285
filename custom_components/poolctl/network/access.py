"""What it takes to reach one controller on the LAN: its record, and clients for it."""

from aiohttp import ClientSession

from ..client.envelope import Counters, parse_key
from ..client.facts import Facts
from ..client.lan import LanClient
from .record import ControllerRecord


class LanAccess:
    """Makes clients for a controller, at its address or at another one."""

    def __init__(
        self,
        record: ControllerRecord,
        session: ClientSession,
        counters: Counters,
        facts: Facts,
        *,
        allowed: bool,
    ) -> None:
        """Prepare; `allowed` is whether the options of the entry allow the LAN."""
        self.record = record
        """The controller as it is known now."""
        self.allowed = allowed
        self.counters = counters
        self.facts = facts
        self._session = session

    def client(self, record: ControllerRecord | None = None) -> LanClient | None:
        """Return a client, for another record if given.

        `None` where the LAN is not allowed, or there is no address or key.
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
