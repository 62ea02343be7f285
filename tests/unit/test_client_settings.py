"""Settings objects of the dosing over the LAN: whole, and unknown keys kept."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from custom_components.poolctl.client.control.dosing import (
    CHLORINE,
    PH,
    SETTINGS,
    SettingsObject,
    merge_ph_settings,
)
from custom_components.poolctl.client.exceptions import (
    InvalidCommandError,
    NotAppliedError,
    RefusedError,
    ReplyError,
    RequestTooLargeError,
    UnreachableError,
)
from custom_components.poolctl.client.pool.drums import drum
from custom_components.poolctl.client.pool.state import Dosing, PoolState
from tests.simulator import settings as sim_settings, wire
from tests.simulator.raw import until

from .conftest import Rig

OBJECTS = {PH: sim_settings.read_ph, CHLORINE: sim_settings.read_chlorine}


@pytest.fixture
async def pool(make_rig: Callable[..., Rig]) -> Rig:
    """Read the fully equipped pool once, over the LAN."""
    rig = make_rig(full=True)
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    rig.pool.requests.clear()
    rig.published.clear()
    return rig


def sent(rig: Rig) -> list[dict[str, object]]:
    """Return the bodies of the commands the controller has run."""
    payloads = [request.payload for request in rig.asked("a")]
    return [wire.decode_cmd(payload)[1] for payload in payloads if payload]


def changed(rig: Rig, before: dict[str, float]) -> set[str]:
    """Return the settings of the pool that are others now, but for doses taken."""
    return {
        name
        for name, now in rig.pool.pool.settings.items()
        if now != before.get(name) and not name.endswith("_remaining")
    }


# field, value, object, key, value on the wire, setting of the simulated pool
CASES = [
    ("desired_ph", 7.2, PH, "desired_ph_level", 72, "desired_ph"),
    ("acid_drum_ml", 15_000, PH, "acid_drum_volume", 15_000, "acid_drum"),
    ("desired_orp_mineral", 700, CHLORINE, "desired_orp_level_mineral", 700,
     "desired_orp_mineral"),
    ("desired_orp_liquid", 720, CHLORINE, "desired_orp_level_liquid", 720,
     "desired_orp_liquid"),
    ("chlorine_drum_ml", 25_500, CHLORINE, "chlorine_drum_volume", 25_500,
     "chlorine_drum"),
]  # fmt: skip
FLAGS = [
    ("ph_enabled", PH, "ph_dosing", "ph_dosing", 0),
    ("chlorinator_enabled", CHLORINE, "orp_controlled", "orp_flags", 2),
    ("liquid_enabled", CHLORINE, "liquid_chlorine_dosing", "orp_flags", 1),
]


def test_the_table_and_the_state_agree() -> None:
    state = PoolState()
    for field, setting in SETTINGS.items():
        assert hasattr(getattr(state, setting.part), field)
    for of in OBJECTS:
        assert hasattr(state.configuration, of.drum_field)
        assert hasattr(state.configuration, of.remaining_field)
        assert hasattr(state, of.low_level_field)
    changed = {field for field, row in SETTINGS.items() if row.range or row.flag}
    assert changed == {case[0] for case in (*CASES, *FLAGS)}


@pytest.mark.parametrize(("field", "value", "of", "key", "raw", "setting"), CASES)
async def test_a_setting(
    pool: Rig,
    field: str,
    value: float,
    of: SettingsObject,
    key: str,
    raw: int,
    setting: str,
) -> None:
    before, settings = OBJECTS[of](pool.pool.pool), dict(pool.pool.pool.settings)
    await pool.controller.dosing.change(field, value)
    assert [r.name or r.op for r in pool.asked()] == [of.query, "cmd", "state"]
    name, body = wire.decode_cmd(pool.asked("a")[0].payload or b"")
    assert name == of.command
    assert body == before | {key: raw, of.reset: False}  # the whole object
    assert getattr(pool.controller.store.known.configuration, field) == value
    assert changed(pool, settings) == {setting}
    # Shown at once, although the reply carries no configuration.
    shown = [getattr(state.configuration, field) for state in pool.published]
    assert shown == [value] * len(shown) and shown


@pytest.mark.parametrize(("field", "of", "key", "setting", "raw"), FLAGS)
async def test_a_flag(
    pool: Rig, field: str, of: SettingsObject, key: str, setting: str, raw: int
) -> None:
    """No state frame tells it, so the object is read again to confirm it."""
    before, settings = OBJECTS[of](pool.pool.pool), dict(pool.pool.pool.settings)
    assert getattr(pool.controller.store.known.dosing, field) is True
    await pool.controller.dosing.change(field, False)
    asked = [r.name or r.op for r in pool.asked()]
    assert asked == [of.query, "cmd", of.query, "state"]
    assert sent(pool) == [before | {key: False, of.reset: False}]
    assert getattr(pool.controller.store.known.dosing, field) is False
    assert changed(pool, settings) == {setting}
    assert pool.pool.pool.settings[setting] == raw
    shown = [getattr(state.dosing, field) for state in pool.published]
    assert shown == [False] * len(shown) and shown
    await pool.controller.dosing.change(field, True)
    assert changed(pool, settings) == set()


async def test_a_flag_goes_back_in_the_form_in_which_it_came(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sim_settings.PH, "ph_dosing", sim_settings.Key("ph_dosing"))
    await pool.controller.dosing.change("ph_enabled", False)
    (body,) = sent(pool)
    assert body["ph_dosing"] == 0 and body["ph_dosing"] is not False
    assert pool.controller.store.known.acid.enabled is False


async def test_a_flag_that_never_changes(pool: Rig) -> None:
    pool.pool.faults.on("ignore_writes")
    with pytest.raises(NotAppliedError):
        await pool.controller.dosing.change("ph_enabled", False)
    assert pool.controller.store.state.acid.enabled is True
    # Looked for again and again, not once.
    assert [r.name for r in pool.asked("q")] == [PH.query] * 6


async def test_a_flag_whose_object_cannot_be_read_at_first(pool: Rig) -> None:
    change = asyncio.create_task(pool.controller.dosing.change("ph_enabled", False))
    await until(lambda: bool(pool.asked("a")))
    pool.pool.faults.once("garbage", 1, PH.query)
    await change
    assert pool.controller.store.known.acid.enabled is False


@pytest.mark.parametrize("of", OBJECTS, ids=lambda of: of.substance)
async def test_unknown_keys_are_kept(
    pool: Rig, monkeypatch: pytest.MonkeyPatch, of: SettingsObject
) -> None:
    keys = {PH: sim_settings.PH, CHLORINE: sim_settings.CHLORINE}[of]
    monkeypatch.setitem(keys, "of_next_year", sim_settings.Key("of_next_year"))
    pool.pool.pool.settings["of_next_year"] = 7
    await pool.controller.dosing.change(of.drum_field, 18_000)
    await pool.controller.dosing.refill(of)
    assert pool.pool.pool.settings["of_next_year"] == 7


async def test_a_setting_the_controller_does_not_have(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sim_settings.PH, "desired_ph_level")
    before = pool.controller.store.state
    with pytest.raises(ReplyError):
        await pool.controller.dosing.change("desired_ph", 7.1)
    assert pool.asked("a") == [] and pool.controller.store.state == before


async def test_several_settings_at_once(pool: Rig) -> None:
    change = pool.controller.dosing.change
    await asyncio.gather(
        change("desired_orp_mineral", 610),
        change("desired_orp_liquid", 620),
        change("liquid_enabled", False),
        change("desired_ph", 7.3),
        pool.controller.dosing.refill(PH),
        change("acid_drum_ml", 21_000),
    )
    settings = pool.pool.pool.settings
    assert settings["desired_orp_mineral"] == 610
    assert settings["desired_orp_liquid"] == 620
    assert settings["orp_flags"] == 1
    assert settings["desired_ph"] == 73
    assert settings["acid_drum"] == 21_000
    assert settings["acid_remaining"] > 19_000


async def test_an_edit_in_the_app_is_not_lost(pool: Rig) -> None:
    """What the app changed since we last read is written back as the app left it."""
    pool.pool.pool.settings |= {"desired_ph": 76, "max_ph_doses": 4}
    await pool.controller.dosing.change("acid_drum_ml", 18_000)
    assert pool.pool.pool.settings["desired_ph"] == 76
    assert pool.pool.pool.settings["max_ph_doses"] == 4
    # Nor what it changed of the very setting that we wrote a little before.
    pool.time.advance(4)
    pool.pool.pool.settings["acid_drum"] = 19_000
    await pool.controller.dosing.change("desired_ph", 7.5)
    assert pool.pool.pool.settings["acid_drum"] == 19_000


async def test_a_reply_that_lags_behind_a_write(pool: Rig) -> None:
    """A `cmd` is queued (layouts.md 3): the next change carries the last one, too."""
    pool.pool.faults.once("ignore_writes", 1)
    first = pool.controller.dosing.change("acid_drum_ml", 18_000)
    second = pool.controller.dosing.change("desired_ph", 7.5)
    await asyncio.gather(first, second)
    assert pool.pool.pool.settings["acid_drum"] == 18_000
    assert pool.pool.pool.settings["desired_ph"] == 75


async def test_a_slider_of_a_setting(pool: Rig) -> None:
    values = [7.0, 7.1, 7.2, 7.3]
    await asyncio.gather(
        *(pool.controller.dosing.change("desired_ph", value) for value in values)
    )
    assert [body["desired_ph_level"] for body in sent(pool)] == [73]


@pytest.mark.parametrize("value", [7.04, 7.35, 7.449])
async def test_a_setting_is_rounded_to_what_the_wire_carries(
    pool: Rig, value: float
) -> None:
    await pool.controller.dosing.change("desired_ph", value)
    assert pool.controller.store.known.acid.desired == round(value * 10) / 10


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(
            ("desired_ph", value)
            for value in (0, -1, 14.1, 99, float("nan"), float("inf"))
        ),
        ("desired_orp_liquid", 300),
        ("acid_drum_ml", 0),
        ("acid_drum_ml", 200_001),
        # The controller's own, not a person's.
        ("acid_remaining_ml", 5_000),
        ("acid_doses", 1),
    ],
)
async def test_impossible_settings_are_not_sent(
    pool: Rig, field: str, value: float
) -> None:
    with pytest.raises(InvalidCommandError):
        await pool.controller.dosing.change(field, value)
    assert pool.asked() == []


async def test_refused(pool: Rig) -> None:
    pool.pool.faults.on("decline")
    before = dict(pool.pool.pool.settings), pool.controller.store.state
    for command in (
        pool.controller.dosing.change("acid_drum_ml", 18_000),
        pool.controller.dosing.change("ph_enabled", False),
        pool.controller.dosing.refill(PH),
    ):
        with pytest.raises(RefusedError):
            await command
    assert (dict(pool.pool.pool.settings), pool.controller.store.state) == before
    assert len(pool.asked("a")) == 3  # a refusal is final


# Refills


@pytest.mark.parametrize("of", OBJECTS, ids=lambda of: of.substance)
async def test_a_refill(pool: Rig, of: SettingsObject) -> None:
    before, settings = OBJECTS[of](pool.pool.pool), dict(pool.pool.pool.settings)
    await pool.controller.dosing.refill(of)
    assert [r.name or r.op for r in pool.asked()] == [of.query, "cmd", "state"]
    assert sent(pool) == [before | {of.reset: True}]
    assert changed(pool, settings) == set()
    assert pool.pool.pool.settings[f"{of.substance}_remaining"] == 20_000
    shown = [
        getattr(state.configuration, of.remaining_field) for state in pool.published
    ]
    assert shown == [20_000] * len(shown) and shown
    # The next write does not refill it again.
    pool.pool.pool.settings[f"{of.substance}_remaining"] = 19_000
    pool.time.advance(10)
    await pool.controller.dosing.change(of.drum_field, 25_000)
    assert pool.pool.pool.settings[f"{of.substance}_remaining"] == 19_000


async def test_a_refill_of_a_full_drum_that_is_dosed_from(pool: Rig) -> None:
    pool.pool.pool.settings["acid_remaining"] = 20_000
    await pool.controller.poller.poll()
    pool.pool.pool.water.ph = 7.9
    pool.time.advance(20)  # a dose is under way
    await pool.controller.dosing.refill(PH)
    assert pool.pool.pool.settings["acid_remaining"] > 19_900


async def test_a_refill_that_never_comes_true(pool: Rig) -> None:
    pool.pool.faults.on("ignore_writes")
    with pytest.raises(NotAppliedError):
        await pool.controller.dosing.refill(PH)
    assert pool.controller.store.state.acid.remaining_ml == 12_500


async def test_a_drum_without_a_size_cannot_be_full(pool: Rig) -> None:
    pool.pool.pool.settings["acid_drum"] = 0
    with pytest.raises(InvalidCommandError) as caught:
        await pool.controller.dosing.refill(PH)
    assert caught.value.reason == "drum_without_size"
    assert pool.asked("a") == []


# The LAN goes


@pytest.mark.parametrize("fault", ["close_mid_body", "hang", "refuse"])
async def test_the_lan_dies_on_the_way(pool: Rig, fault: str) -> None:
    """What was written counts, what is told is true: nothing is half a setting."""
    pool.service.cloud.faults.on("refuse")
    pool.pool.faults.on(fault)
    before = pool.controller.store.state
    task = asyncio.create_task(pool.controller.dosing.change("acid_drum_ml", 18_000))
    if fault == "hang":
        await until(lambda: bool(pool.asked("q")))
        await pool.pool.stop()
    with pytest.raises(UnreachableError):
        await task
    assert pool.controller.store.state == before
    assert pool.pool.pool.settings["acid_drum"] == 20_000


async def test_an_object_too_large_for_the_lan_is_not_sent(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """interface.md 8: a request has at most 1024 bytes, half of them a hex payload."""
    key = "a_very_long_name_of_something_that_comes_with_a_later_firmware_" * 6
    monkeypatch.setitem(sim_settings.PH, key, sim_settings.Key("of_next_year"))
    with pytest.raises(RequestTooLargeError):
        await pool.controller.dosing.change("acid_drum_ml", 18_000)
    assert pool.asked("a") == []


# What an object tells


@pytest.mark.parametrize("odd", [None, "7", 7.5, -1, 256, [1]])
def test_odd_values_tell_nothing(odd: Any) -> None:
    before = merge_ph_settings(
        PoolState(), {"ph_dosing": True, "current_dose_today": 3}
    )
    after = merge_ph_settings(before, {"ph_dosing": odd, "current_dose_today": odd})
    assert after.dosing == Dosing(ph_enabled=True, acid_doses=3)
    assert after.acid.told_at == before.acid.told_at is not None


def test_each_object_is_told_by_itself() -> None:
    state = merge_ph_settings(PoolState(), {"current_dose_today": 3})
    assert state.acid.doses == 3 and state.chlorine.doses is None
    assert state.chlorine.told_at is None


# Drums


@pytest.mark.parametrize(
    ("size", "left", "level", "low"),
    [
        (20_000, 2_001, 10, False),
        (20_000, 2_000, 10, True),
        (20_000, 0, 1, True),
        (20_000, 2_001, 11, True),
        (0, 0, 10, None),
        (None, 500, 10, None),
        (20_000, None, 10, None),
    ],
)
def test_nearly_empty(
    size: int | None, left: int | None, level: int, low: bool | None
) -> None:
    rig = PoolState(acid_low_level=level)
    told = {"acid_drum_volume": size, "remain_acid_volume": left}
    assert drum(merge_ph_settings(rig, told), PH).low is low
    assert drum(merge_ph_settings(rig, told), CHLORINE).low is None
