"""Sliders: values that come in quick succession, and whole settings objects."""

import asyncio
from collections.abc import Callable

import pytest

from custom_components.poolctl.client.exceptions import (
    InvalidCommandError,
    NotSupportedError,
    RefusedError,
    ReplyError,
    UnreachableError,
)
from tests.simulator import settings as sim_settings, wire
from tests.simulator.raw import until

from .conftest import Rig


@pytest.fixture
async def pool(make_rig: Callable[..., Rig]) -> Rig:
    """Read the fully equipped pool once, over the LAN."""
    rig = make_rig(full=True)
    await rig.controller.poll()
    rig.pool.requests.clear()
    rig.published.clear()
    return rig


def sent(rig: Rig) -> list[dict[str, object]]:
    """Return the bodies of the commands the controller has run."""
    payloads = [request.payload for request in rig.asked("a")]
    return [wire.decode_cmd(payload)[1] for payload in payloads if payload]


# Coalescing


async def test_ten_moves_of_a_slider(pool: Rig) -> None:
    speeds = range(45, 95, 5)
    await asyncio.gather(*(pool.controller.set_pump_speed(speed) for speed in speeds))
    assert [body["pump_speed"] for body in sent(pool)] == [90]
    assert pool.controller.known.readings.pump_speed == 90


async def test_moves_while_one_is_under_way(pool: Rig) -> None:
    pool.pool.faults.once("busy", 1, "cmd")  # keeps the first one waiting
    first = asyncio.create_task(pool.controller.set_pump_speed(45))
    await until(lambda: pool.pool.clock.waiting > 0)
    moves = [pool.controller.set_pump_speed(speed) for speed in (50, 60, 70)]
    await asyncio.gather(first, *moves)
    assert [body["pump_speed"] for body in sent(pool)] == [45, 70]
    assert pool.controller.known.readings.pump_speed == 70


async def test_what_was_asked_is_shown_until_it_is_there(pool: Rig) -> None:
    """Neither the reply's frame nor a poll under way brings the old value back."""
    poll = asyncio.create_task(pool.controller.poll())
    await asyncio.sleep(0)
    await asyncio.gather(poll, pool.controller.set_pump_speed(85))
    shown = [state.readings.pump_speed for state in pool.published]
    assert shown[0] == 75 and shown[-1] == 85
    assert shown == sorted(shown)
    assert len(shown) > 2


async def test_a_poll_under_way_does_not_undo_a_switch(pool: Rig) -> None:
    for command_first in (True, False):
        for on in (True, False):
            both = [pool.controller.set_aux(3, on), pool.controller.poll()]
            await asyncio.gather(*(both if command_first else reversed(both)))
            found = pool.controller.state.slot(3)
            assert found is not None and found.on is on


