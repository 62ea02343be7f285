"""The guided check: its commands, the restored state of the pool, and its report."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from tests.simulator import Pool
from tests.simulator.dialects import Dialect
from tests.simulator.raw import until
from tests.simulator.schedules import Schedule

from .home import Home
from .test_diagnostics import dump

LIGHT = 1
"""Slot of the light."""
SPA = 10
"""Slot of the first spa actuator."""
EVENING = 1
"""Index of the schedule that is armed for the evening."""


class Dialog:
    """The dialog of the guided check, as a user goes through it."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.flow: Any

    @property
    def manager(self) -> Any:
        return self.home.hass.config_entries.options

    async def open(self, **anchors: float) -> None:
        """Consent, wait for the queries, and enter the values that the app shows."""
        self.flow = await self.manager.async_init(self.home.entry.entry_id)
        await self.choose("guided_check")
        await self.answer({})
        await self.progress()
        assert self.flow["step_id"] == "guided_compare"
        await self.answer(anchors)

    async def answer(self, data: dict[str, Any]) -> None:
        flow_id = self.flow["flow_id"]
        self.flow = await self.manager.async_configure(flow_id, data)

    async def choose(self, option: str) -> None:
        await self.answer({"next_step_id": option})

    @property
    def offered(self) -> str | None:
        """Key of the offered change, `None` at the end."""
        if self.flow["type"] is not FlowResultType.MENU:
            return None
        return str(self.flow["menu_options"][0]).removeprefix("guided_")

    async def find(self, key: str) -> None:
        """Skip the changes that are offered before this one."""
        while self.offered != key:
            await self.choose("guided_skip")

    async def progress(self) -> None:
        """Wait until the progress step ends."""
        assert self.flow["type"] is FlowResultType.SHOW_PROGRESS
        running = self.manager.async_progress
        for _ in range(200):
            (flow,) = running()
            if flow["step_id"] != self.flow["step_id"]:
                break
            await asyncio.sleep(1)
        self.flow = await self.manager.async_configure(self.flow["flow_id"])

    async def run(self, key: str) -> None:
        await self.find(key)
        await self.choose(f"guided_{key}")
        await self.progress()

    async def end(self) -> str:
        """End the check; return the results that are shown."""
        if self.offered is not None:
            await self.choose("guided_end")
        assert self.flow["step_id"] == "guided_end"
        return str(self.flow["description_placeholders"]["results"])


def picture(pool: Pool) -> object:
    """Return the current values of everything that a check may change."""
    pool.update()
    return (
        [(slot.on, slot.held) for slot in pool.slots],
        pool.pump.speed,
        [schedule.enabled for schedule in pool.schedules],
        [value for name, value in pool.settings.items() if name.startswith("desired")],
    )


@dataclass(frozen=True)
class Case:
    """One change: how to detect it in the pool, and its commands."""

    key: str
    made: Callable[[Pool], bool]
    sent: tuple[bytes, bytes]
    """Parts of the payloads that make the change and undo it."""
    name: str


CASES = [
    Case(
        "light",
        lambda pool: pool.slots[LIGHT].on,
        (b"\x01\x01\x01", b"\x01\x00\x00"),
        "Light",
    ),
    Case(
        "speed",
        lambda pool: pool.pump.speed == 80,
        (b'"pump_speed":80', b"\x00\x00\x00"),
        "Pump speed",
    ),
    Case(
        "schedule",
        lambda pool: not pool.schedules[EVENING].enabled,
        (b"\x03\x01\x00", b"\x03\x01\x01"),
        "Schedule",
    ),
    Case(
        "setpoint",
        lambda pool: pool.settings["desired_ph"] == 75,
        (b'"desired_ph_level":75', b'"desired_ph_level":74'),
        "Setpoint",
    ),
]
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)


@pytest.fixture
async def checked(home: Home) -> Home:
    """Return the full pool around noon, with a schedule armed for the evening."""
    now = datetime.now(UTC)
    zone = f"Etc/GMT{now.hour - 12:+d}"  # these names have reversed signs
    await home.hass.config.async_set_time_zone(zone)
    home.own(home.service.full)
    home.clock.set_back(home.clock.time() - now.timestamp())
    home.pool.tz = ZoneInfo(zone)
    home.pool.schedules[EVENING] = Schedule(
        slot=3, aux_type=1, start=1200, end=1260, weekdays=127, name="Cascade",
        enabled=True,
    )  # fmt: skip
    home.clock.advance(60)
    await home.set_up(home.controller)
    return home


