"""The brand images, drawn by this project: `scripts/draw_brand`.

`shapes` is geometry, `lettering` the wordmark's alphabet, `images` the icon and the logo.
Nothing but Pillow is needed, no font and no browser, so the same images come out anywhere.
"""
