"""Water warm by a time: heating begins as late as possible, and is given back."""

from dataclasses import replace
from datetime import datetime, timedelta
import os
from random import Random
import time
from types import SimpleNamespace
from typing import Any, Final

from homeassistant.const import Platform
from homeassistant.core import Context
from homeassistant.exceptions import ServiceValidationError
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.poolctl.client.pool.heating import POOL, SPA
from custom_components.poolctl.client.pool.parts import Chemistry
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import UnreachableError
from custom_components.poolctl.diagnostics import async_get_config_entry_diagnostics
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.warming import LearnedRate, SunHour
from tests.account.test_dialects_lan_clocks import clocks
from tests.status.test_problems import problems
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.simulator.equipment import Role
from tests.world.simulator.pool import POOL_HEATER, SOLAR, SPA_HEATER

__all__ = ["clocks"]

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "hurried"),
    pytest.mark.freeze_time("2026-05-01 12:00:00+00:00"),
]
few_platforms = only(
    Platform.CLIMATE, Platform.DATETIME, Platform.SENSOR, Platform.SWITCH
)

EVENINGS: Final = int(os.environ.get("POOLCTL_EVENINGS", "1"))
PUMP, SPA_RETURN = 0, 10
"""Slots of the full pool."""
STEP, HASTE = 60, 300
"""Seconds between two polls; the rate of warming is learned only from short ones."""


@pytest.fixture
async def spa(full: Home) -> Home:
    """Return a home with an unused spa, whose pump stands still."""
    await full.hass.config.async_set_time_zone("UTC")
    full.clock.set_back(full.clock.time() - time.time())
    pool = full.pool
    pool.settings["heating"], pool.settings["spa_target"] = 0, 36
    for schedule in pool.schedules:
        schedule.enabled = False
    pool.water.temperature, pool.water.ambient = 30.0, 30.0
    await full.live(60)
    return full


def warm_by(home: Home, key: str = "spa") -> datetime | None:
    """Return the time that the entity shows."""
    state = home.value("datetime", f"{key}_warm_by")
    return None if state == "unknown" else dt_util.parse_datetime(state)


def explanation(home: Home, key: str = "spa") -> str:
    """Return the explanation that the entity shows."""
    found = home.state("datetime", f"{key}_warm_by").attributes.get("explanation", "")
    return str(found)


async def ask(home: Home, by: datetime, key: str = "spa") -> None:
    call = home.act("datetime.set_value", f"{key}_warm_by", datetime=by.isoformat())
    await home.finish(call)


def at(hour: int, minute: int = 0) -> datetime:
    """Return a time of today."""
    return dt_util.now().replace(hour=hour, minute=minute, second=0, microsecond=0)


async def until(home: Home, then: datetime) -> None:
    """Let time pass until then, with short steps only in the last ten minutes."""
    left = (then - dt_util.now()).total_seconds()
    hasty = max(left - 600, 0) // HASTE
    await home.live(hasty * HASTE, step=HASTE)
    await home.live(left - hasty * HASTE, step=STEP)


def selected(home: Home) -> int:
    """Return the heat sources that are selected, after the pool had its turn."""
    home.pool.update()
    return int(home.pool.settings["heating"])


def held(home: Home) -> tuple[bool, bool]:
    """Return whether pump and spa are held."""
    home.pool.update()
    return home.pool.slots[PUMP].held, home.pool.slots[SPA_RETURN].held


def heated(home: Home) -> bool:
    """Return whether spa and pump are held on, and the spa heater is selected."""
    on = held(home) == (True, True) and home.pool.spa_mode
    return on and bool(selected(home) & SPA_HEATER)


def as_before(home: Home) -> bool:
    """Return whether everything is as it was before the request."""
    return not (home.pool.spa_mode or any(held(home)) or selected(home))


async def hold_pump(home: Home, duration: str, *, state: bool = True) -> None:
    call = home.act(
        "poolctl.hold", "pump", domain="switch", state=state, duration=duration
    )
    await home.finish(call)


async def call_action(home: Home, body: str, at: datetime | str, **more: Any) -> None:
    """Ask by the action instead of the entity."""
    if isinstance(at, datetime):
        at = f"{at:%Y-%m-%d %H:%M:%S}"
    key = f"{body}_heating"
    call = home.act("poolctl.warm_by", key, domain=Platform.CLIMATE, at=at, **more)
    await home.finish(call)


