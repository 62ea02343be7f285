"""Lights: what their makers call shows, and how one is set.

A show is set by a train of relay pulses that the firmware runs: the relay flaps for a
while, and the light ends up on. One preference is kept for all lights of the pool, and
one for those of the spa. Observed, not published (layouts.md 3, 4 and 4.1).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from ..commands import encode_cmd
from ..equipment import POOL_LIGHTS, SPA_LIGHTS, Role, Slot
from ..exceptions import InvalidCommandError, NotSupportedError
from ..frame import MODE_MANUAL, StateFrame
from ..lan import LanClient
from ..pool.state import LightShow, PoolState

if TYPE_CHECKING:
    from .commander import Commander

NEVER_SET = 99
"""Stands for a colour that was never chosen."""
QUERY = "get_pool_light_switch_mode"
_COMMAND = "set_pool_light_switch_mode"

EFFECT_SECONDS = 5.0
"""s until an absolute colour has settled."""
SETTLING_MARGIN = 3.0
"""s: a `cmd` moves its relay up to 2 s after its reply, and 1 s to be sure (chosen)."""


@dataclass(frozen=True, slots=True)
class LightAction:
    """Something a light does besides showing an absolute colour."""

    color: int
    """The `light_color` that stands for it."""
    seconds: float
    """s that the relay flaps."""
    keeps_effect: bool = False


@dataclass(frozen=True, slots=True)
class LightType:
    """What a kind of light can do; keys are stable, people see translations."""

    key: str
    effects: Mapping[str, int] = field(default_factory=dict)
    """Absolute colours and shows: `light_color` of each."""
    actions: Mapping[str, LightAction] = field(default_factory=dict)

    def effect(self, color: int) -> str | None:
        """Return the effect that a `light_color` stands for."""
        return next((name for name, c in self.effects.items() if c == color), None)

    def keeps_effect(self, color: int) -> bool:
        """Tell whether a `light_color` leaves the effect as it was."""
        return any(a.keeps_effect for a in self.actions.values() if a.color == color)


def _from_1(names: str) -> dict[str, int]:
    """Return effects that are numbered from 1 on."""
    return dict(zip(names.split(), count(1), strict=False))


LIGHT_TYPES = {
    0: LightType("other"),
    1: LightType(
        "aquaquip_instatouch",
        _from_1(
            "blue aqua green gold magenta red white seaside slow_scroll rapid_scroll"
            " fireworks disco flash"
        ),
    ),
    2: LightType(
        "spa_electrics_multi_plus",
        _from_1(
            "blue magenta red lime green aqua white oceanic_views transcendence"
            " outback_australia spring_equinox"
        ),
        {
            # Its time is not published: that of a colour (chosen).
            "brightness_down": LightAction(12, EFFECT_SECONDS, keeps_effect=True),
            "resync": LightAction(0, 110),
        },
    ),
    3: LightType(
        "spa_electrics_multi_colour",
        actions={"next_colour": LightAction(1, 4), "sync": LightAction(0, 8)},
    ),
    4: LightType(
        "aquaquip_multi_colour",
        actions={
            "next_colour": LightAction(1, 3),
            "save_colour": LightAction(2, 13, keeps_effect=True),
            "sync": LightAction(0, 18),
        },
    ),
    5: LightType(
        "pal_colour_touch",
        _from_1(
            "deep_blue aqua_teal emerald_green white_4000k soft_violet sunlover_sunset"
            " northern_lights candela enchanted_forest lunar_wonder romance halloween"
            " symphony"
        ),
    ),
}
"""By `light_type` (layouts.md 4.1); 0 is a light of another kind, or not known."""

_CODES = {light_type.key: code for code, light_type in LIGHT_TYPES.items()}
LIGHT_ACTIONS = tuple(
    dict.fromkeys(name for kind in LIGHT_TYPES.values() for name in kind.actions)
)


@dataclass(frozen=True, slots=True)
class LightGroup:
    """The lights that share a light type and a preference: the pool's, or the spa's."""

    key: str
    fitted: frozenset[int]
    """Aux types of its lights."""

    def show(self, state: PoolState) -> LightShow | None:
        """Return the preference, `None` where it is not known."""
        show: LightShow | None = getattr(state, f"{self.key}_show")
        return show

    def with_show(self, state: PoolState, show: LightShow) -> PoolState:
        """Return the state with another preference."""
        changes: dict[str, Any] = {f"{self.key}_show": show}
        return replace(state, **changes)

    def type_code(self, state: PoolState) -> int | None:
        """Return the light type: the chosen one, else the one the controller knows.

        `None` until it has told; 0 where it does not know either.
        """
        choice: int | None = getattr(state, f"{self.key}_light_choice")
        if choice is not None:
            return choice
        if (show := self.show(state)) is None:
            return None
        return show.light_type if show.light_type in LIGHT_TYPES else 0

    def light_type(self, state: PoolState) -> LightType | None:
        """Return what its lights can do, `None` until that is known."""
        code = self.type_code(state)
        return None if code is None else LIGHT_TYPES[code]

    def effects(self, state: PoolState) -> tuple[str, ...]:
        """Return the effects to choose from."""
        kind = self.light_type(state)
        return tuple(kind.effects) if kind else ()

    def effect(self, state: PoolState) -> str | None:
        """Return the effect that was set last, `None` where there is none."""
        show, kind = self.show(state), self.light_type(state)
        if show is None or kind is None or show.light_type != self.type_code(state):
            return None
        return kind.effect(show.color)


POOL, SPA = LightGroup("pool", POOL_LIGHTS), LightGroup("spa", SPA_LIGHTS)
LIGHT_GROUPS = {Role.POOL_LIGHT: POOL, Role.SPA_LIGHT: SPA}
"""By role of a light's slot."""


