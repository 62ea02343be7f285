"""Names shared by the rooms of this integration."""

from enum import StrEnum
from typing import Final

DOMAIN: Final = "poolctl"

CONF_CONTROLLERS: Final = "controllers"
CONF_CONNECTION: Final = "connection"
CONF_USES: Final = "uses"
CONF_WITHOUT_FLOW: Final = "readings_without_flow"
CONF_HOLDS: Final = "holds_by_hand"
CONF_DRUM_REPAIRS: Final = "drum_repairs"


class Connection(StrEnum):
    """Which ways to a controller are used."""

    AUTOMATIC = "automatic"
    LAN = "lan"
    CLOUD = "cloud"


LOST: Final = "lost"
"""What *Connection* shows while a controller is reached in no way."""


class HoldsEnd(StrEnum):
    """When what was switched by hand is given back to its schedules."""

    ENDS_BY_ITSELF = "ends_by_itself"
    UNTIL_GIVEN_BACK = "until_given_back"


MIN_FIRMWARE: Final = "2.5.46"
"""The oldest firmware that serves the LAN protocol (interface.md 9)."""
PROTOCOL_VERSION: Final = "2"
"""TXT `pv` of a controller that speaks it (interface.md 2.8)."""

REPORT_FORMAT: Final = 1
"""Of diagnostics: it counts up when a reader of such files has to know."""

ATTR_NEXT_STEP: Final = "next_step"
"""What a person can do where a value is not known yet."""
