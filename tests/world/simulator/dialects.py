"""Dialects of a controller: behaviour that is not documented and can be either way.

Rows are those of protocol.md. All are off by default; any set of them can be on, and
can change while a controller runs (`controller.dialects.add("env_null")`).
"""

from collections.abc import Iterable
from enum import StrEnum, auto
from typing import Any, Final, Self, override


class Described(StrEnum):
    """Names, each with its meaning, and a number or key that it is about."""

    meaning: str
    about: Any

    def __new__(cls, value: str, meaning: str = "", about: object = None) -> Self:
        member = str.__new__(cls, value)
        member._value_, member.meaning, member.about = value, meaning, about
        return member


class Dialect(Described):
    """Each with its row; L14 is missing, as it is Home Assistant's own clock."""

    CLOUD_SIGNS_ALL = auto(), "L1: the cloud signs all with max(last + 1, Unix s)"
    COUNTER_AHEAD_1_S = auto(), "L1: somebody signed with a clock 1 s ahead", 1
    COUNTER_AHEAD_3_S = auto(), "L1: somebody signed with a clock 3 s ahead", 3
    COUNTER_AHEAD_30_S = auto(), "L1: somebody signed with a clock 30 s ahead", 30
    COUNTER_AHEAD_5_MIN = auto(), "L1: somebody signed with a clock 5 min ahead", 300
    COUNTER_AHEAD_1_DAY = auto(), "L1: somebody signed with a clock a day ahead", 86400
    QUERY_COUNTER_OWN = auto(), "L2: replies to queries have a counter of their own"
    QUERY_COUNTER_ECHO = auto(), "L2: replies to queries echo the query's counter"
    QUERY_COUNTER_MIXED = auto(), "L18: every other reply to a query echoes its counter"
    FRAME_VERSION_0 = auto(), "L3: state frames have version 0", 0
    FRAME_VERSION_2 = auto(), "L3: state frames have version 2", 2
    FRAME_VERSION_3 = auto(), "L3: state frames have version 3", 3
    LONGER_REPLIES = auto(), "L4: 1 to 4 more bytes after names, schedules and pump"
    LONGER_RECORDS = auto(), "L4: one more byte after each record of `schedules`"
    PUMP_OFF_CLEARS = auto(), "L5: `v2_manual_set` off gives the slot to its schedules"
    PUMP_AUX_DECLINED = auto(), "L6: `aux` is declined for the slot of the pump"
    BUSY_AFTER = auto(), "L7: `busy` after an action ran"
    SOMETIMES_408 = auto(), "L8: 408 `slow headers` once in 20 requests"
    SOMETIMES_SHORT_BODY = auto(), "L8: 400 `short body` once in 20 requests"
    SOMETIMES_CLOSED = auto(), "L8: after 20 requests the port is closed for 3 to 8 s"
    TEMP_WITHOUT_TEMP2_CH = auto(), "L9: `v2_temp_get` lacks `temp2_ch`", "temp2_ch"
    TEMP_WITHOUT_TEMP3_CH = auto(), "L9: `v2_temp_get` lacks `temp3_ch`", "temp3_ch"
    TEMP_WITHOUT_FLAGS = auto(), "L9: `v2_temp_get` lacks the three flags", "is_"
    SPA_BY_SOLAR = auto(), "L10: no spa heater: solar heating and an actuator heat it"
    ENV_NULL = auto(), "L11: an action is answered with `env` null"
    ENV_EMPTY = auto(), "L11: an action is answered with an empty `env`"
    ENV_OMITTED = auto(), "L11: an action is answered without `env`"
    CMD_FULL_FRAME = auto(), "L11: a `cmd` is answered with a full frame, as published"
    SECOND_INTERFACE = auto(), "L12: TXT `mac` and hostname are of a second interface"
    PUMP_AT_REST = auto(), "L13: the pump stands still when the controller starts"
    ODD_NO_OVERRIDE = auto(), "L15: a frame in 100 has no override bits"
    ODD_PUMP_OFF = auto(), "L15: a frame in 100 has main pump mode 0"
    ODD_NO_TYPES = auto(), "L15: a frame in 100 has all types 0"
    ODD_LIGHT_PULSE = auto(), "L15: a frame in 100 has the lights off, as in a show"
    ODD_NO_FLOW = auto(), "L15: a frame in 100 has off what needs the pump"
    CLOCK_HOUR_BEHIND = auto(), "L17: schedules run an hour late", -3600
    CLOCK_HOUR_AHEAD = auto(), "L17: schedules run an hour early", 3600
    CLOCK_DRIFTS = auto(), "L17: the clock loses 2 min a week"
    SCHEDULES_TO_24 = auto(), "L16: a schedule until midnight ends at 24:00 (1440)"
    SCHEDULES_ERASED = auto(), "L16: unused records are erased: all their bytes 255"
    SCHEDULES_MORE = auto(), "L16: 24 records"
    SCHEDULES_ODD = auto(), "L16: a record switches an empty slot, another never runs"
    PRIMES_AT_FULL_SPEED = auto(), "L19: 240 s at full speed, first 0, the mode manual"
    RUNS_ON_MANUAL = auto(), "L19: the slot's mode is manual during the run-on"
    SPA_TAKES_OVER = auto(), "L21: spa mode runs the pump and stops the cleaners"
    ODD_SETTINGS = auto(), "C21: settings objects hold odd keys and texts"


ODD: Final = {
    "A  12 [7.0|4.0] <v2>  see www.x": True,
    "\x01next\u202e": ["`a`\n", None, 1.5],
}
"""Additional content of settings objects with `ODD_SETTINGS`."""


def _about(prefix: str) -> dict[Dialect, Any]:
    """Return what the dialects of some names are about."""
    return {each: each.about for each in Dialect if each.startswith(prefix)}


AHEAD: Final[dict[Dialect, int]] = _about("counter_ahead")
"""Seconds by which the shared counter is ahead once the dialect is switched on."""
REPLY_COUNTERS: Final = {*_about("query_counter")}
"""Dialects in which replies to queries have another counter than frames."""
FRAME_VERSIONS: Final[dict[Dialect, int]] = _about("frame_version")
MISSING: Final[dict[Dialect, str]] = _about("temp_without")
"""Prefix of the keys that `v2_temp_get` lacks."""
CLOCKS: Final[dict[Dialect, int]] = _about("clock_hour")
"""Seconds by which the controller's clock is ahead."""
DRIFT: Final = -120 / (7 * 86400)
"""Seconds per second by which the controller's clock drifts."""

SOMETIMES: Final = {
    Dialect.SOMETIMES_408: "slow headers",
    Dialect.SOMETIMES_SHORT_BODY: "short body",
    Dialect.SOMETIMES_CLOSED: "",
}
"""Error of one request in 20; if empty, the port closes instead."""
ONE_IN: Final = 20


class Dialects(set[str]):
    """The dialects that a controller speaks."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Start with some; raises ValueError for an invalid name."""
        super().__init__(Dialect(name) for name in names)

    @override
    def add(self, name: str, /) -> None:
        """Switch one on; raises ValueError for an invalid name."""
        super().add(Dialect(name))
