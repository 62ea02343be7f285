"""The cheapest blocks of heating, compared with all that are possible."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import exp
import random

import pytest

from custom_components.poolctl.warm_by.blocks import (
    MAX_STARTS,
    SHORTEST_BLOCK,
    Blocks,
    Physics,
    cheapest_blocks,
)

CELLS = 13
"""Few enough cells to try every way."""
CLOSE = 0.05


def heat(
    cells: set[int], costs: Sequence[float], physics: Physics
) -> tuple[float, float]:
    """Return the temperature at the end, and the cost."""
    water, spent = physics.water, 0.0
    for at, cost in enumerate(costs):
        water = physics.air + (water - physics.air) * physics.keeps
        if at in cells:
            rise = max(min(physics.rise, physics.target - water), 0.0)
            water, spent = water + rise, spent + cost * rise / physics.rise
    return water, spent


def all_ways(
    cells: int = CELLS, begun: int = 0, starts: int = MAX_STARTS
) -> Iterator[set[int]]:
    """Yield every choice of cells that is some blocks of half an hour or more.

    A block has run for some cells before; it does not count as a start.
    """
    before = [True] * begun
    for number in range(1 << cells):
        bits = [bool(number >> at & 1) for at in range(cells)]
        runs = [len([*run]) for on, run in groupby(before + bits) if on]
        if len(runs) <= starts + bool(begun) and all(
            run >= SHORTEST_BLOCK for run in runs
        ):
            yield {at for at, on in enumerate(bits) if on}


WAYS = [*all_ways()]


def cells_of(blocks: Blocks) -> set[int]:
    return {at for first, end in blocks for at in range(first, end)}


@pytest.mark.parametrize("seed", range(20))
def test_brute_force(seed: int) -> None:
    """The blocks cost at most a tenth more than the cheapest possible ones."""
    draw = random.Random(seed)
    costs = tuple(draw.uniform(-0.1, 0.4) for _ in range(CELLS))
    physics = Physics(
        water=30.0,
        target=30 + draw.uniform(0.5, 3),
        air=15.0,
        rise=draw.uniform(0.4, 1),
        keeps=exp(-draw.choice([0.005, 0.03, 0.1]) / 4),
    )
    tried = (heat(way, costs, physics) for way in WAYS)
    possible = [cost for water, cost in tried if water >= physics.target - CLOSE]
    blocks = cheapest_blocks(costs, physics)
    if not possible:
        assert blocks is None
        return
    assert blocks is not None and cells_of(blocks) in WAYS
    water, cost = heat(cells_of(blocks), costs, physics)
    assert water >= physics.target - CLOSE
    assert cost <= min(possible) + 0.1 * max(abs(min(possible)), 0.2)


PRICES: dict[str, Callable[[random.Random], float]] = {
    "negative": lambda draw: draw.uniform(-0.5, 0.1),
    "equal": lambda draw: 0.2,
    "two": lambda draw: draw.choice([0.1, 0.3]),
    "nothing": lambda draw: 0.0,
    "large": lambda draw: draw.uniform(20, 3000),
}


@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("seed", range(40))
def test_odd_rows(seed: int, prices: str) -> None:
    """Short rows, warm air, a block that has begun, few starts left, no time left."""
    draw = random.Random(f"{prices} {seed}")
    cells, begun = draw.choice([1, 2, 3, 5, 9]), draw.choice([0, 0, 1, 2])
    starts = draw.choice([0, 1, 2, 4])
    costs = tuple(PRICES[prices](draw) for _ in range(cells))
    physics = Physics(
        water=30.0,
        target=30 + draw.choice([0, 0.1, 0.5, 1, 2, 5]),
        air=draw.choice([15.0, 29.0, 32.0]),
        rise=draw.choice([0.2, 0.5, 1.0]),
        keeps=exp(-draw.choice([0, 0.005, 0.1, 0.3]) / 4),
    )
    ways = [*all_ways(cells, begun, starts)]
    tried = (heat(way, costs, physics) for way in ways)
    possible = [cost for water, cost in tried if water >= physics.target - CLOSE]
    blocks = cheapest_blocks(costs, physics, begun, starts)
    assert (blocks is None) is (not possible)
    if blocks is None:
        return
    assert cells_of(blocks) in ways
    water, cost = heat(cells_of(blocks), costs, physics)
    assert water >= physics.target - CLOSE
    span = max(costs) - min(costs) or 1.0
    assert cost <= min(possible) + 0.1 * max(abs(min(possible)), span)


@pytest.mark.parametrize("price", [0.2, 0.0, -0.1])
def test_a_row_of_two_nights(price: float) -> None:
    """Water that is just reached by heating all the time has its blocks, too."""
    lossy = Physics(water=20.0, target=38.0, air=5.0, rise=0.56, keeps=exp(-0.05 / 4))
    blocks = cheapest_blocks((price,) * 144, lossy)
    assert blocks is not None
    assert heat(cells_of(blocks), (price,) * 144, lossy)[0] >= lossy.target - CLOSE


EVENING = Physics(water=30.0, target=32.0, air=15.0, rise=0.5, keeps=1.0)


def test_flat_prices() -> None:
    """Equal prices: heating is one block, as late as possible."""
    assert cheapest_blocks((0.2,) * 20, EVENING) == ((16, 20),)


def test_losses() -> None:
    """Water that loses much is heated late, though earlier hours cost a little less."""
    costs = (0.19,) * 10 + (0.2,) * 10
    assert cheapest_blocks(costs, EVENING) == ((6, 10),)
    lossy = EVENING._replace(keeps=exp(-0.1 / 4), rise=1.0)
    blocks = cheapest_blocks(costs, lossy)
    assert blocks is not None and blocks[-1][1] == 20


def test_a_block_that_has_begun() -> None:
    """It lasts for half an hour, also in hours that became dear."""
    costs = (0.5,) * 4 + (0.1,) * 10
    assert cheapest_blocks(costs, EVENING) == ((10, 14),)
    assert cheapest_blocks(costs, EVENING, run=1) == ((0, 1), (11, 14))
    assert cheapest_blocks(costs, EVENING, run=2) == ((10, 14),)


def test_no_more_starts() -> None:
    costs = (0.1, 0.1, 0.5, 0.5, 0.1, 0.1)
    assert cheapest_blocks(costs, EVENING) == ((0, 2), (4, 6))
    assert cheapest_blocks(costs, EVENING, starts=1) == ((2, 6),)
    assert cheapest_blocks(costs, EVENING, starts=0) is None
    assert cheapest_blocks(costs, EVENING, run=2, starts=0) == ((0, 4),)


def test_negative_prices() -> None:
    """A thermostat ends the heating at its target, however little it costs."""
    costs = (-0.2,) * 8 + (0.3,) * 8
    blocks = cheapest_blocks(costs, EVENING)
    assert blocks is not None and cells_of(blocks) <= set(range(8))


@pytest.mark.parametrize("costs", [(), (0.1,) * 3])
def test_too_late(costs: tuple[float, ...]) -> None:
    assert cheapest_blocks(costs, EVENING) is None
    assert cheapest_blocks(costs, EVENING._replace(water=32.0)) == ()