def learned(home: Home) -> Learned:
    """Return what it has learned."""
    (coordinator, *_) = home.entry.runtime_data.controllers.values()
    found: Learned = coordinator.learned
    return found


def knows(home: Home, by_sun: float, by_heater: float) -> None:
    """Let it have learned how fast sun and heater warm the pool, in °C an hour."""
    learned(home).warming[POOL].rates = (
        LearnedRate((HeatSource.SOLAR,), by_sun),
        LearnedRate((HeatSource.POOL_HEATER,), by_heater),
    )


async def test_begun_in_time_and_given_back(spa: Home) -> None:
    """From 30 to 36 °C at the assumed 3 °C an hour, with time to spare: at 15:44."""
    await ask(spa, at(18))
    assert warm_by(spa) == at(18)
    assert explanation(spa) == "Heating begins at about 15:45."
    await until(spa, at(15, 42))
    assert as_before(spa)
    await until(spa, at(15, 46))
    assert heated(spa)
    await spa.live(34 * 60, step=STEP)
    assert explanation(spa).startswith("It heats, and will have 36 °C at about 16:")
    await until(spa, at(18))
    assert spa.pool.water.temperature == pytest.approx(36, abs=0.5)
    assert explanation(spa) == "The water is warm, and stays so until 21:00."
    await until(spa, at(20, 58))
    assert heated(spa)
    await until(spa, at(21, 3))
    assert as_before(spa)
    assert warm_by(spa) is None


async def soon(home: Home, minutes: int = 30) -> datetime:
    """Ask for a warm spa so soon that heating begins at once; return the time."""
    by = dt_util.now().replace(microsecond=0) + timedelta(minutes=minutes)
    await ask(home, by)
    await home.live(3 * STEP, step=STEP)
    assert heated(home)
    return by


async def test_over_a_restart(spa: Home) -> None:
    """One odd read ends nothing, either."""
    spa.pool.water.temperature = 35.0
    by = await soon(spa)
    for heating in (0, SPA_HEATER):
        spa.pool.settings["heating"] = heating
        await spa.live(STEP, step=STEP)
    await spa.live(3 * STEP, step=STEP)
    assert (heated(spa), warm_by(spa)) == (True, by)
    await spa.restart()
    await spa.live(2 * STEP, step=STEP)
    assert (heated(spa), warm_by(spa)) == (True, by)
    sent = len(spa.actions)
    await until(spa, by + timedelta(hours=2, minutes=55))
    assert heated(spa)
    assert len(spa.actions) == sent
    await until(spa, by + timedelta(hours=3, minutes=3))
    assert as_before(spa)


async def spa_off(home: Home) -> None:
    await home.finish(home.act("switch.turn_off", "spa_mode"))


async def heating_off(home: Home) -> None:
    await home.finish(home.act("climate.set_hvac_mode", "spa_heating", hvac_mode="off"))


async def by_the_app(home: Home) -> None:
    for slot in home.pool.slots:
        if slot.role is Role.SPA:
            slot.hand, slot.held = None, False


async def by_a_past_time(home: Home) -> None:
    await ask(home, dt_util.now() - timedelta(minutes=1))


async def by_the_action(home: Home) -> None:
    await home.finish(
        home.act("poolctl.warm_by", "spa_heating", domain=Platform.CLIMATE)
    )


@pytest.mark.parametrize(
    "end", [spa_off, heating_off, by_the_app, by_a_past_time, by_the_action]
)
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
    await until(spa, by + timedelta(hours=3, minutes=4))
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


async def test_too_late_and_another_time(spa: Home) -> None:
    """From 30 °C in half an hour at 6 °C an hour: 33 °C, and *Status* says so."""
    by = await soon(spa)
    await spa.live(12 * STEP, step=STEP)
    sentence = problems(spa)["spa_warm_late"]["sentence"]
    assert sentence in (
        f"The spa will not be warm at {by:%H:%M}: about {degrees} °C instead of 36 °C."
        for degrees in (32, 33)
    )
    assert explanation(spa).startswith("It will have about 3")
    # A slightly later time goes on heating; one tomorrow gives everything back.
    await ask(spa, by + timedelta(minutes=20))
    await spa.live(2 * STEP, step=STEP)
    assert heated(spa)
    await until(spa, by + timedelta(minutes=50))
    assert "spa_warm_late" not in problems(spa)
    await until(spa, by + timedelta(hours=3, minutes=15))
    assert heated(spa)
    await ask(spa, by + timedelta(days=1))
    await spa.live(2 * STEP, step=STEP)
    assert as_before(spa)
    assert warm_by(spa) == by + timedelta(days=1)


