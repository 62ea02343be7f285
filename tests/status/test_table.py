"""The table of problems, and how active problems change over time."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.poolctl.client import clock
from custom_components.poolctl.client.control.paths import Paths
from custom_components.poolctl.client.counters import ClockFault
from custom_components.poolctl.client.facts import Change, Facts
from custom_components.poolctl.client.holds.hold import Hold
from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Doser, Schedules
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    BusyError,
    FrameError,
    PoolctlError,
    ReplayError,
    SignatureError,
    UnreachableError,
)
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.client.wire.schedule import Schedule
from custom_components.poolctl.const import DOMAIN, Connection
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.preferences import Preferences
from custom_components.poolctl.network.record import ControllerRecord
from custom_components.poolctl.options import Options
from custom_components.poolctl.status import active
from custom_components.poolctl.status.active import ActiveProblems
from custom_components.poolctl.status.connection import cloud_link, lan_link
from custom_components.poolctl.status.rows import Problem, Repair
from custom_components.poolctl.status.situation import Situation, View
from custom_components.poolctl.status.table import PROBLEMS
from custom_components.poolctl.store.memory import DATA_MEMORY, Memory

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
DAY = 86400.0
ROWS = {row.key: row for row in PROBLEMS}
TYPES = (31, 6, 8, 5, *[0] * 33)
"""Aux types of 37 slots: pump, dosers of acid and chlorine, chlorinator."""
DOSER = Doser(desired=7.4, drum_ml=20_000, remaining_ml=10_000)
STATE = PoolState(
    source=Source.LAN,
    readings=Readings(ph=7.4, orp=700),
    signals=Signals(
        chemistry_stable=True,
        dry_run=False,
        retries_exceeded=False,
        expanders=(False,) * 4,
    ),
    acid=DOSER,
    chlorine=replace(DOSER, desired=650),
    outputs=Outputs(types=TYPES, modes=(0,) * 37),
    valid_at=NOW,
)
RECORD = ControllerRecord(
    device_id="AA_BB_CC_00_00_01",
    name="Home pool",
    site="Home",
    mac="aa:bb:cc:00:00:01",
    firmware="2.5.46",
    host="192.0.2.1",
    key="00" * 16,
)
SITUATION = Situation(
    STATE,
    Choices(),
    Preferences(),
    Learned(),
    subject_id="device",
    title=RECORD.title,
    holds=(),
    overdue=(),
    pauses={},
    pause_overdue=False,
    heat_held={},
    heat_overdue=False,
    stopped_by_spa=(),
    changes=(),
    requests={},
    warm_by={},
    refused_list=None,
    record=RECORD,
    announced=None,
    now=NOW,
    clock_ahead=timedelta(),
    reached=True,
    silent=False,
    last_answer=None,
    closed_season=False,
    options=Options(),
    paths=Paths(RECORD.device_id, None, None),
    clock_fault=None,
    key_asked=False,
)
PATHS: dict[str, Any] = {
    "lan": "a client",
    "on_lan": True,
    "lan_works": True,
    "lan_error": None,
    "cloud": "a client",
    "cloud_error": None,
}
BY_CLOUD = {"options": Options(connection=Connection.CLOUD)}
SILENT = {"on_lan": False, "lan_works": False}
FILTER = Schedule(
    slot=0,
    aux_type=31,
    start=480,
    end=600,
    weekdays=127,
    name="Filter",
    turnover=0,
    speed=75,
    enabled=True,
)
MORNING = Schedules(records=(FILTER,), armed=(0,))


def view(hass: HomeAssistant, **changes: Any) -> View:
    """Return what entities show of a healthy controller, with changes."""
    known = {each.name: getattr(SITUATION, each.name) for each in fields(Situation)}
    return View(hass=hass, **(known | changes))


def situation(**changes: Any) -> Situation:
    """Return a healthy controller with changes; names of state fields begin with s_."""
    state = {k[2:]: v for k, v in changes.items() if k.startswith("s_")}
    own = {k: v for k, v in changes.items() if not k.startswith("s_")}
    own["paths"] = SimpleNamespace(
        **{name: own.pop(name, value) for name, value in PATHS.items()}
    )
    learned = Learned()
    learned.controller_clock.offset = own.pop("controller_ahead", None)
    for kind, effect in learned.effects.items():
        effect.idle, effect.reading = own.pop(f"{kind.key}_effect", (0, None))
    return replace(SITUATION, state=replace(STATE, **state), learned=learned, **own)


def held(hours: float, *, on: bool = False) -> Hold:
    return Hold(slot=0, on=on, since=NOW - timedelta(hours=hours))


def signals(**changes: Any) -> Signals:
    return replace(STATE.signals, **changes)


def acid(**changes: Any) -> dict[str, Any]:
    return {"s_acid": replace(DOSER, **changes)}


def lan_error(error: PoolctlError, **more: Any) -> dict[str, Any]:
    return {"lan_error": error, **SILENT, **more}


TYPED = replace(RECORD, by_hand=True)
NO_KEY = replace(RECORD, key=None)
OLD = replace(RECORD, firmware="2.5.45")
COUNTED = {"doses": 6, "max_doses": 6, "doses_at": NOW}

UNREACHABLE = lan_error(UnreachableError(""))
BY_HAND = {**UNREACHABLE, "record": TYPED}
NO_CLOUD = {"cloud_error": UnreachableError("")}
OURS, OTHERS = {"clock_fault": ClockFault.OURS}, {"clock_fault": ClockFault.OTHERS}
CLOUD = {"s_source": Source.CLOUD}
HELD = {"holds": (held(1),), "s_schedules": MORNING}


def ahead(minutes: float) -> dict[str, timedelta]:
    return {"controller_ahead": timedelta(minutes=minutes)}


CASES: tuple[tuple[str, Mapping[str, Any], str | bool | None], ...] = (
    ("dry_run", {}, False),
    ("dry_run", {"s_signals": signals(dry_run=None)}, None),
    ("dry_run", {"s_signals": signals(dry_run=True)}, "dry_run"),
    (
        "dry_run",
        {"s_signals": signals(dry_run=True, retries_exceeded=True)},
        "dry_run_retries",
    ),
    ("ph_out_of_range", {"s_readings": Readings(ph=7.8)}, False),
    ("ph_out_of_range", {"s_readings": Readings(ph=7.9)}, "ph_high"),
    ("ph_out_of_range", {"s_readings": Readings(ph=7.0)}, False),
    ("ph_out_of_range", {"s_readings": Readings(ph=6.9)}, "ph_low"),
    ("ph_out_of_range", {"s_readings": Readings()}, None),
    ("orp_out_of_range", {"s_readings": Readings(orp=550)}, False),
    ("orp_out_of_range", {"s_readings": Readings(orp=549)}, "orp_low"),
    ("orp_out_of_range", {"s_readings": Readings(orp=801)}, "orp_high"),
    ("acid_low", acid(remaining_ml=2_001), False),
    ("acid_low", acid(remaining_ml=2_000), "acid_low"),
    ("acid_low", acid(remaining_ml=51), "acid_low"),
    ("acid_low", acid(remaining_ml=49), "acid_empty"),
    ("acid_low", acid(remaining_ml=None), None),
    ("acid_low", {**acid(remaining_ml=0), "s_outputs": Outputs(types=(31,))}, False),
    (
        "chlorine_low",
        {"s_chlorine": replace(DOSER, remaining_ml=0)},
        "chlorine_empty",
    ),
    ("acid_limit", acid(**COUNTED), "acid_limit"),
    ("acid_limit", acid(**COUNTED, desired=7.3), "acid_limit_high"),
    ("acid_limit", acid(**COUNTED, desired=None), "acid_limit"),
    ("acid_limit", acid(**COUNTED | {"doses": 5}), False),
    ("acid_limit", {**acid(**COUNTED), "now": NOW + timedelta(hours=2)}, None),
    (
        "acid_without_effect",
        {**acid(doses=8), "acid_effect": (8, 7.8)},
        "acid_without_effect",
    ),
    ("acid_without_effect", {**acid(doses=8), "acid_effect": (7, 7.8)}, False),
    (
        "chlorine_without_effect",
        {"s_chlorine": Doser(doses=24), "chlorine_effect": (24, 601.0)},
        "chlorine_without_effect",
    ),
    ("held_off", {"holds": (held(24),)}, "held_off"),
    ("held_off", {"holds": (held(23.9),)}, False),
    ("held_off", {"holds": (held(25, on=True),)}, False),
    ("held_against_schedule", HELD, False),
    # By the controller's clock, it is 9:00.
    ("held_against_schedule", HELD | ahead(-180), "held_against_schedule"),
    ("stale_readings", {}, False),
    ("unreachable", {}, False),
    ("unreachable", {"reached": False}, "unreachable_unknown"),
    ("unreachable", {"silent": True, "last_answer": NOW}, "unreachable"),
    ("unreachable", {"reached": False, "closed_season": True}, False),
    ("cloud_only", {}, False),
    ("cloud_only", CLOUD, "cloud_only_unheated"),
    ("cloud_only", {**CLOUD, "s_outputs": Outputs(types=(31, 2))}, "cloud_only"),
    ("cloud_only", {**CLOUD, "reached": False}, False),
    ("cloud_only", {**CLOUD, "silent": True}, False),
    ("cloud_only", {**CLOUD, **BY_CLOUD}, "cloud_only_unheated"),
    ("key_rejected", {}, False),
    ("key_rejected", lan_error(SignatureError("")), "key_rejected"),
    ("key_rejected", lan_error(SignatureError(""), lan=None), False),
    ("key_rejected", lan_error(FrameError("")), False),
    ("key_rejected", lan_error(ReplayError("")), False),
    ("key_rejected", UNREACHABLE, None),
    ("no_key", {}, False),
    ("no_key", {"record": NO_KEY}, "no_key"),
    ("no_key", {"record": NO_KEY, **NO_CLOUD}, None),
    ("no_key", {"record": NO_KEY, **BY_CLOUD}, False),
    ("no_key", {"record": replace(OLD, key=None), **SILENT}, False),
    ("clock_wrong", {}, False),
    ("clock_wrong", OURS, "clock_wrong"),
    ("clock_wrong", {**OURS, "on_lan": False}, None),
    ("clock_wrong", {**OURS, "lan": None}, False),
    ("clock_wrong", OTHERS, False),
    ("clock_wrong", {"clock_ahead": timedelta(minutes=2.9)}, False),
    ("clock_wrong", {"clock_ahead": timedelta(minutes=-3)}, "clock_wrong"),
    ("clock_ahead", OTHERS, "clock_ahead"),
    ("clock_ahead", OURS, False),
    ("firmware_too_old", {"record": OLD}, False),
    ("firmware_too_old", {"record": OLD, **SILENT}, "firmware_too_old"),
    ("firmware_too_old", {"record": OLD, "s_firmware": "2.6.0", **SILENT}, False),
    ("firmware_too_old", {"record": OLD, **BY_CLOUD, **SILENT}, False),
    ("firmware_too_old", {"record": replace(OLD, firmware=None), **SILENT}, False),
    ("address_lost", UNREACHABLE, False),
    ("address_lost", BY_HAND, "address_lost"),
    ("address_lost", lan_error(BusyError(""), record=TYPED), None),
    ("address_lost", lan_error(SignatureError(""), record=TYPED), None),
    ("address_lost", lan_error(FrameError(""), record=TYPED), False),
    ("address_lost", {"record": TYPED}, False),
    ("address_lost", {"record": TYPED, "lan_error": UnreachableError("")}, None),
    ("address_lost", {**BY_HAND, "lan": None}, False),
    ("address_lost", {**BY_HAND, **NO_CLOUD}, None),
    ("address_lost", {**BY_HAND, **NO_CLOUD, "cloud": None}, "address_lost"),
    ("expander_lost", {}, False),
    ("expander_lost", {"s_outputs": Outputs(types=None)}, None),
    ("expander_lost", {"s_signals": Signals()}, None),
    ("controller_clock", {}, None),
    ("controller_clock", ahead(2.9), False),
    ("controller_clock", ahead(3), "controller_clock_ahead"),
    ("controller_clock", ahead(-3), "controller_clock"),
)


@pytest.mark.parametrize(("key", "changes", "variant"), CASES)
def test_rows(key: str, changes: Mapping[str, Any], variant: str | bool | None) -> None:
    """A row applies, in a variant, or does not, or that is not known (`None`)."""
    facts, row = situation(**changes), ROWS[key]
    applies = row.applies(facts)
    assert (row.variant(facts).key if applies else applies) == variant


TODAY = 1 << NOW.weekday()


@pytest.mark.parametrize(
    ("schedule", "hours", "stale", "never_valid"),
    [
        (FILTER, 24.2, True, True),
        (FILTER, 23.8, False, True),
        (replace(FILTER, slot=1), 24.2, False, False),
        # It began half an hour ago.
        (replace(FILTER, start=690, end=750, weekdays=TODAY), 24.2, False, False),
    ],
)
def test_stale_readings(
    schedule: Schedule, hours: float, stale: bool, never_valid: bool
) -> None:
    """Readings are stale if a schedule of the pump should have run after them."""
    for valid_at, expected in (
        (NOW - timedelta(hours=hours), stale),
        (None, never_valid),
    ):
        facts = situation(
            s_schedules=Schedules(records=(schedule,), armed=(0,)), s_valid_at=valid_at
        )
        assert ROWS["stale_readings"].applies(facts) is expected
        # If there was never a valid reading, the day begins with the problem.
        patience = ROWS["stale_readings"].patience
        assert callable(patience) and patience(facts) == (0 if valid_at else DAY)
        unread = replace(facts, reached=False)
        assert ROWS["stale_readings"].applies(unread) is None
        for one, found in ((Readings(orp=700), expected), (Readings(), False)):
            probes = replace(facts, state=replace(facts.state, readings=one))
            assert ROWS["stale_readings"].applies(probes) is (
                expected if valid_at else found
            )


@pytest.mark.parametrize(
    ("slot", "number"),
    zip((11, 12, 16, 17, 21, 22, 27, 36), ("", *"1122", "", *"34"), strict=True),
)
def test_lost_expanders(slot: int, number: str) -> None:
    outputs = Outputs(types=(*TYPES[:slot], 1, *TYPES[slot + 1 :]))
    row, facts = ROWS["expander_lost"], situation(s_outputs=outputs)
    assert row.applies(facts) is bool(number)
    assert row.values(facts) == {"numbers": number}
    connected = signals(expanders=(True,) * 4)
    assert not row.applies(situation(s_outputs=outputs, s_signals=connected))


@pytest.mark.parametrize(
    ("changes", "lan", "cloud", "step"),
    [
        ({}, "works", "not_needed", "cloud_only"),
        # One missed poll is ignored.
        (
            {"lan_works": False, "lan_error": UnreachableError("")},
            "works",
            "not_needed",
            "cloud_only",
        ),
        ({"lan_works": None}, None, "not_needed", "cloud_only"),
        ({"cloud": None}, "works", "off", "cloud_only"),
        ({**SILENT, **BY_CLOUD}, "off", "works", "lan_off"),
        (
            {**SILENT, "record": replace(RECORD, host=None)},
            "no_address",
            "works",
            "lan_no_address",
        ),
        ({**SILENT, "record": NO_KEY}, "no_key", "works", "lan_no_key"),
        (
            lan_error(SignatureError("")),
            "not_verified",
            "works",
            "lan_not_verified",
        ),
        (lan_error(FrameError("")), "not_understood", "works", "lan_not_usable"),
        (lan_error(BusyError("")), "busy", "works", "lan_not_usable"),
        ({**UNREACHABLE, **NO_CLOUD}, "no_answer", "no_answer", "cloud_only"),
        (
            {**UNREACHABLE, "cloud_error": AuthenticationError("")},
            "no_answer",
            "sign_in",
            "cloud_only",
        ),
    ],
)
def test_why_a_path_is_not_used(
    changes: Mapping[str, Any], lan: str | None, cloud: str, step: str
) -> None:
    """Both sensors name the reason, and so does the next step of *Status*."""
    facts = situation(**CLOUD, **changes)
    assert (lan_link(facts), cloud_link(facts)) == (lan, cloud)
    assert ROWS["cloud_only"].step(facts).key == step


def test_doses_without_effect() -> None:
    effects = {"acid_effect": (8, 7.8), "chlorine_effect": (24, 601.4)}
    for substance, values in (
        ("acid", {"idle": 8, "reading": 7.8}),
        ("chlorine", {"idle": 24, "reading": 601}),
    ):
        row = ROWS[f"{substance}_without_effect"]
        assert row.values(situation(**effects)) == values


def test_when_the_limit_of_acid_is_a_repair() -> None:
    repair = ROWS["acid_limit"].repair
    assert repair is not None
    wanted = [
        repair.wanted(situation(s_readings=Readings(ph=ph))) for ph in (7.4, 7.5, None)
    ]
    assert wanted == [False, True, None]


# Active problems over time


class Following:
    """One row of the table, tested over time."""

    def __init__(self, hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
        self.hass, self.at, self.wall = hass, 0.0, NOW.timestamp()
        self.exists: bool | None = False
        self.wanted: bool | None = True
        self.changes: list[bool] = []
        self.facts = Facts()
        self.facts.listen(Change, lambda fact: self.changes.append(bool(fact.to)))
        monkeypatch.setattr(active, "time", SimpleNamespace(monotonic=lambda: self.at))
        monkeypatch.setattr(clock, "steady_clock", lambda: self.at)
        monkeypatch.setattr(clock, "wall_clock", lambda: self.wall + self.at)
        hass.data[DATA_MEMORY] = Memory(hass)

    def start(self, patience: float = 0) -> None:
        """Follow the row, from what is stored; its repair comes a minute after it."""
        problem = Problem[Situation](
            key="no_key",
            applies=lambda facts: self.exists,
            values=lambda facts: {"litres": 1.5},
            patience=patience,
            repair=Repair(
                wanted=lambda facts: self.wanted, patience=60, learn_more_url="there"
            ),
        )
        self.problems = ActiveProblems(self.hass, (problem,), self.facts, "device")

    @property
    def issue(self) -> ir.IssueEntry | None:
        return ir.async_get(self.hass).async_get_issue(DOMAIN, "no_key_device")

    def test(self, at: float, *, exists: bool | None = True) -> tuple[bool, bool]:
        """Test at a time; return whether the problem and its repair are active."""
        self.at, self.exists = at, exists
        self.problems.async_test(SITUATION)
        return bool(self.problems.active), self.issue is not None


@pytest.fixture
def row(hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch) -> Following:
    return Following(hass, monkeypatch)


def test_a_problem_over_time(row: Following) -> None:
    row.start(patience=30)
    assert not row.problems.tested
    assert row.test(0, exists=None) == (False, False)
    assert [row.problems.tested] == [True]
    assert row.test(10) == (False, False)
    assert row.test(39) == (False, False)
    assert row.test(40) == (True, False)
    since = row.problems.active[0].since
    assert row.test(70) == (True, True)
    # Without a result, nothing changes.
    assert row.test(80, exists=None) == (True, True)
    assert row.problems.active[0].since == since
    row.wanted = None
    assert row.test(90) == (True, True)
    row.wanted = False
    assert row.test(100) == (True, False)
    row.wanted = True
    assert row.test(110, exists=False) == (False, False)
    assert row.test(120) == (False, False)
    assert row.test(180) == (True, True)
    row.problems.async_stop()
    assert row.test(190, exists=False) == (True, True)
    assert row.changes == [True, False, True]


def test_a_clock_that_is_corrected(row: Following) -> None:
    """A problem of this run does not become older; one from before does."""
    row.start(patience=3600)
    row.test(0)
    row.wall += DAY
    assert not any(row.test(at)[0] for at in range(60, 1260, 60))
    assert row.test(3600)[0]
    assert row.problems.active[0].since == NOW + timedelta(days=1)
    row.start(patience=3600)
    row.wall += DAY
    for at in range(3600, 6000, 60):
        row.test(at)
    row.wall -= 10 * DAY  # earlier than the beginning
    for at in range(6000, 7200, 60):
        row.test(at)
    row.start(patience=3600)
    assert not row.test(7200)[0]
    assert row.test(10800)[0]
