"""Every row of the table of problems, wherever it is shown."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter
import re
from types import SimpleNamespace
from typing import Any

from homeassistant.const import Platform
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl.application_credentials import CONF_REFRESH_SINCE
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.status.table import KEYS
from custom_components.poolctl.store.memory import DATA_MEMORY
from tests.account.test_dialects_lan_clocks import clocks
from tests.account.test_two_accounts import second_account
from tests.automations.test_triggers import automate_all
from tests.status.test_repairs import REPAIRS, shown
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator import wire
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.pump import DRY_RUN_NORMAL

__all__ = ["clocks"]

pytestmark = pytest.mark.usefixtures("freezer", "quick", "clocks")
few_platforms = only(
    Platform.BINARY_SENSOR,
    Platform.BUTTON,
    Platform.CALENDAR,
    Platform.CLIMATE,
    Platform.SENSOR,
    Platform.SWITCH,
)

DAY = 86400.0
DRY = 0
PUMP, LIGHTS = 0, 2


# Arrangements: each brings a problem about in a home that is not set up yet

type Arrangement = Callable[[Home], Awaitable[None]]


async def started(home: Home, *, small: bool = True, **options: Any) -> None:
    controller = home.service.small if small else home.service.full
    home.own(controller)
    home.pool.schedules[0].start = 30
    water = home.pool.water
    water.ph, water.orp, water.drift = 7.4, 700, 0.0
    if not small:
        home.pool.settings["ph_dosing"] = 0
    await home.set_up(controller, options=options)
    await home.live(30)


def pool(
    change: Callable[[Home], object],
    seconds: float = 0,
    *,
    step: float = 15,
    small: bool = True,
    **options: Any,
) -> Arrangement:
    """Return an arrangement: a pool that works, a change, and time that passes."""

    async def arrange(home: Home) -> None:
        await started(home, small=small, **options)
        change(home)
        await home.live(seconds, step=step)

    return arrange


def water(*, small: bool = True, **readings: float) -> Arrangement:
    def change(home: Home) -> None:
        for name, value in readings.items():
            setattr(home.pool.water, name, value)

    return pool(change, small=small)


def drum(left: int) -> Arrangement:
    levels = {f"{name}_remaining": left for name in ("acid", "chlorine")}
    return pool(
        lambda home: home.pool.settings.update(levels), small=False, drum_repairs=True
    )


def doses(substance: str, count: int, **readings: float) -> Arrangement:
    async def arrange(home: Home) -> None:
        await water(small=False, **readings)(home)
        await home.live(360, step=60)
        getattr(home.pool, substance).doses = count
        await home.live(360, step=60)

    return arrange


def dry(status: int) -> Arrangement:
    return pool(lambda home: setattr(home.pool.pump, "dry_run_status", status))


async def filter_is_dirty(home: Home) -> None:
    await started(home)
    await home.act("button.press", "mark_filter_clean")
    await home.live(660, step=60)
    home.pool.water.dirt = 0.8
    await home.live(660, step=60)


def draws(part: float) -> Arrangement:
    """Return an arrangement: the pump draws this part of its usual power for days."""

    async def arrange(home: Home) -> None:
        await started(home)
        await home.live(3900, step=75)
        home.pool.pump.effort = part
        await home.live(660, step=75)
        await home.live(3 * DAY, step=DAY / 4)
        await home.live(660, step=60)

    return arrange


def not_undone(
    action: Callable[[Home], Awaitable[None]], small: bool = True
) -> Arrangement:
    """Return an arrangement: what an action claims for minutes is not given back."""

    async def arrange(home: Home) -> None:
        home.service.full.pool.settings["heating"] = 0
        await started(home, small=small)
        home.pool.settings["ph_dosing"] = 1
        task = asyncio.ensure_future(action(home))
        await home.pass_time(5)
        await task
        home.controller.faults.on("decline", "a")
        await home.live(4800, step=600)

    return arrange


async def claim_heat(home: Home) -> None:
    (coordinator,) = home.entry.runtime_data.controllers.values()
    until = coordinator.clock.now() + timedelta(minutes=1)
    heat = coordinator.controller.heat
    await heat.claim(HeatSource.SOLAR, "warm_by pool", until)


async def list_that_cannot_be_used(home: Home) -> None:
    await started(home)
    plan = home.act_on_calendar(
        "plan_hours", answers=True, hours=4, later=True, price_entities=["sensor.none"]
    )
    await home.finish(plan)


def warm_too_late(key: str) -> Arrangement:
    async def arrange(home: Home) -> None:
        await started(home, small=False)
        await home.enable_all()
        home.pool.water.temperature = 20.0
        (controller, *_) = home.entry.runtime_data.controllers.values()
        by = controller.clock.now() + timedelta(minutes=30)
        call = home.act("poolctl.warm_by", f"{key}_heating", domain="climate", at=by)
        task = home.hass.async_create_task(call)
        await home.pass_time(5)
        await task
        await home.live(720, step=60)

    return arrange


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
    words = home.state("switch", "spa_mode").attributes["explanation"]
    assert words.startswith("Spa mode is on, but nothing happens.")


async def spa_stops_cleaner(home: Home) -> None:
    """Let the firmware take over (protocol.md L21): the cleaner is shown as it is."""
    await started(home, small=False)
    home.controller.dialects.add("spa_takes_over")
    for switch, cleaner in (("slot_9", "on"), ("spa_mode", "off")):
        await home.act("switch.turn_on", switch)
        await home.live(45)
        assert home.value("switch", "slot_9") == cleaner
    assert home.value("switch", "pump") == "on"


def hold_pump_off(home: Home) -> None:
    home.pool.switch(PUMP, False, hold=True)


def clock_off(hours: int) -> Arrangement:
    def change(home: Home) -> None:
        coordinator = home.entry.runtime_data.controllers[home.controller.device_id]
        coordinator.controller.controller_clock.offset = timedelta(hours=hours)

    return pool(change)


def nothing(home: Home) -> None:
    """Change nothing."""


def refuse(home: Home) -> None:
    home.controller.faults.on("refuse")


def stored(
    before: Callable[[Home], object] = nothing,
    after: Callable[[Home], object] = nothing,
    **changes: Any,
) -> Arrangement:
    """Return an arrangement: a start with these changes of the stored record."""

    async def arrange(home: Home) -> None:
        home.own(home.service.small)
        before(home)
        await home.set_up_with(**changes)
        after(home)

    return arrange


async def clock_ahead(home: Home) -> None:
    await started(home)
    home.controller.dialects.add(Dialect.COUNTER_AHEAD_1_DAY)
    await home.act("switch.turn_on", "slot_2")


async def signed_in_a_month_ago(home: Home) -> None:
    home.own(home.service.small)
    token = home.service.token()
    token[CONF_REFRESH_SINCE] = home.clock.time() - 24 * DAY
    await home.set_up(home.controller, token=token)


async def silent_service(home: Home) -> None:
    await started(home)
    home.cloud.faults.on("refuse")
    await home.live(3600, step=600)
    await home.live(DAY, step=DAY / 8)


async def left_out(home: Home) -> None:
    service = home.service
    entry = service.entry(service.small)
    controllers = {**entry.data["controllers"], "AA_BB_CC_00_00_09": None}
    await home.set_up(controllers=controllers)


def disk(home: Home, *, unread: bool = False, written: bool = True) -> None:
    memory = home.hass.data[DATA_MEMORY]
    memory.unread, memory._store.written = unread, written
    memory._store.make_read_only()


async def shared(home: Home) -> None:
    await started(home)
    await home.set_up_entry(second_account(home))
    home.controller = home.service.full


@dataclass(frozen=True)
class Case:
    """A problem, how it comes about, and how it is shown."""

    key: str
    arrange: Arrangement
    contains: str = ""
    """A part of the sentence."""
    _: KW_ONLY
    notice: bool = False
    after: float = 60
    """Seconds of polls until it is shown."""
    repair: bool = True
    """Whether it becomes a repair, where its row has one."""


CASES = [
    Case("dry_run", dry(0), "running dry"),
    Case("dry_run", dry(1), "several tries"),
    Case("ph_out_of_range", water(ph=8.2), "pH 8.2 is too high: 7.0 to 7.8"),
    Case("ph_out_of_range", water(ph=6.9), "pH 6.9 is too low"),
    Case("orp_out_of_range", water(orp=550), "ORP 550 mV is too low: 600 to 850"),
    Case(
        "orp_out_of_range",
        water(orp=850, small=False),
        "ORP 850 mV is too high: 550 to 800",
    ),
    Case("acid_low", drum(1500), "nearly empty", notice=True),
    Case("acid_low", drum(0), "is empty"),
    Case("chlorine_low", drum(1500), "nearly", notice=True),
    Case("chlorine_low", drum(0), "is empty"),
    Case("acid_limit", doses("acid", 6, ph=7.2), notice=True, repair=False),
    Case("acid_limit", doses("acid", 6, ph=7.6), "still too high"),
    Case(
        "acid_without_effect",
        doses("acid", 8, ph=7.6),
        "8 doses",
    ),
    Case(
        "chlorine_without_effect",
        doses("chlorine", 24, orp=560),
        "24 doses",
    ),
    Case("filter_needs_cleaning", filter_is_dirty, notice=True),
    Case(
        "pump_power_changed", draws(1.3), "30 % more power", notice=True, repair=False
    ),
    Case(
        "pump_power_changed", draws(0.7), "30 % less power", notice=True, repair=False
    ),
    Case(
        "held_off",
        pool(hold_pump_off, 1.75 * DAY, step=DAY / 4, holds_by_hand="until_given_back"),
        "for more than a day: ",
    ),
    Case("held_against_schedule", held_now, "would run it now: ", notice=True),
    Case("spa_waits_for_pump", spa_without_pump),
    Case("stopped_by_spa", spa_stops_cleaner, "Cleaner", notice=True),
    Case("uses_proposed", pool(nothing, uses=None), "Garden Lights", notice=True),
    Case(
        "hold_overdue",
        not_undone(
            lambda home: home.act(
                "poolctl.hold", "pump", state=False, duration=timedelta(minutes=10)
            )
        ),
        "in time: ",
    ),
    Case(
        "dosing_paused_too_long",
        not_undone(
            lambda home: home.act(
                "poolctl.pause_dosing", "automatic_ph", duration=timedelta(minutes=10)
            ),
            small=False,
        ),
    ),
    Case("heat_overdue", not_undone(claim_heat, small=False)),
    Case("pool_warm_late", warm_too_late("pool"), "°C instead of ", notice=True),
    Case("spa_warm_late", warm_too_late("spa"), "°C instead of ", notice=True),
    Case("list_refused", list_that_cannot_be_used, "sensor.none", notice=True),
    Case("stale_readings", pool(hold_pump_off, DAY + 600, step=DAY / 4)),
    Case(
        "expander_lost",
        pool(lambda home: home.pool.lost_expanders.update({1, 3}), small=False),
        " 1, 3.",
    ),
    Case("controller_clock", clock_off(-1), "60 min slow"),
    Case("controller_clock", clock_off(1), "60 min fast"),
    Case("unreachable", pool(Home.disconnect, 120), "No answer since "),
    Case("cloud_only", pool(refuse, 60), "Through the cloud: ", notice=True),
    Case("key_rejected", pool(lambda home: home.controller.faults.on("wrong_key"))),
    Case(
        "no_key",
        stored(lambda home: home.cloud.faults.on("failed", "envelope-key"), key=None),
        after=660,
    ),
    Case("clock_ahead", clock_ahead, after=900),
    Case("firmware_too_old", stored(refuse, firmware="2.5.40"), "2.5.40", after=330),
    Case("address_lost", stored(after=refuse, by_hand=True), "127.0.0.1", after=360),
    Case(
        "sign_in_needed",
        pool(lambda home: home.entry.async_start_reauth(home.hass), 600, step=60),
    ),
    Case("sign_in_ends", signed_in_a_month_ago, notice=True),
    Case("service_silent", silent_service, notice=True),
    Case("controllers_left_out", left_out, "AA_BB_CC_00_00_09"),
    Case("controllers_shared", shared, "Home", notice=True),
    # tests/store/test_disk.py has how they come about.
    Case("store_unread", pool(partial(disk, unread=True), 600, step=60)),
    Case("store_unwritten", pool(partial(disk, written=False), 600, step=60)),
]


def problems(home: Home) -> dict[str, dict[str, Any]]:
    """Return the problems that *Status* lists, by key."""
    listed = home.state("sensor", "status").attributes["problems"]
    return {each["key"]: each for each in listed}


async def triggers(home: Home, key: str) -> None:
    """Assert that the problem in *Status* fires the trigger and fails the condition."""
    status = home.state("sensor", "status")
    about = {"target": {"entity_id": status.entity_id}, "options": {"kinds": [key]}}
    rules = {
        "began": ({"trigger": "poolctl.needs_attention", **about},),
        "well": (
            {"trigger": "event", "event_type": "asked"},
            {"condition": "poolctl.all_is_well", **about},
        ),
    }
    fired = await automate_all(home, rules)
    none: dict[str, Any] = {"problems": []}
    for attributes in (none, status.attributes):
        home.hass.states.async_set(status.entity_id, status.state, attributes)
        await home.settle()
        home.hass.bus.async_fire("asked")
        await home.settle()
    events = [(event.data["rule"], event.data["key"]) for event in fired]
    assert events == [("well", ""), ("began", key)]


@pytest.mark.row("L20", "L21")
@pytest.mark.parametrize("case", CASES, ids=attrgetter("key"))
async def test_every_problem(home: Home, case: Case) -> None:
    """*Status* shows the problem, and it is a repair where the table has one."""
    await case.arrange(home)
    await home.live(case.after)
    found = problems(home)
    assert case.key in found, f"{case.key} is not a problem now: {sorted(found)} are"
    problem = found[case.key]
    assert problem["severity"] == ("notice" if case.notice else "problem")
    assert case.contains in problem["sentence"]
    assert problem["sentence"] and problem["next_step"]
    assert "{" not in problem["sentence"] + problem["next_step"]
    assert datetime.fromisoformat(problem["since"]).tzinfo
    severities = {each["severity"] for each in problems(home).values()}
    worst = "problem" if "problem" in severities else "notice"
    assert home.value("sensor", "status") == worst
    await triggers(home, case.key)
    if case.key in REPAIRS:
        await home.live(960, step=160)
        assert (case.key in shown(home)) is case.repair


def test_every_row_has_a_case() -> None:
    others = {"clock_wrong"}
    assert {case.key for case in CASES} | others == set(KEYS)


async def test_our_clock(home: Home, clocks: SimpleNamespace) -> None:
    async def arrange(home: Home) -> None:
        await started(home)
        clocks.wrong = 14 * 365 * DAY
        await home.act("switch.turn_on", "slot_2")

    await test_every_problem(home, Case("clock_wrong", arrange))


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


async def test_one_odd_frame_shows_nothing(home: Home) -> None:
    """Nor does it end a problem, or make it a graver one; a real one is shown at once."""

    def dry_run(status: int) -> Callable[[wire.Frame], None]:
        def spoil(frame: wire.Frame) -> None:
            flags = frame.telemetry["flags"]
            frame.telemetry["flags"] = flags & ~(3 << 13) | status << 13

        return spoil

    def empty(frame: wire.Frame) -> None:
        frame.configuration["acid_remaining"] = 0

    await drum(1_500)(home)
    await home.live(360, step=60)
    for real, odd, expected in (
        (DRY_RUN_NORMAL, dry_run(0), "notice"),
        (DRY, dry_run(3), "problem"),
        (DRY_RUN_NORMAL, empty, "notice"),
    ):
        home.pool.pump.dry_run_status = real
        await home.live(15)
        assert home.value("sensor", "status") == expected
        home.controller.odd.append(odd)
        await home.live(15)
        assert not home.controller.odd
        assert home.value("sensor", "status") == expected
        await home.live(15)
        assert home.value("sensor", "status") == expected


async def test_a_pump_that_runs_dry_is_stopped_with_one_button(home: Home) -> None:
    await dry(DRY)(home)
    await home.live(30)
    problem = problems(home)["dry_run"]
    assert problem["action"] == {
        "key": "stop_pump",
        "label": "Stop the pump",
        "entity_id": home.entity_id("switch", "pump"),
        "perform_action": "switch.turn_off",
    }
    assert problem["next_step"].startswith("Stop the pump.")
    await home.act("switch.turn_off", "pump")
    await home.live(30)
    problem = problems(home)["dry_run"]
    assert "action" not in problem
    assert problem["next_step"].startswith("Check the water level")
    assert home.state("switch", "pump").attributes["held_until"]


# The path to the controller, in every minute


async def test_no_answer_since(home: Home) -> None:
    """Two missed polls without a cloud are enough, not the 90 s of the values."""
    await started(home)
    await home.live(15)
    answered = datetime.fromtimestamp(
        home.clock.time(), dt_util.get_default_time_zone()
    )
    home.disconnect()
    await home.live(30, step=1)
    assert home.value("sensor", "status") == "problem"
    sentence = problems(home)["unreachable"]["sentence"]
    assert re.fullmatch(rf"No answer since .*{answered:%H:%M}\.", sentence)
    assert home.value("sensor", "ph") != "unavailable"
    assert "pump_until" not in home.state("sensor", "status").attributes
    home.reconnect()
    await home.live(60)
    assert home.value("sensor", "status") == "all_well"


@pytest.mark.usefixtures("all_enabled")
async def test_why_both_paths_are_lost(small: Home) -> None:
    """Two sensors still show the reasons while everything else is unavailable."""

    def reasons() -> list[str]:
        keys = ("local_network", "cloud_service")
        return [small.value("sensor", key) for key in keys]

    small.controller.faults.on("refuse")
    small.cloud.faults.on("rate_limited")
    await small.advance(150, step=15)
    assert small.value("sensor", "ph") == "unavailable"
    assert reasons() == ["no_answer", "busy"]
    small.cloud.faults.off("rate_limited")
    small.cloud.faults.on("refuse")
    await small.advance(600, step=30)
    assert reasons() == ["no_answer", "no_answer"], "it is another reason now"
    cloud = small.state("sensor", "cloud_service")
    await small.advance(600, step=30)
    assert small.state("sensor", "cloud_service") is cloud, "since when"


async def test_the_worst_comes_first(home: Home) -> None:
    """Without heating, a drum that is nearly empty can wait."""
    await drum(1_500)(home)
    home.controller.faults.on("refuse")
    await home.live(90)
    assert [*problems(home)][:2] == ["cloud_only", "acid_low"]
    home.cloud.faults.on("refuse")
    await home.live(120)
    first, *_ = problems(home).values()
    assert first["key"] == "unreachable"
    since = dt_util.as_local(datetime.fromisoformat(first["since"]))
    assert first["sentence"].endswith(f"{since:%H:%M}.")


@pytest.mark.parametrize("fahrenheit", [False, True])
async def test_temperatures_that_the_cloud_lacks(home: Home, fahrenheit: bool) -> None:
    """They are unknown, with the last measurement and its time."""
    if fahrenheit:
        home.hass.config.units = US_CUSTOMARY_SYSTEM
    await started(home, small=False)
    home.pool.water.temperature = 25.0
    await home.live(60)
    home.cloud.not_offered.add("ambientTemp")
    home.controller.faults.on("wrong_key")
    await home.live(120)
    assert home.source == "cloud"
    (controller,) = home.entry.runtime_data.controllers.values()
    for key in ("water_temperature", "air_temperature"):
        sensor = home.state("sensor", key)
        assert sensor.state == "unknown"
        at = datetime.fromisoformat(sensor.attributes["measured_at"])
        assert 60 <= (controller.clock.now() - at).total_seconds() <= 150
    last = home.state("sensor", "water_temperature").attributes["last_temperature"]
    assert last == pytest.approx(77.0 if fahrenheit else 25.0, abs=0.5)
    home.reconnect()
    await home.live(60)
    assert (
        "last_temperature" not in home.state("sensor", "water_temperature").attributes
    )


# What the pump does, and what a user can do


async def test_what_the_pump_does(home: Home) -> None:
    """*Status* reports it with a problem, too."""
    await started(home)
    status = partial(home.state, "sensor", "status")
    now = home.pool.local_time()
    for dry_run in (DRY_RUN_NORMAL, DRY):
        home.pool.pump.dry_run_status = dry_run
        await home.live(30)
        until = datetime.fromisoformat(status().attributes["pump_until"])
        assert now < until < now + timedelta(days=1)
    home.pool.pump.dry_run_status = DRY_RUN_NORMAL
    filtering, minute = home.pool.schedules[0], now.hour * 60
    filtering.start, filtering.end = minute + 120, minute + 180
    await home.live(360, step=60)
    shown_now = status().attributes
    assert "pump_until" not in shown_now
    begins = datetime.fromisoformat(shown_now["next_run"])
    assert begins.hour * 60 + begins.minute == filtering.start
    assert shown_now["next_schedule"] == "Filter"


@pytest.mark.parametrize("around", [False, True])
async def test_the_end_of_a_run_that_is_held(home: Home, around: bool) -> None:
    """It is that of the schedule that goes on after the hold, by which it also begins."""
    await started(home)
    filtering = home.pool.schedules[0]
    now = home.pool.local_time().replace(second=0, microsecond=0)
    begins, ends = now + timedelta(hours=-1), now + timedelta(hours=3)
    filtering.start, filtering.end = (
        each.hour * 60 + each.minute for each in (begins, ends)
    )
    if around:
        home.pool.schedules[1] = replace(
            filtering, start=filtering.end, end=filtering.start, name="Night"
        )
    await home.live(360, step=60)

    async def held(on: bool, hours: float) -> datetime | None:
        duration = timedelta(hours=hours)
        await home.act("poolctl.hold", "pump", state=on, duration=duration)
        await home.live(60)
        found = home.state("sensor", "status").attributes.get("pump_until")
        return datetime.fromisoformat(found) if found else None

    soon = timedelta(minutes=20)
    assert await held(True, 1) == (None if around else ends)
    over = home.clock.time() + 5 * 3600
    late = await held(True, 5)
    assert late is None if around else late and abs(late.timestamp() - over) < 120
    off = await held(False, 1)
    assert off is not None
    assert abs(off - now - timedelta(hours=1)) < soon
    off = await held(False, 5)
    assert off is not None
    later = now + timedelta(hours=5)
    assert abs(off - (later if around else begins + timedelta(days=1))) < soon


async def test_the_action_of_a_next_step(home: Home) -> None:
    await drum(0)(home)
    home.entry.async_start_reauth(home.hass)
    await home.live(660, step=60)
    actions = {key: each.get("action") for key, each in problems(home).items()}
    refill = home.entity_id("button", "mark_acid_drum_full")
    assert actions["acid_low"] == {
        "key": "mark_acid_drum_full",
        "label": "Mark acid drum full",
        "entity_id": refill,
        "perform_action": "button.press",
    }
    sign_in = "/config/integrations/integration/poolctl"
    assert actions["sign_in_needed"] == {
        "key": "sign_in",
        "label": "Sign in",
        "url": sign_in,
    }


# Over restarts


async def restarts(home: Home, *, away: float = 300.0) -> None:
    await home.shut_down()
    home.freezer.tick(away)
    home.clock.advance(away)
    await home.boot()


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
