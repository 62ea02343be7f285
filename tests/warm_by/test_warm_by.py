"""Water warm by a time: heating begins as late as possible, and is given back."""

from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
import re
from types import SimpleNamespace
from typing import Any

from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.poolctl.client.pool.heating import SPA
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.learned.warming import LearnedRate
from tests.account.test_dialects_lan_clocks import clocks
from tests.status.test_problems import problems
from tests.world.assistant.home import Home, failure
from tests.world.simulator.pool import POOL_HEATER, SOLAR

from .asked import (
    STEP,
    as_before,
    ask,
    at,
    cancel,
    explanation,
    heated,
    heating_off,
    held,
    knows,
    learned,
    over,
    requested,
    selected,
    soon,
    until,
    warm_by,
)

__all__ = ["clocks"]

DOCS = Path(__file__).parents[2] / "docs" / "heating.md"
(EXAMPLE,) = re.findall(
    r'```yaml\n(alias: "Spa: nearly warm"\n.*?)```', DOCS.read_text(), re.DOTALL
)


pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "hurried"),
    pytest.mark.freeze_time("2026-05-01 12:00:00+00:00"),
]


async def test_begun_in_time_and_given_back(spa: Home) -> None:
    """From 30 to 36 °C at the assumed 3 °C an hour, with time to spare: at 15:36.

    Water that rests gets some more of it.
    """
    await ask(spa, at(18))
    assert warm_by(spa) == at(18)
    assert explanation(spa) == "Heating begins at about 15:35."
    await until(spa, at(15, 35))
    assert as_before(spa)
    await until(spa, at(15, 39))
    assert heated(spa)
    await spa.live(34 * 60, step=STEP)
    assert explanation(spa).startswith("It heats, and will have 36 °C at about 16:")
    shown = requested(spa)
    assert shown["warm_by_planned"] == []
    (block,) = shown["warm_by_done"]
    assert at(15, 35) <= block["start"] <= at(15, 39) and block["end"] == at(18)
    await until(spa, at(18))
    assert spa.pool.water.temperature == pytest.approx(36, abs=0.5)
    assert explanation(spa) == "The water is warm, and stays so until 21:00."
    await until(spa, at(20, 58))
    assert heated(spa)
    await until(spa, at(21, 3))
    assert as_before(spa)
    assert warm_by(spa) is None


async def test_a_heater_that_needs_longer_than_usual(spa: Home) -> None:
    """Once its rate is learned, it begins as early as it must, also after a restart."""
    rates = (LearnedRate((HeatSource.SPA_HEATER,), 0.3),)
    learned(spa).warming[SPA].rates = rates
    await ask(spa, at(18) + timedelta(days=1))  # 6 °C take 20 hours
    assert explanation(spa) == "Heating begins at about 20:25."
    await until(spa, at(20, 20))
    assert as_before(spa)
    learned(spa).warming[SPA].rates = rates
    await until(spa, at(20, 35))
    assert heated(spa)
    await spa.restart()
    await spa.live(2 * STEP, step=STEP)
    assert heated(spa)


@pytest.mark.usefixtures("sensors")
async def test_too_late_and_another_time(spa: Home) -> None:
    """From 30 °C in half an hour at 6 °C an hour: 33 °C, and *Status* says so."""
    by = await soon(spa, warm=60)
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
    await until(spa, by + timedelta(minutes=75))
    assert heated(spa)
    await ask(spa, by + timedelta(days=1))
    await spa.live(2 * STEP, step=STEP)
    assert as_before(spa)
    assert warm_by(spa) == by + timedelta(days=1)


@pytest.mark.usefixtures("sensors")
@pytest.mark.parametrize("fault", ["refuse", "decline"])
async def test_another_day_while_nothing_can_be_undone(spa: Home, fault: str) -> None:
    """The new request counts, and *Status* names the heating that is left on."""
    by = await soon(spa) + timedelta(days=1)
    spa.controller.faults.on(fault)
    await spa.live(3 * STEP, step=STEP)
    await ask(spa, by)
    assert warm_by(spa) == by
    await spa.live(75 * STEP, step=STEP)
    assert left_on(spa) and selected(spa)
    spa.controller.faults.clear()
    await spa.live(15 * STEP, step=STEP)
    assert as_before(spa) and warm_by(spa) == by


