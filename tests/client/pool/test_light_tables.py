"""Lights: their tables, and the controller's replies (protocol.md O4, O4.1)."""

import pytest

from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.lights import (
    LIGHT_ACTIONS,
    LIGHT_TYPES,
    POOL_GROUP,
    SPA_GROUP,
    merge_lights,
)
from custom_components.poolctl.client.pool.state import PoolState

PUBLISHED = {
    1: "Blue, Aqua, Green, Gold, Magenta, Red, White, Seaside, Slow Scroll,"
    " Rapid Scroll, Fireworks, Disco, Flash",
    2: "Blue, Magenta, Red, Lime, Green, Aqua, White, Oceanic Views, Transcendence,"
    " Outback Australia, Spring Equinox",
    5: "Deep Blue, Aqua/Teal, Emerald Green, White 4000K, Soft Violet,"
    " SunLover Sunset, Northern Lights, Candela, Enchanted Forest, Lunar Wonder,"
    " Romance, Halloween, Symphony",
}
"""Names of the colours 1, 2, 3 … (protocol.md O4.1)."""


# Tables


def test_effects_and_actions_are_the_published_ones() -> None:
    effects = {code: kind.effects for code, kind in LIGHT_TYPES.items() if kind.effects}
    assert {*effects} == {*PUBLISHED}
    for code, names in PUBLISHED.items():
        keys = names.lower().replace(", ", ",").replace(" ", "_").replace("/", "_")
        numbered = [(key, number) for number, key in enumerate(keys.split(","), 1)]
        assert [*effects[code].items()] == numbered
    actions = {
        code: {name: (a.color, a.seconds) for name, a in kind.actions.items()}
        for code, kind in LIGHT_TYPES.items()
        if kind.actions
    }
    assert actions == {
        2: {"brightness_down": (12, 5), "resync": (0, 110)},
        3: {"next_colour": (1, 4), "sync": (0, 8)},
        4: {"next_colour": (1, 3), "save_colour": (2, 13), "sync": (0, 18)},
    }
    assert {name for each in actions.values() for name in each} == {*LIGHT_ACTIONS}


# Replies


def reply(
    pool: tuple[object, object], spa: tuple[object, object] = (0, 99)
) -> dict[str, object]:
    names = ("g_{}_light_type_mode", "g_{}_light_mode")
    return {
        name.format(group): value
        for group, values in (("pool", pool), ("spa", spa))
        for name, value in zip(names, values, strict=True)
    }


@pytest.mark.parametrize(
    ("reported", "key", "effect"),
    [
        ((1, 1), "aquaquip_instatouch", "blue"),
        ((1, 13), "aquaquip_instatouch", "flash"),
        ((1, 99), "aquaquip_instatouch", None),
        ((2, 4), "spa_electrics_multi_plus", "lime"),
        ((2, 0), "spa_electrics_multi_plus", None),
        ((3, 1), "spa_electrics_multi_colour", None),
        ((5, 13), "pal_colour_touch", "symphony"),
        ((0, 1), "other", None),
        ((99, 99), "other", None),
        ((6, 1), "other", None),
    ],
)
def test_reported_effects(
    reported: tuple[int, int], key: str, effect: str | None
) -> None:
    state = merge_lights(PoolState(), reply(reported))
    kind = POOL_GROUP.light_type(state, Choices())
    assert kind is not None and kind.key == key
    assert POOL_GROUP.effect(state, Choices()) == effect
    assert POOL_GROUP.effects(state, Choices()) == tuple(kind.effects)
    assert state.spa_lights == (0, 99)


def test_a_choice_replaces_what_is_reported() -> None:
    state = merge_lights(PoolState(), reply((1, 2), (1, 2)))
    chosen = Choices(pool_lights=5)
    assert POOL_GROUP.effects(state, chosen)[0] == "deep_blue"
    assert POOL_GROUP.effect(state, chosen) is None  # it is of another kind of light
    assert SPA_GROUP.effect(state, chosen) == "aqua"
    assert POOL_GROUP.effects(state, Choices(pool_lights=0)) == ()
    # A choice that only another version supports is ignored.
    assert POOL_GROUP.effect(state, Choices(pool_lights=200)) == "aqua"