@pytest.fixture
def dialog(checked: Home) -> Dialog:
    return Dialog(checked)


async def restored(home: Home, previous: object) -> None:
    """Wait until the pool is as it was."""
    await until(lambda: picture(home.pool) == previous, within=900, every=1)


async def begun(dialog: Dialog, case: Case) -> object:
    """Begin a change; return the previous state of the pool once it has changed."""
    await dialog.open()
    await dialog.find(case.key)
    previous = picture(dialog.home.pool)
    await dialog.choose(f"guided_{case.key}")
    await until(lambda: case.made(dialog.home.pool), every=0.1)
    assert picture(dialog.home.pool) != previous
    return previous


# --- Changes ---


@cases
async def test_a_change(dialog: Dialog, case: Case) -> None:
    """A change lasts ten seconds and is undone: exactly two commands are sent."""
    home = dialog.home
    previous = await begun(dialog, case)
    seen = len(home.controller.requests)
    first = [r.payload or b"" for r in home.controller.requests if r.op == "a"]
    home.clock.advance(8)
    assert case.made(home.pool)
    await dialog.progress()
    assert picture(home.pool) == previous
    later = [r.payload or b"" for r in home.controller.requests[seen:] if r.op == "a"]
    assert len(first) == len(later) == 1
    assert case.sent[0] in first[0]
    assert case.sent[1] in later[0]
    assert f"{case.name}: carried out" in await dialog.end()
    assert home.cloud_writes == []


async def test_nothing_is_done_that_was_not_allowed(dialog: Dialog) -> None:
    """If every change is skipped, only reads are sent."""
    previous = picture(dialog.home.pool)
    await dialog.open()
    offered = []
    while (key := dialog.offered) is not None:
        offered.append(key)
        await dialog.choose("guided_skip")
    assert offered == [case.key for case in CASES]
    assert await dialog.end() == "\n".join(f"- {c.name}: skipped" for c in CASES)
    await dialog.answer({})
    assert dialog.flow["type"] is FlowResultType.CREATE_ENTRY
    assert dialog.home.actions == []
    assert picture(dialog.home.pool) == previous


async def test_everything_is_read_first(dialog: Dialog) -> None:
    seen = len(dialog.home.controller.requests)
    await dialog.open()
    requests = dialog.home.controller.requests[seen:]
    queries = sorted(r.name for r in requests if r.op == "q")
    assert queries == sorted({*queries})
    assert {"aux_names", "pump_id", "schedules", "get_ph_settings"} <= {*queries}
    assert "a" not in {r.op for r in requests}


# --- Failures ---


@cases
async def test_a_dialog_that_is_closed(dialog: Dialog, case: Case) -> None:
    """A change is undone at once if the dialog is closed in the middle of it."""
    previous = await begun(dialog, case)
    dialog.manager.async_abort(dialog.flow["flow_id"])
    await until(lambda: picture(dialog.home.pool) == previous, every=0.1)


@cases
@pytest.mark.parametrize("fault", ["refuse", "hang"])
async def test_a_cut_in_the_middle(dialog: Dialog, case: Case, fault: str) -> None:
    """A change that a network failure interrupts is undone once the network is back."""
    home = dialog.home
    previous = await begun(dialog, case)
    home.controller.faults.on(fault)
    home.cloud.faults.on("refuse")
    await dialog.progress()
    assert f"{case.name}: not yet observed as it was" in await dialog.end()
    await asyncio.sleep(200)
    assert case.made(home.pool)
    home.reconnect()
    await restored(home, previous)


@pytest.mark.parametrize("case", CASES[2:], ids=lambda case: case.key)
async def test_a_cut_and_a_restart(dialog: Dialog, case: Case) -> None:
    """A change that is still to be undone is kept over a restart of Home Assistant."""
    home = dialog.home
    previous = await begun(dialog, case)
    home.disconnect()
    await dialog.progress()
    await dialog.end()
    dialog.manager.async_abort(dialog.flow["flow_id"])
    await home.shut_down()
    home.reconnect()
    assert case.made(home.pool)
    await home.boot()
    await restored(home, previous)


@cases
async def test_a_reload_in_the_middle(dialog: Dialog, case: Case) -> None:
    """A change is undone, too, if the account is reloaded in the middle of it."""
    previous = await begun(dialog, case)
    await dialog.home.restart()
    await restored(dialog.home, previous)


