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
from .claim import Claim, Doubt, Event, State, after
from .claims import Claims
from .evidence import AGREEING

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
        self._chosen = sender.store.reported.pool_sources
        """Heat sources of the pool that were selected last by others than us."""

    async def claim(self, source: HeatSource, claimant: str, until: datetime) -> None:
        """Select a heat source until a time, for one claimant.

        Nothing is sent if it is selected, and nothing is claimed if others selected it.
        """
        thing, now = thing_of(source), self._times.now
        known, selected = self._all.get(thing), self._state.heat[source]
        if selected and known is None:
            return
        claims = {} if known is None else known.claims_beside(claimant, now)
        claim = HeatClaim(
            source=source,
            since=now if known is None else known.since,
            state=State.ACTIVE if selected else State.REQUESTED,
        ).claimed({**claims, claimant: until}, now)
        # Stored before it is sent: a crash in between leaves no heater on for good.
        self._put(thing, claim)
        if selected:
            return
        try:
            with self._switching(thing):
                await self._heating.select(source, True)
        except PoolctlError as err:
            if err.ran is False:
                self._put(thing, known)
            raise
        self._apply(thing, Event.CONFIRMED)
        self._store.publish()

    def forget(self, sources: Iterable[HeatSource]) -> None:
        """Leave heat sources selected at the end: a user has selected them meanwhile."""
        for source in sources:
            self._put(thing_of(source), None)

    @override
    def take_read(self, state: PoolState, at: float) -> None:
        super().take_read(state, at)
        if any(claim.source in state.pool_sources for claim in self.all):
            state = replace(state, pool_sources=self._chosen)
            self._store.reported = state
        self._chosen = state.pool_sources

    @override
    def _observed(
        self, claim: HeatClaim, state: PoolState, at: float
    ) -> HeatClaim | None:
        selected = state.heat[claim.source]
        if state.source is not Source.LAN or selected is None:
            return claim
        if selected:
            return after(replace(claim, doubt=None), Event.HELD)
        if at < claim.settled_at:
            return claim
        if claim.doubt is None:
            return after(replace(claim, doubt=Doubt(at, by_cloud=False)), Event.OTHER)
        over = at - claim.doubt.at >= AGREEING
        return after(claim, Event.GONE if over else Event.OTHER)

    @override
    def _possible(self, claim: HeatClaim) -> bool:
        return self._paths.on_lan

    @override
    def _lost(self, claim: HeatClaim) -> bool:
        return self._paths.lan is None

    @override
    def _cloud_undoes(self, claim: HeatClaim) -> bool:
        return False

    @override
    async def _read_now(self) -> bool:
        return await self._poller.read_lan()

    @override
    async def _undo(self, claim: HeatClaim) -> None:
        if self._state.heat[claim.source] is not False:
            await self._heating.select(claim.source, False)
