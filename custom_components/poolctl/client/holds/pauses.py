"""Pauses of dosing: dosers that are off for a time, and then on again.

If another client switches a doser on meanwhile, its pause ends and nothing is sent.
These rules are chosen. Only the settings report if a doser is on (protocol.md O3 to O5).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, override

from ..bounds import OneOf
from ..cloud import COPY_AGE
from ..control.dosing import DosingControl
from ..controller_clock import Times
from ..pool.dosing import DOSING, AnyDosing
from ..pool.state import PoolState
from ..wire.exceptions import InvalidCommandError, NotSupportedError, PoolctlError
from .claim import Claim
from .claims import Claims, Reads

_UNDONE_IN: Final = timedelta(seconds=2 * COPY_AGE)
"""Time after which a beginning that failed is undone, as it may have run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Claim):
    """One doser that is off for a time."""

    LONGEST: ClassVar = timedelta(days=1)
    """A pool without dosing for longer turns green (chosen)."""

    kind: Annotated[AnyDosing, OneOf({kind.key: kind for kind in DOSING})]
    on: bool = False
    until: datetime

    @property
    @override
    def index(self) -> int:
        return DOSING.index(self.kind)

    @override
    def in_effect(self, state: PoolState) -> bool | None:
        enabled = self.kind.of(state).enabled
        return None if enabled is None else not enabled

    @override
    def agreeing(self, state: PoolState) -> float:
        return 0.0  # a setting has no short states

    @override
    def cloud_undoes(self, *, without_lan: bool) -> bool:
        return True


class Pauses(Claims[Pause]):
    """The pauses of one controller, by doser."""

    def __init__(
        self,
        reads: Reads,
        dosers: DosingControl,
        times: Times,
        stored: Iterable[Pause],
    ) -> None:
        super().__init__(reads, times, stored)
        self._dosers = dosers

    def until(self, kind: AnyDosing) -> datetime | None:
        """Return the end of a doser's pause, `None` if it is not paused."""
        pause = self._all.get(DOSING.index(kind))
        return None if pause is None else pause.until

    @override
    def _report(self, claim: Pause) -> tuple[PoolState, float]:
        return self._live.reported, self._dosers.reported_at(claim.kind)

    async def begin(self, kinds: Iterable[AnyDosing], lasts: timedelta) -> None:
        """Pause the dosers that are on; if one is paused already, only its end moves.

        Raises InvalidCommandError if none of them is on, and the first of Sender's
        errors once all were tried.
        """
        if not timedelta() < lasts <= Pause.LONGEST:
            raise InvalidCommandError(reason="pause_too_long")
        async with self._working:
            # Another client may have switched one since its settings were last read.
            reads = {kind: await self._dosers.read_enabled(kind) for kind in kinds}
            failures = []
            for kind in self._pausable(reads):
                try:
                    await self._begin(kind, lasts, is_off=reads[kind] is False)
                except PoolctlError as err:
                    failures.append(err)
            if failures:
                raise failures[0]

    def _pausable(self, kinds: Iterable[AnyDosing]) -> list[AnyDosing]:
        reported = {kind: kind.of(self._live.reported).enabled for kind in kinds}
        ours = [kind for kind, on in reported.items() if on or self.until(kind)]
        if not ours and None in reported.values():
            raise NotSupportedError("it is not known whether they may dose")
        if not ours:
            raise InvalidCommandError(reason="dosing_is_off")
        return ours

    async def _begin(self, kind: AnyDosing, lasts: timedelta, *, is_off: bool) -> None:
        """Pause a doser; the command is sent unless a fresh read shows that it is off."""
        index, now = DOSING.index(kind), self._follow_clock()
        present = self._all.get(index)
        pause = Pause(kind=kind, since=now, until=now, confirmed=False)
        if is_off and present:
            self._put(index, replace(present, confirmed=True).lasting(lasts, now))
            return
        try:
            with self._requesting(pause, present):
                await self._promise(pause.lasting(lasts, now))
                await self._dosers.enable(kind, False)
        except PoolctlError:
            # The user gets an error, so if the doser did go off, that is undone: at the
            # end of the pause that it already had, or soon.
            left = present.until - now if present else _UNDONE_IN
            if (newest := self._newest(pause)) is not None:
                self._put(index, newest.lasting(left, now))
            raise
        if (newest := self._newest(pause)) is not None:
            self._put(index, replace(newest, confirmed=True))

    async def enable(self, kind: AnyDosing, on: bool) -> None:
        """Switch a doser for a user, which ends its pause.

        A lost answer to "off" ends it, too: it is off, as the user wants it.
        """
        pause, ends = self._all.get(DOSING.index(kind)), False
        try:
            await self._dosers.enable(kind, on)
            ends = True
        except PoolctlError as err:
            ends = not on and err.ran is not False
            raise
        finally:
            # One that began meanwhile still has to be ended, and is kept.
            if ends and pause is not None and self._newest(pause) is not None:
                self._put(pause.index, None)

    @override
    async def _look(self) -> bool:
        return True  # each is read before it is undone

    @override
    async def _undo(self, claim: Pause) -> None:
        """Switch a doser on, unless a fresh read shows that it is on already."""
        if not await self._dosers.read_enabled(claim.kind) and claim.index in self._all:
            await self._dosers.enable(claim.kind, True)
