"""Whether doses move their reading, and what is stored about a doser."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest

from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.pool.dosing import ACID, CHLORINE, DoserKind
from custom_components.poolctl.client.pool.parts import Doser
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.dosing import EFFECTS, DoserModel, DosingEffect
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.read import Read

IDLE_DOSES = EFFECTS[ACID].doses
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


type Step = float | int | tuple[float, bool]
"""A reading (float, or with whether the water is stable), or a count of doses."""


def watched(
    *steps: Step, desired: float | None = 7.4, kind: DoserKind = ACID
) -> tuple[DosingEffect, bool | None]:
    """Return the effect after these steps, and whether it is missing."""
    effect, state, doser = DosingEffect(), PoolState(), Doser(desired=desired)
    for step in steps:
        reading: float | None = None
        stable = True
        match step:
            case int():
                doser = Doser(desired=desired, doses=step)
            case float():
                reading = step
            case (reading, stable):
                pass
        state = PoolState(
            acid=doser if kind is ACID else Doser(),
            chlorine=doser if kind is CHLORINE else Doser(),
            readings=Readings(ph=reading) if kind is ACID else Readings(orp=reading),
            signals=Signals(chemistry_stable=stable),
        )
        before = to_stored(effect)
        changed = effect.take(kind, Read(state, 15.0, NOW))
        assert changed is (to_stored(effect) != before)
    return effect, effect.missing(kind, state)


@pytest.mark.parametrize(
    ("steps", "idle"),
    [
        ((7.8, 0, 3, 7.8, 7), 7),
        ((7.8, 0, 3, 7.7, 7), 4),
        # A rise moves the baseline before the first dose, and is ignored after it.
        ((7.8, 7.9, 0, 3, 7.8, 7), 4),
        ((7.8, 0, 3, 7.9, 7.8, 7), 7),
        ((7.8, 0, 3, 7.9, 7.7, 7), 4),
        # A small fall before the doses counts towards their effect.
        ((7.8, 7.75, 0, 3, 7.7, 7), 4),
        # At the desired pH there is nothing to improve.
        ((7.5, 0, 3, 7.4, 7), 4),
        # A value of still water is not a reading.
        ((7.8, 0, 3, (7.0, False), 7), 7),
        # A count that restarts, or is an older copy.
        ((7.8, 0, 5, 1, 2), 6),
        # Doses of the first count may be older than the reading.
        ((7.8, 5), 0),
    ],
)
def test_doses_since_the_ph_fell(steps: Iterable[Step], idle: int) -> None:
    assert watched(*steps)[0].idle == idle


@pytest.mark.parametrize(
    ("kind", "steps", "desired", "idle", "missing"),
    [
        (ACID, (0, 20), 7.4, 20, None),
        (ACID, (7.8,), 7.4, 0, None),
        (ACID, (7.8, 0, IDLE_DOSES - 1), 7.4, IDLE_DOSES - 1, False),
        (ACID, (7.8, 0, IDLE_DOSES), 7.4, IDLE_DOSES, True),
        (ACID, (7.8, 0, IDLE_DOSES, 7.7), 7.4, 0, False),
        (ACID, (7.3, 0, IDLE_DOSES, 7.3), 7.4, 0, False),
        (ACID, (7.3, 0, IDLE_DOSES, 7.3), None, IDLE_DOSES, True),
        (CHLORINE, (600.0, 0, 24), 650, 24, True),
        (CHLORINE, (600.0, 0, 23), 650, 23, False),
        (CHLORINE, (600.0, 0, 20, 610.0, 24), 650, 4, False),
        # A smaller change is noise, and a fall is not an effect.
        (CHLORINE, (600.0, 0, 20, 609.0, 580.0, 24), 650, 24, True),
        # A fall before the doses is drift.
        (CHLORINE, (600.0, 560.0, 0, 20, 575.0, 24), 650, 4, False),
        # Reaching the desired ORP is an effect.
        (CHLORINE, (645.0, 0, 20, 650.0, 24), 650, 4, False),
    ],
)
def test_dosing_without_effect(
    kind: DoserKind,
    steps: Iterable[Step],
    desired: float | None,
    idle: int,
    missing: bool | None,
) -> None:
    effect, result = watched(*steps, desired=desired, kind=kind)
    assert (effect.idle, result) == (idle, missing)


@pytest.mark.parametrize("odd", [40, 250])
def test_one_odd_count_does_not_last(odd: int) -> None:
    """Reports come every five minutes, and each is in many reads."""
    learned = Learned()
    counts = [2, 2, odd, 2, 2, 3]
    for number in range(20 * len(counts)):
        now = NOW + timedelta(seconds=15 * number)
        reported = NOW + timedelta(minutes=5 * (number // 20))
        doser = Doser(desired=7.2, doses=counts[number // 20], doses_at=reported)
        read = PoolState(
            acid=doser,
            readings=Readings(ph=7.4),
            signals=Signals(chemistry_stable=True),
        )
        learned.take(read, 15.0 * number, now)
        learned.take_dosers(read)
    assert learned.dosers[ACID].doses_today(now) == 3
    assert learned.effects[ACID].idle == 1


@pytest.mark.parametrize(
    "doser",
    [
        Doser(drum_ml=20_000, remaining_ml=5, doses=2),
        Doser(drum_ml=20_000, level_at=NOW, doses_at=NOW),
        Doser(remaining_ml=5, level_at=NOW),
    ],
)
def test_what_is_not_reported(doser: Doser) -> None:
    """Incomplete values give neither a count nor a level."""
    model = DoserModel()
    model.take(ACID, Read(PoolState(acid=doser), None, NOW))
    assert to_stored(model) == to_stored(DoserModel())


def test_what_is_stored() -> None:
    effect, _ = watched(7.8, 0, 3)
    assert to_stored(effect) == {"reading": 7.8, "idle": 3}
    again = from_stored(DosingEffect, to_stored(effect))
    assert to_stored(again) == to_stored(effect)
    doser = Doser(
        drum_ml=20_000, remaining_ml=9_000, level_at=NOW, doses=2, doses_at=NOW
    )
    model = DoserModel()
    assert to_stored(model) == {"doses": None, "drum": None}
    assert model.lasts_until(9.0, NOW) is None
    assert model.take(ACID, Read(PoolState(acid=doser), None, NOW))
    kept = from_stored(DoserModel, to_stored(model))
    assert to_stored(kept) == to_stored(model)
    assert (kept.doses_today(NOW), kept.used_today(NOW)) == (2, 0)
    taken = [kept.take(ACID, Read(PoolState(acid=doser), 15.0, NOW)) for _ in range(2)]
    assert taken == [True, False]
    empty = from_stored(DoserModel, {"doses": {"today": 5}})
    assert to_stored(empty) == to_stored(DoserModel())
