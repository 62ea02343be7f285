"""Heat sources that are selected for a time, and deselected at its end.

A source that a user or another client selected stays selected: the claim on it is one
beside theirs. The state frames report what is selected (protocol.md O3).
"""

import asyncio
from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final, override

from ..control.heating import HeatingControl
from ..controller_clock import Times
from ..pool.heating import BODIES, Body, sources_to_select
from ..pool.state import PoolState, Source
from ..wire.equipment import HeatSource
from ..wire.exceptions import NotSupportedError, PoolctlError
from .claim import Claim
from .claims import Claims, Reads

index_of = (*HeatSource,).index
"""Returns the number of a heat source."""
_BY_OTHERS: Final[Mapping[str, datetime | None]] = {"": None}
"""Claim of a user or another client: it does not end by itself."""


def _held(body: Body) -> str:
    """Return the claimant of a body of water that a user holds at heating."""
    return f"hold {body.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatClaim(Claim):
    """One heat source that is selected for a time."""

    LONGEST: ClassVar = timedelta(days=9)
    """*Warm by* needs eight days: a week, and a day for which the water stays warm."""

    source: HeatSource
    on: bool = True

    @property
    @override
    def index(self) -> int:
        return index_of(self.source)

    @override
    def in_effect(self, state: PoolState) -> bool | None:
        reported = state.source is Source.LAN and state.settings_reported
        return state.heat[self.source] if reported else None


class HeatClaims(Claims[HeatClaim]):
    """The claims on the heat sources of one controller.

    Only the LAN selects heat sources and reports which are selected.
    """

    def __init__(
        self,
        reads: Reads,
        heating: HeatingControl,
        times: Times,
        stored: Iterable[HeatClaim],
    ) -> None:
        super().__init__(reads, times, stored)
        self._heating = heating
        heating.claimed = self._sources
        self._chosen = self._live.reported.pool_sources
        """Heat sources of the pool that were selected last by others than us."""

    async def claim(self, source: HeatSource, claimant: str, until: datetime) -> None:
        """Select a heat source until a time, for one claimant.

        Nothing is sent if it is selected; if others selected it, it stays so at the end.
        """
        index, now = index_of(source), self._follow_clock()
        known, selected = self._all.get(index), self._live.state.heat[source]
        others = _BY_OTHERS if selected else {}
        if known is not None:
            others = known.claimants_beside(claimant, now)
        claims = {**others, claimant: until}
        claim = HeatClaim(source=source, since=now, confirmed=False)
        if selected and (known is None or known.observed):
            # The read that shows it selected may be odd: the next one confirms it.
            self._put(index, (known or claim).for_claimants(claims, now))
            return
        claim = claim.for_claimants(claims, now)
        with self._requesting(claim, known):
            await self._promise(claim)
            await self._heating.select(source, True)
        if (newest := self._newest(claim)) is not None:
            self._put(index, replace(newest, confirmed=True))

    @property
    def held(self) -> Mapping[Body, datetime]:
        """Until when each body of water is heated that a user holds at heating."""
        now = self._times.now
        return {
            body: until
            for body in BODIES
            for each in self.all
            if (until := each.claimants.get(_held(body))) is not None and until > now
        }

    async def hold(self, body: Body, lasts: timedelta) -> None:
        """Heat a body of water for some time from now, as far as its pump runs.

        The sources are those that its thermostat would select, all in one command.
        Raises NotSupportedError while they are not known.
        """
        if not (sources := sources_to_select(self._live.state, body, True)):
            raise NotSupportedError("what can heat it is not known yet")
        until, claimant = self._follow_clock() + lasts, _held(body)
        await asyncio.gather(*(self.claim(each, claimant, until) for each in sources))

    async def resume(self, body: Body) -> None:
        """End that hold; raises the failure if it has to be tried again later."""
        await self.end(_held(body))

    @contextmanager
    def following(
        self, sources: Collection[HeatSource], selected: bool
    ) -> Generator[None]:
        """Follow a user whose command is sent in this block; nothing is undone then."""
        indices = [index_of(source) for source in sources]
        try:
            with ExitStack() as stack:
                for index in indices:
                    stack.enter_context(self._switching(index))
                yield
        except PoolctlError as err:
            if not selected:
                for index in indices:
                    self._maybe_undone(index, err)
            raise
        now = self._follow_clock()
        for claim in filter(None, map(self._all.get, indices)):
            if selected:
                claims = {**claim.claimants, **_BY_OTHERS}
                self._put(claim.index, claim.for_claimants(claims, now))
            else:
                self._ended |= {(name, claim.index) for name in claim.claimants if name}
                self._put(claim.index, None)

    def _sources(self) -> set[HeatSource]:
        """Return the claimed sources that no user selected."""
        return {claim.source for claim in self.all if "" not in claim.claimants}

    @override
    def drop(self, claimant: str, indices: Collection[int] | None = None) -> None:
        super().drop(claimant, indices)
        for claim in self.all:
            if claim.claimants == _BY_OTHERS:
                self._put(claim.index, None)

    @override
    def add_read(self, state: PoolState, at: float) -> None:
        super().add_read(state, at)
        if self._sources() & {*state.pool_sources}:
            state = replace(state, pool_sources=self._chosen)
            self._live.reported = state
        self._chosen = state.pool_sources

    @override
    async def _undo(self, claim: HeatClaim) -> None:
        if claim.in_effect(self._live.state) is not False:
            await self._heating.select(claim.source, False)
