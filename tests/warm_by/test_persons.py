"""Water warm by a time, and persons who switch or hold something meanwhile."""

from datetime import timedelta
from typing import Any

from homeassistant.core import Context
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.poolctl.client.wire.exceptions import UnreachableError
from tests.world.assistant.home import Home
from tests.world.simulator import wire
from tests.world.simulator.equipment import Role
from tests.world.simulator.pool import POOL_HEATER, SOLAR, SPA_HEATER

from .asked import (
    PUMP,
    SPA_RETURN,
    STEP,
    as_before,
    ask,
    cancel,
    explanation,
    heated,
    heating_off,
    held,
    over,
    requested,
    selected,
    soon,
    spa_off,
    until,
    warm_by,
)

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "hurried"),
    pytest.mark.freeze_time("2026-05-01 12:00:00+00:00"),
]


async def hold_pump(home: Home, duration: str, *, state: bool = True) -> None:
    call = home.act(
        "poolctl.hold", "pump", domain="switch", state=state, duration=duration
    )
    await home.finish(call)


async def by_the_app(home: Home) -> None:
    for slot in home.pool.slots:
        if slot.role is Role.SPA:
            slot.hand, slot.held = None, False


@pytest.mark.parametrize("end", [by_the_app, cancel])
async def test_ended_by_a_person(spa: Home, end: Any) -> None:
    """Everything is given back, and stays so."""
    by = await soon(spa)
    await end(spa)
    await spa.live(6 * STEP, step=STEP)
    assert as_before(spa)
    await until(spa, by)
    assert as_before(spa)
    assert warm_by(spa) is None


async def test_what_others_switched_on_stays_on(spa: Home) -> None:
    spa.pool.settings["heating"] = SPA_HEATER
    await spa.live(30)
    await spa.finish(spa.act("switch.turn_on", "spa_mode"))
    by = await soon(spa)
    assert held(spa)[1]
    await over(spa, by)
    assert selected(spa) == SPA_HEATER
    assert spa.pool.spa_mode and not held(spa)[0]
    assert warm_by(spa) is None


async def test_a_pump_that_is_held_off_is_left_alone(spa: Home) -> None:
    await hold_pump(spa, "00:20:00", state=False)
    await ask(spa, dt_util.now() + timedelta(minutes=30))
    await spa.live(10 * STEP, step=STEP)
    assert explanation(spa).startswith(
        "It is time to heat, but the pump or spa mode is held off"
    )
    spa.pool.update()
    assert not spa.pool.spa_mode
    await spa.live(14 * STEP, step=STEP)
    assert heated(spa)


@pytest.mark.parametrize("mine", [SOLAR, POOL_HEATER, SOLAR | POOL_HEATER])
async def test_the_sources_that_a_user_chose_last(spa: Home, mine: int) -> None:
    """The thermostat selects them again, not those of a request in between."""
    pool = spa.pool
    await spa.enable_all()
    pool.settings["heating"] = mine
    await spa.live(30)
    await spa.finish(spa.act("climate.set_hvac_mode", "pool_heating", hvac_mode="off"))
    pool.settings["pool_target"], pool.water.temperature = 30, 24.0
    await ask(spa, dt_util.now() + timedelta(minutes=20), "pool")
    await spa.live(3 * STEP, step=STEP)
    assert selected(spa) == SOLAR | POOL_HEATER
    await cancel(spa, "pool")
    await spa.live(2 * STEP, step=STEP)
    assert as_before(spa)
    await spa.finish(spa.act("climate.set_hvac_mode", "pool_heating", hvac_mode="heat"))
    assert selected(spa) == mine


