"""Heat sources that are selected for a time, and deselected at its end.

A source that a user or another client selected is not claimed, and the claim ends when
a user selects it meanwhile. The state frames report what is selected (protocol.md O3).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import override

from ..clock import Times
from ..control.heating import HeatingControl
from ..control.sender import Sender
from ..pool.state import PoolState, Source
from ..wire.equipment import HeatSource
from ..wire.exceptions import PoolctlError
from .claim import Claim, Known
from .claims import Claims
from .decide import Seen, agreeing

thing_of = (*HeatSource,).index
"""Returns the number of a heat source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatClaim(Claim):
    """One heat source that is selected for a time."""

    source: HeatSource
    on: bool = True

    @property
    @override
    def thing(self) -> int:
        return thing_of(self.source)


class HeatClaims(Claims[HeatClaim]):
    """The claims on the heat sources of one controller.

    Only the LAN selects heat sources and reports which are selected.
    """

    def __init__(
        self,
        sender: Sender,
        heating: HeatingControl,
        times: Times,
        stored: Iterable[HeatClaim],
    ) -> None:
        super().__init__(sender, times, stored)
        self._heating = heating
        self._chosen = sender.live.reported.pool_sources
        """Heat sources of the pool that were selected last by others than us."""

    async def claim(self, source: HeatSource, claimant: str, until: datetime) -> None:
        """Select a heat source until a time, for one claimant.

        Nothing is sent if it is selected, and nothing is claimed if others selected it.
        """
        thing, now = thing_of(source), self._times.now
        known, selected = self._all.get(thing), self._live.state.heat[source]
        claims: dict[str, datetime | None] = {claimant: until}
        if known is not None:
            claims = known.claims_beside(claimant, now) | claims
            if selected and known.observed:
                self._put(thing, known.claimed(claims, now))
                return
        elif selected:
            return
        claim = HeatClaim(source=source, since=now, state=Known.REQUESTED)
        claim = claim.claimed(claims, now)
        try:
            with self._switching(thing):
                await self._promise(thing, claim)
                await self._heating.select(source, True)
        except PoolctlError as err:
            if err.ran is False and self._all.get(thing) == claim:
                self._put(thing, known)
            raise
        if (newest := self._all.get(thing)) is not None:
            self._put(thing, replace(newest, state=Known.ACTIVE))

    def forget(self, sources: Iterable[HeatSource]) -> None:
        """Leave heat sources selected at the end: a user has selected them meanwhile."""
        for source in sources:
            self._put(thing_of(source), None)

    @override
    def take_read(self, state: PoolState, at: float) -> None:
        super().take_read(state, at)
        if any(claim.source in state.pool_sources for claim in self.all):
            state = replace(state, pool_sources=self._chosen)
            self._live.reported = state
        self._chosen = state.pool_sources

    @override
    def _see(self, claim: HeatClaim, state: PoolState, at: float) -> Seen:
        by_lan = state.source is Source.LAN
        ours = state.heat[claim.source] if by_lan else None
        return Seen(at, ours, agreeing=agreeing(claim))

    @override
    async def _undo(self, claim: HeatClaim) -> None:
        if self._live.state.heat[claim.source] is not False:
            await self._heating.select(claim.source, False)
