"""Draw the brand images into the integration: `scripts/draw_brand [FOLDER]`."""

from pathlib import Path
import sys
from typing import Final

from .images import images

FOLDER: Final = Path(__file__).parents[2] / "custom_components" / "poolctl" / "brand"


def main(folder: Path = FOLDER) -> None:
    """Draw every image."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, image in images().items():
        image.save(folder / name, optimize=True)
        width, height = image.size
        sys.stdout.write(f"{folder / name}: {width} x {height}\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
