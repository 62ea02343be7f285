"""Why an output, a heater or a doser runs or does not: the true cause, in words."""

from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, timedelta
import json
from pathlib import Path
import re
from typing import Any, Final

from homeassistant.core import Context, Event, callback
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components import poolctl
from custom_components.poolctl.diagnostics import async_get_config_entry_diagnostics
from custom_components.poolctl.logbook import async_describe_events
from custom_components.poolctl.status.output import EVENT_CHANGED
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer", "quick")

ENGLISH: Final = json.loads(
    (Path(poolctl.__file__).parent / "translations/en.json").read_text()
)["common"]
PUMP, WATERFALL, CLEANER, SPA = 0, 3, 9, 10
"""Slots of the full pool."""

type Step = Callable[[Home], Awaitable[object]]


def explanation(home: Home, entity: str) -> str:
    """Return the explanation of an entity, by its domain and key."""
    domain, key = entity.split(".")
    said: str = home.state(domain, key).attributes["explanation"]
    return said


def expected(keys: str) -> str:
    """Return a pattern of the sentences with these keys and any values."""
    texts = (re.escape(ENGLISH[f"why_{key}"]) for key in keys.split())
    return " ".join(re.sub(r"\\\{\w+\\\}", ".+", text) for text in texts)


def act(action: str, key: str, **data: Any) -> Step:
    return lambda home: home.act(action, key, **data)


def app(slot: int, on: bool, *, hold: bool = True) -> Step:
    """Return a step that switches an output without Home Assistant."""

    async def step(home: Home) -> None:
        home.pool.switch(slot, on, hold=hold)
        await home.refresh()

    return step


def settings(**values: float) -> Step:
    async def step(home: Home) -> None:
        home.pool.settings.update(values)
        await home.live(360, step=60)

    return step


def water(**readings: float) -> Step:
    async def step(home: Home) -> None:
        for name, value in readings.items():
            setattr(home.pool.water, name, value)
        await home.live(30)

    return step


def dry(status: int) -> Step:
    async def step(home: Home) -> None:
        home.pool.pump.dry_run_status = status
        await home.refresh()

    return step


def dialect(name: str) -> Step:
    async def step(home: Home) -> None:
        home.controller.dialects.add(name)

    return step


def live(seconds: float) -> Step:
    return lambda home: home.live(seconds)


async def timer(home: Home) -> None:
    home.pool.switch(WATERFALL, True, hold=False)
    home.pool.start_timer(WATERFALL, 1200)
    await home.refresh()


async def lose_expander(home: Home) -> None:
    home.pool.lost_expanders |= {2}
    await home.refresh()


async def refuse_release(home: Home) -> None:
    home.controller.faults.on("decline")
    await home.live(900, step=60)


async def lose_network(home: Home) -> None:
    home.controller.faults.on("refuse")
    await home.live(120)


async def fill_day(home: Home) -> None:
    home.pool.water.ph = 7.6
    home.pool.acid.doses = 6
    await home.live(360, step=60)


async def set_speed(home: Home) -> None:
    """Change the speed, which holds the pump although no hold was requested."""
    await over_time(home, home.act("number.set_value", "pump_speed", value=60))


async def pause_dosing(home: Home) -> None:
    """Pause dosing of acid for half an hour."""
    lasts = timedelta(minutes=30)
    action = home.act("poolctl.pause_dosing", "ph_dosing", duration=lasts)
    await over_time(home, action)


async def over_time(home: Home, action: Coroutine[Any, Any, object]) -> None:
    """Run an action while time passes, so that it can check its effect."""
    task = home.hass.async_create_task(action)
    await home.live(60)
    await task


def mode(slot: int, code: int) -> Step:
    """Return a step after which the firmware runs a slot in this mode."""

    async def step(home: Home) -> None:
        pool, settle = home.pool, home.pool.settle

        def take_over() -> None:
            settle()
            pool.slots[slot].mode, pool.slots[slot].on = code, True
            pool.pump.mode = code if slot == PUMP else pool.pump.mode

        vars(pool)["settle"] = take_over
        await home.live(30)

    return step


