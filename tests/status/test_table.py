"""The table of problems, and how active problems change over time."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
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
from custom_components.poolctl.client.pool.parts import Chemistry, Doser, Schedules
from custom_components.poolctl.client.pool.ranges import ORP_READING, PH_READING
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.exceptions import (
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
from custom_components.poolctl.network.record import ControllerRecord
from custom_components.poolctl.options import Options
from custom_components.poolctl.status import active
from custom_components.poolctl.status.account import ACCOUNT_PROBLEMS, AccountSituation
from custom_components.poolctl.status.active import ActiveProblems
from custom_components.poolctl.status.rows import (
    Active,
    Problem,
    Repair,
    Severity,
    Status,
)
from custom_components.poolctl.status.situation import Situation
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
    Learned(),
    subject_id="device",
    title=RECORD.title,
    holds=(),
    overdue=(),
    pauses={},
    pause_overdue=False,
    heat_overdue=False,
    stopped_by_spa=(),
    warm_late=(),
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
    """Return a hold of the pump that began `hours` ago."""
    return Hold(slot=0, on=on, since=NOW - timedelta(hours=hours))


def signals(**changes: Any) -> Signals:
    return replace(STATE.signals, **changes)


def acid(**changes: Any) -> Doser:
    return replace(DOSER, **changes)


def lan_error(error: PoolctlError, **more: Any) -> dict[str, Any]:
    return {"lan_error": error, **SILENT, **more}


TYPED = replace(RECORD, by_hand=True)
NO_KEY = replace(RECORD, key=None)
OLD = replace(RECORD, firmware="2.5.45")
COUNTED = {"doses": 6, "max_doses": 6, "doses_at": NOW}
NOTHING: dict[str, Any] = {}

CASES: tuple[tuple[str, dict[str, Any], bool | None, str], ...] = (
    ("dry_run", NOTHING, False, ""),
    ("dry_run", {"s_signals": signals(dry_run=None)}, None, ""),
    ("dry_run", {"s_signals": signals(dry_run=True)}, True, "dry_run"),
    (
        "dry_run",
        {"s_signals": signals(dry_run=True, retries_exceeded=True)},
        True,
        "dry_run_retries",
    ),
    ("ph_out_of_range", {"s_readings": Readings(ph=7.8)}, False, ""),
    ("ph_out_of_range", {"s_readings": Readings(ph=7.9)}, True, "ph_high"),
    ("ph_out_of_range", {"s_readings": Readings(ph=7.0)}, False, ""),
    ("ph_out_of_range", {"s_readings": Readings(ph=6.9)}, True, "ph_low"),
    ("ph_out_of_range", {"s_readings": Readings()}, None, ""),
    ("orp_out_of_range", {"s_readings": Readings(orp=550)}, False, ""),
    ("orp_out_of_range", {"s_readings": Readings(orp=549)}, True, "orp_low"),
    ("orp_out_of_range", {"s_readings": Readings(orp=801)}, True, "orp_high"),
    ("acid_low", {"s_acid": acid(remaining_ml=2_001)}, False, ""),
    ("acid_low", {"s_acid": acid(remaining_ml=2_000)}, True, "acid_low"),
    ("acid_low", {"s_acid": acid(remaining_ml=51)}, True, "acid_low"),
    ("acid_low", {"s_acid": acid(remaining_ml=49)}, True, "acid_empty"),
    ("acid_low", {"s_acid": acid(remaining_ml=None)}, None, ""),
    (
        "acid_low",
        {"s_acid": acid(remaining_ml=0), "s_outputs": Outputs(types=(31,))},
        False,
        "",
    ),
    ("chlorine_low", {"s_chlorine": acid(remaining_ml=0)}, True, "chlorine_empty"),
    ("acid_limit", {"s_acid": acid(**COUNTED)}, True, "acid_limit"),
    ("acid_limit", {"s_acid": acid(**COUNTED, desired=7.3)}, True, "acid_limit_high"),
    ("acid_limit", {"s_acid": acid(**COUNTED, desired=None)}, True, "acid_limit"),
    ("acid_limit", {"s_acid": acid(**COUNTED | {"doses": 5})}, False, ""),
    (
        "acid_limit",
        {"s_acid": acid(**COUNTED), "now": NOW + timedelta(hours=2)},
        None,
        "",
    ),
    (
        "acid_without_effect",
        {"s_acid": acid(doses=8), "acid_effect": (8, 7.8)},
        True,
        "acid_without_effect",
    ),
    (
        "acid_without_effect",
        {"s_acid": acid(doses=8), "acid_effect": (7, 7.8)},
        False,
        "",
    ),
    (
        "chlorine_without_effect",
        {"s_chlorine": Doser(doses=24), "chlorine_effect": (24, 601.0)},
        True,
        "chlorine_without_effect",
    ),
    ("held_off", {"holds": (held(24),)}, True, "held_off"),
    ("held_off", {"holds": (held(23.9),)}, False, ""),
    ("held_off", {"holds": (held(25, on=True),)}, False, ""),
    (
        "held_against_schedule",
        {"holds": (held(1),), "s_schedules": MORNING},
        False,
        "",
    ),
    # By the controller's clock, it is 9:00.
    (
        "held_against_schedule",
        {
            "holds": (held(1),),
            "s_schedules": MORNING,
            "controller_ahead": timedelta(hours=-3),
        },
        True,
        "held_against_schedule",
    ),
    ("stale_readings", NOTHING, False, ""),
    ("unreachable", NOTHING, False, ""),
    ("unreachable", {"reached": False}, True, "unreachable_unknown"),
    ("unreachable", {"silent": True, "last_answer": NOW}, True, "unreachable"),
    ("unreachable", {"reached": False, "closed_season": True}, False, ""),
    ("cloud_only", NOTHING, False, ""),
    ("cloud_only", {"s_source": Source.CLOUD}, True, "cloud_only_unheated"),
    ("cloud_only", {"s_source": Source.CLOUD, "reached": False}, False, ""),
    ("cloud_only", {"s_source": Source.CLOUD, "silent": True}, False, ""),
    (
        "cloud_only",
        {"s_source": Source.CLOUD, **BY_CLOUD},
        True,
        "cloud_only_unheated",
    ),
    ("key_rejected", NOTHING, False, ""),
    ("key_rejected", lan_error(SignatureError("")), True, "key_rejected"),
    ("key_rejected", lan_error(SignatureError(""), lan=None), False, ""),
    ("key_rejected", lan_error(FrameError("")), False, ""),
    ("key_rejected", lan_error(ReplayError("")), False, ""),
    ("key_rejected", lan_error(UnreachableError("")), None, ""),
    ("no_key", NOTHING, False, ""),
    ("no_key", {"record": NO_KEY}, True, "no_key"),
    ("no_key", {"record": NO_KEY, "cloud_error": UnreachableError("")}, None, ""),
    ("no_key", {"record": NO_KEY, **BY_CLOUD}, False, ""),
    ("no_key", {"record": replace(OLD, key=None), **SILENT}, False, ""),
    ("clock_wrong", NOTHING, False, ""),
    ("clock_wrong", {"clock_fault": ClockFault.OURS}, True, "clock_wrong"),
    ("clock_wrong", {"clock_fault": ClockFault.OURS, "on_lan": False}, None, ""),
    ("clock_wrong", {"clock_fault": ClockFault.OURS, "lan": None}, False, ""),
    ("clock_wrong", {"clock_fault": ClockFault.OTHERS}, False, ""),
    ("clock_wrong", {"clock_ahead": timedelta(minutes=2.9)}, False, ""),
    ("clock_wrong", {"clock_ahead": timedelta(minutes=-3)}, True, "clock_wrong"),
    ("clock_ahead", {"clock_fault": ClockFault.OTHERS}, True, "clock_ahead"),
    ("clock_ahead", {"clock_fault": ClockFault.OURS}, False, ""),
    ("firmware_too_old", {"record": OLD}, False, ""),
    ("firmware_too_old", {"record": OLD, **SILENT}, True, "firmware_too_old"),
    ("firmware_too_old", {"record": OLD, "s_firmware": "2.6.0", **SILENT}, False, ""),
    ("firmware_too_old", {"record": OLD, **BY_CLOUD, **SILENT}, False, ""),
    ("firmware_too_old", {"record": replace(OLD, firmware=None), **SILENT}, False, ""),
    ("address_lost", lan_error(UnreachableError("")), False, ""),
    (
        "address_lost",
        lan_error(UnreachableError(""), record=TYPED),
        True,
        "address_lost",
    ),
    ("address_lost", lan_error(BusyError(""), record=TYPED), None, ""),
    ("address_lost", lan_error(SignatureError(""), record=TYPED), None, ""),
    ("address_lost", lan_error(FrameError(""), record=TYPED), False, ""),
    ("address_lost", {"record": TYPED}, False, ""),
    ("address_lost", {"record": TYPED, "lan_error": UnreachableError("")}, None, ""),
    (
        "address_lost",
        lan_error(UnreachableError(""), record=TYPED, lan=None),
        False,
        "",
    ),
    (
        "address_lost",
        lan_error(UnreachableError(""), record=TYPED, cloud_error=UnreachableError("")),
        None,
        "",
    ),
    (
        "address_lost",
        lan_error(
            UnreachableError(""),
            record=TYPED,
            cloud=None,
            cloud_error=UnreachableError(""),
        ),
        True,
        "address_lost",
    ),
    ("expander_lost", NOTHING, False, ""),
    ("expander_lost", {"s_outputs": Outputs(types=None)}, None, ""),
    ("expander_lost", {"s_signals": Signals()}, None, ""),
    ("controller_clock", NOTHING, None, ""),
    ("controller_clock", {"controller_ahead": timedelta(minutes=2.9)}, False, ""),
    (
        "controller_clock",
        {"controller_ahead": timedelta(minutes=3)},
        True,
        "controller_clock_ahead",
    ),
    (
        "controller_clock",
        {"controller_ahead": timedelta(minutes=-3)},
        True,
        "controller_clock",
    ),
)


@pytest.mark.parametrize(("key", "changes", "exists", "variant"), CASES)
def test_a_row(
    key: str, changes: Mapping[str, Any], exists: bool | None, variant: str
) -> None:
    facts = situation(**changes)
    row = ROWS[key]
    assert row.applies(facts) is exists
    if exists:
        assert row.variant(facts).key == variant


@pytest.mark.parametrize(
    ("days", "start", "slot", "reached", "stale"),
    [
        (1.01, 480, 0, True, True),
        (0.99, 480, 0, True, False),
        (1.01, 480, 1, True, False),
        (1.01, 480, 0, False, None),
        (1.01, 690, 0, True, False),  # it began half an hour ago
    ],
)
def test_stale_readings(
    days: float, start: int, slot: int, reached: bool, stale: bool | None
) -> None:
    """Readings are stale if a schedule of the pump should have run after them."""
    schedule = replace(FILTER, start=start, end=start + 60, slot=slot, weekdays=127)
    if start == 690:
        schedule = replace(schedule, weekdays=1 << NOW.weekday())
    schedules = Schedules(records=(schedule,), armed=(0,))
    valid_at = NOW - timedelta(days=days)
    facts = situation(s_schedules=schedules, s_valid_at=valid_at, reached=reached)
    assert ROWS["stale_readings"].applies(facts) is stale
    never = situation(s_schedules=schedules, s_valid_at=None, reached=reached)
    due = slot == 0 and start == 480
    assert ROWS["stale_readings"].applies(never) is (None if stale is None else due)


@pytest.mark.parametrize(
    ("slot", "numbers"),
    [
        (11, ""),
        (12, "1"),
        (16, "1"),
        (17, "2"),
        (21, "2"),
        (22, ""),
        (27, "3"),
        (36, "4"),
    ],
)
def test_lost_expanders(slot: int, numbers: str) -> None:
    types = (*TYPES[:slot], 1, *TYPES[slot + 1 :])
    facts = situation(s_outputs=Outputs(types=types))
    row = ROWS["expander_lost"]
    assert row.applies(facts) is bool(numbers)
    assert row.values(facts) == {"numbers": numbers}
    connected = situation(
        s_outputs=Outputs(types=types), s_signals=signals(expanders=(True,) * 4)
    )
    assert row.applies(connected) is False


def test_ranges() -> None:
    """A range is around the target if equipment doses to it, else the usual one."""
    assert PH_READING.range(replace(STATE, acid=acid(desired=7.2))).high == 7.6
    orp = ORP_READING.range(STATE)
    assert (orp.low, orp.high) == (550, 800)
    bare = replace(STATE, outputs=Outputs(types=(31,)))
    assert (PH_READING.range(bare).low, PH_READING.range(bare).high) == (7.0, 7.8)
    assert (ORP_READING.range(bare).low, ORP_READING.range(bare).high) == (600, 850)
    still = replace(
        STATE,
        signals=signals(chemistry_stable=False),
        valid_chemistry=Chemistry(ph=7.1, orp=650),
    )
    assert (PH_READING.valid(still), ORP_READING.valid(still)) == (7.1, 650)


def test_values() -> None:
    high = situation(s_readings=Readings(ph=8.2, orp=900))
    assert ROWS["ph_out_of_range"].values(high) == {
        "value": 8.2,
        "lower": 7.0,
        "upper": 7.8,
    }
    orp = ROWS["orp_out_of_range"].values(high)
    assert orp == {"value": 900, "lower": 550, "upper": 800}
    assert all(isinstance(each, int) for each in orp.values())
    off = situation(controller_ahead=timedelta(minutes=-59.7))
    assert ROWS["controller_clock"].values(off) == {"minutes": 60}
    assert ROWS["acid_low"].values(SITUATION) == {"content": 10.0}
    doses = situation(acid_effect=(8, 7.8), chlorine_effect=(24, 601.4))
    assert ROWS["acid_without_effect"].values(doses) == {"idle": 8, "reading": 7.8}
    assert ROWS["chlorine_without_effect"].values(doses) == {"idle": 24, "reading": 601}
    assert ROWS["firmware_too_old"].values(SITUATION)["firmware"] == "2.5.46"
    assert ROWS["address_lost"].values(SITUATION) == {"host": "192.0.2.1"}


# Repairs


def test_when_a_repair_is_wanted() -> None:
    def wanted(key: str, **changes: Any) -> bool | None:
        repair = ROWS[key].repair
        assert repair is not None
        return repair.wanted(situation(**changes))

    assert wanted("acid_low") is False
    assert wanted("acid_low", options=Options(drum_repairs=True)) is True
    assert wanted("acid_limit") is False
    assert wanted("acid_limit", s_readings=Readings(ph=7.5)) is True
    assert wanted("acid_limit", s_readings=Readings()) is None
    assert wanted("key_rejected") is None
    assert wanted("key_rejected", key_asked=True) is True
    assert wanted("no_key") is True


def test_how_long_a_problem_must_last() -> None:
    rows: tuple[Problem[Any], ...] = (*PROBLEMS, *ACCOUNT_PROBLEMS)
    patience = {
        row.key: row.patience
        for row in rows
        if row.patience and not callable(row.patience)
    }
    assert patience == {
        "pool_warm_late": 600,
        "spa_warm_late": 600,
        "no_key": 600,
        "clock_ahead": 600,
        "firmware_too_old": 300,
        "address_lost": 300,
        "service_silent": 86400,
    }


# The account

ACCOUNT = AccountSituation(
    subject_id="entry",
    title="Home",
    answers=True,
    sign_in_needed=False,
    sign_in_ends=None,
    left_out=(),
    shared=(),
)


@pytest.mark.parametrize(
    ("key", "change", "exists"),
    [
        ("sign_in_needed", {"sign_in_needed": True}, True),
        ("sign_in_ends", {"sign_in_ends": NOW}, True),
        ("service_silent", {"answers": False}, True),
        ("service_silent", {"answers": None}, None),
        ("controllers_left_out", {"left_out": ("A", "B")}, True),
        ("controllers_shared", {"shared": ("A",)}, True),
    ],
)
def test_a_row_of_an_account(
    key: str, change: dict[str, Any], exists: bool | None
) -> None:
    rows = {row.key: row for row in ACCOUNT_PROBLEMS}
    assert {row.applies(ACCOUNT) for row in rows.values()} == {False}
    facts = replace(ACCOUNT, **change)
    assert rows[key].applies(facts) is exists
    if "left_out" in change:
        assert rows[key].values(facts) == {"names": "A, B"}


# Active problems over time


class Following:
    """One row of the table, tested over time."""

    def __init__(
        self, hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, **row: Any
    ) -> None:
        self.hass, self.at, self.wall = hass, 0.0, NOW.timestamp()
        self.exists: bool | None = False
        self.wanted: bool | None = True
        repair = Repair[Situation](wanted=lambda facts: self.wanted, patience=60)
        problem = Problem[Situation](
            key="no_key", applies=lambda facts: self.exists, repair=repair, **row
        )
        facts = Facts()
        self.changes: list[bool] = []
        facts.listen(Change, lambda fact: self.changes.append(bool(fact.to)))
        steady = SimpleNamespace(monotonic=lambda: self.at)
        monkeypatch.setattr(active, "time", steady)
        monkeypatch.setattr(clock, "steady_clock", steady.monotonic)
        monkeypatch.setattr(clock, "wall_clock", lambda: self.wall + self.at)
        self.start = partial(ActiveProblems, hass, (problem,), facts, "device")
        hass.data[DATA_MEMORY] = Memory(hass)
        self.problems = self.start()

    def look(self, at: float, *, exists: bool | None) -> tuple[bool, bool]:
        """Test at a time; return whether the problem and its repair are active."""
        self.at, self.exists = at, exists
        self.problems.async_test(SITUATION)
        issue = ir.async_get(self.hass).async_get_issue(DOMAIN, "no_key_device")
        return bool(self.problems.active), issue is not None


def test_a_problem_over_time(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Following(hass, monkeypatch, patience=30)
    assert row.problems.tested is False
    assert row.look(0, exists=None) == (False, False)
    assert [row.problems.tested] == [True]
    assert row.look(10, exists=True) == (False, False)
    assert row.look(39, exists=True) == (False, False)
    assert row.look(40, exists=True) == (True, False)
    since = row.problems.active[0].since
    assert row.look(70, exists=True) == (True, True)
    # Without a result, nothing changes.
    assert row.look(80, exists=None) == (True, True)
    assert row.problems.active[0].since == since
    row.wanted = None
    assert row.look(90, exists=True) == (True, True)
    row.wanted = False
    assert row.look(100, exists=True) == (True, False)
    row.wanted = True
    assert row.look(110, exists=False) == (False, False)
    assert row.look(120, exists=True) == (False, False)
    assert row.look(180, exists=True) == (True, True)
    row.problems.async_stop()
    assert row.look(190, exists=False) == (True, True)
    assert row.changes == [True, False, True]


def test_a_clock_that_is_corrected(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A problem of this run does not become older; one from before does."""
    row = Following(hass, monkeypatch, patience=3600)
    row.look(0, exists=True)
    row.wall += DAY
    for at in range(60, 1260, 60):
        assert row.look(at, exists=True)[0] is False
    assert row.look(3600, exists=True)[0] is True
    assert row.problems.active[0].since == NOW + timedelta(days=1)
    row.problems = row.start()
    row.wall += DAY
    for at in range(3600, 6000, 60):
        row.look(at, exists=True)
    row.wall -= 10 * DAY  # earlier than the beginning
    for at in range(6000, 7200, 60):
        row.look(at, exists=True)
    row.problems = row.start()
    assert row.look(7200, exists=True)[0] is False
    assert row.look(10800, exists=True)[0] is True


def test_what_a_repair_shows(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Following(hass, monkeypatch, values=lambda facts: {"litres": 1.5})
    row.look(0, exists=True)
    row.look(60, exists=True)
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "no_key_device")
    assert issue is not None
    assert issue.data == {"problem": "no_key", "device_id": "device"}
    assert issue.translation_key == "no_key"
    assert issue.translation_placeholders == {"name": "Home pool", "litres": "1.5"}
    assert (issue.is_fixable, issue.is_persistent) == (False, False)
    (shown,) = row.problems.active
    assert (shown.key, shown.variant, shown.values) == (
        "no_key",
        "no_key",
        {"litres": "1.5"},
    )


def test_status() -> None:
    def problem(key: str, severity: Severity) -> Active:
        return Active(key=key, variant=key, severity=severity, since=NOW, values={})

    notice, worse = problem("a", Severity.NOTICE), problem("b", Severity.PROBLEM)
    assert Status.of() == ("all_well", ())
    assert Status.of(notice) == ("notice", (notice,))
    assert Status.of(notice, worse) == ("problem", (worse, notice))
    assert Status() == (None, ())