async def test_the_action(spa: Home) -> None:
    """It takes no time that has passed or is too far away, and how long it is warm."""
    for when, key in (
        (dt_util.now() - timedelta(minutes=1), "warm_by_passed"),
        ("2026-05-08 12:30:00", "warm_by_too_far"),
        ("9999-12-31 12:00:00", "warm_by_too_far"),
    ):
        with failure(key, ServiceValidationError):
            await call_action(spa, "spa", when)
        assert warm_by(spa) is None
    spa.pool.water.temperature = 36.0
    by = dt_util.now() + timedelta(minutes=15)
    await call_action(spa, "spa", by, duration={"minutes": 30})
    await until(spa, by + timedelta(minutes=28))
    assert heated(spa)
    await until(spa, by + timedelta(minutes=33))
    assert as_before(spa)


async def test_a_date_and_then_a_time(spa: Home) -> None:
    """A form enters the date first: nothing begins or ends before the time follows."""
    await ask(spa, at(0))
    assert warm_by(spa) == at(0)
    assert explanation(spa) == "This time has passed. Choose a later one."
    await ask(spa, at(18))
    assert warm_by(spa) == at(18)
    await ask(spa, at(12, 20))
    await spa.live(30)
    await ask(spa, at(19))
    await spa.live(3 * STEP, step=STEP)
    assert as_before(spa)
    assert not spa.pool.spa_mode
    await ask(spa, at(12))
    await spa.live(8 * STEP, step=STEP)
    assert warm_by(spa) == at(12)
    await spa.live(4 * STEP, step=STEP)
    assert warm_by(spa) is None
    assert explanation(spa) == ""
    # The year one ends it: nobody is about to correct it, and UTC has no such time.
    await ask(spa, at(18))
    one = "0001-01-01T00:00:00+14:00"
    await spa.finish(spa.act("datetime.set_value", "spa_warm_by", datetime=one))
    assert warm_by(spa) is None


async def test_a_clock_that_jumped_begins_nothing(
    clocks: SimpleNamespace, spa: Home
) -> None:
    """With a clock that is a day ahead, tomorrow's time seems to have come."""
    await ask(spa, dt_util.now() + timedelta(days=1))
    await spa.live(STEP, step=STEP)
    clocks.wrong = 23.9 * 3600
    await spa.live(20 * STEP, step=STEP)
    assert as_before(spa)
    clocks.wrong = 0.0
    await spa.live(2 * STEP, step=STEP)
    assert as_before(spa)
    assert warm_by(spa) is not None


@pytest.mark.parametrize("wrong", [45, -45, 600])
async def test_a_clock_that_is_wrong_since_the_start(
    clocks: SimpleNamespace, spa: Home, wrong: float
) -> None:
    """The wall clock is never trusted then, but the time is known."""
    await spa.shut_down()
    clocks.wrong = wrong
    await spa.boot()
    await spa.live(STEP, step=STEP)
    by = await soon(spa, 20)
    await until(spa, by + timedelta(hours=3, minutes=17))
    assert as_before(spa)
    assert warm_by(spa) is None


async def test_a_start_after_a_long_stop_begins_nothing(
    clocks: SimpleNamespace, spa: Home
) -> None:
    """Without the service, the time is not known: the request may be over."""
    await ask(spa, at(18))
    await spa.live(STEP, step=STEP)
    spa.cloud.faults.on("refuse")
    await down(spa, timedelta(hours=40))
    sent = len(spa.actions)
    await spa.live(12 * STEP, step=STEP)
    assert len(spa.actions) == sent
    assert warm_by(spa) is None


async def choose_connection(home: Home, connection: str) -> None:
    entries, options = home.hass.config_entries, {"connection": connection}
    entries.async_update_entry(home.entry, options={**home.entry.options, **options})
    await home.finish(entries.async_reload(home.entry.entry_id))


@pytest.mark.parametrize("answers", [True, False])
async def test_deleted_meanwhile(spa: Home, answers: bool) -> None:
    """Without an answer, a notification names what stays, the heat source too."""
    await soon(spa)
    if not answers:
        spa.controller.faults.on("refuse")
    await spa.finish(spa.hass.config_entries.async_remove(spa.entry.entry_id))
    assert as_before(spa) is answers
    notifications = spa.hass.data.get("persistent_notification", {}).values()
    texts = " ".join(each["message"] for each in notifications)
    assert ("Heater allowed" in texts) is not answers