async def timer_that_ends(home: Home) -> None:
    """Run a timer until its end, rounded to the minute, has passed."""
    left = 85 - home.pool.local_time().second
    home.pool.switch(WATERFALL, True, hold=False)
    home.pool.start_timer(WATERFALL, left)
    await home.refresh()
    await home.live(left - 10, step=left - 10)


HOLD_OFF = act("poolctl.hold", "pump", state=False, duration=timedelta(hours=2))
HOLD_ON = act("poolctl.hold", "slot_3", state=True, duration=timedelta(hours=2))
WARM = settings(pool_target=40, spa_target=40, heating=7)
COLD = settings(pool_target=10, spa_target=10, heating=7)
RUN_ON = settings(pool_target=40, heating=7, heater_cooldown=900)
SPA_ON = act("switch.turn_on", "spa_mode")
PUMP_OFF, PUMP_ON = act("switch.turn_off", "pump"), act("switch.turn_on", "pump")
RESUME = act("poolctl.resume_schedule", "pump")
SHOW = act("light.turn_on", "slot_1", effect="red")
WATERFALL_ON = act("switch.turn_on", "slot_3")


async def no_schedules(home: Home) -> None:
    home.pool.schedules[0].enabled = False
    await home.live(400)


async def later_schedule(home: Home) -> None:
    home.pool.schedules[1].enabled = True
    await home.live(400)


