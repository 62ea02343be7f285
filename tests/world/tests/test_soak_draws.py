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


ALL = (CLOUD, SMALL, FULL)
DIALECTS = {*Dialect, *CloudDialect} - NOT_DRAWN


def test_all_is_drawn_in_time() -> None:
    """Three seeds draw every dialect, each of them every hostile neighbour."""
    drawn = [draw for seed in SEEDS for who in ALL for draw in draws(seed, who, WEEK)]
    assert (len(SEEDS), spoken(drawn)) == (3, DIALECTS)
    for seed in SEEDS:
        for who in (SMALL, FULL):
            assert spoken(visits(seed, who, WEEK)) == {*VISITORS} == {*LIES}


def test_one_of_each_group_is_spoken_at_a_time() -> None:
    groups = [*FIRMWARE, *SERVICE, *WIRING[CLOUD], *WIRING[FULL]]
    counts = Counter(dialect for group in groups for dialect in group)
    assert set(counts) == DIALECTS and set(counts.values()) == {1}
    for who, of in ((FULL, FIRMWARE), (CLOUD, SERVICE)):
        for draw in draws(1, who, WEEK):
            assert all(len(draw.dialects & {*group}) < 2 for group in of)


def test_draws_change_while_it_runs_and_are_the_same_again() -> None:
    for who in ALL:
        drawn = draws(1, who, WEEK)
        assert drawn == draws(1, who, WEEK) != draws(2, who, WEEK)
        assert drawn[0].at == 0
        assert len({draw.dialects for draw in drawn}) > 7
    # A shorter run is the beginning of a longer one.
    assert draws(1, CLOUD, WEEK)[:3] == draws(1, CLOUD, WEEK / 3)[:3]
    for seed in range(10):  # wiring stays
        drawn = draws(seed, FULL, WEEK)
        for (dialect,) in WIRING[FULL]:
            assert len({dialect in draw.dialects for draw in drawn}) == 1