async def test_the_lan_is_given_up_meanwhile(spa: Home) -> None:
    """Everything is given back first: the cloud could not switch the heating off."""
    await soon(spa)
    await choose_connection(spa, "cloud")
    assert as_before(spa)


async def test_the_lan_is_given_up_without_an_answer(spa: Home) -> None:
    """What the cloud cannot switch off is in *Status*, until it is off."""
    await soon(spa)
    spa.controller.faults.on("refuse")
    for connection in ("cloud", "auto"):
        await choose_connection(spa, connection)
        await spa.live(3 * STEP, step=STEP)
        assert left_on(spa) is (connection == "cloud")
        spa.controller.faults.clear()
    await spa.live(20 * STEP, step=STEP)
    assert as_before(spa)


async def test_the_sun_first(spa: Home) -> None:
    """Solar heating needs 15 hours, but begins at sunrise: 12:57 UTC in this home.

    The heater follows only because that is not enough.
    """
    pool = spa.pool
    await spa.enable_all()
    pool.settings["pool_target"], pool.water.temperature = 30, 26.5
    knows(spa, by_sun=0.1, by_heater=1.5)
    await ask(spa, at(18), "pool")
    for moment, sources in (
        (at(12, 45), 0),
        (at(13, 10), SOLAR),
        (at(17, 50), SOLAR | POOL_HEATER),
    ):
        await until(spa, moment)
        assert selected(spa) == sources
        assert held(spa)[0] is bool(sources)
    await until(spa, at(21, 4))
    assert as_before(spa)


def sunny(home: Home, midday: int) -> None:
    """Let the sun heat in the four hours before and after an hour, most at midday."""
    water = home.pool.water

    def shines(seconds: float) -> None:
        away = abs(dt_util.utcnow() - at(midday)) / timedelta(hours=1) % 24
        water.sunshine = max(0.0, 1.5 - min(away, 24 - away) * 0.375)

    home.pool.watchers.append(shines)


async def test_the_sun_does_what_it_did_yesterday(spa: Home) -> None:
    """It was enough, and has no power in the evening: no heater, from the morning."""
    pool, used, by = spa.pool, set(), at(23)
    await spa.enable_all()
    sunny(spa, midday=17)
    knows(spa, by_sun=0.4, by_heater=1.5)
    warming = learned(spa).warming[POOL]
    warming.sun = tuple(SunHour(hour, 0.5) for hour in range(14, 20))
    pool.settings["pool_target"], pool.water.temperature = 28, 26.0
    await spa.finish(spa.act("switch.turn_on", "pump"))
    await spa.live(600, step=60)
    await spa.finish(spa.act("switch.turn_off", "pump"))
    await ask(spa, by, "pool")
    while dt_util.now() < by:
        await spa.live(HASTE, step=HASTE)
        used.add(selected(spa))
    assert used == {0, SOLAR}
    assert pool.water.temperature == pytest.approx(28, abs=0.5)


@pytest.mark.freeze_time("2026-05-01 21:00:00+00:00")
@pytest.mark.parametrize("by_sun", [True, False])
async def test_water_that_was_never_read(spa: Home, by_sun: bool) -> None:
    """It circulates until it is read, and no heater heats it all night."""
    pool = spa.pool
    if not by_sun:
        pool.slots[5].aux_type = 0
    await spa.enable_all()
    (coordinator, *_) = spa.entry.runtime_data.controllers.values()
    coordinator.learned.cooling[POOL].rest = None
    live = coordinator.controller.live
    live.reported = replace(live.reported, valid_chemistry=Chemistry())
    pool.settings["pool_target"], pool.water.temperature = 30, 29.0
    knows(spa, by_sun=0.5, by_heater=1.5)
    by = at(18) + timedelta(days=1)
    await ask(spa, by, "pool")
    shown = set()
    for _ in range(12):
        await spa.live(15, step=15)
        shown.add((explanation(spa, "pool"), *held(spa)))
        assert selected(spa) == 0
    assert ("The water circulates, to measure its temperature.", True, False) in shown
    await spa.live(10 * STEP, step=STEP)
    assert selected(spa) == 0 and not held(spa)[0]
    assert explanation(spa, "pool").startswith("Heating begins at about")
    await until(spa, at(12, 45))
    assert selected(spa) == 0 and not held(spa)[0]
    await until(spa, by)
    assert pool.water.temperature == pytest.approx(30, abs=0.5)


