"""Pauses of dosing: one owner for dosers that are off for a time, and on again after it.

A doser that somebody else switches on meanwhile ends its pause, and nothing is sent. The
rules are ours (chosen); that only the settings report a doser's switch: layouts.md 3 to 5.
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
from ..exceptions import InvalidCommandError, NotSupportedError, PoolctlError
from ..pool.dosing import DOSING, AnyDosing
from ..pool.state import PoolState
from ..stored import Stored, flag, moment, text
from .owner import certainly_not_run
from .release import OVERDUE, retry_wait

_LOGGER = logging.getLogger(__name__)

LONGEST: Final = timedelta(days=1)
"""A pool without dosing for longer turns green (chosen)."""
_KINDS: Final = {kind.key: kind for kind in DOSING}
_OLD_COPY: Final = timedelta(seconds=2 * COPY_AGE)
"""For which a copy of the cloud may still show a doser on that was switched off."""
_LEAVING: Final = 10.0
"""s to end pauses before the means of ending them is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """One doser that is off for a time."""

    kind: AnyDosing
    since: datetime
    until: datetime
    """Both by the trusted clock, UTC."""
    confirmed: bool = False
    """Whether a read showed it off: only then a read that shows it on ends the pause."""
    ends_at: float | None = field(default=None, compare=False)
    """Monotonic, s; `None` until the first look, also after a restart."""
    tries: int = field(default=0, compare=False)
    retry_at: float = field(default=0.0, compare=False)
    """Monotonic, s."""

    def due(self, at: float) -> bool:
        """Return whether its end has come."""
        return self.ends_at is not None and self.ends_at <= at

    def as_dict(self) -> dict[str, object]:
        """Return it as the store has it."""
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
    """What is stored of the pauses of one controller."""

    pauses: tuple[Pause, ...]

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(stored.list("pauses", _pause))

    def as_dict(self) -> dict[str, object]:
        """Return it as the store has it."""
        return {"pauses": [pause.as_dict() for pause in self.pauses]}


class Dosers(Protocol):
    """What dosers are read and switched by."""

    @property
    def known(self) -> PoolState:
        """What was reported, without values that are not confirmed yet."""

    def publish(self) -> None:
        """Take that pauses changed."""

    async def look(self, kind: AnyDosing) -> bool | None:
        """Read whether a doser is on, by the LAN; `None` where that was not read."""

    async def enable(self, kind: AnyDosing, on: bool) -> None:
        """Let the firmware dose, or not, and wait until that is confirmed."""


class Pauses:
    """The pauses of one controller, by doser."""

    def __init__(self, dosers: Dosers, clock: Clock, kept: Iterable[Pause]) -> None:
        """Go on with those that were kept."""
        self._dosers = dosers
        self._clock = clock
        self._all = {pause.kind.key: pause for pause in kept}
        self._working = asyncio.Lock()

    @property
    def kept(self) -> KeptPauses:
        """What lasts over restarts."""
        return KeptPauses(tuple(self._all.values()))

    @property
    def shown(self) -> tuple[tuple[str, datetime], ...]:
        """Which dosers are paused, and until when."""
        return tuple((key, pause.until) for key, pause in self._all.items())

    def until(self, kind: AnyDosing) -> datetime | None:
        """Return until when a doser is paused."""
        pause = self._all.get(kind.key)
        return None if pause is None else pause.until

    @property
    def overdue(self) -> tuple[AnyDosing, ...]:
        """The dosers that should have been on again an hour ago."""
        late = time.monotonic() - OVERDUE
        return tuple(each.kind for each in self._all.values() if each.due(late))

    @property
    def wait(self) -> float | None:
        """Seconds until there is something to do; `None` if nothing is paused."""
        at = time.monotonic()
        waits = (
            0.0 if each.ends_at is None else max(each.ends_at, each.retry_at) - at
            for each in self._all.values()
        )
        return min(waits, default=None)

    def take_read(self, state: PoolState, at: float) -> None:
        """Take a read: a doser that somebody switched on is not paused any more."""
        now = self._clock.now()
        for key, pause in tuple(self._all.items()):
            enabled = pause.kind.of(state).enabled
            if enabled is False and not pause.confirmed:
                self._all[key] = replace(pause, confirmed=True)
            elif enabled and pause.confirmed and now - pause.since > _OLD_COPY:
                _LOGGER.info("Dosing was switched on: the pause of %s is over", key)
                del self._all[key]

    async def begin(self, kinds: Iterable[AnyDosing], lasts: timedelta) -> None:
        """Pause the dosers that are on; of a paused one, only the end moves.

        Raises InvalidCommandError where none of them is on, and what Sender says.
        """
        if not timedelta() < lasts <= LONGEST:
            raise InvalidCommandError("not possible", reason="pause_too_long")
        async with self._working:
            states = {kind: await self._state(kind) for kind in kinds}
            ours = [kind for kind, is_ours in states.items() if is_ours]
            if not ours and None in states.values():
                raise NotSupportedError("it is not known whether they may dose")
            if not ours:
                raise InvalidCommandError("it is off", reason="dosing_is_off")
            for kind in ours:
                await self._begin(kind, lasts)

    async def _state(self, kind: AnyDosing) -> bool | None:
        """Return whether a doser is on, or off by us; `None` where that is not known."""
        if kind.key in self._all:
            return True
        # Somebody else may have switched it since its settings were read last.
        await self._dosers.look(kind)
        return kind.of(self._dosers.known).enabled

    async def _begin(self, kind: AnyDosing, lasts: timedelta) -> None:
        previous, now = self._all.get(kind.key), self._clock.now()
        pause = Pause(kind=kind, since=now, until=now + lasts)
        if previous is not None:
            since, confirmed = previous.since, previous.confirmed
            pause = replace(pause, since=since, confirmed=confirmed)
        # Kept before it is sent: a crash in between leaves nothing off for good.
        self._put(kind, pause)
        if previous is not None:
            return
        try:
            await self._dosers.enable(kind, False)
        except PoolctlError as err:
            # A person hears of the error: what was done of it in the end is undone.
            undone = replace(pause, until=now + _OLD_COPY)
            self._put(kind, None if certainly_not_run(err) else undone)
            raise

    async def enable(self, kind: AnyDosing, on: bool) -> None:
        """Switch a doser for a person, which ends its pause."""
        previous = self._all.get(kind.key)
        await self._dosers.enable(kind, on)
        newest = self._all.get(kind.key)
        # A pause that began meanwhile still has to be ended.
        if previous and newest and previous.since == newest.since:
            self._put(kind, None)

    async def work(self) -> None:
        """Switch on what was paused long enough."""
        async with self._working:
            for kept in tuple(self._all.values()):
                pause = self._timed(kept) if kept.ends_at is None else kept
                at = time.monotonic()
                if pause.due(at) and pause.retry_at <= at:
                    await self._release(pause)

    def _timed(self, pause: Pause) -> Pause:
        """Return a pause with its end by the monotonic clock."""
        # A clock that was ahead when it began lets no pause last longer than it should.
        lasts = min(pause.until - pause.since, LONGEST)
        left = min(pause.until - self._clock.now(), lasts).total_seconds()
        pause = replace(pause, ends_at=time.monotonic() + left)
        self._all[pause.kind.key] = pause
        return pause

    async def _release(self, pause: Pause) -> None:
        """Switch a doser on, unless a fresh read shows that somebody did."""
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
        """End all within 10 s; return the dosers that stay off."""
        try:
            async with asyncio.timeout(_LEAVING), self._working:
                for pause in tuple(self._all.values()):
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
