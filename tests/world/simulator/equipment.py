"""Types of equipment on a slot, and how the firmware treats them (protocol.md O2.4)."""

from enum import Enum, auto
from typing import Final

PUMP: Final = 31
CLEANERS: Final = (3, 4)
SPA_ACTUATORS: Final = (20, 21, 33, 34)
VIRTUAL_SLOT: Final = 26  # an ozone output without a relay, where there are 37 slots
MAX_SLOTS: Final = 37


class Role(Enum):
    """How the firmware treats a slot."""

    EMPTY = auto()
    GENERAL = auto()
    PUMP = auto()
    LINKED = auto()  # runs only with the pump
    SPA = auto()
    DOSING = auto()  # run by the firmware only
    HEATING = auto()  # run by the firmware only
    POOL_LIGHT = auto()
    SPA_LIGHT = auto()


_ROLES: Final[dict[int, Role]] = {
    0: Role.EMPTY,
    PUMP: Role.PUMP,
    **dict.fromkeys((3, 4, 9, 10, 11), Role.LINKED),
    **dict.fromkeys(SPA_ACTUATORS, Role.SPA),
    **dict.fromkeys((5, 6, 7, 8), Role.DOSING),
    **dict.fromkeys((2, 17, 18, 19, 32), Role.HEATING),
    **dict.fromkeys((12, 13, 14, 15, 16, 35), Role.POOL_LIGHT),
    **dict.fromkeys((26, 27, 28, 29, 30, 36), Role.SPA_LIGHT),
}
LIGHTS: Final = frozenset({Role.POOL_LIGHT, Role.SPA_LIGHT})
BY_HAND: Final = frozenset(
    {Role.GENERAL, Role.PUMP, Role.LINKED, Role.SPA, Role.POOL_LIGHT, Role.SPA_LIGHT}
)


def role(aux_type: int) -> Role:
    return _ROLES.get(aux_type, Role.GENERAL)


# Seconds that each colour command of a light type keeps the relay flapping
# (protocol.md O4.1). Where a type has absolute colours, each takes about 5 s.
LIGHT_SECONDS: Final[dict[int, dict[int, float]]] = {
    1: dict.fromkeys(range(1, 14), 5.0),
    2: {0: 110.0} | dict.fromkeys(range(1, 13), 5.0),
    3: {0: 8.0, 1: 4.0},
    4: {0: 18.0, 1: 3.0, 2: 13.0},
    5: dict.fromkeys(range(1, 14), 5.0),
}
LIGHT_NEVER_SET: Final = 99
