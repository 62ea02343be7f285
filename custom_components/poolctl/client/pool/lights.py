"""Lights: the shows and actions of each light type, and the state of a pool's lights.

The controller keeps one preference for all pool lights, and one for all spa lights.
Observed, not published (protocol.md O4 and O4.1).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from ..wire.equipment import POOL_LIGHTS, SPA_LIGHTS, Role
from ..wire.exceptions import InvalidCommandError
from ..wire.json_values import Answer, byte
from .choices import Choices
from .parts import LightShow
from .state import Place, PoolState

EFFECT_SECONDS = 5.0
"""Seconds until an absolute colour has settled."""


@dataclass(frozen=True, slots=True)
class LightAction:
    """An action of a light other than showing an absolute colour."""

    color: int
    """`light_color` of the action."""
    seconds: float
    """Seconds for which the relay pulses."""
    keeps_effect: bool = False


@dataclass(frozen=True, slots=True)
class LightType:
    """Capabilities of a light type; keys are stable, users see translations."""

    code: int
    """`light_type` (protocol.md O4.1)."""
    key: str
    effects: Mapping[str, int] = field(default_factory=dict)
    """`light_color` of each absolute colour and show."""
    actions: Mapping[str, LightAction] = field(default_factory=dict)


def _from_1(names: str) -> dict[str, int]:
    """Return effects numbered from 1."""
    return dict(zip(names.split(), count(1), strict=False))


_TYPES = (
    LightType(0, "other"),
    LightType(
        1,
        "aquaquip_instatouch",
        _from_1(
            "blue aqua green gold magenta red white seaside slow_scroll rapid_scroll"
            " fireworks disco flash"
        ),
    ),
    LightType(
        2,
        "spa_electrics_multi_plus",
        _from_1(
            "blue magenta red lime green aqua white oceanic_views transcendence"
            " outback_australia spring_equinox"
        ),
        {
            # Its duration is not published: that of a colour is used (chosen).
            "brightness_down": LightAction(12, EFFECT_SECONDS, keeps_effect=True),
            "resync": LightAction(0, 110),
        },
    ),
    LightType(
        3,
        "spa_electrics_multi_colour",
        actions={"next_colour": LightAction(1, 4), "sync": LightAction(0, 8)},
    ),
    LightType(
        4,
        "aquaquip_multi_colour",
        actions={
            "next_colour": LightAction(1, 3),
            "save_colour": LightAction(2, 13, keeps_effect=True),
            "sync": LightAction(0, 18),
        },
    ),
    LightType(
        5,
        "pal_colour_touch",
        _from_1(
            "deep_blue aqua_teal emerald_green white_4000k soft_violet sunlover_sunset"
            " northern_lights candela enchanted_forest lunar_wonder romance halloween"
            " symphony"
        ),
    ),
)
LIGHT_TYPES = {kind.code: kind for kind in _TYPES}
"""Light types by code; 0 is another or an unknown light."""

LIGHT_ACTIONS = tuple(dict.fromkeys(name for kind in _TYPES for name in kind.actions))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LightGroup(Place[LightShow | None]):
    """The lights that share a light type and a preference: the pool's, or the spa's."""

    fitted: frozenset[int]
    """Aux types of its lights."""
    type_key: str
    """Key of the light type in the reply of `get_pool_light_switch_mode`."""
    color_key: str
    chosen: Callable[[Choices], int | None]
    """Returns the light type that the user chose."""
    choose: Callable[[Choices, int], Choices]

    def merge(self, state: PoolState, reply: Answer) -> PoolState:
        """Return the state with its part of `get_pool_light_switch_mode`, if any."""
        code, color = byte(reply, self.type_key), byte(reply, self.color_key)
        if code is None or color is None:
            return state
        kind, previous = LIGHT_TYPES.get(code), self.of(state)
        actions = kind.actions.values() if kind else ()
        if previous and any(a.keeps_effect and a.color == color for a in actions):
            # It is not documented whether an action replaces the preference.
            color = previous.color
        return self.edit(state, lambda _: LightShow(code, color))

    def with_type(self, choices: Choices, key: str) -> Choices:
        """Return the choices with a light type, or raise InvalidCommandError."""
        for kind in _TYPES:
            if kind.key == key:
                return self.choose(choices, kind.code)
        raise InvalidCommandError(f"there is no light type {key}")

    def light_type(self, state: PoolState, choices: Choices) -> LightType | None:
        """Return the type of its lights, `None` until it is reported or chosen."""
        if (chosen := self.chosen(choices)) in LIGHT_TYPES:
            return LIGHT_TYPES[chosen]
        show = self.of(state)
        return show and LIGHT_TYPES.get(show.light_type, LIGHT_TYPES[0])

    def effects(self, state: PoolState, choices: Choices) -> tuple[str, ...]:
        """Return the effects that can be chosen."""
        kind = self.light_type(state, choices)
        return tuple(kind.effects) if kind else ()

    def effect(self, state: PoolState, choices: Choices) -> str | None:
        """Return the effect that was set last, `None` if there is none."""
        show, kind = self.of(state), self.light_type(state, choices)
        if show is None or kind is None or show.light_type != kind.code:
            return None
        names = (name for name, color in kind.effects.items() if color == show.color)
        return next(names, None)


POOL_GROUP = LightGroup(
    key="pool",
    fitted=POOL_LIGHTS,
    type_key="g_pool_light_type_mode",
    color_key="g_pool_light_mode",
    of=lambda state: state.pool_lights,
    edit=lambda state, change: replace(state, pool_lights=change(state.pool_lights)),
    chosen=lambda choices: choices.pool_lights,
    choose=lambda choices, code: replace(choices, pool_lights=code),
)
SPA_GROUP = LightGroup(
    key="spa",
    fitted=SPA_LIGHTS,
    type_key="g_spa_light_type_mode",
    color_key="g_spa_light_mode",
    of=lambda state: state.spa_lights,
    edit=lambda state, change: replace(state, spa_lights=change(state.spa_lights)),
    chosen=lambda choices: choices.spa_lights,
    choose=lambda choices, code: replace(choices, spa_lights=code),
)
LIGHT_GROUPS = {Role.POOL_LIGHT: POOL_GROUP, Role.SPA_LIGHT: SPA_GROUP}
"""Light groups by the role of a light's slot."""


def merge_lights(state: PoolState, reply: Answer) -> PoolState:
    """Return the state with the reply of `get_pool_light_switch_mode`."""
    for group in LIGHT_GROUPS.values():
        state = group.merge(state, reply)
    return state
