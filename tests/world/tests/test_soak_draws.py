"""The random draws of the soak, without running it."""

from collections import Counter

from tests.world.simulator.cloud_dialects import CloudDialect
from tests.world.simulator.dialects import Dialect
from tests.world.soak.draws import (
    CLOUD,
    DAY,
    FIRMWARE,
    FULL,
    NOT_DRAWN,
    SEEDS,
    SERVICE,
    SMALL,
    VISITORS,
    WIRING,
    draws,
    spoken,
    visits,
)
from tests.world.soak.neighbours import LIES

WEEK = 7 * DAY


def test_three_seeds_draw_every_dialect() -> None:
    drawn = [
        draw
        for seed in SEEDS
        for who in (CLOUD, SMALL, FULL)
        for draw in draws(seed, who, WEEK)
    ]
    assert len(SEEDS) == 3
    assert spoken(drawn) == {*Dialect, *CloudDialect} - NOT_DRAWN


def test_every_seed_draws_every_hostile_neighbour() -> None:
    for seed in SEEDS:
        for who in (SMALL, FULL):
            assert spoken(visits(seed, who, WEEK)) == {*VISITORS} == {*LIES}


def test_every_dialect_is_in_one_group() -> None:
    groups = [*FIRMWARE, *SERVICE, *WIRING[CLOUD], *WIRING[FULL]]
    counts = Counter(dialect for group in groups for dialect in group)
    assert set(counts) == {*Dialect, *CloudDialect} - NOT_DRAWN
    assert set(counts.values()) == {1}


def test_one_of_each_group_is_spoken_at_a_time() -> None:
    for who, groups in ((FULL, FIRMWARE), (CLOUD, SERVICE)):
        for draw in draws(1, who, WEEK):
            assert all(len(draw.dialects & {*group}) < 2 for group in groups)


def test_draws_change_while_it_runs_and_are_the_same_again() -> None:
    for who in (CLOUD, SMALL, FULL):
        drawn = draws(1, who, WEEK)
        assert drawn == draws(1, who, WEEK) != draws(2, who, WEEK)
        assert drawn[0].at == 0
        assert len({draw.dialects for draw in drawn}) > 7
    # A shorter run is the beginning of a longer one.
    assert draws(1, CLOUD, WEEK)[:3] == draws(1, CLOUD, WEEK / 3)[:3]


def test_wiring_stays() -> None:
    for seed in range(10):
        drawn = draws(seed, FULL, WEEK)
        for (dialect,) in WIRING[FULL]:
            assert len({dialect in draw.dialects for draw in drawn}) == 1
