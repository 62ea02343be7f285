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

Home Assistant uses the same class with timers of its own.
Names that are not listed here may change without notice.
"""

from .account import authorize_url, request_tokens
from .cloud import CloudClient
from .controller import Controller, Stored
from .counters import Counters
from .lan import LanClient
from .pool.dosing import ACID, CHLORINATOR, CHLORINE
from .pool.heating import POOL, SPA
from .pool.state import PoolState, PumpStatus, Source
from .wire.equipment import HeatSource, Role, Slot
from .wire.exceptions import (
    AuthenticationError,
    BusyError,
    InvalidCommandError,
    NotSupportedError,
    PoolctlError,
    ProtocolError,
    RefusedError,
    SignatureError,
    UnreachableError,
)
from .wire.frame import Chemistry
from .wire.http import ClosingRequest
from .wire.schedule import Schedule

__all__ = [
    "ACID",
    "CHLORINATOR",
    "CHLORINE",
    "POOL",
    "SPA",
    "AuthenticationError",
    "BusyError",
    "Chemistry",
    "ClosingRequest",
    "CloudClient",
    "Controller",
    "Counters",
    "HeatSource",
    "InvalidCommandError",
    "LanClient",
    "NotSupportedError",
    "PoolState",
    "PoolctlError",
    "ProtocolError",
    "PumpStatus",
    "RefusedError",
    "Role",
    "Schedule",
    "SignatureError",
    "Slot",
    "Source",
    "Stored",
    "UnreachableError",
    "authorize_url",
    "request_tokens",
]
