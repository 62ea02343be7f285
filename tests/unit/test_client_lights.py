"""Lights: their tables, and shows that make relays flap (layouts.md 4.1)."""

import asyncio
from collections.abc import Callable
import logging
from typing import Any

import pytest

from custom_components.poolctl.client.control.lights import (
    LIGHT_ACTIONS,
    LIGHT_TYPES,
    POOL,
    QUERY,
    SPA,
    merge_lights,
)
from custom_components.poolctl.client.exceptions import (
    InvalidCommandError,
    NotSupportedError,
    RefusedError,
    UnreachableError,
)
from custom_components.poolctl.client.pool.state import LightShow, PoolState
from tests.simulator import wire
from tests.simulator.equipment import LIGHT_SECONDS
from tests.simulator.raw import until

from .conftest import Rig

POOL_LIGHT, SPA_LIGHT, DECK_LIGHT, WATERFALL = 1, 2, 17, 3
"""Slots of the fully equipped pool; the deck light belongs to the pool."""

PUBLISHED = {
    1: "Blue, Aqua, Green, Gold, Magenta, Red, White, Seaside, Slow Scroll,"
    " Rapid Scroll, Fireworks, Disco, Flash",
    2: "Blue, Magenta, Red, Lime, Green, Aqua, White, Oceanic Views, Transcendence,"
    " Outback Australia, Spring Equinox",
    5: "Deep Blue, Aqua/Teal, Emerald Green, White 4000K, Soft Violet,"
    " SunLover Sunset, Northern Lights, Candela, Enchanted Forest, Lunar Wonder,"
    " Romance, Halloween, Symphony",
}
"""Layouts.md 4.1: the names of colours 1, 2, 3 …"""


@pytest.fixture
async def rig(make_rig: Callable[..., Rig]) -> Rig:
    """Read the fully equipped pool once, over the LAN, with its lights."""
    rig = make_rig(full=True)
    await rig.controller.poller.poll()
    await refresh(rig)
    rig.pool.requests.clear()
    rig.published.clear()
    rig.time.slept.clear()
    return rig


async def refresh(rig: Rig) -> None:
    """Ask for slow data as the coordinator does, without the time that takes."""
    before = rig.time.now
    await rig.controller.queries.refresh()
    rig.time.now = before


def lit(rig: Rig, slot: int) -> tuple[bool | None, str | None]:
    """Return what a person sees of a light: whether it is on, and its effect."""
    found = rig.controller.store.state.outputs.slot(slot)
    group = SPA if slot == SPA_LIGHT else POOL
    assert found is not None
    return found.on, group.effect(rig.controller.store.state)


def due(rig: Rig) -> bool:
    return rig.controller.queries.due


def sent(rig: Rig) -> list[tuple[int, int, int]]:
    """Return slot, light type and colour of every command the controller was given."""
    commands = [wire.decode_cmd(r.payload or b"") for r in rig.asked("a")]
    assert {name for name, _ in commands} <= {"set_pool_light_switch_mode"}
    return [
        (body["slot"], body["light_type"], body["light_color"]) for _, body in commands
    ]


# Tables


def test_effects_have_the_published_names_and_numbers() -> None:
    assert {code for code, kind in LIGHT_TYPES.items() if kind.effects} == set(
        PUBLISHED
    )
    for code, names in PUBLISHED.items():
        keys = [
            name.lower().replace(" ", "_").replace("/", "_")
            for name in names.split(", ")
        ]
        assert list(LIGHT_TYPES[code].effects) == keys
        assert list(LIGHT_TYPES[code].effects.values()) == [*range(1, len(keys) + 1)]


def test_actions_have_the_published_numbers_and_times() -> None:
    found = {
        code: {name: (a.color, a.seconds) for name, a in kind.actions.items()}
        for code, kind in LIGHT_TYPES.items()
        if kind.actions
    }
    assert found == {
        2: {"brightness_down": (12, 5), "resync": (0, 110)},
        3: {"next_colour": (1, 4), "sync": (0, 8)},
        4: {"next_colour": (1, 3), "save_colour": (2, 13), "sync": (0, 18)},
    }
    assert {name for actions in found.values() for name in actions} == set(
        LIGHT_ACTIONS
    )


