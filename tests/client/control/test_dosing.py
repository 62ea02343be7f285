"""Changes to the dosing settings: whole objects, unknown keys kept."""

import asyncio
from dataclasses import dataclass, replace

import pytest

from custom_components.poolctl.client.control.dosing import DosingControl
from custom_components.poolctl.client.pool.dosing import (
    ACID,
    CHLORINATOR,
    CHLORINE,
    DOSERS,
    DOSING,
    AnyDosing,
    DoserKind,
)
from custom_components.poolctl.client.pool.parts import Doser
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.commands import (
    CHLORINE_SETTINGS as ORP,
    PH_SETTINGS as PH,
    SettingsObject,
)
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    NotSupportedError,
    ReplyError,
)
from tests.client.conftest import Rig, because
from tests.world.simulator import settings as sim_settings, wire
from tests.world.simulator.cloud_dialects import CloudDialect as D
from tests.world.simulator.dialects import ODD

OBJECTS = {PH: sim_settings.read_ph, ORP: sim_settings.read_chlorine}
EACH_DOSER = pytest.mark.parametrize("kind", DOSERS, ids=lambda kind: kind.key)


@dataclass(frozen=True)
class Change:
    """A change of one setting, and its expected effects."""

    kind: AnyDosing
    field: str
    """Name in the state."""
    value: float
    """Value that is shown after the change."""
    setting: str
    stored: int
    """Name and value in the simulated pool after the change."""

    @property
    def of(self) -> SettingsObject:
        return self.kind.keys.settings

    def shown(self, state: PoolState) -> object:
        return getattr(self.kind.of(state), self.field)

    async def send(self, dosing: DosingControl) -> None:
        if self.field == "desired":
            await dosing.set_desired(self.kind, self.value)
        elif isinstance(self.kind, DoserKind) and self.field == "drum_ml":
            await dosing.set_drum(self.kind, self.value)
        else:
            await dosing.enable(self.kind, bool(self.value))


CHANGES = [
    Change(ACID, "desired", 7.2, "desired_ph", 72),
    Change(CHLORINATOR, "desired", 700, "desired_orp_mineral", 700),
    Change(CHLORINE, "desired", 720, "desired_orp_liquid", 720),
    Change(ACID, "drum_ml", 15_000, "acid_drum", 15_000),
    Change(CHLORINE, "drum_ml", 25_500, "chlorine_drum", 25_500),
    Change(ACID, "enabled", False, "ph_dosing", 0),
    Change(CHLORINATOR, "enabled", False, "orp_flags", 0b10),
    Change(CHLORINE, "enabled", False, "orp_flags", 0b01),
]
EACH_CHANGE = pytest.mark.parametrize(
    "change", CHANGES, ids=lambda change: f"{change.kind.key} {change.field}"
)


# Over the LAN


def changed(rig: Rig, before: dict[str, float]) -> set[str]:
    """Return the names of the changed settings, without the levels of the drums."""
    changes = dict(rig.settings.items() - before.items())
    return {name for name in changes if not name.endswith("_remaining")}


def test_every_setting_is_changed_here() -> None:
    fields = {("desired", kind) for kind in DOSING} | {("drum_ml", d) for d in DOSERS}
    fields |= {("enabled", kind) for kind in DOSING}
    assert {(change.field, change.kind) for change in CHANGES} == fields


@EACH_CHANGE
async def test_a_setting(pool: Rig, change: Change) -> None:
    before, settings = OBJECTS[change.of](pool.pool.pool), dict(pool.settings)
    assert change.shown(pool.reported) != change.value
    await change.send(pool.controller.dosing)
    # No state frame reports a flag: only reading its object again confirms it.
    confirmed_by = change.of.query if change.field == "enabled" else "state"
    assert pool.names() == [change.of.query, "cmd", confirmed_by]
    ((command, body),) = pool.sent()
    assert command == change.of.command
    # The whole object, in which one value is another one.
    assert len(before.items() - body.items()) == 1 and body[change.of.reset] is False
    assert change.shown(pool.reported) == change.value
    assert changed(pool, settings) == {change.setting}
    assert pool.settings[change.setting] == change.stored
    # Shown at once, although the reply carries no configuration.
    assert {change.shown(state) for state in pool.published} == {change.value}


