"""The dialects of the cloud and the controllers, drawn at random.

A controller speaks other dialects after an update of its firmware, the cloud after a
release. The outcome is the same for all of them; `judge.py` has the few exceptions.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Final

from tests.world.simulator import Controller
from tests.world.simulator.cloud_dialects import CloudDialect as C
from tests.world.simulator.dialects import AHEAD, Dialect as L

from .engine import HOUR, MINUTE, SEED
from .week import CLOUD, Week

type Groups[T: str] = Sequence[Sequence[T]]

WIRING: Final[Groups[L]] = (
    (L.PUMP_AT_REST,),
    (L.SECOND_INTERFACE,),
    (L.SPA_BY_SOLAR,),
    (L.ODD_SETTINGS,),
)
"""Groups of dialects that a controller has from the start and keeps."""

# A path that is not offered is tried once a day: it does not move twice in a week.
KEY_PATHS: Final[Groups[C]] = ((C.C15_V1, C.C15_BARE),)
"""The same of the cloud."""

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
    (C.C26_NO_DATA, C.C26_EMPTY, C.C26_OTHER, C.C26_LIST),
    (C.C18_404, C.C18_403, C.C18_502),
    (C.C19_LATIN_1,),
    (C.C22_NEXT, C.C22_COUNT),
    (C.C23_SLOW,),
)
"""Groups of dialects; the cloud speaks at most one of each."""

NOT_DRAWN: Final = frozenset({C.C17_PUBLISHED, C.C20_OLD})
"""Dialects that change the outcome: fewer commands are possible, or reads are old."""

_SPOKEN: Final = 0.6
"""Probability that a dialect of a group is spoken."""
_CHANGES: Final = 14 * HOUR
"""Mean seconds between two updates or releases."""
_OTHERS: Final = 20 * MINUTE
"""Mean seconds between two commands of another client, whose clock may be ahead."""


def _one_of_each[T: str](chance: Random, groups: Groups[T]) -> set[T]:
    return {chance.choice(group) for group in groups if chance.random() < _SPOKEN}


class Speech:
    """Changes the dialects in the course of a week, which must have no effect."""

    def __init__(self, week: Week) -> None:
        """Draw what is kept, and let all speak the first dialects."""
        self._week, chance = week, Random(f"{SEED} dialects")
        self._wiring = {each: _one_of_each(chance, WIRING) for each in week.controllers}
        self._key_path = _one_of_each(chance, KEY_PATHS)
        self._speak_cloud(chance)
        for controller in week.controllers:
            self._speak(controller, chance)

    async def releases(self) -> None:
        """Release new versions of the cloud; one redirects renewals for a while."""
        week = self._week
        while await week.pause(_CHANGES):
            self._speak_cloud(week.random)
            if C.C13_REDIRECT in week.cloud.dialects:
                with week.trouble(CLOUD, "token endpoint moved"):
                    week.cloud.expire_tokens()
                    await week.sleep(week.length())
                    week.cloud.dialects.discard(C.C13_REDIRECT)

    async def updates(self, controller: Controller) -> None:
        """Update the firmware of a controller: it restarts with other dialects."""
        while await self._week.pause(_CHANGES):
            with self._week.trouble(controller.device_id, "firmware update"):
                self._speak(controller, self._week.random)
                self._week.restart(controller)
                await self._week.sleep(MINUTE)

    async def others(self, controller: Controller) -> None:
        """Let another client send commands, which must cause no trouble."""
        while await self._week.pause(_OTHERS):
            for dialect, seconds in AHEAD.items():
                if dialect in controller.dialects:
                    controller.sign_elsewhere(seconds)

    def calm(self) -> None:
        """End the dialects whose effects no command can undo; keep all others."""
        for controller in self._week.controllers:
            controller.dialects -= {L.COUNTER_AHEAD_1_DAY, L.PUMP_AUX_DECLINED}
            now = int(controller.clock.time())
            controller.accepted_counter = min(controller.accepted_counter, now)

    def _speak(self, controller: Controller, chance: Random) -> None:
        controller.dialects.clear()
        controller.dialects |= self._wiring[controller] | _one_of_each(chance, FIRMWARE)
        self._count(controller.dialects)

    def _speak_cloud(self, chance: Random) -> None:
        cloud = self._week.cloud
        cloud.answered_once.clear()
        cloud.dialects = self._key_path | _one_of_each(chance, SERVICE)
        self._count(cloud.dialects)

    def _count(self, dialects: Iterable[str]) -> None:
        self._week.counts.update(f"dialect {each}" for each in dialects)
