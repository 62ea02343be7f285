"""What is known about a controller: the input of all tables of problems and causes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from homeassistant.core import HomeAssistant

from ..client import ClockFault, Paths
from ..client.holds import Decision, Hold
from ..client.pool import Body
from ..devices.parts import Uses
from ..learned.pool import Pool
from ..network.addresses import ObservedAddress
from ..network.record import ControllerRecord
from ..options import Options
from ..warm_by.outlook import Outlook
from ..warm_by.request import Request
from .rows import Status, Subject


@dataclass(frozen=True, kw_only=True)
class Situation(Pool, Subject):
    """A pool and its controller at one moment.

    The subject's ID is that of the device in Home Assistant's registry, not that of the
    controller, as diagnostics show the IDs of repairs.
    """

    record: ControllerRecord
    announced: ObservedAddress | None
    """Address that the network reported last."""
    now: datetime
    """Trusted time, in the time zone of the pool."""
    clock_ahead: timedelta
    """How far our clock is ahead of the trusted time."""
    reached: bool
    """Whether its state is at most 90 s old."""
    silent: bool
    """Whether two polls in a row were not answered, nor by the cloud."""
    last_answer: datetime | None
    """Time of the last answer of a silent controller."""
    closed_season: bool
    """Whether a user disabled polling."""
    options: Options
    paths: Paths
    """Copy of the paths: what is allowed and possible, and how well it worked."""
    holds: tuple[Hold, ...]
    overdue: tuple[Hold, ...]
    """Holds that a user has to release: long after their end, or without a LAN."""
    pauses: Mapping[str, datetime]
    """End of the pause of each paused doser, by the doser's key."""
    pause_overdue: bool
    """Whether a doser should have been on again an hour ago."""
    heat_held: Mapping[Body, datetime]
    """Until when each body of water is heated that is held at heating for a time."""
    heat_overdue: bool
    """Whether heating for a time should have been off long ago."""
    stopped_by_spa: tuple[Hold, ...]
    changes: tuple[Decision[Hold], ...]
    """What was decided about holds, and why; the newest comes last."""
    requests: Mapping[Body, Request]
    """Requests for water that is warm by a time."""
    warm_by: Mapping[Body, Outlook]
    """Their outlooks, as far as the target is known."""
    refused_list: str | None
    """Name of a list of prices that an automation gave and that cannot be used."""
    clock_fault: ClockFault | None
    """Why the controller refuses all that we sign, `None` if it does not."""
    key_asked: bool
    """Whether the account has answered a request for the key since a frame last
    verified: whatever the answer was, the LAN then does not recover by itself."""

    @property
    def ahead(self) -> timedelta:
        """How far the controller's clock is ahead of ours, as far as it is measured."""
        return self.learned.controller_clock.offset or timedelta()

    @property
    def answers(self) -> bool:
        """Whether the controller answers, by one path or the other."""
        return self.reached and not self.silent

    @property
    def local(self) -> datetime:
        """The local time of the controller's clock."""
        return self.now + self.ahead


@dataclass(frozen=True, kw_only=True)
class View(Situation):
    """A situation as entities show it, with the problems that follow from it."""

    hass: HomeAssistant
    """For texts in its language."""
    uses: Uses = field(default_factory=dict)
    status: Status = field(default_factory=Status)
