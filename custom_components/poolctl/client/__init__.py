"""Client of a pool controller over LAN and cloud, independent of Home Assistant.

`Controller` is the way in. It needs a `LanClient`, a `CloudClient`, or both, and then
uses the cloud while the LAN does not answer:

    async with Controller(lan=LanClient(session, address, key)).running() as pool:
        print(pool.state.chemistry.ph)

- `pool.state` is a frozen `PoolState`. A value that is unknown is `None`.
- `pool.holds`, `heating`, `lights`, `dosing`, `pauses` and `schedules` command: README.md
  lists what they can do. A command returns once the controller has confirmed it.
- Every error is a `PoolctlError`. Its `ran` is `False` if the command certainly did not
  run, and `None` if it may have.
- `Stored` is what should survive a restart.

Home Assistant uses the same class with timers of its own. Public are the names in
`__all__` of this package and of its modules `pool` (the state), `holds` (what is undone
later), `facts` (events), `codec` and `bounds` (the stored form of values), and for tools
`wire`. All others may change without notice.
"""

from .account import (
    Tokens,
    account_id,
    authorize_url,
    probe,
    request_tokens,
    subject_claim,
    token_url,
)
from .backoff import NO_FAILURES, Backoff, Failures
from .clock import AGREEMENT, Clock
from .cloud import CloudClient, TokenProvider
from .control.live_state import MAX_AGE
from .control.paths import Paths
from .control.raw import RawControl, parse_payload
from .controller import Controller, Left, Stored
from .controller_clock import OFF, ControllerClock
from .counters import ClockFault, Counters
from .endpoints import TOKEN, Gate, Gates
from .lan import PORT, PORTS, LanClient, split_address, unverified_state
from .pool.dosing import ACID, CHLORINATOR, CHLORINE
from .pool.heating import POOL, SPA
from .pool.outputs import Output, Outputs
from .pool.state import PoolState, PumpStatus, Source
from .undoing import Undoing
from .wire.cloud_answers import MAX_RETRY_AFTER, Device, Inventory, is_device_id
from .wire.envelope import parse_key
from .wire.equipment import HeatSource, Role, Slot
from .wire.exceptions import (
    AuthenticationError,
    BusyError,
    CannotReleaseError,
    CommandFailedError,
    EnvelopeError,
    FrameError,
    InvalidCommandError,
    LanRequestError,
    NotAppliedError,
    NotSupportedError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    ReplayError,
    ReplyError,
    SignatureError,
    UnconfirmedError,
    UndoneLaterError,
    UnreachableError,
)
from .wire.frame import Chemistry
from .wire.http import ClosingRequest
from .wire.schedule import Schedule

__all__ = [
    "ACID",
    "AGREEMENT",
    "CHLORINATOR",
    "CHLORINE",
    "MAX_AGE",
    "MAX_RETRY_AFTER",
    "NO_FAILURES",
    "OFF",
    "POOL",
    "PORT",
    "PORTS",
    "SPA",
    "TOKEN",
    "AuthenticationError",
    "Backoff",
    "BusyError",
    "CannotReleaseError",
    "Chemistry",
    "Clock",
    "ClockFault",
    "ClosingRequest",
    "CloudClient",
    "CommandFailedError",
    "Controller",
    "ControllerClock",
    "Counters",
    "Device",
    "EnvelopeError",
    "Failures",
    "FrameError",
    "Gate",
    "Gates",
    "HeatSource",
    "InvalidCommandError",
    "Inventory",
    "LanClient",
    "LanRequestError",
    "Left",
    "NotAppliedError",
    "NotSupportedError",
    "Output",
    "Outputs",
    "Paths",
    "PoolState",
    "PoolctlError",
    "ProtocolError",
    "PumpStatus",
    "RawControl",
    "RefusedError",
    "ReplayError",
    "ReplyError",
    "Role",
    "Schedule",
    "SignatureError",
    "Slot",
    "Source",
    "Stored",
    "TokenProvider",
    "Tokens",
    "UnconfirmedError",
    "Undoing",
    "UndoneLaterError",
    "UnreachableError",
    "account_id",
    "authorize_url",
    "is_device_id",
    "parse_key",
    "parse_payload",
    "probe",
    "request_tokens",
    "split_address",
    "subject_claim",
    "token_url",
    "unverified_state",
]
