"""brand/: the images that Home Assistant and HACS show for the integration."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from homeassistant.components.brands.const import ALLOWED_IMAGES
from PIL import Image, UnidentifiedImageError

from .report import Problem, Repository

# An image is cut to what it shows, but for this part of its shorter side.
_MARGIN: Final = 0.02


@dataclass(frozen=True, kw_only=True, slots=True)
class Size:
    """What the shorter side may have, in pixels; an icon is square."""

    least: int
    most: int
    square: bool


# The rules of Home Assistant's collection of brand images.
SIZES: Final = {
    "icon.png": Size(least=256, most=256, square=True),
    "icon@2x.png": Size(least=512, most=512, square=True),
    "logo.png": Size(least=128, most=256, square=False),
    "logo@2x.png": Size(least=256, most=512, square=False),
}


def check(repository: Repository) -> Iterator[Problem]:
    """Check the images."""
    folder = repository.integration / "brand"
    found = {path.name for path in folder.glob("*")}
    for name in sorted(ALLOWED_IMAGES - found):
        yield Problem(repository.name(folder / name), "is missing")
    for name in sorted(found - ALLOWED_IMAGES):
        yield Problem(repository.name(folder / name), "is not asked for by anything")
    for name in sorted(found & ALLOWED_IMAGES):
        for text in _image(folder / name, SIZES[name.removeprefix("dark_")]):
            yield Problem(repository.name(folder / name), text)


def _image(path: Path, size: Size) -> Iterator[str]:
    try:
        with Image.open(path) as image:
            image.load()
    except (UnidentifiedImageError, OSError) as err:
        yield f"cannot be read: {err}"
        return
    width, height = image.size
    if image.format != "PNG":
        yield f"is {image.format}, not PNG"
    if size.square and width != height:
        yield f"is {width} x {height}, not square"
    if not size.least <= min(width, height) <= size.most:
        yield f"has {min(width, height)} pixels, not {size.least} to {size.most}"
    if image.mode != "RGBA" or image.getchannel("A").getextrema()[0] != 0:
        yield "is not transparent"
    elif (box := image.getbbox()) is None:
        yield "is empty"
    elif max(box[0], box[1], width - box[2], height - box[3]) > _MARGIN * min(
        width, height
    ):
        yield "has an empty border"