SITUATIONS: Final[tuple[tuple[str, str, tuple[Step, ...]], ...]] = (
    # Outputs
    ("switch.pump", "schedule until", ()),
    ("switch.pump", "held_off by_us until", (PUMP_OFF,)),
    ("switch.pump", "held_off by_us until", (HOLD_OFF,)),
    ("switch.pump", "held_off by_other no_end", (app(PUMP, False),)),
    ("switch.pump", "held_on by_us no_end", (PUMP_ON, live(30))),
    ("switch.pump", "schedule until", (PUMP_OFF, RESUME, live(60))),
    ("switch.pump", "schedule until dry", (dry(0),)),
    ("switch.pump", "held_off by_us until no_water", (PUMP_OFF, dry(1))),
    ("switch.pump", "stopped no_water", (no_schedules, dry(1))),
    ("switch.pump", "no_schedule", (no_schedules,)),
    ("switch.pump", "stopped no_water", (dry(1), no_schedules)),
    ("switch.pump", "no_schedule dry", (no_schedules, dry(0))),
    ("switch.pump", "no_schedule cooling_down until", (RUN_ON, no_schedules)),
    (
        "switch.pump",
        "held_off by_us until cooling_down until",
        (RUN_ON, live(60), PUMP_OFF),
    ),
    ("switch.pump", "unknown", (dialect("spa_takes_over"), SPA_ON, live(45))),
    ("switch.pump", "unknown", (mode(PUMP, 7),)),
    ("switch.pump", "unknown", (mode(PUMP, 99),)),
    ("switch.pump", "unknown", (mode(PUMP, 50),)),
    ("switch.slot_3", "unknown", (mode(WATERFALL, 7),)),
    ("switch.slot_3", "unknown", (mode(WATERFALL, 50),)),
    ("switch.slot_3", "unknown", (mode(WATERFALL, 1),)),  # a schedule of the pump
    ("switch.slot_3", "schedule", (mode(WATERFALL, 2),)),  # its window is not now
    ("switch.slot_3", "unknown", (HOLD_ON, live(30), app(WATERFALL, False))),
    (
        "switch.slot_3",
        "held_off by_other no_end",
        (HOLD_ON, live(90), app(WATERFALL, False), live(45)),
    ),
    (
        "switch.slot_3",
        "no_schedule",
        (HOLD_ON, live(30), app(WATERFALL, False, hold=False)),
    ),
    ("switch.pump", "hold_over", (HOLD_OFF, live(7000), refuse_release)),
    ("switch.slot_3", "no_schedule", ()),
    ("switch.slot_3", "no_run next", (later_schedule,)),
    ("switch.slot_3", "held_on by_us no_end", (WATERFALL_ON,)),
    ("switch.slot_3", "held_on by_us until", (HOLD_ON,)),
    ("switch.slot_3", "held_on by_other no_end", (app(WATERFALL, True),)),
    ("switch.slot_3", "unknown", (app(WATERFALL, True, hold=False),)),
    ("switch.slot_3", "timer until", (timer,)),
    ("switch.slot_3", "timer", (timer_that_ends,)),
    ("switch.slot_3", "no_schedule", (HOLD_ON, act("switch.turn_off", "slot_3"))),
    ("switch.slot_3", "no_schedule", (HOLD_ON, live(7300))),
    ("switch.slot_3", "cloud", (lose_network, app(WATERFALL, True), live(60))),
    ("switch.slot_21", "expander_lost", (lose_expander,)),
    ("switch.slot_9", "needs_pump of_pump held_off by_us until", (PUMP_OFF,)),
    (
        "switch.slot_9",
        "needs_pump of_pump held_off by_other no_end",
        (app(PUMP, False),),
    ),
    (
        "switch.slot_9",
        "stopped_by_spa",
        (
            dialect("spa_takes_over"),
            act("switch.turn_on", "slot_9"),
            live(45),
            SPA_ON,
            live(45),
        ),
    ),
    ("switch.spa_mode", "no_schedule", ()),
    ("switch.spa_mode", "held_on by_us no_end", (SPA_ON,)),
    (
        "switch.spa_mode",
        "spa_waits of_pump held_off by_other no_end",
        (SPA_ON, live(75), app(PUMP, False), live(45)),
    ),
    ("light.slot_1", "held_on no_end", (SHOW, live(60))),
    ("switch.pump", "held_on no_end", (set_speed,)),
    ("light.slot_1", "held_on by_us no_end", (act("light.turn_on", "slot_1"),)),
    # Heating
    ("climate.pool", "heat_off", (settings(heating=0),)),
    ("climate.pool", "heat_reached", (COLD,)),
    ("climate.pool", "heats", (WARM,)),
    ("climate.pool", "heat_spa_on", (WARM, SPA_ON, live(30))),
    (
        "climate.pool",
        "heat_needs_pump of_pump held_off by_us until",
        (COLD, PUMP_OFF, live(60)),
    ),
    ("climate.pool", "heat_solar", (settings(heating=1, pool_target=40),)),
    ("climate.spa", "heat_spa_off", (WARM,)),
    ("climate.spa", "heats", (WARM, SPA_ON, live(90))),
    (
        "climate.spa",
        "unknown",
        (COLD, SPA_ON, live(60)),
    ),  # the probe still shows the pool
    ("climate.spa", "heat_reached", (COLD, SPA_ON, live(420))),
    # Dosing
    ("switch.ph_dosing", "dose_off", (settings(ph_dosing=0),)),
    ("switch.ph_dosing", "dose_paused", (pause_dosing,)),
    ("switch.ph_dosing", "dose_pause_over", (pause_dosing, live(1500), refuse_release)),
    ("switch.ph_dosing", "dose_ph_reached", (water(ph=7.0), live(300))),
    ("switch.ph_dosing", "dose_limit", (fill_day,)),
    ("switch.ph_dosing", "dose_empty", (settings(acid_remaining=0),)),
    ("switch.ph_dosing", "doses", (settings(ph_dosing_time=255), water(ph=7.9))),
    (
        "switch.ph_dosing",
        "dose_waits",
        (settings(ph_dose_interval=60), water(ph=7.9), live(90)),
    ),
    (
        "switch.ph_dosing",
        "dose_needs_pump of_pump held_off by_us until",
        (PUMP_OFF, live(60)),
    ),
    ("switch.liquid_chlorine", "dose_off", (settings(orp_flags=0),)),
    ("switch.liquid_chlorine", "dose_orp_reached", (water(orp=880), live(300))),
    ("switch.liquid_chlorine", "dose_empty", (settings(chlorine_remaining=0),)),
    ("switch.chlorinator", "dose_off", (settings(orp_flags=0),)),
    ("switch.chlorinator", "dose_orp_reached", (water(orp=880), live(300))),
)


