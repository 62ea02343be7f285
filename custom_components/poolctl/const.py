"""Constants of the integration."""

from enum import StrEnum
from typing import Final

DOMAIN: Final = "poolctl"

CONF_CONTROLLERS: Final = "controllers"
CONF_OWN_RANGES: Final = "own_ranges"
CONF_USES: Final = "uses"


class Connection(StrEnum):
    """Paths by which a controller may be reached."""

    AUTOMATIC = "automatic"
    LAN = "lan"
    CLOUD = "cloud"


ATTR_PROBLEMS: Final = "problems"
LOST: Final = "lost"
"""State of the sensor *Connection* while no path reaches the controller."""


class HoldsEnd(StrEnum):
    """When outputs held by hand are given back to their schedules."""

    ENDS_BY_ITSELF = "ends_by_itself"
    UNTIL_GIVEN_BACK = "until_given_back"


MIN_FIRMWARE: Final = "2.5.46"
"""The oldest firmware that serves the LAN protocol (protocol.md 9)."""
PROTOCOL_VERSION: Final = "2"
"""TXT `pv` of a controller that supports that protocol (protocol.md 2.8)."""

REPORT_FORMAT: Final = 1
"""Version of the diagnostics format; raised when readers of the files must adapt."""

ATTR_NEXT_STEP: Final = "next_step"
"""Attribute: what the user can do while a value is unknown."""