@pytest.mark.parametrize("minutes", [30, 360])
async def test_a_start_through_the_cloud_alone(spa: Home, minutes: int) -> None:
    """What the thermostat heats to is not known, but its request, which can be ended."""
    by = dt_util.now().replace(microsecond=0) + timedelta(minutes=minutes)
    await ask(spa, by)
    await spa.live(3 * STEP, step=STEP)
    spa.controller.faults.on("refuse")
    await spa.restart()
    assert warm_by(spa) == by
    begun = heated(spa)
    for _ in range(2):
        with (
            failure("undone_later", ServiceValidationError) if begun else nullcontext()
        ):
            await cancel(spa)
        assert requested(spa) == {}
    spa.controller.faults.clear()
    await spa.live(10 * STEP, step=STEP)
    assert as_before(spa)


async def test_the_action(spa: Home) -> None:
    """It takes no time that has passed or is too far away, and how long it is warm."""
    for when, key in (
        (dt_util.now() - timedelta(minutes=1), "warm_by_passed"),
        ("2026-05-08 12:30:00", "warm_by_too_far"),
        ("9999-12-31 12:00:00", "warm_by_too_far"),
    ):
        with failure(key, ServiceValidationError):
            await ask(spa, when)
        assert warm_by(spa) is None
    spa.pool.water.temperature = 36.0
    by = dt_util.now() + timedelta(minutes=15)
    await ask(spa, by, duration={"minutes": 30})
    by += timedelta(minutes=5)
    await ask(spa, by)  # for as long as before
    await until(spa, by + timedelta(minutes=28))
    assert heated(spa)
    await until(spa, by + timedelta(minutes=33))
    assert as_before(spa)


async def test_an_automation_reads_the_time(spa: Home) -> None:
    """docs/heating.md has how: once a quarter of an hour before the time, while there is one."""
    nearly = async_mock_service(spa.hass, "persistent_notification", "create")
    spa_id = spa.entity_id("climate", "spa_heating")
    er.async_get(spa.hass).async_update_entity(
        spa_id, new_entity_id="climate.home_pool_spa_heating"
    )
    assert await async_setup_component(
        spa.hass, "automation", {"automation": [parse_yaml(EXAMPLE)]}
    )
    assert requested(spa) == {}
    await ask(spa, at(18))
    await until(spa, at(17, 40))
    await spa.restart()
    assert (warm_by(spa), nearly) == (at(18), [])
    await until(spa, at(17, 46))
    (call,) = nearly
    assert call.data["message"] == "The spa is warm at 18:00."
    # Its time is shown, and it can be cancelled, while only the cloud answers; the LAN
    # has to be back before all is undone.
    spa.controller.faults.on("refuse")
    await spa.live(3 * STEP, step=STEP)
    assert warm_by(spa) == at(18)
    with failure("undone_later", ServiceValidationError):
        await cancel(spa)
    assert requested(spa) == {}
    spa.controller.faults.clear()
    await until(spa, at(18))
    assert as_before(spa) and len(nearly) == 1


async def test_of_an_area(spa: Home) -> None:
    """An area asks for each of its thermostats, and cancels each request."""
    area = ar.async_get(spa.hass).async_create("Garden")
    dr.async_get(spa.hass).async_update_device(spa.device().id, area_id=area.id)
    for action, more, bodies in (
        ("warm_by", {"at": at(18)}, ["pool", "spa"]),
        ("cancel_warm_by", {}, []),
    ):
        act, data = spa.hass.services.async_call, {"area_id": area.id} | more
        await spa.finish(act("poolctl", action, data, blocking=True))
        assert [body for body in ("pool", "spa") if warm_by(spa, body)] == bodies


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
    await until(spa, by + timedelta(minutes=47))
    assert as_before(spa)
    assert warm_by(spa) is None


