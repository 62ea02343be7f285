"""How a controller is reached at one moment: what recovery and problems are based on."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ..client.envelope import ClockFault
from ..client.exceptions import PoolctlError
from ..client.holds.hold import Hold
from ..client.pool.dosing import AnyDosing
from ..client.pool.state import PoolState
from ..learned.pool import Pool
from ..warm_by.outlook import Outlook
from ..warm_by.request import Request
from .addresses import ObservedAddress
from .record import ControllerRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What the newest poll reported, with everything else that problems are based on."""

    record: ControllerRecord
    registered_id: str
    """Of the device in Home Assistant."""
    announced: ObservedAddress | None
    """What the network reported of it last."""
    pool: Pool
    now: datetime
    """The trusted time where the pool is."""
    clock_ahead: timedelta
    """How far our clock is ahead of the trusted time."""
    controller_ahead: timedelta | None
    """How far the controller's clock is ahead of ours, `None` while that is unknown."""
    reached: bool
    """Whether its state is at most 90 s old."""
    closed_season: bool
    """Whether a person disabled polling."""
    lan_allowed: bool
    """Whether the options of the entry allow the LAN."""
    lan_possible: bool
    """Whether the LAN is allowed, and an address and a key are known for it."""
    on_lan: bool
    """Whether the LAN is the source."""
    lan_works: bool | None
    """Whether the last poll of the LAN was answered, `None` where there was none."""
    lan_error: PoolctlError | None
    """What went wrong with the last poll of the LAN."""
    holds: tuple[Hold, ...]
    overdue: tuple[Hold, ...]
    """Holds that only a person releases."""
    pauses_overdue: tuple[AnyDosing, ...]
    """Dosers that should be on again."""
    stopped_by_spa: tuple[Hold, ...]
    warm_late: tuple[tuple[Request, Outlook], ...]
    """Water that will not be warm by the time that was asked for."""
    clock_fault: ClockFault | None
    """Why the controller takes nothing that we sign, `None` where it does."""
    drum_repairs: bool
    """Whether the options of the entry ask for repairs of drums."""
    cloud_allowed: bool
    cloud_error: PoolctlError | None
    key_asked: bool
    """Whether the account was asked for the key since a frame last verified, and
    answered: whatever it said then, nothing is left that helps by itself."""

    @property
    def owner_id(self) -> str:
        """What the ids of its repairs end with: diagnostics would show its own id."""
        return self.registered_id

    @property
    def title(self) -> str:
        """What a person calls the controller."""
        return self.record.title

    @property
    def state(self) -> PoolState:
        """What the newest poll reported."""
        return self.pool.state
