"""Dialects of a controller: behaviour that is not documented and can be either way.

Rows are those of protocol.md. All are off by default; any set of them can be on, and
can change while a controller runs (`controller.dialects.add("env_null")`).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, override


class Dialect(StrEnum):
    """Names of the dialects; `DIALECTS` has the meaning of each."""

    CLOUD_SIGNS_ALL = "cloud_signs_all"
    COUNTER_AHEAD_1_S = "counter_ahead_1_s"
    COUNTER_AHEAD_3_S = "counter_ahead_3_s"
    COUNTER_AHEAD_30_S = "counter_ahead_30_s"
    COUNTER_AHEAD_5_MIN = "counter_ahead_5_min"
    COUNTER_AHEAD_1_DAY = "counter_ahead_1_day"
    QUERY_COUNTER_OWN = "query_counter_own"
    QUERY_COUNTER_ECHO = "query_counter_echo"
    QUERY_COUNTER_MIXED = "query_counter_mixed"
    FRAME_VERSION_0 = "frame_version_0"
    FRAME_VERSION_2 = "frame_version_2"
    FRAME_VERSION_3 = "frame_version_3"
    LONGER_REPLIES = "longer_replies"
    LONGER_RECORDS = "longer_records"
    PUMP_OFF_CLEARS = "pump_off_clears"
    PUMP_AUX_DECLINED = "pump_aux_declined"
    BUSY_AFTER = "busy_after"
    SOMETIMES_408 = "sometimes_408"
    SOMETIMES_SHORT_BODY = "sometimes_short_body"
    SOMETIMES_CLOSED = "sometimes_closed"
    TEMP_WITHOUT_TEMP2_CH = "temp_without_temp2_ch"
    TEMP_WITHOUT_TEMP3_CH = "temp_without_temp3_ch"
    TEMP_WITHOUT_FLAGS = "temp_without_flags"
    SPA_BY_SOLAR = "spa_by_solar"
    ENV_NULL = "env_null"
    ENV_EMPTY = "env_empty"
    ENV_OMITTED = "env_omitted"
    CMD_FULL_FRAME = "cmd_full_frame"
    SECOND_INTERFACE = "second_interface"
    PUMP_AT_REST = "pump_at_rest"
    ODD_NO_OVERRIDE = "odd_no_override"
    ODD_PUMP_OFF = "odd_pump_off"
    ODD_NO_TYPES = "odd_no_types"
    ODD_LIGHT_PULSE = "odd_light_pulse"
    ODD_NO_FLOW = "odd_no_flow"
    CLOCK_HOUR_BEHIND = "clock_hour_behind"
    CLOCK_HOUR_AHEAD = "clock_hour_ahead"
    CLOCK_DRIFTS = "clock_drifts"
    SCHEDULES_TO_24 = "schedules_to_24"
    SCHEDULES_ERASED = "schedules_erased"
    SCHEDULES_MORE = "schedules_more"
    SCHEDULES_ODD = "schedules_odd"
    PRIMES_AT_FULL_SPEED = "primes_at_full_speed"
    RUNS_ON_MANUAL = "runs_on_manual"
    SPA_TAKES_OVER = "spa_takes_over"
    ODD_SETTINGS = "odd_settings"


DIALECTS: Final[dict[Dialect, tuple[str, str]]] = {
    Dialect.CLOUD_SIGNS_ALL: (
        "L1",
        "the cloud signs all that it relays, reads too, with max(last + 1, Unix s)",
    ),
    Dialect.COUNTER_AHEAD_1_S: ("L1", "somebody signed with a clock 1 s ahead"),
    Dialect.COUNTER_AHEAD_3_S: ("L1", "somebody signed with a clock 3 s ahead"),
    Dialect.COUNTER_AHEAD_30_S: ("L1", "somebody signed with a clock 30 s ahead"),
    Dialect.COUNTER_AHEAD_5_MIN: ("L1", "somebody signed with a clock 5 min ahead"),
    Dialect.COUNTER_AHEAD_1_DAY: ("L1", "somebody signed with a clock a day ahead"),
    Dialect.QUERY_COUNTER_OWN: (
        "L2",
        "replies to queries have a counter of their own, a lower one",
    ),
    Dialect.QUERY_COUNTER_ECHO: ("L2", "replies to queries echo the query's counter"),
    Dialect.QUERY_COUNTER_MIXED: (
        "L18",
        "every other reply to a query echoes its counter, the rest have their own",
    ),
    Dialect.FRAME_VERSION_0: ("L3", "state frames have version 0"),
    Dialect.FRAME_VERSION_2: ("L3", "state frames have version 2"),
    Dialect.FRAME_VERSION_3: ("L3", "state frames have version 3"),
    Dialect.LONGER_REPLIES: (
        "L4",
        "1 to 4 more bytes after `aux_names`, `schedules` and `pump_id`",
    ),
    Dialect.LONGER_RECORDS: ("L4", "one more byte after each record of `schedules`"),
    Dialect.PUMP_OFF_CLEARS: (
        "L5",
        "`v2_manual_set` off gives the slot back to its schedules",
    ),
    Dialect.PUMP_AUX_DECLINED: ("L6", "`aux` is declined for the slot of the pump"),
    Dialect.BUSY_AFTER: ("L7", "`busy` after an action ran"),
    Dialect.SOMETIMES_408: ("L8", "408 `slow headers` once in 20 requests"),
    Dialect.SOMETIMES_SHORT_BODY: ("L8", "400 `short body` once in 20 requests"),
    Dialect.SOMETIMES_CLOSED: (
        "L8",
        "after 20 requests the port is closed for 3 to 8 s",
    ),
    Dialect.TEMP_WITHOUT_TEMP2_CH: ("L9", "`v2_temp_get` lacks `temp2_ch`"),
    Dialect.TEMP_WITHOUT_TEMP3_CH: ("L9", "`v2_temp_get` lacks `temp3_ch`"),
    Dialect.TEMP_WITHOUT_FLAGS: ("L9", "`v2_temp_get` lacks the three flags"),
    Dialect.SPA_BY_SOLAR: (
        "L10",
        "no spa heater is wired: solar heating and an actuator heat the spa",
    ),
    Dialect.ENV_NULL: ("L11", "an action is answered with `env` null"),
    Dialect.ENV_EMPTY: ("L11", "an action is answered with an empty `env`"),
    Dialect.ENV_OMITTED: ("L11", "an action is answered without `env`"),
    Dialect.CMD_FULL_FRAME: (
        "L11",
        "a `cmd` is answered with a full frame, as published, not one without section B",
    ),
    Dialect.SECOND_INTERFACE: (
        "L12",
        "TXT `mac` and the hostname are those of a second interface",
    ),
    Dialect.PUMP_AT_REST: ("L13", "the pump stands still when the controller starts"),
    Dialect.ODD_NO_OVERRIDE: ("L15", "a frame in 100 has no override bits"),
    Dialect.ODD_PUMP_OFF: ("L15", "a frame in 100 has main pump mode 0"),
    Dialect.ODD_NO_TYPES: ("L15", "a frame in 100 has all types 0"),
    Dialect.ODD_LIGHT_PULSE: ("L15", "a frame in 100 has the lights off, as in a show"),
    Dialect.ODD_NO_FLOW: ("L15", "a frame in 100 has off what needs the pump"),
    Dialect.CLOCK_HOUR_BEHIND: ("L17", "schedules run an hour late"),
    Dialect.CLOCK_HOUR_AHEAD: ("L17", "schedules run an hour early"),
    Dialect.CLOCK_DRIFTS: ("L17", "the clock loses 2 min a week"),
    Dialect.SCHEDULES_TO_24: ("L16", "a schedule until midnight ends at 24:00 (1440)"),
    Dialect.SCHEDULES_ERASED: ("L16", "unused records are erased: all their bytes 255"),
    Dialect.SCHEDULES_MORE: ("L16", "24 records"),
    Dialect.SCHEDULES_ODD: (
        "L16",
        "the last two records switch a slot that is not fitted, and never run",
    ),
    Dialect.PRIMES_AT_FULL_SPEED: (
        "L19",
        "240 s at full speed, 0 until the motor turns, the slot's mode manual",
    ),
    Dialect.RUNS_ON_MANUAL: ("L19", "the slot's mode is manual during the run-on"),
    Dialect.SPA_TAKES_OVER: ("L21", "spa mode runs the pump and stops the cleaners"),
    Dialect.ODD_SETTINGS: ("C21", "settings objects hold odd keys and texts"),
}
"""Row and meaning of each; L14 is missing, as it is Home Assistant's own clock."""

