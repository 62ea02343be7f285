"""Every row of the table of problems, wherever it is shown."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl import coordinator
from custom_components.poolctl.application_credentials import CONF_REFRESH_SINCE
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.status.situation import Situation
from custom_components.poolctl.status.table import KEYS
from custom_components.poolctl.store.memory import DATA_MEMORY
from tests.account.test_dialects_lan_clocks import clocks
from tests.account.test_two_accounts import second_account
from tests.automations.test_triggers import automate_all
from tests.status.test_repairs import REPAIRS, shown
from tests.world.assistant.home import Home
from tests.world.assistant.service import record as record_of
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.pump import DRY_RUN_NORMAL
from tests.world.simulator.situations import SITUATIONS

__all__ = ["clocks"]

pytestmark = pytest.mark.usefixtures("freezer", "quick", "clocks")

DAY = 86400.0
DRY = 0
PUMP, LIGHTS = 0, 2


# Arrangements: each brings a problem about in a home that is not set up yet


async def started(home: Home, *, small: bool = True, **options: Any) -> None:
    """Set up one of the pools, in good water."""
    controller = home.service.small if small else home.service.full
    home.own(controller)
    water = home.pool.water
    water.ph, water.orp, water.drift = 7.4, 700, 0.0
    if not small:
        home.pool.settings["ph_dosing"] = 0
    await home.set_up(controller, options=options)
    await home.live(30)


def situation(name: str, **options: Any) -> Callable[[Home], Awaitable[None]]:
    """Return an arrangement of a situation that the simulator offers."""

    async def arrange(home: Home) -> None:
        await started(home, small=False, **options)
        SITUATIONS[name].make(home.pool, True)

    return arrange


def water(
    *, small: bool = True, **readings: float
) -> Callable[[Home], Awaitable[None]]:
    async def arrange(home: Home) -> None:
        await started(home, small=small)
        for name, value in readings.items():
            setattr(home.pool.water, name, value)

    return arrange


def drum(left: int) -> Callable[[Home], Awaitable[None]]:
    async def arrange(home: Home) -> None:
        await started(home, small=False, drum_repairs=True)
        for name in ("acid", "chlorine"):
            home.pool.settings[f"{name}_remaining"] = left

    return arrange


def doses(count: int, ph: float) -> Callable[[Home], Awaitable[None]]:
    async def arrange(home: Home) -> None:
        await started(home, small=False)
        home.pool.water.ph = ph
        await home.live(360, step=60)
        home.pool.acid.doses = count
        await home.live(360, step=60)

    return arrange


async def chlorine_idle(home: Home) -> None:
    await started(home, small=False)
    home.pool.water.orp = 560
    await home.live(360, step=60)
    home.pool.chlorine.doses = 24
    await home.live(360, step=60)


def dry(status: int) -> Callable[[Home], Awaitable[None]]:
    async def arrange(home: Home) -> None:
        await started(home)
        home.pool.pump.dry_run_status = status

    return arrange


async def filter_is_dirty(home: Home) -> None:
    await started(home)
    await home.act("button.press", "filter_cleaned")
    await home.live(660, step=30)
    home.pool.water.dirt = 0.8
    await home.live(660, step=30)


def draws(part: float) -> Callable[[Home], Awaitable[None]]:
    """Return an arrangement: the pump draws this part of its usual power for days."""

    async def arrange(home: Home) -> None:
        await started(home)
        await home.live(3900, step=60)
        home.pool.pump.effort = part
        await home.live(660, step=60)
        await home.live(3 * DAY, step=3600)
        await home.live(660, step=60)

    return arrange


async def hold_overdue(home: Home) -> None:
    await started(home)
    await home.act("poolctl.hold", "pump", state=False, duration={"minutes": 10})
    home.controller.faults.on("decline")
    await home.live(4800, step=300)


def warm_too_late(key: str) -> Callable[[Home], Awaitable[None]]:
    async def arrange(home: Home) -> None:
        await started(home, small=False)
        await home.enable_all()
        home.pool.water.temperature = 20.0
        (controller, *_) = home.entry.runtime_data.controllers.values()
        by = controller.clock.now() + timedelta(minutes=30)
        call = home.act("datetime.set_value", f"{key}_warm_by", datetime=by.isoformat())
        task = home.hass.async_create_task(call)
        await home.pass_time(5)
        await task
        await home.live(720, step=60)

    return arrange


async def paused_too_long(home: Home) -> None:
    await started(home, small=False)
    home.pool.settings["ph_dosing"] = 1
    pause = home.hass.async_create_task(
        home.act("poolctl.pause_dosing", "ph_dosing", duration={"minutes": 10})
    )
    await home.pass_time(5)
    await pause
    home.controller.faults.on("decline")
    await home.live(4800, step=300)


async def heat_overdue(home: Home) -> None:
    home.service.full.pool.settings["heating"] = 0
    await started(home, small=False)
    (coordinator,) = home.entry.runtime_data.controllers.values()
    until = coordinator.clock.now() + timedelta(minutes=1)
    heat = coordinator.controller.heat
    claim = home.hass.async_create_task(
        heat.claim(HeatSource.SOLAR, "warm_by pool", until)
    )
    await home.pass_time(5)
    await claim
    home.controller.faults.on("decline", "a")
    await home.live(4800, step=300)


async def held_off(home: Home) -> None:
    await started(home)
    home.hass.config_entries.async_update_entry(
        home.entry, options={"holds_by_hand": "until_given_back"}
    )
    await home.restart()
    home.pool.switch(PUMP, False, hold=True)
    await home.live(30)
    await home.live(DAY, step=DAY / 4)


async def held_now(home: Home) -> None:
    """Hold two outputs, of which only the pump would be run by a schedule now."""
    await started(home)
    home.pool.switch(LIGHTS, True, hold=True)
    await home.live(30)
    assert home.state("switch", "slot_2").attributes["held_by_hand"]
    assert home.value("sensor", "status") == "all_well"
    home.pool.switch(PUMP, False, hold=True)


async def spa_without_pump(home: Home) -> None:
    await started(home, small=False)
    await home.act("switch.turn_off", "pump")
    await home.act("switch.turn_on", "spa_mode")
    home.pool.switch(PUMP, False, hold=True)
    await home.live(45)
    assert home.state("switch", "spa_mode").attributes["reason"] == "pump_held_off"


async def spa_stops_cleaner(home: Home) -> None:
    """Let the firmware take over (protocol.md L21): the cleaner is shown as it is."""
    await started(home, small=False)
    home.controller.dialects.add("spa_takes_over")
    await home.act("switch.turn_on", "slot_9")
    await home.live(45)
    assert home.value("switch", "slot_9") == "on"
    await home.act("switch.turn_on", "spa_mode")
    await home.live(45)
    assert home.value("switch", "slot_9") == "off"
    assert home.value("switch", "pump") == "on"


async def no_flow(home: Home) -> None:
    await started(home)
    home.pool.switch(PUMP, False, hold=True)
    await home.live(DAY + 600, step=DAY / 4)


async def lost_expander(home: Home) -> None:
    await started(home, small=False)
    home.pool.lost_expanders |= {1, 3}


def clock_off(hours: int) -> Callable[[Home], Awaitable[None]]:
    async def arrange(home: Home) -> None:
        await started(home)
        coordinator = home.entry.runtime_data.controllers[home.controller.device_id]
        ahead = timedelta(hours=hours)
        coordinator.controller.controller_clock.offset = ahead

    return arrange


async def nobody_answers(home: Home) -> None:
    await started(home)
    home.disconnect()
    await home.live(120)


async def only_the_cloud(home: Home) -> None:
    await started(home)
    home.controller.faults.on("refuse")
    await home.live(60)


async def wrong_key(home: Home) -> None:
    await started(home)
    home.controller.faults.on("wrong_key")


async def no_key(home: Home) -> None:
    home.own(home.service.small)
    home.cloud.faults.on("failed", "envelope-key")
    await home.set_up_with(key=None)


async def clock_ahead(home: Home) -> None:
    await started(home)
    home.controller.dialects.add(Dialect.COUNTER_AHEAD_1_DAY)
    await home.act("switch.turn_on", "slot_2")


async def old_firmware(home: Home) -> None:
    home.own(home.service.small)
    home.controller.faults.on("refuse")
    await home.set_up_with(firmware="2.5.40")


async def moved(home: Home) -> None:
    home.own(home.service.small)
    await home.set_up_with(by_hand=True)
    home.controller.faults.on("refuse")


def signed_in(days_ago: float) -> Callable[[Home], Awaitable[None]]:
    async def arrange(home: Home) -> None:
        home.own(home.service.small)
        token = home.service.token()
        token[CONF_REFRESH_SINCE] = home.clock.time() - days_ago * DAY
        await home.set_up(home.controller, token=token)

    return arrange


async def signed_out(home: Home) -> None:
    await started(home)
    home.entry.async_start_reauth(home.hass)
    await home.live(600, step=60)


async def silent_service(home: Home) -> None:
    await started(home)
    home.cloud.faults.on("refuse")
    await home.live(3600, step=60)
    await home.live(DAY, step=DAY / 24)


async def left_out(home: Home) -> None:
    service = home.service
    entry = service.entry(service.small)
    controllers = {**entry.data["controllers"], "AA_BB_CC_00_00_09": None}
    await home.set_up(controllers=controllers)


async def shared(home: Home) -> None:
    await started(home)
    await home.set_up_entry(second_account(home))
    home.controller = home.service.full


@dataclass(frozen=True, kw_only=True)
class Case:
    """A problem, how it comes about, and how it is shown."""

    key: str
    arrange: Callable[[Home], Awaitable[None]]
    severity: str = "problem"
    contains: str = ""
    """A part of the sentence."""
    after: float = 30
    """Seconds of polls until it is shown."""
    repair: bool = True
    """Whether it becomes a repair, where its row has one."""


CASES = [
    Case(key="dry_run", arrange=dry(0), contains="running dry"),
    Case(key="dry_run", arrange=dry(1), contains="several tries"),
    Case(
        key="ph_out_of_range",
        arrange=water(ph=8.2),
        contains="pH 8.2 is too high: 7.0 to 7.8",
    ),
    Case(key="ph_out_of_range", arrange=water(ph=6.9), contains="pH 6.9 is too low"),
    Case(
        key="orp_out_of_range",
        arrange=water(orp=550),
        contains="ORP 550 mV is too low: 600 to 850",
    ),
    Case(
        key="orp_out_of_range",
        arrange=water(orp=850, small=False),
        contains="ORP 850 mV is too high: 550 to 800",
    ),
    Case(
        key="acid_low", arrange=drum(1500), severity="notice", contains="nearly empty"
    ),
    Case(key="acid_low", arrange=drum(0), contains="is empty"),
    Case(key="chlorine_low", arrange=drum(1500), severity="notice", contains="nearly"),
    Case(key="chlorine_low", arrange=drum(0), contains="is empty"),
    Case(key="acid_limit", arrange=doses(6, 7.2), severity="notice", repair=False),
    Case(key="acid_limit", arrange=doses(6, 7.6), contains="still too high"),
    Case(key="acid_without_effect", arrange=doses(8, 7.6), contains="8 doses"),
    Case(key="chlorine_without_effect", arrange=chlorine_idle, contains="24 doses"),
    Case(key="filter_needs_cleaning", arrange=filter_is_dirty, severity="notice"),
    *(
        Case(
            key="pump_power_changed",
            arrange=draws(part),
            severity="notice",
            contains=f"30 % {words} power",
            repair=False,
        )
        for part, words in ((1.3, "more"), (0.7, "less"))
    ),
    Case(key="held_off", arrange=held_off, contains="for more than a day: ", after=60),
    Case(
        key="held_against_schedule",
        arrange=held_now,
        severity="notice",
        contains="would run it now: ",
        after=30,
    ),
    Case(key="spa_waits_for_pump", arrange=spa_without_pump, after=45),
    Case(
        key="stopped_by_spa",
        arrange=spa_stops_cleaner,
        severity="notice",
        contains="Cleaner",
        after=30,
    ),
    Case(key="hold_overdue", arrange=hold_overdue, contains="in time: ", after=60),
    Case(key="dosing_paused_too_long", arrange=paused_too_long, after=60),
    Case(key="heat_overdue", arrange=heat_overdue, after=60),
    *(
        Case(
            key=f"{key}_warm_late",
            arrange=warm_too_late(key),
            severity="notice",
            contains="°C instead of ",
            after=60,
        )
        for key in ("pool", "spa")
    ),
    Case(key="stale_readings", arrange=no_flow, after=60),
    Case(key="expander_lost", arrange=lost_expander, contains=" 1, 3.", after=45),
    Case(key="controller_clock", arrange=clock_off(-1), contains="60 min slow"),
    Case(key="controller_clock", arrange=clock_off(1), contains="60 min fast"),
    Case(key="unreachable", arrange=nobody_answers, contains="No answer since "),
    Case(
        key="cloud_only",
        arrange=only_the_cloud,
        severity="notice",
        contains="Through the cloud: ",
        after=60,
    ),
    Case(key="key_rejected", arrange=wrong_key),
    Case(key="no_key", arrange=no_key, after=660),
    Case(key="clock_ahead", arrange=clock_ahead, after=900),
    Case(key="firmware_too_old", arrange=old_firmware, contains="2.5.40", after=330),
    Case(key="address_lost", arrange=moved, contains="127.0.0.1", after=360),
    Case(key="sign_in_needed", arrange=signed_out),
    Case(key="sign_in_ends", arrange=signed_in(24), severity="notice"),
    Case(key="service_silent", arrange=silent_service, severity="notice"),
    Case(key="controllers_left_out", arrange=left_out, contains="AA_BB_CC_00_00_09"),
    Case(key="controllers_shared", arrange=shared, severity="notice", contains="Home"),
]


def problems(home: Home) -> dict[str, dict[str, Any]]:
    """Return the problems that *Status* lists, by key."""
    listed = home.state("sensor", "status").attributes["problems"]
    return {each["key"]: each for each in listed}


def name(value: object) -> str:
    return value.key if isinstance(value, Case) else ""


async def triggers(home: Home, key: str) -> None:
    """Assert that the problem in *Status* fires the trigger and fails the condition."""
    shown_now = home.state("sensor", "status")
    kinds = {"options": {"kinds": [key]}}
    target = {"target": {"entity_id": shown_now.entity_id}}
    well = {"condition": "poolctl.all_is_well", **target, **kinds}
    rules = {
        "began": ({"trigger": "poolctl.needs_attention", **target, **kinds},),
        "well": ({"trigger": "event", "event_type": "asked"}, well),
    }
    fired = await automate_all(home, rules)
    nothing: dict[str, Any] = {"problems": []}
    for attributes in (nothing, shown_now.attributes):
        home.hass.states.async_set(shown_now.entity_id, shown_now.state, attributes)
        await home.settle()
        home.hass.bus.async_fire("asked")
        await home.settle()
    assert [(event.data["rule"], event.data["key"]) for event in fired] == [
        ("well", ""),
        ("began", key),
    ]


@pytest.mark.parametrize("case", CASES, ids=name)
async def test_every_problem(home: Home, case: Case) -> None:
    """*Status* shows the problem, and it is a repair where the table has one."""
    await case.arrange(home)
    await home.live(case.after)
    problem = problems(home)[case.key]
    assert problem["severity"] == case.severity
    assert case.contains in problem["sentence"]
    assert problem["sentence"] and problem["next_step"]
    assert "{" not in problem["sentence"] + problem["next_step"]
    assert datetime.fromisoformat(problem["since"]).tzinfo
    severities = {each["severity"] for each in problems(home).values()}
    worst = "problem" if "problem" in severities else "notice"
    assert home.value("sensor", "status") == worst
    await triggers(home, case.key)
    if case.key in REPAIRS:
        await home.live(960, step=30)
        assert (case.key in shown(home)) is case.repair


def test_every_row_has_a_case() -> None:
    others = {"clock_wrong"}
    assert {case.key for case in CASES} | others == set(KEYS)


async def test_our_clock(home: Home, clocks: SimpleNamespace) -> None:
    async def arrange(home: Home) -> None:
        await started(home)
        clocks.wrong = 14 * 365 * DAY
        await home.act("switch.turn_on", "slot_2")

    await test_every_problem(home, Case(key="clock_wrong", arrange=arrange))


async def test_all_is_well(home: Home) -> None:
    await started(home, small=False)
    assert home.value("sensor", "status") == "all_well"
    assert problems(home) == {}


async def test_lost_from_the_start(home: Home) -> None:
    """*Status* and *Connection* exist for a controller that has never answered."""
    lost = home.service.full
    lost.faults.on("refuse")
    await home.set_up(*home.service.controllers, options={"connection": "lan"})
    status = home.state("sensor", "status", of=lost)
    assert status.state == "problem"
    assert [each["key"] for each in status.attributes["problems"]] == ["unreachable"]
    assert home.value("sensor", "connection", of=lost) == "lost"
    assert home.registered("sensor", "ph", of=lost) is None
    lost.faults.clear()
    await home.live(60)
    assert home.value("sensor", "status", of=lost) != "unknown"
    assert home.value("sensor", "connection", of=lost) == "lan"


# One odd read


async def test_one_odd_read_shows_nothing(home: Home) -> None:
    await started(home)
    shown_states = home.follow("sensor", "status")
    for status in (DRY, DRY_RUN_NORMAL):
        home.pool.pump.dry_run_status = status
        await home.live(15)
    assert {state.state for state in shown_states} <= {"all_well"}
    home.pool.pump.dry_run_status = DRY
    await home.live(30)
    assert home.value("sensor", "status") == "problem"
    # Nor does one odd read end it.
    for status in (DRY_RUN_NORMAL, DRY):
        home.pool.pump.dry_run_status = status
        await home.live(15)
        assert home.value("sensor", "status") == "problem"
    home.pool.pump.dry_run_status = DRY_RUN_NORMAL
    await home.live(30)
    assert home.value("sensor", "status") == "all_well"


async def test_one_odd_read_makes_no_notice_a_problem(home: Home) -> None:
    await drum(1_500)(home)
    await home.live(360, step=60)
    shown_states = home.follow("sensor", "status")
    for left in (0, 1_500):
        home.pool.settings["acid_remaining"] = left
        await home.live(15)
    assert {state.state for state in shown_states} <= {"notice"}


async def test_never_a_valid_reading(home: Home) -> None:
    """It is told after a day, not when the day before is not known."""
    home.own(home.service.small)
    type_of_water = type(home.pool.water)
    with patch.object(type_of_water, "stable", property(lambda water: False)):
        await home.set_up(home.controller)
        await home.live(23 * 3600, step=3600)
        assert "stale_readings" not in problems(home)
        await home.live(2 * 3600, step=3600)
        assert "stale_readings" in problems(home)


# The path to the controller, in every minute


@pytest.mark.parametrize("small", [True, False])
async def test_through_the_cloud_at_once(home: Home, small: bool) -> None:
    await started(home, small=small)
    home.controller.faults.on("refuse")
    statuses = home.follow("sensor", "status")
    for _ in range(4):
        await home.live(15)
        if home.source == "cloud":
            break
    assert home.source == "cloud" and home.value("sensor", "status") == "notice"
    sentence = problems(home)["cloud_only"]["sentence"]
    assert sentence.startswith("Through the cloud: ")
    assert ("heating is not available" in sentence) is not small
    assert {state.state for state in statuses} == {"notice"}
    home.controller.faults.clear()
    await home.live(60)
    assert home.value("sensor", "status") == "all_well"


@pytest.mark.parametrize(
    ("record", "options", "why"),
    [
        ({}, {"connection": "cloud"}, "The options allow only the cloud."),
        ({"host": None}, {}, "Its address on your network is not known."),
        ({"key": None}, {}, "its key for your network"),
    ],
)
async def test_why_the_lan_is_not_used(
    home: Home, record: dict[str, Any], options: dict[str, Any], why: str
) -> None:
    home.own(home.service.full)
    home.cloud.faults.on("failed", "envelope-key")
    stored = {home.controller.device_id: record_of(home.controller, **record)}
    await home.set_up(controllers=stored, options=options)
    await home.live(30)
    problem = problems(home)["cloud_only"]
    assert why in problem["next_step"]
    assert problem["severity"] == "notice"


async def test_no_answer_since(home: Home) -> None:
    """Two missed polls without a cloud are enough, not the 90 s of the values."""
    await started(home)
    await home.live(15)
    answered = datetime.fromtimestamp(
        home.clock.time(), dt_util.get_default_time_zone()
    )
    home.disconnect()
    for _ in range(30):
        await home.live(1, step=1)
    assert home.value("sensor", "status") == "problem"
    found = problems(home)["unreachable"]
    assert found["sentence"].startswith("No answer since ")
    assert found["sentence"].endswith(f"{answered:%H:%M}.")
    assert home.value("sensor", "ph") != "unavailable"
    assert "pump_until" not in home.state("sensor", "status").attributes
    home.reconnect()
    await home.live(60)
    assert home.value("sensor", "status") == "all_well"


# What the pump does, and what a user can do


async def test_what_the_pump_does(home: Home) -> None:
    """*Status* reports it with a problem, too."""
    await started(home)
    for status in (DRY_RUN_NORMAL, DRY):
        home.pool.pump.dry_run_status = status
        await home.live(30)
        shown_now = home.state("sensor", "status").attributes
        until = datetime.fromisoformat(shown_now["pump_until"])
        now = home.pool.local_time()
        assert now < until < now + timedelta(days=1)
    home.pool.pump.dry_run_status = DRY_RUN_NORMAL
    now = home.pool.local_time()
    filtering = home.pool.schedules[0]
    filtering.start, filtering.end = now.hour * 60 + 120, now.hour * 60 + 180
    await home.live(360, step=60)
    shown_now = home.state("sensor", "status").attributes
    assert "pump_until" not in shown_now
    begins = datetime.fromisoformat(shown_now["next_run"])
    assert (begins.hour, begins.minute) == divmod(filtering.start, 60)
    assert shown_now["next_schedule"] == "Filter"


async def test_the_action_of_a_next_step(home: Home) -> None:
    await drum(0)(home)
    home.entry.async_start_reauth(home.hass)
    await home.live(660, step=60)
    found = problems(home)
    refill = found["acid_low"]["action"]
    assert refill["entity_id"] == home.entity_id("button", "refill_acid")
    assert refill["label"] == "Mark acid drum full"
    assert found["sign_in_needed"]["action"] == {
        "label": "Sign in",
        "url": "/config/integrations/integration/poolctl",
    }


@pytest.mark.parametrize("lan", [True, False])
async def test_a_situation_is_made_once_per_update(
    small: Home, monkeypatch: pytest.MonkeyPatch, lan: bool
) -> None:
    if not lan:
        small.controller.faults.on("refuse")
    await small.live(120, step=30)
    made = updates = 0

    def make(*values: Any, **facts: Any) -> Situation:
        nonlocal made
        made += 1
        return Situation(*values, **facts)

    def update() -> None:
        nonlocal updates
        updates += 1

    monkeypatch.setattr(coordinator, "Situation", make)
    controllers = small.entry.runtime_data.controllers
    controllers[small.controller.device_id].async_add_listener(update)
    await small.live(240, step=30)
    assert small.source == ("lan" if lan else "cloud")
    assert made == updates >= 6


async def test_nothing_is_wrong_with_a_controller_before_its_first_read(
    home: Home,
) -> None:
    """A problem that the account has at the start says nothing about a controller."""
    await left_out(home)
    observers = home.entry.runtime_data.observers
    recorded = observers.recorders[home.service.small.device_id].as_list()
    assert recorded
    assert "unreachable" not in str(recorded)


# Over restarts


async def restarts(home: Home, *, away: float = 300.0) -> None:
    """Stop Home Assistant for a while."""
    await home.shut_down()
    home.freezer.tick(away)
    home.clock.advance(away)
    await home.boot()


def since(home: Home, key: str) -> datetime:
    return datetime.fromisoformat(problems(home)[key]["since"])


async def test_a_problem_lasts_over_restarts(home: Home) -> None:
    await dry(DRY)(home)
    await home.live(60)
    began = since(home, "dry_run")
    for _ in range(2):
        await restarts(home)
        assert since(home, "dry_run") == began
    await home.restart()
    assert since(home, "dry_run") == began
    # It ends and begins again.
    home.pool.pump.dry_run_status = DRY_RUN_NORMAL
    await home.live(60)
    assert "dry_run" not in problems(home)
    home.pool.pump.dry_run_status = DRY
    await home.live(60)
    assert since(home, "dry_run") > began + timedelta(minutes=10)


async def test_a_service_that_is_silent_over_restarts(home: Home) -> None:
    """The day counts though no run of Home Assistant lasts that long."""
    await started(home)
    home.cloud.faults.on("refuse")
    await home.live(3600, step=600)
    for _ in range(3):
        assert "service_silent" not in problems(home)
        await restarts(home)
        await home.live(7 * 3600, step=3600)
    await restarts(home)
    await home.live(3 * 3600, step=3600)
    assert "service_silent" in problems(home)
    home.cloud.faults.clear()
    await home.live(2 * 3600, step=3600)
    assert "service_silent" not in problems(home)


async def test_a_deleted_account_leaves_no_problem(home: Home) -> None:
    await dry(DRY)(home)
    home.cloud.faults.on("refuse")
    await home.live(7200, step=600)
    entry_id, entries = home.entry.entry_id, home.hass.config_entries
    await entries.async_remove(entry_id)
    memory = home.hass.data[DATA_MEMORY]
    assert entry_id not in memory._data()
    assert "problems" not in memory._data()[home.controller.device_id]
