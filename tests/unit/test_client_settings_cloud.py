"""Settings objects of the dosing through the cloud, whose copies may be 30 s old."""

import asyncio
from collections.abc import Callable

import pytest

from custom_components.poolctl.client.control.dosing import CHLORINE, PH, SettingsObject
from custom_components.poolctl.client.exceptions import (
    BusyError,
    InvalidCommandError,
    NotSupportedError,
    RefusedError,
    ReplyError,
    UnreachableError,
)
from tests.simulator import devices, settings as sim_settings
from tests.simulator.devices import Read

from .conftest import Rig


@pytest.fixture
async def pool(make_rig: Callable[..., Rig]) -> Rig:
    """Read the fully equipped pool once, through the cloud alone."""
    rig = make_rig(full=True, lan=False)
    rig.service.cloud.not_offered.clear()
    await rig.controller.poller.poll()
    return rig


@pytest.fixture
async def both(make_rig: Callable[..., Rig]) -> Rig:
    """Read the fully equipped pool once, over the LAN; the cloud has copies, too."""
    rig = make_rig(full=True)
    rig.service.cloud.not_offered.clear()
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    assert rig.controller.paths.cloud is not None
    await rig.controller.paths.cloud.read(rig.pool.device_id, "chemistryCard")
    rig.pool.requests.clear()
    return rig


async def later(rig: Rig, seconds: int) -> None:
    """Let some time pass, in which the cloud renews its copies, and poll."""
    for _ in range(seconds):
        rig.time.advance(1)
        await asyncio.sleep(0.005)
    await rig.controller.poller.poll()


def written(rig: Rig) -> list[str]:
    """Return the writes that the cloud was asked for."""
    return [r.name for r in rig.service.cloud.requests if r.method == "POST"]


@pytest.mark.parametrize(
    ("field", "value", "endpoint", "setting", "raw"),
    [
        ("desired_ph", 7.2, "setPhSettings", "desired_ph", 72),
        ("acid_drum_ml", 15_000, "setPhSettings", "acid_drum", 15_000),
        ("ph_enabled", False, "setPhSettings", "ph_dosing", 0),
        ("desired_orp_mineral", 700, "setChlorineSettings", "desired_orp_mineral", 700),
        ("desired_orp_liquid", 720, "setChlorineSettings", "desired_orp_liquid", 720),
        ("chlorine_drum_ml", 9_000, "setChlorineSettings", "chlorine_drum", 9_000),
        ("chlorinator_enabled", False, "setChlorineSettings", "orp_flags", 2),
        ("liquid_enabled", False, "setChlorineSettings", "orp_flags", 1),
    ],
)
async def test_a_setting(
    pool: Rig, field: str, value: float, endpoint: str, setting: str, raw: int
) -> None:
    before = dict(pool.pool.pool.settings)
    await pool.controller.dosing.change(field, value)
    assert written(pool) == [endpoint]
    after = pool.pool.pool.settings
    assert {k for k in after if after[k] != before.get(k)} == {setting}
    assert after[setting] == raw
    # Shown at once; the cloud's copy is older and does not take it back.
    for _ in range(3):
        part = pool.controller.store.state.configuration, pool.controller.store.state.dosing
        assert value in [getattr(each, field, None) for each in part]
        await later(pool, 30)


@pytest.mark.parametrize("of", [PH, CHLORINE], ids=lambda of: of.substance)
async def test_a_refill(pool: Rig, of: SettingsObject) -> None:
    await pool.controller.dosing.refill(of)
    assert written(pool) == [of.endpoint]
    assert pool.pool.pool.settings[f"{of.substance}_remaining"] == 20_000
    for _ in range(3):
        state = pool.controller.store.state
        assert getattr(state.configuration, of.remaining_field) == 20_000
        await later(pool, 30)


async def test_unknown_keys_are_kept(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        sim_settings.PH, "of_next_year", sim_settings.Key("of_next_year")
    )
    pool.pool.pool.settings["of_next_year"] = 7
    await later(pool, 60)
    await pool.controller.dosing.change("desired_ph", 7.1)
    assert pool.pool.pool.settings["of_next_year"] == 7
    assert pool.pool.pool.settings["desired_ph"] == 71


@pytest.mark.parametrize("forget", [False, True], ids=["old copies", "fresh copies"])
async def test_two_changes_in_a_row_do_not_undo_each_other(
    pool: Rig, forget: bool
) -> None:
    pool.service.cloud.forget_on_write = forget
    change = pool.controller.dosing.change
    await change("desired_ph", 7.1)
    await change("acid_drum_ml", 15_000)
    await asyncio.gather(change("ph_enabled", False), change("desired_ph", 7.2))
    await pool.controller.dosing.refill(PH)
    await change("acid_drum_ml", 16_000)
    settings = pool.pool.pool.settings
    assert (settings["desired_ph"], settings["ph_dosing"]) == (72, 0)
    assert settings["acid_drum"] == 16_000
    # Full when it was refilled; a dose may have been taken since.
    assert 14_900 < settings["acid_remaining"] <= 15_000


async def test_changes_on_both_paths_do_not_undo_each_other(both: Rig) -> None:
    await both.controller.dosing.change("desired_ph", 7.1)
    assert written(both) == []
    both.pool.faults.on("refuse")
    await both.controller.dosing.change("acid_drum_ml", 15_000)
    assert written(both) == ["setPhSettings"]
    assert both.pool.pool.settings["desired_ph"] == 71
    assert both.pool.pool.settings["acid_drum"] == 15_000