def merge_lights(state: PoolState, reply: Mapping[str, Any]) -> PoolState:
    """Return the state with the reply of `get_pool_light_switch_mode`."""
    for group in LIGHT_GROUPS.values():
        show, before = _show(reply, group.key), group.show(state)
        if show is None:
            continue
        kind = LIGHT_TYPES.get(show.light_type)
        if kind and kind.keeps_effect(show.color) and before:
            # Whether an action becomes the preference is not known: it is no colour.
            show = show._replace(color=before.color)
        state = group.with_show(state, show)
    return state


def _show(reply: Mapping[str, Any], group: str) -> LightShow | None:
    """Return a group's preference, `None` where the reply does not tell."""
    found = [reply.get(f"g_{group}_light_{what}") for what in ("type_mode", "mode")]
    if not all(isinstance(part, int) and 0 <= part <= 0xFF for part in found):
        return None
    return LightShow(*(int(part) for part in found if part is not None))


class Lights:
    """Sets the shows of one controller's lights; only the LAN can."""

    def __init__(self, commander: Commander) -> None:
        """Send through a commander."""
        self._commander = commander

    def choose_type(self, group: LightGroup, key: str) -> None:
        """Keep which kind of light a person says is fitted."""
        if key not in _CODES:
            raise InvalidCommandError(f"there is no light type {key}")
        self._commander.update(**{f"{group.key}_light_choice": _CODES[key]})

    async def show(self, index: int, effect: str) -> None:
        """Have the light of a slot show an effect; it ends up on.

        Returns once the controller took it: the relay flaps on for a while. Raises
        InvalidCommandError for an effect that this light does not have.
        """
        slot, group, kind = self._light(index)
        if effect not in kind.effects:
            raise InvalidCommandError(
                f"light type {kind.key} has no such effect",
                reason="unknown_effect",
                effect=effect,
                light=slot.name or f"#{index + 1}",
                effects=", ".join(kind.effects) or "-",
            )
        color = kind.effects[effect]
        await self._send(slot, group, LightAction(color, EFFECT_SECONDS))

    async def act(self, index: int, action: str) -> None:
        """Have the light of a slot do what it does besides colours; it ends up on.

        Returns once the controller took it, as `show` does. Raises NotSupportedError for
        an action that this light does not have.
        """
        slot, group, kind = self._light(index)
        if action not in kind.actions:
            raise NotSupportedError(f"light type {kind.key} has no {action}")
        await self._send(slot, group, kind.actions[action])

    def _light(self, index: int) -> tuple[Slot, LightGroup, LightType]:
        """Return a light as it is known now; raises NotSupportedError for others."""
        slot = self._commander.known.slot(index)
        if slot is None or slot.role not in LIGHT_GROUPS:
            raise NotSupportedError("this is not known to be a light")
        group = LIGHT_GROUPS[slot.role]
        kind = group.light_type(self._commander.known)
        return slot, group, kind or LIGHT_TYPES[0]

    async def _send(self, slot: Slot, group: LightGroup, what: LightAction) -> None:
        commander, settles_in = self._commander, what.seconds + SETTLING_MARGIN
        show = LightShow(group.type_code(commander.known) or 0, what.color)
        body = {
            "slot": slot.index,
            "light_type": show.light_type,
            "light_color": show.color,
        }

        async def run(lan: LanClient) -> StateFrame | None:
            try:
                frame = await lan.action("cmd", encode_cmd(_COMMAND, body))
            finally:
                # Once it has settled: what is told before may be the old preference.
                commander.details_changed(QUERY, after=settles_in)
            if not what.keeps_effect:
                commander.known = group.with_show(commander.known, show)
            return frame

        await commander.send(
            f"slot {slot.index}",
            lambda state: _lit(state, slot.index),
            lambda state: (
                (found := state.slot(slot.index)) is not None and found.on is True
            ),
            lan=run,
            settles_in=settles_in,
        )


def _lit(state: PoolState, index: int) -> PoolState:
    """Return the state with a light on, whatever its relay does at the moment."""
    modes = list(state.aux_modes)
    if index < len(modes):
        modes[index] = MODE_MANUAL
    return replace(state, aux_modes=tuple(modes))
