"""The icon, a dial with a drop of water that stands over the pool, and the logo."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Final

from PIL import Image, ImageDraw

from .lettering import WIDTH, length, word
from .shapes import Line, Point, arc, disc, drop, stroke, wave

# Size of the icon in units, and of the logo, which has the icon at its left.
ICON: Final = 256
WORDMARK_LEFT: Final = 300.0
# Drawn this much larger, then averaged: smooth edges, and the same on every machine.
OVERSAMPLING: Final = 8

_LINE: Final = 26.0
_DIAL: Final[Point] = (128.0, 118.0)
_DIAL_RADIUS: Final = 104.0
_KNOB_ANGLE: Final = -47.0
_KNOB_RADIUS: Final = 25.0
_KNOB_GAP: Final = 9.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Palette:
    """The three colours of a theme."""

    ink: str
    water: str
    knob: str


LIGHT: Final = Palette(ink="#12507a", water="#1ba6d6", knob="#ff7a4d")
DARK: Final = Palette(ink="#9bdaf7", water="#2db7e8", knob="#ff8f66")


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """Areas in one colour, with holes."""

    colour: str
    areas: list[Line]
    holes: tuple[Line, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """What one image shows, in units; layers do not overlap."""

    width: int
    layers: tuple[Layer, ...]


def icon(palette: Palette) -> Drawing:
    """Return the icon."""
    turn = radians(_KNOB_ANGLE)
    knob = (
        _DIAL[0] + _DIAL_RADIUS * cos(turn),
        _DIAL[1] + _DIAL_RADIUS * sin(turn),
    )
    x, y = _DIAL
    left, right = _LINE / 2 + 1, ICON - _LINE / 2 - 1
    return Drawing(
        width=ICON,
        layers=(
            Layer(
                colour=palette.ink,
                areas=[
                    *stroke(arc(_DIAL, _DIAL_RADIUS, 168, 372), _LINE),
                    *stroke(wave(left, right, 232, -10, 2), _LINE),
                ],
                holes=(disc(knob, _KNOB_RADIUS + _KNOB_GAP),),
            ),
            Layer(
                colour=palette.water,
                areas=[
                    drop((x, y + 4), 32, 66),
                    *stroke(wave(left, right, 184, -10, 2), _LINE),
                ],
            ),
            Layer(colour=palette.knob, areas=[disc(knob, _KNOB_RADIUS)]),
        ),
    )


def logo(palette: Palette) -> Drawing:
    """Return the icon and the name beside it."""
    words = (
        ("pool", 112.0, palette.water),
        ("controller", 228.0, palette.ink),
    )
    lettering = tuple(
        Layer(
            colour=colour,
            areas=_strokes(word(text, WORDMARK_LEFT, foot)),
        )
        for text, foot, colour in words
    )
    widest = max(length(text) for text, _, _ in words)
    return Drawing(
        width=round(WORDMARK_LEFT + widest) + 1,
        layers=(*icon(palette).layers, *lettering),
    )


def _strokes(lines: Iterable[Line]) -> list[Line]:
    return [area for line in lines for area in stroke(line, WIDTH)]


def render(drawing: Drawing, scale: int) -> Image.Image:
    """Return the image with transparency, in pixels: units times scale."""
    size = (drawing.width * scale, ICON * scale)
    image = Image.new("RGBA", size)
    for layer in drawing.layers:
        colour = Image.new("RGBA", size, layer.colour)
        colour.putalpha(_mask(layer, size, scale))
        image.alpha_composite(colour)
    return image


def _mask(layer: Layer, size: tuple[int, int], scale: int) -> Image.Image:
    fine = scale * OVERSAMPLING
    mask = Image.new("L", (size[0] * OVERSAMPLING, size[1] * OVERSAMPLING))
    draw = ImageDraw.Draw(mask)
    for areas, fill in ((layer.areas, 255), (layer.holes, 0)):
        for area in areas:
            draw.polygon([(x * fine, y * fine) for x, y in area], fill=fill)
    return mask.reduce(OVERSAMPLING)


def images() -> dict[str, Image.Image]:
    """Return every brand image by the name under which Home Assistant asks for it."""
    return {
        f"{theme}{name}{size}.png": render(draw(palette), scale)
        for theme, palette in (("", LIGHT), ("dark_", DARK))
        for name, draw in (("icon", icon), ("logo", logo))
        for size, scale in (("", 1), ("@2x", 2))
    }
