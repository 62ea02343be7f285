"""Pauses of dosing: one owner for dosers that are off for a time, and then on again.

If another client switches a doser on meanwhile, its pause ends and nothing is sent.
These rules are chosen. Only the settings report if a doser is on (protocol.md O3 to O5).
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
import logging
import time
from typing import Final, Protocol, Self

from ..clock import Clock
from ..cloud import COPY_AGE
from ..pool.dosing import DOSING, AnyDosing
from ..pool.state import PoolState, Source
from ..stored import Stored, flag, moment, text
from ..wire.exceptions import InvalidCommandError, NotSupportedError, PoolctlError
from .release import OVERDUE, is_old, retry_wait

_LOGGER = logging.getLogger(__name__)

LONGEST: Final = timedelta(days=1)
"""Longest pause: a pool without dosing for longer turns green (chosen)."""
_KINDS: Final = {kind.key: kind for kind in DOSING}
_OLD_COPY: Final = timedelta(seconds=2 * COPY_AGE)
"""Time for which a cloud copy may still show a doser on that was switched off."""
_DRIFT: Final = timedelta(seconds=30)
"""Difference that the shown end may have from the actual end."""
_OUTAGE: Final = 60.0
"""Seconds without a read after which the next one ends the waits of failed tries."""
_LEAVING: Final = 10.0
"""Seconds to end pauses before the means of ending them is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """One doser that is off for a time."""

    kind: AnyDosing
    since: datetime
    until: datetime
    """End; like `since`, by the trusted clock in UTC."""
    confirmed: bool = False
    """Whether a read showed it off: only then does a read of it on end the pause."""
    ends_at: float | None = field(default=None, compare=False)
    """End (monotonic, s); `None` after a restart until the time is trusted."""
    tries: int = field(default=0, compare=False)
    retry_at: float = field(default=0.0, compare=False)
    """Earliest time of the next attempt to end it (monotonic, s)."""

    def as_dict(self) -> dict[str, object]:
        """Return the pause in stored form."""
        return {
            "kind": self.kind.key,
            "since": self.since.isoformat(),
            "until": self.until.isoformat(),
            "confirmed": self.confirmed,
        }


def _pause(value: object) -> Pause:
    stored = Stored(value)
    return Pause(
        kind=stored.need("kind", lambda key: _KINDS[text(key)]),
        since=stored.need("since", moment),
        until=stored.need("until", moment),
        confirmed=stored.need("confirmed", flag),
    )


