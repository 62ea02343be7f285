"""Dialects and their times, drawn at random from a seed before anything runs.

A controller speaks other dialects after an update of its firmware, the cloud after a
release. The outcome is the same for every draw; `judge.py` has the few exceptions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import os
from random import Random
from typing import Final, override

from tests.world.simulator.cloud_dialects import CloudDialect as C
from tests.world.simulator.dialects import Dialect as L

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
SEEDS: Final = (1, 2, 9)
"""The default seed and two more; together they draw every dialect."""
SEED: Final = int(os.environ.get("POOLCTL_SOAK_SEED", SEEDS[0]))
DAYS: Final = float(os.environ.get("POOLCTL_SOAK_DAYS", "7"))
PLAIN: Final = os.environ.get("POOLCTL_SOAK_DIALECTS") == "none"
"""Whether the run has no dialects and no hostile neighbours."""
CLOUD: Final = "cloud"
SMALL: Final = "small pool"
FULL: Final = "full pool"

type Groups[T: str] = Sequence[Sequence[T]]

WIRING: Final[dict[str, Groups[C] | Groups[L]]] = {
    # A path that is not offered is tried once a day: it does not move twice in a week.
    CLOUD: ((C.C15_V1, C.C15_BARE),),
    SMALL: ((L.PUMP_AT_REST,), (L.SECOND_INTERFACE,)),
    FULL: (
        (L.PUMP_AT_REST,),
        (L.SECOND_INTERFACE,),
        (L.SPA_BY_SOLAR,),
        (L.ODD_SETTINGS,),
    ),
}
"""Groups of dialects that a controller, or the cloud, has from the start and keeps."""

FIRMWARE: Final[Groups[L]] = (
    (L.CLOUD_SIGNS_ALL,),
    (
        *(L.COUNTER_AHEAD_1_S, L.COUNTER_AHEAD_3_S, L.COUNTER_AHEAD_30_S),
        *(L.COUNTER_AHEAD_5_MIN, L.COUNTER_AHEAD_1_DAY),
    ),
    (L.QUERY_COUNTER_OWN, L.QUERY_COUNTER_ECHO, L.QUERY_COUNTER_MIXED),
    (L.FRAME_VERSION_0, L.FRAME_VERSION_2, L.FRAME_VERSION_3),
    (L.LONGER_REPLIES, L.LONGER_RECORDS),
    (L.BUSY_AFTER,),
    (L.SOMETIMES_408, L.SOMETIMES_SHORT_BODY, L.SOMETIMES_CLOSED),
    (L.TEMP_WITHOUT_TEMP2_CH,),
    (L.TEMP_WITHOUT_TEMP3_CH,),
    (L.TEMP_WITHOUT_FLAGS,),
    (L.ENV_NULL, L.ENV_EMPTY, L.ENV_OMITTED, L.CMD_FULL_FRAME),
    (L.PUMP_OFF_CLEARS,),
    (L.PUMP_AUX_DECLINED,),
    (L.ODD_NO_OVERRIDE, L.ODD_PUMP_OFF, L.ODD_NO_TYPES),
    (L.ODD_LIGHT_PULSE, L.ODD_NO_FLOW),
    (L.CLOCK_HOUR_BEHIND, L.CLOCK_HOUR_AHEAD, L.CLOCK_DRIFTS),
    (L.SCHEDULES_TO_24,),
    (L.SCHEDULES_ERASED,),
    (L.SCHEDULES_MORE, L.SCHEDULES_ODD),
    (L.PRIMES_AT_FULL_SPEED,),
    (L.RUNS_ON_MANUAL,),
    (L.SPA_TAKES_OVER,),
)
"""Groups of dialects; a controller speaks at most one of each."""

SERVICE: Final[Groups[C]] = (
    (
        *(C.C1_MISSING, C.C1_PENDING, C.C1_QUEUED, C.C1_NULL, C.C1_FAILED),
        *(C.C1_201, C.C1_202),
    ),
    (C.C2_403, C.C2_400, C.C2_FAILED),
    (C.C3_KEPT,),
    (C.C3_FAILED, C.C3_NULL, C.C3_LIST, C.C3_CONTROL),
    (C.C4_403, C.C4_405, C.C4_HTML),
    (C.C5_503_ONCE,),
    (C.C5_KEY, C.C5_ENVELOPE_KEY),
    (C.C5_BASE64,),
    (C.C5_SPACES,),
    (C.C6_STALE, C.C6_ABSENT),
    (C.C7_ZERO_NORMAL,),
    (C.C8_FAILED, C.C8_408, C.C8_500),
    (C.C9_HUGE, C.C9_NEGATIVE, C.C9_DATE, C.C9_NOTHING),
    (C.C10_SURROGATES, C.C10_CONTROL, C.C10_LONG, C.C10_MARKDOWN, C.C10_HTML),
    (C.C11_EMPTY_ONCE, C.C11_SHORTER_ONCE, C.C11_MOVED),
    (C.C12_FRESH,),
    (C.C13_REDIRECT,),
    (C.C14_400, C.C14_401, C.C14_403, C.C14_404),
    (C.C14_405, C.C14_429, C.C14_500, C.C14_503),
    (C.C14_SILENT, C.C14_HTML, C.C14_JSON),
    (C.C18_404, C.C18_403, C.C18_502),
    (C.C19_LATIN_1,),
    (C.C22_NEXT, C.C22_COUNT),
    (C.C23_SLOW,),
)
"""Groups of dialects; the cloud speaks at most one of each."""

NOT_DRAWN: Final = frozenset({C.C17_PUBLISHED, C.C20_OLD})
"""Dialects that change the outcome: fewer commands are possible, or reads are old."""

VISITORS: Final = ("H1", "H2", "H3", "H4")
"""Hostile neighbours, by their rows."""
_VISITS: Final = 2 * HOUR
"""Mean seconds between two false announcements of one controller."""
_SPOKEN: Final = 0.6
"""Probability that a dialect of a group is spoken."""
_CHANGES: Final = 14 * HOUR
"""Mean seconds between two updates or releases."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Dialects that are spoken, or a neighbour that announces, from a time on."""

    at: float
    """Seconds since the start of the run."""
    dialects: frozenset[str]

    @override
    def __str__(self) -> str:
        days, hours = divmod(self.at / HOUR, 24)
        spoken = ", ".join(sorted(self.dialects)) or "nothing special"
        return f"{days:.0f} d {hours:4.1f} h: {spoken}"


