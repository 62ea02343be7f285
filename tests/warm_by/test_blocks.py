"""The cheapest blocks of heating, compared with all that are possible."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import exp, log
import random

import pytest

from custom_components.poolctl.warm_by.blocks import (
    MAX_STARTS,
    SHORTEST_BLOCK,
    SHORTEST_REST,
    TOLERANCE,
    Physics,
    cheapest_cells,
)

CELLS = 13
"""Few enough cells to try every way."""


def physics(rise: float, keeps: float, **more: float) -> Physics:
    """Return how water is heated that rises, and keeps its warmth, so much in a cell."""
    values = {"water": 30.0, "target": 32.0, "air": 15.0} | more
    return Physics(**values, gross=rise * 4, cooling=-4 * log(keeps))


def cheapest(
    costs: Sequence[float], water: Physics, phase: int = 0, starts: int = MAX_STARTS
) -> list[tuple[int, int]] | None:
    """Return the cheapest blocks without sun."""
    found = cheapest_cells(costs, [0.0] * len(costs), water, phase, starts)
    return None if found is None else blocks_of({*found.cells})


def blocks_of(cells: set[int]) -> list[tuple[int, int]]:
    runs = groupby(sorted(cells), lambda at: at - sorted(cells).index(at))
    rows = [[*run] for _, run in runs]
    return [(row[0], row[-1] + 1) for row in rows]


def heat(
    cells: set[int], costs: Sequence[float], physics: Physics
) -> tuple[float, float]:
    """Return the temperature at the end, and the cost."""
    water, spent, keeps = physics.water, 0.0, exp(-physics.cooling / 4)
    for at, cost in enumerate(costs):
        water = physics.air + (water - physics.air) * keeps
        if at in cells:
            rise = max(min(physics.gross / 4, physics.target - water), 0.0)
            water, spent = water + rise, spent + cost * rise / (physics.gross / 4)
    return water, spent


def all_ways(
    cells: int = CELLS, begun: int = 0, starts: int = MAX_STARTS
) -> Iterator[set[int]]:
    """Yield every choice of cells that is some blocks of half an hour or more.

    Between them are rests of an hour. A block that has run for some cells before does
    not count as a start; one that keeps the water warm at the end does.
    """
    before = [True] * begun
    for number in range(1 << cells):
        bits = before + [bool(number >> at & 1) for at in range(cells)]
        runs = [(on, len([*run])) for on, run in groupby([*bits, True, True])]
        begins = sum(on for on, _ in runs) - bool(begun)
        inner = runs[1:-1] if not runs[0][0] else runs[:-1]
        if begins <= starts and all(
            length >= (SHORTEST_BLOCK if on else SHORTEST_REST) for on, length in inner
        ):
            yield {at for at, on in enumerate(bits[begun:]) if on}


WAYS = [*all_ways()]


@pytest.mark.parametrize("seed", range(20))
def test_brute_force(seed: int) -> None:
    """The blocks cost at most a tenth more than the cheapest possible ones."""
    draw = random.Random(seed)
    costs = [draw.uniform(0.1, 0.4) for _ in range(CELLS)]
    target = 30 + draw.uniform(0.5, 3)
    keeps = exp(-draw.choice([0.005, 0.03, 0.1]) / 4)
    water = physics(draw.uniform(0.4, 1), keeps, target=target)
    tried = (heat(way, costs, water) for way in WAYS)
    possible = [cost for warm, cost in tried if warm >= target - TOLERANCE]
    blocks = cheapest(costs, water)
    if not possible:
        assert blocks is None
        return
    assert blocks is not None
    cells = {at for first, end in blocks for at in range(first, end)}
    assert cells in WAYS
    warm, cost = heat(cells, costs, water)
    assert warm >= target - TOLERANCE
    # A start and the pump cost something, too.
    assert cost <= min(possible) * 1.1 + 0.3


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
    costs = [PRICES[prices](draw) for _ in range(cells)]
    target, air = (
        30 + draw.choice([0, 0.1, 0.5, 1, 2, 5]),
        draw.choice([15.0, 29.0, 32.0]),
    )
    keeps = exp(-draw.choice([0, 0.005, 0.1, 0.3]) / 4)
    water = physics(draw.choice([0.2, 0.5, 1.0]), keeps, target=target, air=air)
    ways = [*all_ways(cells, begun, starts)]
    tried = (heat(way, costs, water) for way in ways)
    possible = [cost for warm, cost in tried if warm >= target - TOLERANCE]
    blocks = cheapest(costs, water, begun, starts)
    assert (blocks is None) is (not possible)
    if blocks is not None:
        found = {at for first, end in blocks for at in range(first, end)}
        assert found in ways
        assert heat(found, costs, water)[0] >= target - TOLERANCE


@pytest.mark.parametrize("price", [0.2, 0.0, -0.1])
def test_a_row_of_two_nights(price: float) -> None:
    """Water that is just reached by heating all the time has its blocks, too."""
    lossy = physics(0.56, exp(-0.05 / 4), water=20.0, target=38.0, air=5.0)
    assert cheapest((price,) * 144, lossy)


EVENING = physics(0.5, 1.0, target=32.1)


def test_flat_prices() -> None:
    """Equal prices: heating is one block, as late as possible."""
    assert cheapest((0.2,) * 20, EVENING) == [(16, 20)]


def test_losses() -> None:
    """Water that loses much is heated late, though earlier hours cost a little less."""
    costs = (0.19,) * 10 + (0.2,) * 10
    blocks = cheapest(costs, physics(1.0, exp(-0.1 / 4)))
    assert blocks is not None and blocks[-1][1] == 20


def test_a_block_that_has_begun() -> None:
    """It lasts for half an hour, also in hours that became dear."""
    costs = (0.5,) * 4 + (0.1,) * 10
    assert cheapest(costs, EVENING) == [(10, 14)]
    assert cheapest(costs, EVENING, 1) == [(0, 1), (11, 14)]
    assert cheapest(costs, EVENING, 2) == [(10, 14)]


def test_negative_prices() -> None:
    """A thermostat ends the heating at its target, however little it costs."""
    costs = (-0.2,) * 8 + (0.3,) * 8
    blocks = cheapest(costs, EVENING)
    assert blocks is not None and all(end <= 8 for _, end in blocks)
