"""Holds by hand: shown, released at their end, kept over restarts, and reported."""

from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from homeassistant.components import persistent_notification
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.const import Platform
from homeassistant.core import callback
from homeassistant.exceptions import ServiceNotSupported, ServiceValidationError
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.client.control import sender as sender_module
from tests.status.test_repairs import Repair, shown
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.simulator.schedules import Schedule

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick")
few_platforms = only(Platform.LIGHT, Platform.SENSOR, Platform.SWITCH)

WATERFALL = 2
"""A general output of the small pool; its light is on slot 1."""
KEY = f"slot_{WATERFALL}"


async def begin(
    home: Home,
    at: str = "2026-11-23 10:00",
    *,
    zone: str = "UTC",
    window: tuple[int, int] = (9 * 60, 11 * 60),
    name: str = "Cascade",
    **options: str,
) -> None:
    """Set up the small pool at a local time, with one schedule of the waterfall."""
    local = datetime.fromisoformat(at).replace(tzinfo=ZoneInfo(zone))
    home.freezer.move_to(local.astimezone(UTC))
    home.own(home.service.small)
    home.clock.set_back(home.clock.time() - local.timestamp())
    await home.hass.config.async_set_time_zone(zone)
    home.pool.tz = ZoneInfo(zone)
    home.pool.schedules[1] = Schedule(
        slot=WATERFALL,
        aux_type=1,
        start=window[0],
        end=window[1],
        weekdays=127,
        name=name,
        enabled=True,
    )
    await home.set_up(home.service.small, options=options)
    await home.live(15)


def held(home: Home, key: str = KEY, domain: str = "switch") -> timedelta:
    until = home.state(domain, key).attributes["held_until"]
    return datetime.fromisoformat(until) - dt_util.utcnow()


def sent(home: Home) -> list[bytes]:
    """Return the payloads of all `aux` commands, oldest first."""
    commands = [r.payload for r in home.controller.requests if r.name == "aux"]
    return [payload for payload in commands if payload]


async def test_off_inside_a_window(home: Home) -> None:
    await begin(home)
    assert home.value("switch", KEY) == "on"
    changes = home.follow("switch", KEY)
    await home.act("switch.turn_off", KEY)
    assert sent(home) == [b"\2\0\1"]
    assert [state.state for state in changes] == ["off"]  # one write
    assert timedelta(minutes=59) < held(home) <= timedelta(hours=1)
    assert home.state("switch", KEY).attributes["held_by_hand"] is True
    outputs = home.state("sensor", "held_outputs")
    assert (outputs.state, outputs.attributes["outputs"]) == ("1", ["Waterfall"])
    await home.live(58 * 60, step=580)
    assert sent(home) == [b"\2\0\1"]
    assert len(changes) == 1

    await home.live(3 * 60, step=60)
    assert sent(home) == [b"\2\0\1", b"\2\0\0"]
    state = home.state("switch", KEY)
    assert state.attributes["held_by_hand"] is False
    assert not {"held_until", "held_since"} & state.attributes.keys()
    assert home.value("sensor", "held_outputs") == "0"
    await home.live(22 * 3600, step=7200)
    assert home.pool.relays[WATERFALL]  # the next day
    assert len(sent(home)) == 2


@pytest.mark.parametrize("away", [30, 90], ids=["before", "after"])
@pytest.mark.parametrize("sudden", [False, True])
async def test_home_assistant_was_down(home: Home, away: float, sudden: bool) -> None:
    """The end of a hold is stored at once; if it has passed, it is released once."""
    # A name that is not UTF-8 cannot be stored as it is.
    await begin(home, name="Cascade \udcfc" if sudden else "\udcffCascade")
    await home.act("switch.turn_off", KEY)
    if sudden:
        await home.settle()
        await home.unload()  # without the writes of a stopping Home Assistant
    else:
        await home.shut_down()
    home.freezer.tick(away * 60)
    home.clock.advance(away * 60)
    await home.boot()
    assert sent(home) == [b"\2\0\1", b"\2\0\0"][: 1 + (away > 60)]
    await home.live((100 - away) * 60, step=300)
    assert sent(home) == [b"\2\0\1", b"\2\0\0"]
    assert not home.pool.slots[WATERFALL].held


