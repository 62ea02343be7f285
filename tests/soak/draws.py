"""Which dialects are spoken when: drawn at random from a seed, before anything runs.

A controller speaks another dialect after an update of its firmware, the cloud after a
release. Whatever was drawn, the outcome is the same; `judge.py` has the few exceptions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import os
from random import Random
from typing import Final, override

from tests.simulator.cloud_dialects import CloudDialect as C
from tests.simulator.dialects import Dialect as L

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
SEEDS: Final = (1, 2, 3)
"""The one that guards the project, and two more: with them everything is drawn."""
SEED: Final = int(os.environ.get("POOLCTL_SOAK_SEED", SEEDS[0]))
DAYS: Final = float(os.environ.get("POOLCTL_SOAK_DAYS", "7"))
PLAIN: Final = os.environ.get("POOLCTL_SOAK_DIALECTS") == "none"
"""Whether nobody speaks a dialect, and no stranger lies."""
CLOUD: Final = "cloud"
SMALL: Final = "small pool"
FULL: Final = "full pool"

type Groups[T: str] = Sequence[Sequence[T]]

WIRING: Final[dict[str, Groups[L]]] = {
    SMALL: ((L.PUMP_AT_REST,), (L.SECOND_INTERFACE,)),
    FULL: (
        (L.PUMP_AT_REST,),
        (L.SECOND_INTERFACE,),
        (L.SPA_BY_SOLAR,),
        (L.ODD_SETTINGS,),
    ),
}
"""What a controller is from the start, and stays."""

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
    (L.ENV_NULL, L.ENV_EMPTY, L.ENV_OMITTED),
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
"""Of each group a controller speaks one dialect or none."""

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
    (C.C15_V1, C.C15_BARE),
    (C.C18_404, C.C18_403, C.C18_502),
    (C.C19_LATIN_1,),
    (C.C22_NEXT, C.C22_COUNT),
    (C.C23_SLOW,),
)
"""Likewise, of the cloud."""

NOT_DRAWN: Final = frozenset({C.C17_PUBLISHED, C.C20_OLD})
"""With these the outcome is another one: less can be done, and reads are old."""

VISITORS: Final = ("H1", "H2", "H3", "H4")
"""Hostile neighbours, by their rows."""
_VISITS: Final = 2 * HOUR
"""s between two lies about one controller, on average."""
_SPOKEN: Final = 0.6
"""Chance that one of a group is spoken."""
_CHANGES: Final = 14 * HOUR
"""s between two updates or releases, on average."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What somebody speaks from a moment on."""

    at: float
    """s since the beginning."""
    dialects: frozenset[str]

    @override
    def __str__(self) -> str:
        days, hours = divmod(self.at / HOUR, 24)
        spoken = ", ".join(sorted(self.dialects)) or "nothing special"
        return f"{days:.0f} d {hours:4.1f} h: {spoken}"


def draws(seed: int, who: str, seconds: float) -> list[Draw]:
    """Draw everything that one of them speaks in the time given."""
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
    """Draw which hostile neighbour speaks of one of them, and when."""
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