def draws(seed: int, who: str, seconds: float) -> list[Draw]:
    """Draw the dialects of a controller or the cloud for a run of `seconds`."""
    if PLAIN:
        return [Draw(0.0, frozenset())]
    chance, at, drawn = Random(f"{seed} dialects of {who}"), 0.0, []
    fixed = _one_of_each(chance, WIRING.get(who, ()))
    groups: Groups[C] | Groups[L] = SERVICE if who == CLOUD else FIRMWARE
    while at < seconds:
        drawn.append(Draw(at, frozenset((*fixed, *_one_of_each(chance, groups)))))
        at += chance.uniform(0.5, 1.5) * _CHANGES
    return drawn


def visits(seed: int, who: str, seconds: float) -> list[Draw]:
    """Draw which hostile neighbours announce a controller, and when."""
    if PLAIN:
        return []
    chance, at, drawn = Random(f"{seed} visits to {who}"), 0.0, []
    while (at := at + chance.expovariate(1 / _VISITS)) < seconds:
        drawn.append(Draw(at, frozenset((chance.choice(VISITORS),))))
    return drawn


def _one_of_each[T: str](chance: Random, groups: Groups[T]) -> list[T]:
    return [chance.choice(group) for group in groups if chance.random() < _SPOKEN]


def spoken(drawn: Iterable[Draw]) -> set[str]:
    """Return all dialects that were drawn."""
    return {dialect for draw in drawn for dialect in draw.dialects}