# Giving up the LAN or the account


async def lose(home: Home, way: str) -> list[str]:
    """Give up the LAN, or the whole account; return the notifications."""
    messages: list[str] = []

    @callback
    def keep(
        kind: object, new: dict[str, persistent_notification.Notification]
    ) -> None:
        messages.extend(each["message"] for each in new.values())

    persistent_notification.async_register_callback(home.hass, keep)
    entries, entry_id = home.hass.config_entries, home.entry.entry_id
    task: Coroutine[Any, Any, object]
    if way == "cloud":
        options = {**home.entry.options, "connection": "cloud"}
        entries.async_update_entry(home.entry, options=options)
        task = entries.async_reload(entry_id)
    elif way == "disabled":
        task = entries.async_set_disabled_by(entry_id, ConfigEntryDisabler.USER)
    else:
        task = entries.async_remove(entry_id)
    home.hass.async_create_task(task)
    await home.settle()
    return messages


@pytest.mark.parametrize("way", ["cloud", "disabled", "deleted"])
@pytest.mark.parametrize("answers", [True, False])
async def test_the_means_is_lost(home: Home, way: str, answers: bool) -> None:
    """Outputs held off are released first; the user is notified if that fails."""
    await begin(home)
    await home.act("switch.turn_off", KEY)
    await home.act("light.turn_on", "slot_1")
    if not answers:
        home.controller.faults.on("refuse")
    messages = await lose(home, way)
    assert sent(home)[2:] == [b"\2\0\0"] * answers
    assert home.pool.slots[WATERFALL].held is not answers
    assert home.pool.slots[1].held  # on, as the user chose
    named = [issue.translation_placeholders or {} for issue in shown(home).values()]
    repaired = [each["outputs"] for each in named if "outputs" in each]
    assert repaired == ["Waterfall"] * (way == "cloud" and not answers)
    assert len(messages) == (way != "cloud" and not answers)
    assert all("Waterfall" in each for each in messages)


async def test_the_account_loses_the_controller(home: Home) -> None:
    await begin(home)
    await home.act("switch.turn_off", KEY)
    coordinator = home.entry.runtime_data.controllers[home.controller.device_id]
    await coordinator.async_retire()
    assert sent(home) == [b"\2\0\1", b"\2\0\0"]


# The action


@pytest.mark.parametrize(
    ("key", "slot", "domain", "on"),
    [(KEY, WATERFALL, "switch", False), ("slot_1", 1, "light", True)],
)
async def test_held_for_a_time(
    home: Home, key: str, slot: int, domain: str, on: bool
) -> None:
    await begin(home, "2026-11-23 08:00")
    await home.act(
        "poolctl.hold", key, domain=domain, state=on, duration={"minutes": 90}
    )
    assert sent(home) == [bytes((slot, on, 1))]
    assert held(home, key, domain) == timedelta(minutes=90)
    await home.live(89 * 60, step=890)
    assert home.pool.relays[slot] is on
    await home.live(2 * 60, step=60)
    assert sent(home) == [bytes((slot, on, 1)), bytes((slot, 0, 0))]


async def test_the_pump_at_a_speed(home: Home) -> None:
    await begin(home)
    hold = home.hass.async_create_task(
        home.act("poolctl.hold", "pump", state=True, duration="01:00:00", speed=55)
    )
    await home.pass_time(5)
    await hold
    assert home.value("sensor", "pump_speed") == "55"
    assert timedelta(minutes=59) < held(home, "pump") <= timedelta(hours=1)
    await home.live(59 * 60, step=590)
    await home.live(2 * 60)
    assert home.state("switch", "pump").attributes["mode"] == "schedule"
    assert home.pool.pump.speed == 75


