"""What is known of the dosing: what its settings objects tell, and its drums."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from custom_components.poolctl.client.commands import CHLORINE_SETTINGS, PH_SETTINGS
from custom_components.poolctl.client.frame import Readings, Signals
from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.dosing import (
    ACID,
    DOSING,
    AnyDosing,
    merge_settings,
)
from custom_components.poolctl.client.pool.parts import COUNT_AGE, IDLE_DOSES, Doser
from custom_components.poolctl.client.pool.state import PoolState, with_readings

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("kind", DOSING, ids=lambda kind: kind.key)
def test_every_kind_has_a_part_of_its_own(kind: AnyDosing) -> None:
    state = kind.with_enabled(kind.with_desired(PoolState(), 7), True)
    assert (kind.of(state).desired, kind.of(state).enabled) == (7, True)
    untouched = PoolState()
    for other in DOSING:
        if other is not kind:
            assert other.of(state) == other.of(untouched)


# What an object tells


@pytest.mark.parametrize("odd", [None, "7", 7.5, -1, 256, [1]])
def test_odd_values_tell_nothing(odd: object) -> None:
    before = merge_settings(
        PH_SETTINGS, PoolState(), {"ph_dosing": True, "current_dose_today": 3}, NOW
    )
    after = merge_settings(
        PH_SETTINGS, before, {"ph_dosing": odd, "current_dose_today": odd}, NOW
    )
    assert after.acid == Doser(enabled=True, doses=3)
    assert after.acid.told_at == before.acid.told_at is not None


def test_each_object_is_told_by_itself() -> None:
    told = {"current_dose_today": 3}
    state = merge_settings(PH_SETTINGS, PoolState(), told, NOW)
    assert state.acid.doses == 3 and state.chlorine.doses is None
    assert state.chlorine.told_at is None
    state = merge_settings(CHLORINE_SETTINGS, PoolState(), told, NOW)
    assert state.chlorine.doses == 3 and state.acid.doses is None
    assert state.acid.told_at is None


# Drums


@pytest.mark.parametrize(
    ("size", "left", "level", "low", "litres_left"),
    [
        (20_000, 2_001, 10, False, 2.001),
        (20_000, 2_000, 10, True, 2.0),
        (20_000, 0, 1, True, 0.0),
        (20_000, 2_001, 11, True, 2.001),
        (0, 0, 10, None, None),
        (None, 500, 10, None, None),
        (20_000, None, 10, None, None),
    ],
)
def test_nearly_empty(
    size: int | None,
    left: int | None,
    level: int,
    low: bool | None,
    litres_left: float | None,
) -> None:
    told = {"acid_drum_volume": size, "remain_acid_volume": left}
    state = merge_settings(PH_SETTINGS, PoolState(), told, NOW)
    assert ACID.low(state, ACID.with_low_level(Choices(), level)) is low
    assert state.acid.litres_left == litres_left
    assert state.acid.drum_litres == (20.0 if size else None)
    assert state.chlorine == Doser()
    assert state.chlorine.low(10) is None


# The watch on acid


@pytest.mark.parametrize(
    ("doses", "most", "age", "reached"),
    [
        (5, 6, 0, False),
        (6, 6, 0, True),
        (7, 6, 3600, True),
        (6, 6, 3601, None),
        (None, 6, 0, None),
        (6, None, 0, None),
    ],
)
def test_limit_of_the_day(
    doses: int | None, most: int | None, age: float, reached: bool | None
) -> None:
    told_at = NOW - timedelta(seconds=age)
    doser = Doser(doses=doses, max_doses=most, told_at=told_at)
    assert doser.limit_reached(NOW) is reached
    assert replace(doser, told_at=None).limit_reached(NOW) is None
    assert timedelta(hours=1) == COUNT_AGE


def watched(*steps: object, desired: float | None = 7.4) -> PoolState:
    """Return what is known after some readings (pH) and counts of doses (whole numbers)."""
    state = replace(PoolState(), acid=Doser(desired=desired))
    for step in steps:
        match step:
            case int():
                told = {"current_dose_today": step}
                state = merge_settings(PH_SETTINGS, state, told, NOW)
            case float(ph):
                flowing = Signals(chemistry_stable=True)
                state = with_readings(state, Readings(ph=ph), flowing, NOW)
            case (float(ph), bool(stable)):
                signals = Signals(chemistry_stable=stable)
                state = with_readings(state, Readings(ph=ph), signals, NOW)
    return state


@pytest.mark.parametrize(
    ("steps", "idle"),
    [
        ((7.8, 0, 3, 7.8, 7), 7),
        ((7.8, 0, 3, 7.7, 7), 4),
        # It rises by itself between doses; while it is dosed, that is no effect.
        ((7.8, 7.9, 0, 3, 7.8, 7), 4),
        ((7.8, 0, 3, 7.9, 7.8, 7), 7),
        ((7.8, 0, 3, 7.9, 7.7, 7), 4),
        # As it should be: dosing works, or it is not dosing's doing.
        ((7.5, 0, 3, 7.4, 7), 4),
        # What still water or no probe tells is no reading.
        ((7.8, 0, 3, (7.0, False), 7), 7),
        # A count that begins anew, or is an older copy.
        ((7.8, 0, 5, 1, 2), 6),
        # How many there were before the first count is not known.
        ((7.8, 5), 0),
    ],
)
def test_doses_since_the_ph_fell(steps: Iterable[object], idle: int) -> None:
    state = watched(*steps)
    assert state.acid.idle_doses == idle
    assert state.chlorine.idle_doses == 0


def test_dosing_without_effect() -> None:
    assert watched(0, 20).acid.without_effect is None
    assert watched(7.8).acid.without_effect is None
    assert watched(7.8, 0, IDLE_DOSES - 1).acid.without_effect is False
    assert watched(7.8, 0, IDLE_DOSES).acid.without_effect is True
    assert watched(7.8, 0, IDLE_DOSES, 7.7).acid.without_effect is False
    assert watched(7.3, 0, IDLE_DOSES, 7.3).acid.without_effect is False
    assert watched(7.3, 0, IDLE_DOSES, 7.3, desired=None).acid.without_effect is True
