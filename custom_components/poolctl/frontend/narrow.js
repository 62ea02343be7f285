// Whether a tile of half a section's width has room for the texts of an entity.

// In pixels: what Home Assistant leaves beside the icon where its columns are narrowest.
const ROOM = 94;
const PRIMARY = "500 14px";
const SECONDARY = "400 12px";

const BINARY = ["on", "off"];

/** Tell whether the name and all states that are known beforehand fit. */
export function isNarrow(hass, state, name) {
  const binary = BINARY.includes(state.state);
  const states = state.attributes.options ?? (binary ? BINARY : [state.state]);
  const texts = states.map((each) => hass.formatEntityState(state, each));
  return (
    width(name, PRIMARY) <= ROOM &&
    texts.every((text) => width(text, SECONDARY) <= ROOM)
  );
}

let canvas;

function width(text, font) {
  canvas ??= document.createElement("canvas").getContext("2d");
  canvas.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width;
}
