"""All listeners to the facts of one account."""

from collections import defaultdict

from ..client.facts import SERVICE, CloudRequest, Facts
from .cloud_checks import CloudChecks
from .evidence import Evidence, EvidenceById
from .lan_checks import LanChecks
from .recorder import Recorder
from .statistics import ControllerStatistics, LinkStatistics


class Observers:
    """The listeners of one account and its controllers."""

    def __init__(self, evidence: EvidenceById | None = None) -> None:
        """Count in `evidence`, which other accounts of the same service may share."""
        self.evidence: EvidenceById = (
            defaultdict(Evidence) if evidence is None else evidence
        )
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
            evidence, service = self.evidence[device_id], self.evidence[SERVICE]
            facts.listen(CloudRequest, self.service.add_request)
            CloudChecks(evidence, service, facts)
            self.recorders[device_id] = Recorder(facts)
            if device_id != SERVICE:
                LanChecks(evidence, facts)
                self.statistics[device_id].observe(facts)
        return facts
