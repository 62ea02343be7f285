"""Changing the dosing through the cloud, whose copies may be 30 s old."""

import asyncio

import pytest

from custom_components.poolctl.client.pool.dosing import ACID, DOSERS, DoserKind
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    NotSupportedError,
    RefusedError,
    UnreachableError,
)
from tests.client.conftest import Rig
from tests.client.control.dosing_changes import EACH_CHANGE, Change
from tests.world.simulator import devices, settings as sim_settings, wire
from tests.world.simulator.cloud_dialects import CloudDialect as D
from tests.world.simulator.devices import Read
from tests.world.simulator.dialects import ODD


@pytest.fixture
async def both(pool: Rig) -> Rig:
    """Read the pool on both paths."""
    pool.service.cloud.not_offered.clear()
    assert pool.controller.paths.cloud is not None
    await pool.controller.paths.cloud.read(pool.pool.device_id, "chemistryCard")
    pool.forget()
    return pool


async def later(rig: Rig, seconds: int) -> None:
    """Let some time pass, in which the cloud renews its copies, and poll."""
    await rig.service.clock.sleep(seconds)
    rig.time.now += seconds
    await rig.polls()


@EACH_CHANGE
async def test_a_setting(away: Rig, change: Change) -> None:
    before = dict(away.settings)
    await change.send(away.controller.dosing)
    assert away.written() == [change.of.endpoint]
    changed = dict(away.settings.items() - before.items())
    assert changed == {change.setting: change.stored}
    # Shown at once; the cloud's older copy does not undo it.
    for _ in range(3):
        assert change.shown(away.shown) == change.value
        await later(away, 30)


@pytest.mark.parametrize("kind", DOSERS, ids=lambda kind: kind.key)
async def test_a_refill(away: Rig, kind: DoserKind) -> None:
    """The read before it waits for a busy controller (protocol.md 7.1)."""
    away.service.cloud.faults.once("rate_limited", 2, "chemistryCard")  # 5 s
    away.time.slept.clear()
    await away.controller.dosing.refill(kind)
    assert away.written() == [kind.keys.settings.endpoint]
    assert away.settings[f"{kind.key}_remaining"] == 20_000
    assert away.time.slept[:2] == [5, 5]
    for _ in range(3):
        assert kind.of(away.shown).remaining_ml == 20_000
        await later(away, 30)


async def test_unknown_keys_are_kept(away: Rig) -> None:
    """Unknown keys are written back exactly as received (C21)."""
    odd: wire.Json = {**ODD, "long": "x" * 300, "\ud800": "\udc00", "big": 2**70}
    away.pool.pool.more = dict(odd)
    await later(away, 60)
    await away.controller.dosing.set_desired(ACID, 7.1)
    assert away.pool.pool.more == odd
    assert away.settings["desired_ph"] == 71


async def test_a_copy_that_stays_old_undoes_nothing(away: Rig) -> None:
    """A copy from before each write, served for 5 minutes, undoes nothing (C20)."""
    away.service.cloud.dialects = {D.C20_OLD}
    await away.controller.dosing.set_desired(ACID, 7.1)
    await later(away, 240)
    await away.controller.dosing.set_drum(ACID, 15_000)
    await later(away, 30)
    await away.controller.dosing.enable(ACID, False)
    settings = away.settings
    assert (settings["desired_ph"], settings["acid_drum"]) == (71, 15_000)
    assert not settings["ph_dosing"]


@pytest.mark.parametrize("forget", [False, True], ids=["old copies", "fresh copies"])
async def test_two_changes_in_a_row_do_not_undo_each_other(
    away: Rig, forget: bool
) -> None:
    away.service.cloud.forget_on_write = forget
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


async def test_an_edit_in_the_app_is_not_lost(away: Rig) -> None:
    """An edit in the app counts once a copy can show it, even of what we wrote."""
    await away.controller.dosing.set_desired(ACID, 7.1)
    away.time.advance(10)
    app = {"desired_ph": 76, "max_ph_doses": 4}
    away.pool.pool.settings |= app
    await later(away, 40)
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


async def test_a_card_without_a_value_or_the_object(
    away: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last reported value is written back, not 0."""
    told = sim_settings.read_ph(away.pool.pool)
    del told["desired_ph_level"]
    monkeypatch.setattr(sim_settings, "read_ph", lambda pool: told)
    away.service.cloud.pipeline(away.pool).forget()
    await away.controller.dosing.set_drum(ACID, 15_000)
    assert (away.settings["desired_ph"], away.settings["acid_drum"]) == (74, 15_000)
    monkeypatch.setitem(devices.READS, "chemistryCard", Read(lambda pool: {}))
    away.service.cloud.pipeline(away.pool).forget()
    with pytest.raises(NotSupportedError):
        await away.controller.dosing.set_desired(ACID, 7.2)
    assert away.written() == ["setPhSettings"]


async def test_a_write_that_fails(away: Rig) -> None:
    """It is not assumed to be done."""
    before = dict(away.settings), away.shown
    for fault, error in (("failed", RefusedError), ("error_500", UnreachableError)):
        away.service.cloud.faults.on(fault, "setPhSettings")
        with pytest.raises(error):
            await away.controller.dosing.set_desired(ACID, 7.2)
        assert (dict(away.settings), away.shown) == before
        away.service.cloud.faults.clear()
    await away.controller.dosing.set_drum(ACID, 15_000)
    assert away.settings["desired_ph"] == 74


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
    with pytest.raises(InvalidCommandError, match="request_too_large"):
        await both.controller.dosing.set_drum(ACID, 15_000)
    paths.cloud = cloud
    await both.controller.dosing.set_drum(ACID, 15_000)
    assert both.asked("a") == [] and both.written() == ["setPhSettings"]
    assert (both.settings["acid_drum"], both.settings["of_next_year"]) == (15_000, 7)