@cases
async def test_a_dialog_that_is_closed_at_once(dialog: Dialog, case: Case) -> None:
    """A dialog that is closed while the command is on its way leaves no change."""
    await dialog.open()
    await dialog.find(case.key)
    previous = picture(dialog.home.pool)
    await dialog.choose(f"guided_{case.key}")
    dialog.manager.async_abort(dialog.flow["flow_id"])
    await asyncio.sleep(60)
    assert picture(dialog.home.pool) == previous


@cases
async def test_an_answer_that_is_lost(dialog: Dialog, case: Case) -> None:
    """A change whose reply was lost is undone, too."""
    home = dialog.home
    await dialog.open()
    await dialog.find(case.key)
    previous = picture(home.pool)
    home.controller.faults.once("close_mid_body", 1, "aux", "cmd", "schedule")
    await dialog.run(case.key)
    await dialog.end()
    await restored(home, previous)


async def test_a_pump_that_nothing_gives_back(dialog: Dialog) -> None:
    """The pump keeps its speed, and the result says what to do (unknowns L5, L6)."""
    home = dialog.home
    home.controller.dialects.add(Dialect.PUMP_AUX_DECLINED)
    await dialog.open()
    await dialog.run("speed")
    assert "Give it back in the vendor's app" in await dialog.end()
    home.clock.advance(300)
    assert home.pool.pump.speed == 75


async def test_by_the_cloud(home: Home) -> None:
    """Only the setpoint is offered: an output that the cloud switches may stay held."""
    home.own(home.service.full)
    await home.set_up_with(host=None)
    home.clock.speed = 50
    dialog = Dialog(home)
    previous = picture(home.pool)
    await dialog.open()
    keys = []
    while (key := dialog.offered) is not None:
        keys.append(key)
        await dialog.run(key)
    assert keys == ["setpoint"]
    assert (await dialog.end()).count("carried out") == 1
    assert home.actions == []
    assert home.cloud_writes == ["setPhSettings"] * 2
    await restored(home, previous)


@cases
async def test_a_refusal(dialog: Dialog, case: Case) -> None:
    """The result shows the reason; nothing is sent to undo what was not done."""
    home = dialog.home
    await dialog.open()
    previous = picture(home.pool)
    home.controller.faults.on("decline")
    await dialog.run(case.key)
    result = await dialog.end()
    assert f"{case.name}: not carried out. " in result
    assert "refused the command" in result
    assert {r.payload for r in home.controller.requests if r.op == "a"} == {
        r.payload
        for r in home.controller.requests
        if r.op == "a" and case.sent[0] in (r.payload or b"")
    }
    check = home.entry.runtime_data.guided[home.controller.device_id]
    assert check.as_dict()["to_be_given_back"] is None
    home.reconnect()
    assert picture(home.pool) == previous


@cases
async def test_nothing_happens(dialog: Dialog, case: Case) -> None:
    """A command that is accepted without an effect is reported as such."""
    home = dialog.home
    await dialog.open()
    previous = picture(home.pool)
    home.controller.faults.on("ignore_writes")
    await dialog.run(case.key)
    assert f"{case.name}: sent, but no effect was observed" in await dialog.end()
    home.reconnect()
    await restored(home, previous)


async def test_what_somebody_else_chose_stays(dialog: Dialog) -> None:
    """A setpoint that the owner chose in the app during a network failure stays."""
    home = dialog.home
    await begun(dialog, CASES[3])
    home.disconnect()
    await dialog.progress()
    home.pool.settings["desired_ph"] = 72
    home.reconnect()
    await asyncio.sleep(300)
    assert home.pool.settings["desired_ph"] == 72


async def test_another_schedule_at_its_index_stays(dialog: Dialog) -> None:
    """A schedule that the owner changed in the app during a network failure stays."""
    home = dialog.home
    await begun(dialog, CASES[2])
    home.disconnect()
    await dialog.progress()
    home.pool.schedules[EVENING].start = 600
    home.reconnect()
    await asyncio.sleep(900)
    assert not home.pool.schedules[EVENING].enabled


async def test_what_changed_since_it_was_offered(dialog: Dialog) -> None:
    """A setpoint that has changed since its offer is offered again instead."""
    home = dialog.home
    await dialog.open()
    await dialog.find("setpoint")
    home.pool.settings["desired_ph"] = 72
    await home.refresh()
    await dialog.choose("guided_setpoint")
    assert dialog.offered == "setpoint"
    assert dialog.flow["description_placeholders"]["old"] == "pH 7.2"
    assert home.actions == []


