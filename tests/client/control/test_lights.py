"""Lights: shows and actions, which make relays flap (protocol.md O4.1)."""

import asyncio
from dataclasses import replace
import logging

import pytest

from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.lights import (
    LIGHT_TYPES,
    POOL_GROUP,
    SPA_GROUP,
    LightGroup,
)
from custom_components.poolctl.client.pool.parts import LightShow
from custom_components.poolctl.client.wire.commands import LIGHTS_QUERY
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    NotSupportedError,
)
from tests.client.conftest import Rig, because
from tests.world.simulator.raw import until

POOL_LIGHT, SPA_LIGHT, DECK_LIGHT, WATERFALL = 1, 2, 17, 3
"""Slots of the fully equipped pool; the deck light belongs to the pool."""


async def settle(pool: Rig, seconds: float = 15) -> None:
    """Let time pass, and ask for slow data without the time that takes."""
    await pool.polls(seconds)
    before = pool.time.now
    await pool.controller.queries.refresh()
    pool.time.now = before


def lit(pool: Rig, slot: int) -> tuple[bool | None, str | None]:
    """Return what is shown of a light: whether it is on, and its effect."""
    group = SPA_GROUP if slot == SPA_LIGHT else POOL_GROUP
    return pool.output(slot).on, group.effect(pool.shown, Choices())


def choose_type(pool: Rig, group: LightGroup, key: str) -> None:
    pool.controller.live.choose(lambda choices: group.with_type(choices, key))


def sent(pool: Rig) -> list[tuple[int, int, int]]:
    """Return slot, light type and colour of every command that was sent."""
    bodies = [body for _, body in pool.sent()]
    assert all(name == "set_pool_light_switch_mode" for name, _ in pool.sent())
    return [(it["slot"], it["light_type"], it["light_color"]) for it in bodies]


# Shows


async def test_a_show(pool: Rig) -> None:
    """A show takes one request and no waiting, and its flapping is not shown."""
    assert lit(pool, POOL_LIGHT) == (False, "white")
    await pool.controller.lights.show(POOL_LIGHT, "oceanic_views")
    assert (sent(pool), pool.names()) == ([(POOL_LIGHT, 2, 8)], ["cmd"])
    assert pool.time.slept == []
    relay: set[bool] = set()
    for _ in range(30):
        await pool.polls(0.3)
        relay.add(pool.pool.pool.slots[POOL_LIGHT].on)
        assert lit(pool, POOL_LIGHT) == (True, "oceanic_views")
    assert relay == {True, False}
    assert pool.pool.pool.lights["pool"] == [2, 8]
    assert pool.pool.pool.slots[POOL_LIGHT].on
    assert {s.pool_lights for s in pool.published} == {LightShow(2, 8)}


async def test_a_person_may_switch_it_off_meanwhile(pool: Rig) -> None:
    await pool.controller.lights.show(POOL_LIGHT, "red")
    await pool.polls(3)
    await pool.controller.outputs.switch(POOL_LIGHT, False)
    for _ in range(10):
        assert lit(pool, POOL_LIGHT)[0] is False
        await pool.polls(1)
    await pool.controller.outputs.switch(POOL_LIGHT, True)
    assert lit(pool, POOL_LIGHT) == (True, "red")


async def test_the_newest_show_counts(pool: Rig) -> None:
    """The last show wins, of one light and of two lights that share a preference."""
    choose_type(pool, SPA_GROUP, "pal_colour_touch")
    show = pool.controller.lights.show
    for slot, effect in ((POOL_LIGHT, "blue"), (DECK_LIGHT, "red")):
        await show(slot, effect)
        assert lit(pool, slot) == (True, effect)
    await show(POOL_LIGHT, "lime")
    for _ in range(2):
        assert lit(pool, POOL_LIGHT) == lit(pool, DECK_LIGHT) == (True, "lime")
        assert lit(pool, SPA_LIGHT) == (False, None)
        await settle(pool)
    await show(SPA_LIGHT, "romance")
    await settle(pool)
    assert pool.pool.pool.lights == {"pool": [2, 4], "spa": [5, 11]}
    assert lit(pool, SPA_LIGHT) == (True, "romance")


async def test_the_preference_is_asked_once_it_has_settled(pool: Rig) -> None:
    await pool.controller.lights.show(POOL_LIGHT, "red")
    for seconds, due in ((7, False), (1.5, True)):
        await pool.polls(seconds)
        assert pool.controller.queries.due is due
    pool.pool.pool.lights["pool"] = [2, 9]  # another one was chosen in the app
    await settle(pool, 0)
    assert pool.names("q") == [LIGHTS_QUERY] * 2
    assert lit(pool, POOL_LIGHT) == (True, "transcendence")