async def test_late_at_once(spa: Home) -> None:
    """*Status* and *Warm by* say the same, from the request on, and after a restart."""

    def both() -> tuple[str, str]:
        found = problems(spa).get("spa_warm_late", {}).get("sentence", "")
        return found, explanation(spa)

    by = at(12, 45)
    await ask(spa, by)
    for number in range(20):
        sentence, shown = both()
        degrees = sentence.partition("about ")[2].split()[0]
        assert shown.startswith(f"It will have about {degrees} °C at"), number
        await spa.live(15 if number < 8 else STEP, step=15)
    await spa.restart()
    await spa.live(STEP, step=15)
    assert all(both())
    # In time again: both end together.
    spa.pool.water.temperature = 35.0
    await spa.live(2 * STEP, step=15)
    sentence, shown = both()
    assert not sentence and shown.startswith("It heats")


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
    await ask(spa, dt_util.now() - timedelta(minutes=1), "pool")
    await spa.live(2 * STEP, step=STEP)
    assert as_before(spa)
    await spa.finish(spa.act("climate.set_hvac_mode", "pool_heating", hvac_mode="heat"))
    assert selected(spa) == mine


@pytest.mark.parametrize("odd", [0.0, 12.0])
async def test_one_odd_temperature_begins_nothing(spa: Home, odd: float) -> None:
    """Neither heating hours early, nor the heater although the sun is enough."""
    pool = spa.pool
    await spa.enable_all()
    await spa.finish(spa.act("switch.turn_on", "pump"))
    pool.settings["pool_target"], pool.water.temperature = 30, 29.0
    await spa.live(600, step=60)
    await ask(spa, at(23), "pool")
    await spa.live(120, step=60)
    for then, sources in ((at(12, 20), 0), (at(13, 5), SOLAR)):
        await until(spa, then)
        assert selected(spa) == sources
        pool.water.temperature = odd
        await spa.live(60, step=60)
        pool.water.temperature = 29.0
        await spa.live(180, step=60)
        assert selected(spa) == sources


@pytest.mark.timeout(180 * EVENINGS)
async def test_ten_evenings_of_different_weather(spa: Home) -> None:
    """The spa is warm in time to 0.5 °C, from the third evening at most 20 min early.

    `POOLCTL_EVENINGS` is the number of evenings: one by default.
    """
    chance, pool = Random(5), spa.pool
    for evening in range(EVENINGS):
        pool.water.ambient = chance.uniform(8, 28)
        by = at(18)
        await ask(spa, by)
        while not heated(spa):
            await spa.live(5 * STEP, step=5 * STEP)
            assert dt_util.now() < by
        await spa.live(10 * STEP, step=STEP)
        assert explanation(spa).startswith("It heats, and will have 36 °C at about")
        warm_at = None
        while dt_util.now() < by:
            await spa.live(STEP, step=STEP)
            if warm_at is None and pool.water.temperature >= 35.5:
                warm_at = dt_util.now()
        assert warm_at is not None
        assert abs(pool.water.temperature - 36) <= 0.5
        if evening > 1:
            assert by - warm_at <= timedelta(minutes=20)
        await until(spa, by + timedelta(hours=3, minutes=4))
        assert as_before(spa)
        while dt_util.now().date() == by.date() or dt_util.now().hour < 9:
            await spa.live(600, step=600)


async def test_the_noise_of_a_probe_is_no_news(spa: Home) -> None:
    """A tenth of a degree, two minutes of heating, does not change the sentence."""
    for key in ("spa_mode", "pump"):
        await spa.finish(spa.act("switch.turn_on", key))
    await spa.live(10 * STEP, step=STEP)
    await ask(spa, at(23))
    states = spa.follow("datetime", "spa_warm_by")
    for number in range(20):
        spa.pool.water.temperature = 29.92 + 0.1 * (number % 2)
        await spa.live(15)
    assert len(states) <= 1


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
    await until(spa, by + timedelta(hours=3, minutes=4))
    assert released and not any(released)
    assert selected(spa) == 0
    monkeypatch.setattr(outputs, "resume_schedule", resume)
    await spa.live(900, step=STEP)
    assert as_before(spa)


