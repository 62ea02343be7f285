"""The letters of the wordmark: lines of one width, from circles and straight lines."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .shapes import Line, arc

# The body of a small letter, what stands above it, what hangs below it, and the line.
BODY: Final = 66.0
ASCENDER: Final = 98.0
DESCENDER: Final = 30.0
WIDTH: Final = 14.5
GAP: Final = 12.5

_HALF: Final = WIDTH / 2
_BOWL: Final = (BODY - WIDTH) / 2
_ARCH: Final = 19.0
_MIDDLE: Final = (BODY / 2, -BODY / 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class Letter:
    """One letter, its left edge at 0 and its foot at 0; y points down."""

    lines: tuple[Line, ...]
    width: float


def _stem(x: float, top: float, bottom: float = 0.0) -> Line:
    return [(x, top + _HALF), (x, bottom - _HALF)]


def _shoulder(end: float) -> Line:
    """Return the stem of n and r, which bends into an arch."""
    arch = arc((_HALF + _ARCH, -BODY + _HALF + _ARCH), _ARCH, 180, end)
    return [(_HALF, -_HALF), *arch]


def _c() -> Letter:
    return Letter(lines=(arc(_MIDDLE, _BOWL, 48, 312),), width=BODY * 0.86)


def _e() -> Letter:
    x, y = _MIDDLE
    bar = [(x - _BOWL, y), (x + _BOWL, y)]
    return Letter(lines=(bar, arc(_MIDDLE, _BOWL, 52, 360)), width=BODY)


def _l() -> Letter:
    return Letter(lines=(_stem(_HALF, -ASCENDER),), width=WIDTH)


def _n() -> Letter:
    leg = (_HALF + 2 * _ARCH, -_HALF)
    return Letter(
        lines=([*_shoulder(360), leg],),
        width=WIDTH + 2 * _ARCH,
    )


def _o() -> Letter:
    return Letter(lines=(arc(_MIDDLE, _BOWL, 0, 360),), width=BODY)


def _p() -> Letter:
    return Letter(
        lines=(
            arc(_MIDDLE, _BOWL, 0, 360),
            _stem(_HALF, -BODY / 2 - _HALF, DESCENDER),
        ),
        width=BODY,
    )


def _r() -> Letter:
    return Letter(lines=(_shoulder(312),), width=WIDTH + 32)


def _t() -> Letter:
    x, foot = 18.0, 15.0
    bar = [(_HALF, -BODY + _HALF), (x + 20, -BODY + _HALF)]
    stem = [
        (x, -ASCENDER + 10),
        *arc((x + foot, -_HALF - foot), foot, 180, 90),
        (x + foot + 4, -_HALF),
    ]
    return Letter(lines=(bar, stem), width=x + 20 + _HALF)


LETTERS: Final[dict[str, Callable[[], Letter]]] = {
    "c": _c,
    "e": _e,
    "l": _l,
    "n": _n,
    "o": _o,
    "p": _p,
    "r": _r,
    "t": _t,
}


def word(text: str, left: float, foot: float) -> list[Line]:
    """Return the lines of a word that begins at left and stands on foot."""
    lines: list[Line] = []
    for character in text:
        letter = LETTERS[character]()
        lines += [[(left + x, foot + y) for x, y in line] for line in letter.lines]
        left += letter.width + GAP
    return lines


def length(text: str) -> float:
    """Return the width of a word."""
    return sum(LETTERS[character]().width + GAP for character in text) - GAP
