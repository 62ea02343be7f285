"""Changes to the dosing settings over the LAN: whole objects, unknown keys kept."""

import asyncio
from dataclasses import replace

import pytest

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
from custom_components.poolctl.client.wire.commands import (
    CHLORINE_SETTINGS,
    PH_SETTINGS,
)
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    ReplyError,
)
from tests.client.conftest import Rig
from tests.client.control.dosing_changes import CHANGES, EACH_CHANGE, Change
from tests.world.simulator import settings as sim_settings
from tests.world.simulator.dialects import ODD
from tests.world.simulator.raw import until

OBJECTS = {
    PH_SETTINGS: sim_settings.read_ph,
    CHLORINE_SETTINGS: sim_settings.read_chlorine,
}
EACH_DOSER = pytest.mark.parametrize("kind", DOSERS, ids=lambda kind: kind.key)


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
    body = before | {change.key: change.raw, change.of.reset: False}  # the whole object
    assert pool.sent() == [(change.of.command, body)]
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


async def test_a_flag_whose_object_cannot_be_read_at_first(pool: Rig) -> None:
    change = asyncio.create_task(pool.controller.dosing.enable(ACID, False))
    await until(lambda: bool(pool.asked("a")))
    pool.pool.faults.once("garbage", 1, PH_SETTINGS.query)
    await change
    assert pool.reported.acid.enabled is False


@EACH_DOSER
async def test_unknown_keys_are_kept(pool: Rig, kind: DoserKind) -> None:
    """Unknown keys are written back exactly as received (C21)."""
    pool.pool.pool.more = dict(ODD)
    await pool.controller.dosing.set_drum(kind, 18_000)
    await pool.controller.dosing.refill(kind)
    assert pool.pool.pool.more == ODD


def lose(patch: pytest.MonkeyPatch, rig: Rig, key: str, **instead: object) -> None:
    """Let the objects of settings lack a key, or have something else in its place."""
    for read in OBJECTS.values():
        told = {name: each for name, each in read(rig.pool.pool).items() if name != key}
        patch.setattr(sim_settings, read.__name__, lambda _, told=told: told | instead)


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
    pool.controller.store.update(lambda state: replace(state, acid=Doser()))
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


async def test_one_write_after_the_other(pool: Rig) -> None:
    """A `cmd` is queued (protocol.md O3): the next write repeats the previous one."""
    dosing = pool.controller.dosing
    pool.pool.faults.once("ignore_writes", 1)
    await asyncio.gather(dosing.set_drum(ACID, 18_000), dosing.set_desired(ACID, 7.5))
    assert (pool.settings["acid_drum"], pool.settings["desired_ph"]) == (18_000, 75)
    # An edit in the app just after our write is not lost.
    pool.settings["acid_drum"] = 19_000
    await pool.polls(4)
    await dosing.set_desired(ACID, 7.4)
    assert (pool.settings["acid_drum"], pool.settings["desired_ph"]) == (19_000, 74)


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
    with pytest.raises(InvalidCommandError, match="drum_without_size"):
        await pool.controller.dosing.refill(ACID)
    assert len(pool.asked("a")) == 1
