"""Setting the shows of lights.

The firmware sets a show by a series of relay pulses: the relay goes on and off for a
while, and the light ends up on. Observed, not published (protocol.md O3 and O4.1).
"""

from ..lan import LanClient
from ..pool.lights import (
    EFFECT_SECONDS,
    LIGHT_GROUPS,
    LIGHT_TYPES,
    LightAction,
    LightGroup,
    LightType,
)
from ..pool.outputs import Output
from ..pool.parts import LightShow
from ..wire.commands import LIGHTS_COMMAND, LIGHTS_QUERY, encode_cmd
from ..wire.equipment import Slot
from ..wire.exceptions import (
    InvalidCommandError,
    LanBusyError,
    NotSupportedError,
    UnreachableError,
)
from ..wire.frame import MODE_MANUAL, StateFrame
from .command import Command
from .live_state import LiveState
from .moves import switching
from .outputs import is_on, with_mode
from .queries import Queries
from .sender import Sender

SETTLING_MARGIN = 3.0
"""Seconds: a `cmd` moves its relay up to 2 s after its reply; 1 s spare (chosen)."""


class LightControl:
    """Sets the shows of one controller's lights, which only the LAN can do."""

    def __init__(self, sender: Sender, queries: Queries, live: LiveState) -> None:
        self._sender, self._queries, self._live = sender, queries, live

    async def show(self, output: Output, effect: str) -> None:
        """Set the effect of a light; it ends up on.

        Returns once the controller accepted it: the relay keeps switching for a while.
        Raises InvalidCommandError for an effect that this light does not have.
        """
        slot, group, kind = self._light(output)
        if effect not in kind.effects:
            raise InvalidCommandError(
                reason="unknown_effect",
                effect=effect,
                light=slot.name or f"#{slot.index + 1}",
                effects=", ".join(kind.effects) or "-",
            )
        color = kind.effects[effect]
        await self._send(slot, group, kind, LightAction(color, EFFECT_SECONDS))

    def effects(self, output: Output) -> tuple[str, ...]:
        """Return the effects of a light; raises NotSupportedError."""
        return tuple(self._light(output)[2].effects)

    async def act(self, output: Output, action: str) -> None:
        """Run an action of the light, e.g. a reset; raises NotSupportedError."""
        slot, group, kind = self._light(output)
        if action not in kind.actions:
            raise NotSupportedError(f"light type {kind.key} has no {action}")
        await self._send(slot, group, kind, kind.actions[action])

    def _light(self, output: Output) -> tuple[Slot, LightGroup, LightType]:
        """Return a light as last reported; raises NotSupportedError for other slots."""
        state = self._live.reported
        slot = state.outputs.find(output)
        if slot.role not in LIGHT_GROUPS:
            raise NotSupportedError("this is not known to be a light")
        group = LIGHT_GROUPS[slot.role]
        kind = group.light_type(state, self._live.choices)
        return slot, group, kind or LIGHT_TYPES[0]

    async def _send(
        self, slot: Slot, group: LightGroup, kind: LightType, what: LightAction
    ) -> None:
        index, settles_in = slot.index, what.seconds + SETTLING_MARGIN
        body = {"slot": index, "light_type": kind.code, "light_color": what.color}

        async def run(lan: LanClient) -> StateFrame | None:
            try:
                frame = await lan.action("cmd", encode_cmd(LIGHTS_COMMAND, body))
            except LanBusyError as err:
                # It may have run, and the present effect of a light is not reported.
                raise UnreachableError(reason="outcome_unknown") from err
            finally:
                # After it settled: an earlier reply may report the old preference.
                self._queries.expire(LIGHTS_QUERY, after=settles_in)
                sent = {group.type_key: kind.code, group.color_key: what.color}
                self._queries.door.note_write(LIGHTS_QUERY, lambda read: read | sent)
            if not what.keeps_effect:
                show = LightShow(kind.code, what.color)
                self._live.reported = group.edit(self._live.reported, lambda _: show)
            return frame

        await self._sender.send(
            Command(
                key=f"slot {index}",
                # Shown as on, whatever its relay does at the moment.
                show=lambda state: with_mode(state, index, MODE_MANUAL),
                confirms=lambda state: is_on(state, index) is True,
                moves=switching(self._live.reported.outputs, index),
                lan=run,
                settles_in=settles_in,
            )
        )