async def test_an_edit_in_the_app_is_not_lost(pool: Rig) -> None:
    """Once the copy can have it, it counts: also of what we wrote ourselves before."""
    await pool.controller.dosing.change("desired_ph", 7.1)
    pool.time.advance(10)
    pool.pool.pool.settings |= {"desired_ph": 76, "max_ph_doses": 4}
    await later(pool, 40)
    await pool.controller.dosing.change("acid_drum_ml", 15_000)
    settings = pool.pool.pool.settings
    assert (settings["desired_ph"], settings["max_ph_doses"]) == (76, 4)


@pytest.mark.parametrize("missing", ["chemistryCard", "setPhSettings"])
async def test_not_offered(pool: Rig, missing: str) -> None:
    pool.service.cloud.not_offered.add(missing)
    before = pool.controller.store.state
    for _ in range(2):
        with pytest.raises(NotSupportedError):
            await pool.controller.dosing.change("desired_ph", 7.2)
        with pytest.raises(NotSupportedError):
            await pool.controller.dosing.refill(PH)
    assert pool.controller.store.state == before
    asked = [r for r in pool.service.cloud.requests if r.name == missing]
    assert [r.status for r in asked if r.status == 404] == [404]  # not again and again


async def test_a_card_without_the_object(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(devices.READS, "chemistryCard", Read(lambda pool: {}))
    pool.service.cloud.pipeline(pool.pool).forget()
    with pytest.raises(NotSupportedError):
        await pool.controller.dosing.change("desired_ph", 7.2)
    assert written(pool) == []


async def test_a_card_without_the_value(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sim_settings.PH, "desired_ph_level")
    pool.service.cloud.pipeline(pool.pool).forget()
    with pytest.raises(ReplyError):
        await pool.controller.dosing.change("desired_ph", 7.2)
    assert written(pool) == []


async def test_a_drum_without_a_size_cannot_be_full(pool: Rig) -> None:
    pool.pool.pool.settings["acid_drum"] = 0
    pool.service.cloud.pipeline(pool.pool).forget()
    with pytest.raises(InvalidCommandError):
        await pool.controller.dosing.refill(PH)
    assert written(pool) == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("failed", RefusedError),
        ("error_500", UnreachableError),
        ("hang", UnreachableError),
        ("rate_limited", BusyError),
    ],
)
async def test_writes_that_fail(
    pool: Rig, fault: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("custom_components.poolctl.client.cloud.TIMEOUT", 0.2)
    pool.service.cloud.rate_limited.message = "device busy: retry after 1m0s"
    pool.service.cloud.faults.on(fault, "setPhSettings")
    before = dict(pool.pool.pool.settings), pool.controller.store.state
    with pytest.raises(error):
        await pool.controller.dosing.change("desired_ph", 7.2)
    assert (dict(pool.pool.pool.settings), pool.controller.store.state) == before
    # What failed is not held for written.
    pool.service.cloud.faults.clear()
    pool.time.advance(61)
    await pool.controller.dosing.change("acid_drum_ml", 15_000)
    assert pool.pool.pool.settings["desired_ph"] == 74


async def test_refused_by_the_controller(pool: Rig) -> None:
    pool.pool.faults.on("decline", "setPhSettings")
    before = pool.controller.store.state
    with pytest.raises(RefusedError):
        await pool.controller.dosing.refill(PH)
    assert pool.controller.store.state == before
    assert written(pool) == ["setPhSettings"]


# From one path to the other


@pytest.mark.parametrize("fault", ["refuse", "close_mid_body"])
async def test_the_lan_dies_on_the_way(both: Rig, fault: str) -> None:
    both.pool.faults.on(fault)
    await both.controller.dosing.refill(CHLORINE)
    assert written(both) == ["setChlorineSettings"]
    assert both.pool.pool.settings["chlorine_remaining"] == 20_000


async def test_the_lan_comes_back_after_a_flag_went_by_the_cloud(
    both: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    """The LAN's frames do not tell it: the object is asked again, and confirms it."""
    both.pool.faults.on("refuse")
    await both.controller.dosing.change("ph_enabled", False)
    assert written(both) == ["setPhSettings"]
    both.pool.faults.off("refuse")
    for _ in range(5):
        await both.polls(15)
        await both.controller.queries.refresh()
        assert both.controller.store.state.acid.enabled is False
    assert both.controller.store.known.acid.enabled is False
    assert "never took effect" not in caplog.text


async def test_what_is_too_long_for_the_lan_goes_by_the_cloud(
    both: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "a_very_long_name_of_something_that_comes_with_a_later_firmware_" * 6
    monkeypatch.setitem(sim_settings.PH, key, sim_settings.Key("of_next_year"))
    both.pool.pool.settings["of_next_year"] = 7
    both.service.cloud.pipeline(both.pool).forget()
    await both.controller.dosing.change("acid_drum_ml", 15_000)
    assert both.asked("a") == [] and written(both) == ["setPhSettings"]
    assert both.pool.pool.settings["acid_drum"] == 15_000
    assert both.pool.pool.settings["of_next_year"] == 7
