"""The state of the dosing: values of its settings objects, drums and limits."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.dosing import ACID, CHLORINE, merge_settings
from custom_components.poolctl.client.pool.parts import COUNT_AGE, Doser
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.commands import (
    CHLORINE_SETTINGS,
    PH_SETTINGS,
)

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


# Settings objects


def test_odd_values_leave_what_is_known() -> None:
    known = {"ph_dosing": True, "current_dose_today": 3}
    before = merge_settings(PH_SETTINGS, PoolState(), known, NOW)
    for odd in (None, "7", 7.5, -1, 256, [1]):
        answer = {"ph_dosing": odd, "current_dose_today": odd}
        after = merge_settings(PH_SETTINGS, before, answer, NOW)
        assert after.acid == Doser(enabled=True, doses=3)
        assert after.acid.doses_at == before.acid.doses_at is not None


def test_each_object_is_reported_by_itself() -> None:
    for name, kind, other in (
        (PH_SETTINGS, ACID, CHLORINE),
        (CHLORINE_SETTINGS, CHLORINE, ACID),
    ):
        state = merge_settings(name, PoolState(), {"current_dose_today": 3}, NOW)
        untouched = other.of(state)
        assert kind.of(state).doses == 3
        assert (untouched.doses, untouched.doses_at) == (None, None)


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
    answer = {"acid_drum_volume": size, "remain_acid_volume": left}
    state = merge_settings(PH_SETTINGS, PoolState(), answer, NOW)
    assert ACID.low(state, ACID.with_low_level(Choices(), level)) is low
    assert state.acid.litres_left == litres_left
    assert state.acid.drum_litres == (20.0 if size else None)
    assert state.chlorine == Doser()
    assert CHLORINE.low(state, Choices()) is None


# The daily limit


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
    doses_at = NOW - timedelta(seconds=age)
    doser = Doser(doses=doses, max_doses=most, doses_at=doses_at)
    assert doser.limit_reached(NOW) is reached
    assert replace(doser, doses_at=None).limit_reached(NOW) is None
    assert timedelta(hours=1) == COUNT_AGE
