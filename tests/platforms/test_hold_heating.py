"""Heating that is held for a time: undone by itself, and nothing that others chose."""

from datetime import datetime, timedelta
from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.util import dt as dt_util
import pytest

from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.simulator import pool as simulated_pool
from tests.world.simulator.pool import POOL_HEATER, SOLAR, SPA_HEATER

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick", "hurried")
few_platforms = only(Platform.CLIMATE, Platform.SWITCH)

HOUR = timedelta(hours=1)
POOL = POOL_HEATER | SOLAR
BODIES = [("pool", POOL), ("spa", SPA_HEATER)]
EACH = pytest.mark.parametrize(("body", "sources"), BODIES)


@pytest.fixture(autouse=True)
async def at_rest(full: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be heated, and no schedule run."""
    monkeypatch.setattr(simulated_pool, "STEP", 60.0)
    full.pool.settings["heating"] = 0
    for schedule in full.pool.schedules:
        schedule.enabled = False
    full.pool.water.drift = 0.0
    await full.live(30)


def selected(home: Home) -> int:
    """Return the heat sources that are selected."""
    home.pool.update()
    return int(home.pool.settings["heating"])


def held(home: Home, body: str) -> timedelta | None:
    """Return for how long the thermostat shows that it is held."""
    until = home.state("climate", f"{body}_heating").attributes.get("held_until")
    return until and datetime.fromisoformat(until) - dt_util.utcnow()


async def hold(home: Home, body: str, lasts: Any = HOUR, **more: Any) -> None:
    data = {"state": True, "duration": lasts} | more
    call = home.act("poolctl.hold", f"{body}_heating", domain="climate", **data)
    await home.finish(call)


async def resume(home: Home, body: str) -> None:
    call = home.act("poolctl.resume_schedule", f"{body}_heating", domain="climate")
    await home.finish(call)


async def mode(home: Home, body: str, hvac_mode: str) -> None:
    call = home.act("climate.set_hvac_mode", f"{body}_heating", hvac_mode=hvac_mode)
    await home.finish(call)


async def minutes(home: Home, count: float) -> None:
    """Let time pass, at its end in short steps."""
    await home.live(count * 60 - 60, step=600)
    await home.live(60)


@EACH
async def test_for_a_time(full: Home, body: str, sources: int) -> None:
    """It ends by itself, asked again later; the pump stays as it is."""
    before = len(full.actions)
    await hold(full, body)
    assert selected(full) == sources
    assert full.actions[before:] == ["cmd"]  # one write for all sources
    assert full.value("climate", f"{body}_heating") == "heat"
    left = held(full, body)
    assert left and timedelta(minutes=59) < left <= HOUR
    await minutes(full, 40)
    await hold(full, body)
    await minutes(full, 57)
    assert selected(full) == sources
    await minutes(full, 4)
    assert selected(full) == 0 and held(full, body) is None
    assert not full.pool.pump.running
    # At once, and only once.
    await hold(full, body)
    await resume(full, body)
    assert selected(full) == 0 and held(full, body) is None
    sent = len(full.actions)
    await resume(full, body)
    await minutes(full, 70)
    assert len(full.actions) == sent


async def test_why_it_heats(full: Home) -> None:
    full.pool.settings["pool_target"] = 35
    await full.finish(full.act("switch.turn_on", "pump"))
    await hold(full, "pool")
    await minutes(full, 10)
    words = full.state("climate", "pool_heating").attributes["explanation"]
    assert words.startswith("It heats to 35 °C. It is held until ")


@pytest.mark.parametrize("state", [True, False])
async def test_who_holds_a_whole_part_asks_for_no_heat(full: Home, state: bool) -> None:
    """Nor is that an error: a thermostat has to be named."""
    spa_mode = full.registered("switch", "spa_mode")
    assert spa_mode and spa_mode.device_id
    data = {"device_id": spa_mode.device_id, "state": state, "duration": 3600}
    services = full.hass.services
    await full.finish(services.async_call("poolctl", "hold", data, blocking=True))
    assert full.pool.spa_mode is state and not selected(full)


@EACH
async def test_what_a_person_chose_stays(full: Home, body: str, sources: int) -> None:
    """Before and during a hold; and a person who switches it off ends it for good."""
    await mode(full, body, "heat")
    await hold(full, body)
    await resume(full, body)
    assert selected(full) == sources
    await hold(full, body)
    await minutes(full, 65)
    assert selected(full) == sources
    await mode(full, body, "off")

    await hold(full, body)
    await mode(full, body, "heat")
    await minutes(full, 65)
    assert selected(full) == sources
    await mode(full, body, "off")

    await hold(full, body)
    await mode(full, body, "off")
    assert selected(full) == 0 and held(full, body) is None
    await mode(full, body, "heat")
    await minutes(full, 65)
    assert selected(full) == sources


@pytest.mark.parametrize(("mine", "key"), [(SOLAR, "solar"), (POOL_HEATER, "pool")])
async def test_one_of_two_sources(full: Home, mine: int, key: str) -> None:
    """Only those are held that the thermostat would select."""
    keys = {SOLAR: "solar_heating_allowed", POOL_HEATER: "pool_heater_allowed"}
    await hold(full, "pool")
    await full.finish(full.act("switch.turn_off", keys[POOL - mine]))
    await hold(full, "pool")
    assert selected(full) == mine
    await minutes(full, 65)
    assert selected(full) == 0
    await full.finish(full.act("switch.turn_on", keys[mine]))
    await mode(full, "pool", "off")
    await hold(full, "pool")
    assert selected(full) == mine


@pytest.mark.parametrize(
    ("body", "sources", "away"), [("pool", POOL, 30), ("spa", SPA_HEATER, 300)]
)
async def test_home_assistant_was_down(
    full: Home, body: str, sources: int, away: int
) -> None:
    await hold(full, body)
    await full.shut_down()
    full.freezer.tick(away * 60)
    full.clock.advance(away * 60)
    await full.boot()
    await full.live(60)
    assert selected(full) == (sources if away < 60 else 0)
    await minutes(full, 35)
    assert selected(full) == 0


@EACH
async def test_warm_by_at_the_same_time(full: Home, body: str, sources: int) -> None:
    """Each ends what it wants; the other one goes on."""
    full.pool.settings["pool_target"] = full.pool.settings["spa_target"] = 36
    by = dt_util.now() + timedelta(minutes=30)
    data: dict[str, Any] = {"at": by.isoformat(), "duration": {"hours": 2}}
    for first in (True, False):
        if first:
            await hold(full, body)
        await full.finish(
            full.act("poolctl.warm_by", f"{body}_heating", domain="climate", **data)
        )
        await minutes(full, 5)
        if not first:
            await hold(full, body)
        assert selected(full) == sources
        await (resume(full, body) if first else minutes(full, 2))
        assert selected(full) == sources
        await full.finish(
            full.act("poolctl.cancel_warm_by", f"{body}_heating", domain="climate")
        )
        assert selected(full) == (0 if first else sources)
    await minutes(full, 65)
    assert selected(full) == 0 and not full.pool.pump.running


async def test_refused(full: Home) -> None:
    """What cannot be is an error that says why, and nothing is sent."""
    body = "spa"
    for error, lasts, more in (
        ("hold_heat_off", HOUR, {"state": False}),
        ("schedule_no_speed", HOUR, {"speed": 50}),
        ("out_of_range", timedelta(days=9, seconds=1), {}),
    ):
        with failure(error, ServiceValidationError):
            await hold(full, body, lasts, **more)
    full.controller.faults.on("decline")
    with pytest.raises(HomeAssistantError):
        await hold(full, body)
    full.reconnect()
    assert selected(full) == 0
    await minutes(full, 5)
    assert held(full, body) is None


async def test_the_lan_is_away(full: Home) -> None:
    """The cloud selects no heat source: an error says so, and the end comes later."""
    body = "pool"
    await hold(full, body)
    full.controller.faults.on("refuse")
    await full.restart()  # since then, its target is not known
    await full.live(180, step=30)
    assert held(full, body)
    with failure("undone_later", HomeAssistantError):
        await resume(full, body)
    assert selected(full) == POOL
    full.controller.faults.clear()
    await full.live(180, step=30)
    assert selected(full) == 0
    full.controller.faults.on("refuse")
    await full.live(180, step=30)
    with failure("not_supported", HomeAssistantError):
        await hold(full, body)
    full.controller.faults.clear()
    await minutes(full, 5)
    assert selected(full) == 0