def test_everything_a_light_takes_is_in_the_tables() -> None:
    """The simulator has tables of its own, by colour."""
    for code, seconds in LIGHT_SECONDS.items():
        kind = LIGHT_TYPES[code]
        colors = [*kind.effects.values(), *(a.color for a in kind.actions.values())]
        assert sorted(colors) == sorted(seconds)
    assert [*LIGHT_TYPES] == [0, *LIGHT_SECONDS]
    assert len({kind.key for kind in LIGHT_TYPES.values()}) == len(LIGHT_TYPES)


# What the controller tells


def reply(pool: tuple[Any, Any], spa: tuple[Any, Any] = (0, 99)) -> dict[str, Any]:
    names = ("g_{}_light_type_mode", "g_{}_light_mode")
    return {
        name.format(group): value
        for group, values in (("pool", pool), ("spa", spa))
        for name, value in zip(names, values, strict=True)
    }


@pytest.mark.parametrize(
    ("told", "key", "effect"),
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
def test_told(told: tuple[int, int], key: str, effect: str | None) -> None:
    state = merge_lights(PoolState(), reply(told))
    kind = POOL.light_type(state)
    assert kind is not None and kind.key == key
    assert POOL.effect(state) == effect
    assert POOL.effects(state) == tuple(kind.effects)
    assert state.spa_lights.show == (0, 99)


@pytest.mark.parametrize(
    "odd", [(None, 1), (1, None), ("1", 1), (1, 1.5), (-1, 1), (1, 256), ([], {})]
)
def test_odd_replies_leave_what_is_known(odd: tuple[Any, Any]) -> None:
    known = merge_lights(PoolState(), reply((1, 2)))
    assert merge_lights(known, reply(odd)).pool_show == (1, 2)
    assert merge_lights(PoolState(), reply(odd)).pool_show is None


def test_nothing_told() -> None:
    state = merge_lights(PoolState(), {})
    assert state == PoolState()
    assert POOL.light_type(state) is None
    assert (POOL.effect(state), POOL.effects(state)) == (None, ())


def test_a_choice_goes_before_what_is_told() -> None:
    state = merge_lights(PoolState(pool_light_choice=5), reply((1, 2), (1, 2)))
    assert POOL.effects(state)[0] == "deep_blue"
    assert POOL.effect(state) is None  # that of another kind of light
    assert SPA.effect(state) == "aqua"
    state = merge_lights(PoolState(pool_light_choice=0), reply((1, 2)))
    assert POOL.effects(state) == ()


# Shows


async def test_a_show(rig: Rig) -> None:
    """One request, no waiting, and none of the flapping."""
    assert lit(rig, POOL_LIGHT) == (False, "white")
    await rig.controller.lights.show(POOL_LIGHT, "oceanic_views")
    assert sent(rig) == [(POOL_LIGHT, 2, 8)]
    assert [r.op for r in rig.asked()] == ["a"]
    assert rig.time.slept == []
    assert lit(rig, POOL_LIGHT) == (True, "oceanic_views")

    relay: set[bool] = set()
    for _ in range(30):
        await rig.polls(0.3)
        relay.add(rig.pool.pool.slots[POOL_LIGHT].on)
        assert lit(rig, POOL_LIGHT) == (True, "oceanic_views")
    assert relay == {True, False}
    assert rig.pool.pool.lights["pool"] == [2, 8]
    assert rig.pool.pool.slots[POOL_LIGHT].on
    assert {s.pool_show for s in rig.published} == {LightShow(2, 8)}


@pytest.mark.parametrize("light_type", [1, 2, 5])
async def test_every_effect_of_every_light(rig: Rig, light_type: int) -> None:
    rig.controller.lights.choose_type(SPA, LIGHT_TYPES[light_type].key)
    for effect, color in LIGHT_TYPES[light_type].effects.items():
        await rig.controller.lights.show(SPA_LIGHT, effect)
        await rig.polls(15)
        await refresh(rig)
        assert rig.pool.pool.lights["spa"] == [light_type, color]
        assert lit(rig, SPA_LIGHT) == (True, effect)
    assert len(sent(rig)) == len(LIGHT_TYPES[light_type].effects)


async def test_a_person_may_switch_it_off_meanwhile(rig: Rig) -> None:
    await rig.controller.lights.show(POOL_LIGHT, "red")
    await rig.polls(3)
    await rig.controller.outputs.switch(POOL_LIGHT, False)
    assert lit(rig, POOL_LIGHT)[0] is False
    for _ in range(10):
        await rig.polls(1)
        assert lit(rig, POOL_LIGHT)[0] is False
    await rig.controller.outputs.switch(POOL_LIGHT, True)
    assert lit(rig, POOL_LIGHT) == (True, "red")


async def test_the_newest_show_counts(rig: Rig) -> None:
    """Of two lights that share a preference, and of one light."""
    for slot, effect in (
        (POOL_LIGHT, "blue"),
        (DECK_LIGHT, "red"),
        (POOL_LIGHT, "lime"),
    ):
        await rig.controller.lights.show(slot, effect)
        assert lit(rig, slot) == (True, effect)
    assert lit(rig, DECK_LIGHT) == (True, "lime")
    await rig.polls(15)
    await refresh(rig)
    assert lit(rig, POOL_LIGHT) == lit(rig, DECK_LIGHT) == (True, "lime")
    assert lit(rig, SPA_LIGHT) == (False, None)


async def test_the_preference_is_asked_once_it_has_settled(rig: Rig) -> None:
    await rig.controller.lights.show(POOL_LIGHT, "red")
    await rig.polls(7)
    assert not due(rig)
    await rig.polls(1.5)
    assert due(rig)
    rig.pool.pool.lights["pool"] = [2, 9]  # somebody chose another one in the app
    await refresh(rig)
    assert [r.name for r in rig.asked("q")] == [QUERY]
    assert lit(rig, POOL_LIGHT) == (True, "transcendence")


async def test_what_is_asked_meanwhile_is_put_off(rig: Rig) -> None:
    """A round of queries under way does not bring the old preference back."""
    rig.controller.queries.expire()
    refreshing = asyncio.create_task(rig.controller.queries.refresh())
    await until(lambda: bool(rig.asked("q")))
    await rig.controller.lights.show(POOL_LIGHT, "red")
    rig.time.now -= 100  # however long the round takes
    await refreshing
    assert QUERY not in [r.name for r in rig.asked("q")]
    assert lit(rig, POOL_LIGHT) == (True, "red")


async def test_a_query_that_the_show_overtook_is_asked_again(rig: Rig) -> None:
    """Answered a moment after the command it still tells the old preference."""
    rig.pool.faults.once("busy", 1, "state")  # keeps the LAN for 2 s
    poll = asyncio.create_task(rig.controller.poller.read_lan())
    await until(lambda: rig.pool.clock.waiting > 0)
    rig.controller.queries.expire(QUERY)
    refreshing = asyncio.create_task(rig.controller.queries.refresh())
    await asyncio.sleep(0)
    await rig.controller.lights.show(POOL_LIGHT, "red")
    await asyncio.gather(poll, refreshing)
    assert [r.name or r.op for r in rig.asked()][1:3] == ["cmd", QUERY]
    assert POOL.effect(rig.controller.store.state) == "white"
    await rig.polls(15)
    assert due(rig)
    await refresh(rig)
    assert lit(rig, POOL_LIGHT) == (True, "red")


async def test_a_show_that_never_came_true(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.pool.faults.on("ignore_writes")
    await rig.controller.lights.show(POOL_LIGHT, "red")
    assert lit(rig, POOL_LIGHT) == (True, "red")
    await rig.polls(15)
    await refresh(rig)
    assert POOL.effect(rig.controller.store.state) == "white"
    with caplog.at_level(logging.WARNING):
        await rig.polls(20)
    assert lit(rig, POOL_LIGHT) == (False, "white")
    assert "never took effect" in caplog.text


# Actions


@pytest.mark.parametrize(
    ("light_type", "action"),
    [(code, name) for code, kind in LIGHT_TYPES.items() for name in kind.actions],
)
async def test_actions(rig: Rig, light_type: int, action: str) -> None:
    kind = LIGHT_TYPES[light_type]
    seconds, started = kind.actions[action].seconds, rig.pool.clock.monotonic()
    rig.controller.lights.choose_type(SPA, kind.key)
    await rig.controller.lights.act(SPA_LIGHT, action)
    assert sent(rig) == [(SPA_LIGHT, light_type, kind.actions[action].color)]
    relay: set[bool] = set()
    while rig.pool.pool.slots[SPA_LIGHT].flapping or not relay:
        await rig.polls(1.3)
        relay.add(rig.pool.pool.slots[SPA_LIGHT].on)
        assert lit(rig, SPA_LIGHT)[0] is True
    assert True in relay
    assert rig.pool.clock.monotonic() - started == pytest.approx(seconds, abs=3)
    await rig.polls(3)
    assert lit(rig, SPA_LIGHT)[0] is True


async def test_a_darker_light_keeps_its_colour(rig: Rig) -> None:
    await rig.controller.lights.act(POOL_LIGHT, "brightness_down")
    await rig.polls(15)
    await refresh(rig)
    assert rig.pool.pool.lights["pool"] == [2, 12]
    assert lit(rig, POOL_LIGHT) == (True, "white")
    await rig.controller.lights.act(POOL_LIGHT, "resync")
    assert lit(rig, POOL_LIGHT) == (True, None)
    await rig.polls(130)
    await refresh(rig)
    assert lit(rig, POOL_LIGHT) == (True, None)


# What is not sent


@pytest.mark.parametrize("effect", ["disco", "White", "", "brightness_down"])
async def test_an_unknown_effect(rig: Rig, effect: str) -> None:
    before = rig.controller.store.state
    with pytest.raises(InvalidCommandError) as caught:
        await rig.controller.lights.show(POOL_LIGHT, effect)
    assert caught.value.reason == "unknown_effect"
    placeholders = caught.value.placeholders
    assert (placeholders["effect"], placeholders["light"]) == (effect, "Pool Light")
    assert placeholders["effects"].startswith("blue, magenta, red")
    assert rig.asked() == [] and rig.controller.store.state == before


async def test_a_light_of_an_unknown_kind_has_no_effects(rig: Rig) -> None:
    rig.pool.pool.lights["pool"] = [99, 99]
    rig.controller.queries.expire()
    await refresh(rig)
    rig.pool.requests.clear()
    rig.controller.update(names=())
    with pytest.raises(InvalidCommandError) as caught:
        await rig.controller.lights.show(DECK_LIGHT, "blue")
    assert (
        caught.value.placeholders["light"],
        caught.value.placeholders["effects"],
    ) == (
        "#18",
        "-",
    )
    with pytest.raises(NotSupportedError):
        await rig.controller.lights.act(DECK_LIGHT, "resync")
    assert rig.asked() == []


@pytest.mark.parametrize("slot", [WATERFALL, 20, 99])
async def test_what_is_not_a_light(rig: Rig, slot: int) -> None:
    with pytest.raises(NotSupportedError):
        await rig.controller.lights.show(slot, "blue")
    assert rig.asked() == []


async def test_an_unknown_light_type(rig: Rig) -> None:
    with pytest.raises(InvalidCommandError):
        rig.controller.lights.choose_type(POOL, "disco_ball")
    assert rig.controller.store.known.pool_lights.chosen_type is None


async def test_shows_need_the_lan(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(full=True, lan=False)
    types = tuple(slot.aux_type for slot in rig.pool.pool.slots)
    configuration = rig.controller.store.known.configuration
    rig.controller.update(
        configuration=type(configuration)(aux_types=types), pool_light_choice=1
    )
    with pytest.raises(NotSupportedError):
        await rig.controller.lights.show(POOL_LIGHT, "blue")
    assert rig.service.cloud.requests == []
    assert POOL.effect(rig.controller.store.state) is None


# What goes wrong


async def test_a_refusal(rig: Rig) -> None:
    before = rig.controller.store.state
    rig.pool.faults.on("decline")
    with pytest.raises(RefusedError):
        await rig.controller.lights.show(POOL_LIGHT, "red")
    assert len(rig.asked()) == 1
    assert rig.controller.store.state == before


@pytest.mark.parametrize("fault", ["close_mid_body", "refuse"])
async def test_the_lan_dies(rig: Rig, fault: str) -> None:
    """Nobody knows whether it was run: nothing is shown, and the controller asked."""
    before = rig.controller.store.state
    rig.pool.faults.on(fault)
    with pytest.raises(UnreachableError):
        await rig.controller.lights.show(POOL_LIGHT, "red")
    assert rig.controller.store.state == before
    assert len(rig.asked("a")) == (fault != "refuse")  # never sent twice
    rig.pool.faults.clear()
    await rig.polls(15)
    await refresh(rig)
    told = rig.pool.pool.lights["pool"] == [2, 3]
    assert lit(rig, POOL_LIGHT) == ((True, "red") if told else (False, "white"))
    assert [r.name for r in rig.asked("q")] == [QUERY]