ODD: Final = {
    "A  12 [7.0|4.0] <v2>  see www.x": True,
    "\x01next\u202e": ["`a`\n", None, 1.5],
}
"""Additional content of settings objects with `ODD_SETTINGS`."""

AHEAD: Final = {
    Dialect.COUNTER_AHEAD_1_S: 1,
    Dialect.COUNTER_AHEAD_3_S: 3,
    Dialect.COUNTER_AHEAD_30_S: 30,
    Dialect.COUNTER_AHEAD_5_MIN: 300,
    Dialect.COUNTER_AHEAD_1_DAY: 86400,
}
"""Seconds by which the shared counter is ahead once the dialect is switched on."""

REPLY_COUNTERS: Final = {
    Dialect.QUERY_COUNTER_OWN,
    Dialect.QUERY_COUNTER_ECHO,
    Dialect.QUERY_COUNTER_MIXED,
}
"""Dialects in which replies to queries have another counter than frames."""

FRAME_VERSIONS: Final = {
    Dialect.FRAME_VERSION_0: 0,
    Dialect.FRAME_VERSION_2: 2,
    Dialect.FRAME_VERSION_3: 3,
}
MISSING: Final = {
    Dialect.TEMP_WITHOUT_TEMP2_CH: "temp2_ch",
    Dialect.TEMP_WITHOUT_TEMP3_CH: "temp3_ch",
    Dialect.TEMP_WITHOUT_FLAGS: "is_",
}
"""Prefix of the keys that `v2_temp_get` lacks."""

SOMETIMES: Final = {
    Dialect.SOMETIMES_408: "slow headers",
    Dialect.SOMETIMES_SHORT_BODY: "short body",
    Dialect.SOMETIMES_CLOSED: "",
}
"""Error of one request in 20; if empty, the port closes instead."""
ONE_IN: Final = 20
CLOCKS: Final = {Dialect.CLOCK_HOUR_BEHIND: -3600, Dialect.CLOCK_HOUR_AHEAD: 3600}
"""Seconds by which the controller's clock is ahead."""
DRIFT: Final = -120 / (7 * 86400)
"""Seconds per second by which the controller's clock drifts."""


class Dialects(set[str]):
    """The dialects that a controller speaks."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Start with some; raises ValueError for an invalid name."""
        super().__init__(Dialect(name) for name in names)

    @override
    def add(self, name: str, /) -> None:
        """Switch one on; raises ValueError for an invalid name."""
        super().add(Dialect(name))