async def test_a_query_that_the_show_overtook_is_asked_again(pool: Rig) -> None:
    """A query answered just after the command reports the old preference once more."""
    pool.pool.faults.once("busy", 1, "state")  # occupies the LAN for 2 s
    poll = asyncio.create_task(pool.controller.poller.read_lan())
    await until(lambda: pool.pool.clock.waiting > 0)
    pool.controller.queries.expire(LIGHTS_QUERY)
    refreshing = asyncio.create_task(pool.controller.queries.refresh())
    await asyncio.sleep(0)
    await pool.controller.lights.show(POOL_LIGHT, "red")
    await asyncio.gather(poll, refreshing)
    assert pool.names()[1:3] == ["cmd", LIGHTS_QUERY]
    assert POOL_GROUP.effect(pool.shown, Choices()) == "white"
    await pool.polls(15)
    assert pool.controller.queries.due
    await settle(pool, 0)
    assert lit(pool, POOL_LIGHT) == (True, "red")


async def test_a_show_that_never_came_true(
    pool: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    pool.pool.faults.on("ignore_writes")
    await pool.controller.lights.show(POOL_LIGHT, "red")
    assert lit(pool, POOL_LIGHT) == (True, "red")
    await settle(pool)
    assert POOL_GROUP.effect(pool.shown, Choices()) == "white"
    with caplog.at_level(logging.WARNING):
        await pool.polls(20)
    assert lit(pool, POOL_LIGHT) == (False, "white")
    assert "never took effect" in caplog.text


# Actions


@pytest.mark.parametrize(
    ("light_type", "action"),
    [(code, name) for code, kind in LIGHT_TYPES.items() for name in kind.actions],
)
async def test_actions(pool: Rig, light_type: int, action: str) -> None:
    kind = LIGHT_TYPES[light_type]
    seconds = kind.actions[action].seconds
    began, started = pool.time.now, pool.pool.clock.monotonic()
    choose_type(pool, SPA_GROUP, kind.key)
    await pool.controller.lights.act(SPA_LIGHT, action)
    assert sent(pool) == [(SPA_LIGHT, light_type, kind.actions[action].color)]
    light, relay = pool.pool.pool.slots[SPA_LIGHT], set[bool]()
    while light.flapping or not relay:
        await pool.polls(1.3)
        relay.add(light.on)
        assert lit(pool, SPA_LIGHT)[0] is True
    assert True in relay
    # The simulated clock keeps running, so more time passes on it on a busy machine.
    assert pool.pool.clock.monotonic() - started > seconds - 3
    assert pool.time.now - began < seconds + 3
    await pool.polls(3)
    assert lit(pool, SPA_LIGHT)[0] is True


async def test_a_darker_light_keeps_its_colour(pool: Rig) -> None:
    await pool.controller.lights.act(POOL_LIGHT, "brightness_down")
    await settle(pool)
    assert pool.pool.pool.lights["pool"] == [2, 12]
    assert lit(pool, POOL_LIGHT) == (True, "white")
    await pool.controller.lights.act(POOL_LIGHT, "resync")
    assert lit(pool, POOL_LIGHT) == (True, None)
    await settle(pool, 130)
    assert lit(pool, POOL_LIGHT) == (True, None)


# Rejected before sending


async def test_an_unknown_effect_light_or_type(pool: Rig) -> None:
    before, show = pool.shown, pool.controller.lights.show
    for effect in ("disco", "White", "", "brightness_down"):
        with pytest.raises(
            InvalidCommandError, check=because("unknown_effect")
        ) as caught:
            await show(POOL_LIGHT, effect)
        placeholders = caught.value.placeholders
        assert (placeholders["effect"], placeholders["light"]) == (effect, "Pool Light")
        assert placeholders["effects"].startswith("blue, magenta, red")
    for slot in (WATERFALL, 20, 99):
        with pytest.raises(NotSupportedError):
            await show(slot, "blue")
    with pytest.raises(InvalidCommandError):
        choose_type(pool, POOL_GROUP, "disco_ball")
    assert (pool.asked(), pool.shown) == ([], before)
    assert pool.controller.live.choices == Choices()


async def test_a_light_of_an_unknown_kind_has_no_effects(pool: Rig) -> None:
    pool.pool.pool.lights["pool"] = [99, 99]
    pool.controller.queries.expire()
    await settle(pool, 0)
    pool.forget()
    pool.controller.live.update(
        lambda known: replace(known, outputs=replace(known.outputs, names=()))
    )
    with pytest.raises(InvalidCommandError) as caught:
        await pool.controller.lights.show(DECK_LIGHT, "blue")
    assert caught.value.placeholders.items() >= {("light", "#18"), ("effects", "-")}
    with pytest.raises(NotSupportedError):
        await pool.controller.lights.act(DECK_LIGHT, "resync")
    assert pool.asked() == []