@pytest.fixture
async def pool(home: Home) -> Home:
    """Set up the full pool with still water, whose pump does not run on for heaters.

    It is afternoon: only the pump has a schedule then.
    """
    afternoon = dt_util.now().replace(hour=14) + timedelta(days=1)
    home.freezer.move_to(afternoon.astimezone(UTC))
    home.own(home.service.full)
    home.pool.water.drift = 0.0
    home.pool.water.ambient = 10
    home.pool.settings |= {"heater_cooldown": 0, "spa_heater_cooldown": 0}
    await home.set_up(home.controller)
    await home.live(30)
    return home


@pytest.mark.parametrize(("entity", "keys", "steps"), SITUATIONS)
async def test_true_cause(
    pool: Home, entity: str, keys: str, steps: tuple[Step, ...]
) -> None:
    for step in steps:
        await step(pool)
    assert re.fullmatch(expected(keys), explanation(pool, entity))


async def test_only_the_cloud(home: Home) -> None:
    """The cloud reports neither overrides nor the reason why an output runs."""
    home.own(home.service.full)
    await home.set_up(home.controller, options={"connection": "cloud"})
    await home.live(60)
    assert explanation(home, "switch.pump").startswith("The schedule Filter runs it.")
    await app(WATERFALL, True)(home)
    await home.live(90)
    assert re.fullmatch(expected("cloud"), explanation(home, "switch.slot_3"))
    await app(WATERFALL, False)(home)
    await home.live(90)
    assert explanation(home, "switch.slot_3") in {
        ENGLISH["why_unknown"],
        ENGLISH["why_no_schedule"],
    }


# Requesters


async def test_a_user(pool: Home, hass_admin_user: MockUser) -> None:
    hass_admin_user.name = "Anna"
    entity_id = pool.entity_id("switch", "slot_3")
    await pool.hass.services.async_call(
        "switch",
        "turn_on",
        {"entity_id": entity_id},
        blocking=True,
        context=Context(user_id=hass_admin_user.id),
    )
    assert " Anna asked for that at " in explanation(pool, "switch.slot_3")
    await pool.restart()
    await pool.live(30)
    assert " Anna asked for that at " in explanation(pool, "switch.slot_3")
    diagnostics = await async_get_config_entry_diagnostics(pool.hass, pool.entry)
    assert "Anna" not in str(diagnostics)


async def test_an_automation(pool: Home) -> None:
    automation = {
        "alias": "Evening water",
        "triggers": {"trigger": "event", "event_type": "evening"},
        "actions": {
            "action": "poolctl.hold",
            "target": {"entity_id": pool.entity_id("switch", "slot_3")},
            "data": {"state": True, "duration": {"hours": 1}},
        },
    }
    assert await async_setup_component(
        pool.hass, "automation", {"automation": [automation]}
    )
    pool.hass.bus.async_fire("evening")
    await pool.live(15)
    assert " Evening water asked for that " in explanation(pool, "switch.slot_3")


# In words


async def test_in_the_language_of_home_assistant(pool: Home) -> None:
    pool.hass.config.language = "de"
    await pool.restart()
    await pool.live(15)
    assert explanation(pool, "switch.pump").startswith("Der Zeitplan Filter ist aktiv.")


async def test_a_target_in_the_unit_of_home_assistant(pool: Home) -> None:
    pool.hass.config.units = US_CUSTOMARY_SYSTEM
    await COLD(pool)
    assert explanation(pool, "climate.pool") == "The water has reached 50 °F."


