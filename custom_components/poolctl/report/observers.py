"""All listeners to the facts of one account."""

from collections import defaultdict

from ..client.facts import SERVICE, CloudRequest, Facts
from .recorder import Recorder
from .statistics import ControllerStatistics, LinkStatistics


class Observers:
    """The listeners of one account and its controllers."""

    def __init__(self) -> None:
        self.service = LinkStatistics()
        """Statistics of all requests to the service."""
        self.statistics: defaultdict[str, ControllerStatistics] = defaultdict(
            ControllerStatistics
        )
        """Statistics of each controller, by device ID."""
        self.recorders: dict[str, Recorder] = {}
        """Flight recorders by device ID; the one of `SERVICE` is the account's."""
        self._facts: dict[str, Facts] = {}

    def facts(self, device_id: str = SERVICE) -> Facts:
        """Return the facts of a controller, or of the service, with their listeners."""
        if (facts := self._facts.get(device_id)) is None:
            facts = self._facts[device_id] = Facts()
            facts.listen(CloudRequest, self.service.add_request)
            self.recorders[device_id] = Recorder(facts)
            if device_id != SERVICE:
                self.statistics[device_id].observe(facts)
        return facts