async def test_a_person_holds_the_pump_for_longer(spa: Home) -> None:
    """The spa is warm at its time, and what the person wants stays."""
    by = await soon(spa, minutes=60)
    await hold_pump(spa, "06:00:00")
    await until(spa, by + timedelta(hours=2))
    assert warm_by(spa) is not None and heated(spa)
    await until(spa, by + timedelta(hours=3, minutes=4))
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
    await until(spa, by + timedelta(hours=3, minutes=4))
    assert selected(spa) == SPA_HEATER
    assert not held(spa)[0]


async def test_the_pool_ends_while_the_spa_heats(spa: Home) -> None:
    """The pump goes on without a stop under the heater of the other body."""
    now = dt_util.now().replace(microsecond=0)
    spa.pool.settings["pool_target"] = 31
    by = now + timedelta(minutes=30)
    await call_action(spa, "pool", by, duration="00:30:00")
    await spa.live(3 * STEP, step=STEP)
    await ask(spa, now + timedelta(minutes=50))
    await until(spa, now + timedelta(minutes=58))
    assert heated(spa)
    for _ in range(20):
        await spa.live(15, step=15)
        assert held(spa)[0]
    assert heated(spa)


def left_on(home: Home) -> bool:
    """Return whether *Status* names heating that is left on, with its action."""
    return bool(problems(home).get("heat_overdue", {}).get("next_step"))


async def down(home: Home, lasts: timedelta) -> None:
    """Let Home Assistant be off for a time."""
    await home.shut_down()
    home.clock.advance(lasts.total_seconds())
    home.freezer.tick(lasts)
    await home.boot()


async def test_a_start_after_its_end(spa: Home) -> None:
    """All is undone once, the heat first."""
    await soon(spa)
    sent = len(spa.actions)
    await down(spa, timedelta(hours=5))
    await spa.live(20 * STEP, step=STEP)
    assert as_before(spa)
    assert spa.actions[sent:] == ["cmd", "aux", "aux"]


async def test_a_request_of_an_old_backup(spa: Home) -> None:
    """Its end is more than 30 days ago: nothing is sent, and *Status* names it."""
    await soon(spa)
    sent = len(spa.actions)
    await down(spa, timedelta(days=40))
    await spa.live(20 * STEP, step=STEP)
    assert len(spa.actions) == sent and left_on(spa)
    await heating_off(spa)
    await spa.live(3 * STEP, step=STEP)
    assert not left_on(spa)


@pytest.mark.parametrize("hold", ["before", "during"])
async def test_a_hold_of_a_person_ends_meanwhile(spa: Home, hold: str) -> None:
    """The pump that *Warm by* needs runs on without a stop."""
    if hold == "before":
        await hold_pump(spa, "00:20:00")
    by = await soon(spa)
    if hold == "during":
        await hold_pump(spa, "00:20:00")
    for _ in range(100):
        await spa.live(15, step=15)
        assert held(spa)[0]
    assert warm_by(spa) == by and heated(spa)
    await until(spa, by + timedelta(hours=3, minutes=4))
    assert as_before(spa)


async def test_a_person_stops_the_pump_that_was_held_for_longer(spa: Home) -> None:
    await soon(spa)
    await hold_pump(spa, "06:00:00")
    await spa.live(3 * STEP, step=STEP)
    await spa.finish(spa.act("switch.turn_off", "pump"))
    await spa.live(3 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) is None


# What is wanted is compared with the claims


async def test_a_first_command_without_an_answer(spa: Home) -> None:
    """The pump's command did not run: nobody ended anything, and it is tried again."""
    spa.cloud.faults.on("refuse")
    await ask(spa, dt_util.now() + timedelta(minutes=45))
    spa.controller.faults.on("refuse")
    await spa.live(90, step=15)
    spa.controller.faults.on("hang", "a")
    await spa.live(40, step=10)
    spa.controller.faults.clear()
    await spa.live(6 * STEP, step=STEP)
    assert heated(spa) and warm_by(spa) is not None


@pytest.mark.parametrize(
    "fault", ["hang", "close_mid_body", "decline", "ignore_writes"]
)
@pytest.mark.parametrize("action", ["aux", "cmd"])
async def test_any_command_fails_for_a_while(
    spa: Home, fault: str, action: str
) -> None:
    """It ran or did not, or was declined: it is tried again, and all is given back."""
    by = dt_util.now().replace(microsecond=0) + timedelta(minutes=40)
    await ask(spa, by)
    spa.controller.faults.on(fault, action)
    await spa.live(4 * STEP, step=15)
    spa.controller.faults.clear()
    await spa.live(8 * STEP, step=STEP)
    assert heated(spa) and warm_by(spa) == by
    await until(spa, by + timedelta(hours=3, minutes=4))
    assert as_before(spa) and warm_by(spa) is None