async def test_what_cannot_be_held(home: Home) -> None:
    await begin(home)
    hour = timedelta(hours=1)
    with pytest.raises(ServiceNotSupported):
        await home.act("poolctl.hold", "schedule_0", state=True, duration=hour)
    with failure("schedule_no_speed", ServiceValidationError):
        await home.act("poolctl.hold", KEY, state=True, duration=hour, speed=55)
    for never in (timedelta(0), timedelta(days=4000)):
        with failure("out_of_range", ServiceValidationError) as refused:
            await home.act("poolctl.hold", KEY, state=True, duration=never)
        assert str(refused.value) == "duration must be from 1 s to 8784 h"
    assert sent(home) == []


# Repairs and diagnostics


async def test_a_repair_gives_back_what_it_names(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One failure stops no other; what was held off just now stays held off."""
    # The pump follows `v2_manual_set` a second later (protocol.md O3).
    monkeypatch.setattr(sender_module, "READ_BACK", (2.0, 5.0))
    await begin(home, holds_by_hand="until_given_back")
    for key in (KEY, "pump"):
        await home.act("switch.turn_off", key)
    await home.live(25 * 3600, step=3600)
    await home.act("light.turn_off", "slot_1")
    assert home.pool.slots[1].held
    repair = await Repair(home, "held_off").start()
    home.controller.faults.once("decline", 2, "a")
    assert (await repair.go())["errors"] == {"base": "failed"}
    assert [home.pool.slots[each].held for each in (1, WATERFALL, 0)].count(True) == 2
    await repair.go()
    assert repair.repaired
    await home.live(60)
    assert [home.pool.slots[each].held for each in (1, WATERFALL, 0)] == [
        *(True, False, False)
    ]


async def test_a_day_held_off(home: Home) -> None:
    """A day of being held off, over restarts, brings a repair; held on brings none."""
    await begin(home, holds_by_hand="until_given_back")
    await home.act("switch.turn_off", KEY)
    await home.act("light.turn_on", "slot_1")
    for _ in range(2):
        await home.live(11 * 3600, step=6600)
        await home.restart()
    assert not shown(home)
    await home.live(3 * 3600, step=3600)
    (issue,) = shown(home).values()
    assert (issue.translation_key, issue.is_fixable) == ("held_off", True)
    assert (issue.translation_placeholders or {})["outputs"] == "Waterfall"
    repair = await Repair(home, "held_off").start()
    home.controller.faults.on("decline")
    assert (await repair.go())["errors"] == {"base": "failed"}
    home.controller.faults.clear()
    await repair.go()
    assert repair.repaired
    assert sent(home)[-1] == b"\2\0\0"
    await home.live(15)
    assert home.pool.slots[1].held  # held on: stays held
    assert not shown(home)


# Running timers


@pytest.mark.parametrize("cloud", [False, True])
async def test_a_running_timer(home: Home, cloud: bool) -> None:
    """The end of a timer is shown to the minute, and does not move meanwhile."""
    await begin(home, "2026-11-23 08:00")
    home.pool.start_timer(WATERFALL, 2400)
    home.pool.start_timer(1, 600)
    if cloud:
        home.controller.faults.on("refuse")
    await home.live(90, step=30)
    assert home.source == ("cloud" if cloud else "lan")
    states = home.follow("switch", KEY)
    ends = {
        key: home.state(domain, key).attributes["timer_ends"]
        for domain, key in (("switch", KEY), ("light", "slot_1"))
    }
    assert ends[KEY][:16] in ("2026-11-23T08:40", "2026-11-23T08:41")
    assert ends["slot_1"][:16] in ("2026-11-23T08:10", "2026-11-23T08:11")
    await home.live(8 * 60, step=30)
    # With this clock, the cached copy of the cloud may be too old.
    assert len({ends[KEY], *(s.attributes["timer_ends"] for s in states)}) <= 1 + cloud
    home.freezer.tick(1800)
    home.clock.advance(1800)
    await home.live(4 * 60, step=30)
    assert home.state("switch", KEY).attributes.get("timer_ends") is None
    assert home.value("switch", KEY) == "off"
