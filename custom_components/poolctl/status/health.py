"""How a controller is reached at one moment: the input of the problem checks."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ..client.counters import ClockFault
from ..client.holds.hold import Hold
from ..client.pool.dosing import AnyDosing
from ..client.pool.state import PoolState
from ..client.wire.exceptions import PoolctlError
from ..learned.pool import Pool
from ..network.addresses import ObservedAddress
from ..network.record import ControllerRecord
from ..warm_by.outlook import Outlook
from ..warm_by.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The result of the newest poll, with all other input of the problem checks."""

    record: ControllerRecord
    registered_id: str
    """ID of the device in Home Assistant's registry."""
    announced: ObservedAddress | None
    """Address that the network reported last."""
    pool: Pool
    now: datetime
    """Trusted time, in the time zone of the pool."""
    clock_ahead: timedelta
    """How far our clock is ahead of the trusted time."""
    controller_ahead: timedelta | None
    """How far the controller's clock is ahead of ours, `None` until it is measured."""
    reached: bool
    """Whether its state is at most 90 s old."""
    silent: bool
    """Whether two polls in a row were not answered, nor by the cloud."""
    last_answer: datetime | None
    """Time of the last answer of a silent controller."""
    closed_season: bool
    """Whether a user disabled polling."""
    lan_allowed: bool
    """Whether the options of the entry allow the LAN."""
    lan_possible: bool
    """Whether the LAN is allowed, and an address and a key are available."""
    on_lan: bool
    """Whether the LAN is the source."""
    lan_works: bool | None
    """Whether the last poll of the LAN was answered, `None` if there was none."""
    lan_error: PoolctlError | None
    """Error of the last poll of the LAN."""
    holds: tuple[Hold, ...]
    overdue: tuple[Hold, ...]
    """Holds that a user has to release: long after their end, or without a LAN."""
    pauses_overdue: tuple[AnyDosing, ...]
    """Dosers that should have been on again an hour ago."""
    heat_overdue: bool
    """Whether heating that *Warm by* switched on should have been off long ago."""
    stopped_by_spa: tuple[Hold, ...]
    warm_late: tuple[tuple[Request, Outlook], ...]
    """Requests for water that will not be warm in time."""
    clock_fault: ClockFault | None
    """Why the controller refuses all that we sign, `None` if it does not."""
    drum_repairs: bool
    """Whether the options of the entry ask for repairs of drums."""
    cloud_allowed: bool
    cloud_error: PoolctlError | None
    key_asked: bool
    """Whether the account has answered a request for the key since a frame last
    verified: whatever the answer was, the LAN then does not recover by itself."""

    @property
    def subject_id(self) -> str:
        """Suffix of repair IDs; not the device ID, as diagnostics show repair IDs."""
        return self.registered_id

    @property
    def title(self) -> str:
        """Name of the controller, a generic one if it has none."""
        return self.record.title

    @property
    def state(self) -> PoolState:
        """State that the newest poll reported."""
        return self.pool.state