async def test_off_and_on_again(pool: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flag goes back in the form in which it came."""
    monkeypatch.setitem(sim_settings.PH, "ph_dosing", sim_settings.Key("ph_dosing"))
    settings = dict(pool.settings)
    for on in (False, True):
        for kind in DOSING:
            await pool.controller.dosing.enable(kind, on)
            assert kind.of(pool.reported).enabled is on
        assert changed(pool, settings) == (set() if on else {"ph_dosing", "orp_flags"})
    flags = [body["ph_dosing"] for _, body in pool.sent() if "ph_dosing" in body]
    assert [str(flag) for flag in flags] == ["0", "1"]


@pytest.mark.row("C21")
@EACH_DOSER
async def test_unknown_keys_are_kept(pool: Rig, kind: DoserKind) -> None:
    """Unknown keys are written back exactly as received."""
    pool.pool.pool.more = dict(ODD)
    await pool.controller.dosing.set_drum(kind, 18_000)
    await pool.controller.dosing.refill(kind)
    assert pool.pool.pool.more == ODD


def lose(patch: pytest.MonkeyPatch, rig: Rig, key: str, **instead: object) -> None:
    """Let the objects of settings lack a key, or have something else in its place."""
    for read in OBJECTS.values():
        reported = {
            name: each for name, each in read(rig.pool.pool).items() if name != key
        }
        patch.setattr(
            sim_settings, read.__name__, lambda _, reported=reported: reported | instead
        )


REPORTED = sorted(
    {key for kind in DOSING for key in (kind.keys.desired, kind.keys.enabled)}
    | {key for kind in DOSERS for key in (kind.keys.size, kind.keys.remaining)}
)


@pytest.mark.parametrize("key", REPORTED)
async def test_a_reply_without_all_of_it(
    pool: Rig, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """The controller sets to 0 what is not written: what was reported before is."""
    for instead in ({}, {key: None}, {key: "much"}):
        before = dict(pool.settings)
        with monkeypatch.context() as patch:
            lose(patch, pool, key, **instead)
            pool.controller.queries.expire()
            for kind in DOSERS:
                size = before[f"{kind.key}_drum"] + 500
                await pool.controller.dosing.set_drum(kind, size)
        assert changed(pool, before) == {"acid_drum", "chlorine_drum"}
        for name in ("acid_remaining", "chlorine_remaining"):
            assert pool.settings[name] == pytest.approx(before[name], abs=99)


async def test_a_setting_that_nothing_reports(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(monkeypatch, pool, "desired_ph_level")
    pool.controller.live.update(lambda state: replace(state, acid=Doser()))
    with pytest.raises(ReplyError):
        await pool.controller.dosing.set_drum(ACID, 15_000)
    assert pool.asked("a") == []


async def test_several_settings_at_once(pool: Rig) -> None:
    dosing = pool.controller.dosing
    slider = (7.0, 7.1, 7.2, 7.3)
    await asyncio.gather(*(dosing.set_desired(ACID, value) for value in slider))
    assert [body["desired_ph_level"] for _, body in pool.sent()] == [73]
    await asyncio.gather(
        dosing.set_desired(CHLORINATOR, 610),
        dosing.set_desired(CHLORINE, 620),
        dosing.enable(CHLORINE, False),
        dosing.set_desired(ACID, 7.2),
        dosing.refill(ACID),
        dosing.set_drum(ACID, 21_000),
    )
    expected = {"desired_orp_mineral": 610, "desired_orp_liquid": 620, "orp_flags": 1}
    expected |= {"desired_ph": 72, "acid_drum": 21_000}
    assert pool.settings.items() >= expected.items()
    assert pool.settings["acid_remaining"] > 19_000


async def test_impossible_values_are_not_sent_and_others_are_rounded(pool: Rig) -> None:
    desired: dict[AnyDosing, tuple[float, ...]] = {
        ACID: (0, -1, 6.7, 8.3, 14.1, 99, float("nan"), float("inf")),
        CHLORINE: (300, 901),
        CHLORINATOR: (399, 901),
    }
    for kind, values in desired.items():
        for value in values:
            with pytest.raises(InvalidCommandError):
                await pool.controller.dosing.set_desired(kind, value)
    for doser in DOSERS:
        for size in (0, 999, 200_001, float("nan")):
            with pytest.raises(InvalidCommandError):
                await pool.controller.dosing.set_drum(doser, size)
    assert pool.asked() == []
    for value in (7.04, 7.35, 7.449):
        await pool.controller.dosing.set_desired(ACID, value)
        assert pool.reported.acid.desired == round(value * 10) / 10


# Refills


@EACH_DOSER
async def test_a_refill(pool: Rig, kind: DoserKind) -> None:
    of, remaining = kind.keys.settings, f"{kind.key}_remaining"
    before, settings = OBJECTS[of](pool.pool.pool), dict(pool.settings)
    await pool.controller.dosing.refill(kind)
    assert pool.names() == [of.query, "cmd", "state"]
    assert pool.sent() == [(of.command, before | {of.reset: True})]
    assert changed(pool, settings) == set()
    assert pool.settings[remaining] == 20_000
    assert {kind.of(state).remaining_ml for state in pool.published} == {20_000}
    # The next write does not refill it again.
    pool.settings[remaining] = 19_000
    pool.time.advance(10)
    await pool.controller.dosing.set_drum(kind, 25_000)
    assert pool.settings[remaining] == 19_000


async def test_a_refill_of_a_full_drum_that_is_dosed_from(pool: Rig) -> None:
    pool.settings["acid_remaining"] = 20_000
    await pool.polls()
    pool.pool.pool.water.ph = 7.9
    pool.time.advance(20)  # a dose is under way
    await pool.controller.dosing.refill(ACID)
    assert pool.settings["acid_remaining"] > 19_900
    pool.settings["acid_drum"] = 0  # it cannot be full
    pool.controller.queries.expire()
    with pytest.raises(InvalidCommandError, check=because("drum_without_size")):
        await pool.controller.dosing.refill(ACID)
    assert len(pool.asked("a")) == 1


# Through the cloud, whose copies may be 30 s old


@pytest.fixture
async def both(pool: Rig) -> Rig:
    """Read the pool on both paths."""
    pool.service.cloud.not_offered.clear()
    assert pool.controller.paths.cloud is not None
    await pool.controller.paths.cloud.read(pool.pool.device_id, "chemistryCard")
    pool.forget()
    return pool


@EACH_CHANGE
async def test_a_setting_by_the_cloud(away: Rig, change: Change) -> None:
    before = dict(away.settings)
    await change.send(away.controller.dosing)
    assert away.written() == [change.of.endpoint]
    assert dict(away.settings.items() - before.items()) == {
        change.setting: change.stored
    }
    # Shown at once; the cloud's older copy does not undo it.
    for _ in range(3):
        assert change.shown(away.shown) == change.value
        await away.renewed(30)


@EACH_DOSER
async def test_a_refill_by_the_cloud(away: Rig, kind: DoserKind) -> None:
    """The read before it waits for a busy controller (protocol.md 7.1)."""
    away.service.cloud.faults.once("rate_limited", 2, "chemistryCard")  # 5 s
    away.time.slept.clear()
    await away.controller.dosing.refill(kind)
    assert away.written() == [kind.keys.settings.endpoint]
    assert away.settings[f"{kind.key}_remaining"] == 20_000
    assert away.time.slept[:2] == [5, 5]
    for _ in range(3):
        assert kind.of(away.shown).remaining_ml == 20_000
        await away.renewed(30)


@pytest.mark.row("C21")
async def test_unknown_keys_are_kept_by_the_cloud(away: Rig) -> None:
    """Unknown keys are written back exactly as received."""
    odd: wire.Json = {**ODD, "long": "x" * 300, "\ud800": "\udc00", "big": 2**70}
    away.pool.pool.more = dict(odd)
    for _ in range(2):
        await away.renewed(60)
    await away.controller.dosing.set_desired(ACID, 7.1)
    assert away.pool.pool.more == odd
    assert away.settings["desired_ph"] == 71


@pytest.mark.row("C20")
async def test_a_copy_that_stays_old_undoes_nothing(away: Rig) -> None:
    """A copy from before each write, served for 5 minutes, undoes nothing."""
    away.service.cloud.dialects = {D.C20_OLD}
    await away.controller.dosing.set_desired(ACID, 7.1)
    await away.renewed(240)
    await away.controller.dosing.set_drum(ACID, 15_000)
    await away.renewed(30)
    await away.controller.dosing.enable(ACID, False)
    settings = away.settings
    assert (settings["desired_ph"], settings["acid_drum"]) == (71, 15_000)
    assert not settings["ph_dosing"]


@pytest.mark.parametrize("forget", [False, True], ids=["old copies", "fresh copies"])
async def test_two_changes_in_a_row_do_not_undo_each_other(
    away: Rig, forget: bool
) -> None:
    away.service.cloud.dialects = {D.C12_FRESH} if forget else set()
    dosing = away.controller.dosing
    await dosing.set_desired(ACID, 7.1)
    await dosing.set_drum(ACID, 15_000)
    await asyncio.gather(dosing.enable(ACID, False), dosing.set_desired(ACID, 7.2))
    await dosing.refill(ACID)
    await dosing.set_drum(ACID, 16_000)
    settings = away.settings
    assert (settings["desired_ph"], settings["ph_dosing"]) == (72, 0)
    assert settings["acid_drum"] == 16_000
    # Full when it was refilled; a dose may have been taken since.
    assert 14_900 < settings["acid_remaining"] <= 15_000


async def test_an_edit_in_the_app_is_not_lost_by_the_cloud(away: Rig) -> None:
    """An edit in the app counts once a copy can show it, even of what we wrote."""
    await away.controller.dosing.set_desired(ACID, 7.1)
    away.time.advance(10)
    app = {"desired_ph": 76, "max_ph_doses": 4}
    away.pool.pool.settings |= app
    await away.renewed(40)
    await away.renewed(31)  # a second copy confirms it
    await away.controller.dosing.set_drum(ACID, 15_000)
    assert away.settings.items() >= app.items()


@pytest.mark.parametrize("missing", ["chemistryCard", "setPhSettings"])
async def test_not_offered(away: Rig, missing: str) -> None:
    away.service.cloud.not_offered.add(missing)
    before, dosing = away.shown, away.controller.dosing
    for _ in range(2):
        for change in (dosing.set_desired(ACID, 7.2), dosing.refill(ACID)):
            with pytest.raises(NotSupportedError):
                await change
    assert away.shown == before
    asked = [r for r in away.service.cloud.requests if r.name == missing]
    assert [r.status for r in asked if r.status == 404] == [404]  # only once


# From one path to the other


@pytest.mark.parametrize("fault", ["refuse", "close_mid_body"])
async def test_the_lan_dies_on_the_way_and_comes_back(
    both: Rig, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    """Changes on both paths do not undo each other.

    LAN frames do not report the flag: its object is read again to confirm it.
    """
    await both.controller.dosing.set_desired(ACID, 7.1)
    assert both.written() == []
    both.pool.faults.on(fault)
    await both.controller.dosing.enable(ACID, False)
    assert both.written() == ["setPhSettings"]
    both.pool.faults.clear()
    for _ in range(5):
        await both.polls(15)
        await both.controller.queries.refresh()
        assert both.shown.acid.enabled is False
    assert both.reported.acid.enabled is False
    assert (both.settings["desired_ph"], both.settings["ph_dosing"]) == (71, 0)
    assert "never took effect" not in caplog.text


async def test_what_is_too_long_for_the_lan_goes_by_the_cloud(
    both: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """protocol.md 8: a request has at most 1024 bytes, half of them a hex payload."""
    key = "a_very_long_name_of_something_that_comes_with_a_later_firmware_" * 6
    monkeypatch.setitem(sim_settings.PH, key, sim_settings.Key("of_next_year"))
    both.settings["of_next_year"] = 7
    both.service.cloud.pipeline(both.pool).forget()
    paths, cloud = both.controller.paths, both.controller.paths.cloud
    paths.cloud = None
    with pytest.raises(InvalidCommandError, check=because("request_too_large")):
        await both.controller.dosing.set_drum(ACID, 15_000)
    paths.cloud = cloud
    await both.controller.dosing.set_drum(ACID, 15_000)
    assert both.asked("a") == [] and both.written() == ["setPhSettings"]
    assert (both.settings["acid_drum"], both.settings["of_next_year"]) == (15_000, 7)