@pytest.mark.parametrize("fault", ["hang", "close_mid_body", "ignore_writes"])
async def test_a_heater_whose_command_is_lost_once(spa: Home, fault: str) -> None:
    """The sun has heated for hours; the heater is tried again."""
    pool = spa.pool
    await spa.enable_all()
    pool.settings["pool_target"], pool.water.temperature = 30, 25.0
    knows(spa, by_sun=0.1, by_heater=1.5)
    await ask(spa, at(18), "pool")
    await until(spa, at(13, 30))
    assert selected(spa) == SOLAR
    spa.controller.faults.once(fault, 2, "cmd")
    await until(spa, at(17))
    assert selected(spa) == SOLAR | POOL_HEATER
    assert warm_by(spa, "pool") == at(18)


async def pump_held_off(home: Home) -> None:
    await hold_pump(home, "01:00:00", state=False)


@pytest.mark.usefixtures("all_enabled")
@pytest.mark.parametrize("end", [spa_off, heating_off, pump_held_off])
async def test_a_person_here_ends_it_at_once(spa: Home, end: Any) -> None:
    """What it claimed is undone within seconds, without another check."""
    await soon(spa)
    await end(spa)
    assert warm_by(spa) is None
    await spa.live(3, step=1)
    assert not selected(spa) and not spa.pool.spa_mode
    assert held(spa)[0] is (end is pump_held_off)
    assert spa.pool.slots[PUMP].hand in (None, False)


async def sun_off(home: Home) -> None:
    await home.finish(home.act("switch.turn_off", "solar_heating_allowed"))


async def sun_off_in_the_app(home: Home) -> None:
    home.pool.settings["heating"] = POOL_HEATER


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
    await ask(spa, by, "pool")
    await spa.live(3 * STEP, step=STEP)
    assert selected(spa) == SOLAR | POOL_HEATER
    await end(spa)
    for _ in range(2):
        await spa.live(3 * STEP, step=STEP)
        assert (selected(spa), held(spa)[0]) == (left, bool(left))
        assert warm_by(spa, "pool") == (by if left else None)
        await spa.restart()
    await until(spa, by + timedelta(hours=3, minutes=4))
    assert as_before(spa) and warm_by(spa, "pool") is None


async def test_heat_that_was_on_before_is_switched_off(spa: Home) -> None:
    """A person's heat is claimed, too: the request ends, and does not heat again."""
    spa.pool.settings["heating"] = SPA_HEATER
    await spa.live(60, step=15)
    await soon(spa)
    await heating_off(spa)
    await spa.live(6 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) is None


@pytest.mark.parametrize("restarted", [False, True])
async def test_an_odd_read_ends_nothing(spa: Home, restarted: bool) -> None:
    """One read without spa mode, the pump or the heater, after a restart, too."""
    by = await soon(spa)
    if restarted:
        await spa.restart()
        await spa.live(STEP, step=15)
    sent = len(spa.actions)
    slots = spa.pool.slots[PUMP], spa.pool.slots[SPA_RETURN]
    for odd in ({"heating": 0}, None):
        was = [(slot.hand, slot.held) for slot in slots]
        if odd:
            spa.pool.settings |= odd
        else:
            for slot in slots:
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


async def test_restarts_in_every_phase(spa: Home) -> None:
    """Before it begins, while it heats, while it is warm, and at its end."""
    by = at(13, 30)
    spa.pool.water.temperature = spa.pool.water.ambient = 34.0
    await spa.live(30)
    await ask(spa, by)
    for moment, is_heated in (
        (at(12, 20), False),
        (at(13), True),
        (at(13, 40), True),
        (at(16), True),
        (at(16, 25), True),
    ):
        await until(spa, moment)
        assert heated(spa) is is_heated
        await spa.restart()
        await spa.live(2 * STEP, step=STEP)
        assert heated(spa) is is_heated
        assert warm_by(spa) == by
    await until(spa, at(16, 29))
    await spa.restart()
    await until(spa, at(16, 34))
    assert as_before(spa) and warm_by(spa) is None


# In the cheapest hours


def cheap(*hours: int, until: int = 24) -> list[dict[str, Any]]:
    """Return prices of today that are low in some hours."""
    return [
        {
            "start": at(hour).isoformat(),
            "end": (at(hour) + timedelta(hours=1)).isoformat(),
            "price": 0.05 if hour in hours else 0.3,
        }
        for hour in range(until)
    ]


