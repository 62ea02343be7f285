"""Why an output, a heater or a doser runs or does not: the true cause, in words."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
import json
from pathlib import Path
import re
from typing import Any, Final

from homeassistant.const import Platform
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
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("freezer", "quick")
few_platforms = only(
    Platform.BINARY_SENSOR,
    Platform.CLIMATE,
    Platform.LIGHT,
    Platform.NUMBER,
    Platform.SWITCH,
)

ENGLISH: Final = json.loads(
    (Path(poolctl.__file__).parent / "translations/en.json").read_text()
)["common"]
PUMP, WATERFALL, CLEANER, SPA = 0, 3, 9, 10
"""Slots of the full pool."""

type Step = Callable[[Home], Awaitable[object]]


def explanation(home: Home, entity: str) -> str:
    domain, key = entity.split(".")
    said: str = home.state(domain, key).attributes["explanation"]
    return said


def expected(keys: str) -> str:
    """Return a pattern of the sentences with these keys and any values."""
    texts = (re.escape(ENGLISH[f"why_{key}"]) for key in keys.split())
    return " ".join(re.sub(r"\\\{\w+\\\}", ".+", text) for text in texts)


def act(action: str, key: str, *, seconds: float = 0, **data: Any) -> Step:
    """Return a step: an action, and time that passes until it has checked its effect."""

    async def step(home: Home) -> None:
        task = home.hass.async_create_task(home.act(action, key, **data))
        await home.live(seconds)
        await task

    return step


def live(seconds: float, step: float = 15) -> Step:
    return lambda home: home.live(seconds, step=step)


def change(what: Callable[[Home], object], seconds: float = 0) -> Step:
    """Return a step: a change without Home Assistant, and a read or time after it."""

    async def step(home: Home) -> None:
        what(home)
        await (home.live(seconds, step=60) if seconds else home.refresh())

    return step


def app(slot: int, on: bool, *, hold: bool = True) -> Step:
    return change(lambda home: home.pool.switch(slot, on, hold=hold))


def settings(**values: float) -> Step:
    return change(lambda home: home.pool.settings.update(values), 360)


def water(seconds: float = 360, **readings: float) -> Step:
    def flow_in(home: Home) -> None:
        for name, value in readings.items():
            setattr(home.pool.water, name, value)

    return change(flow_in, seconds)


def dry(status: int) -> Step:
    return change(lambda home: setattr(home.pool.pump, "dry_run_status", status))


def enabled(schedule: int, on: bool) -> Step:
    return change(
        lambda home: setattr(home.pool.schedules[schedule], "enabled", on), 400
    )


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
CLEANER_ON = act("switch.turn_on", "slot_9")
SPA_TAKES_OVER = change(lambda home: home.controller.dialects.add("spa_takes_over"))
NO_SCHEDULES, LATER_SCHEDULE = enabled(0, False), enabled(1, True)
SET_SPEED = act("number.set_value", "pump_target_speed", value=60, seconds=60)
PAUSE = act(
    "poolctl.pause_dosing", "automatic_ph", duration=timedelta(minutes=30), seconds=60
)
REFUSE_RELEASE = change(lambda home: home.controller.faults.on("decline"), 900)
LOSE_NETWORK = change(lambda home: home.controller.faults.on("refuse"), 120)
LOSE_EXPANDER = change(lambda home: home.pool.lost_expanders.add(2))
RUN_TIMER = change(lambda home: home.pool.start_timer(WATERFALL, 1200))
FILL_DAY = change(lambda home: setattr(home.pool.acid, "doses", 6))


SITUATIONS: Final[dict[str, list[tuple[str, tuple[Step, ...]]]]] = {
    # Outputs
    "switch.pump": [
        ("schedule until", ()),
        ("off_by_us kept_off_until", (PUMP_OFF,)),
        ("off_by_us kept_off_until", (HOLD_OFF,)),
        ("off_by_other kept_off", (app(PUMP, False),)),
        ("off_by_other kept_off no_end", (app(PUMP, False), live(30))),
        ("on_by_us no_end", (PUMP_ON, live(30))),
        ("schedule until", (PUMP_OFF, RESUME, live(60))),
        ("schedule until dry", (dry(0),)),
        ("off_by_us kept_off_until no_water", (PUMP_OFF, dry(1))),
        ("stopped no_water", (NO_SCHEDULES, dry(1))),
        ("should_run unknown", (mode(PUMP, 0),)),
        ("no_schedule", (NO_SCHEDULES,)),
        ("stopped no_water", (dry(1), NO_SCHEDULES)),
        ("no_schedule dry", (NO_SCHEDULES, dry(0))),
        ("no_schedule cooling_down until", (RUN_ON, NO_SCHEDULES)),
        ("off_by_us kept_off_until cooling_down until", (RUN_ON, live(60), PUMP_OFF)),
        ("unknown", (SPA_TAKES_OVER, SPA_ON, live(45))),
        ("unknown", (mode(PUMP, 7),)),
        ("unknown", (mode(PUMP, 99),)),
        ("unknown", (mode(PUMP, 50),)),
        ("hold_over kept_failed", (HOLD_OFF, live(7020, 780), REFUSE_RELEASE)),
        ("on_by_us until", (SET_SPEED,)),
    ],
    "switch.slot_3": [
        ("unknown", (mode(WATERFALL, 7),)),
        ("unknown", (mode(WATERFALL, 50),)),
        ("unknown", (mode(WATERFALL, 1),)),  # a schedule of the pump
        ("schedule", (mode(WATERFALL, 2),)),  # its window is not now
        ("unknown", (HOLD_ON, live(30), app(WATERFALL, False))),
        (
            "off_by_other kept_off no_end",
            (HOLD_ON, live(90), app(WATERFALL, False), live(45)),
        ),
        (
            "hold_ended_by_other no_schedule",
            (HOLD_ON, live(30), app(WATERFALL, False, hold=False)),
        ),
        (
            "hold_ended_by_other no_schedule",
            (WATERFALL_ON, live(90), app(WATERFALL, False, hold=False), live(45)),
        ),
        (
            "no_run next",
            (LATER_SCHEDULE, app(WATERFALL, True), app(WATERFALL, False, hold=False)),
        ),
        ("no_schedule", ()),
        ("no_run next", (LATER_SCHEDULE,)),
        ("on_by_us no_end", (WATERFALL_ON,)),
        ("on_by_us until", (HOLD_ON,)),
        ("on_by_other", (app(WATERFALL, True),)),
        ("on_by_other no_end", (app(WATERFALL, True), live(30))),
        ("unknown", (app(WATERFALL, True, hold=False),)),
        ("timer until", (app(WATERFALL, True, hold=False), RUN_TIMER)),
        ("timer", (timer_that_ends,)),
        ("off_by_us no_schedule", (HOLD_ON, act("switch.turn_off", "slot_3"))),
        (
            "off_by_us no_schedule",
            (WATERFALL_ON, act("switch.turn_off", "slot_3"), live(60)),
        ),
        ("hold_ended no_schedule", (HOLD_ON, live(7320, 610))),
        ("hold_ended no_schedule", (HOLD_ON, LOSE_NETWORK, live(7320, 610))),
        ("cloud", (LOSE_NETWORK, app(WATERFALL, True), live(60))),
    ],
    "switch.slot_21": [
        ("expander_lost", (LOSE_EXPANDER,)),
    ],
    "switch.slot_9": [
        ("needs_pump of_pump off_by_us kept_off_until", (PUMP_OFF,)),
        ("needs_pump of_pump off_by_other kept_off", (app(PUMP, False),)),
        (
            "needs_pump of_pump off_by_other kept_off no_end",
            (app(PUMP, False), live(30)),
        ),
        ("stopped_by_spa", (SPA_TAKES_OVER, CLEANER_ON, live(45), SPA_ON, live(45))),
    ],
    "switch.spa_mode": [
        ("no_schedule", ()),
        ("on_by_us no_end", (SPA_ON,)),
        (
            "spa_waits of_pump off_by_other kept_off no_end",
            (SPA_ON, live(75), app(PUMP, False), live(45)),
        ),
    ],
    "light.slot_1": [
        ("on_by_hand no_end", (SHOW, live(60))),
        ("on_by_us no_end", (act("light.turn_on", "slot_1"),)),
    ],
    # Heating
    "climate.pool_heating": [
        ("heat_off", (settings(heating=0),)),
        ("heat_reached", (COLD,)),
        ("heats", (WARM,)),
        (
            "heat_waits",
            (
                settings(pool_target=28),
                water(30, temperature=28.2),
                water(30, temperature=27.85),
            ),
        ),
        ("heat_spa_on", (WARM, SPA_ON, live(30))),
        (
            "heat_needs_pump of_pump off_by_us kept_off_until",
            (COLD, PUMP_OFF, live(60)),
        ),
        ("heat_solar", (settings(heating=1, pool_target=40),)),
    ],
    "climate.spa_heating": [
        ("heat_spa_off", (WARM,)),
        ("heats", (WARM, SPA_ON, live(90))),
        ("heat_unread", (COLD, SPA_ON, live(60))),  # the probe still shows the pool
        ("heat_reached", (COLD, SPA_ON, live(420))),
    ],
    # Dosing
    "switch.automatic_ph": [
        ("dose_off", (settings(ph_dosing=0),)),
        ("dose_paused", (PAUSE,)),
        ("dose_pause_over", (PAUSE, live(1500, 300), REFUSE_RELEASE)),
        ("dose_ph_reached", (water(ph=7.0),)),
        ("dose_limit", (FILL_DAY, water(ph=7.6))),
        ("dose_empty", (settings(acid_remaining=0),)),
        ("doses", (settings(ph_dosing_time=255), water(40, ph=7.9))),
        ("dose_waits", (settings(ph_dose_interval=60), water(ph=7.9))),
        ("dose_needs_pump of_pump off_by_us kept_off_until", (PUMP_OFF, live(60))),
    ],
    "switch.automatic_liquid_chlorine": [
        ("dose_off", (settings(orp_flags=0),)),
        ("dose_orp_reached", (water(orp=880),)),
        ("dose_empty", (settings(chlorine_remaining=0),)),
    ],
    "switch.automatic_chlorination": [
        ("dose_off", (settings(orp_flags=0),)),
        ("dose_orp_reached", (water(orp=880),)),
    ],
}


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
    home.pool.schedules[0].start = 30
    await home.set_up(home.controller)
    await home.live(30)
    return home


@pytest.mark.row("L27")
@pytest.mark.parametrize(
    ("entity", "keys", "steps"),
    [(entity, *row) for entity, rows in SITUATIONS.items() for row in rows],
)
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
    off = ["unknown", "no_schedule"]
    for on, causes in ((True, ["cloud"]), (False, off)):
        await app(WATERFALL, on)(home)
        await home.live(90)
        why = explanation(home, "switch.slot_3")
        assert any(re.fullmatch(expected(cause), why) for cause in causes)


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
    assert "Switched on by Anna at " in explanation(pool, "switch.slot_3")
    await pool.restart()
    await pool.live(30)
    assert "Switched on by Anna at " in explanation(pool, "switch.slot_3")
    diagnostics: Any = await async_get_config_entry_diagnostics(pool.hass, pool.entry)
    assert "Anna" not in str(diagnostics)
    (changed,) = diagnostics["controllers"][0]["changes"]["holds"]
    assert (changed["claim"]["index"], changed["why"]) == (3, "not_over")


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
    assert "Switched on by Evening water at " in explanation(pool, "switch.slot_3")


# In words


async def test_in_the_language_of_home_assistant(pool: Home) -> None:
    pool.hass.config.language = "de"
    await pool.restart()
    await pool.live(15)
    assert explanation(pool, "switch.pump").startswith("Der Zeitplan Filter ist aktiv.")


async def test_the_same_for_cards(pool: Home) -> None:
    """Times are values in ISO 8601, so that a name with a time in it stays a name."""
    await pool.live(15)
    found = pool.state("switch", "pump").attributes
    reasons = dict(found["reasons"])
    texts = [ENGLISH[key].format_map(reasons[key]) for key in reasons]
    assert texts[0] == found["explanation"].partition(". ")[0] + "."
    end = datetime.fromisoformat(reasons["why_until"]["time"])
    assert end == dt_util.start_of_local_day() + timedelta(days=1)
    assert "It ends at 24:00." in found["explanation"]


async def test_a_target_in_the_unit_of_home_assistant(pool: Home) -> None:
    pool.hass.config.units = US_CUSTOMARY_SYSTEM
    await COLD(pool)
    assert explanation(pool, "climate.pool_heating") == "The water has reached 50 °F."


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


@pytest.mark.usefixtures("all_enabled")
async def test_entities_without_an_explanation(pool: Home) -> None:
    # An output without a relay has a reason instead.
    ozone = pool.state("binary_sensor", "slot_26").attributes
    assert ozone["reason"] == "no_relay" and "explanation" not in ozone
    # An impossible target is not explained, even while the heater runs.
    await WARM(pool)
    assert explanation(pool, "climate.pool_heating").startswith("It heats to ")
    await settings(pool_target=255)(pool)
    assert "explanation" not in pool.state("climate", "pool_heating").attributes
    pump = pool.state("switch", "pump")
    assert "explanation" in pump.attributes
    assert pump.state_info
    assert "explanation" in pump.state_info["unrecorded_attributes"]
    pool.disconnect()
    await pool.live(120)
    assert "explanation" not in pool.state("switch", "pump").attributes


# The activity log


def log_lines(home: Home) -> list[str]:
    """Return a list of the lines in the activity log from now on."""
    described: dict[str, Callable[[Event], dict[str, str]]] = {}
    async_describe_events(
        home.hass, lambda _, name, line: described.update({name: line})
    )
    lines: list[str] = []

    @callback
    def log(event: Event) -> None:
        line = described[EVENT_CHANGED](event)
        assert home.state_of(line["entity_id"]).name == line["name"]
        lines.append(line["message"])

    home.hass.bus.async_listen(EVENT_CHANGED, log)
    return lines


LOGGED: Final[tuple[tuple[str, tuple[Step, ...], tuple[str, ...]], ...]] = (
    (
        "a change by a schedule",
        (NO_SCHEDULES, enabled(0, True)),
        ("no_schedule", "schedule until"),
    ),
    (
        "a change in the app",
        (app(WATERFALL, True), live(60)),
        ("on_by_other",),
    ),
    (
        "a hold that another client ends",
        (HOLD_ON, live(90), app(WATERFALL, False, hold=False), live(60)),
        ("hold_ended_by_other no_schedule",),
    ),
    (
        "the end of a hold",
        (HOLD_ON, live(60), live(7300, 730)),
        ("hold_ended no_schedule",),
    ),
    # Home Assistant has a line for its own command.
    (
        "commands",
        tuple(
            step
            for command in (
                *(WATERFALL_ON, act("switch.turn_off", "slot_3")),
                *(PUMP_OFF, RESUME, SHOW),
            )
            for step in (command, live(45))
        ),
        (),
    ),
)


@pytest.mark.parametrize(
    ("steps", "causes"), [row[1:] for row in LOGGED], ids=[row[0] for row in LOGGED]
)
async def test_the_activity_log(
    pool: Home, steps: tuple[Step, ...], causes: tuple[str, ...]
) -> None:
    lines = log_lines(pool)
    for step in steps:
        await step(pool)
    assert all(map(re.fullmatch, map(expected, causes), lines, strict=True))