async def test_all_callers_get_the_error(pool: Rig) -> None:
    pool.pool.faults.on("decline")
    results = await asyncio.gather(
        *(pool.controller.set_pump_speed(speed) for speed in (50, 60)),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [RefusedError] * 2
    assert len(pool.asked("a")) == 1


async def test_a_caller_who_gives_up_stops_nobody_else(pool: Rig) -> None:
    one = asyncio.create_task(pool.controller.set_pump_speed(50))
    other = asyncio.create_task(pool.controller.set_pump_speed(60))
    await asyncio.sleep(0)
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    await other
    assert pool.pool.pool.pump.speed == 60


async def stopped(pool: Rig) -> None:
    """Stop with one value under way and one waiting."""
    pool.pool.faults.on("hang")
    tasks = [asyncio.create_task(pool.controller.set_pump_speed(50))]
    await until(lambda: len(pool.asked("a")) == 1)
    tasks.append(asyncio.create_task(pool.controller.set_pump_speed(60)))
    await asyncio.sleep(0)
    await pool.controller.stop()
    for task in tasks:
        with pytest.raises(UnreachableError, match="stopped"):
            await task


async def test_stop(pool: Rig) -> None:
    await stopped(pool)
    await pool.controller.stop()
    assert len(pool.asked("a")) == 1


async def test_a_command_after_a_stop(pool: Rig) -> None:
    await stopped(pool)
    pool.pool.faults.clear()
    await pool.controller.set_pump_speed(70)


# Confirming


async def test_a_poll_may_confirm_it(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleep = pool.time.sleep

    async def sleep_and_poll(seconds: float) -> None:
        await sleep(seconds)
        await pool.controller.poll()

    monkeypatch.setattr(pool.time, "sleep", sleep_and_poll)
    await pool.controller.set_pump(False)
    assert [r.name or r.op for r in pool.asked()] == ["cmd", "state"]


async def test_the_last_look_counts(pool: Rig) -> None:
    pool.pool.faults.once("garbage", 8, "state")  # four looks with their retries
    await pool.controller.set_pump(False)
    assert sum(pool.time.slept) == 20
    assert pool.controller.known.pump_on is False


async def test_a_command_while_no_mode_is_known(pool: Rig) -> None:
    pool.controller.update(aux_modes=())
    pool.pool.faults.once("truncated_frame", 1, "aux")
    await pool.controller.set_aux(3, True)
    found = pool.controller.known.slot(3)
    assert found is not None and found.on is True


async def test_a_newer_value_takes_the_place_of_an_older_one(pool: Rig) -> None:
    """Whoever asked for the older one is not told that it failed."""
    pool.pool.faults.once("truncated_frame", 2, "aux")
    await asyncio.gather(
        pool.controller.set_aux(3, True), pool.controller.set_aux(3, False)
    )
    found = pool.controller.known.slot(3)
    assert found is not None and found.on is False
    assert pool.time.now < 1010


# Settings

CASES = [
    ("desired_ph", 7.2, "get_ph_settings", "set_ph_settings",
     "desired_ph_level", 72, "reset_acid_volume"),
    ("desired_orp_mineral", 700, "get_chlorine_settings", "set_chlorine_settings",
     "desired_orp_level_mineral", 700, "reset_chlorine_volume"),
    ("desired_orp_liquid", 720, "get_chlorine_settings", "set_chlorine_settings",
     "desired_orp_level_liquid", 720, "reset_chlorine_volume"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "query", "command", "key", "raw", "reset"), CASES
)
async def test_a_setting(
    pool: Rig,
    field: str,
    value: float,
    query: str,
    command: str,
    key: str,
    raw: int,
    reset: str,
) -> None:
    read = {"get_ph_settings": sim_settings.read_ph}.get(
        query, sim_settings.read_chlorine
    )
    before, settings = read(pool.pool.pool), dict(pool.pool.pool.settings)
    await pool.controller.change_setting(field, value)
    assert [r.name or r.op for r in pool.asked()] == [query, "cmd", "state"]
    name, body = wire.decode_cmd(pool.asked("a")[0].payload or b"")
    assert name == command
    assert body == before | {key: raw, reset: False}  # the whole object
    assert getattr(pool.controller.known.configuration, field) == value
    changed = {
        name
        for name, now in pool.pool.pool.settings.items()
        if now != settings.get(name) and not name.endswith("_remaining")
    }
    assert changed == {field}
    # Shown at once, although the reply carries no configuration.
    shown = [getattr(state.configuration, field) for state in pool.published]
    assert shown == [value] * len(shown) and shown


async def test_unknown_keys_are_kept(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        sim_settings.PH, "of_next_year", sim_settings.Key("of_next_year")
    )
    pool.pool.pool.settings["of_next_year"] = 7
    await pool.controller.change_setting("desired_ph", 7.1)
    assert pool.pool.pool.settings["of_next_year"] == 7


async def test_a_setting_the_controller_does_not_have(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sim_settings.PH, "desired_ph_level")
    before = pool.controller.state
    with pytest.raises(ReplyError):
        await pool.controller.change_setting("desired_ph", 7.1)
    assert pool.asked("a") == [] and pool.controller.state == before


async def test_two_settings_of_one_object(pool: Rig) -> None:
    await asyncio.gather(
        pool.controller.change_setting("desired_orp_mineral", 610),
        pool.controller.change_setting("desired_orp_liquid", 620),
        pool.controller.change_setting("desired_ph", 7.3),
    )
    settings = pool.pool.pool.settings
    assert settings["desired_orp_mineral"] == 610
    assert settings["desired_orp_liquid"] == 620
    assert settings["desired_ph"] == 73


async def test_a_slider_of_a_setting(pool: Rig) -> None:
    values = [7.0, 7.1, 7.2, 7.3]
    await asyncio.gather(
        *(pool.controller.change_setting("desired_ph", value) for value in values)
    )
    assert [body["desired_ph_level"] for body in sent(pool)] == [73]


@pytest.mark.parametrize("value", [7.04, 7.35, 7.449])
async def test_a_setting_is_rounded_to_what_the_wire_carries(
    pool: Rig, value: float
) -> None:
    await pool.controller.change_setting("desired_ph", value)
    assert pool.controller.known.configuration.desired_ph == round(value * 10) / 10


async def test_settings_need_the_lan(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(lan=False)
    with pytest.raises(NotSupportedError):
        await rig.controller.change_setting("desired_ph", 7.2)
    assert rig.service.cloud.requests == []


@pytest.mark.parametrize("value", [0, -1, 14.1, 99, float("nan"), float("inf")])
async def test_impossible_settings_are_not_sent(pool: Rig, value: float) -> None:
    with pytest.raises(InvalidCommandError):
        await pool.controller.change_setting("desired_ph", value)
    assert pool.asked("a") == []