def heats_fast(home: Home) -> None:
    """Let it have learned how fast its heater warms the spa, in °C an hour."""
    (coordinator, *_) = home.entry.runtime_data.controllers.values()
    rates = (LearnedRate((HeatSource.SPA_HEATER,), 5.9),)
    coordinator.learned.warming[SPA].rates = rates


@pytest.mark.parametrize("restarts", [False, True])
async def test_in_the_cheapest_hours(spa: Home, *, restarts: bool) -> None:
    """Each block is a claim of its own; nothing heats in between."""
    heats_fast(spa)
    spa.hass.states.async_set("sensor.prices", "0.3", {"raw_today": cheap(13, 14)})
    await call_action(spa, "spa", at(18), price_entities="sensor.prices")
    await spa.live(2 * STEP, step=STEP)
    assert explanation(spa).startswith("The water will have 36 °C at 18:00")
    assert "Heating: 13:" in explanation(spa)
    why = spa.state("climate", "spa_heating").attributes["explanation"]
    assert why.startswith("It waits for cheaper hours, from 13:")
    await until(spa, at(12, 55))
    assert as_before(spa)
    await until(spa, at(13, 55))
    assert heated(spa)
    why = spa.state("climate", "spa_heating").attributes["explanation"]
    assert "These hours cost least, until 1" in why
    if restarts:
        await spa.restart()
        await spa.live(2 * STEP, step=STEP)
        assert heated(spa)
    await until(spa, at(15, 30))
    assert as_before(spa)
    if restarts:
        await spa.restart()
        await spa.live(2 * STEP, step=STEP)
        assert as_before(spa) and warm_by(spa) == at(18)
    await until(spa, at(18))
    assert spa.pool.water.temperature == pytest.approx(36, abs=0.5)
    await until(spa, at(21, 3))
    assert as_before(spa) and warm_by(spa) is None


async def test_new_prices_move_the_blocks(spa: Home) -> None:
    """The entities are read again; without an answer, the newest prices stay."""
    heats_fast(spa)
    states = spa.hass.states
    states.async_set("sensor.prices", "0.3", {"raw_today": cheap(13, 14)})
    await call_action(spa, "spa", at(18), price_entities="sensor.prices")
    states.async_set("sensor.prices", "0.3", {"raw_today": cheap(15, 16)})
    await until(spa, at(14, 50))
    assert as_before(spa)
    states.async_set("sensor.prices", "unavailable")
    found = await async_get_config_entry_diagnostics(spa.hass, spa.entry)
    assert "0.05" in str(found) and "sensor.prices" not in str(found)
    await until(spa, at(16, 20))
    assert heated(spa)
    await until(spa, at(18))
    assert spa.pool.water.temperature == pytest.approx(36, abs=0.5)


async def test_a_person_ends_a_block(spa: Home) -> None:
    """The request ends, as without prices: no other block begins."""
    heats_fast(spa)
    await call_action(spa, "spa", at(18), prices=cheap(13, 16))
    await until(spa, at(13, 50))
    assert heated(spa)
    await spa_off(spa)
    await spa.live(3 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) is None
    await until(spa, at(17))
    assert as_before(spa)


async def test_prices_without_a_learned_rate(spa: Home) -> None:
    """Heating begins as late as possible, and a sentence says why."""
    await call_action(spa, "spa", at(18), prices=cheap(13, 14))
    await spa.live(2 * STEP, step=STEP)
    assert explanation(spa) == (
        "Heating begins at about 15:45. Prices count once the temperature of the water"
        " and how fast it warms up are known."
    )


async def test_two_readings_of_its_prices(spa: Home) -> None:
    homes = {"Home": cheap(13), "Cabin": cheap(14)}
    with failure("prices_ambiguous", ServiceValidationError):
        await call_action(spa, "spa", at(18), prices=homes)
    assert warm_by(spa) is None


async def test_a_block_ends_while_the_network_is_away(spa: Home) -> None:
    """It is undone at the first contact, and the request goes on."""
    heats_fast(spa)
    await call_action(spa, "spa", at(18), prices=cheap(13, 14))
    await until(spa, at(13, 50))
    assert heated(spa)
    spa.controller.faults.on("refuse")
    spa.cloud.faults.on("refuse")
    await spa.live(2 * 3600, step=HASTE)
    spa.controller.faults.clear()
    spa.cloud.faults.clear()
    await spa.live(6 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) == at(18)