async def test_a_clock_that_is_seconds_ahead(pool: Home) -> None:
    """The end of a run and of a hold is that of the schedule, as in the calendar."""
    device_id = pool.controller.device_id
    clock = pool.entry.runtime_data.controllers[device_id].controller.controller_clock
    before = explanation(pool, "switch.pump")
    clock.offset = timedelta(seconds=20)
    await pool.live(30)
    assert explanation(pool, "switch.pump") == before
    await PUMP_OFF(pool)
    assert explanation(pool, "switch.pump").endswith(before.partition("It ends at")[2])


async def test_explanations_are_not_recorded(pool: Home) -> None:
    info = pool.state("switch", "pump").state_info
    assert info is not None and "explanation" in info["unrecorded_attributes"]


async def test_what_does_not_answer_has_no_explanation(pool: Home) -> None:
    pool.disconnect()
    await pool.live(120)
    assert "explanation" not in pool.state("switch", "pump").attributes


# The activity log


def lines(home: Home) -> list[str]:
    """Return a list of the lines in the activity log from now on."""
    described: dict[str, Callable[[Event], dict[str, str]]] = {}
    async_describe_events(
        home.hass, lambda _, name, line: described.update({name: line})
    )
    found: list[str] = []

    @callback
    def log(event: Event) -> None:
        line = described[EVENT_CHANGED](event)
        assert home.state_of(line["entity_id"]).name == line["name"]
        found.append(line["message"])

    home.hass.bus.async_listen(EVENT_CHANGED, log)
    return found


async def test_a_change_by_a_schedule_has_a_line(pool: Home) -> None:
    logged = lines(pool)
    await no_schedules(pool)
    pool.pool.schedules[0].enabled = True
    await pool.live(400)
    assert len(logged) == 2
    assert logged[0] == ENGLISH["why_no_schedule"]
    assert re.fullmatch(expected("schedule until"), logged[1])


async def test_a_change_in_the_app_has_a_line(pool: Home) -> None:
    logged = lines(pool)
    await app(WATERFALL, True)(pool)
    await pool.live(60)
    (line,) = logged
    assert re.fullmatch(expected("held_on by_other no_end"), line)


async def test_a_hold_that_another_client_ends(pool: Home) -> None:
    """It is not given back: nobody has waited for its end."""
    logged = lines(pool)
    await HOLD_ON(pool)
    await pool.live(90)
    await app(WATERFALL, False, hold=False)(pool)
    await pool.live(60)
    assert logged == [ENGLISH["why_no_schedule"]]


async def test_the_end_of_a_hold_has_a_line(pool: Home) -> None:
    logged = lines(pool)
    await HOLD_ON(pool)
    await pool.live(60)
    assert not logged  # Home Assistant has a line for its own command
    await pool.live(7300, step=60)
    assert logged == [ENGLISH["why_hold_ended"]]


async def test_a_command_has_no_other_line(pool: Home) -> None:
    logged = lines(pool)
    await WATERFALL_ON(pool)
    await pool.live(45)
    await act("switch.turn_off", "slot_3")(pool)
    await pool.live(45)
    await PUMP_OFF(pool)
    await pool.live(45)
    await RESUME(pool)
    await pool.live(45)
    await SHOW(pool)
    await pool.live(45)
    assert not logged


@pytest.mark.usefixtures("all_enabled")
async def test_what_nobody_switches_is_not_explained(pool: Home) -> None:
    """An output without a relay has a reason instead."""
    ozone = pool.state("binary_sensor", "slot_26").attributes
    assert ozone["reason"] == "no_relay" and "explanation" not in ozone


async def test_a_target_that_is_no_temperature(pool: Home) -> None:
    """An impossible target is not explained, even while the heater runs."""
    await WARM(pool)
    assert explanation(pool, "climate.pool").startswith("It heats to ")
    pool.pool.settings["pool_target"] = 255
    await pool.live(360, step=60)
    assert "explanation" not in pool.state("climate", "pool").attributes
