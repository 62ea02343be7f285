"""The two paths to one controller: the LAN, and the cloud while the LAN is down."""

from collections.abc import Generator
from contextlib import contextmanager
import time

from ..cloud import CloudClient
from ..facts import Facts
from ..lan import LanClient
from ..wire.exceptions import OvertakenError, PoolctlError, UnreachableError

MAX_MISSES = 2
"""Consecutive failed LAN polls after which the cloud is used."""

_WAITS = 4.0
"""Seconds without an answer after which the cloud counts as silent (chosen)."""


class Paths:
    """The clients of both paths, and how well they worked."""

    def __init__(
        self,
        device_id: str,
        lan: LanClient | None,
        cloud: CloudClient | None,
        facts: Facts | None = None,
    ) -> None:
        """Prepare; nothing is requested yet. Polls are emitted to `facts`."""
        self.device_id = device_id
        self.lan = lan
        self.cloud = cloud
        self.lan_error: PoolctlError | None = None
        """Error of the newest LAN read, `None` if it succeeded."""
        self.cloud_error: PoolctlError | None = None
        self._cloud_asked: float | None = None
        """When the request began that the cloud has not answered yet (monotonic, s)."""
        self._cloud_silent = False
        """Whether it did not answer the newest request."""
        self.lan_works: bool | None = None
        """Whether the newest LAN read was answered, `None` before the first one."""
        self.facts = facts or Facts()
        # One below the limit: at the start, the first failure switches to the cloud.
        self._misses = MAX_MISSES - 1

    @property
    def on_lan(self) -> bool:
        """Whether the LAN is the source, or may still become it."""
        return self.lan is not None and self._misses < MAX_MISSES

    @property
    def lan_answers(self) -> bool:
        """Whether the LAN answered the last poll."""
        return self.lan is not None and self._misses == 0

    @property
    def lan_first(self) -> bool:
        """Whether a command takes the LAN first: it, or neither, answered last."""
        return self.on_lan or self._cloud_silent or self._waits_for_cloud

    @property
    def _waits_for_cloud(self) -> bool:
        asked = self._cloud_asked
        return asked is not None and time.monotonic() - asked > _WAITS

    @contextmanager
    def asking_cloud(self) -> Generator[None]:
        """Note whether the cloud answers the request of the block."""
        self._cloud_asked = time.monotonic()
        try:
            yield
            self._cloud_silent = False
        except UnreachableError as err:
            ended_for_others = isinstance(err, OvertakenError)
            self._cloud_silent |= self._waits_for_cloud or not ended_for_others
            raise
        finally:
            self._cloud_asked = None

    def set_lan(self, lan: LanClient | None) -> None:
        """Use another address or key; the next poll tries it."""
        self.lan = lan
        if lan is not None and self._misses:
            self._misses = MAX_MISSES - 1

    def lan_answered(self) -> None:
        """Reset the count of failures: the LAN is the source."""
        self.lan_error = None
        self._misses = 0

    def lan_lost(self) -> None:
        """Use the cloud from now on, if there is one."""
        if self.cloud is not None:
            self._misses = MAX_MISSES

    def lan_missed(self) -> bool:
        """Count an unanswered LAN poll; return whether the cloud is used now."""
        self._misses += 1
        return not self.on_lan
