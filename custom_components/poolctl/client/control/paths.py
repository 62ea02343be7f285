"""The two ways to one controller: the LAN, and the cloud for when the LAN is gone."""

from ..cloud import CloudClient
from ..exceptions import PoolctlError
from ..facts import Facts
from ..lan import LanClient

MAX_MISSES = 2
"""LAN polls in a row that may fail before the cloud steps in."""


class Paths:
    """Who can be asked, and how that has worked."""

    def __init__(
        self,
        device_id: str,
        lan: LanClient | None,
        cloud: CloudClient | None,
        facts: Facts | None = None,
    ) -> None:
        """Prepare; nobody is asked yet. `facts` are where polls are reported."""
        self.device_id = device_id
        self.lan = lan
        self.cloud = cloud
        self.lan_error: PoolctlError | None = None
        """Why the newest read of the LAN failed, `None` where it did not."""
        self.cloud_error: PoolctlError | None = None
        self.lan_works: bool | None = None
        """Whether the newest read of the LAN was answered, `None` before the first."""
        self.facts = facts or Facts()
        # One short of the limit: at the start the first miss calls the cloud.
        self._misses = MAX_MISSES - 1

    @property
    def on_lan(self) -> bool:
        """Whether the LAN is the source, or is still given a chance to be."""
        return self.lan is not None and self._misses < MAX_MISSES

    @property
    def lan_answers(self) -> bool:
        """Whether the LAN answered the last time it was asked."""
        return self.lan is not None and self._misses == 0

    def set_lan(self, lan: LanClient | None) -> None:
        """Take another address or key; it has its first chance at the next poll."""
        self.lan = lan
        if lan is not None and self._misses:
            self._misses = MAX_MISSES - 1

    def lan_answered(self) -> None:
        """Count from anew: the LAN is the source."""
        self.lan_error = None
        self._misses = 0

    def lan_missed(self) -> bool:
        """Count a poll that the LAN did not answer; return whether the cloud steps in."""
        self._misses += 1
        return not self.on_lan