# --- Offers ---


@pytest.mark.parametrize(
    ("prepare", "missing"),
    [
        (lambda pool: pool.switch(0, True), "speed"),
        (lambda pool: pool.switch(0, False), "speed"),
        (lambda pool: pool.switch(SPA, True), "speed"),
        (lambda pool: setattr(pool.schedules[EVENING], "enabled", False), "schedule"),
        (
            lambda pool: setattr(pool.schedules[EVENING], "start", 13 * 60 + 30),
            "schedule",
        ),
        (lambda pool: pool.switch(3, False), "schedule"),
    ],
    ids=[
        "pump held",
        "pump off",
        "spa mode",
        "not armed",
        "about to run",
        "its output held",
    ],
)
async def test_what_is_not_offered(
    dialog: Dialog, prepare: Callable[[Pool], None], missing: str
) -> None:
    home = dialog.home
    prepare(home.pool)
    home.clock.advance(10)
    await dialog.open()
    offered = []
    while dialog.offered is not None:
        offered.append(dialog.offered)
        await dialog.choose("guided_skip")
    assert missing not in offered


@pytest.mark.parametrize(
    ("settings", "old", "new"),
    [
        ({"desired_ph": 72}, "pH 7.2", "pH 7.3"),
        ({"desired_ph": 82}, "650 mV", "640 mV"),
    ],
)
async def test_a_setpoint_goes_where_less_is_dosed(
    dialog: Dialog, settings: dict[str, float], old: str, new: str
) -> None:
    dialog.home.pool.settings.update(settings)
    await dialog.home.refresh()
    await dialog.open()
    await dialog.find("setpoint")
    shown = dialog.flow["description_placeholders"]
    assert (shown["old"], shown["new"]) == (old, new)


async def test_a_pump_at_full_speed(dialog: Dialog) -> None:
    """The speed goes down, because it cannot go up."""
    home = dialog.home
    home.pool.schedules[0].speed = 100
    home.clock.advance(60)
    await home.refresh()
    await dialog.open()
    await dialog.find("speed")
    shown = dialog.flow["description_placeholders"]
    assert (shown["old"], shown["new"]) == ("100", "95")


# --- Report ---


async def test_the_report(dialog: Dialog, hass_client: ClientSessionGenerator) -> None:
    """Results and anchors are in the diagnostics and in the form, without names."""
    home = dialog.home
    home.controller.faults.once("decline", 2, "aux")
    await dialog.open(ph=7.3, running=4)
    await dialog.run("light")
    await dialog.end()
    url = urlsplit(dialog.flow["description_placeholders"]["url"])
    assert url.path.endswith("/issues/new")
    form = {key: value for key, (value,) in parse_qs(url.query).items()}
    assert form["template"] == "evidence.yml"
    assert form["firmware"] == home.controller.firmware
    assert form["verdict"].splitlines()[:2] == [
        "light: refused (refused)",
        "contradicted: none",
    ]
    assert form["anchors"] == "ph: 7.3\nrunning: 4"
    assert "ph: 7.3 in the app, 7.4 here" in form["verdict"]
    assert "Pool Light" not in form["verdict"]
    (controller,) = (await dump(home, hass_client))["controllers"]
    assert controller["anchors"] == {"ph": 7.3, "running": 4}
    assert controller["guided_check"] == {
        "results": {"light": {"outcome": "refused", "reason": "refused"}},
        "to_be_given_back": None,
    }


async def test_an_account_that_is_not_running(dialog: Dialog) -> None:
    await dialog.home.unload()
    dialog.flow = await dialog.manager.async_init(dialog.home.entry.entry_id)
    await dialog.choose("guided_check")
    assert dialog.flow["type"] is FlowResultType.ABORT
    assert dialog.flow["reason"] == "not_loaded"


async def test_one_of_two_controllers(home: Home) -> None:
    await home.set_up(*home.service.controllers)
    dialog = Dialog(home)
    dialog.flow = await dialog.manager.async_init(home.entry.entry_id)
    await dialog.choose("guided_check")
    await dialog.answer({"device_id": home.service.small.device_id})
    await dialog.progress()
    assert dialog.flow["description_placeholders"]["acid_left"] == "-"