async def test_heat_goes_off_though_the_pump_cannot_be_released(
    spa: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part is undone by itself, the heat before the water stops."""
    by = await soon(spa)
    (coordinator,) = spa.entry.runtime_data.controllers.values()
    outputs = type(coordinator.controller.outputs)
    resume, released = outputs.resume_schedule, []

    async def fails(self: Any, slot: int) -> None:
        released.append(int(spa.pool.settings["heating"]))
        raise UnreachableError("nobody answers")

    monkeypatch.setattr(outputs, "resume_schedule", fails)
    await over(spa, by)
    assert released and not any(released)
    assert selected(spa) == 0
    monkeypatch.setattr(outputs, "resume_schedule", resume)
    await spa.live(900, step=STEP)
    assert as_before(spa)


async def test_a_person_holds_the_pump_for_longer(spa: Home) -> None:
    """The spa is warm at its time, and what the person wants stays."""
    by = await soon(spa, minutes=60)
    await hold_pump(spa, "06:00:00")
    await until(spa, by + timedelta(minutes=20))
    assert warm_by(spa) is not None and heated(spa)
    await over(spa, by)
    assert not selected(spa) and not spa.pool.spa_mode
    assert held(spa)[0]


@pytest.mark.usefixtures("all_enabled")
@pytest.mark.parametrize("how", ["thermostat", "switch"])
async def test_heat_that_a_person_chooses_meanwhile_stays(spa: Home, how: str) -> None:
    by = await soon(spa)
    call = (
        spa.act("climate.set_hvac_mode", "spa_heating", hvac_mode="heat")
        if how == "thermostat"
        else spa.act("switch.turn_on", "spa_heater_allowed")
    )
    await spa.finish(call)
    await over(spa, by)
    assert selected(spa) == SPA_HEATER
    assert not held(spa)[0]


@pytest.mark.parametrize("hold", ["before", "during"])
async def test_a_hold_of_a_person_ends_meanwhile(spa: Home, hold: str) -> None:
    """The pump that *Warm by* needs runs on without a stop."""
    if hold == "before":
        await hold_pump(spa, "00:05:00")
    by = await soon(spa)
    if hold == "during":
        await hold_pump(spa, "00:05:00")
    for _ in range(32):
        await spa.live(15, step=15)
        assert held(spa)[0]
    assert warm_by(spa) == by and heated(spa)
    await over(spa, by)
    assert as_before(spa)


async def test_a_person_stops_the_pump_that_was_held_for_longer(spa: Home) -> None:
    await soon(spa)
    await hold_pump(spa, "06:00:00")
    await spa.live(3 * STEP, step=STEP)
    await spa.finish(spa.act("switch.turn_off", "pump"))
    await spa.live(3 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) is None


async def pump_held_off(home: Home) -> None:
    await hold_pump(home, "01:00:00", state=False)


@pytest.mark.usefixtures("all_enabled")
@pytest.mark.parametrize("end", [spa_off, heating_off, pump_held_off])
async def test_a_person_here_ends_it_at_once(spa: Home, end: Any) -> None:
    """What it claimed is undone within seconds, without another check, and stays so."""
    by = await soon(spa)
    await end(spa)
    assert warm_by(spa) is None
    await spa.live(3, step=1)
    assert not selected(spa) and not spa.pool.spa_mode
    assert held(spa)[0] is (end is pump_held_off)
    assert spa.pool.slots[PUMP].hand in (None, False)
    await until(spa, by)
    assert not selected(spa) and not spa.pool.spa_mode


async def sun_off(home: Home) -> None:
    await home.finish(home.act("switch.turn_off", "solar_heating_allowed"))


async def sun_off_in_the_app(home: Home) -> None:
    home.pool.settings["heating"] = POOL_HEATER


async def heater_off(home: Home) -> None:
    await home.finish(home.act("switch.turn_off", "pool_heater_allowed"))


async def pool_off(home: Home) -> None:
    await home.finish(
        home.act("climate.set_hvac_mode", "pool_heating", hvac_mode="off")
    )


async def pool_off_in_the_app(home: Home) -> None:
    home.pool.settings["heating"] = 0


@pytest.mark.parametrize(
    ("end", "left"),
    [
        (sun_off, POOL_HEATER),
        (sun_off_in_the_app, POOL_HEATER),
        (heater_off, SOLAR),
        (pool_off, 0),
        (pool_off_in_the_app, 0),
    ],
)
async def test_one_of_two_sources_is_switched_off(
    spa: Home, end: Any, left: int
) -> None:
    """The other one goes on alone, after a restart, too; both off end the request."""
    await spa.enable_all()
    spa.pool.settings["pool_target"], spa.pool.water.temperature = 30, 24.0
    by = dt_util.now().replace(microsecond=0) + timedelta(minutes=20)
    await ask(spa, by, "pool", duration={"minutes": 30})
    await spa.live(3 * STEP, step=STEP)
    assert selected(spa) == SOLAR | POOL_HEATER
    await end(spa)
    for _ in range(2):
        await spa.live(3 * STEP, step=STEP)
        assert (selected(spa), held(spa)[0]) == (left, bool(left))
        assert warm_by(spa, "pool") == (by if left else None)
        done = requested(spa, "pool").get("warm_by_done", [])
        goes_on = [each for each in done if each["end"] > dt_util.now()]
        assert bool(goes_on) is (left == POOL_HEATER)
        await spa.restart()
    await over(spa, by)
    assert as_before(spa) and warm_by(spa, "pool") is None


async def test_heat_that_was_on_before_is_switched_off(spa: Home) -> None:
    """A person's heat is claimed, too: the request ends, and does not heat again."""
    spa.pool.settings["heating"] = SPA_HEATER
    await spa.live(60, step=15)
    await soon(spa)
    await heating_off(spa)
    await spa.live(6 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) is None


@pytest.mark.row("L25")
@pytest.mark.parametrize("restarted", [False, True])
async def test_what_is_short_ends_nothing(spa: Home, restarted: bool) -> None:
    """One read without spa mode, the pump or the heater, or 15 s without them."""
    by = await soon(spa)
    if restarted:
        await spa.restart()
        await spa.live(STEP, step=15)
    sent = len(spa.actions)

    def no_heater(frame: wire.Frame) -> None:
        frame.configuration["heating"] = 0

    def no_pump(frame: wire.Frame) -> None:
        frame.aux_modes[:] = [0 for _ in frame.aux_modes]
        frame.held_slots.clear()

    for odd in (no_heater, no_pump):
        spa.controller.odd.append(odd)
        await spa.live(15, step=15)
        await spa.live(STEP, step=15)
        assert heated(spa) and warm_by(spa) == by
    slots = spa.pool.slots[PUMP], spa.pool.slots[SPA_RETURN]
    for heating in (0, SPA_HEATER):
        was = [(slot.hand, slot.held) for slot in slots]
        spa.pool.settings["heating"] = heating
        for slot in slots if heating else ():
            slot.hand, slot.held = None, False
        await spa.live(15, step=15)
        spa.pool.settings["heating"] = SPA_HEATER
        for slot, (hand, is_held) in zip(slots, was, strict=True):
            slot.hand, slot.held = hand, is_held
        await spa.live(STEP, step=15)
        assert heated(spa) and warm_by(spa) == by
    assert len(spa.actions) == sent


async def test_a_user_is_not_named_after_their_hold(
    spa: Home, hass_admin_user: MockUser
) -> None:
    """The pump goes on for *Warm by*, and not because the user asked for it."""
    hass_admin_user.name = "Anna"
    await soon(spa, 60)
    call = spa.hass.services.async_call(
        "poolctl",
        "hold",
        {
            "entity_id": spa.entity_id("switch", "pump"),
            "state": True,
            "duration": "06:00:00",
        },
        blocking=True,
        context=Context(user_id=hass_admin_user.id),
    )
    await spa.finish(call)
    await spa.live(2 * STEP, step=STEP)
    shown = spa.state("switch", "pump").attributes
    assert "Anna" in str(shown["explanation"])
    await hold_pump(spa, "00:20:00")
    await spa.live(22 * STEP, step=STEP)
    shown = spa.state("switch", "pump").attributes
    assert heated(spa) and "Anna" not in str(shown["explanation"])
