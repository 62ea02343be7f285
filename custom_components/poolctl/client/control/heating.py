"""Heating of pool and spa: target temperatures, and which heat sources may run.

Observed, not published (protocol.md O3 and O4): `v2_temp_set` writes all settings at once
and sets missing ones to 0. So all of them are read, changed and written back.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
import operator

from ..lan import LanClient
from ..pool.heating import (
    POOL,
    Body,
    HeatingChange,
    fitted_sources,
    selected_sources,
    sources_to_select,
    target_of,
)
from ..pool.queries import HEATING
from ..pool.state import PoolState
from ..wire.commands import HEATING_COMMAND
from ..wire.equipment import HeatSource
from ..wire.exceptions import NotSupportedError
from ..wire.frame import StateFrame
from ..wire.json_values import Answer
from .command import Command
from .live_state import LiveState
from .queries import Queries
from .sender import Sender

type _Step = Callable[[PoolState], HeatingChange]
"""Returns the requested change, given the present state."""

_NOTHING = HeatingChange()


class HeatingControl:
    """Changes the heating of one controller (see Sender for the errors of commands)."""

    def __init__(self, sender: Sender, queries: Queries, live: LiveState) -> None:
        self._sender, self._queries, self._live = sender, queries, live
        self._sent: tuple[Command, HeatingChange] | None = None
        self.claimed: Callable[[], Collection[HeatSource]] = tuple
        """Returns the sources that no user selected, and that are deselected again."""

    async def change(
        self, body: Body, *, target: float | None = None, heat: bool | None = None
    ) -> None:
        """Set the target in whole °C, allow or forbid heating, or both at once.

        Raises InvalidCommandError outside the range of targets, and ReplyError if the
        controller's settings are incomplete: then nothing was written.
        """
        steps: list[_Step] = []
        if target is not None:
            wanted = target_of(body, target)
            steps.append(lambda state: wanted)
        if heat is not None:
            if not fitted_sources(self._live.state, body):
                raise NotSupportedError("what can heat it is not known yet")
            steps.append(
                lambda state: HeatingChange(
                    selected=sources_to_select(state, body, heat)
                )
            )
        if heat is False and body is POOL:
            self._choose()  # what a user switches off here was chosen
        await self._change(*steps)
        if heat and body is POOL:
            self._choose()

    async def choose(self, source: HeatSource, selected: bool) -> None:
        """Allow or forbid a heat source for a user: thermostats will select it again."""
        await self.select(source, selected)
        self._choose()

    async def select(self, source: HeatSource, selected: bool) -> None:
        """Allow or forbid a heat source."""
        await self._change(lambda state: HeatingChange(selected={source: selected}))

    def _choose(self) -> None:
        """Note the sources that a user chose: of a read, a second one has to agree."""
        selected, ours = selected_sources(self._live.reported, POOL), self.claimed()
        if chosen := tuple(source for source in selected if source not in ours):
            self._live.update(lambda state: replace(state, pool_sources=chosen))

    async def _change(self, *steps: _Step) -> None:
        """Send changes one at a time: each must read what the previous one wrote."""
        await self._sender.coalescer.run(
            "heating", steps, self._send, self._sender.confirm, combine=operator.add
        )

    async def _send(self, steps: tuple[_Step, ...]) -> Command:
        asked = _NOTHING
        if self._sent is not None and self._sent[0] in self._live.pending:
            asked = self._sent[1]  # the next read may lack it, too
        for step in steps:
            # Based on the earlier requests, too, confirmed or not.
            asked = asked.then(step(asked.show(self._live.state)))

        def edit(read: Answer, at: float) -> Answer:
            body = asked.write(read, self._live.reported)
            self._queries.door.note_write(
                HEATING.name, lambda _: {key: body.get(key) for key in read}
            )
            return body

        async def write(lan: LanClient) -> StateFrame | None:
            how = HEATING, HEATING_COMMAND, edit
            return (await self._queries.rewrite(lan, *how))[0]

        pending = await self._sender.send(
            Command(
                key="heating",
                show=asked.show,
                confirms=lambda state: asked.show(state) == state,
                lan=write,
            )
        )
        self._sent = pending, asked
        return pending