async def test_a_start_after_a_long_stop_begins_nothing(
    clocks: SimpleNamespace, spa: Home
) -> None:
    """Without the service, the time is not known: the request may be over."""
    await ask(spa, at(18))
    await until(spa, at(15, 40))
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


@pytest.mark.usefixtures("sensors")
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


async def test_the_pool_ends_while_the_spa_heats(spa: Home) -> None:
    """The pump goes on without a stop under the heater of the other body."""
    now = dt_util.now().replace(microsecond=0)
    spa.pool.settings["pool_target"] = 31
    by = now + timedelta(minutes=30)
    await ask(spa, by, "pool", duration="00:30:00")
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
    pool = home.pool
    home.clock.advance(lasts.total_seconds())
    pool.update(step=3600)  # its water does not matter
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


@pytest.mark.usefixtures("sensors")
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
    ("fault", "action"),
    [
        ("hang", "cmd"),
        ("close_mid_body", "aux"),
        ("decline", "aux"),
        ("ignore_writes", "cmd"),
    ],
)
async def test_any_command_fails_for_a_while(
    spa: Home, fault: str, action: str
) -> None:
    """It ran or did not, or was declined: it is tried again, and all is given back."""
    by = dt_util.now().replace(microsecond=0) + timedelta(minutes=40)
    await ask(spa, by, duration={"minutes": 30})
    spa.controller.faults.on(fault, action)
    await spa.live(4 * STEP, step=15)
    spa.controller.faults.clear()
    await spa.live(8 * STEP, step=STEP)
    assert heated(spa) and warm_by(spa) == by
    await over(spa, by)
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


async def test_restarts_in_every_phase(spa: Home) -> None:
    """Before it begins, while it heats, while it is warm, and at its end."""
    by = at(13, 30)
    spa.pool.water.temperature = spa.pool.water.ambient = 34.0
    await spa.live(30)
    await ask(spa, by, duration={"minutes": 30})
    for moment, is_heated in (
        (at(12, 20), False),
        (at(13), True),
        (at(13, 40), True),
        (at(13, 55), True),
    ):
        await until(spa, moment)
        assert heated(spa) is is_heated
        await spa.restart()
        await spa.live(2 * STEP, step=STEP)
        assert heated(spa) is is_heated
        assert warm_by(spa) == by
    await until(spa, at(13, 59))
    await spa.restart()
    await until(spa, at(14, 4))
    assert as_before(spa) and warm_by(spa) is None


async def test_what_a_time_would_do(
    spa: Home, hass_ws_client: WebSocketGenerator, subtests: pytest.Subtests
) -> None:
    """Before a time is requested, its forecast is the one that follows; it asks nothing."""
    client = await hass_ws_client(spa.hass)
    entity_id = spa.entity_id("climate", "spa_heating")

    async def would(by: datetime, entity_id: str = entity_id) -> dict[str, Any]:
        await client.send_json_auto_id(
            {"type": "poolctl/warm_by", "entity_id": entity_id, "at": by.isoformat()}
        )
        answer: dict[str, Any] = await client.receive_json()
        return answer

    for hours, begins in ((8, "why_warm_by_waits"), (0.5, "why_warm_by_late")):
        by = dt_util.now() + timedelta(hours=hours)
        with subtests.test(hours=hours):
            found = (await would(by))["result"]["reasons"]
            assert found[0][0] == begins
            assert warm_by(spa) is None
            assert as_before(spa)
            await ask(spa, by)
            shown = requested(spa)["warm_by_reasons"]
            assert [list(each) for each in shown] == found
            await cancel(spa)
    with subtests.test("another entity"):
        assert not (await would(by, spa.entity_id("switch", "spa_mode")))["success"]
    for year, key in ((2025, "warm_by_passed"), (9999, "warm_by_too_far")):
        with subtests.test(year=year):
            error = (await would(by.replace(year=year)))["error"]
            assert error["translation_key"] == key
