"""Lines and areas as polygons, in units in which the icon is 256 wide; y points down."""

from collections.abc import Sequence
from itertools import pairwise
from math import acos, cos, hypot, pi, radians, sin
from typing import Final

type Point = tuple[float, float]
type Line = list[Point]

# Steps of a curve: far finer than a pixel of the largest image.
STEPS: Final = 240


def arc(centre: Point, radius: float, start: float, end: float) -> Line:
    """Return a part of a circle; degrees, clockwise, 0 is right."""
    x, y = centre
    turns = (radians(start + (end - start) * i / STEPS) for i in range(STEPS + 1))
    return [(x + radius * cos(turn), y + radius * sin(turn)) for turn in turns]


def wave(left: float, right: float, y: float, height: float, waves: float) -> Line:
    """Return a cosine from left to right; height is from the middle to a crest."""
    return [
        (
            left + (right - left) * i / STEPS,
            y + height * cos(2 * pi * waves * i / STEPS),
        )
        for i in range(STEPS + 1)
    ]


def disc(centre: Point, radius: float) -> Line:
    """Return a filled circle."""
    return arc(centre, radius, 0, 360)


def drop(centre: Point, radius: float, tip: float) -> Line:
    """Return a drop of water: a circle and its tangents to a tip above it."""
    x, y = centre
    touching = acos(radius / tip) * 180 / pi
    return [(x, y - tip), *arc(centre, radius, touching - 90, 270 - touching)]


def stroke(line: Sequence[Point], width: float) -> list[Line]:
    """Return the areas of a line with round ends. Its curves must be wider than itself."""
    half = width / 2
    one, other = [], []
    for index, (x, y) in enumerate(line):
        (x0, y0), (x1, y1) = (
            line[max(index - 1, 0)],
            line[min(index + 1, len(line) - 1)],
        )
        length = hypot(x1 - x0, y1 - y0)
        dx, dy = half * (y0 - y1) / length, half * (x1 - x0) / length
        one.append((x + dx, y + dy))
        other.append((x - dx, y - dy))
    # One piece per step: a whole outline would cancel itself out where it closes.
    pieces: list[Line] = [
        [a, b, d, c]
        for (a, b), (c, d) in zip(pairwise(one), pairwise(other), strict=True)
    ]
    return [*pieces, disc(line[0], half), disc(line[-1], half)]