@dataclass(frozen=True, slots=True)
class KeptPauses:
    """The stored pauses of one controller."""

    pauses: tuple[Pause, ...]

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored pauses."""
        return cls(stored.list("pauses", _pause))

    def as_dict(self) -> dict[str, object]:
        """Return the pauses in stored form."""
        return {"pauses": [pause.as_dict() for pause in self.pauses]}


class Dosers(Protocol):
    """Interface to read and switch dosers."""

    @property
    def reported(self) -> PoolState:
        """The reported state, without values that are not confirmed yet."""

    def publish(self) -> None:
        """Publish that pauses changed."""

    async def look(self, kind: AnyDosing) -> bool | None:
        """Read over the LAN whether a doser is on; `None` if that failed."""

    async def enable(self, kind: AnyDosing, on: bool) -> None:
        """Allow or forbid dosing, and wait until that is confirmed."""


class Pauses:
    """The pauses of one controller, by doser."""

    def __init__(self, dosers: Dosers, clock: Clock, kept: Iterable[Pause]) -> None:
        """Continue with the stored pauses."""
        self._dosers = dosers
        self._clock = clock
        self._all = {pause.kind.key: pause for pause in kept}
        self._working = asyncio.Lock()
        self._read: tuple[float, Source | None] = 0.0, None
        """Time (monotonic, s) and source of the newest read."""

    @property
    def kept(self) -> KeptPauses:
        """The pauses to store across restarts."""
        return KeptPauses(tuple(self._all.values()))

    @property
    def shown(self) -> tuple[tuple[str, datetime], ...]:
        """The paused dosers, each with the end of its pause."""
        return tuple((key, pause.until) for key, pause in self._all.items())

    def until(self, kind: AnyDosing) -> datetime | None:
        """Return the end of a doser's pause, `None` if it is not paused."""
        pause = self._all.get(kind.key)
        return None if pause is None else pause.until

    @property
    def overdue(self) -> tuple[AnyDosing, ...]:
        """The dosers that should have been on again for an hour or more."""
        late = time.monotonic() - OVERDUE
        return tuple(p.kind for p in self._all.values() if self._ends_at(p) <= late)

    @property
    def wait(self) -> float | None:
        """Seconds until `work` is due; `None` if nothing is paused."""
        at = time.monotonic()
        waits = (
            max(self._ends_at(each), each.retry_at) - at
            for each in self._all.values()
            if not self._is_old(each)
        )
        return min(waits, default=None)

    def take_read(self, state: PoolState, at: float) -> None:
        """Confirm pauses by a read, and end those whose doser was switched on.

        The first answer after an outage ends the waits of failed tries.
        """
        now = self._clock.now()
        (read_at, source), self._read = self._read, (at, state.source)
        answers_again = at - read_at > _OUTAGE or source is not state.source
        for key, previous in tuple(self._all.items()):
            pause = self._timed(previous)
            if answers_again:
                pause = replace(pause, retry_at=0.0)
            self._all[key] = pause
            enabled = pause.kind.of(state).enabled
            if enabled is False and not pause.confirmed:
                self._all[key] = replace(pause, confirmed=True)
            elif (
                enabled
                and (pause.confirmed or self._is_old(pause))
                and now - pause.since > _OLD_COPY
            ):
                _LOGGER.info("Dosing was switched on: the pause of %s is over", key)
                del self._all[key]

    async def begin(self, kinds: Iterable[AnyDosing], lasts: timedelta) -> None:
        """Pause the dosers that are on; if one is paused already, only its end moves.

        Raises InvalidCommandError if none of them is on, and Sender's errors.
        """
        if not timedelta() < lasts <= LONGEST:
            raise InvalidCommandError("not possible", reason="pause_too_long")
        async with self._working:
            # Another client may have switched one since its settings were last read.
            looks = {kind: await self._dosers.look(kind) for kind in kinds}
            reported = {kind: kind.of(self._dosers.reported).enabled for kind in looks}
            ours = [each for each in looks if reported[each] or each.key in self._all]
            if not ours and None in reported.values():
                raise NotSupportedError("it is not known whether they may dose")
            if not ours:
                raise InvalidCommandError("it is off", reason="dosing_is_off")
            for kind in ours:
                previous = self._all.get(kind.key)
                # Without a fresh read, a read of the cloud since the pause began counts.
                confirmed = previous is not None and previous.confirmed
                is_off = looks[kind] is False or (
                    confirmed and looks[kind] is None and reported[kind] is False
                )
                await self._begin(kind, lasts, is_off=is_off)

    async def _begin(self, kind: AnyDosing, lasts: timedelta, *, is_off: bool) -> None:
        """Pause a doser; the command is sent unless a read shows that it is off."""
        previous, now = self._all.get(kind.key), self._clock.now()
        pause = Pause(
            kind=kind,
            since=previous.since if previous and is_off else now,
            until=now + lasts,
            confirmed=is_off,
            ends_at=time.monotonic() + lasts.total_seconds(),
        )
        # Stored before it is sent: a crash in between leaves no doser off for good.
        self._put(kind, pause)
        if is_off:
            return
        try:
            await self._dosers.enable(kind, False)
        except PoolctlError as err:
            # The user gets an error, so if the doser did go off, that is undone.
            ends_at = time.monotonic() + _OLD_COPY.total_seconds()
            undone = replace(pause, until=now + _OLD_COPY, ends_at=ends_at)
            self._put(kind, previous if err.ran is False else undone)
            raise

    async def enable(self, kind: AnyDosing, on: bool) -> None:
        """Switch a doser for a user, which ends its pause."""
        previous = self._all.get(kind.key)
        await self._dosers.enable(kind, on)
        newest = self._all.get(kind.key)
        # A pause that began meanwhile is kept: it still has to be ended.
        if previous and newest and previous.since == newest.since:
            self._put(kind, None)

    async def work(self) -> None:
        """Switch on the dosers whose pause is over."""
        async with self._working:
            for pause in tuple(self._all.values()):
                due_at = max(self._ends_at(pause), pause.retry_at)
                if due_at <= time.monotonic() and not self._is_old(pause):
                    await self._release(pause)

    def _is_old(self, pause: Pause) -> bool:
        return is_old(pause.until, self._clock.now())

    def _ends_at(self, pause: Pause) -> float:
        """Return the end of a pause (monotonic, s)."""
        if pause.ends_at is not None:
            return pause.ends_at
        # A clock that was ahead at the start must not make the pause last longer.
        lasts = min(pause.until - pause.since, LONGEST)
        left = min(pause.until - self._clock.now(), lasts).total_seconds()
        return time.monotonic() + left

    def _timed(self, pause: Pause) -> Pause:
        """Return a pause whose end and shown end agree, once the time is trusted.

        Until then, a stored end may lie in a long time in which Home Assistant was off.
        """
        if not self._clock.trusted:
            return pause
        ends_at = self._ends_at(pause)
        until = self._clock.now() + timedelta(seconds=ends_at - time.monotonic())
        if abs(until - pause.until) < _DRIFT:
            until = pause.until
        return replace(pause, ends_at=ends_at, until=until)

    async def _release(self, pause: Pause) -> None:
        """Switch a doser on, unless a fresh read shows that it is on already."""
        kind = pause.kind
        try:
            if not await self._dosers.look(kind) and kind.key in self._all:
                await self._dosers.enable(kind, True)
        except PoolctlError as err:
            _LOGGER.debug("A pause of %s cannot be ended: %s", kind.key, err)
            if (newest := self._all.get(kind.key)) is not None:
                retry_at = time.monotonic() + retry_wait(newest.tries)
                tries = newest.tries + 1
                self._put(kind, replace(newest, tries=tries, retry_at=retry_at))
        else:
            self._put(kind, None)

    async def leave(self) -> tuple[AnyDosing, ...]:
        """End all pauses within 10 s; return the dosers that stay off."""
        try:
            async with asyncio.timeout(_LEAVING), self._working:
                for pause in tuple(self._all.values()):
                    if not self._is_old(pause):
                        await self._release(pause)
        except TimeoutError:
            _LOGGER.debug("Not every pause was ended in time")
        return tuple(pause.kind for pause in self._all.values())

    def _put(self, kind: AnyDosing, pause: Pause | None) -> None:
        if pause is None:
            self._all.pop(kind.key, None)
        else:
            self._all[kind.key] = pause
        self._dosers.publish()
