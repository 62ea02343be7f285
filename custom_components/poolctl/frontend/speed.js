// The target speed of a pump as a bar from 0, so that its lowest speed does not look like off. It is
// a feature of Home Assistant's tile; what is below the range of the entity is hatched.

import { PoolCard } from "./card.js";
import { h } from "./dom.js";
import { known } from "./pool.js";

export class PoolSpeed extends PoolCard {
  static frame = "div";
  static style = `
    label { position: relative; display: block; height: 42px; border-radius: 12px; overflow: hidden; background: color-mix(in srgb, var(--primary-color) 20%, transparent); }
    label:focus-within { outline: 2px solid var(--primary-color); outline-offset: 2px; }
    span { position: absolute; inset-block: 0; inset-inline-start: 0; }
    .at { background: var(--primary-color); }
    .below { background: repeating-linear-gradient(135deg, transparent 0 6px, color-mix(in srgb, var(--primary-text-color) 25%, transparent) 6px 8px); }
    input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
    input:disabled { cursor: default; }
  `;

  /** @param {import("./pool.js").Pool} pool */
  draw(pool) {
    const speed = pool.one("number", "pump_speed");
    const { min, max, step } = speed?.state?.attributes ?? {};
    const share = (/** @type {number} */ value) => ({ style: `width: ${(value / max) * 100 || 0}%` });
    const set = (/** @type {Event & { target: HTMLInputElement }} */ { target }) => {
      const value = Math.max(Number(target.value), min);
      target.value = String(value);
      return speed && this.perform("number.set_value", speed.id, { value });
    };
    const input = { type: "range", min: 0, max, step, "aria-label": speed && pool.named(speed), disabled: !known(speed?.state), value: speed?.state?.state, onchange: set };
    return h("label", null, h("span", { class: "at", ...share(pool.numbered(speed)) }), h("span", { class: "below", ...share(min) }), h("input", input));
  }
}
